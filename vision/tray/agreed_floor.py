"""The floor of an empty tray as several pictures show it: where it is found alike in most of them, and how far apart.

One picture's floor hangs on its noise: of the grain of a wooden table some patch or other is cut off from the rest by
it, and counts as tray. What is done here once, for a profile, need not be as quick as what is done at every roll.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.imaging.outline_edges import OutlineEdgeParams, steps_across
from vision.tray.bare_floor import BareFloor, BareFloorParams
from vision.tray.floor import Floor, covering
from vision.tray.floor_search import FloorParams, find_floor
from vision.types.frame import ImageBgr


@dataclass(frozen=True, slots=True)
class AgreedFloorParams:
    """When pictures agree; measured on the simulated trays, nine pictures each.

    Attributes:
        floor: Parameters of finding the floor in one picture.
        edges: Parameters of measuring how clearly an outline shows.
        bare: Parameters of comparing colours with the floor's, strictly: much of the picture is compared, not the rim
            of a die.
        rim_px: Width of the rim around a floor's own outline that is not compared, in pixels of the copy that `edges`
            measures.
        most_floor: Greatest share of the area that only the search from outside took for floor which may have the
            floor's colour in some light, for the floor grown from within to be the whole. A larger share is floor that
            a shadow cut off.
        least_step: Least step of colour, as distance in L*a*b*, across each side of a floor grown from within, for it
            to be the whole: where a cord or a card cuts it off there is bare floor on both sides. Of 36 drawn and given
            empty trays the four that are cut so had 2 or less, the others 4.4 and more.
        most: Least share of the pictures that must show a floor, and show it in one place.
        most_apart: Greatest distance between floors that count as in one place, as a share of the longer side: about a
            die's breadth. A wall whose foot and top are found by turns lies at 0.04, floors of which one took table
            along at 0.1 to 0.2.
    """

    floor: FloorParams = field(default_factory=FloorParams)
    edges: OutlineEdgeParams = field(default_factory=OutlineEdgeParams)
    bare: BareFloorParams = field(default_factory=lambda: BareFloorParams(levels=12.0))
    rim_px: int = 3
    most_floor: float = 0.3
    least_step: float = 4.0
    most: float = 2.0 / 3.0
    most_apart: float = 0.05


@dataclass(frozen=True, slots=True)
class AgreedFloor:
    """What pictures say of the floor.

    Attributes:
        floor: What at least half of the pictures that show a floor have in common.
        apart_px: Greatest distance from it of the floors of most of the pictures, in pixels.
        is_agreed: Whether `apart_px` is small enough.
    """

    floor: Floor
    apart_px: float
    is_agreed: bool


def find_agreed_floor(images_bgr: Sequence[ImageBgr], params: AgreedFloorParams | None = None) -> AgreedFloor | None:
    """Find the floor of an empty tray in several pictures.

    What is left over where the table is grown from the picture's border gives back what a shadow cuts off the floor,
    but takes walls along, and patches of a table of their own wood. Grown from within alone the floor does neither.

    Args:
        images_bgr: One or more, shape (H, W, 3) each, no dice in them, of one size.
        params: The tunables.

    Returns:
        The floor grown from within alone, where it is surely all of it, else with what is left over; None where in too
        few pictures a floor is found at all.
    """
    settings = params or AgreedFloorParams()
    height, width = images_bgr[0].shape[:2]
    whole, within = (
        _agreed([find_floor(image, way) for image in images_bgr], width, height, settings)
        for way in (settings.floor, replace(settings.floor, from_without=False))
    )
    if whole is None or within is None:
        return whole or within
    mean = np.mean(images_bgr, axis=0).astype(np.uint8)
    return within if _is_all(mean, within, whole, settings) else whole


def _is_all(image_bgr: ImageBgr, within: AgreedFloor, whole: AgreedFloor, params: AgreedFloorParams) -> bool:
    """Whether nothing but walls and table, which are recognised in one place less often, lies between two floors."""
    if steps_across(image_bgr, within.floor.outline_px, params.edges).min() < params.least_step:
        return False
    if within.is_agreed and not whole.is_agreed:
        return True
    height, width = image_bgr.shape[:2]
    scale = params.edges.width_px / width
    inside, outside = (floor.mask(width, height, scale) for floor in (within.floor, whole.floor))
    small = np.asarray(cv2.resize(image_bgr, inside.shape[::-1], interpolation=cv2.INTER_AREA), np.uint8)
    grown = cv2.dilate(inside, np.ones((2 * params.rim_px + 1,) * 2, np.uint8))
    between = small[(outside > 0) & (grown == 0)]
    if not len(between):
        return True
    bare = BareFloor.of(
        small, replace(within.floor, outline_px=within.floor.outline_px * scale), np.zeros(2), params.bare
    )
    return float(bare.are_foreign(between.astype(np.float64)).mean()) >= 1.0 - params.most_floor


def _agreed(
    floors: Sequence[Floor | None], width_px: int, height_px: int, params: AgreedFloorParams
) -> AgreedFloor | None:
    """What the floors found in pictures of one size say together; None where too few show a floor at all."""
    seen = [floor for floor in floors if floor is not None]
    needed = math.ceil(params.most * len(floors))
    if not seen or len(seen) < needed:
        return None
    votes = np.zeros((height_px, width_px), dtype=np.uint16)
    for floor in seen:
        votes += floor.mask(width_px, height_px) > 0
    floor = covering(np.asarray(2 * votes >= len(seen), dtype=np.uint8))
    apart_px = sorted(outlines_apart_px(floor, other) for other in seen)[needed - 1]
    return AgreedFloor(floor, apart_px, apart_px <= params.most_apart * floor.span_px)


def outlines_apart_px(one: Floor, other: Floor) -> float:
    """How far a corner of either floor lies from the outline of the other at most."""
    return max(
        abs(from_.distance_px(float(x), float(y)))
        for from_, to in ((one, other), (other, one))
        for x, y in to.outline_px
    )
