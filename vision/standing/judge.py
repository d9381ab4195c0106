"""Whether each die lies flat: a net's word, what a flat die cannot show, and what shows beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.detection.faces import Face
from vision.detection.pips import Pips
from vision.detection.squares import Squares, cut_out
from vision.geometry.camera import SizedView
from vision.geometry.neighbours import squared_distances
from vision.geometry.pose import Leans, PoseParams, pose_of
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import Soft
from vision.standing.close_look import CLOSE_PX, CLOSE_SPAN, CloseReader
from vision.standing.cocked import CockedParams, departures, find_cocked
from vision.standing.lean import LeanParams, LeanReader, odds_of_leaning
from vision.standing.pip_middles import Seen
from vision.standing.pip_odds import PipOddsParams, odds_of_standing, weigh_in
from vision.standing.stance import FLAT, LEANING, STACKED, Beside, StanceReader, block_of
from vision.types.frame import F32, FloatArray, ImageBgr
from vision.types.reading import Unread


@dataclass(frozen=True, slots=True)
class StandingParams:
    """What counts as not lying flat; shares are the stance net's, 0 to 1.

    Attributes:
        pose: Parameters of the fit of the camera's pose.
        cocked: Parameters of the search for what a flat die cannot show.
        pips: Parameters of the odds that its pips give.
        lean: Parameters of the odds that its lean gives, where it is looked at closely.
        closer: Difference from 1 from which a die's share of lying flat has it looked at closely.
        generous: Factor by which the sides that a flat die shows are enlarged for the nets, so that a small error of
            measurement does not speak for a die below. With it false alarms were fewer on trays of every kind, and at
            the same share of them as many leaning and stacked dice were recognised.
        leaning: Least share of leaning for a die to be cocked.
        not_flat: Least share of not lying flat for a die to be cocked or stacked where its pips give odds of at least
            `clear_odds`.
        clear_odds: Least odds, from its pips, for a die to lean or to lie on another, for `not_flat` to apply.
        surely_stacked: Least share of lying on another die for a die to be stacked, whatever its pips say.
        surely_not_flat: Least share of not lying flat for a die to be cocked whatever its pips say; `half_leaning` must
            hold, too.
        half_leaning: Least share of leaning for `surely_not_flat` to apply: a die that leans on another is half
            leaning, half stacked.
        one_net: Least share of not lying flat that one net gives for a die to be doubted though the other net gives
            less; see `contested`.
        contested: Least share of not lying flat, by both nets together, for `one_net` to apply.
        readable: Least share of a value for a die to be another one that lies beside it.
        near: Greatest distance between two dice's middles, in edges, at which one shows in what the net sees of the
            other.
        side_by_side: Least distance of two dice side by side, in edges; a die and one below it are nearer.
        doubt: Share of not lying flat above which other signs count: `departure`, `some_departure`, or what
            `find_cocked` finds.
        departure: Least departure of a die's lean from a flat die's, in edges, that makes a doubtful die cocked; about
            17 degrees.
        some_departure: Least departure that replaces `departure` where leaning has at least `some_leaning`, in edges;
            about 12 degrees.
        some_leaning: Least share of leaning for `some_departure` to apply.
    """

    pose: PoseParams = field(default_factory=PoseParams)
    cocked: CockedParams = field(default_factory=CockedParams)
    pips: PipOddsParams = field(default_factory=PipOddsParams)
    lean: LeanParams = field(default_factory=LeanParams)
    closer: float = 0.05
    generous: float = 1.2
    leaning: float = 0.5
    not_flat: float = 0.5
    clear_odds: float = 2.0
    surely_stacked: float = 0.75
    surely_not_flat: float = 0.6
    half_leaning: float = 0.15
    one_net: float = 0.8
    contested: float = 0.4
    readable: float = 0.6
    near: float = 2.6
    side_by_side: float = 0.93
    doubt: float = 0.25
    departure: float = 0.3
    some_departure: float = 0.2
    some_leaning: float = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Dice in a part of a picture, in its pixels.

    Attributes:
        picture: The part of the picture, with its halved copies.
        soft: The part of the picture, softened.
        pips: Light pips and dark pips.
        view: The camera and the dice's common edge.
        faces: Top faces of the dice.
        squares: Positions of the faces.
        quads_px: Shape (N, 4, 2), corners of the faces.
        crops: Shape (N, STANCE_PX, STANCE_PX, 3), each die with its surroundings, as the stance net takes them.
        inside_px: Shape (N,), how far inside the floor's outline each is; negative outside.
        solid: Shape (N,), whether each is surely a die.
        doubtful: Shape (N,), whether what it shows leaves a doubt, so that it is looked at closely.
        values: Shape (N,), the greatest share that the face reader gives to a value of each.
        leans_px: Shape (N, 2), from the middle of each to that of its bottom, as the face reader sees it.
    """

    picture: ImagePyramid
    soft: Soft
    pips: tuple[Pips, Pips]
    view: SizedView
    faces: Sequence[Face]
    squares: Squares
    quads_px: FloatArray
    crops: ImageBgr
    inside_px: FloatArray
    solid: npt.NDArray[np.bool_]
    doubtful: npt.NDArray[np.bool_]
    values: F32
    leans_px: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Stand:
    """How one die stands, and why.

    Attributes:
        standing: `COCKED`, `STACKED`, or None where nothing speaks against its lying flat.
        shares: Shape (3,), shares of lying flat, leaning, and lying on another die, from the nets and from its pips.
        shows: Shape (7,), shares of the values 1 to 6 and of no top face, for a die that was looked at closely; None
            for others.
        outline_px: Shape (8, 2), the corners of top and bottom that a die lying flat would have there.
        beside: Rows of the dice that lie near it.
    """

    standing: Unread | None
    shares: F32
    shows: F32 | None
    outline_px: FloatArray
    beside: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """How a picture's dice stand.

    Attributes:
        stands: How each die stands, in the order of the dice.
        leans: Leans of what surely is a die on the floor: they show how the camera is held.
    """

    stands: tuple[Stand, ...] = ()
    leans: Leans = field(default_factory=lambda: Leans.of_all(()))


