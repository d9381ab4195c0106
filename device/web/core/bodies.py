"""Bodies of requests that do not match one event; the others are made from the events."""

from typing import Annotated, Any, Self

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, model_validator

from device.game.state.asked_rolls import MOST_WAITING
from device.game.state.bounds import (
    LAST_ID,
    Choice,
    ColourClass,
    DiceCount,
    Face,
    Id,
    Level,
    Line,
    Name,
    Number,
    PathId,
    PlayerName,
    RoleName,
    SystemId,
    Word,
)
from device.game.state.linked_rolls import LinkKind
from device.game.state.table_events import Aim
from device.game.throw_orders import HandAction
from device.standard_tray import MOST_DICE_AT_ONCE, MOST_DICE_IN_TRAY
from rules.dice import Role
from rules.system import JsonValue

SheetId = PathId
Count = Annotated[int, Field(strict=True, ge=0, le=MOST_DICE_AT_ONCE)]

_SEEN: dict[str, Any] = {
    "ge": 0,
    "le": LAST_ID,
    "description": "of the state that the page shows: refused where it has changed",
}
VersionQuery = Annotated[int | None, Query(**_SEEN)]
"""Version of the state on the page, for a request without a body."""


class Body(BaseModel):
    """Base body that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class VersionedBody(Body):
    """Base body with the version of the state on the page."""

    version: Annotated[int, Field(strict=True, **_SEEN)] | None = None


class PoolRequest(Body):
    """Number of dice of each role to be thrown; an empty object removes the declaration."""

    base: Count | None = None
    skill: Count | None = None
    gear: Count | None = None
    negative: Count | None = None
    plain: Count | None = None
    ammo: Count | None = None
    wild: Count | None = None
    grit: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        total = sum(self.counts().values())
        if total > MOST_DICE_IN_TRAY:
            raise ValueError(f"{total} dice are more than a tray holds: declare at most {MOST_DICE_IN_TRAY}")
        return self

    def counts(self) -> dict[str, int]:
        named = {role.value: getattr(self, role.value) for role in Role}
        return {role: count for role, count in named.items() if count is not None}


class ThrowRequest(PoolRequest, VersionedBody):
    """A throw by the simulated hand. Without dice: those of an awaited push, else the declared pool.

    `{"hand": "mends"}` does what the state's `mend` describes.
    """

    seed: Annotated[int, Field(strict=True, ge=0, le=LAST_ID, description="same seed, same throw")] | None = None
    hand: Annotated[HandAction, Field(strict=False, description="a rule of the push to break; or `mends`")] = (
        HandAction.RIGHT
    )

    @model_validator(mode="after")
    def _throwable(self) -> Self:
        counts = self.counts()
        total = sum(counts.values())
        if counts and not 1 <= total <= MOST_DICE_AT_ONCE:
            raise ValueError(f"{total} dice cannot be thrown: throw 1 to {MOST_DICE_AT_ONCE}")
        if counts and self.hand is HandAction.MENDS:
            raise ValueError("the hand that mends gets from the tray which dice to throw: leave the counts out")
        return self


class Correction(VersionedBody):
    """A correction of a die: value, colour class or both; or that it is not a die (`ignored`)."""

    value: Face | None = None
    colour: ColourClass | None = None
    ignored: Annotated[bool, Field(description="true: no die lies there; false: one does after all")] | None = None

    @model_validator(mode="after")
    def _require_a_change(self) -> Self:
        shows = self.value is not None or self.colour is not None
        if not shows and self.ignored is None:
            raise ValueError("the correction is empty: give value (1 to 6), colour, both, or ignored")
        if shows and self.ignored is not None:
            raise ValueError("what is no die shows nothing: give ignored alone, or value and colour")
        return self


class DieCorrection(Body):
    """A correction of one of several dice."""

    id: Id
    value: Face
    colour: ColourClass


class Corrections(VersionedBody):
    """Corrections of several dice, each with value and colour class."""

    dice: Annotated[list[DieCorrection], Field(min_length=1, max_length=MOST_DICE_IN_TRAY)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [die.id for die in self.dice]
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise ValueError(f"die {twice} is named twice: name each die once")
        return self


class PrepareRequest(Body):
    """A roll prepared from the tiles of `GET /api/tiles`.

    Without `sheet` the sheet in use applies, with null none. `declare` false only computes it. Without `owner` and
    `label` it is the current player's roll.
    """

    tiles: Annotated[dict[Word, Choice], Field(max_length=40)]
    sheet: Id | None = None
    declare: bool = True
    owner: Annotated[PlayerName | None, Field(description="name of the player who rolls")] = None
    label: Annotated[Line | None, Field(description="what it is for, as in Strength + Fight")] = None


class RollOfOne(Body):
    """The roll of one member of linked rolls."""

    owner: Annotated[PlayerName, Field(description="name of the player who rolls")]
    thrower: Annotated[PlayerName | None, Field(description="who throws for the owner")] = None
    dice: Annotated[dict[RoleName, DiceCount], Field(max_length=20, description="what to take, by role")] = {}
    levels: Annotated[dict[Level, DiceCount], Field(max_length=20, description="step dice, by level")] = {}
    hidden: Annotated[bool | None, Field(description="null: as all of them")] = None


class LinkedRollsRequest(Body):
    """Linked rolls: `opposed`, of two with the acting side first, or a `group`."""

    kind: Annotated[LinkKind, Field(strict=False)]
    rolls: Annotated[list[RollOfOne], Field(min_length=1, max_length=MOST_WAITING)]
    label: Annotated[Line | None, Field(description="what they are for")] = None
    aim: Aim = {}
    hidden: Annotated[bool, Field(description="hide their results until they are shown")] = False


AskValue = bool | Number | Annotated[str, Field(max_length=80)] | Annotated[list[Number], Field(max_length=60)] | None


class QuestionRequest(Body):
    """A question to the rules apart from a roll, as in `GET /api/tiles`; values from the sheet are filled in."""

    op: Word
    context: Annotated[dict[Word, AskValue], Field(max_length=40)] = {}
    sheet: Id | None = None
    carry: Annotated[bool, Field(description="carry the consequences over to the sheet")] = False

    def facts(self) -> dict[str, JsonValue]:
        return {name: [*value] if isinstance(value, list) else value for name, value in self.context.items()}


class NewSheet(Body):
    """A new character, of the current rule system by default."""

    title: Name
    system: SystemId | None = None


class CounterRequest(Body):
    """The value of a counter, or the value to restore."""

    kind: Word
    name: Name
    now: Number | None = None
    most: Number | None = None


class CounterAdded(CounterRequest):
    """A counter to add to a sheet."""

    now: Number
    least: Number = 0


class CounterNamed(Body):
    """A counter to remove from a sheet."""

    kind: Word
    name: Name


class EveningName(Body):
    """The name of an evening; an empty one removes it."""

    name: Annotated[str, Field(max_length=80)]


class RestoreRequest(Body):
    """The token returned for an uploaded backup."""

    token: Annotated[str, Field(min_length=1, max_length=64)]


class SheetEdit(Body):
    """Changes of a sheet by hand. Counters and marks together are one change to undo."""

    title: Name | None = None
    counters: Annotated[list[CounterRequest], Field(max_length=120)] = []
    add: Annotated[list[CounterAdded], Field(max_length=120)] = []
    remove: Annotated[list[CounterNamed], Field(max_length=120)] = []
    marks: Annotated[dict[Name, bool], Field(max_length=120)] = {}


class PairRequest(Body):
    """The PIN that the display shows."""

    pin: Annotated[str, Field(min_length=1, max_length=40)]


class PhoneUpdate(Body):
    """The phone's player and sheet."""

    name: PlayerName | None = None
    sheet: Id | None = None


class OwnSheet(Body):
    """A new character of this phone's player, by default with the player's name as title."""

    title: Name | None = None
    system: SystemId | None = None


class PhonesOpen(Body):
    """Whether phones are let in."""

    open: Annotated[bool, Field(description="the tray listens to the network, not to its own machine alone")]


class PhoneChange(Body):
    """Changes of a phone by the display."""

    game_master: Annotated[bool, Field(description="it may change everything")] | None = None
    free: Annotated[bool, Field(description="unassign the phone's player and free its sheets")] = False
