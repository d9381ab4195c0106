"""Whether each die lies flat: a net's word, what a flat die cannot show, and what shows beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from vision.beside import BesideParams, FloorColour, foreign_area
from vision.cocked import CockedParams, SizedView, departures, find_cocked, find_overlapping, flat_leans
from vision.faces import Face
from vision.frame import FloatArray
from vision.materials import F32
from vision.net import FaceSight
from vision.pips import Pips
from vision.reading import Unread
from vision.shrink import Halves
from vision.soft import Soft
from vision.stage import Stage
from vision.stance import LEANING, STACKED, StanceReader, TopFace


@dataclass(frozen=True, slots=True)
class StandingParams:
    """What counts as not lying flat; shares are the stance net's, 0 to 1.

    Attributes:
        cocked: What a flat die cannot show.
        beside: What shows beside it.
        again: A die that is flat with a share less than 1 by this is looked at four times, a quarter turn apart.
        leaning: Least share of leaning for a die to be cocked.
        stacked: Least share of lying on another,
        foreign: if so large a patch beside it, in square edges, is neither floor nor another die.
        readable: Least share of a value for a die to be another one that lies beside it.
        side_by_side: Two dice side by side are at least this far apart, in edges; a die and one below it are nearer.
        doubt: Where the net leaves this share to not lying flat, other signs count:
        departure: sides that show this much otherwise than a flat die's, in edges,
            or what `find_cocked` finds.
    """

    cocked: CockedParams = field(default_factory=CockedParams)
    beside: BesideParams = field(default_factory=BesideParams)
    again: float = 0.2
    leaning: float = 0.5
    stacked: float = 0.5
    foreign: float = 0.018
    readable: float = 0.6
    side_by_side: float = 0.93
    doubt: float = 0.3
    departure: float = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """Dice in a part of a picture, in its pixels.

    Attributes:
        picture: The part, with its halves.
        soft: The part, softened.
        pips: Light ones, dark ones.
        view: The camera, and the dice's common edge.
        faces: Their top faces.
        solid: Shape (N,), whether each is surely a die.
        sights: What the face reader saw of each.
    """

    picture: Halves
    soft: Soft
    pips: tuple[Pips, Pips]
    view: SizedView
    faces: Sequence[Face]
    solid: npt.NDArray[np.bool_]
    sights: Sequence[FaceSight]


@dataclass(frozen=True, slots=True, eq=False)
class Stand:
    """How one die stands, and why.

    Attributes:
        standing: `COCKED`, `STACKED`, or None where nothing speaks against its lying flat.
        shares: Shape (3,), the net's: flat, leaning, on another die.
        outline_px: Shape (8, 2), the corners of top and bottom that a die lying flat would have there.
    """

    standing: Unread | None
    shares: F32
    outline_px: FloatArray


class StandingJudge:
    """Tells which dice do not lie flat. Not to be shared between threads: its net keeps its buffers."""

    def __init__(self, params: StandingParams) -> None:
        """Load the net.

        Raises:
            VisionError: Its weights are missing.
        """
        self._params = params
        self._net = StanceReader()

    def judge(self, stage: Stage, dice: Lying) -> tuple[Stand, ...]:
        """Judge each die.

        Args:
            stage: The tray.
            dice: What lies in its part of the picture.

        Returns:
            How each die stands, in their order.
        """
        if not dice.faces:
            return ()
        params = self._params
        centers = np.array([face.center_xy for face in dice.faces])
        edges = np.array([face.edge_px for face in dice.faces])
        leans = np.array([sight.lean_px for sight in dice.sights])
        flat = flat_leans(centers, leans, dice.view, params.cocked)
        shares = self._shares(dice.picture, dice.faces, flat)
        overlapping = np.zeros(len(centers), dtype=np.bool_)
        overlapping[dice.solid] = find_overlapping(centers[dice.solid], edges[dice.solid], params.cocked)
        signs = departures(flat, leans, dice.view) >= params.departure
        doubtful = shares[:, 0] < 1.0 - params.doubt
        if doubtful.any():
            signs |= self._signs(dice)
        cocked = (shares[:, LEANING] >= params.leaning) | (doubtful & signs)
        stacked = shares[:, STACKED] >= params.stacked
        outlines = [
            np.concatenate([face.quad_px, face.quad_px + way]) for face, way in zip(dice.faces, flat, strict=True)
        ]
        if stacked.any():
            stacked &= self._foreign(stage, dice, outlines, stacked) >= params.foreign
        stacked |= overlapping
        return tuple(
            Stand(Unread.STACKED if stacked[i] else Unread.COCKED if cocked[i] else None, shares[i], outlines[i])
            for i in range(len(outlines))
        )

    def _shares(self, picture: Halves, faces: Sequence[Face], flat: FloatArray) -> F32:
        """What the net says of each die."""
        tops = [
            TopFace(face.center_xy, face.edge_px, float(np.arctan2(face.axis_xy[1], face.axis_xy[0])), way)
            for face, way in zip(faces, flat, strict=True)
        ]
        shares = self._net.look_at(picture, tops)
        unsure = np.flatnonzero(shares[:, 0] < 1.0 - self._params.again)
        turned = [
            replace(tops[i], angle_rad=tops[i].angle_rad + quarters * 0.5 * np.pi)
            for i in unsure
            for quarters in (1, 2, 3)
        ]
        more = self._net.look_at(picture, turned).reshape(-1, 3, 3)
        shares[unsure] = (shares[unsure] + more.sum(axis=1)) / 4.0
        return shares

    def _signs(self, dice: Lying) -> npt.NDArray[np.bool_]:
        """For each die whether its outline or its sides' pips are none of a flat die."""
        read = [i for i, face in enumerate(dice.faces) if face.contrast > 0.0]
        found = find_cocked(dice.soft, [dice.faces[i] for i in read], dice.pips, dice.view, self._params.cocked)
        signs = np.zeros(len(dice.faces), dtype=np.bool_)
        signs[read] = found
        return signs

    def _foreign(
        self, stage: Stage, dice: Lying, outlines: list[FloatArray], asked: npt.NDArray[np.bool_]
    ) -> FloatArray:
        """Size of what shows beside each die that is asked about, in square edges; 0 for the others."""
        params = self._params
        floor = FloorColour.of(stage.part_bgr, stage.floor, stage.left_top, params.beside)
        # Of a die that another lies on too little shows to be read.
        sure = [
            solid and float(sight.probabilities[:6].max()) >= params.readable
            for solid, sight in zip(dice.solid, dice.sights, strict=True)
        ]
        areas = np.zeros(len(outlines))
        for i in (int(k) for k in np.flatnonzero(asked)):
            face = dice.faces[i]
            others = [
                outline
                for k, outline in enumerate(outlines)
                if sure[k] and k != i and _apart(face, dice.faces[k]) > params.side_by_side
            ]
            areas[i] = foreign_area(stage.part_bgr, outlines[i], face.edge_px, others, floor)
        return areas


def _apart(one: Face, other: Face) -> float:
    """Distance of two top faces' middles, in edges."""
    return float(np.hypot(*(one.center_xy - other.center_xy))) / one.edge_px
