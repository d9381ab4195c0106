"""Events at the table that are not about dice: rulings, roles, sheets, clocks, manual dice, tests."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from device.game.state.bounds import (
    NOT_REQUESTED,
    Choice,
    ColourClass,
    DiceCount,
    Id,
    Level,
    Line,
    Name,
    Number,
    PathId,
    PlayerName,
    RoleName,
    TypedFace,
    Word,
)
from device.game.state.campaign import Carry
from device.game.state.linked_rolls import LinkKind
from device.game.state.prepared_roll import PreparedRoll
from device.message import Text
from rules.dice import Role
from rules.sheet import Consequence, Counter, Kind, Sheet
from rules.system import Facts

Aim = Annotated[
    dict[Word, Choice], Field(max_length=10, description="what the roll is measured by, as `aims` of GET /api/tiles")
]

Tiles = Annotated[dict[Word, Choice], Field(max_length=40, description="what was tapped, as `tiles` of GET /api/tiles")]


@dataclass(frozen=True, slots=True)
class TableEvent:
    """Base class of the events below."""


@dataclass(frozen=True, slots=True)
class RulingsChosen(TableEvent):
    """House rulings of one system were chosen; None (null in a request) restores the default."""

    system: str
    rulings: Annotated[dict[Word, Choice], Field(max_length=40)]


@dataclass(frozen=True, slots=True)
class RolesChosen(TableEvent):
    """Roles of colour classes in one system were chosen; None (null in a request) restores the default."""

    system: str
    roles: Annotated[dict[ColourClass, RoleName | None], Field(max_length=20)]


@dataclass(frozen=True, slots=True)
class RollPrepared(TableEvent):
    """A roll was prepared from tiles."""

    roll: PreparedRoll
    owner: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class RollRequested(TableEvent):
    """A roll was requested: it becomes current at once, or waits behind another."""

    owner: Annotated[PlayerName | None, Field(description="name of the player who rolls")] = None
    label: Annotated[Line | None, Field(description="what it is for, as in Strength + Fight")] = None
    dice: Annotated[
        dict[RoleName, DiceCount], Field(max_length=20, description="what to take into the hand, by role")
    ] = field(default_factory=dict)
    levels: Annotated[
        dict[Level, DiceCount], Field(max_length=20, description="step dice that are typed in, by level")
    ] = field(default_factory=dict)
    thrower: Annotated[PlayerName | None, Field(description="who throws for the owner")] = None
    aim: Aim = field(default_factory=dict)
    hidden: Annotated[bool, Field(strict=True, description="hide the result until it is shown")] = False
    tiles: Tiles = field(default_factory=dict)
    sheet: Annotated[Id | None, Field(description="sheet that the tiles name and that pays for the roll")] = None


@dataclass(frozen=True, slots=True)
class LinkedRollsRequested(TableEvent):
    """Linked rolls were requested."""

    kind: LinkKind
    rolls: tuple[RollRequested, ...]
    label: str | None = None
    aim: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RollGiven(TableEvent):
    """A roll was given to another player, or to none, with what it cost."""

    roll: PathId
    owner: Annotated[PlayerName | None, Field(description="name of the player; null: no one's")] = None
    sheet: Annotated[Id | None, Field(description="sheet that pays instead")] = None
    was: Annotated[str | None, NOT_REQUESTED] = None  # the owner in the log before


@dataclass(frozen=True, slots=True)
class HiddenRollShown(TableEvent):
    """A hidden roll was shown, with those linked to it."""

    request_id: PathId


@dataclass(frozen=True, slots=True)
class RollRequestDropped(TableEvent):
    """A requested roll was cancelled."""

    request_id: PathId


@dataclass(frozen=True, slots=True)
class SheetAdded(TableEvent):
    """A sheet was created or imported."""

    sheet: Sheet


@dataclass(frozen=True, slots=True)
class CounterSet:
    """A person set a counter; None leaves a number as it is."""

    kind: Kind
    name: str
    now: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class SheetEdited(TableEvent):
    """A person changed a sheet."""

    sheet_id: PathId
    title: str | None = None
    counters: tuple[CounterSet, ...] = ()
    added: tuple[Counter, ...] = ()
    removed: tuple[tuple[Kind, str], ...] = ()
    marks: tuple[tuple[str, bool], ...] = ()
    renamed: tuple[tuple[Kind, str, str], ...] = ()
    order: tuple[tuple[Kind, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SheetRemoved(TableEvent):
    """A sheet was deleted."""

    sheet_id: PathId


@dataclass(frozen=True, slots=True)
class SheetChosen(TableEvent):
    """Another sheet, or none, was put in use."""

    sheet: Id | None


@dataclass(frozen=True, slots=True)
class CarryChosen(TableEvent):
    """How consequences reach the player's sheet was chosen."""

    carry: Annotated[Carry, Field(strict=False)]


