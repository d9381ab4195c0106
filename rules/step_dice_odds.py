"""Exact odds of step-dice: of a pool before its throw, and of a push of the dice that lie there."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.odds import Chances, at_least, fraction_text
from rules.push import LockRule
from rules.request import LEVEL_SIDES, MAX_DICE, Fields, read_dice, show_value
from rules.system import Facts, JsonValue

Worth: TypeAlias = Callable[[int], int]
"""How many successes a face of a base die is worth."""


def answer_odds(
    request: Facts, is_locked: LockRule, worth: Worth, read_levels: Callable[[Fields, str], tuple[str, ...]]
) -> Facts:
    """Answer one request for odds.

    Args:
        request: Either a `pool` of levels and ammo dice, or a `table` of dice.
        is_locked: Which faces stay on a push, by the rulings in force.
        worth: What a face of a base die is worth, by the rulings in force.
        read_levels: Reads the pool's levels.

    Raises:
        BadRequest: Neither or both are given, or a die is none of this system.
    """
    fields = Fields(request, "")
    if ("pool" in fields) == ("table" in fields):
        raise BadRequest('give either pool, as in {"dice": ["B", "C"]}, or table, a list of dice')
    if "table" in fields:
        return _table_odds(read_dice(request, "table", named=False), is_locked, worth)
    pool = fields.fields("pool")
    sides = [LEVEL_SIDES[level] for level in read_levels(pool, "dice")]
    return _pool_odds(sides, pool.integer("ammo", 0, MAX_DICE, default=0), is_locked, worth)


def _pool_odds(sides: list[int], ammo: int, is_locked: LockRule, worth: Worth) -> Facts:
    both = Chances.certain(0, 0)
    for number in sides:
        both = both + _before_and_after(Role.BASE, number, is_locked, worth)
    ones = _sum(_before_and_after(Role.BASE, number, is_locked, _is_one) for number in sides)
    ammo_ones = _before_and_after(Role.AMMO, 6, is_locked, _is_one) * ammo
    return {
        "p_success": fraction_text(both.chance(lambda c: c[0] > 0)),
        "p_success_if_pushed": fraction_text(both.chance(lambda c: c[0] > 0 or c[1] > 0)),
        "expected_successes": fraction_text(both.mean(lambda c: c[0])),
        "expected_successes_if_always_pushed": fraction_text(both.mean(lambda c: c[1])),
        "p_base_ones_at_least": at_least(ones, len(sides), place=1),
        "p_ammo_ones_at_least": at_least(ammo_ones, ammo, place=1),
    }


def _table_odds(table: Roll, is_locked: LockRule, worth: Worth) -> Facts:
    base = [die for die in table if die.role is Role.BASE]
    ammo = [die for die in table if die.role is Role.AMMO]
    for die in table:
        if die.role not in (Role.BASE, Role.AMMO) or die.sides not in LEVEL_SIDES.values():
            raise BadRequest(f"table die {show_value(die.id)} is a {die.role.value} d{die.sides}: step-dice has none")
    if not base:
        raise BadRequest("table holds no base die: give the attribute's die at least")
    successes = _sum(_after(die, is_locked, worth) for die in base)
    rerolled = any(not is_locked(die) for die in table)
    facts: dict[str, JsonValue] = {
        "p_success": fraction_text(successes.chance(lambda c: c[1] > 0)),
        "expected_successes": fraction_text(successes.mean(lambda c: c[1])),
        "p_base_ones_at_least": at_least(_sum(_after(die, is_locked, _is_one) for die in base), len(base), place=1),
        "p_ammo_ones_at_least": at_least(_sum(_after(die, is_locked, _is_one) for die in ammo), len(ammo), place=1),
        "push": {"eligible": rerolled, "reason": "ok" if rerolled else "nothing_to_reroll"},
    }
    return facts


def _is_one(value: int) -> int:
    return int(value == 1)


def _sum(parts: Iterable[Chances]) -> Chances:
    total = Chances.certain(0, 0)
    for part in parts:
        total = total + part
    return total


def _before_and_after(role: Role, sides: int, is_locked: LockRule, worth: Worth) -> Chances:
    """One die: what it is worth at first, and after the push."""
    weights: dict[tuple[int, ...], int] = {}
    for first in range(1, sides + 1):
        for second in range(1, sides + 1):
            last = first if is_locked(Die("die", role, first, sides=sides)) else second
            key = (worth(first), worth(last))
            weights[key] = weights.get(key, 0) + 1
    return Chances(weights)


def _after(die: Die, is_locked: LockRule, worth: Worth) -> Chances:
    """One die that lies there: what it is worth now, and after the push."""
    now = worth(die.value)
    if is_locked(die):
        return Chances.certain(now, now)
    weights: dict[tuple[int, ...], int] = {}
    for last in range(1, die.sides + 1):
        key = (now, worth(last))
        weights[key] = weights.get(key, 0) + 1
    return Chances(weights)
