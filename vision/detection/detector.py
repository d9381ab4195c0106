"""A net that finds dice in a picture: where they are, how large, how turned.

It began from weights that were taught on ImageNet and learned from real photographs, traced and drawn trays
(vision/training). vision/README.md says how well it does.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import F32, FloatArray, ImageBgr
from vision.near import IntArray, first_of_place, squared_distances
from vision.onnx_net import WEIGHTS, OnnxNet
from vision.shrink import Halves

STRIDE = 4
"""Pixels of the net's picture to a cell of its maps."""
NOMINAL_EDGE_PX = 24.0
"""The edge, in the net's pixels, of which it says 0."""
_MULTIPLE = 16
"""Sides of the net's picture are multiples of this: it is halved four times."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where dice may be, N places, best first.

    Attributes:
        center_xy: Shape (N, 2), middles of the top faces, pixels of the picture as given.
        edge_px: Shape (N,), of the top faces.
        turn_rad: Shape (N,), of their sides, between minus and plus an eighth of a turn.
        heat: Shape (N,), 0 to 1, how strongly the net sees a die. Order counts; it is no probability.
    """

    center_xy: FloatArray
    edge_px: FloatArray
    turn_rad: FloatArray
    heat: FloatArray

    def some(self, which: IntArray | npt.NDArray[np.bool_]) -> "Found":
        """Some of them, by index or mask."""
        return Found(self.center_xy[which], self.edge_px[which], self.turn_rad[which], self.heat[which])

    def __len__(self) -> int:
        return len(self.heat)

    @staticmethod
    def nothing() -> "Found":
        """No place."""
        return Found(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, slots=True)
class DetectorParams:
    """What counts as found.

    Attributes:
        least_heat: Least heat, 0 to 1: lower finds more dice, and more that are none for the die net to sort out.
        apart: Least distance of two places, in edges of the better one.
        most: At most so many, the best ones: bounds the time on a picture full of pattern.
    """

    least_heat: float = 0.12
    apart: float = 0.5
    most: int = 80


def net_input(pictures: ImageBgr) -> F32:
    """Pictures as the nets take them.

    Args:
        pictures: Shape (N, H, W, 3), BGR, uint8.

    Returns:
        Shape (N, 3, H, W), RGB, (level - 127) / 128.
    """
    planes = np.empty((len(pictures), 3, *pictures.shape[1:3]), np.float32)
    for k in range(3):
        planes[:, k] = pictures[..., 2 - k]
    planes -= np.float32(127)
    planes *= np.float32(1 / 128)
    return planes


class DiceDetector:
    """Finds dice; threads may share one."""

    def __init__(self, params: DetectorParams | None = None, weights: Path = WEIGHTS / "detector.onnx") -> None:
        """Load the net.

        Args:
            params: What counts as found.
            weights: Its ONNX file.

        Raises:
            VisionError: No such file.
        """
        self._params = params or DetectorParams()
        self._net = OnnxNet(weights)

    def find(self, picture: Halves, scale: float) -> Found:
        """Find dice.

        Args:
            picture: With its halves.
            scale: Size of the copy that the net sees over the picture's; dice should have edges of 10 to 90 px in it.

        Returns:
            The places, in the picture's pixels.
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
        return self._places(self._net.run(net_input(small[None]))[0], w / width, h / height)

    def _places(self, maps: F32, fx: float, fy: float) -> Found:
        """Peaks of the heat and what the other maps say there; `fx` and `fy` from the given picture to the net's."""
        params = self._params
        logit = maps[0]
        floor = math.log(params.least_heat / (1 - params.least_heat))
        peak = (logit >= cv2.dilate(logit, np.ones((3, 3), np.uint8))) & (logit > floor)
        ys, xs = np.nonzero(peak)
        order = np.argsort(-logit[ys, xs], kind="stable")[: params.most]
        ys, xs = ys[order], xs[order]
        heat, dx, dy, size, cos4, sin4 = maps[:, ys, xs].astype(np.float64)
        center = np.stack([(xs + dx + 0.5) * (STRIDE / fx) - 0.5, (ys + dy + 0.5) * (STRIDE / fy) - 0.5], axis=1)
        edge = NOMINAL_EDGE_PX * np.exp(np.clip(size, -3.0, 3.0)) / math.sqrt(fx * fy)
        found = Found(center, edge, np.arctan2(sin4, cos4) / 4, 1 / (1 + np.exp(-heat)))
        return found.some(first_of_place(squared_distances(center, center) < (params.apart * edge[:, None]) ** 2))


def merged(parts: list[Found], apart: float = 0.35, alike: float = 1.4) -> Found:
    """What was found at several scales, each place once: the hottest of those of one middle and size.

    Args:
        parts: One for each scale.
        apart: Middles nearer than so many edges of the hotter one are the same...
        alike: ...where their edges differ by no more than this factor.
    """
    whole = Found(
        np.concatenate([np.zeros((0, 2)), *(part.center_xy for part in parts)]),
        np.concatenate([np.zeros(0), *(part.edge_px for part in parts)]),
        np.concatenate([np.zeros(0), *(part.turn_rad for part in parts)]),
        np.concatenate([np.zeros(0), *(part.heat for part in parts)]),
    )
    whole = whole.some(np.argsort(-whole.heat, kind="stable"))
    near = squared_distances(whole.center_xy, whole.center_xy) < (apart * whole.edge_px[:, None]) ** 2
    ratio = np.abs(np.log(np.maximum(whole.edge_px, 1e-6)[:, None] / np.maximum(whole.edge_px, 1e-6)[None]))
    return whole.some(first_of_place(near & (ratio < math.log(alike))))
