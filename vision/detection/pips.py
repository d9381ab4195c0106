"""Pips: round spots of a pip's size, looked for where dice may lie."""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.patches import Patches, cut_patches
from vision.geometry.neighbours import pairs_within
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import blurred, sample
from vision.types.frame import FloatArray, ImageGray


@dataclass(frozen=True, slots=True)
class PipParams:
    """How pips are found and matched; lengths are fractions of the die's edge as it shows in the picture.

    Attributes:
        work_edge_px: Edge to which larger dice are shrunk to find blobs; time grows with its square.
        most_shrink: A picture, or one of its halved copies, is shrunk to `work_edge_px` where its dice are larger by
            this factor.
        reach: How far from a place where a die may lie its pips are looked for, in edges along x and y. Pips on the
            die's sides lie within it.
        surroundings: Width of the border beyond `reach` that is cut out as well: pips are compared with what is around
            them.
        radius: Radius of a pip, 0.08 to 0.12 on common dice.
        step: Lattice step, 0.23 to 0.28 on common dice.
        step_slack: Greatest ratio between a face's step and the picture's own. Wider lets other dice in.
        blob_floor: Least blob contrast in grey levels of 0-255, in the channel that shows it best. Lower finds worn
            pips and costs time on coarse floors.
        max_pips: Greatest number of blobs that are looked at, strongest first; bounds the time on busy pictures.
        rim: Distance around a blob's middle at which its response must have fallen to `rim_level`, in edges.
        rim_level: Share of a blob's peak below which its response must have fallen at the distance `rim`.
        disc: Distance from a blob's middle, in edges, within which its response shows how round it is.
        roundness: Least ratio of a corner pip's axes; pips on side faces are flatter.
        most_crossing: Greatest number of pairs that are looked through for two that cross in their middles; bounds the
            time.
        crossing: Greatest distance between the middles of a face's two diagonals, as a share of half the shorter.
        aspect: Least ratio of a face's sides: a tilted camera shortens them.
        narrow: Least distance of a 6's rows over the length of a row.
        skew: Greatest cosine between a face's sides.
        pip_level: Share of the face's own pip contrast from which a site carries a pip.
        empty_level: Share of the face's own pip contrast up to which a site is empty. Between this and `pip_level` the
            margin falls to nothing.
        body_share: Share of the body points that must agree; the rest may lie in glare or shadow.
        body_spread: Greatest colour spread over the body points that agree, as a share of the pip contrast.
        body_noise: Grey levels added to the limit that `body_spread` gives, for noise in dim pictures.
    """

    work_edge_px: float = 28.0
    most_shrink: float = 1.15
    reach: float = 0.9
    surroundings: float = 0.4
    radius: float = 0.10
    step: float = 0.25
    step_slack: float = 1.22
    blob_floor: float = 7.0
    max_pips: int = 840
    rim: float = 0.121
    rim_level: float = 0.62
    disc: float = 0.108
    roundness: float = 0.70
    most_crossing: int = 500
    crossing: float = 0.12
    aspect: float = 0.72
    narrow: float = 0.5
    skew: float = 0.30
    pip_level: float = 0.62
    empty_level: float = 0.38
    body_share: float = 0.66
    body_spread: float = 0.5
    body_noise: float = 7.0


@dataclass(frozen=True, slots=True, eq=False)
class Pips:
    """Blobs of one polarity, strongest first.

    Attributes:
        dark: Whether the blobs are darker than what is around them.
        xy: Shape (N, 2), middles of the blobs, in pixels of the picture they were found in.
        strength: Shape (N,), blob contrast in grey levels.
        roundness: Shape (N,), ratio of the blob's axes: 1 seen square-on, less on a side face.
    """

    dark: bool
    xy: FloatArray
    strength: FloatArray
    roundness: FloatArray


def find_pips(picture: ImagePyramid, places_xy: FloatArray, edge_px: float, params: PipParams) -> tuple[Pips, Pips]:
    """Find round spots of a pip's size, light ones and dark ones, where dice may lie.

    Args:
        picture: With its halves.
        places_xy: Shape (P, 2), pixels: middles of what may be dice.
        edge_px: Edge of a die in this picture; a factor of 1.4 off is borne.
        params: The tunables.

    Returns:
        Light pips, dark pips.
    """
    if len(places_xy) == 0:
        return _none(dark=False), _none(dark=True)
    image_bgr, scale = picture.at(edge_px)
    found_px = edge_px * scale
    shrink = found_px / params.work_edge_px
    shrink = shrink if shrink > params.most_shrink else 1.0
    places = (places_xy + 0.5) * scale - 0.5
    patches = cut_patches(image_bgr, places, params.reach * found_px, params.surroundings * found_px, shrink)
    light, dark = _spots(patches, found_px / shrink, params)
    return _grown(light, scale), _grown(dark, scale)


def _none(*, dark: bool) -> Pips:
    return Pips(dark, np.zeros((0, 2)), np.zeros(0), np.zeros(0))


def _grown(pips: Pips, scale: float) -> Pips:
    """Pips of a smaller copy in the picture's own pixels."""
    return replace(pips, xy=(pips.xy + 0.5) / scale - 0.5)


