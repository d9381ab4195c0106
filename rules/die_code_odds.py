"""Exact odds of die-code. The wild die has no upper limit, so the misses are counted instead."""

from fractions import Fraction
from typing import Final

from rules.code import parse_code
from rules.errors import BadRequest
from rules.facts import Facts
from rules.odds import Odds
from rules.request import Fields

FACES: Final = 6
MAX_DIFFICULTY: Final = 1000
MEAN_OF_A_DIE: Final = Fraction(7, 2)
MEAN_OF_THE_WILD_DIE: Final = MEAN_OF_A_DIE * Fraction(FACES, FACES - 1)
"""The mean of an exploding die: m = 7/2 + m/6."""


def answer_odds(request: Facts, *, drops_highest: bool, most_pips: int) -> Odds:
    """Answer one request for odds.

    Args:
        request: A `pool` with a `code` and whether one of its dice is `wild` (the default), and a `difficulty` or none.
        drops_highest: Whether a first 1 on the wild die removes it and the highest other die.

    Raises:
        BadRequest: The code is not valid, or the difficulty is out of range.
    """
    fields = Fields(request, "")
    pool = fields.fields("pool")
    if "pool" not in fields:
        raise BadRequest('pool is missing: give a code, as in {"code": "3d+2"}')
    code = parse_code(pool.text("code"), pool.path("code"), most_pips)
    wild = pool.flag("wild", default=True)
    difficulty = fields.optional_integer("difficulty", 0, MAX_DIFFICULTY)
    others = code.dice - int(wild)
    mean = others * MEAN_OF_A_DIE + code.pips + (MEAN_OF_THE_WILD_DIE if wild else 0)
    if wild and drops_highest:
        mean -= Fraction(1, FACES) * (1 + _mean_highest(others))
    odds: dict[str, Fraction | None] = {"p_success": None, "mean": mean}
    if difficulty is not None:
        below = difficulty - code.pips - 1
        missed = _chance_at_most(below, others, wild=wild, drops_highest=drops_highest)
        odds["p_success"] = 1 - missed
    return odds


def _ways(dice: int, faces: int) -> list[int]:
    """Count the ways in which so many dice of so many faces show each total, from 0 up."""
    ways = [1]
    for _ in range(dice):
        longer = [0] * (len(ways) + faces)
        for total, count in enumerate(ways):
            for face in range(1, faces + 1):
                longer[total + face] += count
        ways = longer
    return ways


def _chance_at_most(limit: int, others: int, *, wild: bool, drops_highest: bool) -> Fraction:
    """Return the chance that dice without pips add up to at most `limit`."""
    if limit < 0:
        return Fraction(0)
    ways = _ways(others, FACES)
    below = [0]
    for count in ways:
        below.append(below[-1] + count)

    def ways_at_most(total: int) -> int:
        return below[max(0, min(total + 1, len(ways)))]

    everything = FACES**others
    if not wild:
        return Fraction(ways_at_most(limit), everything)
    chance = Fraction(0)
    sixes = 0
    while FACES * sixes < limit:
        for last in range(1, FACES):
            if sixes == 0 and last == 1 and drops_highest:
                continue
            chance += Fraction(ways_at_most(limit - FACES * sixes - last), everything * FACES ** (sixes + 1))
        sixes += 1
    if drops_highest:
        chance += Fraction(_ways_without_highest(limit, others), everything * FACES)
    return chance


def _ways_without_highest(limit: int, dice: int) -> int:
    """Count the rolls whose total without their highest die is at most `limit`."""
    if dice == 0:
        return 1
    count = 0
    for highest in range(1, FACES + 1):
        with_it, below_it = _ways(dice, highest), _ways(dice, highest - 1)
        for total, ways in enumerate(with_it):
            if total - highest <= limit:
                count += ways - (below_it[total] if total < len(below_it) else 0)
    return count


def _mean_highest(dice: int) -> Fraction:
    if dice == 0:
        return Fraction(0)
    return sum((1 - Fraction(face - 1, FACES) ** dice for face in range(1, FACES + 1)), start=Fraction(0))
