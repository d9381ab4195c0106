"""What is wrong with a roll, in a word for programs and a sentence for people."""

from dataclasses import dataclass

from vision.reading import Problem, Unread

WRONG_COUNT = "wrong_dice_count"
WRONG_ROLES = "wrong_role_count"
LOCKED_CHANGED = "locked_die_changed"
NOT_ROLLED = "must_reroll_not_rolled"
THROWN_WITHOUT_PUSH = "thrown_without_push"
ALREADY_PUSHED = "already_pushed"
CANNOT_SCORE = "cannot_score"
TYPED_DIE_MISSING = "typed_die_missing"
DOUBTFUL = "reading_doubtful"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that stands between the dice and their result.

    Attributes:
        code: The outside contract's word for it.
        text: What is wrong and what to do about it, one sentence for the people at the table.
        dice: Ids of the dice concerned.
    """

    code: str
    text: str
    dice: tuple[int, ...] = ()


UNREAD_TEXT = {
    Unread.COCKED: "This die is cocked: lay it flat, or tap it and say what it shows.",
    Unread.STACKED: "This die lies on another: take it down, or tap it and say what it shows.",
    Unread.OCCLUDED: "This die is half hidden: uncover it, or tap it and say what it shows.",
    Unread.BLURRED: "This die is blurred: hold the tray still, or tap the die and say what it shows.",
    Unread.PIPS_UNCLEAR: "The pips of this die are unclear: tap it and say what it shows.",
    Unread.COLOUR_UNCLEAR: "The colour of this die is unclear: tap it and say which kind it is.",
    Unread.OUTSIDE_FLOOR: "This die lies off the floor: put it back, or tap it and say what it shows.",
}

PROBLEM_TEXT = {
    Problem.NO_TRAY: "No tray in the picture: bring the whole floor into the camera's view, or calibrate.",
    Problem.TOO_DARK: "Too dark to read: switch a light on.",
    Problem.TOO_BRIGHT: "Too bright to read: shade the tray or dim the light.",
    Problem.MOVING: "The picture does not come to rest: let the tray stand still.",
    Problem.FOREIGN_OBJECT: "Something that is no die lies in the tray: take it out, or confirm the dice.",
}
