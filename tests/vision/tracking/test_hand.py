from collections.abc import Iterable

import cv2
import numpy as np
import pytest

from vision.tracking.hand import Hand, find_hand
from vision.types.frame import FloatArray, ImageBgr, ImageGray

DIE_PX = 12.0


def tray() -> FloatArray:
    """Return a small picture, 320x240, with walls, a noisy floor and the same noise each time."""
    rng = np.random.default_rng(1)
    picture = np.full((240, 320, 3), (70, 85, 90), np.float64) + rng.normal(0.0, 2.0, (240, 320, 3))
    picture[20:220, 30:290] = np.array((80, 120, 60)) + rng.normal(0.0, 2.0, (200, 260, 3))
    picture[20:24, 30:290] = picture[216:220, 30:290] = 30
    return picture


def as_image(picture: FloatArray) -> ImageBgr:
    return np.clip(picture, 0, 255).astype(np.uint8)


def with_dice(
    picture: FloatArray, places: Iterable[tuple[int, int]], colour: tuple[int, int, int] = (30, 200, 230)
) -> FloatArray:
    picture = picture.copy()
    for x, y in places:
        picture[y : y + 12, x : x + 12] = colour
        picture[y + 5 : y + 7, x + 5 : x + 7] = 20
    return picture


def with_hand(picture: FloatArray, tip_y: int, skin: tuple[float, float, float] = (150.0, 180.0, 220.0)) -> FloatArray:
    picture = np.ascontiguousarray(picture)
    for x in (140, 152, 164, 176):
        cv2.line(picture, (x, tip_y), (x, tip_y + 50), skin, 9)
    cv2.ellipse(picture, (158, tip_y + 70), (30, 35), 0, 0, 360, skin, -1)
    cv2.rectangle(picture, (140, tip_y + 90), (178, 239), skin, -1)
    return picture


def hand(now: FloatArray, before: FloatArray, floor: ImageGray | None = None, die_px: float | None = DIE_PX) -> Hand:
    return find_hand(as_image(now), as_image(before), floor, die_px)


def is_hand(now: FloatArray, before: FloatArray) -> bool:
    return hand(now, before) is not Hand.NONE


def test_a_hand_over_the_tray_is_one() -> None:
    assert is_hand(with_hand(tray(), 60), tray())


@pytest.mark.parametrize("skin", [(142, 172, 222), (120, 150, 205), (90, 120, 175), (60, 85, 130), (40, 55, 90)])
@pytest.mark.parametrize("floor", [(80, 120, 60), (150, 70, 40), (25, 40, 60), (95, 95, 95), (190, 200, 205)])
@pytest.mark.parametrize("light", [1.0, 0.45])
def test_a_hand_of_any_skin_is_one_over_any_floor(
    skin: tuple[int, int, int], floor: tuple[int, int, int], light: float
) -> None:
    before = tray() * (np.array(floor, np.float64) / (80, 120, 60))
    lit = (skin[0] * light, skin[1] * light, skin[2] * light)
    assert is_hand(with_hand(before * light, 60, lit), before * light)


def test_a_hand_is_seen_over_dice_that_lay_there() -> None:
    before = with_dice(tray(), [(150, 100), (60, 60), (200, 150)])
    assert is_hand(with_hand(before.copy(), 80), before)


def test_dice_that_came_are_no_hand() -> None:
    places = [(60 + 14 * column, 80 + 14 * row) for column in range(4) for row in range(3)]
    assert not is_hand(with_dice(tray(), places), tray())
    assert not is_hand(tray(), with_dice(tray(), places))


def test_nothing_new_is_no_hand() -> None:
    assert not is_hand(tray(), tray())


def test_a_lamp_switched_on_at_one_side_is_no_hand() -> None:
    slope = np.linspace(1.0, 1.9, 320)[None, :, None] * np.linspace(1.2, 0.8, 240)[:, None, None]
    assert not is_hand(tray() * slope, tray())
    assert not is_hand(tray(), tray() * slope)


@pytest.mark.parametrize("tint", [(1.0, 1.0, 1.0), (0.8, 1.0, 1.15)])
def test_a_lamp_over_dice_is_no_hand(tint: tuple[float, float, float]) -> None:
    before = with_dice(tray(), [(60, 60), (150, 100), (200, 150), (90, 170)])
    y, x = np.mgrid[:240, :320]
    spot = np.exp(-((x - 200.0) ** 2 + (y - 90.0) ** 2) / (2 * 70.0**2))[:, :, None]
    assert not is_hand(before * (1.0 + 0.9 * spot * np.array(tint)), before)


def test_without_a_die_to_measure_a_share_of_the_width_serves() -> None:
    before = tray()
    after = with_hand(tray(), 60)
    assert hand(after, before, die_px=None) is Hand.OVER


def test_a_hand_on_the_table_is_near_and_one_on_the_wall_is_over() -> None:
    floor = np.zeros((240, 320), np.uint8)
    floor[20:120, 30:290] = 255
    assert hand(with_hand(tray(), 60), tray(), floor) is Hand.OVER
    assert hand(with_hand(tray(), 126), tray(), floor) is Hand.OVER
    assert hand(with_hand(tray(), 150), tray(), floor) is Hand.NEAR
    assert hand(tray(), tray(), floor) is Hand.NONE
