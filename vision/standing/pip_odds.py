"""What a die's pips say of how it stands, held against those of the other dice.

Dice come out of one mould; on some the values are laid out each in its way. With each pip measured to a fraction of a
pixel, one that lies flat departs by some 0.5 % from what the others let expect at its place; one on top of another is
nearer to the camera and shows 3 to 6 % larger, and one that leans shows shortened one way.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.detection.faces import Face
from vision.geometry.neighbours import IntArray
from vision.geometry.pose import Pose
from vision.standing.pip_middles import Seen
from vision.standing.pip_spread import SpreadParams, Spreads, spreads_of
from vision.standing.stance import FLAT, LEANING, STACKED
from vision.types.frame import F32, FloatArray

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PipOddsParams:
    """How dice are compared; errors and departures are ratios, densities are those of departures.

    Found on drawn and traced trays.

    Attributes:
        spread: Parameters of how pips are measured.
        others: Least number of other dice that a die is compared with.
        aslant: Standard deviation of the camera's lean, as a tangent: steps then change along the picture.
        least: Least error of the size that the other dice let expect.
        outlier: Departure, in standard errors, at which a die has half its weight in the fit.
        tint: Greatest difference, as a logarithm, between the channels of two bodies, each as a share of their mean,
            for the dice to be of like colour.
        light: Greatest difference, as a logarithm, between the mean levels of two bodies for the dice to be of like
            colour.
        mould: Standard deviation of the size of dice of one colour from the rest: they may be another maker's.
        layout: Standard deviation of the spacing of pips between values, if each value is laid out in its own way.
        one_layout: Probability, before the dice are looked at, that the pips of all values are laid out alike.
        above: Excess in size of a die on another over what its height explains: it seldom lies squarely, and a camera
            is nearer than was thought.
        above_error: Standard error of `above`.
        odd: Share of the dice whose errors are larger by the factor `odder`.
        odder: Factor by which the errors of `odd` of the dice are larger.
        strange: Density of departures of any size: what was measured may be no pips at all.
        any_uneven: Density of the difference between a lattice's two steps, for dice that lean.
        any_larger: Least density of the difference in size, for dice that lean.
        leans_there: Share of the dice on others that lean.
        against: Exponent of odds that are less than 1: what washes pips out deceives the nets, too.
    """

    spread: SpreadParams = field(default_factory=SpreadParams)
    others: int = 2
    aslant: float = 0.06
    least: float = 0.004
    outlier: float = 2.5
    tint: float = 0.3
    light: float = 0.3
    mould: float = 0.012
    layout: float = 0.09
    one_layout: float = 0.2
    above: float = 0.004
    above_error: float = 0.01
    odd: float = 0.1
    odder: float = 2.5
    strange: float = 0.3
    any_uneven: float = 3.5
    any_larger: float = 2.0
    leans_there: float = 0.15
    against: float = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class _Larger:
    """How much larger each of N dice shows than the others let expect at its place; ratios, all of shape (N,).

    Attributes:
        ratio: Ratio of each die's size to the expected one, as a logarithm, if the pips of all values are laid out
            alike.
        error: Standard error of `ratio`.
        one_layout: Probability that the pips of all values are laid out alike.
        value_ratio: Ratio of each die's size to the expected one, as a logarithm, if only dice of its own value tell of
            its layout.
        value_error: Standard error of `value_ratio`.
    """

    ratio: FloatArray
    error: FloatArray
    one_layout: FloatArray
    value_ratio: FloatArray
    value_error: FloatArray


def odds_of_standing(seen: Seen, known: Bools, pose: Pose, params: PipOddsParams) -> FloatArray:
    """How much likelier each die's pips are if it leans, or lies on another, than if it lies flat on the floor.

    Args:
        seen: N top faces.
        known: Shape (N,), which of them are surely dice: with these all are compared.
        pose: How the camera is held, and the dice's common edge: one that lies an edge higher shows larger by that edge
            over the focal length.
        params: The tunables.

    Returns:
        Shape (N, 3), ratios of likelihoods: 1 for `FLAT`, those of `LEANING` and `STACKED`; 1 where nothing can be
        said: no lattice, or too few other dice.
    """
    view = pose.view
    spreads = spreads_of(seen, pose, params.spread)
    higher = view.edge_px / view.view.focal_px + params.above
    likely = np.ones((len(seen.faces), 3))
    rows = np.flatnonzero(spreads.step_px > 0.0)
    if known[rows].sum() > params.others:
        at = seen.squares.center_xy[rows] / view.view.focal_px
        faces = [seen.faces[i] for i in rows.tolist()]
        beside = _beside_others(spreads.some(rows), at, known[rows], faces, params)
        likely[rows] *= _likely_if_larger(beside, higher, params)
    rows = np.flatnonzero(spreads.uneven_error < np.inf)
    even = _likelihood(spreads.uneven[rows], spreads.uneven_error[rows], params)
    likely[rows] *= np.stack([even, np.full(len(rows), params.any_uneven), even], axis=1)
    # A die on another may lean there, too.
    likely[:, STACKED] += params.leans_there * (likely[:, LEANING] - likely[:, STACKED])
    odds: FloatArray = likely / likely[:, FLAT : FLAT + 1]
    return odds


def weigh_in(shares: F32, odds: FloatArray, params: PipOddsParams) -> None:
    """Have what the pips say of how dice stand count beside what the nets do.

    Args:
        shares: Shape (N, 3): flat, leaning, on another die; changed in place.
        odds: Shape (N, 3), of `odds_of_standing`.
        params: The tunables.
    """
    shares *= np.where(odds < 1.0, odds**params.against, odds)
    shares /= shares.sum(axis=1, keepdims=True)


def _beside_others(
    spreads: Spreads, at: FloatArray, known: Bools, faces: Sequence[Face], params: PipOddsParams
) -> _Larger:
    """How much larger each of N dice shows than the others let expect at its place.

    A plane is fitted through all others that are known, since a camera that leans shows one side of the tray larger,
    and dice of one colour may all be a little larger than the rest; those that depart from it count less (iteratively
    reweighted least squares, Cauchy's weights).

    Args:
        spreads: Of all of them.
        at: Shape (N, 2), where they are, in focal lengths.
        known: Shape (N,), which of them are surely dice; two at least.
        faces: The dice.
        params: The tunables.
    """
    count, logs = len(at), np.log(spreads.step_px)
    counts = known & ~np.eye(count, dtype=np.bool_)
    errors = np.hypot(spreads.error, params.least)
    weight = counts / errors**2
    colours = _colours(_alike(faces, params))
    rows = np.concatenate([np.ones((count, 1)), at - at.mean(axis=0), colours], axis=1)
    unknowns = rows.shape[1]
    products = (rows[:, :, None] * rows[:, None]).reshape(count, -1)
    # A lean is as likely to either side, and small; so is what one maker's mould differs from another's by.
    prior = np.diag(np.repeat([1e-6, params.aslant**-2, params.mould**-2], [1, 2, unknowns - 3]))
    off = logs - _medians_of_some(logs, counts)[:, None]
    for _ in range(4):
        held = weight / (1.0 + (off / (params.outlier * errors)) ** 2)
        normal = (held @ products).reshape(count, unknowns, unknowns) + prior
        plane = np.linalg.solve(normal, ((held * logs) @ rows)[..., None])[..., 0]
        off = logs - plane @ rows.T
    fitted = (rows * np.linalg.solve(normal, rows[..., None])[..., 0]).sum(axis=1)
    values = np.array([face.value for face in faces])
    return _with_layouts(off, weight, np.sqrt(fitted + errors**2), values, params)


def _medians_of_some(values: FloatArray, some: Bools) -> FloatArray:
    """In row i the median of N values of those that row i of `some`, shape (N, N), picks, one at least; shape (N,)."""
    ordered, count, rows = np.sort(np.where(some, values, np.inf), axis=1), some.sum(axis=1), np.arange(len(some))
    middle: FloatArray = (ordered[rows, (count - 1) // 2] + ordered[rows, count // 2]) / 2.0
    return middle


def _with_layouts(
    off: FloatArray, weight: FloatArray, error: FloatArray, values: IntArray, params: PipOddsParams
) -> _Larger:
    """What dice show beside the others, be all values' pips laid out alike on them or not.

    The others show which it is: how far the means of their values differ.

    Args:
        off: Shape (N, N), in row i how much larger dice show than all but i let expect.
        weight: Shape (N, N), in row i the weight of each die in that comparison.
        error: Shape (N,), of `off` in its diagonal.
        values: Shape (N,).
        params: The tunables.
    """
    of_value = values[:, None] == np.arange(1, 7)
    counts = weight @ of_value
    shown = counts > 0.0
    mean = ((weight * off) @ of_value) / np.maximum(counts, 1e-9)
    mean_error = 1.0 / np.sqrt(np.maximum(counts, 1e-9))
    for_one = np.log(_likelihood(mean, mean_error, params))
    for_one -= np.log(_likelihood(mean, np.hypot(mean_error, params.layout), params))
    number = shown.sum(axis=1)
    # The means of so many values are as many less one that can differ.
    odds = (for_one * shown).sum(axis=1) * (1.0 - 1.0 / np.maximum(number, 1))
    odds += math.log(params.one_layout / (1.0 - params.one_layout))
    own = np.arange(len(values)), values - 1
    known = params.layout**2 / (params.layout**2 + mean_error[own] ** 2)
    return _Larger(
        ratio=off.diagonal(),
        error=error,
        one_layout=1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0))),
        value_ratio=off.diagonal() - known * mean[own],
        value_error=np.hypot(error, params.layout * np.sqrt(1.0 - known)),
    )


def _colours(alike: Bools) -> FloatArray:
    """The groups that dice fall into of which each is like another of its group, shape (N, G): 1 where it belongs."""
    joined = alike
    for _ in range(len(alike).bit_length()):
        joined = joined @ joined
    # Each group by its first die.
    groups: FloatArray = joined[:, np.unique(joined.argmax(axis=1))].astype(np.float64)
    return groups


def _likely_if_larger(larger: _Larger, higher: float, params: PipOddsParams) -> FloatArray:
    """Likelihoods, shape (N, 3), of dice that show so much larger than they should if they lie flat."""

    def likelihood(by: float, more_error: float) -> FloatArray:
        one = _likelihood(larger.ratio - by, np.hypot(larger.error, more_error), params)
        own = _likelihood(larger.value_ratio - by, np.hypot(larger.value_error, more_error), params)
        return larger.one_layout * one + (1.0 - larger.one_layout) * own

    flat, stacked = likelihood(0.0, 0.0), likelihood(higher, params.above_error)
    # Across the way that it leans a die shows as ever.
    return np.stack([flat, np.maximum(flat, params.any_larger), stacked], axis=1)


def _likelihood(off: FloatArray, error: FloatArray, params: PipOddsParams) -> FloatArray:
    """Of a departure, up to a common factor."""
    usual = (1.0 - params.odd) / error * np.exp(-0.5 * (off / error) ** 2)
    wide = params.odder * error
    odd = params.odd / wide * np.exp(-0.5 * (off / wide) ** 2)
    return np.asarray(usual + odd + params.strange, np.float64)


def _alike(faces: Sequence[Face], params: PipOddsParams) -> Bools:
    """Which faces are of bodies and pips of like colour, shape (N, N)."""
    body = np.array([face.body_bgr for face in faces]).reshape(-1, 3) + 8.0
    mean = body.mean(axis=1)
    tint, light = np.log(body / mean[:, None]), np.log(mean)
    dark = np.array([face.dark for face in faces], np.bool_)
    alike: Bools = np.abs(tint[:, None] - tint[None]).max(axis=2) <= params.tint
    alike &= np.abs(light[:, None] - light[None]) <= params.light
    alike &= dark[:, None] == dark[None]
    return alike
