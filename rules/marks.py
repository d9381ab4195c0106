"""The mark of each die in a scored roll, equal on the display, the light ring and in the log."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias


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