@dataclass(frozen=True, slots=True, eq=False)
class NetSights:
    """What the nets say of N dice.

    Attributes:
        shares: Shape (N, 3), how each stands, as in `Stand`.
        worst: Shape (N,), the share of lying flat from the net that gives less of it.
        shows: What the dice show that were looked at closely, as in `Stand`, by their row.
        departs: Shape (N,), how far the leans of the dice in `shows` depart from a flat die's, in edges; 0 for the
            others.
    """

    shares: F32
    worst: F32
    shows: dict[int, F32]
    departs: FloatArray


def contested_dice(shares: F32, worst: F32, params: StandingParams) -> npt.NDArray[np.bool_]:
    """Which dice do not lie flat in the eyes of one net, while the other is not so sure that they do as to outweigh it.

    Args:
        shares: Shape (N, 3), as in `Stand`.
        worst: Shape (N,), the least that a net leaves to lying flat.
        params: The tunables.

    Returns:
        Shape (N,).
    """
    contested: npt.NDArray[np.bool_] = (worst <= 1.0 - params.one_net) & (shares[:, FLAT] <= 1.0 - params.contested)
    return contested


def far_departures(departs: FloatArray, shares: F32, params: StandingParams) -> npt.NDArray[np.bool_]:
    """Which dice's leans depart from flat ones' by so much that it counts beside what the nets say.

    Args:
        departs: Shape (N,), by how much, in edges.
        shares: Shape (N, 3), as in `Stand`.
        params: The tunables.

    Returns:
        Shape (N,).
    """
    far: npt.NDArray[np.bool_] = departs >= np.where(
        shares[:, LEANING] >= params.some_leaning, params.some_departure, params.departure
    )
    return far


