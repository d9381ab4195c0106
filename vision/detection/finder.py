"""A small net that finds the top faces of dice in a picture.

Drawn pictures taught it (vision/training). vision/README.md says how well it does.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.detection.squares import fill_planes
from vision.geometry.neighbours import first_of_place, squared_distances
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet
from vision.types.frame import F32
from vision.types.reading import PointPx

FINDER_STRIDE = 4
"""Pixels of the finder's picture to a cell of its maps."""
NOMINAL_EDGE_PX = 24.0
"""The finder gives an edge by its ratio to this one."""
_MULTIPLE = 16
"""Sides of the finder's picture are multiples of this: it is halved four times."""


@dataclass(frozen=True, slots=True)
class FaceCandidate:
    """A place where the finder sees a die's top face.

    Attributes:
        center_px: Middle of the face, in the picture as given.
        edge_px: Edge of the face; where it is seen aslant the root of its area.
        angle_deg: Turn of the face's sides, -45 to 45 degrees.
        score: Score of the finder, 0 to 1. Two drawn dice in three score above 0.6. Only the order counts: the score is
            no probability.
        lean_px: Vector from the top face's middle to the middle of the face below it; coarse, `FaceSights` has it
            finer.
    """

    center_px: PointPx
    edge_px: float
    angle_deg: float
    score: float
    lean_px: PointPx


@dataclass(frozen=True, slots=True)
class FinderParams:
    """What counts as found.

    Attributes:
        min_score: Least score, 0 to 1. Lower finds more dice and more that are none; the face reader sorts those out.
        min_distance: Least distance between two centres, in edges of the better one. Tops of touching dice are 1 apart.
        most: Greatest number of places that are kept, the best ones. Bounds the time on a picture full of pattern.
    """

    min_score: float = 0.3
    min_distance: float = 0.5
    most: int = 60


class FaceFinder:
    """Finds top faces of dice."""

    def __init__(self, params: FinderParams | None = None, weights: Path = WEIGHTS / "finder.onnx") -> None:
        """Load the net.

        Args:
            params: What counts as found.
            weights: ONNX file of the net.

        Raises:
            VisionError: No such file.
        """
        self._params = params or FinderParams()
        self._net = OnnxNet(weights)

    def find(self, picture: ImagePyramid, scale: float) -> tuple[FaceCandidate, ...]:
        """Find top faces.

        Args:
            picture: With its halves.
            scale: Size of the copy that the net sees over the picture's; dice should have edges of 12 to 55 px in it.

        Returns:
            The faces, best first.
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
        planes = np.empty((1, 3, *small.shape[:2]), np.float32)
        fill_planes(planes, small[None])
        return self._candidates(self._net.run(planes)[0], w / width, h / height)

    def _candidates(self, maps: F32, fx: float, fy: float) -> tuple[FaceCandidate, ...]:
        """Peaks of the heat, with what the other maps say there; `fx` and `fy` from the given picture to the net's."""
        params = self._params
        heat = maps[0]
        floor = float(np.log(params.min_score / (1 - params.min_score)))
        peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > floor)
        ys, xs = np.nonzero(peak)
        order = np.argsort(-heat[ys, xs], kind="stable")[: params.most]
        ys, xs = ys[order], xs[order]
        logit, dx, dy, size, cos4, sin4, _cocked, lean_x, lean_y = maps[:, ys, xs].astype(np.float64)
        center = np.stack(
            [
                (xs + dx + 0.5) * (FINDER_STRIDE / fx) - 0.5,
                (ys + dy + 0.5) * (FINDER_STRIDE / fy) - 0.5,
            ],
            axis=1,
        )
        edge = NOMINAL_EDGE_PX * np.exp(np.clip(size, -3.0, 3.0)) / math.sqrt(fx * fy)
        kept = first_of_place(squared_distances(center, center) < (params.min_distance * edge[:, None]) ** 2)
        angle, score = np.degrees(np.arctan2(sin4, cos4)) / 4, 1 / (1 + np.exp(-logit))
        rows = np.column_stack([center, edge, angle, score, lean_x * edge, lean_y * edge])[kept]
        return tuple(
            FaceCandidate(center_px=(x, y), edge_px=width, angle_deg=turn, score=sure, lean_px=(to_x, to_y))
            for x, y, width, turn, sure, to_x, to_y in rows.tolist()
        )
