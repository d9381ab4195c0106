"""The floor of an empty tray in several pictures: found at the same place in most of them, and how far apart.

The floor in a single picture depends on noise: it may separate some patch of a wooden table's grain from the rest,
which then counts as tray. As this runs once for a profile, it need not be as fast as what runs at every roll.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.tray.floor import Floor, covering
from vision.tray.floor_search import find_floor
from vision.types.frame import ImageBgr

_MAX = 2.0 / 3.0
"""Share of the pictures that must show a floor, and show it in one place."""
_MAX_APART = 0.05
"""Greatest distance of floors in one place, as a share of the longer side: about a die's breadth. Floors that include
some table differ by 0.1 to 0.2.
"""


@dataclass(frozen=True, slots=True)
class AgreedFloor:
    """The common floor of several pictures."""

    floor: Floor  # what at least half of the floors found have in common
    apart_px: float  # greatest distance from it of the floors of most of the pictures, in pixels
    is_agreed: bool  # whether `apart_px` is small enough


def find_agreed_floor(images_bgr: Sequence[ImageBgr]) -> AgreedFloor | None:
    """Find the floor of an empty tray in several pictures.

    Args:
        images_bgr: One or more, shape (H, W, 3) each, without dice, of one size.

    Returns:
        The floor; None if it is found in too few pictures.
    """
    seen = [floor for floor in (find_floor(image, is_empty=True) for image in images_bgr) if floor is not None]
    needed = math.ceil(_MAX * len(images_bgr))
    if len(seen) < needed:
        return None
    height, width = images_bgr[0].shape[:2]
    votes = np.sum([floor.mask(width, height) > 0 for floor in seen], axis=0)
    floor = covering(np.asarray(2 * votes >= len(seen), dtype=np.uint8))
    apart_px = sorted(outlines_apart_px(floor, other) for other in seen)[needed - 1]
    return AgreedFloor(floor, apart_px, apart_px <= _MAX_APART * floor.span_px)


def outlines_apart_px(one: Floor, other: Floor) -> float:
    """Return the greatest distance of a corner of either floor from the outline of the other."""
    return max(
        abs(from_.distance_px(float(x), float(y)))
        for from_, to in ((one, other), (other, one))
        for x, y in to.outline_px
    )
