"""What a watched tray reports: dice began to move, were picked up, or came to rest, with their reading."""

from dataclasses import dataclass
from typing import TypeAlias

from vision.types.reading import DieReading, Problem


@dataclass(frozen=True, slots=True)
class TrackedDie:
    """One die with an id that outlives a push."""

    id: int  # kept while it is in the tray; a die that was picked up and thrown again gets the id of one that left
    reading: DieReading
    # False if it was seen never to leave its place since the rest before; True if it was seen to; None if unknown
    moved: bool | None


@dataclass(frozen=True, slots=True)
class MotionBegan:
    """Something moves over the floor: dice or a hand."""

    t_s: float
    sequence: int


@dataclass(frozen=True, slots=True)
class MotionEnded:
    """Motion has ended under a light that is not for reading; white light is needed to read the dice."""

    t_s: float
    sequence: int


@dataclass(frozen=True, slots=True)
class DiceLifted:
    """Dice were picked up or put back during motion: only a hint, the next rest is certain."""

    t_s: float
    sequence: int
    ids: frozenset[int]  # all dice of the rest before that are now out of their places


@dataclass(frozen=True, slots=True)
class Rest:
    """Everything lies still and several frames agree on the reading; an empty tray is a rest with no dice."""

    t_s: float
    sequence: int
    width_px: int  # width of the picture that the pixel coordinates belong to
    height_px: int  # height of the picture that the pixel coordinates belong to
    dice: tuple[TrackedDie, ...]  # in the order of their ids
    problems: tuple[Problem, ...]
    trusted: bool  # whether every die has a value and a colour and nothing is in doubt


Sighting: TypeAlias = MotionBegan | MotionEnded | DiceLifted | Rest
