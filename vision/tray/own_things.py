"""What a tray has of its own that looks somewhat like a die: a token left lying, a screw, a printed mark.

It was there when the tray was said to be empty; where the picture still shows just that, there is no die.
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
"""To a side of the patch that is kept of a thing."""
_SAMPLES = 6
"""To a side of a cell."""


_PATCH_EDGES = 1.3
"""Side of the square round its middle that is kept and compared."""
_REACH_EDGES = 0.4
"""Distance from the thing's middle within which a sighting is the thing itself."""
_SLACK = 2
"""Greatest shift to any side by which the thing or the camera may have been nudged, in 48ths of the square's side."""
_MOST_CHANGE = 10.0
"""Greatest change of any cell of the patch, in grey levels. In drawn trays light and noise left 7 at most, and dice
on or beside a thing made 20 and more; shadows do as well, and then the thing is in doubt like any other."""


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """What lay in the empty tray at one place."""

    center_px: PointPx  # middle of the thing, in pixels
    edge_px: float  # edge of the face that it was taken for, in pixels
    patch_bgr: FloatArray  # shape (PATCH_CELLS, PATCH_CELLS, 3), how its place looked in the empty tray

    def moved(self, scale: float, left_top: FloatArray) -> "Thing":
        """The thing as it lies in a part of a picture of another size."""
        x, y = ((at + 0.5) * scale - 0.5 - corner for at, corner in zip(self.center_px, left_top, strict=True))
        return replace(self, center_px=(float(x), float(y)), edge_px=self.edge_px * scale)


def thing_at(image_bgr: ImageBgr, center_px: PointPx, edge_px: float) -> Thing:
    """What an empty tray's picture, shape (H, W, 3), shows at a place."""
    return Thing(center_px, edge_px, _cells(_sampled(image_bgr, center_px, edge_px, 0)))


def still_there(things: Sequence[Thing], image_bgr: ImageBgr, gain: FloatArray) -> tuple[Thing, ...]:
    """The things that lie where they lay, with nothing on them or at them.

    Args:
        gain: Shape (3,), how much brighter each channel is than it was.
    """
    return tuple(thing for thing in things if _is_there(thing, image_bgr, gain))


def _is_there(thing: Thing, image_bgr: ImageBgr, gain: FloatArray) -> bool:
    expected = np.minimum(thing.patch_bgr * gain, 255.0)
    place = _sampled(image_bgr, thing.center_px, thing.edge_px, _SLACK)
    side = PATCH_CELLS * _SAMPLES
    steps = range(-_SLACK, _SLACK + 1)
    # Where nobody nudged anything the first look is enough.
    for right, down in sorted(product(steps, repeat=2), key=lambda step: math.hypot(*step)):
        left, top = _SLACK + right, _SLACK + down
        if float(np.abs(_cells(place[top : top + side, left : left + side]) - expected).max()) <= _MOST_CHANGE:
            return True
    return False


def is_one_of(things: Sequence[Thing], x: float, y: float) -> bool:
    """Whether what was found at a place is one of the things."""
    return any(
        float(np.hypot(thing.center_px[0] - x, thing.center_px[1] - y)) <= _REACH_EDGES * thing.edge_px
        for thing in things
    )


def _sampled(image_bgr: ImageBgr, center_px: PointPx, edge_px: float, margin: int) -> ImageBgr:
    """A place at _SAMPLES to a side of a cell, `margin` more of them round it."""
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
