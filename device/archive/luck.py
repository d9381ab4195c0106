"""Luck: successful first throws compared with the exact probability of each. Pure.

Only first throws count. Whether a player pushes depends on the first throw, so pushes are a biased sample: they are
counted separately, by outcome. The probability of a player's number of successes is exact (a Poisson binomial
distribution).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from device.archive.roll_summaries import RollSummary
from device.game.state.names import name_key
from vision.types.frame import FloatArray

_NEGLIGIBLE = 1e-25
"""A probability too small to affect any sum."""


class PushEnd(StrEnum):
    SAVED = "saved"
    BETTER = "better"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Luck:
    """One player's first throws with a known probability of success."""

    player: str | None
    rolls: int
    won: int
    expected: float
    p_low: float  # probability of at most as many successes
    p_high: float  # probability of at least as many successes
    p_rarest: float  # of all succeeding or of none, whichever is rarer: what these rolls could show at most
    course: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PushTally:
    player: str | None
    pushes: int
    ends: dict[PushEnd, int]
    could_save: int
    expected_saved: float
    harm: Counter[tuple[str, str]]


def luck_of_each(rolls: Iterable[RollSummary]) -> list[Luck]:
    throws: dict[str | None, list[tuple[float, bool]]] = {}
    spelt: dict[str, str | None] = {}
    for roll in rolls:
        if not roll.throws:
            continue
        first = roll.throws[0]
        if first.p_success is not None and first.success is not None:
            throws.setdefault(spelt.setdefault(name_key(roll.notes.owner or ""), roll.notes.owner), []).append(
                (float(first.p_success), first.success)
            )
    return [_luck(player, known) for player, known in throws.items()]


def _luck(player: str | None, throws: Sequence[tuple[float, bool]]) -> Luck:
    won = sum(success for _, success in throws)
    least, chances = successes_of([chance for chance, _ in throws])
    beyond, course = 0.0, []
    for chance, success in throws:
        beyond += success - chance
        course.append(round(beyond, 4))
    low = min(1.0, float(chances[: max(0, won + 1 - least)].sum()))
    high = min(1.0, float(chances[max(0, won - least) :].sum()))
    rarest = min(math.prod(chance for chance, _ in throws), math.prod(1 - chance for chance, _ in throws))
    return Luck(player, len(throws), won, sum(chance for chance, _ in throws), low, high, rarest, tuple(course))


def successes_of(chances: Sequence[float]) -> tuple[int, FloatArray]:
    """Return the distribution of the number of successes of throws with these probabilities.

    Equal probabilities form one binomial distribution, and negligible terms are dropped, so the work grows with the
    number of throws rather than its square.
    """
    least, known = 0, np.ones(1)
    for chance, throws in Counter(chances).items():
        if chance >= 1:
            least += throws
        elif chance > 0:
            known = np.convolve(known, _binomial(throws, chance))
            worth = np.flatnonzero(known > _NEGLIGIBLE)
            least, known = least + int(worth[0]), known[worth[0] : worth[-1] + 1]
    return least, known


def _binomial(throws: int, chance: float) -> FloatArray:
    """Return the probabilities of 0, 1, 2, ... successes at equal chances, each from the one before by their ratio."""
    fewer = np.arange(throws)
    ratios = np.log((throws - fewer) / (fewer + 1)) + math.log(chance / (1 - chance))
    logs = np.concatenate([[0.0], np.cumsum(ratios)])
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum(), np.float64)


def pushes_of_each(rolls: Iterable[RollSummary]) -> list[PushTally]:
    tallies: dict[str, PushTally] = {}
    for roll in rolls:
        player = name_key(roll.notes.owner or "")
        for before, after in zip(roll.throws, roll.pushes, strict=False):
            tally = tallies.get(player)
            if tally is None:
                tally = PushTally(roll.notes.owner, 0, dict.fromkeys(PushEnd, 0), 0, 0.0, Counter())
            ends = dict(tally.ends)
            if before.success is False and after.success is True:
                end = PushEnd.SAVED
            elif (after.result[0] or 0) > (before.result[0] or 0):
                end = PushEnd.BETTER
            else:
                end = PushEnd.NOTHING
            ends[end] += 1
            is_known = before.success is False and after.p_success is not None
            harm = Counter({(roll.system, name): count for name, count in roll.harm_of(after).items()})
            tallies[player] = PushTally(
                tally.player,
                tally.pushes + 1,
                ends,
                tally.could_save + is_known,
                tally.expected_saved + (float(after.p_success or 0) if is_known else 0.0),
                tally.harm + harm,
            )
    return list(tallies.values())
