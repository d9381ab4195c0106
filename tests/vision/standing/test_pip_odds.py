"""Pips measured, and what they say: a die nearer to the camera shows them farther apart, one that leans nearer."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.detection.faces import Face
from vision.detection.lattice import PATTERN_VALUES, PATTERNS, SITES
from vision.detection.pips import Pips
from vision.detection.squares import places_of
from vision.geometry.camera import Held, SizedView, View
from vision.geometry.pose import Pose
from vision.standing.pip_middles import MiddleParams, Seen, pips_of_faces
from vision.standing.pip_odds import PipOddsParams, odds_of_standing, weigh_in
from vision.standing.pip_spread import SpreadParams, spreads_of
from vision.standing.stance import FLAT, LEANING, STACKED
from vision.types.frame import FloatArray

EDGE = 40.0
PARAMS, ODDS = SpreadParams(), PipOddsParams()
YELLOW, ORANGE = (40.0, 190.0, 230.0), (30.0, 100.0, 235.0)
HIGHER = 0.04
POSE = Pose(SizedView(View((320.0, 240.0), EDGE / HIGHER), EDGE), Held())
NONE = Pips(False, np.zeros((0, 2)), np.zeros(0), np.zeros(0))
EVEN = np.eye(2)
FINE = 1 << 6


def face(place: int, value: int, body: tuple[float, float, float] = YELLOW, turn: float = 0.3) -> Face:
    """A die with dark pips; its lattice was read at the edge that all have in common."""
    axis = 0.5 * EDGE * np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-axis[1], axis[0]])
    center = np.array([100.0 * (place % 5) + 60.3, 100.0 * (place // 5) + 80.7])
    body_bgr, pip_bgr, step_px = np.array(body), np.full(3, 20.0), 0.25 * EDGE
    return Face(center, axis, across, value, 1.0, 0.0, 90.0, body_bgr, pip_bgr, True, body_bgr, 9.0, step_px)


def seen_of(faces: list[Face], shapes: Sequence[FloatArray | float], off_px: float = 0.8) -> Seen:
    """Dice drawn with their pips, which were found a little off; shapes say how they differ from a flat die's."""
    picture = np.full((400, 600, 3), 90, np.uint8)
    rng, found = np.random.default_rng(5), []
    for die, shape in zip(faces, shapes, strict=True):
        corners = die.center_xy + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ [die.axis_xy, die.across_xy]
        cv2.fillConvexPoly(picture, np.rint(corners * FINE).astype(np.int32), die.body_bgr.tolist(), cv2.LINE_AA, 6)
        sites = np.zeros((1, 2)) if die.value == 1 else SITES[PATTERNS[die.value == PATTERN_VALUES][0] > 0]
        for place in die.center_xy + 0.5 * sites @ (shape * EVEN) @ np.array([die.axis_xy, die.across_xy]):
            at, radius = np.rint(place * FINE).astype(int).tolist(), round(0.09 * EDGE * FINE)
            cv2.circle(picture, at, radius, (20, 20, 20), cv2.FILLED, cv2.LINE_AA, 6)
            found.append(place + rng.uniform(-off_px, off_px, 2))
    pips = Pips(True, np.array(found), np.full(len(found), 90.0), np.ones(len(found)))
    return Seen(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8), faces, places_of(faces)[0], (NONE, pips))


def odds_of(seen: Seen, unknown: Sequence[int] = ()) -> FloatArray:
    return odds_of_standing(seen, ~np.isin(np.arange(len(seen.faces)), unknown), POSE, ODDS)


def test_pips_are_measured_to_a_tenth_of_a_pixel() -> None:
    dice = [face(0, 5), face(1, 6, turn=-0.7)]
    seen = seen_of(dice, [1.0, 1.0])
    pips = pips_of_faces(seen, MiddleParams())
    for die, shown, at in zip(dice, pips.shown, pips.at, strict=True):
        truth = die.center_xy + 0.5 * SITES[shown] @ np.array([die.axis_xy, die.across_xy])
        assert shown.sum() == die.value
        assert np.abs(at[shown] - truth @ [1, 1j]).max() < 0.1


@pytest.mark.parametrize("value", [2, 3, 4, 5, 6])
def test_a_spread_is_the_step_between_pips(value: int) -> None:
    dice = [face(0, value), face(1, value, turn=-0.7)]
    spreads = spreads_of(seen_of(dice, [1.0, 1.05]), POSE, PARAMS)
    assert spreads.step_px == pytest.approx([0.25 * EDGE, 0.2625 * EDGE], rel=0.005)
    assert (spreads.error < 0.01).all()


def test_of_a_6_only_the_way_along_its_rows_counts() -> None:
    dice = [face(0, 6), face(1, 6)]
    spreads = spreads_of(seen_of(dice, [np.diag([1.0, 0.8]), np.diag([1.05, 0.8])]), POSE, PARAMS)
    assert spreads.step_px == pytest.approx([0.25 * EDGE, 0.2625 * EDGE], rel=0.005)
    assert np.isinf(spreads.uneven_error).all()


def test_of_a_narrow_6_all_pips_are_measured() -> None:
    narrow = replace(face(0, 6), narrow=(1.0, 0.6))
    seen = seen_of([narrow], [np.diag([1.0, 0.6])])
    assert pips_of_faces(seen, MiddleParams()).shown.sum() == 6
    assert spreads_of(seen, POSE, PARAMS).step_px == pytest.approx([0.25 * EDGE], rel=0.005)


