from collections.abc import Iterable
from typing import Any

import cv2
import numpy as np
import pytest

from vision.tracking.settle import CELL_PX, SettleDetector, Stillness, shrink
from vision.types.frame import FloatArray, ImageBgr

FELT = np.full((480, 640, 3), (90, 95, 100), dtype=np.float64)


def floor_picture(
    rng: np.random.Generator,
    sigma: float = 2.0,
    die_xy: tuple[int, int] = (300, 200),
    gain: float = 1.0,
    rows: FloatArray | None = None,
) -> ImageBgr:
    """Return a 640x480 felt floor with one yellow die of 25 px; `rows` multiplies each line."""
    picture = FELT.copy()
    x, y = die_xy
    picture[y : y + 25, x : x + 25] = (30, 200, 230)
    picture[y + 10 : y + 15, x + 10 : x + 15] = (20, 20, 20)
    if rows is not None:
        picture *= rows[:, None, None]
    return noisy(picture * gain, rng, sigma)


def noisy(picture: FloatArray, rng: np.random.Generator, sigma: float) -> ImageBgr:
    """Return the picture in integer levels, with noise; shape (H, W, 3), 0-255."""
    noise = rng.standard_normal(picture.shape)
    noise *= sigma
    noise += picture
    return np.clip(noise, 0, 255, out=noise).astype(np.uint8)


def watch(pictures: Iterable[ImageBgr], fps: float = 15.0) -> list[Any]:
    detector = SettleDetector()
    return [detector.see(shrink(picture), index / fps) for index, picture in enumerate(pictures)]


@pytest.mark.parametrize("sigma", [0.0, 2.0, 8.0, 20.0])
def test_noise_alone_is_stillness(sigma: float) -> None:
    rng = np.random.default_rng(1)
    seen = watch(floor_picture(rng, sigma) for _ in range(40))
    assert not any(look.moving for look in seen)
    assert seen[-1].still_for_s == pytest.approx(39 / 15.0)


def test_one_smooth_picture_makes_no_motion_of_the_noise_after_it() -> None:
    rng = np.random.default_rng(5)
    pictures = [floor_picture(rng, 8.0) for _ in range(40)]
    pictures[20] = np.asarray(cv2.GaussianBlur(pictures[19], (0, 0), 1.5), np.uint8)
    looks = watch(pictures)
    assert not any(look.moving for look in looks[22:])


def test_mains_flicker_and_a_slow_drift_are_stillness() -> None:
    rng = np.random.default_rng(2)
    lines = np.arange(480)
    pictures = (
        floor_picture(rng, gain=1.0 - 0.004 * index, rows=1.0 + 0.06 * np.sin(lines / 40.0 + index))
        for index in range(90)
    )
    assert not any(look.moving for look in watch(pictures))


def white_table_picture(rng: np.random.Generator, index: int, die_x: int | None = None) -> ImageBgr:
    """Return a tray on a table that a lamp burns to white except its far end, where the lamp's ripple is visible."""
    picture = np.full((480, 640, 3), 268.0)
    picture[:, 560:] = 242.0
    picture[60:420, 110:530] = (90, 95, 100)
    if die_x is not None:
        picture[200:225, die_x : die_x + 25] = (30, 200, 230)
    ripple = 1.0 + 0.03 * np.sin(np.arange(480) / 45.0 + 2.5 * index)
    return noisy(picture * ripple[:, None, None], rng, 1.5)


def test_mains_flicker_on_a_table_that_is_nearly_white_is_stillness() -> None:
    rng = np.random.default_rng(6)
    assert not any(look.moving for look in watch(white_table_picture(rng, index) for index in range(60)))


def test_a_die_that_crosses_a_table_that_is_nearly_white_is_motion() -> None:
    rng = np.random.default_rng(7)
    looks = watch(white_table_picture(rng, index, die_x=560 + 8 * index) for index in range(7))
    assert all(look.moving for look in looks[1:])


def test_a_rolling_die_is_motion_until_it_lies() -> None:
    rng = np.random.default_rng(3)
    places = [(300 + 9 * max(0, 12 - index), 200) for index in range(20)]
    seen = watch(floor_picture(rng, die_xy=place) for place in places)
    assert all(look.moving for look in seen[1:13])
    assert not any(look.moving for look in seen[13:])
    assert seen[-1].still_for_s == pytest.approx(7 / 15.0)


def test_creeping_adds_up_until_it_is_motion() -> None:
    rng = np.random.default_rng(4)
    # A third of a pixel a frame: neighbouring frames hardly differ.
    seen = watch(floor_picture(rng, die_xy=(300 + index // 3, 200)) for index in range(30))
    assert any(look.moving for look in seen)


def test_one_glitch_frame_of_a_settled_tray_is_forgiven_but_not_read() -> None:
    rng = np.random.default_rng(5)
    pictures = [floor_picture(rng) for _ in range(16)]
    pictures[10][96:104, 96:104] = 255
    seen = watch(pictures)
    assert not any(look.moving for look in seen)
    assert [index for index, look in enumerate(seen) if not look.steady] == [10]


def test_a_change_of_two_frames_is_no_glitch() -> None:
    rng = np.random.default_rng(6)
    pictures = [floor_picture(rng) for _ in range(16)]
    for index in (10, 11):
        pictures[index][96:104, 96:104] = 255
    assert any(look.moving for look in watch(pictures))


def test_a_clock_that_jumps_back_starts_a_new_run() -> None:
    rng = np.random.default_rng(7)
    detector = SettleDetector()
    detector.see(shrink(floor_picture(rng)), 5.0)
    again = detector.see(shrink(floor_picture(rng)), 1.0)
    assert again == Stillness(moving=False, still_for_s=0.0, calm_for_s=0.0, steady=True, changed_cells=0)


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1280, 960), (1296, 972), (1280, 720), (333, 251), (64, 48)])
def test_the_small_copy_has_whole_cells(width: int, height: int) -> None:
    small = shrink(np.zeros((height, width, 3), np.uint8))
    assert small.shape[0] % CELL_PX == 0
    assert small.shape[1] % CELL_PX == 0
    assert min(small.shape[:2]) > 0


def test_a_picture_smaller_than_a_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="too small"):
        shrink(np.zeros((2, 2, 3), np.uint8))


def test_motion_next_to_the_floor_is_no_motion_but_no_calm_either() -> None:
    rng = np.random.default_rng(8)
    watched = np.zeros((60, 80), bool)
    watched[:, 20:] = True
    detector = SettleDetector()
    seen = []
    for index in range(20):
        picture = floor_picture(rng)
        if 5 <= index < 15:
            picture[20 * index : 20 * index + 60, 10:60] = 200
        seen.append(detector.see(shrink(picture), index / 15, watched))
    assert not any(look.moving for look in seen)
    assert seen[-1].still_for_s == pytest.approx(19 / 15)
    assert seen[14].calm_for_s == 0.0
    assert seen[-1].calm_for_s == pytest.approx(4 / 15)


def test_what_moves_over_the_floor_is_motion_wherever_else_it_is() -> None:
    rng = np.random.default_rng(9)
    watched = np.zeros((60, 80), bool)
    watched[:, 20:] = True
    detector = SettleDetector()
    detector.see(shrink(floor_picture(rng)), 0.0, watched)
    moved = floor_picture(rng, die_xy=(340, 200))
    assert detector.see(shrink(moved), 1 / 15, watched).moving
