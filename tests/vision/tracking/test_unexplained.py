from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from vision.tracking.unexplained import holds_unexplained
from vision.types.frame import FloatArray
from vision.types.reading import DieReading

FLOOR = np.zeros((240, 320), np.uint8)
FLOOR[20:220, 30:290] = 255


def empty_tray(floor: tuple[int, int, int] = (80, 120, 60)) -> FloatArray:
    picture = np.full((240, 320, 3), (70, 85, 90), np.float64)
    picture[20:220, 30:290] = floor
    return picture + np.random.default_rng(1).normal(0.0, 2.0, picture.shape)


def with_die(picture: FloatArray, x: int, y: int, colour: tuple[int, int, int] = (30, 200, 230)) -> FloatArray:
    picture = picture.copy()
    picture[y - 6 : y + 6, x - 6 : x + 6] = colour
    picture[y - 1 : y + 1, x - 1 : x + 1] = 245 if max(colour) < 60 else 20
    return picture


def read(*places: tuple[float, float]) -> list[DieReading]:
    """Return readings of a picture twice the size."""
    dice = []
    for x, y in places:
        left, top, right, bottom = 2.0 * x - 12.0, 2.0 * y - 12.0, 2.0 * x + 12.0, 2.0 * y + 12.0
        quad = ((left, top), (right, top), (right, bottom), (left, bottom))
        dice.append(DieReading("base", 1, 0.9, None, (2.0 * x, 2.0 * y), (left, top, 24.0, 24.0), quad))
    return dice


def unexplained(picture: FloatArray, dice: Sequence[DieReading], floor: tuple[int, int, int] = (80, 120, 60)) -> bool:
    now = np.clip(picture, 0, 255).astype(np.uint8)
    empty = np.clip(empty_tray(floor), 0, 255).astype(np.uint8)
    return holds_unexplained(now, empty, FLOOR, dice, 0.5)


def test_dice_that_were_read_explain_themselves() -> None:
    picture = with_die(with_die(empty_tray(), 100, 100), 200, 150, (120, 220, 140))
    assert not unexplained(picture, read((100, 100), (200, 150)))
    assert not unexplained(empty_tray(), [])


@pytest.mark.parametrize("colour", [(30, 200, 230), (120, 220, 140), (230, 230, 230), (40, 30, 200)])
def test_a_die_that_was_overlooked_stands_out(colour: tuple[int, int, int]) -> None:
    picture = with_die(with_die(empty_tray(), 100, 100), 200, 150, colour)
    assert unexplained(picture, read((100, 100)))
    assert unexplained(with_die(empty_tray(), 200, 150, colour), [])


def test_a_pencil_stands_out() -> None:
    picture = empty_tray()
    cv2.line(picture, (80, 180), (180, 200), (60, 190, 240), 3)
    assert unexplained(picture, [])


@pytest.mark.parametrize("gain", [0.6, 0.9, 1.2])
def test_shadows_and_lamps_are_no_things(gain: float) -> None:
    picture = empty_tray() * gain
    cv2.ellipse(picture, (150, 120), (30, 14), 20, 0, 360, (80 * gain * 0.4, 120 * gain * 0.4, 60 * gain * 0.4), -1)
    assert not unexplained(picture, [])


@pytest.mark.parametrize("floor", [(10, 170, 190), (5, 120, 130), (20, 20, 160), (190, 200, 205)])
def test_a_shadow_that_one_lamp_casts_where_another_shines_is_no_thing_on_any_floor(
    floor: tuple[int, int, int],
) -> None:
    picture = empty_tray(floor)
    left = np.array(floor) * (0.48, 0.55, 0.6)
    cv2.ellipse(picture, (150, 120), (30, 14), 20, 0, 360, tuple(left.tolist()), -1)
    assert not unexplained(picture, [], floor)
    assert unexplained(with_die(picture, 200, 150, (120, 60, 40)), [], floor)


def test_a_lamp_at_one_side_is_no_thing_and_hides_none() -> None:
    slope = np.linspace(0.9, 1.7, 320)[None, :, None]
    assert not unexplained(empty_tray() * slope, [])
    assert unexplained(with_die(empty_tray(), 200, 150) * slope, [])


def test_objects_next_to_the_tray_are_ignored() -> None:
    picture = empty_tray()
    picture[80:160, 296:318] = (30, 30, 220)
    assert not unexplained(picture, [])
