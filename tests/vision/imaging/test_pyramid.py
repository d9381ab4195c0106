"""Smaller copies: a part's halves are those of the picture, and thinning averages nothing."""

import numpy as np
import pytest

from vision.imaging.pyramid import ImagePyramid, thinned


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    ("left", "top", "right", "bottom"), [(8, 4, 161, 119), (12, 20, 60, 61), (6, 9, 101, 90), (0, 0, 161, 121)]
)
@pytest.mark.parametrize("made", [1.0, 45.0, 100.0])
def test_a_part_is_seen_as_if_its_halves_were_made_from_it(
    left: int, top: int, right: int, bottom: int, made: float
) -> None:
    image = noise(121, 161)
    picture = ImagePyramid(image)
    picture.at(made)
    part, alone = picture.part(left, top, right, bottom), ImagePyramid(image[top:bottom, left:right])
    for edge_px in (10.0, 45.0, 90.0, 170.0):
        seen, scale = part.at(edge_px)
        wanted, wanted_scale = alone.at(edge_px)
        assert scale == wanted_scale
        assert np.array_equal(seen, wanted)


def test_a_part_at_an_even_place_makes_no_half_anew() -> None:
    picture = ImagePyramid(noise(96, 128))
    half, _ = picture.at(45.0)
    seen, _ = picture.part(8, 4, 120, 90).at(45.0)
    assert np.shares_memory(seen, half)


def test_a_part_of_few_pixels_has_no_halves() -> None:
    picture = ImagePyramid(noise(96, 128))
    picture.at(100.0)
    seen, scale = picture.part(8, 4, 9, 5).at(100.0)
    assert (seen.shape, scale) == ((1, 1, 3), 1.0)


@pytest.mark.parametrize(("height", "width"), [(90, 180), (95, 183), (2, 1)])
def test_thinning_averages_nothing(height: int, width: int) -> None:
    image = noise(height, width) // 255 * np.uint8(255)
    small = thinned(image, 9)
    assert small.shape == (-(-height // 9), -(-width // 9), 3)
    assert set(np.unique(small)) <= {0, 255}
