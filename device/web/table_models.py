"""Bodies of the table's own routes, with their bounds; what does not fit never reaches the tray."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from device.web.models import Seen
from rules.dice import Role
from rules.system import JsonValue

Name = Annotated[str, Field(min_length=1, max_length=80)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Label = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
Id = Annotated[int, Field(strict=True, ge=1, le=2**53 - 1)]
Number = Annotated[int, Field(strict=True, ge=-1_000_000, le=1_000_000)]
Value = bool | Number | Annotated[str, Field(max_length=80)] | None


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RulingsOrder(_Body):
    """House rulings of one system by name; null is the default again."""

    rulings: Annotated[dict[Word, Value], Field(max_length=40)]


class RolesOrder(_Body):
    """What colour classes count as; null is the default again."""

    roles: Annotated[dict[Label, Annotated[Role, Field(strict=False)] | None], Field(max_length=20)]


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
