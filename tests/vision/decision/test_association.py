import numpy as np
import pytest

from vision.decision.association import matched, suppress_duplicates


def test_dice_side_by_side_both_stay() -> None:
    center = np.array([[0.0, 0.0], [20.0, 0.0]])
    assert sorted(suppress_duplicates(center, np.array([20.0, 20.0]), np.array([0.9, 0.8])).tolist()) == [0, 1]


@pytest.mark.parametrize("belief", [(0.9, 0.8), (0.8, 0.9)])
def test_of_two_places_on_one_die_the_better_stays(belief: tuple[float, float]) -> None:
    center = np.array([[0.0, 0.0], [9.0, 0.0]])
    kept = suppress_duplicates(center, np.array([20.0, 20.0]), np.array(belief))
    assert kept.tolist() == [int(np.argmax(belief))]


def test_a_pip_of_a_large_die_is_no_small_die() -> None:
    center = np.array([[0.0, 0.0], [30.0, 30.0], [-30.0, -30.0]])
    kept = suppress_duplicates(center, np.array([100.0, 16.0, 16.0]), np.array([0.9, 0.5, 0.4]))
    assert kept.tolist() == [0]


def test_nothing_comes_of_nothing() -> None:
    assert suppress_duplicates(np.zeros((0, 2)), np.zeros(0), np.zeros(0)).tolist() == []
    assert matched(np.zeros((0, 2)), np.zeros(0), np.zeros((1, 2)), np.ones(1)).tolist() == []
    assert matched(np.zeros((1, 2)), np.ones(1), np.zeros((0, 2)), np.zeros(0)).tolist() == [-1]


def test_each_die_is_matched_once_with_the_nearest_place_of_its_size() -> None:
    places = np.array([[0.0, 0.0], [4.0, 0.0], [50.0, 0.0], [100.0, 0.0]])
    edges = np.array([20.0, 20.0, 8.0, 20.0])
    dice = np.array([[3.0, 0.0], [50.0, 0.0], [140.0, 0.0]])
    # The first place is on the first die as well, but the second is nearer; the third is too small for the second die.
    assert matched(places, edges, dice, np.full(3, 20.0)).tolist() == [-1, 0, -1, -1]
