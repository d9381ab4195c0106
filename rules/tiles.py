"""Tiles: the choices before a roll, the roll made of them, and questions besides or across rolls.

With these values a rule system describes itself, so that `device` needs no system by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from rules.dice import Role
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.sheet import Consequence, Kind, Sheet

MAX_NUMBER: Final = 1000


class TileKind(StrEnum):
    """The kind of choice."""

    COUNTER = "counter"
    NUMBER = "number"
    CHOICE = "choice"
    FLAG = "flag"
    TEXT = "text"
    DICE = "dice"


@dataclass(frozen=True, slots=True)
class Tile:
    """One choice before a roll.

    Attributes:
        counter_kinds: If `kind` is `counter`, the kinds of the sheet's counters that may be chosen. A plain number from
            `low` to `high`, or one of `choices`, may be given instead.
        unless: Tile that may be chosen in place of one that is not optional.
    """

    name: str
    kind: TileKind
    counter_kinds: tuple[Kind, ...] = ()
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = MAX_NUMBER
    default: bool | int | str | None = None
    optional: bool = True
    unless: str | None = None


def number_tile(name: str, low: int, high: int, default: int | None = None) -> Tile:
    """Return a tile for a number from `low` to `high`."""
    return Tile(name, TileKind.NUMBER, low=low, high=high, default=default)


def flag_tile(name: str) -> Tile:
    """Return a tile for yes or no; no by default."""
    return Tile(name, TileKind.FLAG, default=False)


def choice_tile(name: str, choices: tuple[str, ...], default: str | None = None) -> Tile:
    """Return a tile for one of several words."""
    return Tile(name, TileKind.CHOICE, choices=choices, default=default)


def dice_tile(name: str) -> Tile:
    """Return a tile for the faces of several dice, as a list."""
    return Tile(name, TileKind.DICE)


def counter_tile(
    name: str, kinds: tuple[Kind, ...], low: int, high: int, *, optional: bool = True, unless: str | None = None
) -> Tile:
    """Return a tile for a counter of the sheet, or a number instead."""
    return Tile(name, TileKind.COUNTER, counter_kinds=kinds, low=low, high=high, optional=optional, unless=unless)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A roll prepared from tiles.

    Attributes:
        reason: Why the roll cannot be made, one word; None if it can.
        warnings: Warnings of one word each; none of them forbids the roll.
        entry: Consequences for the sheet of preparing, once however often the pool is rolled; applied with the first
            result.
    """

    pool: tuple[tuple[Role, int], ...]
    context: Facts
    facts: Facts
    reason: str | None = None
    reason_values: Facts = field(default_factory=dict)
    typed: tuple[tuple[Role, str], ...] = ()
    warnings: tuple[str, ...] = ()
    price: tuple[Consequence, ...] = ()
    entry: tuple[Consequence, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """The progress of an extended test."""

    word: str
    values: Facts = field(default_factory=dict)


StandingOf: TypeAlias = Callable[[Facts, Facts], Standing]
"""Return the progress of an extended test from its settings and answer."""


@dataclass(frozen=True, slots=True)
class ExtendedTest:
    """A test over several physical rolls.

    Attributes:
        pair: Names of the first and second roll in the operation's context; None if it takes the list `rolls`.
        people: Setting for the number of rolls that ends the test; None if the operation's answer ends it (`done`,
            `failed`).
        together: Setting for the number of rolls in one check, which counts once all are made; None if each roll is
            one.
        most: Setting for the greatest number of checks.
    """

    op: str
    counts: str
    settings: tuple[Tile, ...]
    standing_of: StandingOf
    pair: tuple[str, str] | None = None
    people: str | None = None
    together: str | None = None
    most: str | None = None

    def request(self, settings: Facts, values: tuple[int, ...]) -> Facts:
        """Return the operation's context for the rolls so far.

        A pair without its second roll compares the first with 0, before the test has ended.
        """
        context = {name: value for name, value in settings.items() if name not in (self.people, self.together)}
        if self.pair is None:
            size = self.check_size(settings)
            whole = len(values) - len(values) % size
            checks: list[JsonValue] = [sum(values[at : at + size]) for at in range(0, whole, size)]
            return {**context, "rolls": checks}
        first, second = (*values, 0, 0)[:2]
        return {**context, self.pair[0]: first, self.pair[1]: second}

    def check_size(self, settings: Facts) -> int:
        """Return the number of rolls in one check."""
        size = None if self.together is None else settings.get(self.together)
        return size if isinstance(size, int) else 1

    def rolls_left(self, settings: Facts, values: tuple[int, ...]) -> int | None:
        """Return how many agreed rolls are still to be made; None if no number was agreed."""
        name = self.most if self.people is None else self.people
        most = len(self.pair) if self.pair is not None else None if name is None else settings.get(name)
        return max(0, most * self.check_size(settings) - len(values)) if isinstance(most, int) else None

    def has_ended(self, settings: Facts, values: tuple[int, ...], answer: Facts) -> bool:
        """Return whether the test has ended."""
        if self.pair is not None:
            return len(values) >= len(self.pair)
        if self.people is not None:
            people = settings.get(self.people)
            return isinstance(people, int) and len(values) >= people
        return answer.get("done") is True or answer.get("failed") is True


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the rules besides a roll, such as a repair or a wound."""

    op: str
    fields: tuple[Tile, ...]
    from_sheet: bool = True


@dataclass(frozen=True, slots=True)
class Picked:
    """The value of a counter tile.

    Attributes:
        name: Name of the counter; None if a number was given.
        most: Value that the counter is restored to; None if it has no upper limit, or a number was given.
    """

    name: str | None
    value: int
    most: int | None = None


class Inputs:
    """The chosen tiles, with or without a sheet. An absent tile and null both mean "not chosen"."""

    def __init__(self, tiles: Facts, known: tuple[Tile, ...], sheet: Sheet | None) -> None:
        """Create the inputs from tile values.

        Raises:
            BadRequest: The system does not have a tile, or a tile does not allow its value.
        """
        by_name = {tile.name: tile for tile in known}
        for name in tiles:
            if name not in by_name:
                raise BadRequest(f"tile {name[:40]!a} is unknown: give some of {', '.join(by_name)}")
        self._tiles = tiles
        self._known: Mapping[str, Tile] = by_name
        self._sheet = sheet
        for tile in known:
            self._check(tile)

    @property
    def sheet(self) -> Sheet | None:
        """The sheet, if there is one."""
        return self._sheet

    def number(self, name: str) -> int:
        """Return a number; 0 if it was not chosen and has no default."""
        value = self.optional_number(name)
        return 0 if value is None else value

    def optional_number(self, name: str) -> int | None:
        """Return a number; None if it was not chosen and has no default."""
        value = self._value(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        """Return yes or no."""
        return self._value(name) is True

    def word(self, name: str) -> str | None:
        """Return a word or text; None if it was not chosen and has no default."""
        value = self._value(name)
        return value if isinstance(value, str) else None

    def was_tapped(self, name: str) -> bool:
        """Return whether a value was given, the default included."""
        return self._tiles.get(name) is not None

    def counter(self, name: str) -> Picked | None:
        """Return a counter tile's value; None if it was not chosen or names one of its choices.

        Raises:
            BadRequest: The sheet has no such counter, or there is no sheet.
        """
        value = self._value(name)
        tile = self._known[name]
        if value is None or value in tile.choices:
            return None
        if not isinstance(value, str):
            return Picked(None, self.number(name))
        for kind in tile.counter_kinds:
            counter = None if self._sheet is None else self._sheet.find(kind, value)
            if counter is not None:
                return Picked(counter.name, counter.now, counter.most)
        where = "there is no sheet to look on" if self._sheet is None else "it is not on the sheet"
        cure = f"give one of {', '.join(tile.choices)}" if tile.choices else f"give {tile.low} to {tile.high}"
        text = f"{name} is {value[:40]!a} and {where}: choose a sheet that has it, or {cure}"
        raise BadRequest(text, "not_on_sheet", name=name, counter=value[:40])

    def _value(self, name: str) -> JsonValue:
        value = self._tiles.get(name)
        return self._known[name].default if value is None else value

    def _check(self, tile: Tile) -> None:
        value = self._value(tile.name)
        if value is None:
            if not tile.optional and (tile.unless is None or self._value(tile.unless) is None):
                raise BadRequest(f"{tile.name} is missing: tap it", "missing", name=tile.name)
            return
        shown = repr(value)[:40]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if tile.kind is TileKind.FLAG:
            if not isinstance(value, bool):
                raise BadRequest(f"{tile.name} is {shown}: give true or false", "flag", name=tile.name)
        elif tile.kind is TileKind.CHOICE:
            if value not in tile.choices:
                text = f"{tile.name} is {shown}: give one of {', '.join(tile.choices)}"
                raise BadRequest(text, "choice", name=tile.name, value=shown, choices=[*tile.choices])
        elif tile.kind is TileKind.NUMBER or (tile.kind is TileKind.COUNTER and not isinstance(value, str)):
            if not is_number or not tile.low <= int(str(value)) <= tile.high:
                text = f"{tile.name} is {shown}: give a whole number from {tile.low} to {tile.high}"
                raise BadRequest(text, "number", name=tile.name, value=shown, low=tile.low, high=tile.high)
        elif not isinstance(value, str) or not 1 <= len(value) <= 80:
            raise BadRequest(f"{tile.name} is {shown}: give a text", "missing", name=tile.name)


def describe_tile(tile: Tile) -> dict[str, JsonValue]:
    """Return a tile as one JSON object."""
    has_range = tile.kind in (TileKind.NUMBER, TileKind.COUNTER)
    return {
        "name": tile.name,
        "kind": tile.kind.value,
        "counter_kinds": [kind.value for kind in tile.counter_kinds],
        "choices": list(tile.choices) or None,
        "low": tile.low if has_range else None,
        "high": tile.high if has_range else None,
        "default": tile.default,
        "optional": tile.optional,
        "unless": tile.unless,
    }
