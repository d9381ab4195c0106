"""How far apart the pips of a face lie, one way and the other."""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from vision.geometry.neighbours import IntArray
from vision.geometry.pose import Pose
from vision.standing.pip_middles import SITE_PLACES, MiddleParams, Seen, SeenPips, pips_of_faces
from vision.types.frame import ComplexArray, FloatArray


@dataclass(frozen=True, slots=True)
class SpreadParams:
    """What is measured and how exact that is; errors are ratios, found on flat dice of drawn and traced trays.

    Attributes:
        middles: Parameters of how pips are measured.
        width: Least sum of the squared distances of a face's pips from their middle, in squares of a lattice step.
        error: Least error of a lattice's step.
        of_two: Least error of the step of a 2, whose pips cannot disagree.
        residual: Factor on the departure of a face's pips from their lattice, in the error of the step.
        most: Greatest error of a step that its pips' departure can add.
        uneven_error: Least error of how much shorter a lattice shows one way than the other.
        uneven_residual: Factor on the departure of a face's pips from their lattice, in the error of how much shorter
            it shows one way.
    """

    middles: MiddleParams = field(default_factory=MiddleParams)
    width: float = 1.6
    error: float = 0.004
    of_two: float = 0.0075
    residual: float = 0.8
    most: float = 0.06
    uneven_error: float = 0.008
    uneven_residual: float = 1.2


@dataclass(frozen=True, slots=True, eq=False)
class Spreads:
    """What N faces show of their pips; errors are ratios.

    Attributes:
        step_px: Shape (N,), step of each face's lattice; 0 where too few pips are seen to measure it.
        error: Shape (N,), error of `step_px`.
        uneven: Shape (N,), by how much steps are shorter one way than the other, as a ratio; of 4s and 5s alone, since
            makers set the rows of a 6 as they like.
        uneven_error: Shape (N,), error of `uneven`; infinite where it is not measured.
    """

    step_px: FloatArray
    error: FloatArray
    uneven: FloatArray
    uneven_error: FloatArray

    def some(self, which: IntArray) -> "Spreads":
        """The spreads of some faces."""
        return Spreads(
            self.step_px[which],
            self.error[which],
            self.uneven[which],
            self.uneven_error[which],
        )


def spreads_of(seen: Seen, pose: Pose, params: SpreadParams) -> Spreads:
    """Measure the pips of faces; of one without a lattice it is not known whether they are light or dark.

    Args:
        seen: The faces.
        pose: How the camera is held: they are measured as from right above.
        params: The tunables.
    """
    pips = pips_of_faces(seen, params.middles)
    values = np.array([face.value for face in seen.faces])
    return _fitted(replace(pips, at=pose.from_above(pips.at)), values, params)


def _fitted(seen: SeenPips, values: npt.NDArray[np.int64], params: SpreadParams) -> Spreads:
    """The similarities that take each lattice's sites nearest to the pips seen there (least squares).

    Makers set the rows of a 6 nearer to each other or farther apart: of it only the way along the rows counts.

    Args:
        seen: The pips of N faces.
        values: Shape (N,).
        params: The tunables.
    """
    shown, number = seen.shown, seen.shown.sum(axis=1)
    count = np.maximum(number, 1)
    lattice = np.where(shown, SITE_PLACES - ((shown @ SITE_PLACES) / count)[:, None], 0.0)
    pips = np.where(shown, seen.at - ((seen.at * shown).sum(axis=1) / count)[:, None], 0.0)
    way = (lattice.conj() * pips).sum(axis=1)
    pips *= np.exp(-1j * np.angle(way))[:, None]
    upright = shown[:, SITE_PLACES.real == 0].sum(axis=1) <= shown[:, SITE_PLACES.imag == 0].sum(axis=1)
    down, across = (values == 6) & upright, (values == 6) & ~upright
    for part in (lattice, pips):
        part.real[down] = part.imag[across] = 0.0
    width = (np.abs(lattice) ** 2).sum(axis=1)
    step: FloatArray = (lattice.conj() * pips).sum(axis=1).real / np.maximum(width, 1.0)
    is_clear = (width >= params.width) & (step > 0.0)
    off = np.sqrt((np.abs(pips - step[:, None] * lattice) ** 2).sum(axis=1) / count)
    residual = np.minimum(params.residual * off / np.where(is_clear, step, 1.0), params.most)
    uneven, uneven_error = _unevenness(is_clear & ((values == 4) | (values == 5)), lattice, pips, params)
    return Spreads(
        step_px=np.where(is_clear, step, 0.0),
        error=np.hypot(np.where(number > 2, params.error, params.of_two), residual),
        uneven=uneven,
        uneven_error=uneven_error,
    )


def _unevenness(
    square: npt.NDArray[np.bool_], lattice: ComplexArray, pips: ComplexArray, params: SpreadParams
) -> tuple[FloatArray, FloatArray]:
    """How much shorter lattices show one way than the other, and the error of that, as in `Spreads`.

    Args:
        square: Shape (N,), of which faces that can be measured.
        lattice: Shape (N, 9), their sites from the middle of those that show a pip; 0 for the others.
        pips: Shape (N, 9), the pips at those sites from their own middle; 0 for the others.
        params: The tunables.
    """
    uneven, error = np.zeros(len(square)), np.full(len(square), np.inf)
    turned, own = (lattice * lattice).sum(axis=1), (np.abs(lattice) ** 2).sum(axis=1)
    # Half of this difference is the least eigenvalue of the sites' second moments.
    rows = np.flatnonzero(square & ((own - np.abs(turned)) / 2.0 >= params.width))
    lattice, pips, turned, own = lattice[rows], pips[rows], turned[rows], own[rows]
    # The linear map that takes the sites nearest to the pips, each z to straight * z + mirrored * conj(z): sum and
    # difference of the two's lengths are the longest step and the shortest.
    along, against = (lattice.conj() * pips).sum(axis=1), (lattice * pips).sum(axis=1)
    determinant = own**2 - np.abs(turned) ** 2
    straight = (own * along - turned.conj() * against) / determinant
    mirrored = (own * against - turned * along) / determinant
    longest = np.abs(straight) + np.abs(mirrored)
    shortest = np.abs(np.abs(straight) - np.abs(mirrored))
    departed = np.abs(pips - straight[:, None] * lattice - mirrored[:, None] * lattice.conj())
    off = np.sqrt((departed**2).sum(axis=1) / np.count_nonzero(lattice, axis=1))
    uneven[rows] = 1.0 - shortest / longest
    error[rows] = np.hypot(params.uneven_error, params.uneven_residual * off / longest)
    return uneven, error
