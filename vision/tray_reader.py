"""Reads a tray's dice: one net finds them, one reads them, one sees how they stand; what was fitted weighs all that."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.body_colour import colour_classes, is_colourless, white_pips
from vision.classification.die_net import NO_DIE, NO_PIPS, DieReader, DieSights, squares_of
from vision.classification.standing import StandingParams, Stands, judge_standing
from vision.classification.standing_net import LEANING, STACKED, StandingReader
from vision.colour import ColourParams, light_of
from vision.decision.decide import Believed, best_places, load_decision
from vision.decision.features import place_features
from vision.detection.detector import tray_detector
from vision.detection.found import Found
from vision.detection.tray_search import TraySearchParams, find_in_tray
from vision.frame import FloatArray
from vision.near import IntArray
from vision.profile import Profile
from vision.reading import DieReading, PointPx, Unread
from vision.soft import soften
from vision.stage import Stage
from vision.top_faces import Face, measure_tops, quads_of
from vision.tops import Squares
from vision.tray_things import ThingParams, are_there, still_there


@dataclass(frozen=True, slots=True)
class TrayReaderParams:
    """How trays are read.

    Attributes:
        search: At which scale is looked.
        things: What is the tray's own.
        standing: How dice stand.
        colour: Body colour to class.
        refinements: So often a place is told more exactly: the net corrects large errors by halves.
        surely_none: What a first look takes for no die with so large a share is dropped.
        surely: What it takes for one value with so large a share is not looked at again: it saves half of the time.
        soft_sigma: Blur of the copy in which colours are measured, in edges.
        hidden: A doubtful die of whose top a smaller share shows is reported as occluded.
        outside: What lies outside the floor is reported where it is a die with so much belief.
        around: What lies around a die is looked at so far from its middle, in edges.
    """

    search: TraySearchParams = field(default_factory=TraySearchParams)
    things: ThingParams = field(default_factory=ThingParams)
    standing: StandingParams = field(default_factory=StandingParams)
    colour: ColourParams = field(default_factory=ColourParams)
    refinements: int = 2
    surely_none: float = 0.98
    surely: float = 0.97
    soft_sigma: float = 0.036
    hidden: float = 0.6
    outside: float = 0.5
    around: float = 1.15


@dataclass(frozen=True, slots=True, eq=False)
class ObservedTray:
    """What the nets see of N places in a tray, each another die; pixels of the stage's part of the picture.

    Attributes:
        found: Where they are, told exactly.
        sights: What shows there.
        stands: How they stand.
        columns: Shape (N, K), the features of a tray's decision.
        values: Shape (N,), the likeliest values.
    """

    found: Found
    sights: DieSights
    stands: Stands
    columns: FloatArray
    values: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TrayDice:
    """What was made of a tray.

    Attributes:
        believed: Every place that may be a die, and what is believed of it.
        stands: How they stand.
        dice: Those that are likely enough one to be reported, in the whole picture's pixels.
        faces: Their top faces, pixels of the stage's part.
    """

    believed: Believed
    stands: Stands
    dice: tuple[DieReading, ...]
    faces: tuple[Face, ...]


class TrayReader:
    """Finds and reads a tray's dice; threads may share one."""

    def __init__(
        self, profile: Profile | None, colours: Mapping[str, str], params: TrayReaderParams | None = None
    ) -> None:
        """Load the nets and the fitted decision.

        Args:
            profile: The tray's calibration, or None.
            colours: Class label to colour name, for classes that no profile has measured.
            params: See there.

        Raises:
            VisionError: Their files are missing.
        """
        self._profile = profile
        self._colours = colours
        self._params = params or TrayReaderParams()
        self._observer = TrayObserver(profile, self._params)
        self._decision = load_decision("tray")

    def read(self, stage: Stage, lap: Callable[[str], None]) -> TrayDice:
        """Find and read dice.

        Args:
            stage: Where to look.
            lap: Told the name of each part of the work, `find`, `read`, `standing` and `colour`, when it is done.

        Returns:
            The dice, the most believed first.
        """
        seen = self._observer.observe(stage, lap)
        believed = self._decision.weigh(seen.found, seen.sights, seen.columns, seen.values)
        # Beyond the tray all sorts of things lie, of which no picture that was fitted on tells.
        least = np.where(are_outside(stage, seen.found), self._params.outside, self._decision.shown)
        rows = np.flatnonzero(believed.is_die >= least)
        squares = squares_of(believed.found.some(rows))
        faces, colours = self._coloured(stage, squares, believed.values[rows])
        quads = quads_of(squares)
        dice = []
        for row, quad, colour in zip(rows.tolist(), quads, colours, strict=True):
            shares = believed.sights.shares[row]
            value = int(believed.values[row]) if shares[:6].max() > shares[NO_PIPS] else None
            unread = self._doubt(stage, believed, seen.stands, row)
            if unread is None and (value is None or colour is None):
                unread = Unread.PIPS_UNCLEAR if value is None else Unread.COLOUR_UNCLEAR
            hull = np.concatenate([quad, quad + seen.stands.flat_px[row]]) + stage.left_top
            low, high = hull.min(axis=0).tolist(), hull.max(axis=0).tolist()
            x, y = (believed.found.center_xy[row] + stage.left_top).tolist()
            corners: list[PointPx] = [(float(px), float(py)) for px, py in (quad + stage.left_top).tolist()]
            dice.append(
                DieReading(
                    colour=colour,
                    value=value,
                    confidence=round(float(believed.confidence[row]), 3),
                    unread=unread,
                    center_px=(x, y),
                    box_px=(low[0], low[1], high[0] - low[0], high[1] - low[1]),
                    top_quad_px=(corners[0], corners[1], corners[2], corners[3]),
                )
            )
        lap("colour")
        return TrayDice(believed, seen.stands, tuple(dice), faces)

    def _doubt(self, stage: Stage, believed: Believed, stands: Stands, row: int) -> Unread | None:
        """Why a die's value must not be trusted, the plainest reason first; None where it may be."""
        if are_outside(stage, believed.found.some(np.array([row])))[0]:
            return Unread.OUTSIDE_FLOOR
        if believed.is_flat[row] < self._decision.flat:
            shares = stands.shares[row]
            return Unread.STACKED if shares[STACKED] > shares[LEANING] else Unread.COCKED
        if believed.is_right[row] < self._decision.trusted:
            hidden = believed.sights.seen[row] < self._params.hidden
            return Unread.OCCLUDED if hidden else Unread.PIPS_UNCLEAR
        return None

    def _coloured(
        self, stage: Stage, squares: Squares, values: IntArray
    ) -> tuple[tuple[Face, ...], tuple[str | None, ...]]:
        """Top faces and their colour classes; of a picture without colour none."""
        count = len(squares.edge_px)
        if not count:
            return (), ()
        soft = soften(stage.part, float(np.median(squares.edge_px)), self._params.soft_sigma)
        faces = measure_tops(soft, squares, values)
        if is_colourless(stage.part_bgr):
            return tuple(faces), (None,) * count
        params = self._params.colour
        light = stage.gain
        if self._profile is None:
            light_pips = [face for face in faces if face.has_pips and not face.dark]
            light = light_of(white_pips(light_pips, params), params)

        def around(die: int) -> FloatArray:
            return soft.at(_ring(squares, die, self._params.around)) / light

        return tuple(faces), colour_classes(faces, light, self._profile, self._colours, params, around=around)


