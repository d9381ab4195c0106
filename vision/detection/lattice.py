"""The six patterns on a 3x3 lattice, and which of them a group of pips makes.

A face is not a heap of blobs. Every value but 1 has pips in two opposite corners of a 3x3 lattice, so each pair of
pips at the right distance proposes one face, and the lattice's nine sites then say which value it shows, if any.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.detection.pips import PipParams, Pips
from vision.geometry.neighbours import IntArray, pairs_within
from vision.imaging.levels import greatest_channel, medians_of, quantiles_of
from vision.imaging.softened import Soft
from vision.types.frame import ComplexArray, FloatArray

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
    np.array([(0, 0), (0.12, 0), (-0.12, 0), (0, 0.12), (0, -0.12)], dtype=np.float64)[:, None, :] + SITES
).reshape(-1, 2)
"""The sites, and four times the same a little aside."""

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
    """Faces that pairs of pips propose, or lone pips; every array has one row for each.

    Attributes:
        center_xy: Shape (N, 2), middles of the faces, pixels.
        axis_xy: Shape (N, 2), one lattice step along the face's first axis, pixels.
        across_xy: Shape (N, 2), one lattice step along the face's second axis, pixels; at a right angle to the first
            and as long unless seen aslant.
        narrow: Shape (N, 2), distance of the pips along either axis over the lattice step: less than 1 across the rows
            of many 6s.
        value: Shape (N,), values from 2 to 6; 1 for lone pips, whose sites are not looked at.
        margin: Shape (N,), 0 to 1: how far the best pattern beat the second; below 0.2 do not trust the value.
        residual: Shape (N,), root mean square over the sites of level minus pattern, 0 for a perfect fit; for a lone
            pip its spread over its contrast.
        contrast: Shape (N,), grey levels between pips and body.
        body_bgr: Shape (N, 3), colours of the bodies.
        pip_bgr: Shape (N, 3), mean of the pips that proposed the face.
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

    def followed_by(self, others: "FaceFits") -> "FaceFits":
        """These, and then others."""
        both = ((getattr(self, name), getattr(others, name)) for name in FaceFits.__slots__)
        return FaceFits(*(np.concatenate(parts) for parts in both))


def fit_faces(soft: Soft, pips: tuple[Pips, ...], edge_px: tuple[float, float], params: PipParams) -> FaceFits:
    """Read the lattice under every pair of pips that may be opposite corners of a face.

    Args:
        soft: The picture, blurred by about half a pip's radius.
        pips: Light ones and dark ones, in pixels of the same picture.
        edge_px: Least and greatest edge of a top face in this picture.
        params: The tunables.

    Returns:
        Every pair whose body is of one colour; most are no faces: `margin` and `residual` show it.
    """
    round_ones = [blobs.xy[blobs.roundness >= params.roundness] for blobs in pips]
    places = complex_of(np.concatenate(round_ones))
    dark = np.repeat([blobs.dark for blobs in pips], [len(ones) for ones in round_ones])
    # Light ones are no pair of dark ones: those are looked at far to the right.
    aside = FAR_PX * dark
    first, second = _pairs(places + aside, edge_px, params)
    one, two, dark, aside = places[first], places[second], dark[first], aside[first]
    center, diagonal = (one + two) / 2.0, (two - one) / 2.0
    # The corner sites (-1,-1) and (1,1) lie on the diagonal; a lattice step is that turned back by 45 degrees.
    axis = diagonal * (0.5 - 0.5j)
    some = np.concatenate([np.flatnonzero(dark == which)[: params.most_crossing] for which in (False, True)])
    middle, along, beside, of = _crossing((center + aside)[some], diagonal[some], params)
    of = some[of]
    return _read_lattices(
        soft,
        np.concatenate([center, middle - aside[of]]),
        np.concatenate([axis, along]),
        np.concatenate([1j * axis, beside]),
        params,
        dark=np.concatenate([dark, dark[of]]),
    )


FAR_PX = 1e6
"""So far aside what is no part of something is looked at beside it, to be out of its reach."""


