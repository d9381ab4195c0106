"""How readings are judged when operating points are chosen: what is right, trusted, or wrong in silence."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from vision.detection.found import Found
from vision.training.fit_decision import (
    Beliefs,
    Points,
    Rows,
    Seen,
    best_points,
    evened,
    judged,
    rows_of,
    upper_bound,
)
from vision.training.labelled import LabelledDie, LabelledPicture

NOWHERE = (np.nan, np.nan)
POINTS = Points(shown=0.5, trusted=0.8, flat=0.7)


def die(x: float, value: int, *, seen: float = 1.0, is_flat: bool = True) -> LabelledDie:
    return LabelledDie((x, 50.0), 20.0, 0.0, value, seen, is_flat)


def picture(*dice: LabelledDie, weight: float = 1.0, is_complete: bool = True) -> LabelledPicture:
    return LabelledPicture(Path("a.jpg"), "stills", "a", True, dice, is_complete=is_complete, weight=weight)


def looked_at(*pictures: tuple[LabelledPicture, list[tuple[float, int]]]) -> tuple[list[LabelledPicture], Rows]:
    """Pictures with, for each, where something of a die's size was found and the value that it has most likely."""
    seen = {id(one): places for one, places in pictures}

    def look(one: LabelledPicture) -> Seen:
        places = seen[id(one)]
        count = len(places)
        middles = np.array([(x, 50.0) for x, _ in places]).reshape(-1, 2)
        found = Found(middles, np.full(count, 20.0), np.zeros(count), np.ones(count))
        return found, np.zeros((count, 1)), np.array([value for _, value in places], np.intp)

    only = [one for one, _ in pictures]
    return only, rows_of(only, look)


def beliefs(rows: Rows, **of: list[float]) -> Beliefs:
    """Sure of all, unless told otherwise."""
    sure = np.full(len(rows.values), 0.99)
    told = {name: np.array(shares, np.float64) for name, shares in of.items()}
    return Beliefs(told.get("is_die", sure), told.get("is_right", sure), told.get("is_flat", sure))


def verdict(
    dice: list[LabelledDie], places: list[tuple[float, int]], points: Points = POINTS, **of: list[float]
) -> tuple[bool, bool]:
    """Whether the reading of one picture is trusted, and whether it is exact."""
    pictures, rows = looked_at((picture(*dice), places))
    result = judged(pictures, rows, beliefs(rows, **of), points)
    return bool(result.trusted[0]), bool(result.exact[0])


TWO = [die(50.0, 3), die(150.0, 5)]
RIGHT = [(50.0, 3), (150.0, 5)]


def test_every_die_read_once_is_right_and_trusted() -> None:
    assert verdict(TWO, RIGHT) == (True, True)


@pytest.mark.parametrize(
    "places",
    [[(50.0, 3)], [(50.0, 3), (150.0, 2)], [*RIGHT, (300.0, 1)], []],
    ids=["one overlooked", "a wrong value", "something that is none", "nothing seen"],
)
def test_what_is_sure_and_wrong_is_wrong_in_silence(places: list[tuple[float, int]]) -> None:
    assert verdict(TWO, places) == (True, False)


@pytest.mark.parametrize("doubt", [{"is_right": [0.99, 0.7]}, {"is_flat": [0.99, 0.6]}])
def test_a_doubt_is_not_trusted_though_all_is_right(doubt: dict[str, list[float]]) -> None:
    assert verdict(TWO, RIGHT, **doubt) == (False, True)


def test_what_is_hardly_a_die_is_not_shown() -> None:
    places = [*RIGHT, (300.0, 1)]
    assert verdict(TWO, places, is_die=[0.9, 0.9, 0.3]) == (True, True)
    assert verdict(TWO, places, is_die=[0.9, 0.9, 0.3], is_right=[0.9, 0.9, 0.1]) == (True, True)
    assert verdict(TWO, places, is_die=[0.9, 0.3, 0.3]) == (True, False)


COCKED = [die(50.0, 3), die(150.0, 0, is_flat=False)]


