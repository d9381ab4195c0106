"""A sheet, the counters of a character or of the table: values, consequences of rolls, and undo.

Every change returns a new sheet and leaves the old one untouched.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import Final

from rules.errors import RulesError

MAX_HISTORY: Final = 100
"""Greatest number of changes that can be undone. An evening has fewer; the limit keeps a stored sheet small."""
MAX_COUNTERS: Final = 120
MAX_MARKS: Final = 120
MAX_VALUE: Final = 1_000_000
MAX_NAME_LENGTH: Final = 80


class BadSheet(RulesError, ValueError):
    """An invalid sheet or change; the message names what, the value, and the cure."""


class Kind(StrEnum):
    """What a counter counts; consequences and rests find counters by it."""

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
        """Whether a new counter of the kind never rises above its start."""
        return self in _BOUNDED

    @property
    def fact(self) -> str | None:
        """The fact of a roll that a sheet with a single counter of the kind supplies; None if there is no such fact."""
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
        most: Value that it is restored to and never exceeds; None if it has no upper limit.
        least: Value that it never falls below.

    Raises:
        BadSheet: `now` is out of range, or the name is not valid.
    """

    name: str
    kind: Kind
    now: int
    most: int | None = None
    least: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.name) <= MAX_NAME_LENGTH:
            text = f"a counter's name has {len(self.name)} characters: give 1 to {MAX_NAME_LENGTH}"
            raise BadSheet(text, "name_length", most=MAX_NAME_LENGTH)
        top = MAX_VALUE if self.most is None else self.most
        if not -MAX_VALUE <= self.least <= self.now <= top <= MAX_VALUE:
            text = f"counter {self.name!a} stands at {self.now}: give {self.least} to {top}"
            raise BadSheet(text, "counter_range", counter=self.name, now=self.now, low=self.least, high=top)

    def moved(self, by: int) -> "Counter":
        """Return the counter with an amount added or removed, within its limits."""
        return self.put(self.now + by)

    def put(self, value: int) -> "Counter":
        """Return the counter with a new value, within its limits."""
        top = MAX_VALUE if self.most is None else self.most
        return replace(self, now=max(self.least, min(top, value)))


@dataclass(frozen=True, slots=True)
class Consequence:
    """A change of one counter by a roll.

    Attributes:
        name: Name of the counter; None if the sheet has a single counter of the kind.
        to: New value of the counter, replacing `by`; None if `by` applies.
        most_to: New value of the counter's `most`; None if that does not change.
        either: Consequences of which a person picks one; then there is nothing else to it.
        whole_roll: Whether `by` counts the whole roll, not just its latest throw. After a push it then replaces what
            was applied before.
    """

    kind: Kind
    by: int = 0
    name: str | None = None
    to: int | None = None
    most_to: int | None = None
    whole_roll: bool = False
    either: tuple["Consequence", ...] = ()

    @property
    def changes_nothing(self) -> bool:
        """Whether there is nothing to apply."""
        return self.by == 0 and self.to is None and self.most_to is None and not self.either

    @property
    def place(self) -> str:
        """The counter that it changes, as a key."""
        return f"{self.kind.value}/{self.name}"


def effective(consequences: Iterable[Consequence]) -> tuple[Consequence, ...]:
    """Return the consequences that change something."""
    return tuple(item for item in consequences if not item.changes_nothing)


