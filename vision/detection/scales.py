"""At which scales a picture is searched for dice."""

from dataclasses import dataclass

import numpy as np

from vision.detection.detector import DiceDetector, Found, merged
from vision.shrink import Halves


@dataclass(frozen=True, slots=True)
class ScaleParams:
    """How a picture of which nothing is known is searched.

    Attributes:
        sides_px: Its longer side in the net's pixels, from coarse to fine.
        edges_px: Edges of dice, in the net's pixels, that count at any one scale.
        enough_px: Where surely seen dice have edges of this and more at one scale, a finer one shows no more of them.
        sure_heat: Surely seen.
        most_grown: A picture is enlarged by this at most.
    """

    sides_px: tuple[int, ...] = (80, 160, 320, 640, 960)
    edges_px: tuple[float, float] = (9.0, 110.0)
    enough_px: float = 26.0
    sure_heat: float = 0.6
    most_grown: float = 1.6


def find_anywhere(detector: DiceDetector, picture: Halves, params: ScaleParams) -> Found:
    """Find dice of unknown size: from coarse to fine, until finer cannot show more.

    Args:
        detector: The net.
        picture: With its halves.
        params: See there.

    Returns:
        Places of all scales, each die possibly as several of other sizes.
    """
    longest = max(picture.whole_bgr.shape[:2])
    parts: list[Found] = []
    for side in params.sides_px:
        if side > params.most_grown * longest:
            break
        found = detector.find(picture, side / longest)
        edges = found.edge_px * side / longest
        found = found.some((edges > params.edges_px[0]) & (edges < params.edges_px[1]))
        parts.append(found)
        sure = found.edge_px[found.heat > params.sure_heat] * side / longest
        if len(sure) and float(np.min(sure)) >= params.enough_px:
            break
    return merged(parts)
