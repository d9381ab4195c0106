"""A small net that distinguishes faces it was not trained on, symbols and numerals, by how alike two faces look.

A face is cropped upright by its square, body colour and shading are removed, and the rest gives a vector of length 1.
The faces of a set get their values from the person who teaches them; `vision.decision.own_faces` finds the nearest.
"""

from pathlib import Path

import cv2
import numpy as np

from vision.detection.squares import Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet
from vision.types.frame import F32, ImageBgr

FACE_PX = 32
"""Side of the planes."""
CUT_PX = 64
"""Side of the cropped faces, one edge wide."""
LOOK_SIZE = 128
"""Length of a look."""
_SHADING = 7.0
_LOUDNESS = 28.0
_CELLS = np.abs(np.arange(FACE_PX) - (FACE_PX - 1) / 2)
_INNER = np.maximum(_CELLS[:, None], _CELLS) < 13.5 / 32 * FACE_PX
"""The part of a face without its rim, which belongs to the die's edge."""


SYMMETRY = {6: 4, 8: 3, 10: 1, 12: 5}
"""Number of turns that leave the outline of a face unchanged, by the number of faces of its die."""


def _turned(faces: ImageBgr, share: float) -> ImageBgr:
    """Return faces rotated by a share of a whole turn."""
    if not share:
        return faces
    place = cv2.getRotationMatrix2D(((CUT_PX - 1) / 2,) * 2, 360 * share, 1)
    turned: ImageBgr = np.empty_like(faces)
    for k, face in enumerate(faces):
        turned[k] = cv2.warpAffine(face, place, (CUT_PX, CUT_PX), borderMode=cv2.BORDER_REPLICATE)
    return turned


def face_planes(faces: ImageBgr) -> F32:
    """Return faces without body colour, shading and strength of the ink.

    Args:
        faces: Shape (N, `CUT_PX`, `CUT_PX`, 3).

    Returns:
        Shape (N, 2, `FACE_PX`, `FACE_PX`): ink positive and the rest negative, and how far either is from the mean.
    """
    planes = np.empty((len(faces), 2, FACE_PX, FACE_PX), np.float32)
    for k, face in enumerate(faces):
        small = cv2.resize(face, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
        inner = small[_INNER]
        inner -= inner.mean(axis=0)
        # Along the colours in which a face varies most, ink and body are furthest apart.
        along = np.linalg.eigh(inner.T @ inner)[1][:, -1].astype(np.float32)
        ink = small @ along
        ink -= cv2.GaussianBlur(ink, (0, 0), _SHADING)
        ink = (ink - ink[_INNER].mean()) * _INNER
        ink *= _LOUDNESS / (np.linalg.norm(ink) + 1e-6)
        planes[k, 0] = ink if (ink**3).sum() >= 0 else -ink
    planes[:, 1] = np.abs(planes[:, 0])
    return planes


class FaceReader:
    """Computes the looks of faces; threads may share one."""

    def __init__(self, weights: Path = WEIGHTS / "face.onnx") -> None:
        """Load the net.

        Raises:
            VisionError: The file is missing.
        """
        self._net = OnnxNet(weights)

    def look_at(self, picture: ImagePyramid, squares: Squares, *, quarters: int = 4) -> F32:
        """Return the looks of the faces in some squares, shape (N, `LOOK_SIZE`); see `looks_of`."""
        if not len(squares.edge_px):
            return np.zeros((0, LOOK_SIZE), np.float32)
        return self.looks_of(cut_out(picture, squares, CUT_PX, 1.0)[0], quarters=quarters)

    def looks_of(self, faces: ImageBgr, sides: int = 6, *, quarters: int = 4) -> F32:
        """Return the looks of cropped faces, shape (N, `LOOK_SIZE`), rows of length 1, equal at all four rotations.

        Args:
            faces: Shape (N, `CUT_PX`, `CUT_PX`, 3).
            sides: Number of faces of their dice: looks are equal at all rotations that leave the outline as it is.
            quarters: Number of rotations that are looked at; with fewer than four looks are nearly equal at each.
        """
        # Quarter turns are taken of the planes.
        turns = 1 if sides == 6 else SYMMETRY[sides]
        planes = face_planes(np.concatenate([_turned(faces, k / turns) for k in range(turns)]))
        turned = np.concatenate([np.rot90(planes, k, axes=(2, 3)) for k in range(quarters)])
        looks = self._net.run(np.ascontiguousarray(turned)).reshape(quarters * turns, len(faces), -1).sum(axis=0)
        looks /= np.maximum(np.linalg.norm(looks, axis=1, keepdims=True), 1e-6)
        return np.asarray(looks, np.float32)
