"""What is wrong with a roll: a code for programs and a sentence for people."""

from dataclasses import dataclass

from device.body import StoredText
from device.message import Message, message
from vision.types.reading import Problem, Unread

WRONG_COUNT = "wrong_dice_count"
WRONG_ROLES = "wrong_role_count"
LOCKED_CHANGED = "locked_die_changed"
NOT_ROLLED = "must_reroll_not_rolled"
MAYBE_NOT_ROLLED = "maybe_not_rolled"
THROWN_WITHOUT_PUSH = "thrown_without_push"
ALREADY_PUSHED = "already_pushed"
CANNOT_SCORE = "cannot_score"
TYPED_DIE_MISSING = "typed_die_missing"
MAYBE_MORE = "maybe_more_dice"
DOUBTFUL = "reading_doubtful"


@dataclass(frozen=True, slots=True)
class Issue:
    """One reason why the dice have no result."""

    code: str
    text: StoredText
    dice: tuple[int, ...] = ()


def unread_text(reason: Unread) -> Message:
    return message(f"tray.problem.{reason.value}")


def problem_text(problem: Problem) -> Message:
    return message(f"tray.problem.{problem.value}")
