"""A character's counters, or the table's own: what they stand at, what a roll does to them, and how it is undone.

Every change gives a new sheet; the old one is untouched, so that whoever stores sheets stores values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from rules.errors import RulesError

MAX_HISTORY: Final = 100
"""Changes that can be undone. An evening has fewer; the bound keeps a sheet's stored form small."""
MAX_COUNTERS: Final = 120
MAX_MARKS: Final = 120
MAX_VALUE: Final = 1_000_000
MAX_NAME_LENGTH: Final = 80


class BadSheet(RulesError, ValueError):
    """A sheet, or a change to it, that makes no sense; the message says what, the value, and the cure."""


class Kind(StrEnum):
    """What a counter counts: what a consequence looks for, and what a rest restores."""

    ATTRIBUTE = "attribute"
    SKILL = "skill"
    GEAR = "gear"
    RELIABILITY = "reliability"
    HP = "hp"
    POWER = "power"
    STRESS = "stress"
    GRIT = "grit"
    LUCK = "luck"
    FATIGUE = "fatigue"
    CLOCK = "clock"
    XP = "xp"
    RESOURCE = "resource"
    EQUIPMENT = "equipment"

    @property
    def is_bounded(self) -> bool:
        """Whether a new counter of the kind never rises above where it starts."""
        return self in _BOUNDED

    @property
    def fact(self) -> str | None:
        """The fact of a roll that a sheet with a single counter of the kind knows; None where it is no such fact."""
        return _FACTS.get(self)


_BOUNDED: Final = frozenset({Kind.ATTRIBUTE, Kind.GEAR, Kind.RELIABILITY, Kind.HP, Kind.GRIT, Kind.EQUIPMENT})
_FACTS: Final[Mapping[Kind, str]] = {
    **{kind: kind.value for kind in (Kind.HP, Kind.GRIT, Kind.LUCK, Kind.STRESS, Kind.XP)},
    Kind.EQUIPMENT: "armour",
}


@dataclass(frozen=True, slots=True)
class Counter:
    """One number on a sheet.

    Attributes:
        most: Value that it is restored to and never rises above; None where it has no upper limit.
        least: Value that it never falls below.

    Raises:
        BadSheet: `now` is outside its ends, or the name is none.
    """

    name: str
    kind: Kind
    now: int
    most: int | None = None
    least: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.name) <= MAX_NAME_LENGTH:
            raise BadSheet(f"a counter's name has {len(self.name)} characters: give 1 to {MAX_NAME_LENGTH}")
        top = MAX_VALUE if self.most is None else self.most
        if not -MAX_VALUE <= self.least <= self.now <= top <= MAX_VALUE:
            raise BadSheet(f"counter {self.name!a} stands at {self.now}: give {self.least} to {top}")

    def moved(self, by: int) -> "Counter":
        """Add to it, or take away; it stops at its ends."""
        return self.put(self.now + by)

    def put(self, value: int) -> "Counter":
        """Let it stand elsewhere; it stops at its ends."""
        top = MAX_VALUE if self.most is None else self.most
        return replace(self, now=max(self.least, min(top, value)))


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a roll does to one counter.

    Attributes:
        name: Name of the counter; None where the sheet has a single counter of the kind.
        to: Value of the counter afterwards, in place of `by`; None where `by` applies.
        most_to: New value of the counter's `most`; None where that does not change.
        whole_roll: Whether `by` counts the whole roll and not its latest throw alone. After a push it then replaces
            what was applied before and is not added to it.
    """

    kind: Kind
    by: int = 0
    name: str | None = None
    to: int | None = None
    most_to: int | None = None
    whole_roll: bool = False

    @property
    def changes_nothing(self) -> bool:
        """Whether there is nothing to carry over."""
        return self.by == 0 and self.to is None and self.most_to is None


def effective(consequences: Iterable[Consequence]) -> tuple[Consequence, ...]:
    """The consequences that change something."""
    return tuple(item for item in consequences if not item.changes_nothing)


@dataclass(frozen=True, slots=True)
class Entry:
    """One change that can be undone."""

    why: str
    before: tuple[Counter, ...]
    marks_before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The counters of one character, or of the table.

    Attributes:
        marks: Ticks with a name: a deed that was tried and cannot be tried again, a skill that may rise.

    Raises:
        BadSheet: Two counters of one kind carry the same name, or there are too many counters or marks.
    """

    title: str
    system: str
    counters: tuple[Counter, ...]
    marks: tuple[str, ...] = ()
    history: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        if len(self.counters) > MAX_COUNTERS:
            raise BadSheet(f"the sheet has {len(self.counters)} counters: keep {MAX_COUNTERS} at most")
        if len(self.marks) > MAX_MARKS:
            raise BadSheet(f"the sheet has {len(self.marks)} marks: keep {MAX_MARKS} at most")
        keys = [(counter.kind, counter.name) for counter in self.counters]
        for kind, name in keys:
            if keys.count((kind, name)) > 1:
                raise BadSheet(f"{kind.value} {name!a} is on the sheet twice: give each its own name")

    def find(self, kind: Kind, name: str | None = None) -> Counter | None:
        """Return a counter; without a name the only one of its kind, None where there is none or more than one."""
        found = [c for c in self.counters if c.kind is kind and (name is None or c.name == name)]
        return found[0] if len(found) == 1 else None

    def is_marked(self, mark: str) -> bool:
        """Say whether a mark is there, as for a deed that may not be tried again in the same way."""
        return mark in self.marks


