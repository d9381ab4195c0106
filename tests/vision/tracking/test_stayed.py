import cv2
import numpy as np
import pytest

from vision.tracking.stayed import has_stayed, likeness
from vision.types.frame import F32, ImageGray
from vision.types.reading import DieReading

QUAD = ((88.0, 88.0), (112.0, 88.0), (112.0, 112.0), (88.0, 112.0))
DIE = DieReading("base", 5, 0.99, None, (100.0, 100.0), (88.0, 88.0, 24.0, 24.0), QUAD)


def picture(dx: float = 0.0, dy: float = 0.0, turn_deg: float = 0.0, *, gain: float = 1.0, seed: int = 0) -> ImageGray:
    """Return a die of 24 px drawn at eight times its size, so that fractions of a pixel are real."""
    big = np.full((1600, 1600), 90, np.uint8)
    cv2.rectangle(big, (704, 704), (895, 895), 210, -1)
    for column, row in ((0, 0), (-1, -1), (1, 1), (1, -1), (-1, 1)):
        cv2.circle(big, (800 + 52 * column, 800 + 52 * row), 18, 40, -1)
    matrix = cv2.getRotationMatrix2D((799.5, 799.5), turn_deg, 1.0)
    matrix[:, 2] += np.array((8 * dx, 8 * dy))
    turned = cv2.warpAffine(big, matrix, (1600, 1600), borderMode=cv2.BORDER_REPLICATE)
    small = cv2.resize(turned, (200, 200), interpolation=cv2.INTER_AREA).astype(np.float64)
    noise = np.random.default_rng(seed).normal(0.0, 2.0, small.shape)
    return np.clip(small * gain + noise, 0, 255).astype(np.uint8)


def stayed(now: ImageGray, before: ImageGray | None = None) -> bool:
    return has_stayed(picture() if before is None else before, now, DIE)


@pytest.mark.parametrize("gain", [0.8, 1.0, 1.2])
@pytest.mark.parametrize("seed", range(4))
def test_an_untouched_die_stayed_in_any_light(gain: float, seed: int) -> None:
    assert stayed(picture(gain=gain, seed=seed + 1))


@pytest.mark.parametrize(
    ("dx", "dy", "turn_deg"), [(1, 0, 0), (0, -1, 0), (0.8, 0.8, 0), (0, 0, 4), (0, 0, -5), (6, 0, 0)]
)
def test_a_nudge_of_a_pixel_or_four_degrees_shows(dx: float, dy: float, turn_deg: float) -> None:
    assert not stayed(picture(dx, dy, turn_deg, seed=1))


def test_a_die_that_came_or_left_did_not_stay() -> None:
    assert not stayed(np.full((200, 200), 90, np.uint8))
    assert not stayed(picture(), before=np.full((200, 200), 90, np.uint8))


def test_a_die_beyond_the_picture_is_not_judged() -> None:
    tiny = np.zeros((90, 90), np.uint8)
    assert not stayed(tiny, before=tiny)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("pixels", [np.zeros(0, np.float32), np.full(9, 80.0, np.float32)], ids=["none", "one grey"])
def test_what_has_no_contrast_is_like_nothing(pixels: F32) -> None:
    assert likeness(pixels, pixels) == 0.0
