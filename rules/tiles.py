"""Tiles: what a table taps together before a roll, what comes of it, and what is asked beside or across rolls.

The values here are what a rule system says to the device about itself, so that the device learns no system by name.
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
    """How a tile is tapped."""

    COUNTER = "counter"
    NUMBER = "number"
    CHOICE = "choice"
    FLAG = "flag"
    TEXT = "text"
    DICE = "dice"


@dataclass(frozen=True, slots=True)
class Tile:
    """One thing to tap.

    Attributes:
        counter_kinds: Kinds of the sheet's counters that may be chosen, by name, where `kind` is `counter`. A plain
            number from `low` to `high`, or one of `choices`, may be given instead.
    """

    name: str
    kind: TileKind
    counter_kinds: tuple[Kind, ...] = ()
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = MAX_NUMBER
    default: bool | int | str | None = None
    optional: bool = True


def number_tile(name: str, low: int, high: int, default: int | None = None) -> Tile:
    """A number between two ends."""
    return Tile(name, TileKind.NUMBER, low=low, high=high, default=default)


def flag_tile(name: str) -> Tile:
    """Yes or no; no where it is not tapped."""
    return Tile(name, TileKind.FLAG, default=False)


def choice_tile(name: str, choices: tuple[str, ...], default: str | None = None) -> Tile:
    """One of several words."""
    return Tile(name, TileKind.CHOICE, choices=choices, default=default)


def dice_tile(name: str) -> Tile:
    """What several dice showed, as a list."""
    return Tile(name, TileKind.DICE)


def counter_tile(name: str, kinds: tuple[Kind, ...], low: int, high: int, *, optional: bool = True) -> Tile:
    """A counter of the sheet, or a number in its place."""
    return Tile(name, TileKind.COUNTER, counter_kinds=kinds, low=low, high=high, optional=optional)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A roll that was tapped together.

    Attributes:
        reason: Why the roll cannot be made, one word; None where it can.
        warnings: Warnings of one word each; none of them forbids the roll.
        entry: Consequences for the sheet of preparing once, however often the pool is rolled; carried over with the
            first result.
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
    """Where an extended test stands."""

    word: str
    values: Facts = field(default_factory=dict)


StandingOf: TypeAlias = Callable[[Facts, Facts], Standing]
"""Settings and answer of an extended test into where it stands."""


@dataclass(frozen=True, slots=True)
class ExtendedTest:
    """A test that runs over several physical rolls.

    Attributes:
        pair: Names of the first roll and the second in the operation's context; None where it takes the list `rolls`.
        people: Setting that says after how many rolls the test ends; None where the operation's answer says so (`done`,
            `failed`).
        together: Setting that says how many rolls are one check, which counts when all of them are made; None where
            each roll is one.
        most: Setting that says how many checks there are at most.
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
        """The context of the operation for the rolls so far.

        A pair that lacks its second roll compares the first with nothing; the caller knows that it has not ended.
        """
        asked = {name: value for name, value in settings.items() if name not in (self.people, self.together)}
        if self.pair is None:
            size = self.check_size(settings)
            whole = len(values) - len(values) % size
            checks: list[JsonValue] = [sum(values[at : at + size]) for at in range(0, whole, size)]
            return {**asked, "rolls": checks}
        first, second = (*values, 0, 0)[:2]
        return {**asked, self.pair[0]: first, self.pair[1]: second}

    def check_size(self, settings: Facts) -> int:
        """How many rolls are one check."""
        size = None if self.together is None else settings.get(self.together)
        return size if isinstance(size, int) else 1

    def rolls_left(self, settings: Facts, values: tuple[int, ...]) -> int | None:
        """How many rolls were agreed upon and not made yet; None where nobody said."""
        name = self.most if self.people is None else self.people
        most = len(self.pair) if self.pair is not None else None if name is None else settings.get(name)
        return max(0, most * self.check_size(settings) - len(values)) if isinstance(most, int) else None

    def has_ended(self, settings: Facts, values: tuple[int, ...], answer: Facts) -> bool:
        """Whether no further roll belongs to it."""
        if self.pair is not None:
            return len(values) >= len(self.pair)
        if self.people is not None:
            people = settings.get(self.people)
            return isinstance(people, int) and len(values) >= people
        return answer.get("done") is True or answer.get("failed") is True


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a table asks the rules beside a roll, as a repair or a wound."""

    op: str
    fields: tuple[Tile, ...]
    from_sheet: bool = True


@dataclass(frozen=True, slots=True)
class Picked:
    """What a counter tile stands at.

    Attributes:
        name: Name of the counter; None where a number was given.
        most: Value that the counter is restored to; None where it has no upper limit, or a number was given.
    """

    name: str | None
    value: int
    most: int | None = None


class Inputs:
    """The tiles that were tapped, over a sheet or over none. A tile that is absent or null was not tapped."""

    def __init__(self, tiles: Facts, known: tuple[Tile, ...], sheet: Sheet | None) -> None:
        """Take what was sent.

        Raises:
            BadRequest: A tile that the system does not have, or a value that one of them cannot take.
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
        """A number, 0 where it was not tapped and has no default."""
        value = self.optional_number(name)
        return 0 if value is None else value

    def optional_number(self, name: str) -> int | None:
        """A number, or None where it was not tapped and has no default."""
        value = self._value(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        """Yes or no."""
        return self._value(name) is True

    def word(self, name: str) -> str | None:
        """A word or a text, or None where it was not tapped and has no default."""
        value = self._value(name)
        return value if isinstance(value, str) else None

    def was_tapped(self, name: str) -> bool:
        """Whether a value was given, be it the default."""
        return self._tiles.get(name) is not None

    def counter(self, name: str) -> Picked | None:
        """What a counter tile stands at; None where it was not tapped, or where it names one of its choices.

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
        raise BadRequest(f"{name} is {value[:40]!a} and {where}: choose a sheet that has it, or {cure}")

    def _value(self, name: str) -> JsonValue:
        value = self._tiles.get(name)
        return self._known[name].default if value is None else value

    def _check(self, tile: Tile) -> None:
        value = self._value(tile.name)
        if value is None:
            if not tile.optional:
                raise BadRequest(f"{tile.name} is missing: tap it")
            return
        shown = repr(value)[:40]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if tile.kind is TileKind.FLAG:
            if not isinstance(value, bool):
                raise BadRequest(f"{tile.name} is {shown}: give true or false")
        elif tile.kind is TileKind.CHOICE:
            if value not in tile.choices:
                raise BadRequest(f"{tile.name} is {shown}: give one of {', '.join(tile.choices)}")
        elif tile.kind is TileKind.NUMBER or (tile.kind is TileKind.COUNTER and not isinstance(value, str)):
            if not is_number or not tile.low <= int(str(value)) <= tile.high:
                raise BadRequest(f"{tile.name} is {shown}: give a whole number from {tile.low} to {tile.high}")
        elif not isinstance(value, str) or not 1 <= len(value) <= 80:
            raise BadRequest(f"{tile.name} is {shown}: give a text")


def describe_tile(tile: Tile) -> dict[str, JsonValue]:
    """A tile as one JSON object."""
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
    }