class TrayObserver:
    """Looks at a tray with the three nets; threads may share one."""

    def __init__(self, profile: Profile | None, params: TrayReaderParams | None = None) -> None:
        """Load the nets.

        Args:
            profile: The tray's calibration, or None.
            params: See there.

        Raises:
            VisionError: Their weights are missing.
        """
        self._profile = profile
        self._params = params or TrayReaderParams()
        self._detector = tray_detector(self._params.search.detector)
        self._reader = DieReader()
        self._standing = StandingReader()

    def observe(self, stage: Stage, lap: Callable[[str], None]) -> ObservedTray:
        """See what may be dice.

        Args:
            stage: Where to look.
            lap: Told the name of each part of the work, `find`, `read` and `standing`, when it is done.
        """
        params, picture = self._params, stage.part
        known = self._profile is not None
        found = find_in_tray(self._detector, picture, stage.edge_px, params.search, is_known=known)
        found = found.some(_insides(stage, found) > -stage.reach_px)
        found = found.some(~self._is_own(stage, found))
        lap("find")
        glance = self._reader.look_at(picture, squares_of(found), turns=1, spans=1)
        rows = np.flatnonzero(glance.shares[:, NO_DIE] < params.surely_none)
        found, sights = found.some(rows), glance.some(rows)
        first = self._standing.look_at(picture, squares_of(found))
        for _ in range(params.refinements - 1):
            first = self._standing.look_at(picture, first.refined)
        found = found.moved(first.refined.center_xy, first.refined.edge_px, first.refined.turn_rad)
        doubtful = np.flatnonzero(sights.shares[:, :6].max(axis=1, initial=0.0) < params.surely)
        sights = sights.with_some(doubtful, self._reader.look_at(picture, first.refined.some(doubtful)))
        kept = best_places(found, sights)
        found, sights = found.some(kept), sights.some(kept)
        lap("read")
        belief = 1 - sights.shares[:, NO_DIE]
        first = first.some(kept)
        stands = judge_standing(self._standing, picture, first, belief, view=stage.view, params=params.standing)
        places = place_features(found, sights)
        columns = np.concatenate([places.columns, stands.columns], axis=1)
        lap("standing")
        return ObservedTray(found, sights, stands, columns, places.values)

    def _is_own(self, stage: Stage, found: Found) -> npt.NDArray[np.bool_]:
        """Which places are what the empty tray had that looks like a die and lies there as it did."""
        if self._profile is None or not self._profile.things:
            return np.zeros(len(found), np.bool_)
        scale = stage.edge_px / self._profile.edge_px
        moved = [thing.moved(scale, stage.left_top) for thing in self._profile.things]
        there = still_there(moved, stage.part_bgr, stage.gain, self._params.things)
        return are_there(there, found.center_xy, self._params.things)


def are_outside(stage: Stage, found: Found) -> npt.NDArray[np.bool_]:
    """Which places lie outside the floor and its walls, shape (N,)."""
    return np.asarray(_insides(stage, found) < -stage.floor_slack * found.edge_px, np.bool_)


def _insides(stage: Stage, found: Found) -> FloatArray:
    """How far inside the floor's outline the middles of places lie, shape (N,), pixels; negative outside."""
    return np.array([stage.inside_px(x, y) for x, y in found.center_xy.tolist()], np.float64)


def _ring(squares: Squares, row: int, away: float) -> FloatArray:
    """Points on a ring around the place in a row, so many edges from its middle; shape (24, 2)."""
    turn = np.arange(24) * (np.pi / 12.0)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * away
    points: FloatArray = squares.center_xy[row] + ring * squares.edge_px[row]
    return points
