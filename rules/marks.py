"""What each die of a scored roll did: the same marks on the display, on the light ring and in the log."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias

from rules.dice import Die, Roll


class Mark(StrEnum):
    """What a die did for its roll."""

    COUNTED = "counted"
    COST = "cost"
    WILD = "wild"
    HIGHEST = "highest"
    DISCARDED = "discarded"
    NOTHING = "nothing"


Marks: TypeAlias = Mapping[str, Mark]
"""Marks by the ids of dice."""


def mark_dice(dice: Roll, mark_of: Callable[[Die], Mark]) -> Marks:
    """Return what each die did."""
    return {die.id: mark_of(die) for die in dice}