@pytest.mark.parametrize("value", [0, 5])
def test_a_cocked_die_that_is_taken_for_flat_is_wrong_in_silence(value: int) -> None:
    dice = [die(50.0, 3), die(150.0, value, is_flat=False)]
    assert verdict(dice, RIGHT) == (True, False), "whatever is read there"
    assert verdict(dice, RIGHT, is_flat=[0.99, 0.1])[0] is False, "a doubt is what it deserves"
    assert verdict(dice, [(50.0, 3)]) == (True, False), "it may not be passed over"


def test_where_nobody_asks_how_dice_stand_one_of_unknown_value_is_no_part() -> None:
    anywhere = Points(shown=0.5, trusted=0.8)
    assert verdict(COCKED, [(50.0, 3)], anywhere) == (True, True)
    assert verdict(COCKED, RIGHT, anywhere) == (True, True)


def test_a_die_of_which_next_to_nothing_shows_is_neither_right_nor_wrong() -> None:
    dice = [die(50.0, 3), die(150.0, 5, seen=0.05)]
    for places in (RIGHT[:1], RIGHT, [(50.0, 3), (150.0, 1)]):
        assert verdict(dice, places) == (True, True)


@pytest.mark.parametrize("seen", [0.1, 0.45])
@pytest.mark.parametrize("places", [RIGHT[:1], RIGHT, [(50.0, 3), (150.0, 1)]])
def test_beside_a_die_that_is_cut_off_no_trust_is_right(seen: float, places: list[tuple[float, int]]) -> None:
    dice = [die(50.0, 3), die(150.0, 5, seen=seen)]
    assert verdict(dice, places) == (True, False)
    if len(places) > 1:
        assert verdict(dice, places, is_right=[0.99, 0.3])[0] is False, "a doubt is what it deserves"


def test_of_photographs_without_places_the_values_are_compared() -> None:
    dice = [LabelledDie(NOWHERE, np.nan, np.nan, value) for value in (5, 3)]
    anywhere = Points(shown=0.5, trusted=0.8)
    assert verdict(dice, RIGHT, anywhere) == (True, True)
    assert verdict(dice, [(50.0, 3), (150.0, 3)], anywhere) == (True, False)
    assert verdict(dice, RIGHT[:1], anywhere) == (True, False)
    assert verdict(dice, RIGHT, anywhere, is_right=[0.9, 0.5]) == (False, True)


def test_pictures_are_judged_each_by_its_own_places() -> None:
    pictures, rows = looked_at((picture(*TWO), RIGHT), (picture(*TWO), RIGHT[:1]), (picture(), []))
    result = judged(pictures, rows, beliefs(rows), POINTS)
    assert result.exact.tolist() == [True, False, True]
    every = np.ones(3, np.bool_)
    assert (result.good(every), result.silent(every)) == (2, 1)
    assert (result.good(~every), result.silent(np.array([True, False, True]))) == (0, 0)


def test_points_are_chosen_so_that_nothing_is_wrong_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    if importlib.util.find_spec("scipy") is None:
        pytest.skip("bounds need scipy: pip install .[training]")
    wrong = [(50.0, 3), (150.0, 2)]
    pictures, rows = looked_at((picture(*TWO), RIGHT), (picture(*TWO), RIGHT), (picture(*TWO), wrong))
    believed = beliefs(rows, is_right=[0.99, 0.96, 0.99, 0.96, 0.99, 0.88])
    points = best_points(pictures, rows, believed, (0.5,))
    assert 0.88 < points.trusted <= 0.96
    assert "0 wrong" in capsys.readouterr().out.splitlines()[-1]


def test_each_source_counts_by_the_root_of_its_places() -> None:
    weights = evened(np.array(["a"] * 9 + ["b"]))
    assert weights.sum() == pytest.approx(10.0)
    assert weights[:9].sum() == pytest.approx(3.0 * weights[9])


def test_the_bound_of_a_share_is_never_under_it() -> None:
    assert upper_bound(3, 3) == 1.0
    if importlib.util.find_spec("scipy") is None:
        pytest.skip("bounds need scipy: pip install .[training]")
    assert upper_bound(0, 598) == pytest.approx(0.005, abs=1e-4)
    assert upper_bound(1, 10) > 0.1
