"""The reader: one picture in, every die out, each stage timed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from vision.classification.die_net import NO_PIPS
from vision.colour.classes import STANDARD_COLOURS
from vision.colour.decision import colour_classes
from vision.colour.features import Classes
from vision.colour.light import is_colourless, light_of, white_pips
from vision.colour.top_faces import TopFace, measure_tops
from vision.decision.camera_moved import is_moved, located_move
from vision.decision.decide import Believed, load_decision
from vision.decision.own_faces import OwnFaces
from vision.detection.squares import Squares, quads_of
from vision.geometry.neighbours import IntArray
from vision.imaging.pyramid import ImagePyramid, thinned
from vision.imaging.softened import soften
from vision.pipeline.looker import Looked, Looker
from vision.pipeline.own_dice import OwnDiceReader
from vision.pipeline.polyhedra import once_each
from vision.tray.floor import Floor
from vision.tray.landmarks import Landmarks
from vision.tray.profile import Profile
from vision.tray.scene_floor import prepare
from vision.tray.stage import FLOOR_SLACK, Moved, Stage, set_stage
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import DieReading, PointPx, Problem, TrayReading, Unread

_SOFT_SIGMA = 0.036
"""Blur of the copy in which colours are measured, in edges."""
_HIDDEN = 0.6
"""Least visible share of a doubtful die's top; with less it is reported as occluded."""
_FLAT = 0.6
"""Least share of lying flat for which a taught face is trusted."""
_OUTSIDE = 0.5
"""Probability of being a die from which a place beyond the tray's floor is reported."""
_MOSTLY = 0.75
"""Share of the dice beyond an unsure floor from which the floor is rejected. A cord across a tray leaves more
within.
"""
_DARK_LEVEL = 7.0
"""Mean brightness of the floor, grey levels, below which a picture is too dark to trust."""
_BRIGHT_SHARE = 0.6
"""Greatest share of the floor that may be burnt out."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A reading and its intermediate results."""

    stage: Stage | None  # the part of the picture that was searched; None if no tray was looked for or found
    looked: Looked
    believed: Believed
    tops: tuple[TopFace, ...]  # colours of the reported dice, in their order; their centres in pixels of that part
    light: FloatArray  # shape (3,): divide colours by it to get them as under a white lamp of the usual strength
    reading: TrayReading