def test_a_one_has_no_spread_and_a_die_without_pips_none() -> None:
    dice = [face(0, 1), face(1, 4)]
    assert spreads_of(seen_of(dice[:1], [1.0]), POSE, PARAMS).step_px.tolist() == [0.0]
    bare = Seen(np.full((400, 600, 3), 90, np.uint8), dice, places_of(dice)[0], (NONE, NONE))
    assert spreads_of(bare, POSE, PARAMS).step_px.tolist() == [0.0, 0.0]


def test_pips_that_cannot_be_made_out_show_nothing() -> None:
    seen = seen_of([face(0, 4)], [1.0])
    dim = Seen(np.full_like(seen.picture_bgr, 90), seen.faces, seen.squares, seen.pips)
    assert spreads_of(dim, POSE, PARAMS).step_px.tolist() == [0.0]


def test_a_die_that_shows_larger_likely_lies_higher() -> None:
    dice = [face(0, 4), face(1, 5), face(2, 6), face(3, 3)]
    odds = odds_of(seen_of(dice, [1.0, 1.0, 1.0, 1.0 + HIGHER]))
    assert odds[3, STACKED] > 5.0
    assert (odds[:3, STACKED] < 0.5).all()
    assert (odds[:, FLAT] == 1.0).all()


def test_where_other_values_are_laid_out_otherwise_one_of_its_own_shows_nothing() -> None:
    dice = [face(place, value) for place, value in enumerate([4, 4, 5, 5, 2, 2, 3])]
    larger = [1.0, 1.0, 1.06, 1.06, 0.94, 0.94, 1.0 + HIGHER]
    assert odds_of(seen_of(dice, larger))[6, STACKED] < 2.0
    alike = [*[1.0] * 6, 1.0 + HIGHER]
    assert odds_of(seen_of(dice, alike))[6, STACKED] > 5.0


def test_dice_of_one_value_are_held_against_one_another_whatever_the_others_layouts() -> None:
    dice = [face(place, value) for place, value in enumerate([4, 4, 5, 5, 2, 2, 3, 3, 3, 3])]
    larger = [1.0, 1.0, 1.09, 1.09, 0.93, 0.93, 1.0, 1.0, 1.0, 1.0 + 1.5 * HIGHER]
    odds = odds_of(seen_of(dice, larger))[:, STACKED]
    assert odds[9] > 2.0
    assert (odds[:9] < 2.0).all()


def test_a_die_that_shows_shortened_one_way_likely_leans() -> None:
    dice = [face(0, 4), face(1, 5), face(2, 4), face(3, 5)]
    odds = odds_of(seen_of(dice, [1.0, 1.0, np.diag([0.9, 1.0]), np.diag([1.0, 0.92])]))
    assert (odds[2:, LEANING] > 5.0).all()
    assert (odds[:2, LEANING] < 0.5).all()


def test_a_die_as_large_as_the_others_may_lean_all_the_same() -> None:
    dice = [face(0, 2), face(1, 3), face(2, 2), face(3, 6)]
    assert odds_of(seen_of(dice, [1.0] * 4))[:, LEANING] == pytest.approx(1.0)


def test_dice_of_another_colour_may_be_another_makers() -> None:
    alike = [face(0, 4), face(1, 5), face(2, 6), face(3, 4)]
    odd = [*alike[:3], face(3, 4, ORANGE)]
    shapes = [1.0, 1.0, 1.0, 1.0 + HIGHER]
    among_others = odds_of(seen_of(odd, shapes))[3, STACKED]
    assert 2.0 < among_others < odds_of(seen_of(alike, shapes))[3, STACKED]


def test_a_class_of_another_makers_dice_lies_no_higher() -> None:
    dice = [face(place, 4 + place % 3, ORANGE if place in (3, 8, 13) else YELLOW) for place in range(15)]
    larger = [1.0 + HIGHER if die.body_bgr[1] == ORANGE[1] else 1.0 for die in dice]
    odds = odds_of(seen_of(dice, larger))
    assert (odds[:, STACKED] < 2.0).all()


def test_a_camera_that_leans_lifts_no_die() -> None:
    dice = [face(place, 4 + place % 3) for place in range(15)]
    larger = [1.0 + 0.06 * (die.center_xy[0] - 260.0) / POSE.view.view.focal_px for die in dice]
    assert (odds_of(seen_of(dice, larger))[:, STACKED] < 1.0).all()


def test_what_may_be_no_die_has_no_say() -> None:
    dice = [face(0, 4), face(1, 5), face(2, 4), face(3, 4), face(4, 5), face(5, 4)]
    shapes = [1.0, 1.0, 1.0, 0.8, 0.8, 0.8]
    odds = odds_of(seen_of(dice, shapes), unknown=[3, 4, 5])
    assert (odds[:3, STACKED] < 0.5).all()


def test_of_too_few_dice_nothing_is_said() -> None:
    dice = [face(0, 2), face(1, 3)]
    assert odds_of(seen_of(dice, [1.0, 1.0 + HIGHER])).tolist() == [[1.0] * 3] * 2
    one = [face(0, 1)]
    assert odds_of(Seen(np.zeros((9, 9, 3), np.uint8), one, places_of(one)[0], (NONE, NONE))).tolist() == [[1.0] * 3]


def test_odds_move_the_shares() -> None:
    shares = np.array([[0.5, 0.1, 0.4], [0.5, 0.1, 0.4], [0.5, 0.1, 0.4], [0.5, 0.1, 0.4]], np.float32)
    weigh_in(shares, np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 16.0], [1.0, 1.0, 1 / 16], [1.0, 30.0, 1.0]]), ODDS)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert shares[0] == pytest.approx([0.5, 0.1, 0.4])
    assert shares[1, STACKED] > 0.9
    assert shares[2, STACKED] < 0.1
    assert shares[3, LEANING] > 0.7