def _spots(patches: Patches, edge_px: float, params: PipParams) -> tuple[Pips, Pips]:
    """Light and dark pips, in pixels of the picture that the patches were cut from; `edge_px` in theirs."""
    sigma = max(0.6, params.radius * edge_px / np.sqrt(2.0))
    # Twice as fast as GaussianBlur, which also reaches farther.
    kernel = cv2.getGaussianKernel(2 * round(2.2 * sigma) + 1, sigma * 0.8, cv2.CV_32F)
    fine = cv2.sepFilter2D(patches.image_bgr, -1, kernel, kernel)
    coarse = blurred(np.asarray(fine, np.uint8), sigma * 1.5)
    # Light spots above, dark ones below: what follows is done once for both.
    height = len(coarse)
    both = np.empty((2 * height, *coarse.shape[1:]), dtype=np.uint8)
    cv2.subtract(fine, coarse, dst=both[:height])
    cv2.subtract(coarse, fine, dst=both[height:])
    blue, green, red = cv2.split(both)
    response = np.asarray(cv2.max(cv2.max(blue, green, dst=blue), red, dst=blue), dtype=np.uint8)
    xy, strength = _peaks(response, patches, edge_px, params)
    roundness = _roundness(response, xy, strength, params.disc * edge_px)
    below = xy[:, 1] > height - 0.5
    placed = patches.placed(xy - below[:, None] * np.array([0.0, height]))
    return (
        Pips(False, placed[~below], strength[~below], roundness[~below]),
        Pips(True, placed[below], strength[below], roundness[below]),
    )


def _peaks(response: ImageGray, patches: Patches, edge_px: float, params: PipParams) -> tuple[FloatArray, FloatArray]:
    """Places of spots, shape (N, 2), and their strength, strongest first; the patches lie in `response` twice."""
    reach = max(1, round(params.radius * edge_px * 0.8))
    kernel = np.ones((2 * reach + 1, 2 * reach + 1), dtype=np.uint8)
    least = cv2.max(cv2.dilate(response, kernel), math.ceil(params.blob_floor))  # type: ignore[call-overload]
    width = response.shape[1]
    spots = np.flatnonzero(response >= least)
    ys, xs = np.divmod(spots, width)
    inside = (xs > 0) & (ys > 0) & (xs < width - 1) & (ys < response.shape[0] - 1)
    inside &= patches.own(xs, ys % (len(response) // 2))
    kept = np.flatnonzero(inside)
    levels = response.ravel()
    kept = kept[np.argsort(255 - levels[spots[kept]], kind="stable")[: 2 * params.max_pips]]
    # What lies left, above, here, right and below: then all of x and all of y, for pairs of them take numpy longer.
    beside = levels[spots[kept] + np.array([[-1], [-width], [0], [1], [width]])].astype(np.float64)
    strength = beside[2]
    peaks = _vertex(beside[:2], strength, beside[3:])
    peaks += xs[kept], ys[kept]
    # A line or an edge goes on both ways in some direction; a pip's response has fallen on one side at least.
    rim = (peaks[:, None, :] + (_EIGHT_WAYS * params.rim * edge_px)[:, :, None]).transpose(1, 2, 0)
    around = sample(response[..., None], rim, between=True)[..., 0]
    fall = np.minimum(around[:4], around[4:]).max(axis=0)
    lone = fall < params.rim_level * strength
    xy, strength = peaks.T[lone][: params.max_pips], strength[lone][: params.max_pips]
    keep = _apart(xy, reach)
    return xy[keep], strength[keep]


_TURNS = np.arange(8) * np.pi / 4.0
_EIGHT_WAYS = np.stack([np.cos(_TURNS), np.sin(_TURNS)])
"""Steps of length one, shape (2, 8)."""


def _roundness(response: ImageGray, xy: FloatArray, strength: FloatArray, reach_px: float) -> FloatArray:
    """Ratio of each blob's axes, from the second moments of the response above half its peak."""
    if len(xy) == 0:
        return np.zeros(0)
    wide = math.floor(reach_px)
    window = np.arange(-wide, wide + 1)
    # As numbers of pixels, not as places for `sample`: so many a blob that their arithmetic would take longer.
    dy, dx = np.nonzero(np.hypot(window[:, None], window) <= reach_px)
    dy, dx = dy - wide, dx - wide
    wider = cv2.copyMakeBorder(response, wide, wide, wide, wide, cv2.BORDER_REPLICATE)
    x, y = np.rint(xy).astype(np.intp).T
    middles = (y + wide) * wider.shape[1] + x + wide
    seen = np.asarray(wider).ravel()[middles[:, None] + (dy * wider.shape[1] + dx)]
    weight = np.maximum(seen / strength[:, None] - 0.4, 0.0)
    moments = weight @ np.array([dx**0, dx, dy, dx * dx, dx * dy, dy * dy], dtype=np.float64).T
    mx, my, xx, xy_, yy = (moments[:, 1:] / (moments[:, 0:1] + 1e-9)).T
    # A lone pixel has an extent, too: a twelfth of its square.
    xx, yy, xy_ = xx - mx * mx + 1.0 / 12.0, yy - my * my + 1.0 / 12.0, xy_ - mx * my
    mean, split = (xx + yy) / 2.0, np.hypot((xx - yy) / 2.0, xy_)
    ratio: FloatArray = np.sqrt(np.maximum(mean - split, 0.0) / (mean + split))
    return ratio


def _vertex(before: FloatArray, here: FloatArray, after: FloatArray) -> FloatArray:
    """Where the parabola through three neighbours peaks, within half a pixel."""
    bend = before - 2.0 * here + after
    peak: FloatArray = np.divide(0.5 * (before - after), bend, out=np.zeros_like(bend), where=bend < -1e-6)
    return np.minimum(np.maximum(peak, -0.5, out=peak), 0.5, out=peak)


def _apart(xy: FloatArray, reach: float) -> npt.NDArray[np.bool_]:
    """Keep one of several equal peaks that lie on one plateau: the first."""
    alone = np.ones(len(xy), dtype=np.bool_)
    _, later, square = pairs_within(xy, reach)
    alone[later[square < reach * reach]] = False
    return alone
