"""Exact odds of step-dice: of a pool before its throw, and of a push of the dice on the table."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.facts import Facts
from rules.odds import Chances, Odds, at_least
from rules.push import LockRule, PushCount, judge_push
from rules.request import LEVEL_SIDES, MAX_DICE, Fields, read_dice, show_value

Worth: TypeAlias = Callable[[int], int]
"""Number of successes of a base die's face."""
Counts: TypeAlias = Callable[[Die, int], int]
"""Count of a die on the table, from its face before the push and the one after it."""


@dataclass(frozen=True, slots=True)
class OddsPlay:
    """The rules and facts of a roll whose odds are computed.

    Attributes:
        count: Pushes made so far and allowed; none are allowed for a passive roll.
    """

    is_locked: LockRule
    worth: Worth
    count: PushCount
    pays_old_ones: bool = True

    def pays_for(self, die: Die, last: int) -> bool:
        """Return whether a push pays for this die of the table if it shows `last` afterwards."""
        is_old = die.value == 1 and (self.count.made > 0 or not self.pays_old_ones)
        return last == 1 and not is_old


def answer_odds(request: Facts, play: OddsPlay, read_levels: Callable[[Fields, str], tuple[str, ...]]) -> Odds:
    """Answer one request for odds; the reported ones are those that a push pays for.

    Raises:
        BadRequest: Neither or both are given, or a die does not belong to this system.
    """
    fields = Fields(request, "")
    if ("pool" in fields) == ("table" in fields):
        raise BadRequest('give either pool, as in {"dice": ["B", "C"]}, or table, a list of dice')
    if "table" in fields:
        return _table_odds(read_dice(request, "table", named=False), play)
    pool = fields.fields("pool")
    sides = [LEVEL_SIDES[level] for level in read_levels(pool, "dice")]
    return _pool_odds(sides, pool.integer("ammo", 0, MAX_DICE, default=0), play)


def _pool_odds(sides: list[int], ammo: int, play: OddsPlay) -> Odds:
    dice = [Die("die", Role.BASE, 1, sides=number) for number in sides]
    both = Chances.sum(
        ((_before_and_after(die, play, lambda _die, value: play.worth(value)), 1) for die in dice), (0, 0)
    )
    odds = {"p_success": both.place(0).above(0), "expected_successes": both.mean(0)}
    if play.count.limit == 0:  # a passive roll stays the same
        return {**odds, "p_success_if_pushed": odds["p_success"]}
    ones = Chances.sum(((_paid(die, play), 1) for die in dice), (0,))
    ammo_ones = Chances.sum([(_paid(Die("die", Role.AMMO, 1), play), ammo)], (0,))
    return {
        **odds,
        "p_success_if_pushed": both.above(0),
        "expected_successes_if_always_pushed": both.mean(1),
        "p_base_ones_at_least": at_least(ones, len(sides)),
        "p_ammo_ones_at_least": at_least(ammo_ones, ammo),
    }


def _table_odds(table: Roll, play: OddsPlay) -> Odds:
    base = [die for die in table if die.role is Role.BASE]
    ammo = [die for die in table if die.role is Role.AMMO]
    for die in table:
        if die.role not in (Role.BASE, Role.AMMO) or die.sides not in LEVEL_SIDES.values():
            raise BadRequest(f"table die {show_value(die.id)} is a {die.role.value} d{die.sides}: step-dice has none")
    if not base:
        raise BadRequest("table holds no base die: give the attribute's die at least")
    successes = Chances.sum(((_after(die, play, lambda _die, value: play.worth(value)), 1) for die in base), (0,))
    base_ones = Chances.sum(((_after(die, play, play.pays_for), 1) for die in base), (0,))
    ammo_ones = Chances.sum(((_after(die, play, play.pays_for), 1) for die in ammo), (0,))
    return {
        "p_success": successes.above(0),
        "expected_successes": successes.mean(),
        "p_base_ones_at_least": at_least(base_ones, len(base)),
        "p_ammo_ones_at_least": at_least(ammo_ones, len(ammo)),
        "push": judge_push(table, play.is_locked, play.count).facts(),
    }


def _before_and_after(die: Die, play: OddsPlay, counts: Counts) -> Chances:
    """Count one die before and after the push."""
    weights: dict[tuple[int, ...], int] = {}
    for first in range(1, die.sides + 1):
        lying = replace(die, value=first)
        for second in range(1, die.sides + 1):
            last = first if play.is_locked(lying) else second
            key = (int(counts(lying, first)), int(counts(lying, last)))
            weights[key] = weights.get(key, 0) + 1
    return Chances(weights)


def _paid(die: Die, play: OddsPlay) -> Chances:
    """Return whether a die that is thrown and pushed shows a 1 that costs."""
    return _before_and_after(die, play, play.pays_for).place(1)


def _after(die: Die, play: OddsPlay, counts: Counts) -> Chances:
    """Count a die of the table after the push."""
    if play.is_locked(die):
        return Chances({(int(counts(die, die.value)),): 1})
    weights: dict[tuple[int, ...], int] = {}
    for last in range(1, die.sides + 1):
        key = (int(counts(die, last)),)
        weights[key] = weights.get(key, 0) + 1
    return Chances(weights)
