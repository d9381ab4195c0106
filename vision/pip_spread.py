"""How far apart a die's pips lie, beside those of the dice like it: a die on top of another is nearer to the camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.faces import Face
from vision.frame import F32, FloatArray
from vision.lattice import SITES
from vision.near import squared_distances
from vision.pips import Pips
from vision.stance import FLAT, STACKED
from vision.tops import Squares

_TO_COMPLEX = np.array([1.0, 1j])
_SITES = SITES @ _TO_COMPLEX


@dataclass(frozen=True, slots=True)
class SpreadParams:
    """What is measured and how exact that is; found on drawn trays, 2000 flat dice and 30 that lie on another.

    Attributes:
        near: A pip is that of a lattice's site where it is no farther from it than this, in edges.
        width: Least sum of the squared distances of a face's pips from their middle, in squares of a lattice step.
        others: A die is compared with as many like it, or more.
        tint: Dice are alike whose bodies' channels, as shares of their mean, differ by no more than this factor,
            as logarithm,
        light: and whose means differ by no more than this one.
        sure, unsure: Errors of the ratio of two spreads; of nine measured dice in ten, and of the tenth.
        power: To which the odds are raised before they count: what washes pips out deceives the net, too.
    """

    near: float = 0.1
    width: float = 1.6
    others: int = 2
    tint: float = 0.3
    light: float = 0.3
    sure: float = 0.017
    unsure: float = 0.045
    power: float = 0.7


def odds_of_lying_higher(
    faces: Sequence[Face], squares: Squares, pips: tuple[Pips, Pips], higher: float, params: SpreadParams
) -> FloatArray:
    """How much likelier each die's pips are if it lies on another die than if it lies on the floor.

    Args:
        faces: N top faces.
        squares: Where they are.
        pips: Light ones, dark ones, in the same pixels.
        higher: How much larger a die shows that lies on another, over its size on the floor.
        params: See there.

    Returns:
        Shape (N,), a ratio of likelihoods; 1 where nothing can be said: a 1, no lattice, too few dice like it.
    """
    dark = np.array([face.dark for face in faces])
    spreads = spreads_px(squares, dark, pips, params)
    # Without a lattice it is not known whether a face's pips are light or dark.
    spreads[[not face.has_lattice for face in faces]] = 0.0
    like = _alike(faces, params) & (spreads > 0.0) & (dark[:, None] == dark)
    compared = np.flatnonzero((spreads > 0.0) & (like.sum(axis=1) >= params.others))
    odds = np.ones(len(faces))
    if len(compared):
        ordered = np.sort(np.where(like, spreads, np.inf)[compared], axis=1)
        count = like[compared].sum(axis=1)
        rows = np.arange(len(compared))
        usual = (ordered[rows, (count - 1) // 2] + ordered[rows, count // 2]) / 2.0
        ratio = spreads[compared] / usual
        odds[compared] = _likelihood(ratio - 1.0 - higher, params) / _likelihood(ratio - 1.0, params)
    return odds


def weigh_in(shares: F32, odds: FloatArray, params: SpreadParams) -> None:
    """Have the odds of lying higher move shares between flat and on another die; leaning keeps its own.

    Args:
        shares: Shape (N, 3): flat, leaning, on another die; changed in place.
        odds: Shape (N,), of `odds_of_lying_higher`.
        params: See there.
    """
    stacked = shares[:, STACKED]
    weighed = stacked * odds**params.power
    moved = np.minimum(weighed / (weighed + 1.0 - stacked) - stacked, shares[:, FLAT])
    shares[:, STACKED] += moved
    shares[:, FLAT] -= moved


def spreads_px(
    squares: Squares, dark: npt.NDArray[np.bool_], pips: tuple[Pips, Pips], params: SpreadParams
) -> FloatArray:
    """Lattice steps of N faces as their pips have them.

    Args:
        squares: The faces.
        dark: Shape (N,), whether a face's pips are darker than its body.
        pips: Light ones, dark ones, in the same pixels.
        params: See there.

    Returns:
        Shape (N,), pixels; 0 where too few pips are found to tell.
    """
    light_pips, dark_pips = pips
    spots = np.concatenate([light_pips.xy, dark_pips.xy])
    if not len(spots):
        return np.zeros(len(dark))
    steps = 0.25 * squares.edge_px * np.exp(1j * squares.turn_rad)
    sites = (squares.center_xy @ _TO_COMPLEX)[:, None] + steps[:, None] * _SITES
    away = squared_distances(np.stack([sites.real.ravel(), sites.imag.ravel()], axis=1), spots)
    of_dark = np.arange(len(spots)) >= len(light_pips.xy)
    away[np.repeat(dark, len(_SITES))[:, None] != of_dark] = np.inf
    nearest = away.argmin(axis=1)
    reach = np.repeat((params.near * squares.edge_px) ** 2, len(_SITES))
    seen = (away[np.arange(len(away)), nearest] <= reach).reshape(sites.shape).astype(np.float64)
    at = (spots[nearest] @ _TO_COMPLEX).reshape(sites.shape)
    # The similarity that takes the sites seen, about their middle, nearest to the pips (least squares).
    middle = (seen @ _SITES) / np.maximum(seen.sum(axis=1), 1.0)
    lattice = (_SITES - middle[:, None]) * seen
    width = (lattice.real**2 + lattice.imag**2).sum(axis=1)
    step: FloatArray = np.abs((lattice.conj() * at).sum(axis=1)) / np.maximum(width, 1.0)
    return np.where(width >= params.width, step, 0.0)


def _alike(faces: Sequence[Face], params: SpreadParams) -> npt.NDArray[np.bool_]:
    """Which faces are of bodies of like colour, shape (N, N); none with itself."""
    body = np.array([face.body_bgr for face in faces]) + 8.0
    mean = body.mean(axis=1)
    tint, light = np.log(body / mean[:, None]), np.log(mean)
    alike: npt.NDArray[np.bool_] = np.abs(tint[:, None] - tint[None]).max(axis=2) <= params.tint
    alike &= np.abs(light[:, None] - light[None]) <= params.light
    np.fill_diagonal(alike, val=False)
    return alike


def _likelihood(off: FloatArray, params: SpreadParams) -> FloatArray:
    """Of an error of a ratio, up to a common factor."""
    sure = 0.9 / params.sure * np.exp(-0.5 * (off / params.sure) ** 2)
    unsure = 0.1 / params.unsure * np.exp(-0.5 * (off / params.unsure) ** 2)
    return np.asarray(sure + unsure, np.float64)
