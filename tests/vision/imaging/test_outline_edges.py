"""How clearly an outline shows."""

import numpy as np

from vision.imaging.outline_edges import steps_across
from vision.types.frame import ImageBgr

SQUARE = np.array([[200.0, 150.0], [440.0, 150.0], [440.0, 330.0], [200.0, 330.0]])


def tray(right_bgr: tuple[int, int, int] = (40, 90, 160)) -> ImageBgr:
    image = np.full((480, 640, 3), (40, 90, 160), np.uint8)
    image[:, 441:] = right_bgr
    image[150:331, 200:441] = (60, 120, 60)
    return image


def test_side_without_a_step_is_distinguished_from_those_that_show_one() -> None:
    steps = steps_across(tray(right_bgr=(60, 120, 60)), SQUARE)
    assert steps[1] < 2.0
    assert steps[[0, 2, 3]].min() > 15.0


def test_outline_off_the_edge_shows_less_and_size_and_order_change_nothing() -> None:
    right = steps_across(tray(), SQUARE)
    wide = SQUARE + np.array([[-40, -40], [40, -40], [40, 40], [-40, 40]])
    assert steps_across(tray(), wide).max() < 0.2 * right.min()
    twice = np.asarray(np.kron(tray(), np.ones((2, 2, 1))), np.uint8)
    assert np.allclose(steps_across(twice, 2.0 * SQUARE + 0.5), right, atol=2.0)
    assert np.allclose(np.sort(steps_across(tray(), SQUARE[::-1])), np.sort(right), atol=1e-3)


def test_a_thing_on_part_of_a_side_makes_no_step() -> None:
    image = np.full((480, 640, 3), (40, 90, 160), np.uint8)
    image[140:160, 250:320] = (230, 230, 230)
    assert steps_across(image, SQUARE).max() < 2.0
