"""Smaller copies: there are none of a few pixels, and thinning averages nothing."""

import numpy as np
import pytest

from vision.imaging.pyramid import ImagePyramid, thinned


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_a_picture_of_few_pixels_has_no_halves() -> None:
    seen, scale = ImagePyramid(noise(1, 1)).at(100.0)
    assert (seen.shape, scale) == ((1, 1, 3), 1.0)


@pytest.mark.parametrize(("height", "width"), [(90, 180), (95, 183), (2, 1)])
def test_thinning_averages_nothing(height: int, width: int) -> None:
    image = noise(height, width) // 255 * np.uint8(255)
    small = thinned(image, 9)
    assert small.shape == (-(-height // 9), -(-width // 9), 3)
    assert set(np.unique(small)) <= {0, 255}
