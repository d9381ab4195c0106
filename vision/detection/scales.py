"""At which scales a picture is searched for dice of unknown size."""

from dataclasses import dataclass, field

import numpy as np

from vision.detection.detector import Detector, DetectorParams
from vision.detection.found import Found, merged
from vision.imaging.pyramid import ImagePyramid


@dataclass(frozen=True, slots=True)
class ScaleParams:
    """How a picture of which nothing is known is searched.

    Attributes:
        detector: Parameters of the detector at one scale.
        sides_px: Longer side of the picture in the detector's pixels, one for each scale, from coarse to fine.
        edges_px: Range of the edges of dice, in the detector's pixels, that count at any one scale.
        most_grown: Greatest factor by which a picture is enlarged.
        sure: Heat from which places count in the median edge that `enough_px` is compared with.
        enough_px: A scale at which the median edge of the sure places so far would exceed this many pixels is not
            searched, nor is a finer one: dice are hardly ever so much smaller than others beside them.
    """

    detector: DetectorParams = field(default_factory=DetectorParams)
    sides_px: tuple[int, ...] = (80, 160, 320, 640, 960)
    edges_px: tuple[float, float] = (8.0, 80.0)
    most_grown: float = 1.6
    sure: float = 0.6
    enough_px: float = 44.0


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
        sure_px = [part.edge_px[part.heat >= params.sure] for part in parts]
        usual_px = np.median(np.concatenate(sure_px)) if any(map(len, sure_px)) else 0.0
        if scale > params.most_grown or usual_px * scale > params.enough_px:
            break
        found = detector.find(picture, scale)
        edges = found.edge_px * scale
        parts.append(found.some((edges > params.edges_px[0]) & (edges < params.edges_px[1])))
    return merged(parts)
