"""Tops burnt white: found, told from lamps in other things, and never passed over in silence."""

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.detection.burnt import BurntParams, burnt_shares, burnt_tops
from vision.evaluation.bench import drawn_scene
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.reader import Reader
from vision.rendering.synthetic import truth_of
from vision.types.frame import ImageBgr

EDGE_PX = 48.0


def floor_with(box_px: tuple[float, float], turn_deg: float = 20.0) -> ImageBgr:
    """A dim floor with one white rectangle in its middle."""
    image = np.full((240, 320, 3), 90, np.uint8)
    corners = cv2.boxPoints(((160.0, 120.0), box_px, turn_deg))
    cv2.fillConvexPoly(image, np.rint(corners).astype(np.int32), (255, 255, 255))
    return image


@pytest.mark.parametrize("edges", [0.55, 0.75, 0.95])
def test_a_burnt_square_is_found(edges: float) -> None:
    (top,) = burnt_tops(ImagePyramid(floor_with((edges * EDGE_PX, edges * EDGE_PX))), EDGE_PX, BurntParams())
    assert np.hypot(top.center_px[0] - 160, top.center_px[1] - 120) < 2
    assert abs((top.angle_deg - 20 + 45) % 90 - 45) < 6
    assert (top.score, top.edge_px) == (0.0, EDGE_PX)


@pytest.mark.parametrize("box", [(0.3, 0.3), (1.4, 1.4), (1.4, 0.4)])
def test_pips_cards_and_stripes_are_no_burnt_tops(box: tuple[float, float]) -> None:
    image = floor_with((box[0] * EDGE_PX, box[1] * EDGE_PX))
    assert burnt_tops(ImagePyramid(image), EDGE_PX, BurntParams()) == ()


def test_a_lamp_in_a_coins_relief_is_no_burnt_top() -> None:
    image = floor_with((0.0, 0.0))
    for turn in range(0, 360, 72):
        cv2.ellipse(image, (160, 120), (20, 20), 0, turn, turn + 50, (255, 255, 255), 7)
    assert burnt_tops(ImagePyramid(image), EDGE_PX, BurntParams()) == ()


def test_light_on_a_white_floor_is_no_burnt_top() -> None:
    image = np.maximum(floor_with((0.8 * EDGE_PX, 0.8 * EDGE_PX)), 240)
    assert burnt_tops(ImagePyramid(image), EDGE_PX, BurntParams()) == ()


def test_how_much_of_a_top_is_burnt() -> None:
    crops = np.full((3, 40, 40, 3), 120, np.uint8)
    crops[1, :, 20:] = 255
    crops[2] = (250, 250, 200)
    assert burnt_shares(crops, 1.5) == pytest.approx([0.0, 0.5, 0.0], abs=0.05)


@pytest.mark.parametrize("seed", range(6))
def test_a_die_of_which_only_the_corners_are_left_is_reported_unread(seed: int) -> None:
    scene = drawn_scene(seed)
    picture, die = draw(scene), truth_of(scene)[0]
    quad = np.array(die.top_quad_px, np.float32)
    radius_px = 0.5 * float(np.sqrt(cv2.contourArea(quad)))
    middle = quad.mean(axis=0)
    cv2.circle(picture, (round(float(middle[0])), round(float(middle[1]))), round(radius_px), (255, 255, 255), -1)
    reading = Reader().read(picture)
    assert not reading.trusted
    away = [float(np.hypot(*np.subtract(seen.center_px, middle))) for seen in reading.dice]
    assert min(away) < radius_px, "it is overlooked"
    assert reading.dice[int(np.argmin(away))].unread is not None
