"""The bare floor: its own colour in any light is the floor, others are not."""

import numpy as np

from vision.tray.bare_floor import BareFloor, BareFloorParams
from vision.tray.floor import Floor

FLOOR_BGR = np.array([120.0, 70.0, 40.0])
YELLOW = np.array([40.0, 200.0, 240.0])
BARE = Floor("picture", np.array([(0, 0), (239, 0), (239, 239), (0, 239)], np.float64))
"""All of a picture is floor."""


def floor_of(grain: float) -> BareFloor:
    noise = np.random.default_rng(4).normal(0.0, grain, (240, 240, 3))
    picture = np.clip(FLOOR_BGR + noise, 0, 255).astype(np.uint8)
    return BareFloor.of(picture, BARE, np.zeros(2), BareFloorParams())


def test_a_shadow_and_a_lamp_are_the_floor_in_other_light() -> None:
    floor = floor_of(3.0)
    assert not floor.are_foreign(FLOOR_BGR * np.array([[0.3], [1.0], [1.2]])).any()


def test_another_colour_is_foreign() -> None:
    assert floor_of(3.0).are_foreign(np.stack([FLOOR_BGR, YELLOW])).tolist() == [False, True]


def test_a_grainy_floor_allows_for_its_grain() -> None:
    near = FLOOR_BGR + np.array([0.0, 30.0, 0.0])
    assert floor_of(3.0).are_foreign(near)
    assert not floor_of(25.0).are_foreign(near)


def test_where_no_floor_shows_nothing_is_foreign() -> None:
    outside = Floor("picture", BARE.outline_px + 1000.0)
    floor = BareFloor.of(np.zeros((40, 40, 3), np.uint8), outside, np.zeros(2), BareFloorParams())
    assert not floor.are_foreign(YELLOW)
