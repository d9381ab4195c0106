"""Manual dice: a person enters their faces, and they count like any other die."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from device.game.state.layout import Layout
from rules.dice import Die, Role, Roll
from rules.request import LEVEL_SIDES

FIRST_TYPED_ID: Final = 1_000_001
"""First id of manual dice: a tracker does not get this far in years."""
MAX_TYPED: Final = 20


@dataclass(frozen=True, slots=True)
class TypedDie:
    id: int
    role: Role
    level: str
    value: int | None = None
    declared: bool = False
    # whether another pool was declared since: then the die belongs to the old roll and goes with it
    ends: bool = False

    @property
    def sides(self) -> int:
        return LEVEL_SIDES[self.level]

    @property
    def name(self) -> str:
        return f"d{self.sides}"


Typed = tuple[TypedDie, ...]


def declared_typed(levels: Iterable[tuple[Role, str]], earlier: Typed = ()) -> Typed:
    """Return the manual dice of a declared pool, still without faces, with ids of their own."""
    first = max((die.id for die in earlier), default=FIRST_TYPED_ID - 1) + 1
    return tuple(TypedDie(first + place, role, level, declared=True) for place, (role, level) in enumerate(levels))


def with_die(typed: Typed, role: Role, level: str, value: int) -> Typed:
    """Enter a face for the first die of that kind that needs one, else add a die."""
    for die in typed:
        if die.value is None and (die.role, die.level) == (role, level):
            return with_value(typed, die.id, value)
    new_id = max((die.id for die in typed), default=FIRST_TYPED_ID - 1) + 1
    return (*typed, TypedDie(new_id, role, level, value))


def with_value(typed: Typed, die_id: int, value: int | None) -> Typed:
    return tuple(replace(die, value=value) if die.id == die_id else die for die in typed)


def with_values_of(typed: Typed, earlier: Typed) -> Typed:
    """Return the manual dice with the faces that they had before."""
    values = {die.id: die.value for die in earlier}
    return tuple(replace(die, value=values.get(die.id, die.value)) for die in typed)


def not_seen(typed: Typed, layout: Layout) -> Typed:
    """Return the manual dice without the declared ones that lie in the tray with as many sides."""
    seen = Counter(face.sides for face in layout.faces)
    left: list[TypedDie] = []
    for die in typed:
        if die.declared and die.value is None and seen[die.sides]:
            seen[die.sides] -= 1
        else:
            left.append(die)
    return tuple(left)


def for_next_roll(typed: Typed) -> Typed:
    """Return the manual dice for the next roll: those of the declared pool, without faces."""
    return tuple(replace(die, value=None) for die in typed if die.declared and not die.ends)


def ending(typed: Typed) -> Typed:
    """Return the current roll's manual dice after another pool was declared for the next."""
    return tuple(replace(die, ends=True) for die in typed)


def for_push(typed: Typed, must_reroll: Iterable[str]) -> Typed:
    """Return the manual dice of a push: locked ones keep their face, the others lose it."""
    going = set(must_reroll)
    return tuple(replace(die, value=None) if str(die.id) in going else die for die in typed)


def typed_roll(typed: Typed) -> Roll:
    """Return the manual dice with a face, as the rules see them."""
    return tuple(Die(str(die.id), die.role, die.value, die.sides, die.level) for die in typed if die.value is not None)
