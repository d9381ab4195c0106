"""How a tray's dice stand: what the standing net sees of each, and what the camera's place lets one expect.

A first look tells where tops lie exactly and which way dice lean. The leans of what surely are dice tell how the camera
is held (`pose`), and with it what a flat die would show at each place. A second look is given that.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.classification.standing_net import FLAT, STACKED, Beside, StandingReader, StandingSights, block
from vision.frame import FloatArray
from vision.near import squared_distances
from vision.odds import logit
from vision.pose import Leans, Pose, PoseParams, pose_of
from vision.shrink import Halves
from vision.tops import Squares
from vision.view import SizedView, View


@dataclass(frozen=True, slots=True)
class StandingParams:
    """What is taken into account; lengths in edges.

    Attributes:
        pose: How the camera is held.
        sure: Places that are dice with so much belief tell of the camera and of the size that dice have...
        neighbour: ...and with so much show beside others.
        near: Only dice with their middles nearer than this can show in what the net sees.
        side_by_side: Two dice side by side are at least this far apart; a die and one below it are nearer.
    """

    pose: PoseParams = field(default_factory=PoseParams)
    sure: float = 0.8
    neighbour: float = 0.5
    near: float = 2.6
    side_by_side: float = 0.93


STANDING_FEATURES = ("flat", "at_first", "stacked", "departs", "overlap", "higher")
"""Names of the columns of `Stands.columns`."""


@dataclass(frozen=True, slots=True, eq=False)
class Stands:
    """How N dice stand.

    Attributes:
        shares: Shape (N, 3): flat, leaning, on another die.
        leans_px: Shape (N, 2), from the middle of each top to that of the face below it.
        flat_px: Shape (N, 2), the same if the die lies flat at its place.
        columns: Shape (N, len(STANDING_FEATURES)): `flat`, the log odds of lying flat; `at_first`, the same at the
            first look; `stacked`, those of lying on another; `departs`, how far the lean is from a flat die's, in
            edges; `overlap`, by how much the nearest likely die is nearer than two side by side can be; `higher`, by
            how much its top is larger than that of the others, as a logarithm.
        leans: What surely are dice show of how the camera is held.
        pose: How it is held.
    """

    shares: FloatArray
    leans_px: FloatArray
    flat_px: FloatArray
    columns: FloatArray
    leans: Leans
    pose: Pose


def judge_standing(
    reader: StandingReader,
    picture: Halves,
    first: StandingSights,
    belief: FloatArray,
    *,
    view: View,
    params: StandingParams,
) -> Stands:
    """See how dice stand, by a second look.

    Args:
        reader: The net.
        picture: The part of the picture, with its halves.
        first: The first look at N places.
        belief: Shape (N,), how likely each is a die.
        view: The camera, were it level.
        params: See there.
    """
    squares, sure = first.refined, belief >= params.sure
    usual_px = float(np.median(squares.edge_px[sure] if sure.any() else squares.edge_px)) if len(belief) else 1.0
    sized = SizedView(view, usual_px)
    steady = sure & (first.shares[:, FLAT] >= 0.5)
    leans = Leans.of(squares.center_xy[steady], first.leans_px[steady], sized)
    pose = pose_of(leans, sized, params.pose)
    flat_px = pose.flat_leans(squares.center_xy)
    half = 0.5 * squares.edge_px[:, None] * np.stack([np.cos(squares.turn_rad), np.sin(squares.turn_rad)], axis=1)
    blocks = block(squares.center_xy, half, flat_px)
    likely = belief >= params.neighbour
    away = np.sqrt(squared_distances(squares.center_xy, squares.center_xy)) / squares.edge_px[:, None]
    np.fill_diagonal(away, np.inf)
    of, others = np.nonzero((away < params.near) & likely[None])
    sights = reader.look_at(picture, squares, flat_px, Beside(of, blocks[others]))
    departs = np.hypot(*(sights.leans_px - flat_px).T) / squares.edge_px
    nearest = np.where(likely[None], away, np.inf).min(axis=1, initial=np.inf)
    columns = np.stack(
        [
            logit(np.asarray(sights.shares[:, FLAT], np.float64)),
            logit(np.asarray(first.shares[:, FLAT], np.float64)),
            logit(np.asarray(sights.shares[:, STACKED], np.float64)),
            departs,
            np.maximum(0.0, params.side_by_side - nearest),
            _higher(squares, likely),
        ],
        axis=1,
    )
    return Stands(np.asarray(sights.shares, np.float64), sights.leans_px, flat_px, columns, leans, pose)


def _higher(squares: Squares, likely: npt.NDArray[np.bool_]) -> FloatArray:
    """By how much each top is larger than the usual one of the other likely dice, as a logarithm; 0 beside none."""
    higher = np.zeros(len(likely))
    for i in range(len(likely)):
        others = np.flatnonzero(likely & (np.arange(len(likely)) != i))
        if len(others):
            higher[i] = np.log(squares.edge_px[i] / np.median(squares.edge_px[others]))
    return higher
