"""What a watched tray reports: dice began to move, were picked up, or came to rest and this is what they show."""

from dataclasses import dataclass
from typing import TypeAlias

from vision.types.reading import DieReading, Problem


@dataclass(frozen=True, slots=True)
class TrackedDie:
    """One die with an identity that outlives a push.

    Attributes:
        id: Id of the die, kept for as long as it lies in the tray. A die that was picked up and thrown again gets the
            id of a die that left.
        reading: What the die shows now.
        moved: False where it was seen never to leave its place since the rest before; True where it was seen to; None
            where nobody knows.
    """

    id: int
    reading: DieReading
    moved: bool | None


@dataclass(frozen=True, slots=True)
class MotionBegan:
    """Something moves over the floor: dice, or a hand.

    Attributes:
        t_s: Capture time of the frame that showed it.
        sequence: Number of the frame that showed it.
    """

    t_s: float
    sequence: int


@dataclass(frozen=True, slots=True)
class MotionEnded:
    """What moved lies still, under a light that is not for reading: give it white light to learn what lies there.

    Attributes:
        t_s: Capture time of the frame that showed it.
        sequence: Number of the frame that showed it.
    """

    t_s: float
    sequence: int


@dataclass(frozen=True, slots=True)
class DiceLifted:
    """Dice were picked up, or put back, while something still moves: only a hint, the next rest says what lies there.

    Attributes:
        t_s: Capture time of the frame that showed it.
        sequence: Number of the frame that showed it.
        ids: Ids of all dice of the rest before that are out of their places now.
    """

    t_s: float
    sequence: int
    ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class Rest:
    """Everything lies still and several frames agree on what is seen; an empty tray is a rest with no dice.

    Attributes:
        t_s: Capture time of the frame that settled it.
        sequence: Number of the frame that settled it.
        width_px: Width of the picture that the pixel coordinates belong to.
        height_px: Height of the picture that the pixel coordinates belong to.
        dice: Every die, in the order of their ids.
        problems: Problems of the picture as a whole.
        trusted: Whether every die has a value and a colour and nothing is in doubt.
    """

    t_s: float
    sequence: int
    width_px: int
    height_px: int
    dice: tuple[TrackedDie, ...]
    problems: tuple[Problem, ...]
    trusted: bool


Sighting: TypeAlias = MotionBegan | MotionEnded | DiceLifted | Rest