@dataclass(frozen=True, slots=True)
class ConsequencesCarried(TableEvent):
    """A person applied the result's consequences to a sheet, and chose where the rules leave a choice."""

    sheet_id: PathId
    choice: Annotated[tuple[Name, ...], Field(strict=False, max_length=8, description="of `choices`")] = ()


@dataclass(frozen=True, slots=True)
class ConsequencesWaived(TableEvent):
    """A person decided that no sheet takes the result's consequences."""


@dataclass(frozen=True, slots=True)
class ConsequencesApplied(TableEvent):
    """Consequences computed by the rules changed a sheet."""

    sheet_id: PathId
    consequences: tuple[Consequence, ...]
    why: Text


@dataclass(frozen=True, slots=True)
class SheetUndone(TableEvent):
    """The latest change of a sheet was undone."""

    sheet_id: PathId


@dataclass(frozen=True, slots=True)
class SheetRested(TableEvent):
    """A character rested."""

    sheet_id: PathId
    rest: Annotated[str, Field(min_length=1, max_length=40)]


@dataclass(frozen=True, slots=True)
class ClockAdded(TableEvent):
    """A clock was created."""

    name: Name
    segments: Literal[4, 6, 8]  # number of segments: 4, 6 or 8
    filled: Annotated[int, Field(strict=True, ge=0, le=8)] = 0
    linked_to: Annotated[Id | None, Field(description="the clock that this one unlocks")] = None
    opposed_to: Annotated[Id | None, Field(description="the clock that this one races against")] = None


@dataclass(frozen=True, slots=True)
class ClockTicked(TableEvent):
    """Segments of a clock were filled, or emptied by a negative number."""

    clock_id: PathId
    # number of segments to fill, negative to empty them, -100 to 100
    ticks: Annotated[int, Field(strict=True, ge=-100, le=100)]


@dataclass(frozen=True, slots=True)
class ClockUndone(TableEvent):
    """The latest tick was undone."""


@dataclass(frozen=True, slots=True)
class ClockRemoved(TableEvent):
    """A clock was deleted."""

    clock_id: PathId


@dataclass(frozen=True, slots=True)
class ManualDieEntered(TableEvent):
    """A manual die was entered."""

    level: Level
    value: TypedFace
    role: RoleName = Role.BASE


@dataclass(frozen=True, slots=True)
class TypedDieChanged(TableEvent):
    """The face of a manual die was changed; None (null in a request) clears it."""

    die_id: PathId
    value: TypedFace | None


@dataclass(frozen=True, slots=True)
class TypedDieRemoved(TableEvent):
    """A manual die was removed."""

    die_id: PathId


@dataclass(frozen=True, slots=True)
class ExtendedTestBegun(TableEvent):
    """An extended test was started."""

    op: Word
    settings: Annotated[dict[Word, bool | Number | None], Field(max_length=20)] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExtendedTestEnded(TableEvent):
    """The extended test was ended, finished or not."""