def _crossing(
    center: ComplexArray, diagonal: ComplexArray, params: PipParams
) -> tuple[ComplexArray, ComplexArray, ComplexArray, IntArray]:
    """Pairs of pairs that share their middle are the two diagonals of a 4, 5 or 6, however aslant it is seen.

    Args:
        center: Shape (N,), middles of pairs, x + iy.
        diagonal: Shape (N,), from there to the second of each.
        params: The tunables.

    Returns:
        Middles and lattice steps, both ways, of K faces, and the row of each one's first pair.
    """
    length = np.abs(diagonal)
    i, j, square = pairs_within(xy_of(center), params.crossing * float(length.max(initial=0.0)))
    shared = square < (params.crossing * np.minimum(length[i], length[j])) ** 2
    i, j = i[shared], j[shared]
    one, two = diagonal[i], diagonal[j]
    # Both diagonals from the first axis's side: their sum runs along it, their difference across.
    two = np.where((one.conj() * two).real < 0, -two, two)
    along, across = (one + two) / 2.0, (one - two) / 2.0
    longer, shorter, product = np.abs(along), np.abs(across), along.conj() * across
    skew = np.abs(product.real) / np.maximum(longer * shorter, 1e-9)
    good = (shorter > params.narrow * longer) & (longer > params.narrow * shorter) & (skew < params.skew)
    good &= (np.abs(np.log(longer / np.maximum(shorter, 1e-9))) > 0.04) | (skew > 0.04)
    middle = (center[i] + center[j]) / 2.0
    across = np.where(product.imag < 0, -across, across)
    return middle[good], along[good], across[good], i[good]


def _read_lattices(
    soft: Soft,
    center: ComplexArray,
    axis: ComplexArray,
    across: ComplexArray,
    params: PipParams,
    *,
    dark: npt.NDArray[np.bool_],
) -> FaceFits:
    """Decide which pattern lies at each of the given places.

    Args:
        soft: As in `fit_faces`.
        center: Shape (N,), x + iy in pixels.
        axis: Shape (N,), one lattice step, pixels.
        across: Shape (N,), one step the other way.
        params: The tunables.
        dark: Shape (N,), whether the pips are darker than the body.

    Returns:
        One row for each place whose body is of one colour.
    """
    seen = soft.at(place(_BODY_AND_CORNERS, xy_of(center), xy_of(axis), xy_of(across)))
    body, corners = seen[: len(BODY_POINTS)], seen[len(BODY_POINTS) :]
    # What a site is compared with lies beside it: glare and shadow edges may cross a face.
    beside = (_BESIDE @ body.reshape(len(body), -1)).reshape(len(SITES), *body.shape[1:])
    below = (beside[0] + beside[8]) / 2.0
    pip = (corners[0] + corners[1]) / 2.0 - below
    contrast, sign = greatest_channel(np.abs(pip)), np.where(dark, -1, 1)
    good = np.flatnonzero((contrast >= 2.0 * params.blob_floor) & (sign * pip.sum(axis=1) > 0.0))
    body = body.take(good, axis=1)
    body_bgr = medians_of(body, axis=0)
    spread = quantiles_of(greatest_channel(np.abs(body - body_bgr)), params.body_share)
    even = np.flatnonzero(spread <= params.body_spread * contrast[good] + params.body_noise)
    good, body_bgr, spread = good[even], body_bgr[even], spread[even]
    center, axis, across, pip, below = center[good], axis[good], across[good], pip[good], below[good]
    way = pip / np.maximum((pip * pip).sum(axis=1), 1.0)[:, None]
    looks_xy = place(_LOOKS, xy_of(center), xy_of(axis), xy_of(across))
    level = _site_levels(soft, looks_xy, beside.take(good, axis=1), way)
    # Between the two levels a site says nothing; beyond them it says pip, or empty.
    said = np.clip((level - params.empty_level) / (params.pip_level - params.empty_level), 0.0, 1.0)
    # The sums of the squares of said minus pattern, all less that of the squares of said.
    wrong = PATTERNS.sum(axis=1) - 2.0 * said @ PATTERNS.T
    best = np.argmin(wrong, axis=1)
    value = PATTERN_VALUES[best]
    # The two ways a 6 can lie are one value: the second best is the best of another value.
    other = np.where(value[:, None] == PATTERN_VALUES, np.inf, wrong)
    axis, across, narrow = _squared(axis, across, best)
    fits = FaceFits(
        center_xy=xy_of(center),
        axis_xy=xy_of(axis),
        across_xy=xy_of(across),
        narrow=narrow,
        value=value,
        margin=np.clip(other.min(axis=1) - wrong.min(axis=1), 0.0, 1.0),
        residual=np.sqrt(((level - PATTERNS[best]) ** 2).mean(axis=1)),
        contrast=contrast[good],
        body_bgr=body_bgr,
        pip_bgr=np.clip(pip + below, 0.0, 255.0),
        spread=spread,
        dark=dark[good],
    )
    longer, shorter = np.abs(axis), np.abs(across)
    return fits.some(np.flatnonzero(np.minimum(longer, shorter) > params.aspect * np.maximum(longer, shorter)))


