"""What a watched tray reports: dice began to move, were picked up, or came to rest and this is what they show."""

from dataclasses import dataclass
from typing import TypeAlias

from vision.types.reading import DieReading, Problem


@dataclass(frozen=True, slots=True)
class TrackedDie:
    """One die with an identity that outlives a push."""

    id: int  # kept while it lies in the tray; one that was picked up and thrown again gets that of one that left
    reading: DieReading
    # false where it was seen never to leave its place since the rest before; True where it was seen to; None
    # where nobody knows
    moved: bool | None


@dataclass(frozen=True, slots=True)
class MotionBegan:
    """Something moves over the floor: dice, or a hand."""

    t_s: float
    sequence: int


@dataclass(frozen=True, slots=True)
class MotionEnded:
    """What moved lies still, under a light that is not for reading: give it white light to learn what lies there."""

    t_s: float
    sequence: int


@dataclass(frozen=True, slots=True)
class DiceLifted:
    """Dice were picked up, or put back, while something moves: only a hint, the next rest says what lies there."""

    t_s: float
    sequence: int
    ids: frozenset[int]  # all dice of the rest before that are out of their places now


@dataclass(frozen=True, slots=True)
class Rest:
    """Everything lies still and several frames agree on what is seen; an empty tray is a rest with no dice."""

    t_s: float
    sequence: int
    width_px: int  # width of the picture that the pixel coordinates belong to
    height_px: int  # height of the picture that the pixel coordinates belong to
    dice: tuple[TrackedDie, ...]  # in the order of their ids
    problems: tuple[Problem, ...]
    trusted: bool  # whether every die has a value and a colour and nothing is in doubt


Sighting: TypeAlias = MotionBegan | MotionEnded | DiceLifted | Rest
