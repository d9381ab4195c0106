"""Does something lie in the tray that the reading does not speak of? Compares the floor with the same floor empty.

A die that was overlooked, a pencil, a coin: all of them change the floor's colour or brighten it. Shadows only darken
it, all channels alike, and are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.tracking.agree import edge_px, median_edge_px
from vision.tracking.settle import SettleParams, SmallGray, gray_of, line_gain
from vision.types.frame import ImageBgr, ImageGray
from vision.types.reading import DieReading


@dataclass(frozen=True, slots=True)
class UnexplainedParams:
    """What counts as a thing. In the recordings light and noise left 0.03 faces, dice left out mostly 0.6 and more.

    Attributes:
        change_levels: Change of colour or gain of brightness that counts, 0-255.
        tint_share: Share of the light that a shadow takes away which may be of one channel alone: lamps differ in tint.
        least_faces: Least area of a thing, in die faces. A black die on a gray floor shows little but its pips.
        die_reach_edges: Radius around a die's top face within which every change is the die's: sides, glow, pips.
        light_px: Edge of the patches, small pixels, in which light is compared; the median of five by five of them
            follows a lamp and passes over dice.
        margin_edges: Width of the rim of the floor that is not looked at: walls seem to wander when the camera is
            nudged.
        default_edge_share: Edge of a die as a share of the picture's width while no die has been seen.
    """

    change_levels: float = 20.0
    tint_share: float = 0.25
    least_faces: float = 0.2
    die_reach_edges: float = 1.05
    margin_edges: float = 0.4
    default_edge_share: float = 0.04
    light_px: int = 16


def holds_unexplained(
    small_bgr: ImageBgr,
    empty_bgr: ImageBgr,
    floor: ImageGray,
    dice: Sequence[DieReading],
    scale: float,
    *,
    params: UnexplainedParams,
    settle: SettleParams,
) -> bool:
    """Say whether the floor holds something beside the dice that were read.

    Args:
        small_bgr: The picture now, from `settle.shrink`.
        empty_bgr: Small picture of the empty tray, of the shape of `small_bgr`.
        floor: Mask of the floor at that size, not 0 where dice may lie.
        dice: What was read.
        scale: Small pixels for each pixel of the reading.
        params: What counts as a thing.
        settle: Gives the cell size by which light is taken out.
    """
    now = small_bgr.astype(np.float32)
    empty = empty_bgr.astype(np.float32) * _light_gain(small_bgr, empty_bgr, params, settle)[:, :, None]
    brighter = (now - empty).max(axis=2)
    # A shadow is the floor's colour times a share; what is left of that is colour, on a floor of any saturation.
    shadow = (now * empty).sum(axis=2) / np.maximum((empty * empty).sum(axis=2), 1.0)
    rest = now - empty * shadow[:, :, None]
    lost = np.maximum(1.0 - shadow, 0.0) * empty.max(axis=2)
    coloured = rest.max(axis=2) - rest.min(axis=2) - params.tint_share * lost
    changed = cv2.blur(np.maximum(brighter, coloured), (3, 3)) > params.change_levels
    edge = median_edge_px(dice, params.default_edge_share * small_bgr.shape[1] / scale) * scale
    margin = 2 * round(params.margin_edges * edge) + 1
    inner = cv2.erode(floor, np.ones((margin, margin), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    things = np.where(changed & (inner > 0), 255, 0).astype(np.uint8)
    for die in dice:
        center = (round(die.center_px[0] * scale), round(die.center_px[1] * scale))
        cv2.circle(things, center, round(params.die_reach_edges * edge_px(die) * scale), 0, -1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(things, connectivity=8)
    return count > 1 and float(stats[1:, cv2.CC_STAT_AREA].max()) > params.least_faces * edge**2


def _light_gain(now_bgr: ImageBgr, empty_bgr: ImageBgr, params: UnexplainedParams, settle: SettleParams) -> SmallGray:
    """Measure how much brighter each pixel's surroundings are than when the tray was empty, shape (h, w)."""
    now, empty = gray_of(now_bgr), gray_of(empty_bgr)
    lines = line_gain(now, empty, settle.cell_px)
    height, width = now.shape
    size = (max(1, width // params.light_px), max(1, height // params.light_px))
    light = cv2.resize(now, size, interpolation=cv2.INTER_AREA) + 1.0
    light /= cv2.resize(empty * lines, size, interpolation=cv2.INTER_AREA) + 1.0
    patches = cv2.medianBlur(np.ascontiguousarray(light, dtype=np.float32), 5)
    return np.asarray(cv2.resize(patches, (width, height)) * lines, dtype=np.float32)
