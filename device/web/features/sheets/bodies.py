"""Bodies of requests about sheets, with their bounds."""

from typing import Annotated

from pydantic import Field

from device.game.state.bounds import Name, Number, SystemId, Word
from device.web.core.bodies import Body


class NewSheet(Body):
    """A new character, of the current rule system by default; a blank sheet without `best`."""

    title: Name
    system: SystemId | None = None
    best: Annotated[Name | None, Field(description="a ready character that is best at this counter")] = None


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
    """A counter of a sheet."""

    kind: Word
    name: Name


class CounterRenamed(CounterNamed):
    """A counter's new name."""

    to: Name


class SheetEdit(Body):
    """Changes of a sheet by hand. Counters and marks together are one change to undo; the rest is preparation."""

    title: Name | None = None
    counters: Annotated[list[CounterRequest], Field(max_length=120)] = []
    add: Annotated[list[CounterAdded], Field(max_length=120)] = []
    remove: Annotated[list[CounterNamed], Field(max_length=120)] = []
    rename: Annotated[list[CounterRenamed], Field(max_length=120)] = []
    order: Annotated[list[CounterNamed], Field(max_length=120, description="what comes first")] = []
    marks: Annotated[dict[Name, bool], Field(max_length=120)] = {}
