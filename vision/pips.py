"""Pips: where they are in a picture, and which of the six lattice patterns a group of them makes.

A face is not a heap of blobs. Every value but 1 has pips in two opposite corners of a 3x3 lattice, so each pair of
pips at the right distance proposes one face, and the lattice's nine sites then say which value it shows, if any.
"""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import FloatArray, ImageBgr, ImageGray
from vision.near import IntArray, pairs_within
from vision.shrink import Halves, shrink_to
from vision.soft import Soft, blurred, sample

SITES = np.array([(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)], dtype=np.float64)
"""The nine lattice sites in units of the lattice step, row by row."""

_ROWS = {
    2: ("100000001",),
    3: ("100010001",),
    4: ("101000101",),
    5: ("101010101",),
    6: ("111000111", "101101101"),
}
PATTERNS = np.array([[int(c) for c in row] for rows in _ROWS.values() for row in rows], dtype=np.float64)
"""Shape (6, 9): which sites carry a pip, in a frame whose first and last site both do."""
PATTERN_VALUES = np.array([value for value, rows in _ROWS.items() for _ in rows], dtype=np.int64)

_LOOKS = (
    SITES[:, None, :] + np.array([(0, 0), (0.12, 0), (-0.12, 0), (0, 0.12), (0, -0.12)], dtype=np.float64)
).reshape(-1, 2)
"""Each site and four places round it."""