class StandingJudge:
    """Judges which dice do not lie flat; threads may share one."""

    def __init__(self, params: StandingParams) -> None:
        """Load the nets.

        Raises:
            VisionError: Their weights are missing.
        """
        self._params = params
        self._net = StanceReader()
        self._close = CloseReader()
        self._lean = LeanReader()

    def judge(self, dice: Lying) -> Standing:
        """Judge each die.

        Args:
            dice: What lies in the tray's part of the picture.

        Returns:
            How each die stands, in their order, and how they lean.
        """
        if not dice.faces:
            return Standing()
        params = self._params
        centers, edges = dice.squares.center_xy, dice.squares.edge_px
        away = np.sqrt(squared_distances(centers, centers)) / edges[:, None]
        np.fill_diagonal(away, np.inf)
        known = self._known(dice, away)
        votes = known & (dice.inside_px > -0.5 * edges)
        seen_leans = Leans.of(centers[votes], dice.leans_px[votes], dice.view)
        pose = pose_of(seen_leans, dice.view, params.pose)
        flat = pose.flat_leans(centers)
        blocks = block_of(dice.quads_px, flat)
        beside = known & (away < params.near)
        nets = self._look(dice, flat, blocks, beside)
        shares = nets.shares
        seen = Seen(dice.picture.whole_bgr, dice.faces, dice.squares, dice.pips)
        odds = odds_of_standing(seen, known, pose, params.pips)
        weigh_in(shares, odds, params.pips)
        closely = np.array(list(nets.shows), np.intp)
        shares[closely, LEANING] *= odds_of_leaning(nets.departs[closely], params.lean)
        shares /= shares.sum(axis=1, keepdims=True)
        is_clear = odds[:, LEANING:].max(axis=1) >= params.clear_odds
        signs = far_departures(nets.departs, shares, params)
        doubtful = shares[:, FLAT] < 1.0 - params.doubt
        if doubtful.any():
            signs |= self._signs(dice)
        cocked = (shares[:, LEANING] >= params.leaning) | (doubtful & signs)
        cocked |= (shares[:, FLAT] <= 1.0 - params.surely_not_flat) & (shares[:, LEANING] >= params.half_leaning)
        stacked = shares[:, STACKED] >= params.surely_stacked
        propped = (shares[:, FLAT] <= 1.0 - params.not_flat) & is_clear & ~cocked & ~stacked
        leans = shares[:, LEANING] > shares[:, STACKED]
        cocked |= propped & leans
        stacked |= propped & ~leans
        contested = contested_dice(shares, nets.worst, params) & ~cocked & ~stacked
        stacked |= contested & (shares[:, STACKED] >= shares[:, LEANING])
        cocked |= contested & ~stacked
        stands = tuple(
            Stand(
                standing=Unread.STACKED if stacked[i] else Unread.COCKED if cocked[i] else None,
                shares=shares[i],
                shows=nets.shows.get(i),
                outline_px=blocks[i],
                beside=tuple(np.flatnonzero(beside[i]).tolist()),
            )
            for i in range(len(blocks))
        )
        return Standing(stands, seen_leans)

    def _known(self, dice: Lying, away: FloatArray) -> npt.NDArray[np.bool_]:
        """Which are surely dice beside the others; of one that another lies on too little shows to be read.

        Args:
            dice: All of them.
            away: Shape (N, N), how far each is from the others, in its own edges.
        """
        crowded = ((away < self._params.side_by_side) & dice.solid).any(axis=1)
        alone = np.array([face.has_lattice for face in dice.faces]) & ~crowded
        known: npt.NDArray[np.bool_] = (dice.values >= self._params.readable) & (dice.solid | alone)
        return known

    def _look(self, dice: Lying, flat: FloatArray, blocks: FloatArray, beside: npt.NDArray[np.bool_]) -> NetSights:
        """Ask the nets; `beside`, shape (N, N), says which others lie near each die."""
        params = self._params
        of, others = np.nonzero(beside)
        shown = flat * params.generous
        shares = self._net.look_at(dice.crops, dice.squares, shown, Beside(of, blocks[others]))
        worst, departs = shares[:, FLAT].copy(), np.zeros(len(shares))
        asked = np.flatnonzero((shares[:, FLAT] < 1.0 - params.closer) | dice.doubtful)
        if not len(asked):
            return NetSights(shares, worst, {}, departs)
        of, others = np.nonzero(beside[asked])
        near = Beside(of, blocks[others])
        squares = dice.squares.some(asked)
        crops = cut_out(dice.picture, squares, CLOSE_PX, CLOSE_SPAN)[0]
        sights = self._close.look_at(crops, squares, shown[asked], near)
        worst[asked] = np.minimum(worst[asked], sights.stances[:, FLAT])
        both = np.sqrt(shares[asked] * sights.stances)
        shares[asked] = both / both.sum(axis=1, keepdims=True)
        leans = self._lean.look_at(crops, squares, near)
        leans += params.lean.face * (dice.leans_px[asked] - leans)
        departs[asked] = departures(flat[asked], leans, dice.view)
        return NetSights(shares, worst, dict(zip(asked.tolist(), sights.values, strict=True)), departs)

    def _signs(self, dice: Lying) -> npt.NDArray[np.bool_]:
        """For each die whether its outline or its sides' pips are none of a flat die."""
        return np.array(find_cocked(dice.soft, dice.faces, dice.pips, dice.view, self._params.cocked), np.bool_)
