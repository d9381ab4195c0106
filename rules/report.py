"""What an outcome means for a display: gains, the cost of a push, the odds shown. Data without words.

The text of a `Line` is `rules.SYSTEM.lines.NAME` in the catalogues, or `NAME_to` if its counter's new value is known.
The text of an `OddsLine` is `rules.SYSTEM.odds.NAME`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from rules.facts import Facts, JsonValue


class Tone(StrEnum):
    """How a display draws a line."""

    GOOD = "good"
    BAD = "bad"
    PLAIN = "plain"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Line:
    """One gain or cost of an outcome.

    Attributes:
        count: How many; None if the line counts nothing.
        after: New value of the counter; None if unknown.
    """

    name: str
    tone: Tone
    count: int | None = None
    after: int | None = None
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    is_harm: bool = False
    is_margin: bool = False


Lines: TypeAlias = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that an outcome means.

    Attributes:
        costs: Cost of the latest push, () for nothing; None if the outcome is not a push's.
        next_costs: Minimum cost of a push now, () for nothing certain; None if unknown.
    """

    gains: Lines = ()
    costs: Lines | None = None
    next_costs: Lines | None = None

    @property
    def harm(self) -> Lines:
        """Return the costs that are harm."""
        return tuple(line for line in self.costs or () if line.is_harm)


Reporter: TypeAlias = Callable[[Facts, Facts], Report]
"""Describe an outcome from its facts, perhaps stored by an older version, and the context of its roll."""


@dataclass(frozen=True, slots=True)
class OddsLine:
    """One row of odds."""

    name: str
    tone: Tone = Tone.GOOD
    counts: tuple[int, ...] = ()


SUCCESS_ODDS: Final = (OddsLine("p_success"), OddsLine("p_success_if_pushed"))


@dataclass(frozen=True, slots=True)
class Chance:
    """A row of odds with its number.

    Attributes:
        count: `fraction` is the chance of at least this number; None if the row has none.
    """

    line: OddsLine
    count: int | None
    fraction: str


def shown_chances(lines: tuple[OddsLine, ...], odds: Facts) -> list[Chance]:
    """Return the rows of an answer to a request for odds, without those that are unknown."""
    chances: list[Chance] = []
    for line in lines:
        answer = odds.get(line.name)
        if isinstance(answer, str):
            chances.append(Chance(line, None, answer))
        elif isinstance(answer, Mapping):
            for count in line.counts:
                fraction = answer.get(str(count))
                if isinstance(fraction, str) and fraction.partition("/")[0] != "0":
                    chances.append(Chance(line, count, fraction))
    return chances


def amount(facts: Facts, name: str) -> int:
    """Return a number from stored facts; 0 if it is missing or unknown."""
    return known(facts, name) or 0


def known(facts: Facts, name: str) -> int | None:
    """Return a number from stored facts; None if it is missing or unknown."""
    value = facts.get(name)
    return value if isinstance(value, int) else None


def counted(*lines: Line) -> Lines:
    """Return the lines without those that count nothing."""
    return tuple(line for line in lines if line.count is None or line.count > 0)


def harm(facts: Facts, name: str, after: str | None = None, **values: JsonValue) -> Line:
    """Return the line of a harm, from the facts that count it and its remainder."""
    left = None if after is None else known(facts, after)
    return Line(name, Tone.BAD, amount(facts, name), left, values, is_harm=True)


def flagged(facts: Facts, name: str, tone: Tone, **values: JsonValue) -> Lines:
    """Return the line of a fact if it is true."""
    return (Line(name, tone, values=values),) if facts.get(name) is True else ()
