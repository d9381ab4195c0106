"""Bodies of requests that are more or less than one event, with their bounds; the others are made from the events."""

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
"""Version of the state that a page shows, in a request that has no body."""


class Body(BaseModel):
    """What a request may hold, and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True)


class VersionedBody(Body):
    """What is pressed, or said of dice, on a page that shows them."""

    version: Annotated[int, Field(strict=True, **_SEEN)] | None = None


class PoolRequest(Body):
    """How many dice of each role will be thrown; an empty object takes the declaration back."""

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
    """A throw by the simulated hand. Without dice: with a push awaited those that must go, else the declared pool.

    With `{"hand": "mends"}` it does what the state's `mend` says.
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
    """A person's word for a die: its value, its colour class, or both; or that it is no die (`ignored`)."""

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
    """A person's word for one of several dice."""

    id: Id
    value: Face
    colour: ColourClass


class Corrections(VersionedBody):
    """A person's word for several dice, each with what it shows and its colour class."""

    dice: Annotated[list[DieCorrection], Field(min_length=1, max_length=MOST_DICE_IN_TRAY)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [die.id for die in self.dice]
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise ValueError(f"die {twice} is named twice: name each die once")
        return self


class PrepareRequest(Body):
    """A roll tapped together from the tiles that `GET /api/tiles` names.

    Without `sheet` the sheet in use is taken, with null none. `declare` false only looks. Without `owner` and `label`
    it is the roll of whose turn it is.
    """

    tiles: Annotated[dict[Word, Choice], Field(max_length=40)]
    sheet: Id | None = None
    declare: bool = True
    owner: Annotated[PlayerName | None, Field(description="name of the player who rolls")] = None
    label: Annotated[Line | None, Field(description="what it is for, as in Strength + Fight")] = None


class RollOfOne(Body):
    """What one member of rolls that belong together rolls."""

    owner: Annotated[PlayerName, Field(description="name of the player who rolls")]
    thrower: Annotated[PlayerName | None, Field(description="who throws for the owner")] = None
    dice: Annotated[dict[RoleName, DiceCount], Field(max_length=20, description="what to take, by role")] = {}
    levels: Annotated[dict[Level, DiceCount], Field(max_length=20, description="step dice, by level")] = {}
    hidden: Annotated[bool | None, Field(description="null: as all of them")] = None


class LinkedRollsRequest(Body):
    """Rolls that belong together: `opposed`, of two, the one that acts first; or a `group`."""

    kind: Annotated[LinkKind, Field(strict=False)]
    rolls: Annotated[list[RollOfOne], Field(min_length=1, max_length=MOST_WAITING)]
    label: Annotated[Line | None, Field(description="what they are for")] = None
    aim: Aim = {}
    hidden: Annotated[bool, Field(description="hide their results until they are shown")] = False


AskValue = bool | Number | Annotated[str, Field(max_length=80)] | Annotated[list[Number], Field(max_length=60)] | None


class QuestionRequest(Body):
    """A question to the rules beside a roll, as `GET /api/tiles` lists them; what the sheet knows is filled in."""

    op: Word
    context: Annotated[dict[Word, AskValue], Field(max_length=40)] = {}
    sheet: Id | None = None
    carry: Annotated[bool, Field(description="carry the consequences over to the sheet")] = False

    def facts(self) -> dict[str, JsonValue]:
        return {name: [*value] if isinstance(value, list) else value for name, value in self.context.items()}


class NewSheet(Body):
    """A new character; without a system that of the rules played."""

    title: Name
    system: SystemId | None = None


class CounterRequest(Body):
    """Where a counter stands, or what it is restored to."""

    kind: Word
    name: Name
    now: Number | None = None
    most: Number | None = None


class CounterAdded(CounterRequest):
    """A counter that a sheet has not had before."""

    now: Number
    least: Number = 0


class CounterNamed(Body):
    """A counter to take off a sheet."""

    kind: Word
    name: Name


class EveningName(Body):
    """What an evening is called; nothing takes its name away."""

    name: Annotated[str, Field(max_length=80)]


class RestoreRequest(Body):
    """The word that came back for a backup that was sent."""

    token: Annotated[str, Field(min_length=1, max_length=64)]


class SheetEdit(Body):
    """Changes of a sheet by hand. Counters and marks together are one change that can be undone."""

    title: Name | None = None
    counters: Annotated[list[CounterRequest], Field(max_length=120)] = []
    add: Annotated[list[CounterAdded], Field(max_length=120)] = []
    remove: Annotated[list[CounterNamed], Field(max_length=120)] = []
    marks: Annotated[dict[Name, bool], Field(max_length=120)] = {}


class PairRequest(Body):
    """The PIN that the display shows."""

    pin: Annotated[str, Field(min_length=1, max_length=40)]


class PhoneUpdate(Body):
    """Who holds this phone: the player's name, and one of the table's sheets for its own."""

    name: PlayerName | None = None
    sheet: Id | None = None


class OwnSheet(Body):
    """A new character of this phone's player; without a title it is called like the player."""

    title: Name | None = None
    system: SystemId | None = None


class PhonesOpen(Body):
    """Whether phones are let in."""

    open: Annotated[bool, Field(description="the tray listens to the network, not to its own machine alone")]


class PhoneChange(Body):
    """What the display says of a phone."""

    game_master: Annotated[bool, Field(description="it may change everything")] | None = None
    free: Annotated[bool, Field(description="unassign the phone's player and free its sheets")] = False
