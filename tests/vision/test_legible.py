"""Whether a person could read a drawn die, by which the traced pictures are chosen."""

import cv2
import numpy as np
import pytest

from tests.benchmarks.legible import is_legible, shows_glyph
from tests.benchmarks.traced_die import face_up, ink_at, pip_places, turned_faces
from vision.rendering.optics import project
from vision.rendering.scene import CameraPose, DieLook, DiePose
from vision.rendering.synthetic import die_truth
from vision.training.painted_faces import Glyph

K = np.array([[1200.0, 0, 320.0], [0, 1200.0, 240.0], [0, 0, 1.0]])
CAMERA = CameraPose(640, 480, K, np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 300.0]), (0.0,) * 5)
LOOK = DieLook((40, 160, 60), (240, 240, 240), seed=3)
UP = {1: (2, 1.0), 2: (1, 1.0), 3: (0, 1.0), 4: (0, -1.0), 5: (1, -1.0), 6: (2, -1.0)}
"""For each value the die's axis that points up, and its direction."""


def lying(value: int) -> DiePose:
    """Return a die that shows a value, slightly rotated."""
    axis, sign = UP[value]
    rotation = np.zeros((3, 3))
    c, s = np.cos(0.3), np.sin(0.3)
    rotation[:, axis] = 0.0, 0.0, sign
    rotation[:, (axis + 1) % 3] = c, s, 0.0
    rotation[:, (axis + 2) % 3] = np.cross(rotation[:, axis], rotation[:, (axis + 1) % 3])
    pose = DiePose(LOOK, np.array([5.0, -3.0, 8.0]), rotation)
    assert die_truth(pose, CAMERA).value == value
    return pose


def shown(value: int, unseen: tuple[int, ...] = (), contrast: float = 60.0) -> np.ndarray:
    """Return a picture of it, without some of its pips."""
    pose, (axis, sign) = lying(value), UP[value]
    picture = np.full((480, 640, 3), 120, np.uint8)
    turned = turned_faces(LOOK)[axis, sign]
    u, v = pose.rotation[:, (axis + 1) % 3], pose.rotation[:, (axis + 2) % 3]
    for number, (x, y) in enumerate(pip_places(value, LOOK, turned)):
        if number not in unseen:
            at = pose.center_mm + LOOK.size_mm * (0.5 * sign * pose.rotation[:, axis] + x * u + y * v)
            middle = np.rint(project(CAMERA, at[None])[0]).astype(int).tolist()
            cv2.circle(picture, middle, 6, (120 + contrast,) * 3, cv2.FILLED)
    return picture


@pytest.mark.parametrize("value", range(1, 7))
def test_a_die_with_all_its_pips_can_be_read_and_one_with_none_cannot(value: int) -> None:
    assert is_legible(shown(value), lying(value), CAMERA)
    assert not is_legible(shown(value, contrast=4.0), lying(value), CAMERA)


@pytest.mark.parametrize(
    ("value", "unseen", "legible"),
    [(6, 0, True), (6, 1, True), (5, 0, True), (5, 2, False), (4, 3, True), (3, 1, False), (3, 0, True), (2, 0, True)],
)
def test_one_washed_out_pip_matters_where_what_is_left_is_of_a_smaller_value(
    value: int, unseen: int, legible: bool
) -> None:
    assert is_legible(shown(value, (unseen,)), lying(value), CAMERA) == legible


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(("contrast", "burnt", "legible"), [(60.0, 0.2, True), (60.0, 0.5, False), (4.0, 0.0, False)])
def test_a_glyph_can_be_read_while_most_of_its_ink_is_visible(
    value: int, contrast: float, burnt: float, legible: bool
) -> None:
    mask = np.zeros((96, 96), np.uint8)
    mask[4:92, 20:36] = mask[76:92, 20:76] = 255
    glyph, (middle, axes) = Glyph(mask, 0.7, 0.4), face_up(lying(value))
    quad = project(CAMERA, middle + np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]]) @ axes)
    cells = (np.arange(64) + 0.5) / 64 - 0.5
    right, up = (part.ravel() for part in np.meshgrid(cells, -cells))
    face = ink_at(glyph, right, up).reshape(64, 64) * (np.meshgrid(cells, cells)[1] > burnt - 0.5)
    corners = np.array([[0, 0], [64, 0], [64, 64], [0, 64]], np.float32)
    place = cv2.getPerspectiveTransform(corners, quad.astype(np.float32))
    ink = cv2.warpPerspective(face.astype(np.float32), place, (640, 480))[..., None]
    picture = np.repeat(120 + contrast * ink, 3, axis=2).astype(np.uint8)
    assert shows_glyph(picture, CAMERA, middle, axes, glyph) == legible
