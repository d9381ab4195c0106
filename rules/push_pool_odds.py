"""Exact odds of push-pool: before a throw for a pool, and after it for a push of the dice that lie there."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.odds import Chances, at_least, fraction_text
from rules.push import LockRule, PushCount, judge_push
from rules.request import MAX_DICE, Fields, read_dice, show_value
from rules.system import Facts, JsonValue

FACES: Final = range(1, 7)

PUBLISHED_PUSHED_PERCENT: Final = (29, 50, 64, 74, 81, 87, 90, 93, 95, 96)
"""The printed table's column for pushed rolls of 1 to 10 dice: an approximation, kept for tables that quote it (F9)."""

_POOL_ROLES: Final = (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE, Role.PLAIN)


@dataclass(frozen=True, slots=True)
class OddsPlay:
    """How a roll is played whose odds are asked for."""

    is_locked: LockRule
    count: PushCount
    against: int = 0
    published: bool = False


def answer_odds(request: Facts, play: OddsPlay) -> Facts:
    """Answer one request for odds.

    Raises:
        BadRequest: Neither or both are given, or there are no dice.
    """
    fields = Fields(request, "")
    if ("pool" in fields) == ("table" in fields):
        raise BadRequest('give either pool, as in {"base": 5, "skill": 2}, or table, a list of dice')
    if "table" in fields:
        return _table_odds(read_dice(request, "table", named=False), play)
    pool = fields.fields("pool")
    counts = {role: pool.integer(role.value, 0, MAX_DICE, default=0) for role in _POOL_ROLES}
    dice = sum(counts.values())
    if not 1 <= dice <= MAX_DICE:
        raise BadRequest(f"pool holds {dice} dice: give 1 to {MAX_DICE}")
    facts = _pool_odds(counts, play)
    if play.published:
        listed = dice <= len(PUBLISHED_PUSHED_PERCENT)
        facts["published_percent_if_pushed"] = PUBLISHED_PUSHED_PERCENT[dice - 1] if listed else None
    return facts


def _pool_odds(counts: dict[Role, int], play: OddsPlay) -> dict[str, JsonValue]:
    """Odds of a pool before its throw.

    The counts of ones take every roll for pushed, rolls without a die to throw again included: for those the two
    readings of "always pushed" differ, and this one keeps the roles independent of each other.
    """
    is_locked, against = play.is_locked, play.against
    at_first, at_last = Chances.certain(-against), Chances.certain(-against)
    for role, dice in counts.items():
        sixes = _six_before_and_after(role, is_locked)
        at_first = at_first + sixes.map(lambda c: (c[0],)) * dice
        at_last = at_last + sixes.map(lambda c: (c[1],)) * dice
    return {
        "p_success": fraction_text(at_first.chance(lambda c: c[0] > 0)),
        "p_success_if_pushed": fraction_text(_chance_in_two_throws(counts, play)),
        "expected_successes": fraction_text(at_first.mean(lambda c: max(0, c[0]))),
        "expected_successes_if_always_pushed": fraction_text(at_last.mean(lambda c: max(0, c[0]))),
        "p_trauma_at_least": _ones_at_least(Role.BASE, counts[Role.BASE], is_locked),
        "p_gear_damage_at_least": _ones_at_least(Role.GEAR, counts[Role.GEAR], is_locked),
    }


def _chance_in_two_throws(counts: dict[Role, int], play: OddsPlay) -> Fraction:
    """Return the chance of a success at first, or else after a push.

    Both throws are followed together. Only whether the sixes outnumber the negative ones matters, so sixes beyond that
    need not be distinguished: a pool without negative dice has four cases, however large it is.
    """
    is_locked, against = play.is_locked, play.against
    enough = counts[Role.NEGATIVE] + against + 1
    both = Chances.certain(0, 0)
    for role, dice in counts.items():
        if role is not Role.NEGATIVE:
            sixes = _six_before_and_after(role, is_locked)
            for _ in range(dice):
                both = (both + sixes).map(lambda c: (min(enough, c[0]), min(enough, c[1])))
    negative = _six_before_and_after(Role.NEGATIVE, is_locked)
    for _ in range(counts[Role.NEGATIVE]):
        both = both + negative
    return both.chance(lambda c: c[0] > against or c[1] > against)


def _six_before_and_after(role: Role, is_locked: LockRule) -> Chances:
    """One die: whether it counts as a six at first, and after the push; a negative one takes a six away."""
    worth = -1 if role is Role.NEGATIVE else 1
    weights: dict[tuple[int, ...], int] = {}
    for first in FACES:
        for second in FACES:
            last = first if is_locked(Die("die", role, first)) else second
            key = (worth * int(first == 6), worth * int(last == 6))
            weights[key] = weights.get(key, 0) + 1
    return Chances(weights)


def _ones_at_least(role: Role, dice: int, is_locked: LockRule) -> dict[str, JsonValue]:
    weights: dict[tuple[int, ...], int] = {}
    for first in FACES:
        for second in FACES:
            last = first if is_locked(Die("die", role, first)) else second
            key = (int(last == 1),)
            weights[key] = weights.get(key, 0) + 1
    return at_least(Chances(weights) * dice, dice, place=0)


def _table_odds(table: Roll, play: OddsPlay) -> Facts:
    """Odds of pushing the dice that lie there, now. With nothing to throw again the table stays as it is."""
    is_locked = play.is_locked
    for die in table:
        if die.role not in _POOL_ROLES or die.sides != 6:
            raise BadRequest(f"table die {show_value(die.id)} is a {die.role.value} d{die.sides}: push-pool has none")
    net, base_ones, gear_ones = Chances.certain(-play.against), Chances.certain(0), Chances.certain(0)
    for die in table:
        is_paid = play.count.made > 0 and die.value == 1
        net = net + _count_after(die, 6, is_locked, -1 if die.role is Role.NEGATIVE else 1)
        if die.role is Role.BASE and not is_paid:
            base_ones = base_ones + _count_after(die, 1, is_locked, 1)
        if die.role is Role.GEAR and not is_paid:
            gear_ones = gear_ones + _count_after(die, 1, is_locked, 1)
    return {
        "p_success": fraction_text(net.chance(lambda c: c[0] > 0)),
        "expected_successes": fraction_text(net.mean(lambda c: max(0, c[0]))),
        "p_trauma_at_least": at_least(base_ones, sum(1 for die in table if die.role is Role.BASE), place=0),
        "p_gear_damage_at_least": at_least(gear_ones, sum(1 for die in table if die.role is Role.GEAR), place=0),
        "push": judge_push(table, is_locked, play.count).facts(),
    }


def _count_after(die: Die, wanted: int, is_locked: LockRule, sign: int) -> Chances:
    """Whether one die of the table shows the wanted face after the push, as 0 or `sign`."""
    if is_locked(die):
        return Chances.certain(sign * int(die.value == wanted))
    return Chances({(sign,): 1, (0,): 5})
