"""Exact chances: integer weights over outcomes, added die by die and turned into fractions only at the end."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from rules.facts import JsonValue

Counts: TypeAlias = tuple[int, ...]
"""Counts over a pool, one number for each thing counted, as in (sixes before a push, sixes after it)."""

_FRACTION: Final = re.compile(r"[0-9]{1,500}(/[0-9]{1,500})?")

Odds: TypeAlias = Mapping[str, Any]
"""An answer to a request for odds; its chances are fractions."""


class Chances:
    """The chance of each outcome of some dice.

    Weights are integers over one common total: adding a die multiplies integers and reduces no fractions, so twenty
    dice take milliseconds.
    """

    __slots__ = ("_total", "_weights")

    def __init__(self, weights: Mapping[Counts, int]) -> None:
        """Create chances from weights by outcome; zero weights are dropped.

        Raises:
            ValueError: No outcome has a weight, or one is negative.
        """
        self._weights = {counts: weight for counts, weight in weights.items() if weight}
        self._total = sum(self._weights.values())
        if self._total <= 0 or any(weight < 0 for weight in self._weights.values()):
            raise ValueError(f"weights sum to {self._total}: give one positive weight at least, and none below 0")

    @classmethod
    def sum(cls, parts: Iterable[tuple["Chances", int]], start: Counts, cap: int | None = None) -> "Chances":
        """Return the chances of each part thrown so many times, counted together.

        Args:
            cap: Counts above it are not distinguished; parts that count downwards must come last.
        """
        weights = {start: 1}
        for part, times in parts:
            for _ in range(times):
                grown: dict[Counts, int] = {}
                for left, left_weight in weights.items():
                    for right, right_weight in part._weights.items():
                        counts = tuple(
                            a + b if cap is None else min(cap, a + b) for a, b in zip(left, right, strict=True)
                        )
                        grown[counts] = grown.get(counts, 0) + left_weight * right_weight
                weights = grown
        return cls(weights)

    def place(self, place: int) -> "Chances":
        """Return the chances of one of the counts."""
        weights: dict[Counts, int] = {}
        for counts, weight in self._weights.items():
            weights[counts[place],] = weights.get((counts[place],), 0) + weight
        return Chances(weights)

    def above(self, bound: int) -> Fraction:
        """Return the probability that at least one of the counts is above a bound."""
        return Fraction(sum(weight for counts, weight in self._weights.items() if max(counts) > bound), self._total)

    def mean(self, place: int = 0, floor: int = 0) -> Fraction:
        """Return the expected count; counts below `floor` count as `floor`."""
        worth = sum(max(floor, counts[place]) * weight for counts, weight in self._weights.items())
        return Fraction(worth, self._total)


def fraction_text(value: Fraction) -> str:
    """Return a fraction in the contract's form: `num/den` in lowest terms, whole numbers over 1."""
    return f"{value.numerator}/{value.denominator}"


def parse_fraction(text: str) -> Fraction:
    """Return the fraction of a text such as `fraction_text` writes; the denominator may be absent.

    `Fraction` itself also reads exponents and computes them in full: `0e999999999` takes minutes and gigabytes.

    Raises:
        ValueError: Another form, or more than 500 digits.
        ZeroDivisionError: The denominator is 0.
    """
    if _FRACTION.fullmatch(text) is None:
        raise ValueError(f"{text[:40]!r} is not a fraction: give num/den")
    return Fraction(text)


def at_least(chances: Chances, most: int, least: int = 1) -> dict[str, Fraction]:
    """Return the chance of at least k for each k from `least` to `most`, by k as text."""
    return {str(wanted): chances.above(wanted - 1) for wanted in range(least, most + 1)}


def as_texts(odds: Odds) -> dict[str, JsonValue]:
    """Return an answer in the contract's form."""
    return {name: _as_text(value) for name, value in odds.items()}


def _as_text(value: Any) -> JsonValue:
    if isinstance(value, Mapping):
        return as_texts(value)
    text: JsonValue = fraction_text(value) if isinstance(value, Fraction) else value
    return text
