"""Exact chances: whole-number weights over outcomes, added die by die, turned into fractions only at the end."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from rules.system import JsonValue

Counts: TypeAlias = tuple[int, ...]
"""What is counted over a pool, one number for each thing that matters, as in (sixes before a push, sixes after it)."""


class Chances:
    """How likely each outcome of some dice is.

    Weights are whole numbers over one common total: adding a die multiplies integers instead of reducing fractions,
    which is what keeps twenty dice within milliseconds.
    """

    __slots__ = ("_total", "_weights")

    def __init__(self, weights: Mapping[Counts, int]) -> None:
        """Take weights by outcome; those of zero are dropped.

        Raises:
            ValueError: No outcome has a weight, or one is negative.
        """
        self._weights = {counts: weight for counts, weight in weights.items() if weight}
        self._total = sum(self._weights.values())
        if self._total <= 0 or any(weight < 0 for weight in self._weights.values()):
            raise ValueError(f"weights sum to {self._total}: give one positive weight at least, and none below 0")

    @classmethod
    def certain(cls, *counts: int) -> "Chances":
        """Return the chances of what is sure to happen."""
        return cls({counts: 1})

    def __add__(self, other: "Chances") -> "Chances":
        """Throw both, count together."""
        weights: dict[Counts, int] = {}
        for left, left_weight in self._weights.items():
            for right, right_weight in other._weights.items():
                counts = tuple(a + b for a, b in zip(left, right, strict=True))
                weights[counts] = weights.get(counts, 0) + left_weight * right_weight
        return Chances(weights)

    def __mul__(self, dice: int) -> "Chances":
        """Throw so many of the same, count together.

        Raises:
            ValueError: `dice` is negative.
        """
        if dice < 0:
            raise ValueError(f"cannot throw {dice} dice: give 0 or more")
        total = Chances.certain(*(0 for _ in next(iter(self._weights))))
        for _ in range(dice):
            total = total + self
        return total

    def map(self, change: Callable[[Counts], Counts]) -> "Chances":
        """Look at each outcome in another way; outcomes that become equal are added."""
        weights: dict[Counts, int] = {}
        for counts, weight in self._weights.items():
            seen = change(counts)
            weights[seen] = weights.get(seen, 0) + weight
        return Chances(weights)

    def chance(self, holds: Callable[[Counts], bool]) -> Fraction:
        """Return the probability that an outcome for which `holds` is true comes up."""
        return Fraction(sum(weight for counts, weight in self._weights.items() if holds(counts)), self._total)

    def mean(self, worth: Callable[[Counts], int]) -> Fraction:
        """Return the expected worth."""
        return Fraction(sum(worth(counts) * weight for counts, weight in self._weights.items()), self._total)


def fraction_text(value: Fraction) -> str:
    """Write a fraction as the outside contract wants it: `num/den` in lowest terms, whole numbers over 1."""
    return f"{value.numerator}/{value.denominator}"


def at_least(chances: Chances, most: int, place: int, least: int = 1) -> dict[str, JsonValue]:
    """Return the chance of at least k for each k from `least` to `most`, by k as text."""

    def reaches(wanted: int) -> Callable[[Counts], bool]:
        return lambda counts: counts[place] >= wanted

    return {str(wanted): fraction_text(chances.chance(reaches(wanted))) for wanted in range(least, most + 1)}
