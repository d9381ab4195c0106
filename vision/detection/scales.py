"""At which scales a picture is searched for dice of unknown size."""

from dataclasses import dataclass

import numpy as np

from vision.detection.found import Found, merged
from vision.finder import FaceFinder, FinderParams
from vision.shrink import Halves


@dataclass(frozen=True, slots=True)
class ScaleParams:
    """How a picture of which nothing is known is searched.

    Attributes:
        least_score: Least score of the finder: lower finds more dice, and more that are none for the die net to deny.
        most: At most so many places a scale, the best ones: bounds the time on a picture full of pattern.
        sides_px: Its longer side in the finder's pixels, from coarse to fine.
        edges_px: Edges of dice, in the finder's pixels, that count at any one scale.
        most_grown: A picture is enlarged by this at most.
    """

    least_score: float = 0.1
    most: int = 60
    sides_px: tuple[int, ...] = (120, 220, 400, 720, 1100)
    edges_px: tuple[float, float] = (9.0, 62.0)
    most_grown: float = 1.6


def finder_params(params: ScaleParams) -> FinderParams:
    """Of a finder that suits such a search."""
    return FinderParams(min_score=params.least_score, most=params.most)


def find_anywhere(finder: FaceFinder, picture: Halves, params: ScaleParams) -> Found:
    """Find dice of unknown size.

    Args:
        finder: Made with `finder_params`.
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
        found = _seen_at(finder, picture, scale)
        edges = found.edge_px * scale
        parts.append(found.some((edges > params.edges_px[0]) & (edges < params.edges_px[1])))
    return merged(parts)


def _seen_at(finder: FaceFinder, picture: Halves, scale: float) -> Found:
    faces = finder.find(picture, scale)
    rows = np.array([(*face.center_px, face.edge_px, face.angle_deg, face.score) for face in faces]).reshape(-1, 5)
    return Found(rows[:, :2], rows[:, 2], np.radians(rows[:, 3]), rows[:, 4])
