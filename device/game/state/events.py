"""What happens to a tray, in the past tense. Adapters post events; only the loop turns them into state."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import AliasChoices, Field

from device.game.state.bounds import NOT_REQUESTED, ColourClass, FaceOrBlank, Fact, FactName, Id, Place, Sides, SystemId
from device.game.state.effects import GivenRoll
from device.game.state.table_events import TableEvent
from device.game.state.table_state import Pool
from device.game.state.tray import Tray
from vision.types.sighting import Rest


@dataclass(frozen=True, slots=True)
class MotionSeen:
    """Something began to move over the floor."""


@dataclass(frozen=True, slots=True)
class DicePickedUp:
    """Dice were picked up or put back while a hand is still moving."""

    ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class DiceSettled:
    """All dice lie still; `shown` to be taught, they are no roll."""

    rest: Rest
    shown: bool = False


@dataclass(frozen=True, slots=True)
class ThrowOrdered:
    """The simulated hand was told to throw new dice; the current roll ends."""


@dataclass(frozen=True, slots=True)
class PushPressed:
    """Push was pressed: on the tray, on a page, by a key."""


@dataclass(frozen=True, slots=True)
class ResetPressed:
    """Reset was pressed."""


@dataclass(frozen=True, slots=True)
class UndoPressed:
    """Undo was pressed."""

    id: Id  # id of the snapshot's `undo`, so that a later press is not undone


@dataclass(frozen=True, slots=True)
class PressUndone:
    """A press was undone: what it changed is restored."""

    before: Tray
    after: Tray
    forgot: bool = False  # whether the watch was told to forget which die is which
    wrote: bool = False  # whether the press has rows in the log
    given: GivenRoll | None = None  # owner in the log to restore


@dataclass(frozen=True, slots=True)
class DieCorrected:
    """A person corrected a die; None leaves value, colour or number of sides as it was."""

    die_id: int
    value: int | None
    colour: str | None
    sides: int | None = None


@dataclass(frozen=True, slots=True)
class DiceCorrected:
    """A person corrected several dice; if one is refused, all are."""

    dice: tuple[DieCorrected, ...]  # each die's correction, at least one, each die once


@dataclass(frozen=True, slots=True)
class DieRestored:
    """A person removed a correction: the camera's reading applies again."""

    die_id: int


@dataclass(frozen=True, slots=True)
class FacesForgotten:
    """Taught faces were deleted: what was read by them is in doubt."""

    faces: frozenset[tuple[str, int, int]]  # colour class, number of sides and value of each


@dataclass(frozen=True, slots=True)
class DieDismissed:
    """A person dismissed an object as not a die, or (`ignored` False) restored it."""

    die_id: int
    ignored: bool


@dataclass(frozen=True, slots=True)
class DieAdded:
    """A person added a die that the camera missed."""

    center_px: Place
    value: FaceOrBlank
    colour: ColourClass
    width_px: Annotated[int, NOT_REQUESTED] = 0  # width of the picture that was pointed at; 0 where there was none
    height_px: Annotated[int, NOT_REQUESTED] = 0  # height of the picture that was pointed at; 0 where there was none
    sides: Sides = 6


@dataclass(frozen=True, slots=True)
class DiceConfirmed:
    """A person confirmed that all dice are read right."""


@dataclass(frozen=True, slots=True)
class SystemChosen:
    """The table changed the rule system."""

    system: Annotated[SystemId, Field(validation_alias=AliasChoices("system", "id"))]


@dataclass(frozen=True, slots=True)
class PoolDeclared:
    """A pool was declared; None: any dice will do."""

    pool: Pool | None


@dataclass(frozen=True, slots=True)
class ContextSet:
    """Facts of the roll were set and are merged in; None (null in a request) removes one."""

    facts: Annotated[dict[FactName, Fact], Field(max_length=32)]


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """The camera gives no picture, or none that can be read."""

    text: str
    retry_in_s: float
    part: str = "camera"


@dataclass(frozen=True, slots=True)
class CameraConnected:
    """The camera gives frames (again)."""


SingleEvent: TypeAlias = (
    MotionSeen
    | DicePickedUp
    | DiceSettled
    | ThrowOrdered
    | PushPressed
    | ResetPressed
    | UndoPressed
    | PressUndone
    | DieCorrected
    | DieRestored
    | FacesForgotten
    | DieDismissed
    | DieAdded
    | DiceConfirmed
    | SystemChosen
    | PoolDeclared
    | ContextSet
    | CameraFailed
    | CameraConnected
    | TableEvent
)
Event: TypeAlias = SingleEvent | DiceCorrected
