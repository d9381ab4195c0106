"""Signs that a die does not lie flat: sides that depart from the camera's view of a flat one."""

import cv2
import numpy as np

from vision.detection.faces import Face
from vision.detection.pips import Pips
from vision.geometry.camera import SizedView, View
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import soften
from vision.standing.cocked import CockedParams, find_cocked


def face(x: float, contrast: float) -> Face:
    """A dark die with light pips; without a contrast no lattice was read of it."""
    side, body, light = np.array([20.0, 0.0]), np.full(3, 60.0), np.full(3, 200.0)
    across = np.array([0.0, 20.0])
    return Face(np.array([x, 100.0]), side, across, 4, 1.0, 0.0, contrast, body, light, False, body, 9.0)


def test_a_pip_nearest_to_a_die_without_a_lattice_is_no_other_dies_side() -> None:
    picture = np.full((200, 300, 3), 60, np.uint8)
    cv2.circle(picture, (134, 100), 3, (200, 200, 200), -1)
    soft = soften(ImagePyramid(picture), 40.0, 0.02)
    nothing = Pips(True, np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    spot = Pips(False, np.array([[134.0, 100.0]]), np.array([140.0]), np.ones(1))
    view = SizedView(View((130.0, 100.0), 1240.0), 40.0)

    def reported(*faces: Face) -> tuple[bool, ...]:
        return find_cocked(soft, faces, (spot, nothing), view, CockedParams())

    assert reported(face(100.0, 140.0)) == (True,), "a side that a flat die would hide"
    assert reported(face(100.0, 140.0), face(160.0, 0.0)) == (False, False)
    assert reported(face(160.0, 0.0)) == (False,)
