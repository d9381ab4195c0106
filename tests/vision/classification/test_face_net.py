"""Looks of faces: equal at every rotation and in other light, different for another symbol and its mirror image."""

import numpy as np
import pytest

from tests.painted_dice import symbol
from vision.classification.face_net import CUT_PX, LOOK_SIZE, FaceReader
from vision.detection.squares import Squares
from vision.imaging.pyramid import ImagePyramid
from vision.types.frame import ImageBgr, ImageGray


@pytest.fixture(scope="module")
def net() -> FaceReader:
    return FaceReader()


def face(mask: ImageGray, body: tuple[int, int, int] = (40, 190, 230)) -> ImageBgr:
    """Return a face with a body colour and dark ink."""
    left = (len(mask) - CUT_PX) // 2
    ink = mask[left : left + CUT_PX, left : left + CUT_PX, None] / 255.0
    return np.asarray(np.array(body) * (1 - 0.85 * ink), np.uint8)


def test_a_look_is_the_same_at_every_turn_and_in_other_light(net: FaceReader) -> None:
    shown = face(symbol(3))
    dim = np.asarray(shown * np.linspace(0.5, 0.9, CUT_PX)[:, None, None], np.uint8)
    looks = net.looks_of(
        np.stack([shown, *(np.rot90(shown, k) for k in (1, 2, 3)), dim, face(symbol(3), (200, 90, 30))])
    )
    assert looks.shape == (6, LOOK_SIZE)
    assert (looks @ looks[0]).min() > 0.8


def test_other_symbols_and_mirrored_ones_look_otherwise(net: FaceReader) -> None:
    shown = np.stack([face(symbol(value)) for value in range(1, 7)])
    looks = net.looks_of(shown)
    near = looks @ looks.T - 2 * np.eye(6)
    assert near.max() < 0.85
    (mirrored,) = net.looks_of(shown[4:5, :, ::-1])
    assert mirrored @ looks[4] < 0.7


def test_of_no_faces_there_are_no_looks(net: FaceReader) -> None:
    nothing = Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    assert net.look_at(ImagePyramid(np.zeros((8, 8, 3), np.uint8)), nothing).shape == (0, LOOK_SIZE)
