"""A net that finds the top face of a die with 6, 8, 10 or 12 faces, which is no square for most, and tells its kind.

The detector puts a square somewhere on such a die. The net's second look, from the place that the first one found, is
what counts. It was trained on drawn dice (`vision.training.teach_polyhedra`).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.classification.face_net import SYMMETRY
from vision.detection.squares import Squares, cut_out
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet, shares_of
from vision.types.frame import F32, FloatArray, ImageBgr

SIDES = (6, 8, 10, 12)
"""Numbers of faces, in the order of the net's outputs."""
TOP_PX = 64
"""Side of the crops."""
TOP_SPAN = 2.8
"""Width of a crop, in edges of its square."""
_FOUND_SHARE = 0.8
"""Edge of the first crop's square, in edges of the detector's."""


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The top faces of N dice."""

    shares: F32  # shape (N, 4), how likely each kind of `SIDES` is
    center_xy: FloatArray  # shape (N, 2), centres of the faces, in pixels
    edge_px: FloatArray  # shape (N,), twice the radius of the circle within each face, in pixels
    turn_rad: FloatArray  # shape (N, 4), direction from the centre to a corner, if the die is of that kind

    def squares(self, kinds: np.ndarray) -> Squares:
        """Return the square around the circle within each face, upright for dice of these kinds, shape (N,)."""
        return Squares(self.center_xy, self.edge_px, self.turn_rad[np.arange(len(kinds)), kinds])


def top_input(crops: ImageBgr) -> F32:
    """Return crops as the net's input, without their brightness and contrast, shape (N, 3, S, S)."""
    planes = np.moveaxis(crops, 3, 1).astype(np.float32)
    planes -= planes.mean(axis=(1, 2, 3), keepdims=True)
    planes /= planes.std(axis=(1, 2, 3), keepdims=True) + np.float32(4)
    return planes


class TopReader:
    """Finds the top faces of dice; threads may share one."""

    def __init__(self, weights: Path = WEIGHTS / "polyhedron.onnx") -> None:
        """Load the net.

        Raises:
            VisionError: The file is missing.
        """
        self._net = OnnxNet(weights)

    def look_at(self, picture: ImagePyramid, squares: Squares) -> Tops:
        """Return the top faces of the dice in the detector's squares."""
        first = self._look(picture, Squares(squares.center_xy, squares.edge_px * _FOUND_SHARE, squares.turn_rad))
        return self._look(picture, first.squares(first.shares.argmax(axis=1)))

    def _look(self, picture: ImagePyramid, squares: Squares) -> Tops:
        answers = self._net.run(top_input(cut_out(picture, squares, TOP_PX, TOP_SPAN)[0])).astype(np.float64)
        c, s = np.cos(squares.turn_rad), np.sin(squares.turn_rad)
        right, down = answers[:, 4] * squares.edge_px, answers[:, 5] * squares.edge_px
        center = squares.center_xy + np.stack([c * right - s * down, s * right + c * down], axis=1)
        turns = np.arctan2(answers[:, 11:15], answers[:, 7:11]) / [SYMMETRY[sides] for sides in SIDES]
        shares = shares_of(answers[:, :4].astype(np.float32))
        return Tops(shares, center, squares.edge_px * np.exp(answers[:, 6]), squares.turn_rad[:, None] + turns)
