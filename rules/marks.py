"""The mark of each die in a scored roll, equal on the display, the light ring and in the log."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias

from rules.dice import Die, Roll


class Mark(StrEnum):
    """What a die contributed to its roll."""

    COUNTED = "counted"
    COST = "cost"
    WILD = "wild"
    HIGHEST = "highest"
    DISCARDED = "discarded"
    NOTHING = "nothing"


Marks: TypeAlias = Mapping[str, Mark]
"""Marks by the ids of dice."""


def mark_dice(dice: Roll, mark_of: Callable[[Die], Mark]) -> Marks:
    """Return each die's mark."""
    return {die.id: mark_of(die) for die in dice}
