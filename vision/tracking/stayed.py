"""Detection of an untouched die: its patch of the picture at two rests is compared to a fraction of a pixel."""

import cv2
import numpy as np

from vision.types.frame import F32, ImageGray
from vision.types.reading import DieReading

_MARGIN_EDGES = 0.1
"""Width of the compared rim around the top face, in die edges, so that the rotation does not depend on a single pip."""
_SHIFT_EDGES = 0.02
"""Greatest shift, in die edges. Known shifts in the recordings were measured to 0.01."""
_TURN_RAD = 0.03
"""Greatest turn, in radians."""
_MIN_LIKENESS = 0.7
"""Least correlation of the two patches. A dark die under a new shadow fell to 0.8. Two faces of one die may correlate
as much: only the reading distinguishes them.
"""


def likeness(before: F32, now: F32) -> float:
    """Return the correlation of two arrays of one shape, -1 to 1; 0 if one has no contrast or no pixel."""
    if not before.size:
        return 0.0
    deviations = float(before.std() * now.std())
    return float(((before - before.mean()) * (now - now.mean())).mean()) / deviations if deviations > 0.0 else 0.0


def has_stayed(before_gray: ImageGray, now_gray: ImageGray, die: DieReading) -> bool:
    """Return whether a die lies exactly as its place did at the rest before.

    Args:
        before_gray: The picture at the rest before, shape (H, W).
        now_gray: The picture now, same shape.

    Source: one step of Lucas and Kanade's (1981) registration, with rotation, and with gain, offset and slope of the
    light as further unknowns; enough for shifts below a pixel or two, and only those matter here.
    """
    quad = np.array(die.top_quad_px)
    edge = float(np.linalg.norm(quad[1] - quad[0]))
    low = np.floor(quad.min(axis=0) - _MARGIN_EDGES * edge).astype(int)
    high = np.ceil(quad.max(axis=0) + _MARGIN_EDGES * edge).astype(int) + 1
    low, high = np.maximum(low, 0), np.minimum(high, (now_gray.shape[1], now_gray.shape[0]))
    if np.any(high - low < 4):
        return False
    window = (slice(low[1], high[1]), slice(low[0], high[0]))
    before, now = before_gray[window].astype(np.float32), now_gray[window].astype(np.float32)
    if likeness(before, now) < _MIN_LIKENESS:
        return False
    slope_x = cv2.Sobel(before, cv2.CV_32F, 1, 0, ksize=3) / 8.0
    slope_y = cv2.Sobel(before, cv2.CV_32F, 0, 1, ksize=3) / 8.0
    y, x = np.indices(before.shape, dtype=np.float32)
    x -= x.mean()
    y -= y.mean()
    unknowns = np.stack([slope_x, slope_y, x * slope_y - y * slope_x, before, np.ones_like(before), x, y], axis=-1)
    solution, *_ = np.linalg.lstsq(unknowns.reshape(-1, 7), (before - now).reshape(-1), rcond=None)
    shift_px = float(np.hypot(solution[0], solution[1]))
    return shift_px <= _SHIFT_EDGES * edge and abs(float(solution[2])) <= _TURN_RAD
