"""The camera above the tray, as far as it matters for what dice show of their sides."""

from dataclasses import dataclass

import numpy as np

from vision.frame import FloatArray


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera is, as far as it matters for the sides of dice.

    Attributes:
        nadir_px: The point of the picture right below the camera.
        focal_px: Focal length.
    """

    nadir_px: tuple[float, float]
    focal_px: float

    def bottom_quad_px(self, quad_px: FloatArray) -> FloatArray:
        """The bottom corners of dice whose top corners are given, shape (..., 4, 2): nearer the nadir, smaller."""
        side = quad_px[..., 1:2, :] - quad_px[..., 0:1, :]
        height = self.focal_px / np.maximum(np.hypot(side[..., 0:1], side[..., 1:2]), 1.0)
        nadir = np.array(self.nadir_px)
        shrunk: FloatArray = nadir + (quad_px - nadir) * height / (height + 1.0)
        return shrunk


@dataclass(frozen=True, slots=True)
class SizedView:
    """A camera, and the common edge of the top faces it sees."""

    view: View
    edge_px: float
