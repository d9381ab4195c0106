"""A small net that reads faces which were cut out of a picture.

Drawn pictures taught it (vision/training). vision/README.md says how well it does.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.detection.squares import Squares, fill_planes
from vision.geometry.neighbours import IntArray
from vision.nets.onnx_net import WEIGHTS, OnnxNet, shares_of
from vision.types.frame import F32, FloatArray, ImageBgr

FACE_PX = 40
"""Side of the crops that the face reader takes."""
FACE_SPAN = 1.5
"""Side of such a crop in edges of the face: a quarter edge of surroundings on each side tells top from side face."""
COCKED_COLUMN, NO_TOP_COLUMN = 6, 7
"""Columns of what the face reader says; columns 0 to 5 are the values."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceSights:
    """What the face reader sees at N places.

    Attributes:
        probabilities: Shape (N, 8), rows that sum to 1: the values 1 to 6, a cocked die (`COCKED_COLUMN`), no top face
            (`NO_TOP_COLUMN`: coin, pencil, a die's side, the gap between two dice).
        lean_px: Shape (N, 2), from the top face's middle to the middle of the face below it. Of a die that
            lies flat it follows from camera and place: with the nadir n, the edge e and the focal length f in pixels it
            is (n - p) / (f / e + 1) at the place p. A die that departs from that by 0.2 edges leans by some 12 degrees.
    """

    probabilities: F32
    lean_px: FloatArray

    def some(self, which: IntArray) -> "FaceSights":
        """What it sees at some of them."""
        return FaceSights(self.probabilities[which], self.lean_px[which])


class FaceReader:
    """Reads faces that were cut out upright."""

    def __init__(self, weights: Path = WEIGHTS / "face.onnx") -> None:
        """Load the net.

        Args:
            weights: ONNX file of the net.

        Raises:
            VisionError: No such file.
        """
        self._net = OnnxNet(weights)

    def look_at(self, crops: ImageBgr, squares: Squares) -> FaceSights:
        """Read faces that were cut out of a picture, and see which way each die leans.

        Args:
            crops: Shape (N, FACE_PX, FACE_PX, 3), FACE_SPAN wide, as `cut_out` makes them.
            squares: Where they were.

        Returns:
            What each shows, in their order.
        """
        count = len(crops)
        if not count:
            return FaceSights(np.zeros((0, 8), np.float32), np.zeros((0, 2)))
        planes = np.empty((count, 3, FACE_PX, FACE_PX), np.float32)
        fill_planes(planes, crops)
        said = self._net.run(planes).reshape(count, -1)
        return FaceSights(shares_of(said[:, :8]), squares.in_picture(said[:, 8:10]))
