"""Detection of objects in the tray that the reading does not include, by comparison with the empty floor.

A missed die, a pencil, a coin: all of them change the floor's colour or brighten it. Shadows only darken it, all
channels equally, and are ignored.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.tracking.agree import edge_px, median_edge_px
from vision.tracking.settle import DIE_SHARE, SmallGray, gray_of, line_gain
from vision.types.frame import ImageBgr, ImageGray
from vision.types.reading import DieReading

_CHANGE_LEVELS = 20.0
"""Change of colour or gain of brightness that counts, 0-255."""
_TINT_SHARE = 0.25
"""Share of the light removed by a shadow that may be in one channel only: lamps differ in tint."""
_MIN_FACES = 0.2
"""Least area of an object, in die faces. A black die on a gray floor shows little but its pips."""
_DIE_REACH_EDGES = 1.05
"""Radius around a die's top face within which every change is due to the die: sides, glow, pips."""
_MARGIN_EDGES = 0.4
"""Width of the floor's rim that is ignored: walls seem to move if the camera is nudged."""
_LIGHT_PX = 16
"""Edge of the patches, small pixels, in which light is compared; the median of five by five of them follows a lamp and
ignores dice.
"""


def holds_unexplained(
    small_bgr: ImageBgr, empty_bgr: ImageBgr, floor: ImageGray, dice: Sequence[DieReading], scale: float
) -> bool:
    """Return whether the floor shows something besides the dice that were read.

    Args:
        empty_bgr: Small picture of the empty tray, of the shape of `small_bgr`.
        floor: Mask of the floor at that size, not 0 where dice may lie.
        scale: Small pixels for each pixel of the reading.
    """
    now = small_bgr.astype(np.float32)
    empty = empty_bgr.astype(np.float32) * _light_gain(small_bgr, empty_bgr)[:, :, None]
    brighter = (now - empty).max(axis=2)
    # A shadow is the floor's colour times a share; the rest is a change of colour, on a floor of any saturation.
    shadow = (now * empty).sum(axis=2) / np.maximum((empty * empty).sum(axis=2), 1.0)
    rest = now - empty * shadow[:, :, None]
    lost = np.maximum(1.0 - shadow, 0.0) * empty.max(axis=2)
    coloured = rest.max(axis=2) - rest.min(axis=2) - _TINT_SHARE * lost
    changed = cv2.blur(np.maximum(brighter, coloured), (3, 3)) > _CHANGE_LEVELS
    edge = median_edge_px(dice, DIE_SHARE * small_bgr.shape[1] / scale) * scale
    margin = 2 * round(_MARGIN_EDGES * edge) + 1
    inner = cv2.erode(floor, np.ones((margin, margin), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    things = np.where(changed & (inner > 0), 255, 0).astype(np.uint8)
    for die in dice:
        center = (round(die.center_px[0] * scale), round(die.center_px[1] * scale))
        cv2.circle(things, center, round(_DIE_REACH_EDGES * edge_px(die) * scale), 0, -1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(things, connectivity=8)
    return count > 1 and float(stats[1:, cv2.CC_STAT_AREA].max()) > _MIN_FACES * edge**2


def _light_gain(now_bgr: ImageBgr, empty_bgr: ImageBgr) -> SmallGray:
    """Measure how much brighter each pixel's surroundings are than when the tray was empty, shape (h, w)."""
    now, empty = gray_of(now_bgr), gray_of(empty_bgr)
    lines = line_gain(now, empty)
    height, width = now.shape
    size = (max(1, width // _LIGHT_PX), max(1, height // _LIGHT_PX))
    light = cv2.resize(now, size, interpolation=cv2.INTER_AREA) + 1.0
    light /= cv2.resize(empty * lines, size, interpolation=cv2.INTER_AREA) + 1.0
    patches = cv2.medianBlur(np.ascontiguousarray(light, dtype=np.float32), 5)
    return np.asarray(cv2.resize(patches, (width, height)) * lines, dtype=np.float32)
