import cv2
import numpy as np
import pytest

from vision.colour.top_faces import measure_tops
from vision.detection.squares import Squares, quads_of
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import soften

EDGE = 60
SITES = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "adgcfi"}


def die(value: int, body: tuple[int, int, int], pips: tuple[int, int, int], turn_deg: float) -> np.ndarray:
    """Return a die of that value and colours in the middle of a grey picture."""
    image = np.full((160, 160, 3), 128, np.uint8)
    turn = np.radians(turn_deg)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) * EDGE / 2
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ axes + 80
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], body, cv2.LINE_AA)
    for site in SITES[value]:
        k = ord(site) - ord("a")
        x, y = np.array([k % 3 - 1, k // 3 - 1]) * 0.5 @ axes + 80
        cv2.circle(image, (round(x), round(y)), 6, pips, -1, cv2.LINE_AA)
    return image


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("turn_deg", [0.0, 33.0, 90.0])
@pytest.mark.parametrize(("body", "pips"), [((30, 200, 220), (20, 20, 20)), ((25, 25, 25), (230, 230, 230))])
def test_colours_of_body_and_pips_are_distinguished(
    value: int, turn_deg: float, body: tuple[int, int, int], pips: tuple[int, int, int]
) -> None:
    image = die(value, body, pips, turn_deg)
    squares = Squares(np.array([[80.0, 80.0]]), np.array([float(EDGE)]), np.radians([turn_deg]))
    (face,) = measure_tops(soften(ImagePyramid(image), EDGE, 0.036), squares, np.array([value]))
    assert face.body_bgr == pytest.approx(body, abs=12)
    assert face.pip_bgr == pytest.approx(pips, abs=40)
    assert face.dark == (sum(pips) < sum(body))
    assert face.rim_bgr == pytest.approx(body, abs=12)
    assert face.shows_pips


def test_of_a_blank_face_no_pips_are_made_out() -> None:
    image = die(1, (90, 90, 90), (90, 90, 90), 0.0)
    squares = Squares(np.array([[80.0, 80.0]]), np.array([float(EDGE)]), np.zeros(1))
    (face,) = measure_tops(soften(ImagePyramid(image), EDGE, 0.036), squares, np.array([5]))
    assert not face.shows_pips


def test_no_face_is_no_work() -> None:
    soft = soften(ImagePyramid(np.zeros((50, 50, 3), np.uint8)), 20.0, 0.036)
    assert measure_tops(soft, Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0)), np.zeros(0, np.intp)) == []


def test_corners_lie_half_an_edge_to_each_side() -> None:
    quad = quads_of(Squares(np.array([[10.0, 20.0]]), np.array([4.0]), np.array([np.pi / 2])))[0]
    assert quad == pytest.approx(np.array([[12.0, 18.0], [12.0, 22.0], [8.0, 22.0], [8.0, 18.0]]))
