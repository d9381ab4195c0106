"""Signs that a die does not lie flat: sides that depart from the camera's view of a flat one, and dice too near."""

import numpy as np
import pytest

from vision.cocked import CockedParams, departures, find_overlapping, flat_leans
from vision.view import SizedView, View

VIEW = SizedView(View((320.0, 240.0), 620.0), 25.0)
CENTERS = np.array([[100.0, 100.0], [500.0, 120.0], [320.0, 240.0], [420.0, 400.0], [200.0, 350.0]])
ALL = np.ones(len(CENTERS), np.bool_)
FLAT = (np.array(VIEW.view.nadir_px) - CENTERS) / (620.0 / 25.0 + 1.0)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_leaning_die_departs_by_its_lean(count: int) -> None:
    leans = FLAT[:count].copy()
    leans[0] += np.array([0.0, 10.0])
    flat = flat_leans(CENTERS[:count], leans, np.ones(count, np.bool_), VIEW, CockedParams())
    departed = departures(flat, leans, VIEW)
    assert departed[0] == pytest.approx(0.4)
    assert departed[1:].max(initial=0.0) < 1e-9


def test_what_all_have_in_common_is_the_cameras_tilt() -> None:
    leans = FLAT + np.array([9.0, 0.0])
    assert np.allclose(flat_leans(CENTERS, leans, ALL, VIEW, CockedParams()), leans)
    assert np.allclose(flat_leans(CENTERS[:3], leans[:3], ALL[:3], VIEW, CockedParams()), FLAT[:3]), (
        "three tell nothing"
    )


def test_what_lies_beside_the_tray_has_no_say_in_the_cameras_tilt() -> None:
    leans = FLAT + np.array([9.0, 0.0])
    beside = np.array([[30.0, 20.0], [60.0, 20.0], [90.0, 20.0], [120.0, 20.0], [150.0, 20.0], [180.0, 20.0]])
    votes = np.concatenate([ALL, np.zeros(len(beside), np.bool_)])
    everything = np.concatenate([leans, np.zeros_like(beside)])
    seen = flat_leans(np.concatenate([CENTERS, beside]), everything, votes, VIEW, CockedParams())
    assert np.allclose(seen[: len(CENTERS)], leans)


def test_two_tops_too_near_are_one_on_the_other() -> None:
    centers = np.array([[100.0, 100.0], [115.0, 100.0], [300.0, 100.0]])
    assert find_overlapping(centers, np.full(3, 25.0), CockedParams()).tolist() == [True, True, False]
    assert not find_overlapping(centers[:1], np.full(1, 25.0), CockedParams()).any()
