"""The net that finds dice anywhere: place, size and rotation of their top faces.

It was pretrained on ImageNet and trained on real photographs, traced and drawn trays (vision/training).
vision/README.md has its results.
"""

import math
from pathlib import Path

import cv2
import numpy as np

from vision.detection.found import Found
from vision.geometry.neighbours import first_of_place, squared_distances
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet, net_input
from vision.types.frame import F32

STRIDE = 4
"""Pixels of the net's picture per cell of its maps."""
NOMINAL_EDGE_PX = 24.0
"""The edge for which the net's output is 0."""
_MULTIPLE = 16
"""Sides of the net's picture are multiples of this: it is halved four times."""


_APART = 0.5
"""Least distance of two places, in edges of the hotter one. Tops of touching dice are 1 apart."""
_MAX = 60
"""Greatest number of places that are kept, the hottest ones. Limits the time on a picture full of pattern."""


class Detector:
    """Finds dice; threads may share one."""

    def __init__(self, weights: Path = WEIGHTS / "detector.onnx", min_heat: float = 0.1) -> None:
        """Load the net.

        Args:
            min_heat: Least heat of a place that counts as found, 0 to 1.

        Raises:
            VisionError: The file is missing.
        """
        self._net = OnnxNet(weights)
        self._least_heat = min_heat

    def find(self, picture: ImagePyramid, scale: float) -> Found:
        """Find dice.

        Args:
            scale: Size of the net's copy relative to the picture; dice should have edges of 12 to 55 px in it.

        Returns:
            Places, hottest first, in pixels of the picture as given.
        """
        image_bgr = picture.whole_bgr
        height, width = image_bgr.shape[:2]
        w, h = max(round(width * scale), 1), max(round(height * scale), 1)
        if scale < 1.0:
            small = picture.shrunk(w, h)
        else:
            small = np.asarray(cv2.resize(image_bgr, (w, h), interpolation=cv2.INTER_LINEAR), np.uint8)
        right, below = -w % _MULTIPLE, -h % _MULTIPLE
        if right or below:
            small = np.asarray(cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_REPLICATE), np.uint8)
        found = self._found(self._net.run(net_input(small[None]))[0], w / width, h / height)
        return found.some(np.flatnonzero((found.center_xy < [width, height]).all(axis=1)))

    def _found(self, maps: F32, fx: float, fy: float) -> Found:
        """Return the heat's peaks with the other maps' values; `fx` and `fy` scale from the picture to the net's."""
        heat = maps[0]
        least = math.log(self._least_heat / (1 - self._least_heat))
        ys, xs = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least))
        order = np.argsort(-heat[ys, xs], kind="stable")[:_MAX]
        ys, xs = ys[order], xs[order]
        logit, dx, dy, size, cos4, sin4 = maps[:6, ys, xs].astype(np.float64)
        center = np.stack([(xs + dx + 0.5) * (STRIDE / fx) - 0.5, (ys + dy + 0.5) * (STRIDE / fy) - 0.5], axis=1)
        edge = NOMINAL_EDGE_PX * np.exp(np.clip(size, -3.0, 3.0)) / math.sqrt(fx * fy)
        kept = first_of_place(squared_distances(center, center) < (_APART * edge[:, None]) ** 2)
        return Found(center, edge, np.arctan2(sin4, cos4) / 4, 1 / (1 + np.exp(-logit))).some(kept)
