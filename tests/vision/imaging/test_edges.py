"""Edges of a colour picture are those that OpenCV finds in it."""

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.imaging.edges import colour_edges


@pytest.mark.parametrize("levels", [30.0, 60.0, 300.0])
def test_edges_are_those_that_opencv_finds(levels: float) -> None:
    tray = np.asarray(cv2.resize(draw(drawn_scene(1)), (256, 192), interpolation=cv2.INTER_AREA), np.uint8)
    noise = np.random.default_rng(2).integers(0, 256, (40, 61, 3), dtype=np.uint8)
    for picture in (tray, noise):
        assert np.array_equal(colour_edges(picture, levels), cv2.Canny(picture, levels * 0.5, levels))
