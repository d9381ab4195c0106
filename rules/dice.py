"""Dice for the rules: a role, a value, an id. Frozen values, nothing else."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rules.errors import BadRequest

BLANK: Final = 0
"""Value of a blank face: it adds nothing, and is neither a 1 nor a 6. Only six-sided dice have one."""


def face_name(value: int | None) -> str | None:
    """Return the name of a face that shows no number; None for all others."""
    return "blank" if value == BLANK else None


class Role(StrEnum):
    """What a die counts as. `vision` knows only colour classes, which `device` maps to roles."""

    BASE = "base"
    SKILL = "skill"
    GEAR = "gear"
    NEGATIVE = "negative"
    PLAIN = "plain"
    AMMO = "ammo"
    WILD = "wild"
    GRIT = "grit"


@dataclass(frozen=True, slots=True)
class Die:
    """One die on the table.

    Attributes:
        value: Value of the top face, 1 to `sides`, or `BLANK`.
        sides: Number of sides: 6, or 8, 10, 12 for step dice.
        level: Letter of a step die, D C B A for 6 8 10 12 sides; None for other dice.
        moved: False if a tracker saw that the die never left its place; None if unknown.

    Raises:
        BadRequest: `value` is not a face of the die.
    """

    id: str
    role: Role
    value: int
    sides: int = 6
    level: str | None = None
    moved: bool | None = None

    def __post_init__(self) -> None:
        if not (1 <= self.value <= self.sides or (self.value == BLANK and self.sides == 6)):
            raise BadRequest(f"die {self.id!a} shows {self.value}: a d{self.sides} shows 1 to {self.sides}")


Roll = tuple[Die, ...]


def lay(*faces: tuple[Role, int]) -> Roll:
    """Return six-sided dice on the table by role and value."""
    return tuple(Die(str(number), role, value) for number, (role, value) in enumerate(faces, 1))