BODY_POINTS = np.array(
    [(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    + [(x * 1.5, y * 0.5) for x in (-1, 1) for y in (-1, 1)]
    + [(x * 0.5, y * 1.5) for x in (-1, 1) for y in (-1, 1)],
    dtype=np.float64,
)
"""Points of a face that no value covers with a pip, in lattice steps."""
_BODY_AND_CORNERS = np.concatenate([BODY_POINTS, SITES[[0, 8]]])


def _weights_beside() -> FloatArray:
    """Shape (9, 12): for each site the mean of the body points next to it, those inside the lattice counting double."""
    away = np.abs(SITES[:, None, :] - BODY_POINTS[None, :, :]).max(axis=2)
    weight = np.where(away < 0.6, np.where(np.abs(BODY_POINTS).max(axis=1) < 1.0, 2.0, 1.0), 0.0)
    shares: FloatArray = weight / weight.sum(axis=1, keepdims=True)
    return shares


_BESIDE = _weights_beside()


@dataclass(frozen=True, slots=True)
class PipParams:
    """How pips are found and matched; lengths are fractions of the die's edge as it shows in the picture.

    Attributes:
        work_edge_px: Edge to which larger dice are shrunk to find blobs; time grows with its square,
        most_shrink: where a picture, or the half of it in which dice are small enough, has them larger by this factor.
        radius: Of a pip, 0.08 to 0.12 on common dice.
        step: Lattice step, 0.23 to 0.28 on common dice.
        step_slack: How far a face's step may be off the picture's own, as a ratio. Wider lets other dice in.
        blob_floor: Least blob contrast in grey levels of 0-255, in the channel that shows it best. Lower finds worn
            pips and costs time on coarse floors.
        max_pips: Most blobs of one polarity that are looked at, strongest first; bounds the time on busy pictures.
        rim: Where round a blob its response must have fallen, in edges.
        rim_level: To which share of its peak.
        disc: Within this many edges of a blob's middle its response tells how round it is.
        roundness: Least ratio of a corner pip's axes; pips on side faces are flatter.
        most_crossing: Pairs that are looked through for two that cross in their middles; bounds the time.
        crossing: How near the middles of a face's two diagonals lie, as a share of half the shorter.
        aspect: Least ratio of a face's sides; some dice print the 6 narrow, and a tilted camera shortens all.
        skew: Greatest cosine between a face's sides.
        pip_level: A site at or above this share of the face's own pip contrast carries a pip.
        empty_level: A site at or below this share is empty; between the two the margin falls to nothing.
        body_share: Share of the body points that must agree; the rest may lie in glare or shadow.
        body_spread: Most colour spread over those as a share of the pip contrast.
        body_noise: Grey levels added to that, for noise in dim pictures.
    """

    work_edge_px: float = 28.0
    most_shrink: float = 1.15
    radius: float = 0.10
    step: float = 0.25
    step_slack: float = 1.22
    blob_floor: float = 7.0
    max_pips: int = 420
    rim: float = 0.121
    rim_level: float = 0.62
    disc: float = 0.108
    roundness: float = 0.70
    most_crossing: int = 500
    crossing: float = 0.12
    aspect: float = 0.72
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
        dark: Whether they are darker than what is round them.
        xy: Shape (N, 2), in pixels of the picture they were found in.
        strength: Shape (N,), blob contrast in grey levels.
        roundness: Shape (N,), ratio of the blob's axes: 1 seen square-on, less on a side face.
    """

    dark: bool
    xy: FloatArray
    strength: FloatArray
    roundness: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FaceFits:
    """Faces that pairs of pips propose; every array has one row for each.

    Attributes:
        center_xy: Shape (N, 2), pixels.
        axis_xy: Shape (N, 2), one lattice step along the face's first axis, pixels.
        across_xy: Shape (N, 2), one step along the second; at a right angle and as long unless seen aslant.
        value: Shape (N,), 2 to 6.
        margin: Shape (N,), 0 to 1: how far the best pattern beat the second; below 0.2 do not trust it.
        residual: Shape (N,), 0 is a perfect fit: root mean square over the sites of level minus pattern.
        contrast: Shape (N,), grey levels between pips and body.
        body_bgr: Shape (N, 3).
        pip_bgr: Shape (N, 3), mean of the two pips that proposed the face.
        spread: Shape (N,), colour spread over the body points, grey levels.
        dark: Shape (N,), whether the pips are darker than the body.
    """

    center_xy: FloatArray
    axis_xy: FloatArray
    across_xy: FloatArray
    value: npt.NDArray[np.int64]
    margin: FloatArray
    residual: FloatArray
    contrast: FloatArray
    body_bgr: FloatArray
    pip_bgr: FloatArray
    spread: FloatArray
    dark: npt.NDArray[np.bool_]


def find_pips(picture: Halves, edge_px: float, params: PipParams) -> tuple[Pips, Pips]:
    """Find round spots of a pip's size, light ones and dark ones.

    Args:
        picture: With its halves.
        edge_px: Edge of a die in this picture; a factor of 1.4 off is borne.
        params: See there.

    Returns:
        Light pips, dark pips.
    """
    image_bgr, scale = picture.at(edge_px)
    found_px = edge_px * scale
    ratio = np.array([1.0 / scale, 1.0 / scale])
    shrink = found_px / params.work_edge_px
    if shrink > params.most_shrink:
        height, width = image_bgr.shape[:2]
        image_bgr = shrink_to(image_bgr, max(8, round(width / shrink)), max(8, round(height / shrink)))
        ratio *= (width / image_bgr.shape[1], height / image_bgr.shape[0])
        found_px = params.work_edge_px
    light, dark = _spots(image_bgr, found_px, params)
    return _grown(light, ratio), _grown(dark, ratio)


def _grown(pips: Pips, ratio: FloatArray) -> Pips:
    """Pips of a smaller copy in the picture's own pixels."""
    return replace(pips, xy=(pips.xy + 0.5) * ratio - 0.5)


def _spots(image_bgr: ImageBgr, edge_px: float, params: PipParams) -> tuple[Pips, Pips]:
    """Light and dark pips in a copy of a picture, in its pixels."""
    sigma = max(0.6, params.radius * edge_px / np.sqrt(2.0))
    # Twice as fast as GaussianBlur, which also reaches farther.
    kernel = cv2.getGaussianKernel(2 * round(2.2 * sigma) + 1, sigma * 0.8, cv2.CV_32F)
    fine = cv2.sepFilter2D(image_bgr, -1, kernel, kernel)
    coarse = blurred(np.asarray(fine, np.uint8), sigma * 1.5)
    light = np.asarray(cv2.subtract(fine, coarse), dtype=np.uint8)
    dark = np.asarray(cv2.subtract(coarse, fine, dst=coarse), dtype=np.uint8)
    return _peaks(light, edge_px, params, dark=False), _peaks(dark, edge_px, params, dark=True)


def _peaks(response_bgr: ImageBgr, edge_px: float, params: PipParams, *, dark: bool) -> Pips:
    blue, green, red = cv2.split(response_bgr)
    response = np.asarray(cv2.max(cv2.max(blue, green, dst=blue), red, dst=blue), dtype=np.uint8)
    reach = max(1, round(params.radius * edge_px * 0.8))
    kernel = np.ones((2 * reach + 1, 2 * reach + 1), dtype=np.uint8)
    least = cv2.max(cv2.dilate(response, kernel), math.ceil(params.blob_floor))  # type: ignore[call-overload]
    peaks = np.asarray(response >= least)
    ys, xs = np.divmod(np.flatnonzero(peaks), response.shape[1])
    strength = response[ys, xs].astype(np.float64)
    order = np.argsort(-strength, kind="stable")[: 2 * params.max_pips]
    ys, xs = ys[order], xs[order]
    inside = (xs > 0) & (ys > 0) & (xs < response.shape[1] - 1) & (ys < response.shape[0] - 1)
    ys, xs, strength = ys[inside], xs[inside], strength[order][inside]
    offset_x = _vertex(*(response[ys, xs + step].astype(np.float64) for step in (-1, 0, 1)))
    offset_y = _vertex(*(response[ys + step, xs].astype(np.float64) for step in (-1, 0, 1)))
    xy = np.stack([xs + offset_x, ys + offset_y], axis=1)
    # A line or an edge goes on both ways in some direction; a pip's response has fallen on one side at least.
    turn = np.arange(8) * np.pi / 4.0
    rim = np.stack([np.cos(turn), np.sin(turn)], axis=1) * params.rim * edge_px
    around = sample(response[..., None], xy[:, None, :] + rim, between=True)[..., 0]
    fall = np.minimum(around[:, :4], around[:, 4:]).max(axis=1)
    lone = fall < params.rim_level * strength
    xy, strength = xy[lone][: params.max_pips], strength[lone][: params.max_pips]
    keep = _apart(xy, reach)
    xy, strength = xy[keep], strength[keep]
    return Pips(dark, xy, strength, _roundness(response, xy, strength, params.disc * edge_px))


def _roundness(response: ImageGray, xy: FloatArray, strength: FloatArray, reach_px: float) -> FloatArray:
    """Ratio of each blob's axes, from the second moments of the response above half its peak."""
    if len(xy) == 0:
        return np.zeros(0)
    wide = math.floor(reach_px)
    window = np.arange(-wide, wide + 1)
    dx, dy = (grid.ravel().astype(np.float64) for grid in np.meshgrid(window, window))
    near = np.hypot(dx, dy) <= reach_px
    dx, dy = dx[near], dy[near]
    places = np.rint(xy)[:, None, :] + np.stack([dx, dy], axis=1)
    weight = np.maximum(sample(response[..., None], places)[..., 0] / strength[:, None] - 0.4, 0.0)
    moments = weight @ np.stack([np.ones_like(dx), dx, dy, dx * dx, dx * dy, dy * dy], axis=1)
    mx, my, xx, xy_, yy = (moments[:, 1:] / (moments[:, 0:1] + 1e-9)).T
    # A lone pixel has an extent, too: a twelfth of its square.
    xx, yy, xy_ = xx - mx * mx + 1.0 / 12.0, yy - my * my + 1.0 / 12.0, xy_ - mx * my
    mean, split = (xx + yy) / 2.0, np.hypot((xx - yy) / 2.0, xy_)
    ratio: FloatArray = np.sqrt(np.maximum(mean - split, 0.0) / (mean + split))
    return ratio


def _vertex(before: FloatArray, here: FloatArray, after: FloatArray) -> FloatArray:
    """Where the parabola through three neighbours peaks, within half a pixel."""
    bend = before - 2.0 * here + after
    safe = np.where(bend < -1e-6, bend, -1.0)
    return np.where(bend < -1e-6, np.clip(0.5 * (before - after) / safe, -0.5, 0.5), 0.0)


def _apart(xy: FloatArray, reach: float) -> npt.NDArray[np.bool_]:
    """Keep one of several equal peaks that lie on one plateau: the first."""
    alone = np.ones(len(xy), dtype=np.bool_)
    _, later, square = pairs_within(xy, reach)
    alone[later[square < reach * reach]] = False
    return alone


def greatest_channel(colours: FloatArray) -> FloatArray:
    """The greatest of three channels, shape (..., 3) to (...)."""
    greatest: FloatArray = np.maximum(np.maximum(colours[..., 0], colours[..., 1]), colours[..., 2])
    return greatest


def middle_of(colours: FloatArray) -> FloatArray:
    """Medians of N groups of P colours, shape (N, P, 3) to (N, 3); a fraction of the time of `numpy.median`."""
    ordered = np.sort(colours.transpose(0, 2, 1), axis=2)
    count = ordered.shape[2]
    middle: FloatArray = (ordered[:, :, (count - 1) // 2] + ordered[:, :, count // 2]) / 2.0
    return middle


def share_of(values: FloatArray, share: float) -> FloatArray:
    """Quantiles along the second axis, shape (N, P) to (N,), interpolated; faster than `numpy.quantile` for few."""
    ordered = np.sort(values, axis=1)
    at = share * (values.shape[1] - 1)
    low = int(at)
    high = min(low + 1, values.shape[1] - 1)
    quantile: FloatArray = ordered[:, low] + (at - low) * (ordered[:, high] - ordered[:, low])
    return quantile


def fit_faces(soft: Soft, pips: tuple[Pips, ...], edge_px: tuple[float, float], params: PipParams) -> FaceFits:
    """Read the lattice under every pair of pips that may be opposite corners of a face.

    Args:
        soft: The picture, blurred by about half a pip's radius.
        pips: Light ones and dark ones, in pixels of the same picture.
        edge_px: Least and greatest edge of a top face in this picture.
        params: See there.

    Returns:
        Every pair whose body is of one colour; most are no faces: `margin` and `residual` tell.
    """
    proposed = [_proposed(blobs, edge_px, params) for blobs in pips]
    center, axis, across = (np.concatenate(part) for part in zip(*proposed, strict=True))
    dark = np.repeat([blobs.dark for blobs in pips], [len(places[0]) for places in proposed])
    return read_lattices(soft, center, axis, across, params, dark=dark)


def _proposed(pips: Pips, edge_px: tuple[float, float], params: PipParams) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Middles and lattice steps, both ways, of the faces that pips of one polarity propose."""
    square_on = pips.xy[pips.roundness >= params.roundness]
    first, second = _pairs(square_on, edge_px, params)
    a, b = square_on[first], square_on[second]
    center = (a + b) / 2.0
    diagonal = (b - a) / 2.0
    # The corner sites (-1,-1) and (1,1) lie on the diagonal; a lattice step is that turned back by 45 degrees.
    axis = np.stack([diagonal[:, 0] + diagonal[:, 1], diagonal[:, 1] - diagonal[:, 0]], axis=1) / 2.0
    across = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    middle, along, aside = _crossing(center, diagonal, params)
    return np.concatenate([center, middle]), np.concatenate([axis, along]), np.concatenate([across, aside])


def _crossing(center: FloatArray, diagonal: FloatArray, params: PipParams) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pairs of pairs that share their middle are the two diagonals of a 4, 5 or 6, however aslant it is seen."""
    some = slice(0, params.most_crossing)
    center, diagonal = center[some], diagonal[some]
    length = np.hypot(diagonal[:, 0], diagonal[:, 1])
    i, j, square = pairs_within(center, params.crossing * float(length.max(initial=0.0)))
    shared = square < (params.crossing * np.minimum(length[i], length[j])) ** 2
    i, j = i[shared], j[shared]
    one, two = diagonal[i], diagonal[j]
    # Both diagonals from the first axis's side: their sum runs along it, their difference across.
    two = np.where((one * two).sum(axis=1)[:, None] < 0, -two, two)
    along, across = (one + two) / 2.0, (one - two) / 2.0
    longer, shorter = np.hypot(along[:, 0], along[:, 1]), np.hypot(across[:, 0], across[:, 1])
    skew = np.abs((along * across).sum(axis=1)) / np.maximum(longer * shorter, 1e-9)
    good = (shorter > params.aspect * longer) & (longer > params.aspect * shorter) & (skew < params.skew)
    good &= (np.abs(np.log(longer / np.maximum(shorter, 1e-9))) > 0.04) | (skew > 0.04)
    middle = (center[i] + center[j]) / 2.0
    turned = along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0] < 0
    across = np.where(turned[:, None], -across, across)
    return middle[good], along[good], across[good]


def read_lattices(
    soft: Soft,
    center_xy: FloatArray,
    axis_xy: FloatArray,
    across_xy: FloatArray,
    params: PipParams,
    *,
    dark: npt.NDArray[np.bool_],
) -> FaceFits:
    """Tell which pattern lies at each of the given places.

    Args:
        soft: As in `fit_faces`.
        center_xy: Shape (N, 2), pixels.
        axis_xy: Shape (N, 2), one lattice step, pixels.
        across_xy: Shape (N, 2), one step the other way.
        params: See there.
        dark: Shape (N,), whether the pips are darker than the body.

    Returns:
        One row for each place whose body is of one colour.
    """
    seen = soft.at(place(_BODY_AND_CORNERS, center_xy, axis_xy, across_xy))
    body = seen[:, : len(BODY_POINTS)]
    # What a site is compared with lies beside it: glare and shadow edges may cross a face.
    beside = _BESIDE @ body
    corners = seen[:, len(BODY_POINTS) :] - beside[:, [0, 8]]
    pip = corners.mean(axis=1)
    contrast = greatest_channel(np.abs(pip))
    sign = np.sign(pip.sum(axis=1))
    good = np.nonzero((contrast >= 2.0 * params.blob_floor) & (sign == np.where(dark, -1, 1)))[0]
    body = body[good]
    body_bgr = middle_of(body)
    spread = share_of(greatest_channel(np.abs(body - body_bgr[:, None, :])), params.body_share)
    even = spread <= params.body_spread * contrast[good] + params.body_noise
    good, body_bgr, spread = good[even], body_bgr[even], spread[even]
    center_xy, axis_xy, across_xy = center_xy[good], axis_xy[good], across_xy[good]
    contrast, pip, beside, dark = contrast[good], pip[good], beside[good], dark[good]
    # Sites may be off by a pixel or two where a pair is not quite exact: the best of five looks counts.
    seen = soft.at(place(_LOOKS, center_xy, axis_xy, across_xy)) - np.repeat(beside, 5, axis=1)
    level = (seen @ pip[:, :, None])[..., 0] / np.maximum((pip * pip).sum(axis=1), 1.0)[:, None]
    level = np.clip(level.reshape(len(level), 9, 5).max(axis=2), 0.0, 1.15)
    # Between the two levels a site says nothing; beyond them it says pip, or empty.
    said = np.clip((level - params.empty_level) / (params.pip_level - params.empty_level), 0.0, 1.0)
    wrong = ((said[:, None, :] - PATTERNS[None, :, :]) ** 2).sum(axis=2)
    best = np.argmin(wrong, axis=1)
    rows = np.arange(len(best))
    value = PATTERN_VALUES[best]
    # The two ways a 6 can lie are one value: the second best is the best of another value.
    other = np.where(PATTERN_VALUES[None, :] == value[:, None], np.inf, wrong)
    margin = np.clip((other.min(axis=1) - wrong[rows, best]), 0.0, 1.0) if len(best) else np.zeros(0)
    residual = np.sqrt(((level - PATTERNS[best]) ** 2).mean(axis=1)) if len(best) else np.zeros(0)
    pip_bgr = np.clip(pip + beside[:, [0, 8]].mean(axis=1), 0.0, 255.0)
    return FaceFits(center_xy, axis_xy, across_xy, value, margin, residual, contrast, body_bgr, pip_bgr, spread, dark)


def place(points: FloatArray, center_xy: FloatArray, axis_xy: FloatArray, across_xy: FloatArray) -> FloatArray:
    """Points in steps of N lattices, shape (P, 2), to pixels, shape (N, P, 2)."""
    # Each coordinate is one product of matrices: over pairs of coordinates numpy is many times slower.
    placed: FloatArray = np.empty((len(center_xy), len(points), 2))
    for way in (0, 1):
        steps = np.stack([axis_xy[:, way], across_xy[:, way]], axis=1)
        np.add(steps @ points.T, center_xy[:, way, None], out=placed[:, :, way])
    return placed


def _pairs(xy: FloatArray, edge_px: tuple[float, float], params: PipParams) -> tuple[IntArray, IntArray]:
    reach = 2.0 * np.sqrt(2.0) * params.step
    low, high = reach * edge_px[0] / params.step_slack, reach * edge_px[1] * params.step_slack
    first, second, square = pairs_within(xy, high)
    far = square >= low * low
    return first[far], second[far]
