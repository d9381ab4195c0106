"""How the camera is held, from flat dice; their leans are projected exactly, as cameras do."""

import math

import numpy as np
import pytest

from vision.geometry.camera import MAX_ASLANT, Held, SizedView, View
from vision.geometry.pose import SEEN_WIDER, Leans, Pose, pose_of
from vision.types.frame import FloatArray

FOCAL, EDGE = 620.0, 25.0
VIEW = SizedView(View((320.0, 240.0), FOCAL), EDGE)
LEVEL = Pose(VIEW, Held())
PLACES = np.array([[x, y] for x in (90.0, 250.0, 390.0, 560.0) for y in (70.0, 230.0, 410.0)])


def up_of(aslant_deg: float, heading_deg: float) -> FloatArray:
    """Return the part of the vertical along the picture's axes of a camera tilted by that much."""
    aslant, heading = math.radians(aslant_deg), math.radians(heading_deg)
    return math.sin(aslant) * np.array([math.cos(heading), math.sin(heading)])


def told_of(centers_xy: FloatArray, leans_px: FloatArray, seen_wider: float = 1.0, view: SizedView = VIEW) -> Pose:
    return pose_of(Leans.of(centers_xy, leans_px, view), view, seen_wider)


def shown(centers_xy: FloatArray, up: FloatArray) -> FloatArray:
    """Return the vectors from the centres of flat dice's tops to those of their bottoms, pixels, for a camera so held.

    The dice are scaled so that each has an edge of EDGE at its place.
    """
    straight_up = np.array([*up, -math.sqrt(1.0 - up @ up)])
    tops = np.column_stack([(centers_xy - VIEW.view.nadir_px) / FOCAL, np.ones(len(centers_xy))])
    bottoms = tops - straight_up * EDGE / FOCAL
    ways: FloatArray = bottoms[:, :2] / bottoms[:, 2:] * FOCAL + VIEW.view.nadir_px - centers_xy
    return ways


def test_under_a_level_camera_dice_lean_towards_the_middle() -> None:
    leans = shown(PLACES, np.zeros(2))
    assert np.allclose(LEVEL.flat_leans(PLACES), leans)
    reported = told_of(PLACES, leans)
    assert np.allclose(reported.held.up, 0.0, atol=1e-6)
    assert reported.held.field == pytest.approx(1.0)


@pytest.mark.parametrize("count", [4, 12])
@pytest.mark.parametrize("heading_deg", [0.0, 130.0, 260.0])
@pytest.mark.parametrize("aslant_deg", [3.0, 10.0, 20.0])
def test_dice_show_how_a_camera_in_a_hand_is_held(aslant_deg: float, heading_deg: float, count: int) -> None:
    up = up_of(aslant_deg, heading_deg)
    some = PLACES[:: len(PLACES) // count]
    leans = shown(some, up)
    reported = told_of(some, leans)
    assert np.hypot(*(reported.held.up - up)) < 0.02 + 0.3 * np.hypot(*up) * (count < 6)
    assert np.hypot(*(reported.flat_leans(some) - leans).T).max() < 0.1 * EDGE
    assert np.hypot(*(LEVEL.flat_leans(some) - leans).T).min() > (0.4 if aslant_deg < 5.0 else 1.5) * EDGE / 10.0


def test_one_that_leans_has_no_say() -> None:
    up = up_of(15.0, 40.0)
    leans = shown(PLACES, up)
    leans[4] += np.array([0.0, 0.5 * EDGE])
    reported = told_of(PLACES, leans)
    departed = np.hypot(*(leans - reported.flat_leans(PLACES)).T) / EDGE
    assert departed[4] == pytest.approx(0.5, abs=0.08)
    assert np.delete(departed, 4).max() < 0.08


def test_whatever_is_seen_the_camera_still_sees_a_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.geometry.pose._ASLANT", 100.0)
    reported = told_of(PLACES, shown(PLACES, np.zeros(2)) + np.array([40.0, -30.0]) * EDGE)
    assert math.hypot(*reported.held.up) == pytest.approx(MAX_ASLANT)
    assert np.isfinite(reported.flat_leans(PLACES)).all()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_dice_show_nothing(count: int) -> None:
    some = PLACES[:count]
    reported = told_of(some, shown(some, up_of(15.0, 40.0)))
    assert reported.held == Held()
    assert np.allclose(reported.flat_leans(PLACES), LEVEL.flat_leans(PLACES))


def test_a_camera_put_up_with_care_is_believed_to_be_nearly_level(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = 0.05 * EDGE * np.random.default_rng(3).normal(size=(len(PLACES), 2))
    leans = shown(PLACES, np.zeros(2)) + noise
    careful = told_of(PLACES, leans)
    monkeypatch.setattr("vision.geometry.pose._ASLANT", 10.0)
    free = told_of(PLACES, leans)
    assert math.hypot(*careful.held.up) < math.hypot(*free.held.up)


def test_where_a_profile_knows_how_it_is_held_one_that_leans_among_few_has_no_say() -> None:
    up = up_of(12.0, 200.0)
    known = SizedView(View(VIEW.view.nadir_px, FOCAL, Held((up[0], up[1]))), EDGE)
    for count in (0, 1, 2, 3):
        some = PLACES[:count]
        leans = shown(some, up)
        leans[:1] += np.array([0.0, 0.5 * EDGE])
        reported = told_of(some, leans, view=known)
        assert np.hypot(*(reported.flat_leans(PLACES) - shown(PLACES, up)).T).max() < 0.06 * EDGE


def test_the_dice_of_several_pictures_show_it_together() -> None:
    up = up_of(9.0, 320.0)
    parts = [PLACES[at : at + 2] for at in (0, 5, 10)]
    leans = Leans.of_all([Leans.of(part, shown(part, up), VIEW) for part in parts])
    assert np.hypot(*(np.array(pose_of(leans, VIEW, 1.0).held.up) - up)) < 0.03
    assert Leans.of_all([]).seen.shape == (0, 2)


@pytest.mark.parametrize("wider", [0.8, 1.0, 1.3, 1.6])
def test_a_wide_lens_shows_more_of_all_dices_sides(wider: float) -> None:
    ring = 300.0 * np.array([[np.cos(a), np.sin(a)] for a in np.arange(12) * np.pi / 6]) + VIEW.view.nadir_px
    usual = LEVEL.flat_leans(ring)
    leans = SEEN_WIDER * wider * usual
    leans[0] += np.array([0.0, 10.0])
    flat = told_of(ring, leans, SEEN_WIDER).flat_leans(ring)
    # The usual lens pulls the estimate slightly towards it.
    assert np.allclose(flat, (1.0 + 0.75 * (wider - 1.0)) * usual, rtol=0.06, atol=0.7)
    assert np.hypot(*(leans - flat).T).argmax() == 0
