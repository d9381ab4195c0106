"""A camera turned between two pictures, and where places of the first lie in the second."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.types.frame import FloatArray

USUAL_FOCAL = 0.97
"""Focal length as a share of the longer side of the picture, if unknown (54 degrees)."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraMove:
    """How a camera was turned; a tray that slid under it looks nearly as if it had."""

    parameters: FloatArray  # shape (4,): turns about the picture's x, y and z axes in radians, logarithm of the zoom

    @property
    def degrees(self) -> float:
        """By how much the camera was turned."""
        return math.degrees(float(np.linalg.norm(self.parameters[:3])))

    def homography(self, size_px: tuple[float, float], grid: tuple[int, int] | None = None) -> FloatArray:
        """Return the map of places from the first picture to the second, shape (3, 3).

        Args:
            size_px: Width and height of the pictures.
            grid: Columns and rows to which they were shrunk, for places in cells; None for places in pixels.
        """
        focal, (x, y) = USUAL_FOCAL * max(size_px), ((side - 1.0) / 2.0 for side in size_px)
        before = np.array([[1.0 / focal, 0.0, -x / focal], [0.0, 1.0 / focal, -y / focal], [0.0, 0.0, 1.0]])
        focal *= math.exp(self.parameters[3])
        now = np.array([[focal, 0.0, x], [0.0, focal, y], [0.0, 0.0, 1.0]])
        moved = now @ cv2.Rodrigues(self.parameters[:3])[0] @ before
        if grid is None:
            return np.asarray(moved, np.float64)
        across, down = grid[0] / size_px[0], grid[1] / size_px[1]
        shrink = np.array([[across, 0.0, across / 2 - 0.5], [0.0, down, down / 2 - 0.5], [0.0, 0.0, 1.0]])
        return np.asarray(shrink @ moved @ np.linalg.inv(shrink), np.float64)

    def moved(
        self, points: FloatArray, size_px: tuple[float, float], grid: tuple[int, int] | None = None
    ) -> FloatArray:
        """Return where places of the first picture lie in the second, shape (..., 2); arguments as of `homography`."""
        return mapped(self.homography(size_px, grid), points)


def mapped(homography: FloatArray, points: FloatArray) -> FloatArray:
    """Return where a homography maps points, shape (..., 2)."""
    ends = points @ homography[:, :2].T + homography[:, 2]
    return np.asarray(ends[..., :2] / ends[..., 2:], np.float64)


UNMOVED = CameraMove(np.zeros(4))
