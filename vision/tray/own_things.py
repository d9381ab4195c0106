"""A tray's own objects that look somewhat like a die: a token left in it, a screw, a printed mark.

They were there when the tray was confirmed to be empty; if the picture still shows exactly that, there is no die.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np

from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import PointPx

PATCH_CELLS = 8
"""Number of cells on each side of an object's stored patch."""
_SAMPLES = 6
"""Number of samples on each side of a cell."""


_PATCH_EDGES = 1.3
"""Side, in edges, of the square around its centre that is stored and compared."""
_REACH_EDGES = 0.4
"""Distance from the object's centre, in edges, within which a place is the object itself."""
_SLACK = 2
"""Greatest shift in any direction by which the object or the camera may have been nudged, in 48ths of the square's
side.
"""
_MAX_CHANGE = 10.0
"""Greatest change of any cell of the patch, in grey levels. In drawn trays light and noise caused 7 at most, and dice
on or next to an object 20 and more; shadows do as well, and then the object is in doubt like any other place.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """An object in the empty tray."""

    center_px: PointPx  # centre of the object, in pixels
    edge_px: float  # edge of the face that was detected there, in pixels
    patch_bgr: FloatArray  # shape (PATCH_CELLS, PATCH_CELLS, 3), its place in the empty tray

    def moved(self, scale: float, left_top: FloatArray) -> "Thing":
        """Return the object as it lies in a part of a picture of another size."""
        x, y = ((at + 0.5) * scale - 0.5 - corner for at, corner in zip(self.center_px, left_top, strict=True))
        return replace(self, center_px=(float(x), float(y)), edge_px=self.edge_px * scale)


def thing_at(image_bgr: ImageBgr, center_px: PointPx, edge_px: float) -> Thing:
    """Return what an empty tray's picture, shape (H, W, 3), shows at a place."""
    return Thing(center_px, edge_px, _cells(_sampled(image_bgr, center_px, edge_px, 0)))


def still_there(things: Sequence[Thing], image_bgr: ImageBgr, gain: FloatArray) -> tuple[Thing, ...]:
    """Return the objects at their old places with nothing on or next to them.

    Args:
        gain: Shape (3,), how much brighter each channel is than before.
    """
    return tuple(thing for thing in things if _is_there(thing, image_bgr, gain))


def _is_there(thing: Thing, image_bgr: ImageBgr, gain: FloatArray) -> bool:
    expected = np.minimum(thing.patch_bgr * gain, 255.0)
    place = _sampled(image_bgr, thing.center_px, thing.edge_px, _SLACK)
    side = PATCH_CELLS * _SAMPLES
    steps = range(-_SLACK, _SLACK + 1)
    # If nothing was nudged, the first comparison suffices.
    for right, down in sorted(product(steps, repeat=2), key=lambda step: math.hypot(*step)):
        left, top = _SLACK + right, _SLACK + down
        if float(np.abs(_cells(place[top : top + side, left : left + side]) - expected).max()) <= _MAX_CHANGE:
            return True
    return False


def is_one_of(things: Sequence[Thing], x: float, y: float) -> bool:
    """Return whether a found place is one of the objects."""
    return any(
        float(np.hypot(thing.center_px[0] - x, thing.center_px[1] - y)) <= _REACH_EDGES * thing.edge_px
        for thing in things
    )


def _sampled(image_bgr: ImageBgr, center_px: PointPx, edge_px: float, margin: int) -> ImageBgr:
    """Return a place at _SAMPLES on each side of a cell, plus a margin of `margin` samples."""
    side = PATCH_CELLS * _SAMPLES
    step = _PATCH_EDGES * edge_px / side
    left, top = (at - (0.5 * (side - 1) + margin) * step for at in center_px)
    return np.asarray(
        cv2.warpAffine(
            image_bgr,
            np.array([[step, 0.0, left], [0.0, step, top]]),
            (side + 2 * margin, side + 2 * margin),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        dtype=np.uint8,
    )


def _cells(square_bgr: ImageBgr) -> FloatArray:
    return np.asarray(cv2.resize(square_bgr, (PATCH_CELLS,) * 2, interpolation=cv2.INTER_AREA), dtype=np.float64)
