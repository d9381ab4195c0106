"""Die codes: a number of dice and up to two pips, the steps between codes, and the bands of totals."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rules.errors import BadRequest
from rules.request import MAX_DICE, show_value

PIPS_IN_A_DIE: Final = 3

_CODE: Final = re.compile(r"(\d{1,3})d6?(?:\+([0-9]))?", re.ASCII)

BANDS: Final[Mapping[str, tuple[int, int | None]]] = {
    "Very Easy": (3, 5),
    "Easy": (6, 10),
    "Moderate": (11, 15),
    "Difficult": (16, 20),
    "Very Difficult": (21, 30),
    "Impossible": (31, None),
}
"""Lowest and highest number of each difficulty band; the last has no upper end."""

_RANGES: Final = ((21, None), (16, "Long Range"), (11, "Medium Range"), (6, "Short Range"), (3, "Point Blank"))


@dataclass(frozen=True, slots=True)
class Code:
    """A die code.

    Attributes:
        dice: Number of dice to roll; a code with less than one cannot be rolled.
    """

    dice: int
    pips: int

    def normalised(self) -> "Code":
        """Return the code with every three pips turned into a die (A2)."""
        return Code(self.dice + self.pips // PIPS_IN_A_DIE, self.pips % PIPS_IN_A_DIE)

    def stepped(self, steps: int) -> "Code":
        """Return the code moved up or down the ladder 2d, 2d+1, 2d+2, 3d by a number of steps (A2)."""
        return Code(0, self.dice * PIPS_IN_A_DIE + self.pips + steps).normalised()

    def with_dice(self, dice: int) -> "Code":
        """Return the code with whole dice added or removed; pips stay (A4)."""
        return Code(self.dice + dice, self.pips)

    def __str__(self) -> str:
        return f"{self.dice}d" if self.pips == 0 else f"{self.dice}d+{self.pips}"


def parse_code(text: str, path: str, most_pips: int = PIPS_IN_A_DIE - 1) -> Code:
    """Parse a code such as 3d, 3d+2 or 3d6+2.

    Args:
        most_pips: More than two only if a doubled code keeps its pips unconverted.

    Raises:
        BadRequest: It is not a code, has no dice or too many, or too many pips.
    """
    match = _CODE.fullmatch(text.strip().lower()) if len(text) <= MAX_DICE else None
    if match is None:
        raise _bad_code(path, text, "write dice and pips, as in 3d+2")
    code = Code(int(match[1]), int(match[2] or 0))
    if not 1 <= code.dice <= MAX_DICE:
        raise _bad_code(path, text, f"give 1 to {MAX_DICE} dice")
    if code.pips > most_pips:
        raise _bad_code(path, text, "give +1 or +2, three pips are a die")
    return code


def _bad_code(path: str, text: str, cure: str) -> BadRequest:
    return BadRequest(f"{path} is {show_value(text)}: {cure}", "code", code=text[:40], most=MAX_DICE)


def band_of(value: int) -> str | None:
    """Return the band of a difficulty or a total (B2); None below the easiest."""
    reached = [name for name, (least, _) in BANDS.items() if value >= least]
    return reached[-1] if reached else None


def range_of(value: int) -> str | None:
    """Return the range of difficulties of a value (B2); None below the lowest."""
    return next((name for least, name in _RANGES if value >= least), None)
