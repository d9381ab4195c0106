"""A roll prepared from tiles: its dice, the facts that it is scored by, its price, and the sheet that pays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, PlainSerializer

from device.body import StoredText
from rules.dice import Role
from rules.sheet import Consequence
from rules.system import Facts


def _pairs(stored: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(stored.items())


DiceCounts: TypeAlias = Annotated[tuple[tuple[Role, int], ...], BeforeValidator(_pairs), PlainSerializer(dict)]
"""Number of dice of each role, a JSON object where it is stored."""
Levels: TypeAlias = tuple[tuple[Role, str], ...]
"""Role and level of each die that no camera reads."""


@dataclass(frozen=True, slots=True)
class PreparedRoll:
    roll: int  # number of its first roll; 0 while its request waits
    sheet: int | None
    tiles: Facts
    warnings: tuple[tuple[str, StoredText], ...] = ()  # code and text of each
    price: tuple[Consequence, ...] = ()
    entry: tuple[Consequence, ...] = ()
    marks: tuple[str, ...] = ()
    pool: DiceCounts = ()
    typed: Levels = ()
    context: Facts = field(default_factory=dict)

    def price_of(self, roll: int) -> tuple[Consequence, ...]:
        """Return the price of a roll of that number, whatever its dice show; nothing if it was paid before."""
        if roll < self.roll:
            return ()
        return (*self.entry, *self.price) if roll == self.roll else self.price
