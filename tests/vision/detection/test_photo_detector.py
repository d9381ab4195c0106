"""The net that finds dice anywhere, on drawn trays."""

from pathlib import Path

import numpy as np
import pytest

from tests.drawing import draw
from vision.detection.detector import Detector
from vision.detection.found import Found
from vision.detection.scales import find_anywhere
from vision.evaluation.bench import drawn_scene
from vision.imaging.pyramid import ImagePyramid
from vision.rendering.synthetic import truth_of
from vision.types.errors import VisionError

SCENE = drawn_scene(1)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


@pytest.fixture(scope="module")
def picture() -> ImagePyramid:
    return ImagePyramid(draw(SCENE))


def missed(found: Found) -> list[tuple[float, float]]:
    """Return the centres of dice without a detection of about their size."""
    out = []
    for die in truth_of(SCENE):
        quad = np.array(die.top_quad_px)
        edge = float(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).mean())
        away = np.linalg.norm(found.center_xy - np.array(die.center_px), axis=1) / edge
        alike = np.abs(np.log(found.edge_px / edge)) < 0.35
        if not ((away < 0.3) & alike).any():
            out.append(die.center_px)
    return out


@pytest.mark.parametrize("scale", [0.3, 0.5])
def test_every_die_of_a_tray_is_found_with_its_place_and_size(
    detector: Detector, picture: ImagePyramid, scale: float
) -> None:
    found = detector.find(picture, scale)
    assert missed(found) == []
    assert (np.diff(found.heat) <= 0).all()
    assert (np.abs(found.turn_rad) <= np.pi / 4 + 1e-9).all()


def test_a_search_at_all_scales_misses_none(detector: Detector, picture: ImagePyramid) -> None:
    assert missed(find_anywhere(detector, picture)) == []


def test_no_more_places_are_reported_than_asked_for(picture: ImagePyramid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.detection.detector._MAX", 3)
    few = Detector().find(picture, 0.5)
    assert len(few) <= 3


@pytest.mark.parametrize("size", [(1, 1), (5, 300), (33, 17)])
def test_pictures_of_odd_sizes_do_no_harm(detector: Detector, size: tuple[int, int]) -> None:
    image = np.full((*size, 3), 128, np.uint8)
    found = detector.find(ImagePyramid(image), 1.0)
    assert (found.center_xy < [size[1], size[0]]).all()


def test_without_its_weights_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"weights none\.onnx are missing from .*: install the project again"):
        Detector(weights=tmp_path / "none.onnx")
