"""Exact odds of highest-die, from how often no die reaches a face."""

from fractions import Fraction

from rules.errors import BadRequest
from rules.facts import Facts
from rules.odds import Odds
from rules.request import MAX_DICE, Fields

FACES = 6


def answer_odds(request: Facts, *, zero_critical: bool) -> Odds:
    """Answer one request for odds.

    Args:
        request: A `pool` with its number of `dice`, or with `zero_dice`: two dice, or more if given, of which the
            lowest counts.

    Raises:
        BadRequest: The number of dice is out of range.
    """
    pool = Fields(request, "").fields("pool")
    zero_dice = pool.flag("zero_dice")
    dice = pool.integer("dice", 0, MAX_DICE, default=2 if zero_dice else None)
    if dice == 0 and not zero_dice:
        raise BadRequest("pool.dice is 0: an attribute of 0 rolls two dice with zero_dice true")
    if zero_dice:
        dice = max(2, dice)
        none_low = Fraction(3, FACES) ** dice  # the lowest is 4 or more
        all_six = Fraction(1, FACES) ** dice
        failure, mixed = 1 - none_low, none_low - all_six
        full, critical = (Fraction(0), all_six) if zero_critical else (all_six, Fraction(0))
    else:
        failure = Fraction(3, FACES) ** dice
        no_six = Fraction(5, FACES) ** dice
        mixed = no_six - failure
        full = dice * Fraction(1, FACES) * Fraction(5, FACES) ** (dice - 1)
        critical = 1 - no_six - full
    return {"p_failure": failure, "p_mixed": mixed, "p_full": full, "p_critical": critical, "p_success": 1 - failure}
