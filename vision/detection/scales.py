"""At which scales a picture is searched for dice."""

import math
from dataclasses import dataclass, field

import numpy as np

from vision.detection.detector import Detector, DetectorParams
from vision.detection.found import Found, merged
from vision.imaging.pyramid import ImagePyramid


@dataclass(frozen=True, slots=True)
class ScaleParams:
    """How a picture is searched.

    Attributes:
        detector: Parameters of the detector at one scale.
        sides_px: Longer side of a picture of which nothing is known, in the detector's pixels, one for each scale, from
            coarse to fine.
        edges_px: Range of the edges of dice, in the detector's pixels, that count at any one scale.
        most_grown: Greatest factor by which a picture is enlarged.
        sure: Heat from which places count in the median edge that `enough_px` and `edge_px` are compared with.
        enough_px: A scale at which the median edge of the sure places so far would exceed this many pixels is not
            searched, nor is a finer one: dice are hardly ever so much smaller than others beside them.
        edge_px: Edge of dice in the detector's pixels where their size is roughly known.
        again: Factor between the dice's edge and the expected one, either way, from which the search is repeated.
        alike: Greatest factor between the edge of a place and the dice's median, where a tray is known.
    """

    detector: DetectorParams = field(default_factory=DetectorParams)
    sides_px: tuple[int, ...] = (80, 160, 320, 640, 960)
    edges_px: tuple[float, float] = (8.0, 80.0)
    most_grown: float = 1.6
    sure: float = 0.6
    enough_px: float = 44.0
    edge_px: float = 22.0
    again: float = 1.28
    alike: float = 1.75


def find_anywhere(detector: Detector, picture: ImagePyramid, params: ScaleParams) -> Found:
    """Find dice of unknown size.

    Args:
        detector: Made with `params.detector`.
        picture: With its halves.
        params: The tunables.

    Returns:
        Places of all scales; one die may be there several times, in different sizes.
    """
    longest = max(picture.whole_bgr.shape[:2])
    parts: list[Found] = []
    for side in params.sides_px:
        scale = side / longest
        usual_px = _usual_px(parts, params, 0.0)
        if scale > params.most_grown or usual_px * scale > params.enough_px:
            break
        found = detector.find(picture, scale)
        edges = found.edge_px * scale
        parts.append(found.some((edges > params.edges_px[0]) & (edges < params.edges_px[1])))
    return merged(parts)


def find_sized(detector: Detector, picture: ImagePyramid, edge_px: float, params: ScaleParams) -> tuple[Found, float]:
    """Find dice whose size is roughly known.

    Args:
        detector: Made with `params.detector`.
        picture: With its halves.
        edge_px: Expected edge of a top face.
        params: The tunables.

    Returns:
        Places of dice of one size, and their usual edge; the expected one where none is sure.
    """
    scale = min(params.most_grown, params.edge_px / edge_px)
    found = detector.find(picture, scale)
    usual_px = _usual_px([found], params, edge_px)
    if abs(math.log(usual_px / edge_px)) > math.log(params.again):
        found = detector.find(picture, min(params.most_grown, params.edge_px / usual_px))
        usual_px = _usual_px([found], params, usual_px)
    return found.some(np.abs(np.log(found.edge_px / usual_px)) < math.log(params.alike)), usual_px


def _usual_px(parts: list[Found], params: ScaleParams, otherwise: float) -> float:
    """Median edge of the sure places."""
    sure = [part.edge_px[part.heat >= params.sure] for part in parts]
    return float(np.median(np.concatenate(sure))) if any(map(len, sure)) else otherwise
