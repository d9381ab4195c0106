"""Lattices: every value, at any turn, pips dark or light, is read from a drawn face."""

import cv2
import numpy as np
import pytest

from vision.detection.lattice import PATTERN_VALUES, PATTERNS, SITES, fit_faces
from vision.detection.pips import PipParams, find_pips
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import Soft

EDGE = 48
EVERYWHERE = np.array([(x, y) for x in range(20, 200, 60) for y in range(20, 200, 60)], dtype=np.float64)


def draw_face(value: int, turn_deg: float, body: int, pip: int, narrow: float = 1.0) -> np.ndarray:
    image = np.full((120, 120, 3), 90, dtype=np.uint8)
    turn = np.deg2rad(turn_deg)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * EDGE / 2 @ spin + 60
    cv2.fillPoly(image, [np.rint(corners).astype(np.int32)], (body, body, body))
    pattern = PATTERNS[list(PATTERN_VALUES).index(value)]
    for x, y in SITES[pattern > 0] * [1.0, narrow] * EDGE * 0.25 @ spin + 60:
        cv2.circle(image, (round(x * 16), round(y * 16)), round(EDGE * 0.1 * 16), (pip, pip, pip), -1, cv2.LINE_AA, 4)
    return cv2.GaussianBlur(image, (0, 0), 0.8)


@pytest.mark.parametrize("value", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("turn_deg", [0, 17, 45, 71])
@pytest.mark.parametrize(("body", "pip"), [(230, 30), (30, 230)])
def test_reads_every_value_at_every_turn(value: int, turn_deg: float, body: int, pip: int) -> None:
    image = draw_face(value, turn_deg, body, pip)
    light, dark = find_pips(ImagePyramid(image), np.array([[63.0, 58.0]]), EDGE, PipParams())
    pips = dark if pip < body else light
    fits = fit_faces(
        Soft(np.asarray(cv2.GaussianBlur(image, (0, 0), 1.8), np.uint8)),
        (pips,),
        (EDGE * 0.95, EDGE * 1.05),
        PipParams(),
    )
    best = int(np.argmax(fits.margin - fits.residual))
    assert fits.value[best] == value
    assert np.hypot(*(fits.center_xy[best] - 60)) < 2.0
    assert fits.margin[best] > 0.5


@pytest.mark.parametrize("narrow", [0.55, 0.62, 0.7, 0.8, 0.9])
@pytest.mark.parametrize("turn_deg", [0, 17, 45, 101])
def test_a_narrow_six_is_a_six_on_a_square_face(narrow: float, turn_deg: float) -> None:
    image = draw_face(6, turn_deg, 230, 30, narrow)
    _, dark = find_pips(ImagePyramid(image), np.array([[63.0, 58.0]]), EDGE, PipParams())
    fits = fit_faces(
        Soft(np.asarray(cv2.GaussianBlur(image, (0, 0), 1.8), np.uint8)),
        (dark,),
        (EDGE * 0.95, EDGE * 1.05),
        PipParams(),
    )
    best = int(np.argmax(fits.margin - fits.residual))
    assert fits.value[best] == 6
    assert fits.narrow[best].min() == pytest.approx(narrow, abs=0.05)
    for side in (fits.axis_xy[best], fits.across_xy[best]):
        assert np.hypot(*side) == pytest.approx(EDGE * 0.25, rel=0.05)
    assert abs(fits.axis_xy[best] @ fits.across_xy[best]) < 0.06 * (EDGE * 0.25) ** 2


@pytest.mark.parametrize("value", [4, 5])
def test_other_values_of_that_shape_are_no_faces(value: int) -> None:
    image = draw_face(value, 17, 230, 30, 0.6)
    _, dark = find_pips(ImagePyramid(image), np.array([[63.0, 58.0]]), EDGE, PipParams())
    fits = fit_faces(
        Soft(np.asarray(cv2.GaussianBlur(image, (0, 0), 1.8), np.uint8)),
        (dark,),
        (EDGE * 0.95, EDGE * 1.05),
        PipParams(),
    )
    assert not ((fits.margin > 0.5) & (fits.residual < 0.2) & (fits.value >= 4)).any()


def test_an_empty_floor_has_no_pips() -> None:
    floor = np.random.default_rng(1).normal(90, 2, (200, 200, 3)).clip(0, 255).astype(np.uint8)
    light, dark = find_pips(ImagePyramid(floor), EVERYWHERE, EDGE, PipParams())
    assert len(light.xy) == len(dark.xy) == 0


def test_a_line_is_no_row_of_pips() -> None:
    image = np.full((160, 160, 3), 60, dtype=np.uint8)
    cv2.line(image, (0, 20), (159, 130), (230, 230, 230), 6, cv2.LINE_AA)
    light, _ = find_pips(ImagePyramid(image), EVERYWHERE, EDGE, PipParams())
    ends = (light.xy < 12).any(axis=1) | (light.xy > 148).any(axis=1)
    assert ends.all()
