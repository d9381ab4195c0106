"""Dice that no camera reads: a person types their faces in, and they count like any die from then on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from rules.dice import Die, Role, Roll
from rules.request import LEVEL_SIDES

FIRST_TYPED_ID: Final = 1_000_001
"""Ids of typed dice begin here: a tracker that counts every die of a year does not come this far."""
MAX_TYPED: Final = 20


@dataclass(frozen=True, slots=True)
class TypedDie:
    id: int
    role: Role
    level: str
    value: int | None = None
    declared: bool = False
    # whether another pool was declared while the die's roll lies there: then it stays with that roll and goes with it
    ends: bool = False

    @property
    def sides(self) -> int:
        return LEVEL_SIDES[self.level]

    @property
    def name(self) -> str:
        return f"d{self.sides}"


Typed = tuple[TypedDie, ...]


def declared_typed(levels: Iterable[tuple[Role, str]], beside: Typed = ()) -> Typed:
    """Return the dice of a declared pool, none of them typed in yet; none has the id of a die beside them."""
    first = max((die.id for die in beside), default=FIRST_TYPED_ID - 1) + 1
    return tuple(TypedDie(first + place, role, level, declared=True) for place, (role, level) in enumerate(levels))


def with_die(typed: Typed, role: Role, level: str, value: int) -> Typed:
    """Type a face in: into the first die of that kind that waits for one, else as one more die."""
    for die in typed:
        if die.value is None and (die.role, die.level) == (role, level):
            return with_value(typed, die.id, value)
    new_id = max((die.id for die in typed), default=FIRST_TYPED_ID - 1) + 1
    return (*typed, TypedDie(new_id, role, level, value))


def with_value(typed: Typed, die_id: int, value: int | None) -> Typed:
    return tuple(replace(die, value=value) if die.id == die_id else die for die in typed)


def for_next_roll(typed: Typed) -> Typed:
    """Return what is left of a roll's typed dice for the next: those of the declared pool, to be typed in again."""
    return tuple(replace(die, value=None) for die in typed if die.declared and not die.ends)


def ending(typed: Typed) -> Typed:
    """Return the dice of a roll that lies there once another pool is declared for the next."""
    return tuple(replace(die, ends=True) for die in typed)


def for_push(typed: Typed, must_reroll: Iterable[str]) -> Typed:
    """Return the dice of a push: what was locked still shows its face, the others are to be typed in again."""
    going = set(must_reroll)
    return tuple(replace(die, value=None) if str(die.id) in going else die for die in typed)


def typed_roll(typed: Typed) -> Roll:
    """Return the typed dice as the rules see them; those without a face are left out."""
    return tuple(Die(str(die.id), die.role, die.value, die.sides, die.level) for die in typed if die.value is not None)
