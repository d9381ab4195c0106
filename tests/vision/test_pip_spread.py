"""How far apart pips lie: a die nearer to the camera has them farther apart than the dice like it."""

import numpy as np
import pytest

from vision.faces import Face
from vision.frame import FloatArray
from vision.lattice import PATTERN_VALUES, PATTERNS, SITES
from vision.pip_spread import SpreadParams, odds_of_lying_higher, spreads_px, weigh_in
from vision.pips import Pips
from vision.tops import places_of

EDGE = 40.0
PARAMS = SpreadParams()
YELLOW, GREEN = (40.0, 190.0, 230.0), (60.0, 130.0, 50.0)
HIGHER = 0.04
NONE = Pips(False, np.zeros((0, 2)), np.zeros(0), np.zeros(0))


def face(place: int, value: int, body: tuple[float, float, float] = YELLOW, turn: float = 0.3) -> Face:
    """A die with dark pips; its lattice was read at the edge that all have in common."""
    axis = 0.5 * EDGE * np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-axis[1], axis[0]])
    center = np.array([100.0 * place + 60.0, 80.0])
    return Face(center, axis, across, value, 1.0, 0.0, 90.0, np.array(body), np.zeros(3), True, np.array(body), 9.0)


def pips_of(faces: list[Face], sizes: list[float]) -> tuple[Pips, Pips]:
    """Where the pips of dice lie that show larger than usual by these factors."""
    places: list[FloatArray] = []
    for die, size in zip(faces, sizes, strict=True):
        sites = np.zeros((1, 2)) if die.value == 1 else SITES[PATTERNS[die.value == PATTERN_VALUES][0] > 0]
        places.append(die.center_xy + 0.5 * size * sites @ np.array([die.axis_xy, die.across_xy]))
    xy = np.concatenate(places)
    return NONE, Pips(True, xy, np.full(len(xy), 90.0), np.ones(len(xy)))


def spread_of(dice: list[Face], pips: tuple[Pips, Pips]) -> FloatArray:
    return spreads_px(places_of(dice)[0], np.array([die.dark for die in dice]), pips, PARAMS)


def odds_of(dice: list[Face], pips: tuple[Pips, Pips]) -> FloatArray:
    return odds_of_lying_higher(dice, places_of(dice)[0], pips, HIGHER, PARAMS)


@pytest.mark.parametrize("value", [2, 3, 4, 5, 6])
def test_a_spread_is_the_step_between_pips(value: int) -> None:
    dice = [face(0, value), face(1, value, turn=-0.7)]
    assert spread_of(dice, pips_of(dice, [1.0, 1.05])) == pytest.approx([0.25 * EDGE, 0.2625 * EDGE])


def test_a_one_has_no_spread_and_a_die_without_pips_none() -> None:
    dice = [face(0, 1), face(1, 4)]
    assert spread_of(dice, pips_of(dice[:1], [1.0])).tolist() == [0.0, 0.0]
    assert spread_of(dice, (NONE, NONE)).tolist() == [0.0, 0.0]


def test_a_die_that_shows_larger_likely_lies_higher() -> None:
    dice = [face(0, 4), face(1, 5), face(2, 6), face(3, 3)]
    odds = odds_of(dice, pips_of(dice, [1.0, 1.0, 1.0, 1.0 + HIGHER]))
    assert odds[3] > 5.0
    assert (odds[:3] < 0.2).all()


def test_only_dice_alike_are_compared() -> None:
    dice = [face(0, 4), face(1, 5), face(2, 6), face(3, 3, GREEN), face(4, 4, GREEN)]
    odds = odds_of(dice, pips_of(dice, [1.0, 1.0, 1.0, 1.04, 1.04]))
    assert (odds[:3] < 0.2).all()
    assert odds[3:].tolist() == [1.0, 1.0], "one other green die is too few"


def test_nothing_is_said_of_nothing() -> None:
    assert odds_of([face(0, 1)], (NONE, NONE)).tolist() == [1.0]


def test_odds_move_shares_between_flat_and_on_another() -> None:
    shares = np.array([[0.5, 0.1, 0.4], [0.5, 0.1, 0.4], [0.5, 0.1, 0.4], [0.02, 0.1, 0.88]], np.float32)
    weigh_in(shares, np.array([1.0, 16.0, 1 / 16, 100.0]), PARAMS)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert shares[:, 1] == pytest.approx(0.1)
    assert shares[0] == pytest.approx([0.5, 0.1, 0.4])
    assert shares[1, 2] > 0.7
    assert shares[2, 2] < 0.2
    assert shares[3] == pytest.approx([0.0, 0.1, 0.9], abs=1e-6), "no more than there is"