@dataclass(frozen=True, slots=True)
class Entry:
    """One change that can be undone."""

    why: object  # what people are told of it; here it is only compared
    before: tuple[Counter, ...]
    marks_before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The counters of one character, or of the table.

    Attributes:
        marks: Named ticks: an attempt that cannot be repeated, a skill that may rise.

    Raises:
        BadSheet: Two counters of one kind have the same name, or there are too many counters or marks.
    """

    title: str
    system: str
    counters: tuple[Counter, ...]
    marks: tuple[str, ...] = ()
    history: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        if len(self.counters) > MAX_COUNTERS:
            text = f"the sheet has {len(self.counters)} counters: keep {MAX_COUNTERS} at most"
            raise BadSheet(text, "too_many_counters", most=MAX_COUNTERS)
        if len(self.marks) > MAX_MARKS:
            text = f"the sheet has {len(self.marks)} marks: keep {MAX_MARKS} at most"
            raise BadSheet(text, "too_many_marks", most=MAX_MARKS)
        keys = [(counter.kind, counter.name) for counter in self.counters]
        for kind, name in keys:
            if keys.count((kind, name)) > 1:
                text = f"{kind.value} {name!a} is on the sheet twice: give each its own name"
                raise BadSheet(text, "counter_twice", counter=name)

    def find(self, kind: Kind, name: str | None = None) -> Counter | None:
        """Return a counter; without a name the only one of its kind, None if there is none or several."""
        found = [c for c in self.counters if c.kind is kind and (name is None or c.name == name)]
        return found[0] if len(found) == 1 else None

    def is_marked(self, mark: str) -> bool:
        """Return whether a mark is set, as for an attempt that may not be repeated."""
        return mark in self.marks


def alternatives(sheet: Sheet, item: Consequence) -> tuple[Consequence, ...]:
    """Return what a consequence may be on a sheet, each with the name of its counter: one if that is decided.

    Rules that do not know an attribute or a piece of gear leave it open, and so does a name that several could have.
    """
    named = (
        replace(one, name=counter.name)
        for one in item.either or (item,)
        for counter in sheet.counters
        if counter.kind is one.kind and one.name in (None, counter.name)
    )
    return tuple(named)


def choices(sheet: Sheet, items: Iterable[Consequence]) -> tuple[tuple[str, ...], ...]:
    """Return what a person can choose between: the places of each choice; a single empty one if all is decided."""
    found = (tuple(one.place for one in alternatives(sheet, item)) for item in effective(items))
    return tuple(product(*dict.fromkeys(places for places in found if len(places) > 1)))


def decide(sheet: Sheet, items: Iterable[Consequence], choice: Collection[str]) -> tuple[Consequence, ...]:
    """Return the consequences by a choice; what it leaves open, or the sheet does not have, stays as it is."""
    decided: list[Consequence] = []
    for item in items:
        found = alternatives(sheet, item)
        picked = [one for one in found if len(found) == 1 or one.place in choice]
        decided.append(picked[0] if len(picked) == 1 else item)
    return tuple(decided)


@dataclass(frozen=True, slots=True)
class Applied:
    """A sheet after consequences."""

    sheet: Sheet
    missed: tuple[Consequence, ...]


def apply_consequences(sheet: Sheet, consequences: Iterable[Consequence], why: object) -> Applied:
    """Apply a roll's consequences to a sheet as one change, which is undone as a whole."""
    counters = {(counter.kind, counter.name): counter for counter in sheet.counters}
    missed: list[Consequence] = []
    for consequence in effective(consequences):
        found = sheet.find(consequence.kind, consequence.name)
        if found is None or consequence.either:
            missed.append(consequence)
            continue
        key = (found.kind, found.name)
        counters[key] = _carry(counters[key], consequence)
    return Applied(_changed(sheet, tuple(counters.values()), sheet.marks, why), tuple(missed))


def restore(sheet: Sheet, kinds: Iterable[Kind], why: object) -> Sheet:
    """Restore all counters of these kinds to their `most`: a rest, a new turn, a repair. One change."""
    wanted = set(kinds)
    counters = tuple(c.put(c.most) if c.kind in wanted and c.most is not None else c for c in sheet.counters)
    return _changed(sheet, counters, sheet.marks, why)


def add_counter(sheet: Sheet, counter: Counter) -> Sheet:
    """Add a counter to a sheet; this is preparation, not play, and cannot be undone.

    Raises:
        BadSheet: The sheet already has a counter of that kind and name.
    """
    return replace(sheet, counters=(*sheet.counters, counter))


def remove_counter(sheet: Sheet, kind: Kind, name: str) -> Sheet:
    """Remove a counter from a sheet and from its undo history.

    Raises:
        BadSheet: The sheet has no such counter.
    """
    gone = sheet.find(kind, name)
    if gone is None:
        raise no_counter(kind, name)
    history = tuple(
        replace(entry, before=tuple(c for c in entry.before if (c.kind, c.name) != (kind, name)))
        for entry in sheet.history
    )
    return replace(sheet, counters=tuple(c for c in sheet.counters if c is not gone), history=history)


