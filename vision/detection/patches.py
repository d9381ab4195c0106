"""Patches of a picture round some places, side by side in one picture: a filter sees them all in one pass."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.neighbours import IntArray
from vision.types.frame import FloatArray, ImageBgr


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """Patches side by side.

    Attributes:
        image_bgr: Shape (h, N * w, 3), the patches side by side.
        width_px: Width of one patch, w, in pixels.
        corners_xy: Shape (N, 2), corner of each patch, in pixels of the picture that they were cut from.
        grow: Shape (2,), pixels of the picture for one pixel of the patches.
        places_xy: Shape (P, 2), places that the patches were cut around, in pixels of the picture.
        reach_px: Distance around a place that counts, along each axis, in pixels of the picture.
    """

    image_bgr: ImageBgr
    width_px: int
    corners_xy: FloatArray
    grow: FloatArray
    places_xy: FloatArray
    reach_px: float

    def own(self, xs: IntArray, ys: IntArray) -> npt.NDArray[np.bool_]:
        """Which pixels of the patches count: those within reach of a place, each in one patch alone.

        Args:
            xs: Shape (K,), columns.
            ys: Shape (K,), rows.

        Returns:
            Shape (K,). Patches of places near one another show the same things; the nearest place's has them.
        """
        patch = xs // self.width_px
        x, y = self._in_picture(xs, ys, patch)
        away = np.abs(x - self.places_xy[:, 0:1])
        np.maximum(away, np.abs(y - self.places_xy[:, 1:2]), out=away)
        counts: npt.NDArray[np.bool_] = away.min(axis=0) <= self.reach_px
        if len(self.corners_xy) > 1:
            counts &= away.argmin(axis=0) == patch
        return counts

    def placed(self, xy: FloatArray) -> FloatArray:
        """Points that lie on the patches, shape (K, 2), in the picture's pixels."""
        patch = ((xy[:, 0] + 0.5) / self.width_px).astype(np.intp)
        return np.stack(self._in_picture(xy[:, 0], xy[:, 1], patch), axis=1)

    def _in_picture(
        self, x: FloatArray | IntArray, y: FloatArray | IntArray, patch: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Columns and rows of points of the given patches, shape (K,) each, in the picture's pixels."""
        return (
            (x - patch * self.width_px + 0.5) * self.grow[0] - 0.5 + self.corners_xy[patch, 0],
            (y + 0.5) * self.grow[1] - 0.5 + self.corners_xy[patch, 1],
        )


def cut_patches(
    image_bgr: ImageBgr, places_xy: FloatArray, reach_px: float, rim_px: float, shrink: float = 1.0
) -> Patches:
    """Cut patches out of a picture.

    Args:
        image_bgr: Shape (H, W, 3).
        places_xy: Shape (P, 2), pixels, one at least.
        reach_px: How far round a place counts, along each axis.
        rim_px: What a filter sees beyond that.
        shrink: Pixels of the picture for one of the patches; 1 or more.

    Returns:
        A patch for each place, or one of the whole picture where that is less.
    """
    height, width = image_bgr.shape[:2]
    side = 2 * math.ceil(reach_px + rim_px) + 1
    w, h = min(side, width), min(side, height)
    corners = np.rint(places_xy).astype(np.intp) - np.array([w // 2, h // 2])
    # At the picture's border a patch moves inwards: it shows less beyond its place, and nothing that is not there.
    corners = np.minimum(np.maximum(corners, 0), np.array([width - w, height - h]))
    if len(corners) * w * h >= width * height:
        w, h, corners = width, height, np.zeros((1, 2), dtype=np.intp)
    small = (max(1, round(w / shrink)), max(1, round(h / shrink)))
    strip = image_bgr
    if len(corners) > 1 or (w, h) != (width, height):
        strip = np.empty((h, len(corners) * w, image_bgr.shape[2]), dtype=np.uint8)
        for i, (x, y) in enumerate(corners.tolist()):
            strip[:, i * w : (i + 1) * w] = image_bgr[y : y + h, x : x + w]
    if small != (w, h):
        size = (small[0] * len(corners), small[1])
        strip = np.asarray(cv2.resize(strip, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    grow = np.array([w / small[0], h / small[1]])
    return Patches(strip, small[0], corners.astype(np.float64), grow, places_xy, reach_px)
