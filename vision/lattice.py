"""The six patterns on a 3x3 lattice, and which of them a group of pips makes.

A face is not a heap of blobs. Every value but 1 has pips in two opposite corners of a 3x3 lattice, so each pair of
pips at the right distance proposes one face, and the lattice's nine sites then say which value it shows, if any.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.frame import FloatArray
from vision.levels import greatest_channel, medians_of, quantiles_of
from vision.near import IntArray, pairs_within
from vision.pips import PipParams, Pips
from vision.soft import Soft

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
_SIX, _BETWEEN_CORNERS = 6, 1
"""The value whose rows may lie near each other; the site between the two corners of the first row."""
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


@dataclass(frozen=True, slots=True, eq=False)
class FaceFits:
    """Faces that pairs of pips propose; every array has one row for each.

    Attributes:
        center_xy: Shape (N, 2), pixels.
        axis_xy: Shape (N, 2), one lattice step along the face's first axis, pixels.
        across_xy: Shape (N, 2), one step along the second; at a right angle and as long unless seen aslant.
        narrow: Shape (N, 2), how far apart the pips lie along either over that: less than 1 across the rows of many 6s.
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
    narrow: FloatArray
    value: npt.NDArray[np.int64]
    margin: FloatArray
    residual: FloatArray
    contrast: FloatArray
    body_bgr: FloatArray
    pip_bgr: FloatArray
    spread: FloatArray
    dark: npt.NDArray[np.bool_]

    def some(self, which: IntArray) -> "FaceFits":
        """Some of them."""
        return FaceFits(*(getattr(self, name)[which] for name in FaceFits.__slots__))


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
    round_ones = [blobs.xy[blobs.roundness >= params.roundness] for blobs in pips]
    xy = np.concatenate(round_ones)
    dark = np.repeat([blobs.dark for blobs in pips], [len(ones) for ones in round_ones])
    # Light ones are no pair of dark ones: those are looked at far to the right.
    aside = np.where(dark, _FAR_PX, 0.0)[:, None] * np.array([1.0, 0.0])
    first, second = _pairs(xy + aside, edge_px, params)
    center = (xy[first] + xy[second]) / 2.0
    diagonal = (xy[second] - xy[first]) / 2.0
    # The corner sites (-1,-1) and (1,1) lie on the diagonal; a lattice step is that turned back by 45 degrees.
    axis = np.stack([diagonal[:, 0] + diagonal[:, 1], diagonal[:, 1] - diagonal[:, 0]], axis=1) / 2.0
    across = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    dark, aside = dark[first], aside[first]
    some = np.concatenate([np.flatnonzero(dark == which)[: params.most_crossing] for which in (False, True)])
    middle, along, beside, of = _crossing(center[some] + aside[some], diagonal[some], params)
    middle -= aside[some][of]
    return _read_lattices(
        soft,
        np.concatenate([center, middle]),
        np.concatenate([axis, along]),
        np.concatenate([across, beside]),
        params,
        dark=np.concatenate([dark, dark[some][of]]),
    )


_FAR_PX = 1e6


def _crossing(
    center: FloatArray, diagonal: FloatArray, params: PipParams
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Pairs of pairs that share their middle are the two diagonals of a 4, 5 or 6, however aslant it is seen.

    Args:
        center: Shape (N, 2), middles of pairs.
        diagonal: Shape (N, 2), from there to the second of each.
        params: See there.

    Returns:
        Middles and lattice steps, both ways, of K faces, and the row of each one's first pair.
    """
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
    good = (shorter > params.narrow * longer) & (longer > params.narrow * shorter) & (skew < params.skew)
    good &= (np.abs(np.log(longer / np.maximum(shorter, 1e-9))) > 0.04) | (skew > 0.04)
    middle = (center[i] + center[j]) / 2.0
    turned = along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0] < 0
    across = np.where(turned[:, None], -across, across)
    return middle[good], along[good], across[good], i[good]


def _read_lattices(
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
    body_bgr = medians_of(body)
    spread = quantiles_of(greatest_channel(np.abs(body - body_bgr[:, None, :])), params.body_share)
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
    axis_xy, across_xy, narrow = _squared(axis_xy, across_xy, best)
    fits = FaceFits(
        center_xy, axis_xy, across_xy, narrow, value, margin, residual, contrast, body_bgr, pip_bgr, spread, dark
    )
    along, beside = np.hypot(axis_xy[:, 0], axis_xy[:, 1]), np.hypot(across_xy[:, 0], across_xy[:, 1])
    return fits.some(np.flatnonzero(np.minimum(along, beside) > params.aspect * np.maximum(along, beside)))


def _squared(axis_xy: FloatArray, across_xy: FloatArray, best: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lattice steps of faces, those of a narrow 6 made as long across its rows as along them: its face is square.

    Args:
        axis_xy: Shape (N, 2), pixels.
        across_xy: Shape (N, 2).
        best: Shape (N,), the rows of the patterns they show.

    Returns:
        Both steps, and `FaceFits.narrow`.
    """
    along, beside = np.hypot(axis_xy[:, 0], axis_xy[:, 1]), np.hypot(across_xy[:, 0], across_xy[:, 1])
    six, in_rows = PATTERN_VALUES[best] == _SIX, PATTERNS[best, _BETWEEN_CORNERS] > 0.0
    lying, upright = six & in_rows & (beside < along), six & ~in_rows & (along < beside)
    narrow = np.ones((len(best), 2))
    narrow[lying, 1] = (beside / along)[lying]
    narrow[upright, 0] = (along / beside)[upright]
    across_xy = np.where(lying[:, None], np.stack([-axis_xy[:, 1], axis_xy[:, 0]], axis=1), across_xy)
    axis_xy = np.where(upright[:, None], np.stack([across_xy[:, 1], -across_xy[:, 0]], axis=1), axis_xy)
    return axis_xy, across_xy, narrow


def place(points: FloatArray, center_xy: FloatArray, axis_xy: FloatArray, across_xy: FloatArray) -> FloatArray:
    """Points in steps of N lattices, shape (P, 2), to pixels, shape (N, P, 2)."""
    # All x, then all y: over pairs of coordinates numpy is many times slower.
    steps = np.stack([axis_xy.T, across_xy.T], axis=2)
    placed: FloatArray = (steps.reshape(-1, 2) @ points.T).reshape(2, len(center_xy), len(points))
    placed += center_xy.T[:, :, None]
    return placed.transpose(1, 2, 0)


def _pairs(xy: FloatArray, edge_px: tuple[float, float], params: PipParams) -> tuple[IntArray, IntArray]:
    reach = 2.0 * np.sqrt(2.0) * params.step
    low, high = reach * edge_px[0] / params.step_slack, reach * edge_px[1] * params.step_slack
    first, second, square = pairs_within(xy, high)
    far = square >= low * low
    return first[far], second[far]
