"""Bodies of requests about sheets, with their bounds."""

from typing import Annotated

from pydantic import Field

from device.game.state.bounds import Name, Number, SystemId, Word
from device.web.core.bodies import Body


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


class SheetEdit(Body):
    """Changes of a sheet by hand. Counters and marks together are one change to undo."""

    title: Name | None = None
    counters: Annotated[list[CounterRequest], Field(max_length=120)] = []
    add: Annotated[list[CounterAdded], Field(max_length=120)] = []
    remove: Annotated[list[CounterNamed], Field(max_length=120)] = []
    marks: Annotated[dict[Name, bool], Field(max_length=120)] = {}
