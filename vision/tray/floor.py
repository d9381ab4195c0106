"""The tray's floor, where dice may lie, as the simplest shape that covers it: rectangle, hexagon, octagon or circle."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.types.frame import FloatArray

Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """Where dice may lie."""

    # shape of the floor: `rectangle`, `round`, `hexagon`, `octagon`, or `picture` if no tray was looked for or found
    shape: str
    outline_px: FloatArray  # shape (N, 2), corners in order; for a round floor 48 points of its rim
    sure: bool = True  # whether several clues confirm it; otherwise a part of it may be missing

    def mask(self, width_px: int, height_px: int, scale: float = 1.0) -> Mask:
        """Return a mask, 255 on the floor, at `scale` times the picture's size."""
        drawn = np.zeros((max(1, round(height_px * scale)), max(1, round(width_px * scale))), dtype=np.uint8)
        cv2.fillPoly(drawn, [np.rint(self.outline_px * scale).astype(np.int32)], 255)
        return drawn

    def distance_px(self, x: float, y: float) -> float:
        """Return how far inside the outline a point lies; negative outside."""
        return float(cv2.pointPolygonTest(self.outline_px.astype(np.float32), (float(x), float(y)), True))

    @property
    def box_px(self) -> tuple[int, int, int, int]:
        """(left, top, right, bottom) around the outline, whole pixels, not clipped to any picture."""
        low, high = np.floor(self.outline_px.min(axis=0)), np.ceil(self.outline_px.max(axis=0))
        return int(low[0]), int(low[1]), int(high[0]), int(high[1])

    @property
    def span_px(self) -> float:
        """The longer side of the smallest rectangle around the floor."""
        (_, size, _) = cv2.minAreaRect(self.outline_px.astype(np.float32))
        return float(max(size))


def shaped(floor: Floor, shape: str) -> Floor:
    """Return the same floor as the given shape, for a person who knows it better than the picture shows."""
    hull = cv2.convexHull(floor.outline_px.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    return Floor(shape, _outline(hull, shape))


def around(points: cv2.typing.MatLike) -> Floor:
    """Return the shape that fits the hull of some points."""
    return fit_shape(cv2.convexHull(points).reshape(-1, 2).astype(np.float64))


_CORNERS = {"rectangle": 4, "hexagon": 6, "octagon": 8}
# By how much a shape's overlap must exceed a rectangle's, as more corners always fit a little better. In this order.
_PENALTY = {"rectangle": 0.0, "hexagon": 0.02, "octagon": 0.03, "round": 0.03}


def fit_shape(hull: FloatArray) -> Floor:
    """Return the simplest of the shapes that covers the hull about as well as the best one."""
    low, high = hull.min(axis=0), hull.max(axis=0)
    margin = 0.25 * (high - low)
    width, height = map(math.ceil, (high - low + 2.0 * margin).tolist())
    shift = margin - low

    def drawn(outline: FloatArray) -> Mask:
        mask = np.zeros((height, width), dtype=np.uint8)
        cv2.fillPoly(mask, [np.rint(outline + shift).astype(np.int32)], (1,))
        return mask

    target = drawn(hull)
    area = cv2.countNonZero(target)
    best, most = Floor("rectangle", hull), -1.0
    for shape, penalty in _PENALTY.items():
        if most >= 1.0 - penalty:
            break
        outline = _outline(hull, shape)
        mask = drawn(outline)
        common = cv2.countNonZero(cv2.bitwise_and(mask, target))
        fit = common / max(cv2.countNonZero(mask) + area - common, 1) - penalty
        if fit > most:
            best, most = Floor(shape, outline), fit
    return best


_ROUND = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
_CIRCLE = np.stack([np.cos(_ROUND), np.sin(_ROUND)], axis=1)


def _ellipse(hull: FloatArray) -> FloatArray:
    """Return the ellipse with the hull's own moments, as 48 points of its rim."""
    moments = cv2.moments(hull.astype(np.float32))
    area = moments["m00"]
    xx, xy, yy = moments["mu20"] / area, moments["mu11"] / area, moments["mu02"] / area
    # The two axes: half the trace plus and minus this, rotated by that.
    mean, half = (xx + yy) / 2.0, math.hypot((xx - yy) / 2.0, xy)
    turn = math.atan2(2.0 * xy, xx - yy) / 2.0
    long, short = 2.0 * math.sqrt(mean + half), 2.0 * math.sqrt(max(mean - half, 0.0))
    along, across = math.cos(turn), math.sin(turn)
    axes = np.array([[long * along, long * across], [-short * across, short * along]])
    rim: FloatArray = _CIRCLE @ axes + (moments["m10"] / area, moments["m01"] / area)
    return rim


def _outline(hull: FloatArray, shape: str) -> FloatArray:
    """Return the shape of that name around a hull: of polygons about the smallest."""
    if shape == "round":
        return _ellipse(hull)
    if len(hull) <= _CORNERS[shape]:
        return hull
    fitted = cv2.approxPolyN(hull.astype(np.float32), _CORNERS[shape], None, -1.0, True)
    return fitted.reshape(-1, 2).astype(np.float64)
