"""The nets that find dice, on drawn trays: the one for pictures of which nothing is known, and the one for trays."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.detection.detector import Detector, DetectorParams, photo_detector, tray_detector
from vision.detection.found import Found
from vision.detection.scales import ScaleParams, find_anywhere
from vision.errors import VisionError
from vision.near import squared_distances
from vision.shrink import Halves
from vision.synthetic import draw, truth_of

SCENE = drawn_scene(1)


@pytest.fixture(scope="module", params=[photo_detector, tray_detector], ids=["photo", "tray"])
def detector(request: pytest.FixtureRequest) -> Detector:
    made: Detector = request.param()
    return made


@pytest.fixture(scope="module")
def picture() -> Halves:
    return Halves(draw(SCENE))


def missed(found: Found) -> list[tuple[float, float]]:
    """The middles of dice at which nothing of about their size was found."""
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
    detector: Detector, picture: Halves, scale: float
) -> None:
    found = detector.find(picture, scale)
    assert missed(found) == []
    assert (np.diff(found.heat) <= 0).all()
    assert (np.abs(found.turn_rad) <= np.pi / 4 + 1e-9).all()


def test_a_search_at_all_scales_misses_none(picture: Halves) -> None:
    assert missed(find_anywhere(photo_detector(), picture, ScaleParams())) == []


def test_the_hottest_are_told_where_there_are_more_than_asked_for(picture: Halves) -> None:
    all_of_them = tray_detector().find(picture, 0.5)
    few = tray_detector(DetectorParams(most=3)).find(picture, 0.5)
    assert few.heat.tolist() == all_of_them.heat[:3].tolist()


def test_places_are_those_of_the_picture_whatever_scale_it_is_searched_at(picture: Halves) -> None:
    detector = tray_detector()
    afar, nearby = detector.find(picture, 0.5), detector.find(picture, 0.6)
    away = np.sqrt(squared_distances(afar.center_xy, nearby.center_xy)).min(axis=1)
    assert away[afar.heat > 0.5].max() < 6.0


@pytest.mark.parametrize("size", [(1, 1), (5, 300), (33, 17)])
def test_pictures_of_odd_sizes_do_no_harm(detector: Detector, size: tuple[int, int]) -> None:
    image = np.full((*size, 3), 128, np.uint8)
    found = detector.find(Halves(image), 1.0)
    assert (found.center_xy < [size[1], size[0]]).all()


@pytest.mark.parametrize(
    ("load", "name"), [(photo_detector, "detector"), (tray_detector, "finder")], ids=["photo", "tray"]
)
def test_without_its_weights_there_is_one_line(load: Callable[..., Detector], name: str, tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=rf"weights {name}\.onnx are missing from .*: install the project again"):
        load(weights=tmp_path)
    (tmp_path / f"{name}.onnx").write_bytes(b"no net")
    with pytest.raises(VisionError, match=rf"weights {name}\.onnx in .* are damaged: install the project again"):
        load(weights=tmp_path)
