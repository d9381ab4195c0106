"""At which scale a tray is searched: a game's dice are nearly of one size; the tray implies it or the net sees it."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.detection.detector import NOMINAL_EDGE_PX, Detector, DetectorParams
from vision.detection.found import Found
from vision.near import squared_distances
from vision.shrink import Halves


@dataclass(frozen=True, slots=True)
class TraySearchParams:
    """How a tray is searched.

    Attributes:
        detector: What counts as found: heat from a glimpse on.
        likely: What has so much heat is taken into account where the dice's size is told.
        rescale: Where the dice are off from the expected size by this factor, the net looks again.
        sure: It looks once more where fewer places have so much heat...
        few: ...than so many, small dice in a large tray being hardly seen, or something larger taken for them...
        clear: ...unless one is sure and most of all that it glimpsed has so much heat: then dice are as large...
        finer: ...and not smaller by this factor. It believes the closer look where it sees more dice, at least
            `rescale` smaller.
        pip_aside: What then lies so far from the middle of something larger, in its edges, is one of its pips.
    """

    detector: DetectorParams = field(default_factory=lambda: DetectorParams(least_heat=0.1))
    likely: float = 0.3
    rescale: float = 1.4
    sure: float = 0.65
    few: int = 3
    clear: float = 0.5
    finer: float = 2.0
    pip_aside: tuple[float, float] = (0.15, 0.5)


def find_in_tray(
    detector: Detector, picture: Halves, edge_px: float, params: TraySearchParams, *, is_known: bool
) -> Found:
    """Find dice in a tray.

    Args:
        detector: Made with `params.detector`.
        picture: The part of the picture that holds the tray, with its halves.
        edge_px: Expected edge of a top.
        params: See there.
        is_known: Whether that was measured: nothing else is tried then.

    Returns:
        Places, hottest first.
    """
    scale = min(1.0, NOMINAL_EDGE_PX / edge_px)
    found = detector.find(picture, scale)
    if is_known:
        return found
    found = _suited(detector, picture, scale, found, params)
    large = found.some(found.heat >= params.sure)
    mostly_clear = 2 * int((found.heat >= params.clear).sum()) > len(found)
    if scale == 1.0 or len(large) >= params.few or (len(large) and mostly_clear):
        return found
    scale = min(1.0, scale * params.finer)
    finer = _suited(detector, picture, scale, detector.find(picture, scale), params)
    small = finer.some(finer.heat >= params.sure)
    small = small.some(~_are_pips(small, found.some(found.heat > params.likely), params))
    if len(small) <= len(large):
        return found
    if len(large) and params.rescale * np.median(small.edge_px) > np.median(large.edge_px):
        return found
    return finer


def _suited(detector: Detector, picture: Halves, scale: float, found: Found, params: TraySearchParams) -> Found:
    """What was found at a scale, or what is found at the one that suits the dice's size, where that is another."""
    likely = found.edge_px[found.heat > params.likely]
    if not len(likely):
        return found
    better = min(1.0, NOMINAL_EDGE_PX / float(np.median(likely)))
    ratio = params.rescale
    return found if 1 / ratio <= better / scale <= ratio else detector.find(picture, better)


def _are_pips(small: Found, large: Found, params: TraySearchParams) -> npt.NDArray[np.bool_]:
    """Which small places lie aside on a larger one, as pips do: at its middle a place is that die."""
    away = np.sqrt(squared_distances(small.center_xy, large.center_xy)) / large.edge_px[None]
    low, high = params.pip_aside
    on_it = (away > low) & (away < high) & (params.rescale * small.edge_px[:, None] <= large.edge_px[None])
    return np.asarray(on_it.any(axis=1), np.bool_)
