"""Bodies that the web takes, with their bounds; what does not fit never reaches the tray."""

from typing import Annotated, Any, Literal, Self

from fastapi import Query
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from device.standard_tray import MOST_DICE_AT_ONCE, MOST_DICE_IN_TRAY
from device.web.tray_port import HandAction
from rules.dice import Role
from rules.system import JsonValue

Count = Annotated[int, Field(strict=True, ge=0, le=MOST_DICE_AT_ONCE)]


MOST_PIXELS = 20_000
"""No camera's picture is wider or higher."""
ColourClass = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_SEEN = {"ge": 0, "le": 2**53 - 1, "description": "of the state that the page shows: refused where it has changed"}
Version = Annotated[int, Field(strict=True, **_SEEN)]
VersionQuery = Annotated[int | None, Query(**_SEEN)]
"""The same of a request that has no body."""


class Seen(_Body):
    """What is pressed, or said of dice, on a page that shows them."""

    version: Version | None = None


class PoolOrder(_Body):
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
        """Return the roles that were named, with their counts."""
        named = {role.value: getattr(self, role.value) for role in Role}
        return {role: count for role, count in named.items() if count is not None}


class ThrowOrder(PoolOrder, Seen):
    """A throw by the simulated hand. Without dice: with a push awaited those that must go, else the declared pool.

    With `{"hand": "mends"}` it does what the state's `mend` says.
    """

    seed: Annotated[int, Field(strict=True, ge=0, le=2**53 - 1, description="same seed, same throw")] | None = None
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
            raise ValueError("the hand that mends is told by the tray which dice to throw: leave the counts out")
        return self


class SystemChoice(_Body):
    """The rule system to play by; `id` is another name of `system`."""

    system: Annotated[str, Field(min_length=1, max_length=40, validation_alias=AliasChoices("system", "id"))]


Fact = bool | Annotated[int, Field(ge=-1000, le=1000)] | Annotated[str, Field(max_length=40)] | None


class ContextOrder(_Body):
    """Facts of the roll to merge into those there; null removes one."""

    model_config = ConfigDict(extra="forbid", strict=True)
    facts: Annotated[dict[Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")], Fact], Field(max_length=32)]


class Correction(Seen):
    """A person's word for a die: its value, its colour class, or both; or that it is no die (`ignored`)."""

    value: Annotated[int, Field(strict=True, ge=1, le=6)] | None = None
    colour: ColourClass | None = None
    ignored: Annotated[bool, Field(description="true: no die lies there; false: one does after all")] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        shows = self.value is not None or self.colour is not None
        if not shows and self.ignored is None:
            raise ValueError("the correction is empty: give value (1 to 6), colour, both, or ignored")
        if shows and self.ignored is not None:
            raise ValueError("what is no die shows nothing: give ignored alone, or value and colour")
        return self


Pixel = Annotated[float, Field(strict=True, ge=0, le=MOST_PIXELS, allow_inf_nan=False)]


class AddedDie(Seen):
    """A die that the camera does not see: where it lies in the picture, what it shows, its colour class."""

    center_px: Annotated[list[Pixel], Field(min_length=2, max_length=2)]
    value: Annotated[int, Field(strict=True, ge=1, le=6)]
    colour: ColourClass


Name = Annotated[str, Field(min_length=1, max_length=80)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Id = Annotated[int, Field(strict=True, ge=1, le=2**53 - 1)]
Number = Annotated[int, Field(strict=True, ge=-1_000_000, le=1_000_000)]
Value = bool | Number | Annotated[str, Field(max_length=80)] | None


class RulingsOrder(_Body):
    """House rulings of one system by name; null is the default again."""

    rulings: Annotated[dict[Word, Value], Field(max_length=40)]


class RolesOrder(_Body):
    """What colour classes count as; null is the default again."""

    roles: Annotated[dict[ColourClass, Annotated[Role, Field(strict=False)] | None], Field(max_length=20)]


class PrepareOrder(_Body):
    """A roll tapped together from the tiles that `GET /api/tiles` names.

    Without `sheet` the sheet in use is taken, with null none. `declare` false only looks.
    """

    tiles: Annotated[dict[Word, Value], Field(max_length=40)]
    sheet: Id | None = None
    declare: bool = True


AskValue = bool | Number | Annotated[str, Field(max_length=80)] | Annotated[list[Number], Field(max_length=60)] | None


class AskOrder(_Body):
    """A question to the rules beside a roll, as `GET /api/tiles` lists them; what the sheet knows is filled in."""

    op: Word
    context: Annotated[dict[Word, AskValue], Field(max_length=40)] = {}
    sheet: Id | None = None
    carry: Annotated[bool, Field(description="carry the consequences over to the sheet")] = False


class NewSheet(_Body):
    """A new character; without a system that of the rules played."""

    title: Name
    system: Annotated[str, Field(min_length=1, max_length=40)] | None = None


class CounterOrder(_Body):
    """Where a counter stands, or what it is restored to."""

    kind: Word
    name: Name
    now: Number | None = None
    most: Number | None = None


class CounterAdded(CounterOrder):
    """A counter that a sheet has not had before."""

    now: Number
    least: Number = 0


class CounterNamed(_Body):
    """A counter to take off a sheet."""

    kind: Word
    name: Name


class SheetEdit(_Body):
    """Changes of a sheet by hand. Counters and marks together are one change that can be undone."""

    title: Name | None = None
    counters: Annotated[list[CounterOrder], Field(max_length=120)] = []
    add: Annotated[list[CounterAdded], Field(max_length=120)] = []
    remove: Annotated[list[CounterNamed], Field(max_length=120)] = []
    marks: Annotated[dict[Name, bool], Field(max_length=120)] = {}

    def changes(self) -> dict[str, JsonValue]:
        """The changes as JSON."""
        changed: dict[str, Any] = self.model_dump(exclude_none=True)
        return changed


class SheetChoice(_Body):
    """The sheet to use from now on; null: none."""

    sheet: Id | None


class CarryChoice(_Body):
    """How consequences reach the sheet in use: with a tap, or by themselves."""

    carry: Literal["ask", "always"]


class RestOrder(_Body):
    """A rest that the rules know, as the sheet lists them."""

    rest: Annotated[str, Field(min_length=1, max_length=40)]


class NewClock(_Body):
    """A clock of the table."""

    name: Name
    segments: Literal[4, 6, 8]
    filled: Annotated[int, Field(strict=True, ge=0, le=8)] = 0
    linked_to: Annotated[Id | None, Field(description="the clock that this one unlocks")] = None
    opposed_to: Annotated[Id | None, Field(description="the clock that this one races against")] = None


class Ticks(_Body):
    """How often a clock is ticked; less than 0 empties it."""

    ticks: Annotated[int, Field(strict=True, ge=-100, le=100)]


class TypedDieOrder(_Body):
    """What a die shows that no camera reads."""

    level: Annotated[str, Field(pattern=r"^[A-Z]$")]
    value: Annotated[int, Field(strict=True, ge=1, le=100)]
    role: Annotated[Role, Field(strict=False)] = Role.BASE


class TypedFace(Seen):
    """A typed face; null takes it back."""

    value: Annotated[int, Field(strict=True, ge=1, le=100)] | None


class SeriesOrder(_Body):
    """A test over several rolls, as `GET /api/tiles` lists them."""

    op: Word
    settings: Annotated[dict[Word, bool | Number | None], Field(max_length=20)] = {}
