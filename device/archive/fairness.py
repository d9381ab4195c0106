"""Are the dice fair? An exact test of face counts, and evidence that stays valid under repeated looks. Pure.

Two questions, two numbers. *How uneven are these counts?* `exact_p` is the probability that fair dice come out at least
as uneven, by Pearson's statistic over all faces. It is neither simulated nor approximated: the distribution of the
statistic is summed over all counts that fair dice can give. Only if there are far too many of them (from 3,000 to 5,000
throws of one colour on, depending on how uneven they are) is the chi-square distribution used instead, which then has a
relative error of less than a hundredth; so it is for dice that have a face more than once.

*Is a die loaded?* People look after every evening, and at several colours, and who looks often enough sees a small
`exact_p` for the fairest die. `evidence` is a betting score (an e-value): the likelihood of the counts under slightly
uneven dice, divided by that under fair dice. For fair dice the probability that it ever reaches L, at any look, is at
most 1/L (Ville's inequality), so a verdict is based on it alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from vision.types.frame import FloatArray

FACES: Final = 6
SPREAD: Final = 10.0
"""How near to fair the loaded dice are that `evidence` bets on (a Dirichlet distribution with this weight for each
face). 10 means that a face comes up with probability 0.167 +- 0.048: a die that a table could argue about."""
LEVEL: Final = 20.0
"""Evidence that counts as a sign, times the number of colours judged: fair dice ever reach it at 1 of 20 tables."""
MIN_THROWS: Final = 30
"""Below this number of throws, five of each face, no verdict is given unless `evidence` is high."""
_MAX_TRIPLES: Final = 4_000_000
"""Maximum number of triples of face counts: a fraction of a second. 5,000 rather uneven throws need as many."""
LOADED_SHARE: Final = 0.25
"""Share of one face, a quarter instead of a sixth, at which a table would call a die loaded."""


class Verdict(StrEnum):
    TOO_FEW = "too_few"
    NO_SIGN = "no_sign"
    UNEVEN = "uneven"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Fairness:
    counts: tuple[int, ...]  # number of times that each face came up, in order
    p: float  # probability that fair dice come out at least as uneven
    is_exact: bool
    evidence: float
    verdict: Verdict
    would_show: bool

    @property
    def throws(self) -> int:
        return sum(self.counts)


ONCE_EACH: Final = (1,) * FACES


def judge_faces(counts: Sequence[int], colours: int = 1, times: Sequence[int] = ONCE_EACH) -> Fairness:
    """Judge the dice of one colour.

    Args:
        counts: Number of times that each face came up.
        times: How many of a die's six faces are that one.
    """
    total = sum(counts)
    p, is_exact = exact_p(counts) if times == ONCE_EACH else (_p_of_several(counts, times), False)
    score = evidence(counts, times)
    if score >= LEVEL * colours:
        verdict = Verdict.SIGN
    elif total < MIN_THROWS:
        verdict = Verdict.TOO_FEW
    else:
        verdict = Verdict.UNEVEN if p * colours < 0.05 else Verdict.NO_SIGN
    others = total * (1 - LOADED_SHARE) / (FACES - 1)
    loaded = [others * many for many in times]
    loaded[times.index(min(times))] += total * LOADED_SHARE - others
    would_show = evidence(loaded, times) >= LEVEL * colours
    return Fairness(tuple(counts), p, is_exact, score, verdict, would_show)


def evidence(counts: Sequence[float], times: Sequence[int] = ONCE_EACH) -> float:
    """Return how much likelier the counts are under slightly uneven dice than under fair ones.

    Source: a Dirichlet-multinomial over a uniform multinomial; by Ville's inequality fair dice ever reach L with a
    probability of at most 1/L (Grünwald, de Heide, Koolen: Safe Testing, 2024).
    """
    total = sum(counts)
    log = math.lgamma(FACES * SPREAD) - math.lgamma(FACES * SPREAD + total)
    for count, many in zip(counts, times, strict=True):
        log += math.lgamma(many * SPREAD + count) - math.lgamma(many * SPREAD) - count * math.log(many / FACES)
    return math.exp(min(log, 700.0))


def exact_p(counts: Sequence[int]) -> tuple[float, bool]:
    """Return the probability that as many throws of fair dice are at least as uneven, by the sum of squared counts.

    Args:
        counts: Number of times that each face came up, 1 to 6.

    Returns:
        The probability, and whether it is exact (up to rounding, about 1e-12): if that would take too long, it is the
        chi-square distribution's.
    """
    if len(counts) != FACES:
        raise ValueError(f"{len(counts)} counts: a die has six faces")
    total = sum(counts)
    if total == 0:
        return 1.0, True
    # Pearson's statistic is 6 / n times the sum of squared counts, minus n: integers order it without rounding.
    bound = sum(count * count for count in counts)
    half = _three_faces(total, bound)
    if half is None:
        return chi_square_tail(FACES / total * bound - total), False
    return max(0.0, min(1.0, 1.0 - _below(half, total, bound))), True


def chi_square_tail(value: float, freedom: int = FACES - 1) -> float:
    """Return the tail of the chi-square distribution, in closed form."""
    if value <= 0.0 or freedom == 0:
        return 1.0
    half, first = value / 2, 0.5 if freedom % 2 else 0.0
    terms = (half**power / math.gamma(power + 1) for power in np.arange(first, freedom / 2).tolist())
    return (math.erfc(math.sqrt(half)) if first else 0.0) + math.exp(-half) * math.fsum(terms)


def _p_of_several(counts: Sequence[int], times: Sequence[int]) -> float:
    """Return the same for dice that have a face more than once, by the chi-square distribution."""
    total = sum(counts)
    if total == 0:
        return 1.0
    bound = FACES / total * sum(count * count / many for count, many in zip(counts, times, strict=True))
    return chi_square_tail(bound - total, len(counts) - 1)


@dataclass(frozen=True, slots=True)
class _Triples:
    """Counts of three faces that a table below the bound can have: sum, sum of squares, probability given the sum."""

    sums: FloatArray
    squares: FloatArray
    chances: FloatArray


def _three_faces(total: int, bound: int) -> _Triples | None:
    """Return them, all orders of the three combined; None if there are too many."""
    # Around the mean n / 6 squared deviations add up to less than bound - n^2 / 6, so each is within its root.
    mean = total / FACES
    radius = math.sqrt(max(0.0, bound - total * mean)) + 1.0
    low, high = max(0, math.floor(mean - radius)), min(total, math.ceil(mean + radius))
    if (high - low + 1) ** 3 > _MAX_TRIPLES:
        return None
    face = np.arange(low, high + 1, dtype=np.float64)
    first, second, third = face[:, None, None], face[None, :, None], face[None, None, :]
    near = (first - mean) ** 2 + (second - mean) ** 2 + (third - mean) ** 2 <= radius * radius
    places = np.nonzero(near & (first <= second) & (second <= third))
    first, second, third = (face[place] for place in places)
    orders = np.where(first == third, 1.0, np.where((first == second) | (second == third), 3.0, 6.0))
    log_factorial = np.array([math.lgamma(count + 1) for count in range(3 * high + 1)])
    sums = first + second + third
    logs = log_factorial[sums.astype(np.int64)] - sums * math.log(3)
    for axis in (first, second, third):
        logs -= log_factorial[axis.astype(np.int64)]
    return _Triples(sums, first**2 + second**2 + third**2, orders * np.exp(logs))


def _below(half: _Triples, total: int, bound: int) -> float:
    """Return the probability that fair dice come out less uneven, by joining three faces with the other three."""
    order = np.lexsort((half.squares, half.sums))
    sums, squares, chances = half.sums[order], half.squares[order], half.chances[order]
    starts = np.searchsorted(sums, np.arange(total + 2))
    probability = 0.0
    for one in range(total + 1):
        other = total - one
        here, there = slice(starts[one], starts[one + 1]), slice(starts[other], starts[other + 1])
        if here.start == here.stop or there.start == there.stop:
            continue
        known = np.concatenate(([0.0], np.cumsum(chances[there])))
        # Everything of the other half whose squares leave the sum strictly below the bound.
        reach = np.searchsorted(squares[there], bound - squares[here], side="left")
        joint = float(np.dot(chances[here], known[reach]))
        # The number of throws that show one of the first three faces is binomial with probability 1/2.
        log_coin = math.lgamma(total + 1) - math.lgamma(one + 1) - math.lgamma(other + 1) - total * math.log(2)
        probability += joint * math.exp(log_coin)
    return probability
