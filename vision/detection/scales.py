"""At which scales a picture is searched for dice of unknown size."""

from dataclasses import dataclass, field

from vision.detection.detector import Detector, DetectorParams
from vision.detection.found import Found, merged
from vision.shrink import Halves


@dataclass(frozen=True, slots=True)
class ScaleParams:
    """How a picture of which nothing is known is searched.

    Attributes:
        detector: What counts as found at one scale.
        sides_px: Its longer side in the detector's pixels, from coarse to fine.
        edges_px: Edges of dice, in the detector's pixels, that count at any one scale.
        most_grown: A picture is enlarged by this at most.
    """

    detector: DetectorParams = field(default_factory=DetectorParams)
    sides_px: tuple[int, ...] = (80, 160, 320, 640, 960)
    edges_px: tuple[float, float] = (8.0, 80.0)
    most_grown: float = 1.6


def find_anywhere(detector: Detector, picture: Halves, params: ScaleParams) -> Found:
    """Find dice of unknown size.

    Args:
        detector: Made with `params.detector`.
        picture: With its halves.
        params: See there.

    Returns:
        Places of all scales; one die may be there several times, in different sizes.
    """
    longest = max(picture.whole_bgr.shape[:2])
    parts: list[Found] = []
    for side in params.sides_px:
        if side > params.most_grown * longest:
            break
        scale = side / longest
        found = detector.find(picture, scale)
        edges = found.edge_px * scale
        parts.append(found.some((edges > params.edges_px[0]) & (edges < params.edges_px[1])))
    return merged(parts)