class Reader:
    """Reads pictures of dice.

    It stores nothing of earlier pictures: the same picture gives the same reading, and threads may share one reader.
    """

    def __init__(
        self,
        profile: Profile | None = None,
        colours: Mapping[str, str] | None = None,
        tray: bool = True,
        faces: OwnFaces | None = None,
        suggests_numerals: bool = False,
    ) -> None:
        """Create a reader.

        Args:
            colours: Class label to colour name, for classes that no profile has measured; None for the standard ones.
            tray: False for a photograph of dice lying anywhere: no tray is looked for, and trust does not depend on
                colour.
            suggests_numerals: Whether unknown faces get the value of the numeral that they look like, in doubt.

        Raises:
            VisionError: A net's weights are missing.
        """
        self._profile = profile
        self._landmarks = None if profile is None else Landmarks.of_profile(profile)
        palette = () if profile is None else profile.palette
        self._classes = (
            Classes.measured(palette) if palette else Classes.named(STANDARD_COLOURS if colours is None else colours)
        )
        self.labels = self._classes.labels
        self._looks_for_tray = tray
        self._looker = Looker(profile)
        self._own_dice = OwnDiceReader(faces, suggests_numerals=suggests_numerals)
        self._anywhere = load_decision("anywhere")
        self._in_tray = load_decision("tray" if profile is None else "known tray")
        if tray:
            prepare()

    def read(self, image_bgr: ImageBgr, known_floor: Floor | None = None) -> TrayReading:
        """Read one picture.

        Args:
            known_floor: The floor of an earlier picture by the same camera, if nothing has moved since; used if neither
                a profile nor this picture shows it.

        Returns:
            Every visible die, and whether all of it can be trusted. If no tray is found that is a problem, and the dice
            are read as lying anywhere.

        Raises:
            UnknownColour: The reader was created with an unknown colour name.
            BadProfile: The picture has another shape than the profile's pictures.
        """
        return self.trace(image_bgr, known_floor).reading

    def trace(self, image_bgr: ImageBgr, known_floor: Floor | None = None) -> Trace:
        """Read one picture and return what each stage found.

        Raises:
            UnknownColour: As `read` does.
            BadProfile: As `read` does.
        """
        clock = _Clock()
        stage = None
        if self._looks_for_tray:
            stage = set_stage(image_bgr, self._profile, known_floor, self._moved(image_bgr))
            clock.lap("floor")
        if stage is not None:
            trace = self._traced(image_bgr, stage, self._looker.look_in(stage, clock.lap), clock)
            if stage.floor.sure or not self._are_mostly_outside(trace.reading.dice):
                return trace
        looked = self._looker.look_anywhere(ImagePyramid(image_bgr), clock.lap)
        return self._traced(image_bgr, None, looked, clock)

    def _moved(self, image_bgr: ImageBgr) -> Moved | None:
        """Return how the camera was moved since calibration; None without a profile, and if it was not."""
        found = None if self._landmarks is None else self._landmarks.find(image_bgr)
        return None if found is None or not is_moved(found) else Moved(located_move(found))

    def _traced(self, image_bgr: ImageBgr, stage: Stage | None, looked: Looked, clock: "_Clock") -> Trace:
        """Make the reading; without a tray colours are reported if they fit, and trust does not depend on them."""
        decision = self._anywhere if stage is None else self._in_tray
        believed = decision.weigh(looked.found, looked.sights, looked.tray)
        beyond = np.zeros(len(believed.found), np.bool_)
        if stage is not None and believed.tray is not None:
            beyond = believed.tray.inside < -FLOOR_SLACK
        polyhedra = self._own_dice.polyhedra
        least = decision.shown if polyhedra is None else min(decision.shown, polyhedra.shown)
        rows = np.flatnonzero(believed.is_die >= np.where(beyond, _OUTSIDE, least))
        squares = believed.found.some(rows).squares
        tops, light = self._measured(looked.picture, squares, believed.values[rows], stage)
        colours = (None,) * len(tops) if is_colourless(looked.picture.whole_bgr) else self.classes_of(tops, light)
        corner = np.zeros(2) if stage is None else stage.left_top
        dice = []
        for row, quad, colour in zip(rows.tolist(), quads_of(squares) + corner, colours, strict=True):
            value, unread = self._value_of(believed, decision.trusted, row)
            if beyond[row]:
                unread = Unread.OUTSIDE_FLOOR
            elif unread is None and colour is None and stage is not None:
                unread = Unread.COLOUR_UNCLEAR
            shown = quad if stage is None else np.concatenate([quad, stage.view.bottom_quad_px(quad)])
            low, high = shown.min(axis=0).tolist(), shown.max(axis=0).tolist()
            x, y = quad.mean(axis=0).tolist()
            dice.append(
                DieReading(
                    colour=colour,
                    value=value,
                    confidence=round(float(believed.is_right[row]), 3),
                    unread=unread,
                    center_px=(x, y),
                    box_px=(low[0], low[1], high[0] - low[0], high[1] - low[1]),
                    top_quad_px=_quad(quad),
                )
            )
        clock.lap("colour")
        is_whole = (believed.sights.seen[rows] >= _HIDDEN) & ~beyond[rows]
        is_flat = is_whole if believed.tray is None else believed.tray.stances[rows, 0] >= _FLAT
        embeddings, in_tray = believed.sights.embedding[rows], stage is not None
        dice = self._own_dice.read_again(
            dice, looked.picture, squares, embeddings, is_flat=is_flat, is_whole=is_whole, in_tray=in_tray
        )
        if polyhedra is not None:
            is_known = beyond[rows] | (believed.is_die[rows] >= decision.shown)
            dice, kept = once_each(dice, squares, is_known)
            tops = [tops[k] for k in kept]
        clock.lap("faces")
        problems = self._problems(image_bgr, stage)
        trusted = not problems and all(die.value is not None and die.unread is None for die in dice)
        height, width = image_bgr.shape[:2]
        reading = TrayReading(width, height, tuple(dice), problems, trusted, clock.total_ms, clock.laps)
        return Trace(stage, looked, believed, tuple(tops), light, reading)

    def _value_of(self, believed: Believed, trusted: float, row: int) -> tuple[int | None, Unread | None]:
        """Return the value of the die at a place, and why it must not be trusted."""
        shares, is_sure = believed.sights.shares[row], believed.is_right[row] >= trusted
        # In trays the decision has learned what signs other than pips look like.
        shows_pips = shares[:6].max() > shares[NO_PIPS] or (is_sure and believed.tray is not None)
        value = int(believed.values[row]) if shows_pips else None
        if value is not None and is_sure:
            return value, None
        if believed.tray is not None and believed.stands_oddly[row]:
            _, leaning, stacked = believed.tray.stances[row]
            return value, Unread.STACKED if stacked > leaning else Unread.COCKED
        hidden = believed.sights.seen[row] < _HIDDEN
        return value, Unread.OCCLUDED if hidden else Unread.PIPS_UNCLEAR

    def _measured(
        self, picture: ImagePyramid, squares: Squares, values: IntArray, stage: Stage | None
    ) -> tuple[list[TopFace], FloatArray]:
        """Measure the colours of tops, and the light on them."""
        if not len(squares.edge_px):
            return [], np.ones(3)
        soft = soften(picture, float(np.median(squares.edge_px)), _SOFT_SIGMA)
        lights = None if stage is None else stage.lights_around(squares.center_xy, squares.edge_px)
        tops = measure_tops(soft, squares, values, lights)
        if stage is not None and self._profile is not None:
            return tops, stage.gain
        return tops, light_of(white_pips([top for top in tops if top.shows_pips and not top.dark]))

    def classes_of(self, tops: Sequence[TopFace], light: FloatArray) -> Sequence[str | None]:
        """Return the colour class of each top in such a light, if one fits."""
        return colour_classes(tops, light, self._classes)

    def _are_mostly_outside(self, dice: Sequence[DieReading]) -> bool:
        """Return whether hardly any of some dice are on the floor, so that it was misdetected."""
        outside = sum(die.unread is Unread.OUTSIDE_FLOOR for die in dice)
        return outside > _MOSTLY * len(dice)

    def _problems(self, image_bgr: ImageBgr, stage: Stage | None) -> tuple[Problem, ...]:
        if stage is None and self._looks_for_tray:
            return (Problem.NO_TRAY,)
        if stage is not None and stage.is_moved:
            return (Problem.CAMERA_MOVED,)
        small = thinned(image_bgr if stage is None else stage.part_bgr, 9)
        if sum(cv2.mean(small)[:3]) < 3.0 * _DARK_LEVEL:
            return (Problem.TOO_DARK,)
        burnt = cv2.inRange(small, (250, 250, 250), (255, 255, 255))
        if cv2.countNonZero(burnt) > _BRIGHT_SHARE * burnt.size:
            return (Problem.TOO_BRIGHT,)
        return ()


class _Clock:
    """Times the stages of one reading."""

    def __init__(self) -> None:
        self._ends = [("", time.perf_counter())]

    def lap(self, stage: str) -> None:
        """End a stage."""
        self._ends.append((stage, time.perf_counter()))

    @property
    def total_ms(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self._ends[0][1]) * 1e3

    @property
    def laps(self) -> tuple[tuple[str, float], ...]:
        """Stages and their milliseconds, in order."""
        return tuple((stage, (end - start) * 1e3) for (_, start), (stage, end) in pairwise(self._ends))


def _quad(corners: FloatArray) -> tuple[PointPx, PointPx, PointPx, PointPx]:
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners.tolist())
    return first, second, third, fourth