def rename_counter(sheet: Sheet, kind: Kind, name: str, new: str) -> Sheet:
    """Rename a counter on a sheet and in its undo history.

    Raises:
        BadSheet: The sheet has no such counter, already has one of the new name, or the name is not valid.
    """
    if sheet.find(kind, name) is None:
        raise no_counter(kind, name)

    def renamed(counters: tuple[Counter, ...]) -> tuple[Counter, ...]:
        return tuple(replace(c, name=new) if (c.kind, c.name) == (kind, name) else c for c in counters)

    history = tuple(replace(entry, before=renamed(entry.before)) for entry in sheet.history)
    return replace(sheet, counters=renamed(sheet.counters), history=history)


def no_counter(kind: Kind, name: str) -> BadSheet:
    """Return that a sheet lacks a counter."""
    shown = name[:MAX_NAME_LENGTH]
    return BadSheet(f"{kind.value} {shown!a} is not on the sheet: give one that is", "counter_gone", counter=shown)


def mark(sheet: Sheet, name: str, why: object) -> Sheet:
    """Set a mark; setting it again changes nothing.

    Raises:
        BadSheet: The name is not valid.
    """
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        text = f"a mark's name has {len(name)} characters: give 1 to {MAX_NAME_LENGTH}"
        raise BadSheet(text, "name_length", most=MAX_NAME_LENGTH)
    return sheet if sheet.is_marked(name) else _changed(sheet, sheet.counters, (*sheet.marks, name), why)


def undo(sheet: Sheet) -> Sheet:
    """Undo the latest change, if any."""
    if not sheet.history:
        return sheet
    entry = sheet.history[-1]
    before = {(counter.kind, counter.name): counter for counter in entry.before}
    counters = tuple(before.get((counter.kind, counter.name), counter) for counter in sheet.counters)
    return replace(sheet, counters=counters, marks=entry.marks_before, history=sheet.history[:-1])


def withdraw(sheet: Sheet, why: object, why_now: object) -> Sheet:
    """Take back an earlier change, the latest of that reason, whatever else has changed since.

    Counters move back by as much as the change moved them, within their limits.

    Args:
        why_now: Reason of the change that this makes; the latest change is undone instead.
    """
    place = next((at for at in reversed(range(len(sheet.history))) if sheet.history[at].why == why), None)
    if place is None:
        return sheet
    if place == len(sheet.history) - 1:
        return undo(sheet)
    before = {(counter.kind, counter.name): counter for counter in sheet.history[place].before}
    after = {(counter.kind, counter.name): counter for counter in sheet.counters}
    for entry in reversed(sheet.history[place + 1 :]):
        after |= {(counter.kind, counter.name): counter for counter in entry.before}

    def moved_back(counter: Counter) -> Counter:
        old, new = (one.get((counter.kind, counter.name)) for one in (before, after))
        if old is None or new is None:
            return counter
        most = old.most if old.most != new.most else counter.most
        raised = replace(counter, most=None).moved(old.now - new.now)
        return replace(raised, now=raised.now if most is None else min(raised.now, max(most, counter.least)), most=most)

    return _changed(sheet, tuple(moved_back(counter) for counter in sheet.counters), sheet.marks, why_now)


def _carry(counter: Counter, consequence: Consequence) -> Counter:
    if consequence.most_to is not None:
        most = max(counter.least, consequence.most_to)
        counter = replace(counter, most=most, now=min(counter.now, most))
    return counter.moved(consequence.by) if consequence.to is None else counter.put(consequence.to)


def _changed(sheet: Sheet, counters: tuple[Counter, ...], marks: tuple[str, ...], why: object) -> Sheet:
    before = tuple(old for old, new in zip(sheet.counters, counters, strict=True) if old != new)
    if not before and marks == sheet.marks:
        return sheet
    history = (*sheet.history, Entry(why, before, sheet.marks))[-MAX_HISTORY:]
    return replace(sheet, counters=counters, marks=marks, history=history)
