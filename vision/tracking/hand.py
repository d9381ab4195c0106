"""Detection of a hand: it has changed since the last rest, is larger than dice, and comes in from the edge.

Dice that came, left or moved change patches of about their own size. A hand changes a large connected region that
reaches the picture's border, or one far thicker than any heap of thrown dice. A lamp that was switched changes large
regions too, but smoothly: within a region each channel keeps its pattern, whereas a hand brings its own outline and
hides what was under it. All of 1,178 pictures of hands of five skins over 60 drawn trays are detected, of which a
change of gray edges detected 913; of 360 in which a lamp was switched, added or dimmed 60 are mistaken for a hand, and
none of 180 in which dice came, left or moved.
"""

from enum import Enum
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.tracking.settle import CELL_PX, DIE_SHARE, SmallGray, gray_of, line_gain
from vision.types.frame import F32, ImageBgr, ImageGray

_DARK_LEVELS = 12.0
"""Added to a brightness before shares of it are taken, so that noise in black does not count."""

_LOGARITHM = np.log(np.arange(256, dtype=np.float32) + np.float32(_DARK_LEVELS))

BoolMap: TypeAlias = npt.NDArray[np.bool_]
"""Shape (h, w), bool."""


class Hand(Enum):
    """Where a hand is."""

    NONE = 0
    NEAR = 1
    OVER = 2


_CHANGE_LEVELS = 22.0
"""Difference from the rest (largest channel, 0-255) that counts as changed in bright places; above the soft shadows of
dice.
"""
_CHANGE_SHARE = 0.16
"""Share of a place's brightness that counts as changed, between `_MIN_LEVELS` and `_CHANGE_LEVELS`."""
_MIN_LEVELS = 9.0
"""Least difference (largest channel, 0-255) that counts as changed in the dark; noise stays below it."""
_PATTERN_EDGES = 3.0
"""Breadth of the surroundings that give the pattern around a pixel."""
_PATTERN_CHANGE = 0.06
"""Difference of a pixel from the pattern around it (natural logarithm, any channel) that counts as changed."""
_PATTERN_SHARE = 0.45
"""Least share of a region with a changed pattern; with less it is a change of light."""
_BORDER_FACES = 8.0
"""Least area of a region at the picture's border that is a hand."""
_THICK_EDGES = 2.3
"""Least inner radius of a region anywhere that is a hand; a palm's is about 2.6 edges of a 16 mm die."""


def find_hand(small_bgr: ImageBgr, rest_bgr: ImageBgr, floor: ImageGray | None, die_edge_px: float | None) -> Hand:
    """Return whether something as large as a hand has come into the picture since a rest, and whether over the floor.

    Args:
        rest_bgr: Small picture of the rest to compare with, of the shape of `small_bgr`.
        floor: Mask of the floor at that size, not 0 where dice may lie; None if all of the picture is floor.
        die_edge_px: Edge of a die in the small picture; None while unknown.
    """
    edge_px = die_edge_px if die_edge_px is not None else DIE_SHARE * small_bgr.shape[1]
    # Half the size shows a hand as well, in a quarter of the time.
    small_bgr, rest_bgr, edge_px = _halve(small_bgr), _halve(rest_bgr), edge_px / 2.0
    now, before = gray_of(small_bgr), gray_of(rest_bgr)
    gain = line_gain(now, before, CELL_PX // 2)
    expected = rest_bgr.astype(np.float32) * gain[:, :, None]
    difference = _greatest_change(small_bgr.astype(np.float32), expected)
    brightness = cv2.blur(np.maximum(now, before * gain), (5, 5)) + _DARK_LEVELS
    limit = np.clip(_CHANGE_SHARE * brightness, _MIN_LEVELS, _CHANGE_LEVELS)
    changed = (cv2.blur(difference, (3, 3)) > limit).astype(np.uint8)
    # Fingers and the gaps between them are one object.
    bridge = max(3, round(0.3 * edge_px)) | 1
    changed = np.asarray(cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((bridge, bridge), np.uint8)), np.uint8)
    if not changed.any():
        return Hand.NONE
    thickness = cv2.distanceTransform(cv2.copyMakeBorder(changed, 1, 1, 1, 1, cv2.BORDER_REPLICATE), cv2.DIST_L2, 3)
    thickness = thickness[1:-1, 1:-1]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=8)
    height, width = changed.shape
    other_pattern: BoolMap | None = None
    found = Hand.NONE
    for label in range(1, count):
        left, top, box_width, box_height, area = (int(value) for value in stats[label])
        touches = left == 0 or top == 0 or left + box_width == width or top + box_height == height
        large = touches and area > _BORDER_FACES * edge_px**2
        if not large and area < (_THICK_EDGES * edge_px) ** 2:
            continue
        window = (slice(top, top + box_height), slice(left, left + box_width))
        region = labels[window] == label
        if not large and float(thickness[window][region].max()) <= _THICK_EDGES * edge_px:
            continue
        if other_pattern is None:
            other_pattern = _other_pattern(small_bgr, rest_bgr, edge_px)
        if float(other_pattern[window][region].mean()) > _PATTERN_SHARE:
            # A hand on the wall is about to enter: a die's breadth around the floor counts as floor.
            if floor is None or bool(np.any(_near(floor, changed, edge_px)[window][region])):
                return Hand.OVER
            found = Hand.NEAR
    return found


def _near(floor: ImageGray, changed: ImageGray, edge_px: float) -> BoolMap:
    """Return a mask of the floor and a die's breadth around it, at the size of `changed`."""
    reach = 2 * round(edge_px) + 1
    height, width = changed.shape
    return np.asarray(cv2.dilate(cv2.resize(floor, (width, height)), np.ones((reach, reach), np.uint8)) > 0)


def _halve(image_bgr: ImageBgr) -> ImageBgr:
    size = (image_bgr.shape[1] // 2, image_bgr.shape[0] // 2)
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _other_pattern(now_bgr: ImageBgr, before_bgr: ImageBgr, edge_px: float) -> BoolMap:
    """Return where some channel's pattern has changed, whatever the light."""
    breadth_px = max(3, round(_PATTERN_EDGES * edge_px)) | 1
    departs = _greatest_change(_pattern(now_bgr, breadth_px), _pattern(before_bgr, breadth_px))
    return np.asarray(departs > _PATTERN_CHANGE)


def _greatest_change(now: F32, before: F32) -> SmallGray:
    """Return the difference of two pictures of shape (h, w, 3) in the channel where it is largest, shape (h, w)."""
    blue, green, red = cv2.split(cv2.absdiff(now, before))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.float32)


def _pattern(image_bgr: ImageBgr, breadth_px: int) -> F32:
    """Return each channel's logarithm less its surroundings', which removes even light. Shape (h, w, 3)."""
    logarithm = cv2.LUT(image_bgr, _LOGARITHM)
    return np.asarray(cv2.blur(logarithm, (3, 3)) - cv2.blur(logarithm, (breadth_px, breadth_px)), dtype=np.float32)