def _site_levels(soft: Soft, looks_xy: FloatArray, beside: FloatArray, way: FloatArray) -> FloatArray:
    """How much each site of N lattices is like a pip, shape (N, 9): 0 the body beside it, 1 the two pips.

    Args:
        soft: As in `fit_faces`.
        looks_xy: Shape (45, N, 2), where the sites are looked at, pixels.
        beside: Shape (9, N, 3), colours beside them.
        way: Shape (N, 3), from body to pip, over the square of its length.
    """
    # Faces first in these products alone: as many small matrices they take a fraction of sums along the last axis.
    seen = soft.at(looks_xy).transpose(1, 0, 2) @ way[:, :, None]
    # Sites may be off by a pixel or two where a pair is not quite exact: the best of five looks counts.
    best = np.ascontiguousarray(seen[:, :, 0].T).reshape(len(_LOOKS) // len(SITES), len(SITES), -1).max(axis=0)
    levels: FloatArray = best.T - (beside.transpose(1, 0, 2) @ way[:, :, None])[:, :, 0]
    return np.clip(levels, 0.0, 1.15)


def _squared(axis: ComplexArray, across: ComplexArray, best: IntArray) -> tuple[ComplexArray, ComplexArray, FloatArray]:
    """Lattice steps of faces, those of a narrow 6 made as long across its rows as along them: its face is square.

    Args:
        axis: Shape (N,), pixels.
        across: Shape (N,).
        best: Shape (N,), the rows of the patterns they show.

    Returns:
        Both steps, and `FaceFits.narrow`.
    """
    along, beside = np.abs(axis), np.abs(across)
    six, in_rows = PATTERN_VALUES[best] == _SIX, PATTERNS[best, _BETWEEN_CORNERS] > 0.0
    lying, upright = six & in_rows & (beside < along), six & ~in_rows & (along < beside)
    narrow = np.ones((len(best), 2))
    narrow[lying, 1] = (beside / along)[lying]
    narrow[upright, 0] = (along / beside)[upright]
    return np.where(upright, -1j * across, axis), np.where(lying, 1j * axis, across), narrow


def place(points: FloatArray, center_xy: FloatArray, axis_xy: FloatArray, across_xy: FloatArray) -> FloatArray:
    """Points in steps of N lattices, shape (P, 2), to pixels, shape (P, N, 2)."""
    # Of each point all x, then all y: over pairs of coordinates numpy is many times slower.
    placed: FloatArray = points @ np.concatenate([axis_xy.T, across_xy.T]).reshape(2, -1)
    placed += center_xy.T.reshape(-1)
    return placed.reshape(len(points), 2, -1).transpose(0, 2, 1)


def complex_of(xy: FloatArray) -> ComplexArray:
    """Points in a row in memory, shape (..., 2), as x + iy, shape (...); nothing is copied."""
    return xy.view(np.complex128)[..., 0]


def xy_of(points: ComplexArray) -> FloatArray:
    """The way back, which copies nothing either."""
    return points.view(np.float64).reshape(*points.shape, 2)


def _pairs(points: ComplexArray, edge_px: tuple[float, float], params: PipParams) -> tuple[IntArray, IntArray]:
    reach = 2.0 * np.sqrt(2.0) * params.step
    low, high = reach * edge_px[0] / params.step_slack, reach * edge_px[1] * params.step_slack
    first, second, square = pairs_within(xy_of(points), high)
    far = square >= low * low
    return first[far], second[far]
