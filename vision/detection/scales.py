"""The scales at which a picture is searched for dice."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from vision.detection.detector import Detector
from vision.detection.found import Found, merged
from vision.imaging.pyramid import ImagePyramid

_SIDES_PX = (80, 160, 320, 640, 960)
"""Longer side of an unknown picture, in the detector's pixels, one for each scale, from coarse to fine."""
_EDGES_PX = (8.0, 80.0)
"""Range of the edges of dice, in the detector's pixels, that count at any one scale."""
_MAX_GROWN = 1.6
"""Greatest factor by which a picture is enlarged."""
_SURE = 0.6
"""Heat from which places count in the median edge that `_ENOUGH_PX` and `_EDGE_PX` are compared with."""
_ENOUGH_PX = 44.0
"""A scale at which the median edge of the sure places so far would exceed this many pixels is not searched, nor is a
finer one: dice are hardly ever so much smaller than others next to them.
"""
_EDGE_PX = 22.0
"""Edge of dice in the detector's pixels if their size is roughly known."""
_AGAIN = 1.28
"""Factor between the dice's edge and the expected one, in either direction, from which the search is repeated."""


def find_anywhere(
    detector: Detector, picture: ImagePyramid, are_dice: Callable[[Found], npt.NDArray[np.bool_]] | None = None
) -> Found:
    """Find dice of unknown size.

    Args:
        are_dice: Returns which places the die net takes for dice, shape (N,). The search goes on to finer scales until
            such ones say how large dice are: a whole tray looks like a die to the detector. None takes all for dice.

    Returns:
        Places of all scales; one die may appear several times in different sizes.
    """
    longest = max(picture.whole_bgr.shape[:2])
    parts: list[Found] = []
    sure: list[Found] = []
    for side in _SIDES_PX:
        scale = side / longest
        if scale > _MAX_GROWN:
            break
        if _usual_px(sure, 0.0) * scale > _ENOUGH_PX:
            sure = sure if are_dice is None else [part.some(are_dice(part)) for part in sure]
            if _usual_px(sure, 0.0) * scale > _ENOUGH_PX:
                break
        found = detector.find(picture, scale)
        edges = found.edge_px * scale
        parts.append(found.some((edges > _EDGES_PX[0]) & (edges < _EDGES_PX[1])))
        sure.append(parts[-1].some(parts[-1].heat >= _SURE))
    return merged(parts)


def find_sized(detector: Detector, picture: ImagePyramid, edge_px: float) -> tuple[Found, float]:
    """Find dice whose size is roughly known.

    Returns:
        Places, and the usual edge of their dice; the expected edge if no place is sure.
    """
    scale = min(_MAX_GROWN, _EDGE_PX / edge_px)
    found = detector.find(picture, scale)
    usual_px = _usual_px([found], edge_px)
    if abs(math.log(usual_px / edge_px)) > math.log(_AGAIN):
        found = detector.find(picture, min(_MAX_GROWN, _EDGE_PX / usual_px))
        usual_px = _usual_px([found], usual_px)
    return found, usual_px


def _usual_px(parts: list[Found], otherwise: float) -> float:
    """Return the median edge of the sure places."""
    sure = [part.edge_px[part.heat >= _SURE] for part in parts]
    return float(np.median(np.concatenate(sure))) if any(map(len, sure)) else otherwise
