"""Which colours are a bare floor's own: its shadows are, another thing's are not."""

import numpy as np
import pytest

from vision.bare_floor import BareFloor, BareFloorParams
from vision.floor import Floor

FLOOR_BGR = np.array([120.0, 70.0, 40.0])
ALL = Floor("picture", np.array([(0, 0), (239, 0), (239, 239), (0, 239)], np.float64))
"""All of a picture is floor."""


def pictured(noise: float) -> np.ndarray:
    grain = np.random.default_rng(4).normal(0.0, noise, (240, 240, 3))
    picture = np.clip(FLOOR_BGR + grain, 0, 255).astype(np.uint8)
    picture[100:140, 100:140] = (30, 30, 30)
    return picture


@pytest.mark.parametrize(
    ("bgr", "foreign"),
    [
        (FLOOR_BGR, False),
        (0.3 * FLOOR_BGR, False),
        (1.2 * FLOOR_BGR, False),
        (1.5 * FLOOR_BGR, True),
        ((40.0, 200.0, 240.0), True),
        ((120.0, 70.0, 70.0), True),
    ],
    ids=["floor", "shadow", "lamp", "brighter than lamps make it", "yellow", "redder"],
)
def test_the_floor_in_any_light_is_its_own(bgr: np.ndarray, foreign: bool) -> None:
    floor = BareFloor.of(pictured(3.0), ALL, BareFloorParams())
    assert floor.bgr == pytest.approx(FLOOR_BGR, abs=2.0)
    assert floor.are_foreign(np.array(bgr, np.float64)).item() is foreign


def test_a_grainy_floor_may_depart_farther() -> None:
    smooth, grainy = (BareFloor.of(pictured(noise), ALL, BareFloorParams()) for noise in (1.0, 20.0))
    assert smooth.levels == BareFloorParams().levels
    assert grainy.levels > 2.0 * smooth.levels


def test_of_no_floor_nothing_is_foreign() -> None:
    nowhere = Floor("picture", np.array([(-90, -90), (-80, -90), (-80, -80), (-90, -80)], np.float64))
    floor = BareFloor.of(pictured(3.0), nowhere, BareFloorParams())
    assert not floor.are_foreign(np.array([[0.0, 0.0, 255.0], [1.0, 1.0, 1.0]])).any()
