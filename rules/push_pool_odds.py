"""Exact odds of push-pool: of a pool before its throw, and of a push of the dice on the table."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from rules.dice import Role, Roll
from rules.errors import BadRequest
from rules.facts import Facts
from rules.odds import Chances, Odds, at_least
from rules.push import LockRule, PushCount, judge_push
from rules.request import MAX_DICE, Fields, read_dice, show_value

FACES: Final = range(1, 7)

PUBLISHED_PUSHED_PERCENT: Final = (29, 50, 64, 74, 81, 87, 90, 93, 95, 96)
"""The printed table's column for pushed rolls of 1 to 10 dice: an approximation, for tables that quote it (F9)."""

_POOL_ROLES: Final = (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE, Role.PLAIN)


@dataclass(frozen=True, slots=True)
class OddsPlay:
    """The rules and facts of a roll whose odds are computed."""

    is_locked: LockRule
    count: PushCount
    against: int = 0
    published: bool = False


def answer_odds(request: Facts, play: OddsPlay) -> Odds:
    """Answer one request for odds.

    Raises:
        BadRequest: There must be either a pool or a table, with dice in it.
    """
    if ("pool" in request) == ("table" in request):
        raise BadRequest('give either pool, as in {"base": 5, "skill": 2}, or table, a list of dice')
    if "table" in request:
        return _table_odds(read_dice(request, "table", named=False), play)
    pool = Fields(request, "").fields("pool")
    counts = {role: pool.integer(role.value, 0, MAX_DICE, default=0) for role in _POOL_ROLES}
    dice = sum(counts.values())
    if not 1 <= dice <= MAX_DICE:
        raise BadRequest(f"pool holds {dice} dice: give 1 to {MAX_DICE}")
    odds = _pool_odds(counts, play)
    if not play.published:
        return odds
    listed = dice <= len(PUBLISHED_PUSHED_PERCENT)
    return {**odds, "published_percent_if_pushed": PUBLISHED_PUSHED_PERCENT[dice - 1] if listed else None}


def _pool_odds(counts: dict[Role, int], play: OddsPlay) -> Odds:
    """Return the odds of a pool before its throw.

    The counts of ones treat every roll as pushed, even one without a die to throw again: the two readings of "always
    pushed" differ there, and this one keeps the roles independent of each other.
    """
    against = play.against
    # Negative dice come last: `_chance_in_two_throws` caps the counts before them.
    roles = sorted((role for role, dice in counts.items() if dice), key=lambda role: role is Role.NEGATIVE)
    sixes = [(_before_and_after(_locked_faces(play, role), 6, _worth(role)), counts[role]) for role in roles]
    both = Chances.sum(sixes, (-against, -against))
    # Only whether sixes outnumber the negative ones matters, so larger counts of sixes are not distinguished.
    either = Chances.sum(sixes, (0, 0), cap=counts[Role.NEGATIVE] + against + 1)
    return {
        "p_success": both.place(0).above(0),
        "p_success_if_pushed": either.above(against),
        "expected_successes": both.mean(0),
        "expected_successes_if_always_pushed": both.mean(1),
        "p_trauma_at_least": _ones_at_least(Role.BASE, counts[Role.BASE], play),
        "p_gear_damage_at_least": _ones_at_least(Role.GEAR, counts[Role.GEAR], play),
    }


def _locked_faces(play: OddsPlay, role: Role) -> frozenset[int]:
    return play.is_locked.by_role.get(role, play.is_locked.faces)


def _worth(role: Role) -> int:
    return -1 if role is Role.NEGATIVE else 1


def _before_and_after(locked: frozenset[int], wanted: int, worth: int) -> Chances:
    """Return whether one die shows the wanted face first, and after the push, as 0 or `worth`."""
    weights: dict[tuple[int, ...], int] = {}
    for first in FACES:
        for second in FACES:
            last = first if first in locked else second
            key = (worth * int(first == wanted), worth * int(last == wanted))
            weights[key] = weights.get(key, 0) + 1
    return Chances(weights)


def _ones_at_least(role: Role, dice: int, play: OddsPlay) -> Odds:
    if not dice:
        return {}
    ones = _before_and_after(_locked_faces(play, role), 1, 1).place(1)
    return at_least(Chances.sum([(ones, dice)], (0,)), dice)


def _table_odds(table: Roll, play: OddsPlay) -> Odds:
    """Return the odds of pushing the dice on the table now; if none must be thrown again, the table stays the same."""
    net: list[tuple[Chances, int]] = []
    ones: dict[Role, list[tuple[Chances, int]]] = {Role.BASE: [], Role.GEAR: []}
    for die in table:
        if die.role not in _POOL_ROLES or die.sides != 6:
            raise BadRequest(f"table die {show_value(die.id)} is a {die.role.value} d{die.sides}: push-pool has none")
        is_lying = die.value in _locked_faces(play, die.role)
        net.append((_after(die.value, 6, _worth(die.role), is_lying=is_lying), 1))
        if die.role in ones and not (play.count.made > 0 and die.value == 1):
            ones[die.role].append((_after(die.value, 1, 1, is_lying=is_lying), 1))
    successes = Chances.sum(net, (-play.against,))
    most = Counter(die.role for die in table)
    return {
        "p_success": successes.above(0),
        "expected_successes": successes.mean(),
        "p_trauma_at_least": at_least(Chances.sum(ones[Role.BASE], (0,)), most[Role.BASE]),
        "p_gear_damage_at_least": at_least(Chances.sum(ones[Role.GEAR], (0,)), most[Role.GEAR]),
        "push": judge_push(table, play.is_locked, play.count).facts(),
    }


def _after(value: int, wanted: int, worth: int, *, is_lying: bool) -> Chances:
    """Return whether a die of the table shows the wanted face after the push, as 0 or `worth`."""
    if is_lying:
        return Chances({(worth * int(value == wanted),): 1})
    return Chances({(worth,): 1, (0,): 5})
