"""The test of dice compared with plain counting, and its evidence for every course that fair dice can take."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from icepool import MultisetEvaluator, Order, d6

from device.archive.fairness import LEVEL, Verdict, chi_square_tail, evidence, exact_p, judge_faces


def counts_of(throws: int, faces: int = 6) -> Iterator[tuple[int, ...]]:
    """Return every way in which so many throws fall on the faces."""
    if faces == 1:
        yield (throws,)
        return
    for first in range(throws + 1):
        for rest in counts_of(throws - first, faces - 1):
            yield (first, *rest)


def weight(counts: tuple[int, ...]) -> Fraction:
    """The probability of counts under fair dice."""
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return Fraction(ways, 6 ** sum(counts))


def squares(counts: tuple[int, ...]) -> int:
    return sum(count * count for count in counts)


@pytest.mark.parametrize("throws", [1, 2, 3, 5, 8, 11])
def test_it_is_the_share_of_all_counts_that_are_at_least_as_uneven(throws: int) -> None:
    every = [(counts, weight(counts)) for counts in counts_of(throws)]
    assert sum(share for _, share in every) == 1
    for bound in {squares(counts) for counts, _ in every}:
        counts = next(counts for counts, _ in every if squares(counts) == bound)
        plain = sum(share for other, share in every if squares(other) >= bound)
        p, is_exact = exact_p(counts)
        assert is_exact
        assert p == pytest.approx(float(plain), abs=1e-12)


class _SumOfSquares(MultisetEvaluator):  # type: ignore[misc]
    """The sum of squared counts, for icepool."""

    def next_state(self, state: int | None, _order: Order, _outcome: int, count: int) -> int:
        return (state or 0) + count * count


def test_another_library_that_adds_dice_up_says_the_same() -> None:
    counts = (3, 1, 9, 4, 2, 6)
    throws = sum(counts)
    distribution = _SumOfSquares()(d6.pool(throws))
    assert exact_p(counts)[0] == pytest.approx(float(distribution.probability(">=", squares(counts))), abs=1e-12)


def test_for_many_throws_it_agrees_with_the_chi_square_distribution() -> None:
    for counts in [(160, 175, 150, 172, 168, 175), (340, 300, 333, 360, 320, 347)]:
        total = sum(counts)
        p, is_exact = exact_p(counts)
        assert is_exact
        assert p == pytest.approx(chi_square_tail(6 / total * squares(counts) - total), rel=0.02)


def test_where_too_many_counts_would_be_added_up_it_says_that_it_did_not() -> None:
    counts = (3000, 3100, 2900, 3050, 2950, 3300)
    p, is_exact = exact_p(counts)
    assert not is_exact
    assert p == chi_square_tail(6 / sum(counts) * squares(counts) - sum(counts)) < 0.001


def test_the_closed_form_of_the_chi_square_tail() -> None:
    # Upper percentage points with five degrees of freedom, from printed tables.
    for value, share in {4.351: 0.5, 9.236: 0.1, 11.070: 0.05, 15.086: 0.01}.items():
        assert chi_square_tail(value) == pytest.approx(share, rel=2e-3)
    # The 5 % points with one to four.
    for freedom, value in enumerate((3.841, 5.991, 7.815, 9.488), 1):
        assert chi_square_tail(value, freedom) == pytest.approx(0.05, rel=2e-3)
    assert chi_square_tail(0.0) == 1.0


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 0, 0), (7, 7, 7, 7, 7, 7)])
def test_even_counts_are_no_news(counts: tuple[int, ...]) -> None:
    assert exact_p(counts) == (1.0, True)


def test_a_die_has_six_faces() -> None:
    with pytest.raises(ValueError, match="5 counts: a die has six faces"):
        exact_p((1, 2, 3, 4, 5))


@pytest.mark.parametrize("throws", [1, 2, 5, 9])
def test_fair_dice_give_evidence_of_one_in_the_mean_so_that_looking_often_wins_nothing(throws: int) -> None:
    mean = sum(float(weight(counts)) * evidence(counts) for counts in counts_of(throws))
    assert mean == pytest.approx(1.0, abs=1e-9)
    # Also starting at each table: the next throw adds nothing in the mean, which makes every look a fair one.
    for counts in [(0, 0, 0, 0, 0, 0), (3, 0, 1, 0, 0, 2)]:
        later = [evidence([count + (place == face) for place, count in enumerate(counts)]) for face in range(6)]
        assert sum(later) / 6 == pytest.approx(evidence(counts))


@pytest.mark.parametrize("times", [(4, 1, 1), (2, 2, 2), (5, 1), (6,)])
def test_a_die_that_has_a_face_more_than_once_is_judged_by_its_own_shares(times: tuple[int, ...]) -> None:
    # The evidence is one in the mean, as for dice with six different faces.
    shares = {
        counts: math.factorial(5)
        * math.prod((many / 6) ** count / math.factorial(count) for many, count in zip(times, counts, strict=True))
        for counts in counts_of(5, len(times))
    }
    assert sum(shares.values()) == pytest.approx(1)
    assert sum(share * evidence(counts, times) for counts, share in shares.items()) == pytest.approx(1)
    fair = judge_faces([100 * many for many in times], 1, times)
    assert (fair.p, fair.verdict) == (1.0, Verdict.NO_SIGN)
    if len(times) > 1:
        assert judge_faces([100 * many for many in reversed(times)], 1, times).p == pytest.approx(
            1.0 if times == times[::-1] else 0.0, abs=1e-9
        )


def test_two_dice_of_every_kind_add_evidence_in_any_order() -> None:
    assert len({round(evidence(counts), 12) for counts in product((0, 4), repeat=6) if sum(counts) == 12}) == 1


def test_what_is_reported_of_dice() -> None:
    fair = (70, 66, 72, 68, 64, 72)
    loaded = (50, 55, 60, 57, 60, 130)
    assert judge_faces((1, 2, 0, 1, 1, 2)).verdict is Verdict.TOO_FEW
    assert judge_faces(fair).verdict is Verdict.NO_SIGN
    assert judge_faces(loaded).verdict is Verdict.SIGN
    assert judge_faces((0, 0, 0, 0, 0, 20)).verdict is Verdict.SIGN, "twenty sixes in twenty throws need no thirty"


def test_who_looks_at_more_colours_needs_more_evidence() -> None:
    counts = next(
        (100 - extra, 100, 100, 100, 100, 100 + extra)
        for extra in range(100)
        if evidence((100 - extra, 100, 100, 100, 100, 100 + extra)) >= LEVEL
    )
    assert judge_faces(counts, colours=1).verdict is Verdict.SIGN
    assert judge_faces(counts, colours=3).verdict is Verdict.UNEVEN


def test_a_slightly_uneven_count_accuses_no_die() -> None:
    uneven = (52, 68, 70, 66, 62, 94)
    judged = judge_faces(uneven)
    assert (judged.verdict, judged.p < 0.05, judged.evidence < LEVEL) == (Verdict.UNEVEN, True, True)


def test_it_says_from_when_on_a_loaded_die_would_show() -> None:
    assert [judge_faces((n, n, n, n, n, n)).would_show for n in (10, 50, 200)] == [False, False, True]
