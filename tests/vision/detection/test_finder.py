from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.classification.face_reader import FACE_PX, FACE_SPAN, NO_TOP_COLUMN, FaceReader, FaceSights
from vision.detection.finder import FaceCandidate, FaceFinder, FinderParams
from vision.detection.squares import Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.rendering.scene import CameraPose, Capture, DieLook, DiePose, Light, Scene, TrayLook
from vision.rendering.synthetic import truth_of
from vision.types.errors import VisionError
from vision.types.frame import ImageBgr

FACES_UP = (
    np.eye(3),
    np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]),
    np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    np.diag([1.0, -1, -1]),
)
LOOKS = (
    DieLook((30, 205, 250), (20, 20, 20)),
    DieLook((65, 140, 22), (240, 240, 240)),
    DieLook((26, 26, 26), (240, 240, 240), ball=True),
)


def spun(deg: float) -> np.ndarray:
    c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def tray(width: int = 1280, floor: str = "felt", clutter: tuple[str, ...] = (), empty: bool = False) -> Scene:
    f = 0.966 * width
    height = width * 3 // 4
    k = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1.0]])
    camera = CameraPose(width, height, k, np.diag([1.0, -1, -1]), np.array([0.0, 0.0, 395.0]))
    rng = np.random.default_rng(5)
    dice = []
    for i in range(0 if empty else 18):
        x, y = -100.0 + 40 * (i % 6), -60.0 + 60 * (i // 6)
        at = np.array([x, y, 8.0]) + np.append(rng.uniform(-8, 8, 2), 0.0)
        dice.append(DiePose(LOOKS[i % 3], at, spun(float(rng.uniform(0, 360))) @ FACES_UP[i % 6]))
    lights = (Light((150, 150, 400), 0.8),)
    look = TrayLook(floor=floor)
    return Scene(look, tuple(dice), camera, lights, clutter=clutter, seed=3, capture=Capture(noise=1.5))


@pytest.fixture(scope="module")
def finder() -> FaceFinder:
    return FaceFinder()


@pytest.fixture(scope="module")
def reader() -> FaceReader:
    return FaceReader()


def find(finder: FaceFinder, picture: ImageBgr) -> tuple[FaceCandidate, ...]:
    """What the finder sees at the scale that it learned from: the long side 640 px."""
    return finder.find(ImagePyramid(picture), 640 / max(picture.shape[:2]))


def squares_of(found: tuple[FaceCandidate, ...]) -> Squares:
    rows = np.array([(*c.center_px, c.edge_px, np.radians(c.angle_deg)) for c in found]).reshape(-1, 4)
    return Squares(rows[:, :2], rows[:, 2], rows[:, 3])


def look_at(reader: FaceReader, picture: ImageBgr, found: tuple[FaceCandidate, ...]) -> FaceSights:
    squares = squares_of(found)
    return reader.look_at(cut_out(ImagePyramid(picture), squares, FACE_PX, FACE_SPAN)[0], squares)


@pytest.mark.parametrize(("width", "floor"), [(640, "felt"), (960, "wood"), (1280, "leather")])
def test_every_die_of_a_drawn_tray_is_found_and_read(
    width: int, floor: str, finder: FaceFinder, reader: FaceReader
) -> None:
    scene = tray(width, floor)
    picture = draw(scene)
    found = find(finder, picture)
    said = look_at(reader, picture, found).probabilities
    left = [(c, row) for c, row in zip(found, said, strict=True) if int(np.argmax(row)) != NO_TOP_COLUMN]
    assert len(left) == len(scene.dice)
    for truth in truth_of(scene):
        gap = [np.hypot(c.center_px[0] - truth.center_px[0], c.center_px[1] - truth.center_px[1]) for c, _ in left]
        nearest, row = left[int(np.argmin(gap))]
        assert min(gap) < 0.2 * nearest.edge_px
        assert int(np.argmax(row)) + 1 == truth.value
        quad = np.array(truth.top_quad_px, np.float32)
        assert nearest.edge_px == pytest.approx(np.sqrt(cv2.contourArea(quad)), rel=0.18)
        side = np.degrees(np.arctan2(*(quad[1] - quad[0])[::-1]))
        assert abs((nearest.angle_deg - side + 45) % 90 - 45) < 10


def test_an_empty_tray_and_clutter_hold_no_dice(finder: FaceFinder, reader: FaceReader) -> None:
    for clutter in ((), ("pencil", "coin", "card", "token")):
        picture = draw(tray(clutter=clutter, empty=True))
        said = look_at(reader, picture, find(finder, picture)).probabilities
        assert all(row[:6].max() < 0.6 for row in said)  # no value that a caller would take


def test_the_lean_of_level_dice_points_to_the_middle_of_the_picture(finder: FaceFinder, reader: FaceReader) -> None:
    picture = draw(tray())
    found = find(finder, picture)
    outer = [
        (c.center_px[0] - 640, lean[0])
        for c, lean in zip(found, look_at(reader, picture, found).lean_px, strict=True)
        if abs(c.center_px[0] - 640) > 200
    ]
    assert len(outer) >= 6
    assert sum(place * lean < 0 for place, lean in outer) >= len(outer) - 1


def test_scale_changes_what_the_net_sees_but_not_the_pixels_it_reports(finder: FaceFinder) -> None:
    picture = draw(tray())
    plain, larger = find(finder, picture), finder.find(ImagePyramid(picture), 0.6)
    assert len(plain) == len(larger) == 18
    for c in plain:
        assert min(np.hypot(c.center_px[0] - o.center_px[0], c.center_px[1] - o.center_px[1]) for o in larger) < 6


def test_at_most_so_many_are_reported() -> None:
    assert len(find(FaceFinder(FinderParams(most=4)), draw(tray()))) == 4


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"gone\.onnx"):
        FaceFinder(weights=tmp_path / "gone.onnx")


def test_a_picture_of_any_size_is_searched(finder: FaceFinder) -> None:
    for shape in ((1, 1, 3), (7, 333, 3), (500, 40, 3)):
        found = find(finder, np.full(shape, 90, np.uint8))
        assert all(isinstance(c, FaceCandidate) for c in found)