@dataclass(frozen=True, slots=True)
class Applied:
    """A sheet after consequences."""

    sheet: Sheet
    missed: tuple[Consequence, ...]


def apply_consequences(sheet: Sheet, consequences: Iterable[Consequence], why: str) -> Applied:
    """Carry what a roll did over to a sheet, as one change that is undone at once."""
    counters = {(counter.kind, counter.name): counter for counter in sheet.counters}
    missed: list[Consequence] = []
    for consequence in effective(consequences):
        found = sheet.find(consequence.kind, consequence.name)
        if found is None:
            missed.append(consequence)
            continue
        key = (found.kind, found.name)
        counters[key] = _carry(counters[key], consequence)
    return Applied(_changed(sheet, tuple(counters.values()), sheet.marks, why), tuple(missed))


def restore(sheet: Sheet, kinds: Iterable[Kind], why: str) -> Sheet:
    """Let every counter of these kinds stand at its most again: a rest, a new turn, a repair. One change."""
    wanted = set(kinds)
    counters = tuple(c.put(c.most) if c.kind in wanted and c.most is not None else c for c in sheet.counters)
    return _changed(sheet, counters, sheet.marks, why)


def add_counter(sheet: Sheet, counter: Counter) -> Sheet:
    """Put one more counter on a sheet; this is preparation, not play, and is not undone.

    Raises:
        BadSheet: One of that kind and name is there.
    """
    return replace(sheet, counters=(*sheet.counters, counter))


def remove_counter(sheet: Sheet, kind: Kind, name: str) -> Sheet:
    """Take a counter off a sheet, and out of what can be undone.

    Raises:
        BadSheet: There is none.
    """
    gone = sheet.find(kind, name)
    if gone is None:
        raise BadSheet(f"{kind.value} {name!a} is not on the sheet: give one that is")
    history = tuple(
        replace(entry, before=tuple(c for c in entry.before if (c.kind, c.name) != (kind, name)))
        for entry in sheet.history
    )
    return replace(sheet, counters=tuple(c for c in sheet.counters if c is not gone), history=history)


def mark(sheet: Sheet, name: str, why: str) -> Sheet:
    """Set a mark; setting it again changes nothing.

    Raises:
        BadSheet: The name is none.
    """
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise BadSheet(f"a mark's name has {len(name)} characters: give 1 to {MAX_NAME_LENGTH}")
    return sheet if sheet.is_marked(name) else _changed(sheet, sheet.counters, (*sheet.marks, name), why)


def undo(sheet: Sheet) -> Sheet:
    """Take the latest change back; a sheet without changes stays as it is."""
    if not sheet.history:
        return sheet
    entry = sheet.history[-1]
    before = {(counter.kind, counter.name): counter for counter in entry.before}
    counters = tuple(before.get((counter.kind, counter.name), counter) for counter in sheet.counters)
    return replace(sheet, counters=counters, marks=entry.marks_before, history=sheet.history[:-1])


def _carry(counter: Counter, consequence: Consequence) -> Counter:
    if consequence.most_to is not None:
        most = max(counter.least, consequence.most_to)
        counter = replace(counter, most=most, now=min(counter.now, most))
    return counter.moved(consequence.by) if consequence.to is None else counter.put(consequence.to)


def _changed(sheet: Sheet, counters: tuple[Counter, ...], marks: tuple[str, ...], why: str) -> Sheet:
    before = tuple(old for old, new in zip(sheet.counters, counters, strict=True) if old != new)
    if not before and marks == sheet.marks:
        return sheet
    history = (*sheet.history, Entry(why, before, sheet.marks))[-MAX_HISTORY:]
    return replace(sheet, counters=counters, marks=marks, history=history)
