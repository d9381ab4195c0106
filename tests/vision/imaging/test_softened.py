"""The softened copy: colours are found at the same places in the picture and its half."""

import numpy as np
import pytest

from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import soften


@pytest.mark.parametrize("edge_px", [30.0, 42.0, 52.0, 78.0])
def test_colours_lie_where_they_lie_in_the_picture(edge_px: float) -> None:
    across, down = np.meshgrid(np.arange(200), np.arange(160))
    picture = np.stack([across, down, 255 - across], axis=2).astype(np.uint8)
    places = np.random.default_rng(1).uniform(20, 140, (3, 50, 2))
    found = soften(ImagePyramid(picture), edge_px, 0.036).at(places)
    assert found.shape == (3, 50, 3)
    assert np.abs(found[..., :2] - places).max() < 1.6
