"""Exact odds of hits-pool: the number of hits, and the chances of a critical hit or miss."""

from fractions import Fraction
from math import comb

from rules.errors import BadRequest
from rules.facts import Facts
from rules.hits_critical import CriticalRules
from rules.odds import Odds
from rules.request import MAX_DICE, Fields

FACES = 6
MAX_THRESHOLD = 1000


def answer_odds(request: Facts, hit_on: int, rules: CriticalRules) -> Odds:
    """Answer one request for odds.

    Args:
        request: A `pool` with its number of `dice`, or with `chance_die`, and a `threshold` or none.

    Raises:
        BadRequest: A number is out of range, or a chance die is more than one die.
    """
    fields = Fields(request, "")
    pool = fields.fields("pool")
    threshold = fields.optional_integer("threshold", 0, MAX_THRESHOLD)
    chance_die = pool.flag("chance_die")
    dice = pool.integer("dice", 0 if chance_die else 1, MAX_DICE, default=1 if chance_die else None)
    if chance_die:
        if dice > 1:
            raise BadRequest(f"pool.dice is {dice} with chance_die: a chance die is one die")
        dice, hit_on = 1, FACES
    hits_ways = [0] * (dice + 1)
    hit_ways = miss_ways = 0
    # A die shows a 6, a lower hit, a 1, or another face: count every split of the pool over these four.
    low_hits, others = FACES - hit_on, hit_on - 2
    for sixes in range(dice + 1):
        for low in range(dice - sixes + 1):
            if low and not low_hits:
                break
            for ones in range(dice - sixes - low + 1):
                rest = dice - sixes - low - ones
                ways = comb(dice, sixes) * comb(dice - sixes, low) * comb(dice - sixes - low, ones)
                ways *= low_hits**low * others**rest
                hits = sixes + low
                hits_ways[hits] += ways
                critical_hit, critical_miss = rules.judge(
                    dice=dice, sixes=sixes, ones=ones, hits=hits, threshold=threshold, chance_die=chance_die
                )
                hit_ways += ways * critical_hit
                miss_ways += ways * critical_miss
    total = FACES**dice
    odds: Odds = {
        "p_hits_at_least": {str(wanted): Fraction(sum(hits_ways[wanted:]), total) for wanted in range(dice + 1)},
        "p_critical_hit": Fraction(hit_ways, total),
        "p_critical_miss": Fraction(miss_ways, total),
        "expected_hits": Fraction(sum(hits * ways for hits, ways in enumerate(hits_ways)), total),
    }
    if threshold is None:
        return odds
    p_draw = Fraction(hits_ways[threshold] if threshold <= dice else 0, total)
    return {**odds, "p_success": Fraction(sum(hits_ways[threshold + 1 :]), total), "p_draw": p_draw}
