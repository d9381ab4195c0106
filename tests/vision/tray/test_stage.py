"""Where a picture of a calibrated tray is searched, and the light there."""

import numpy as np
import pytest

from vision.tray.floor import Floor
from vision.tray.profile import Profile
from vision.tray.stage import Stage, set_stage

EMPTY = np.full((480, 640, 3), (60, 90, 120), np.uint8)
OUTLINE = np.array([[40.0, 40.0], [600.0, 40.0], [600.0, 440.0], [40.0, 440.0]])
PROFILE = Profile(
    640, 480, Floor("rectangle", OUTLINE), (260.0, 190.0), 16.0, 30.0, (), np.full((48, 64, 3), (60.0, 90.0, 120.0))
)


def stage_of(image: np.ndarray) -> Stage:
    stage = set_stage(image, PROFILE)
    assert stage is not None
    return stage


def test_light_is_that_of_the_bare_floor_around_each_die() -> None:
    shaded = EMPTY.copy()
    shaded[:, 320:] //= 3
    for x in (150, 320, 500):
        shaded[225:255, x - 15 : x + 15] = 255  # dice, which don't count
    stage = stage_of(shaded)
    centers = np.array([[150.0, 240.0], [320.0, 240.0], [500.0, 240.0]]) - stage.left_top
    lights = stage.lights_around(centers, np.full(3, 30.0)).mean(axis=2)
    assert lights == pytest.approx(np.array([[1.0, 1.0], [1.0, 0.36], [0.36, 0.36]]), abs=0.03)


def test_a_die_without_bare_floor_around_it_has_the_light_of_the_tray() -> None:
    stage = stage_of(EMPTY // 2)
    x, y = np.meshgrid(np.arange(100.0, 560.0, 20.0), np.arange(100.0, 400.0, 20.0))
    crowd = np.stack([x.ravel(), y.ravel()], axis=1) - stage.left_top
    lights = stage.lights_around(crowd, np.full(len(crowd), 30.0))
    assert lights == pytest.approx(np.broadcast_to(stage.gain, lights.shape))
