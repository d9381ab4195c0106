"""Signs that a die does not lie flat: sides that depart from the camera's view of a flat one, and dice too near."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.cocked import CockedParams, departures, find_cocked, find_overlapping, flat_leans
from vision.faces import Face
from vision.pips import Pips
from vision.shrink import Halves
from vision.soft import soften
from vision.view import SizedView, View

VIEW = SizedView(View((320.0, 240.0), 620.0), 25.0)
CENTERS = np.array([[100.0, 100.0], [500.0, 120.0], [320.0, 240.0], [420.0, 400.0], [200.0, 350.0]])
ALL = np.ones(len(CENTERS), np.bool_)
KNOWN_LENS = CockedParams(wider=1e-6)
FLAT = (np.array(VIEW.view.nadir_px) - CENTERS) / (620.0 / 25.0 + 1.0)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_leaning_die_departs_by_its_lean(count: int) -> None:
    leans = FLAT[:count].copy()
    leans[0] += np.array([0.0, 10.0])
    flat = flat_leans(CENTERS[:count], leans, np.ones(count, np.bool_), VIEW, KNOWN_LENS)
    departed = departures(flat, leans, VIEW)
    assert departed[0] == pytest.approx(0.4)
    assert departed[1:].max(initial=0.0) < 1e-9


def test_what_all_have_in_common_is_the_cameras_tilt() -> None:
    half = replace(KNOWN_LENS, common_share=0.5, common_error=0.1)
    for seen_px, believed_px in ((2.0, 1.0), (5.0, 2.5), (9.0, 6.5)):  # edges of 25 px
        leans = FLAT + np.array([seen_px, 0.0])
        assert np.allclose(flat_leans(CENTERS, leans, ALL, VIEW, half), FLAT + np.array([believed_px, 0.0]))
    assert np.allclose(flat_leans(CENTERS[:3], leans[:3], ALL[:3], VIEW, KNOWN_LENS), FLAT[:3]), "three tell nothing"


@pytest.mark.parametrize("wider", [0.8, 1.0, 1.3, 1.6])
def test_a_wide_lens_shows_more_of_all_dices_sides(wider: float) -> None:
    ring = 300.0 * np.array([[np.cos(a), np.sin(a)] for a in np.arange(12) * np.pi / 6]) + VIEW.view.nadir_px
    usual = (np.array(VIEW.view.nadir_px) - ring) / (620.0 / 25.0 + 1.0)
    leans = CockedParams().seen_wider * wider * usual
    leans[0] += np.array([0.0, 10.0])
    told = flat_leans(ring, leans, np.ones(12, np.bool_), VIEW, CockedParams())
    # What is known of lenses draws it a little towards the usual one.
    assert np.allclose(told, (1.0 + 0.85 * (wider - 1.0)) * usual, rtol=0.06, atol=0.5)
    assert departures(told, leans, VIEW).argmax() == 0
    few = flat_leans(ring[:2], leans[:2], np.ones(2, np.bool_), VIEW, CockedParams())
    assert np.allclose(few, usual[:2]), "two tell nothing"


def test_what_lies_beside_the_tray_has_no_say_in_the_cameras_tilt() -> None:
    leans = FLAT + np.array([9.0, 0.0])
    beside = np.array([[30.0, 20.0], [60.0, 20.0], [90.0, 20.0], [120.0, 20.0], [150.0, 20.0], [180.0, 20.0]])
    votes = np.concatenate([ALL, np.zeros(len(beside), np.bool_)])
    everything = np.concatenate([leans, np.zeros_like(beside)])
    seen = flat_leans(np.concatenate([CENTERS, beside]), everything, votes, VIEW, CockedParams())
    assert np.allclose(seen[: len(CENTERS)], flat_leans(CENTERS, leans, ALL, VIEW, CockedParams()))


def test_two_tops_too_near_are_one_on_the_other() -> None:
    centers = np.array([[100.0, 100.0], [115.0, 100.0], [300.0, 100.0]])
    assert find_overlapping(centers, np.full(3, 25.0), CockedParams()).tolist() == [True, True, False]
    assert not find_overlapping(centers[:1], np.full(1, 25.0), CockedParams()).any()


def face(x: float, contrast: float) -> Face:
    """A dark die with light pips; without a contrast no lattice was read of it."""
    side, body, light = np.array([20.0, 0.0]), np.full(3, 60.0), np.full(3, 200.0)
    across = np.array([0.0, 20.0])
    return Face(np.array([x, 100.0]), side, across, 4, 1.0, 0.0, contrast, body, light, False, body, 9.0)


def test_a_pip_nearest_to_a_die_without_a_lattice_is_no_other_dies_side() -> None:
    picture = np.full((200, 300, 3), 60, np.uint8)
    cv2.circle(picture, (134, 100), 3, (200, 200, 200), -1)
    soft = soften(Halves(picture), 40.0, 0.02)
    nothing = Pips(True, np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    spot = Pips(False, np.array([[134.0, 100.0]]), np.array([140.0]), np.ones(1))
    view = SizedView(View((130.0, 100.0), 1240.0), 40.0)

    def told(*faces: Face) -> tuple[bool, ...]:
        return find_cocked(soft, faces, (spot, nothing), view, CockedParams())

    assert told(face(100.0, 140.0)) == (True,), "a side that a flat die would hide"
    assert told(face(100.0, 140.0), face(160.0, 0.0)) == (False, False)
    assert told(face(160.0, 0.0)) == (False,)
