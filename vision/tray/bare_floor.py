"""What shows beside a die that neither the floor nor its shadows nor the other dice explain: a die that it lies on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.tray.floor import Floor, Mask
from vision.types.frame import FloatArray, ImageBgr


@dataclass(frozen=True, slots=True)
class BesideParams:
    """Where to look and what is foreign; lengths in edges of the die.

    Attributes:
        from_edge: So near to the die's own outline its rim and its shadow's blur are not asked.
        reach: How far from it a lower die can show.
        of_others: So near to another die's outline everything is that die's,
        of_walls: and so near to the floor's the wall's.
        levels: A colour departs from the floor's by this many grey levels at least...
        spread: ...and by so many times what half of the floor stays under.
        dimmest: A shadow leaves at least this share of the light,
        brightest: a lamp adds at most this.
        cells: The place is looked at in so many cells across, which are...
        span: ...together so wide.
    """

    from_edge: float = 0.10
    reach: float = 0.42
    of_others: float = 0.12
    of_walls: float = 0.5
    levels: float = 19.0
    spread: float = 3.2
    dimmest: float = 0.05
    brightest: float = 1.25
    cells: int = 48
    span: float = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class BareFloor:
    """The floor in a part of a picture, and how far from its colour, at any strength of light, its own grain is.

    Attributes:
        outline_xy: Shape (K, 2), pixels of the part.
        bgr: Shape (3,).
        levels: Grey levels; more is foreign.
        params: What is foreign.
    """

    outline_xy: FloatArray
    bgr: FloatArray
    levels: float
    params: BesideParams

    @staticmethod
    def of(part_bgr: ImageBgr, floor: Floor, left_top: FloatArray, params: BesideParams) -> "BareFloor":
        """The floor in a part of a picture; most of it is bare.

        Args:
            part_bgr: Shape (h, w, 3).
            floor: In the whole picture's pixels.
            left_top: Shape (2,), the part's corner there.
            params: See there.
        """
        height, width = part_bgr.shape[:2]
        inside: Mask = np.zeros((height, width), dtype=np.uint8)
        outline = floor.outline_px - left_top
        cv2.fillPoly(inside, [np.rint(outline).astype(np.int32)], (255,))
        colours = part_bgr[::8, ::8][inside[::8, ::8] > 0].astype(np.float64)
        if not len(colours):
            return BareFloor(outline, np.ones(3), 255.0, params)
        bgr = np.maximum(np.median(colours, axis=0), 1.0)
        grain = float(np.median(_departure(colours, bgr, params)))
        return BareFloor(outline, bgr, max(params.levels, params.spread * grain), params)

    def are_foreign(self, colours_bgr: FloatArray) -> npt.NDArray[np.bool_]:
        """Which of some colours, shape (..., 3), are none of the floor's in any light; shape (...)."""
        foreign: npt.NDArray[np.bool_] = _departure(colours_bgr, self.bgr, self.params) > self.levels
        return foreign


def _departure(colours: FloatArray, floor_bgr: FloatArray, params: BesideParams) -> FloatArray:
    """How far colours, shape (..., 3), are from the floor's in the light that suits each best, grey levels."""
    light = np.clip(colours @ floor_bgr / float(floor_bgr @ floor_bgr), params.dimmest, params.brightest)
    return np.asarray(np.abs(colours - light[..., None] * floor_bgr).max(axis=-1), np.float64)


def foreign_area(
    image_bgr: ImageBgr,
    outline_xy: FloatArray,
    edge_px: float,
    others_xy: Sequence[FloatArray] | FloatArray,
    floor: BareFloor,
) -> float:
    """Size of the largest foreign patch beside a die.

    Args:
        image_bgr: Shape (H, W, 3).
        outline_xy: Shape (K, 2), what a die lying flat covers there: the corners of its top and of its bottom.
        edge_px: Its edge.
        others_xy: The same of dice near it that lie flat.
        floor: What is bare there.

    Returns:
        Its area, in square edges.
    """
    params = floor.params
    cells = params.cells
    reach = math.ceil(0.5 * params.span * edge_px)
    middle = outline_xy.mean(axis=0)
    left, top = (max(0, round(float(at)) - reach) for at in middle)
    right, bottom = (max(1, round(float(at)) + reach) for at in middle)
    piece = image_bgr[top:bottom, left:right]
    if not piece.size:
        return 0.0
    step = cells / (2.0 * reach)
    size = (max(1, round(piece.shape[1] * step)), max(1, round(piece.shape[0] * step)))
    # Cells are larger than pixels: averaged, or noise is foreign.
    seen = cv2.resize(piece, size, interpolation=cv2.INTER_AREA)
    corner = np.array([left, top])

    def cover(xy: FloatArray, grown: float) -> Mask:
        mask: Mask = np.zeros(seen.shape[:2], dtype=np.uint8)
        hull = cv2.convexHull(((xy - corner) * step).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), (255,))
        side = 2 * round(abs(grown) * edge_px * step) + 1
        change = cv2.dilate if grown > 0.0 else cv2.erode
        return np.asarray(change(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))), np.uint8)

    asked = cover(outline_xy, params.reach) & ~cover(outline_xy, params.from_edge)
    asked &= cover(floor.outline_xy, -params.of_walls)
    for other in others_xy:
        asked &= ~cover(other, params.of_others)
    strange = floor.are_foreign(seen.astype(np.float64))
    patches = cv2.morphologyEx((strange & (asked > 0)).astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(patches, np.uint8))
    if count < 2:
        return 0.0
    return float(stats[1:, cv2.CC_STAT_AREA].max()) / (edge_px * step) ** 2
