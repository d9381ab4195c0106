"""Is a hand in the picture? It has changed since the last rest, is larger than dice, and comes in from the edge.

Dice that came, left or moved change patches of about their own size. A hand changes a large connected region that
reaches the picture's border, or one far thicker than any heap of thrown dice. A lamp that was switched changes large
regions too, but leaves every edge where it was: such a region is no hand.
"""

from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from vision.frame import ImageBgr, ImageGray
from vision.settle import SettleParams, SmallGray, gray_of, line_gain


class Hand(Enum):
    """Where a hand is."""

    NONE = 0
    BESIDE = 1
    OVER = 2


@dataclass(frozen=True, slots=True)
class HandParams:
    """What tells a hand from dice. Lengths are in die edges, areas in die faces.

    Attributes:
        change_levels: Difference (largest channel, 0-255) that counts as changed; above soft shadows of dice.
        edge_change: Difference of local contrast (natural logarithm) that counts as a changed edge.
        edge_share: Share of a region that must have changed edges, else it is a change of light.
        border_faces: A region at the picture's border is a hand from this area on.
        thick_edges: A region anywhere is a hand from this inner radius on; a palm's is about 2.6 edges of a 16 mm die.
        die_share: A die's edge as a share of the picture's width while no die has been seen.
    """

    change_levels: float = 22.0
    edge_change: float = 0.12
    edge_share: float = 0.06
    border_faces: float = 8.0
    thick_edges: float = 2.3
    die_share: float = 0.04


def find_hand(
    small_bgr: ImageBgr,
    rest_bgr: ImageBgr,
    floor: ImageGray | None,
    die_edge_px: float | None,
    *,
    params: HandParams,
    settle: SettleParams,
) -> Hand:
    """Tell whether something as large as a hand has come into the picture since a rest, and whether over the floor.

    Args:
        small_bgr: The picture now, from `settle.shrink`.
        rest_bgr: The same of the rest to compare with, same shape.
        floor: Mask of the floor at that size, not 0 where dice may lie; None where all of the picture is floor.
        die_edge_px: Edge of a die in the small picture; None while unknown.
        params: What tells a hand from dice.
        settle: Gives the cell size by which light is taken out.
    """
    edge_px = die_edge_px if die_edge_px is not None else params.die_share * small_bgr.shape[1]
    # Half the size tells a hand as well, in a quarter of the time.
    small_bgr, rest_bgr, edge_px = _halve(small_bgr), _halve(rest_bgr), edge_px / 2.0
    now, before = gray_of(small_bgr), gray_of(rest_bgr)
    gain = line_gain(now, before, settle.cell_px // 2)
    expected = rest_bgr.astype(np.float32) * gain[:, :, None]
    difference = np.abs(small_bgr.astype(np.float32) - expected).max(axis=2)
    changed = (cv2.blur(difference, (3, 3)) > params.change_levels).astype(np.uint8)
    # Fingers and the gaps between them are one thing.
    bridge = max(3, round(0.3 * edge_px)) | 1
    changed = np.asarray(cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((bridge, bridge), np.uint8)), np.uint8)
    if not changed.any():
        return Hand.NONE
    moved_edges = np.abs(_local_contrast(now, edge_px) - _local_contrast(before, edge_px)) > params.edge_change
    thickness = cv2.distanceTransform(cv2.copyMakeBorder(changed, 1, 1, 1, 1, cv2.BORDER_REPLICATE), cv2.DIST_L2, 3)
    thickness = thickness[1:-1, 1:-1]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=8)
    height, width = changed.shape
    if floor is not None:
        reach = 2 * round(edge_px) + 1
        near_floor = cv2.dilate(cv2.resize(floor, (width, height)), np.ones((reach, reach), np.uint8)) > 0
    found = Hand.NONE
    for label in range(1, count):
        left, top, box_width, box_height, area = (int(value) for value in stats[label])
        touches = left == 0 or top == 0 or left + box_width == width or top + box_height == height
        if not (touches and area > params.border_faces * edge_px**2) and area < (params.thick_edges * edge_px) ** 2:
            continue
        window = (slice(top, top + box_height), slice(left, left + box_width))
        region = labels[window] == label
        thick = float(thickness[window][region].max()) > params.thick_edges * edge_px
        large = touches and area > params.border_faces * edge_px**2
        if (thick or large) and float(moved_edges[window][region].mean()) > params.edge_share:
            # A hand on the wall is on its way: a die's breadth around the floor counts as floor.
            if floor is None or bool(np.any(near_floor[window][region])):
                return Hand.OVER
            found = Hand.BESIDE
    return found


def _halve(image_bgr: ImageBgr) -> ImageBgr:
    size = (image_bgr.shape[1] // 2, image_bgr.shape[0] // 2)
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _local_contrast(gray: SmallGray, edge_px: float) -> SmallGray:
    """Logarithm of brightness less its surroundings': light that falls evenly over a die's breadth drops out."""
    logarithm = np.log(gray + 12.0)
    size = max(3, round(edge_px)) | 1
    return np.asarray(cv2.blur(logarithm, (3, 3)) - cv2.blur(logarithm, (size, size)), dtype=np.float32)
