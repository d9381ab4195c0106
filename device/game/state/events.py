"""What happens to a tray, in the past tense. Adapters post events; only the loop turns them into state.

What a person says in a request is one of these as it stands: the types of its fields are the bounds of the request.
"""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import AliasChoices, Field

from device.game.state.bounds import NOT_ASKED, ColourClass, Face, Fact, FactName, Id, Place, SystemId
from device.game.state.states import Playing
from device.game.state.table_events import TableEvent
from device.game.state.table_state import Pool
from vision.types.sighting import Rest


@dataclass(frozen=True, slots=True)
class MotionSeen:
    """Something began to move over the floor."""


@dataclass(frozen=True, slots=True)
class DicePickedUp:
    """Dice were picked up, or put back, while a hand is still at work."""

    ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class DiceSettled:
    """Everything lies still, and this is what lies there."""

    rest: Rest


@dataclass(frozen=True, slots=True)
class ThrowOrdered:
    """The simulated hand was ordered to throw new dice: what lies there now is over."""


@dataclass(frozen=True, slots=True)
class PushPressed:
    """Somebody pressed push: on the tray, on a page, by a key."""


@dataclass(frozen=True, slots=True)
class ResetPressed:
    """Somebody pressed reset."""


@dataclass(frozen=True, slots=True)
class UndoPressed:
    """Somebody took back what was pressed last."""

    id: Id  # that of the snapshot's `undo`: nothing else is taken back that was pressed meanwhile


@dataclass(frozen=True, slots=True)
class PressUndone:
    """A press is taken back: what it changed is as before."""

    before: Playing
    after: Playing
    forgot: bool = False  # whether the watch was told to forget which die is which
    wrote: bool = False  # whether the press has rows in the log


@dataclass(frozen=True, slots=True)
class DieCorrected:
    """A person said what a die shows; None leaves what held before."""

    die_id: int
    value: int | None
    colour: str | None


@dataclass(frozen=True, slots=True)
class DiceCorrected:
    """A person said what several dice show: all of it holds, or, where one is refused, none."""

    dice: tuple[DieCorrected, ...]  # each die's correction, at least one, each die once


@dataclass(frozen=True, slots=True)
class DieRestored:
    """A person took the word back: the camera's reading holds again."""

    die_id: int


@dataclass(frozen=True, slots=True)
class DieDismissed:
    """A person said that this is no die, or (`ignored` False) that it is one after all."""

    die_id: int
    ignored: bool


@dataclass(frozen=True, slots=True)
class DieAdded:
    """A person pointed at a die that the camera does not see."""

    center_px: Place
    value: Face
    colour: ColourClass
    width_px: Annotated[int, NOT_ASKED] = 0  # width of the picture that was pointed at; 0 where there was none
    height_px: Annotated[int, NOT_ASKED] = 0  # height of the picture that was pointed at; 0 where there was none


@dataclass(frozen=True, slots=True)
class DiceConfirmed:
    """A person looked at the tray and said that the dice are read right."""


@dataclass(frozen=True, slots=True)
class SystemChosen:
    """The table plays by another rule system from now on."""

    system: Annotated[SystemId, Field(validation_alias=AliasChoices("system", "id"))]


@dataclass(frozen=True, slots=True)
class PoolDeclared:
    """Somebody said what will be thrown; None: any dice will do."""

    pool: Pool | None


@dataclass(frozen=True, slots=True)
class ContextSet:
    """Facts of the roll were given, to be merged into those there; None (null in a request) removes one."""

    facts: Annotated[dict[FactName, Fact], Field(max_length=32)]


@dataclass(frozen=True, slots=True)
class CameraFailed:
    """No picture can be had or read."""

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
