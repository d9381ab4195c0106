"""The reader: one picture in, every die out, each stage timed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.colour.classes import STANDARD_COLOURS
from vision.decision.left_out import LeftOut
from vision.decision.verdict import Verdict
from vision.detection.faces import Face
from vision.detection.squares import Squares
from vision.detection.tray_detector import Detections, Detector, DetectorParams
from vision.imaging.pyramid import thinned
from vision.pipeline.photo_reader import PhotoDice, PhotoParams, PhotoReader
from vision.pipeline.recogniser import RecognisedDice, Recogniser, RecogniserParams
from vision.standing.judge import Standing
from vision.tray.floor import Floor
from vision.tray.floor_search import prepare
from vision.tray.own_things import is_one_of
from vision.tray.profile import Profile
from vision.tray.stage import Stage, StageParams, set_stage
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import DieReading, PointPx, Problem, TrayReading, Unread


@dataclass(frozen=True, slots=True)
class ReaderParams:
    """The tunables of every stage.

    Attributes:
        stage: Parameters of the stage: where to look.
        detector: Parameters of the detector: what may be a die.
        recogniser: Parameters of the recogniser: what is a die, and what it shows.
        photo: Parameters of reading pictures in which no tray is looked for.
        dark_level: Mean brightness of the floor, grey levels, under which a picture is too dark to trust.
        bright_share: Greatest share of the floor that may be burnt out.
        denied: Distance, in edges, within which a die that was left out is one that was doubted and denied.
    """

    stage: StageParams = field(default_factory=StageParams)
    detector: DetectorParams = field(default_factory=DetectorParams)
    recogniser: RecogniserParams = field(default_factory=RecogniserParams)
    photo: PhotoParams = field(default_factory=PhotoParams)
    dark_level: float = 7.0
    bright_share: float = 0.6
    denied: float = 0.75


class Reader:
    """Reads pictures of dice.

    Holds no memory of earlier pictures: the same picture gives the same reading, and threads may share one reader.
    """

    def __init__(
        self,
        profile: Profile | None = None,
        colours: Mapping[str, str] | None = None,
        tray: bool = True,
        params: ReaderParams | None = None,
        *,
        seeks_left_out: bool = True,
    ) -> None:
        """Set a reader up.

        Args:
            profile: The tray's calibration, or None: the tray is found in each picture.
            colours: Class label to colour name, for classes that no profile has measured; None for the standard ones.
            tray: False for a photograph of dice lying anywhere: no tray is looked for, colour is no part of trust.
            params: Tunables.
            seeks_left_out: Whether dice are looked for that were left out, where a reading would be trusted; False for
                who fits what counts as one.

        Raises:
            VisionError: A net's weights are missing.
        """
        self._profile = profile
        self._params = params or ReaderParams()
        names = dict(STANDARD_COLOURS if colours is None else colours)
        self._looks_for_tray = tray
        # Where no tray is found, its dice are read like those of any photograph.
        self._photos = PhotoReader(names, self._params.photo)
        if tray:
            self._detector = Detector(profile, self._params.detector)
            self._recogniser = Recogniser(profile, names, self._params.recogniser)
            self._left_out = LeftOut() if seeks_left_out else None
            prepare()

    def read(self, image_bgr: ImageBgr, known_floor: Floor | None = None) -> TrayReading:
        """Read one picture.

        Args:
            image_bgr: Shape (H, W, 3), uint8.
            known_floor: Where the floor was in an earlier picture by the same camera, if nothing has moved since: used
                where neither a profile nor this picture shows it.

        Returns:
            Every die seen, and whether all of it can be trusted. Where no tray was found that is a problem, and the
            dice are read as lying anywhere.

        Raises:
            UnknownColour: The reader was given a colour name that nobody knows.
            BadProfile: The picture has another shape than those the profile was made from.
        """
        return self.trace(image_bgr, known_floor).reading

    def trace(self, image_bgr: ImageBgr, known_floor: Floor | None = None) -> "Trace":
        """Read one picture and keep what each stage found, for people who want to see it.

        Args:
            image_bgr: Shape (H, W, 3), uint8.
            known_floor: As `read` has it.

        Raises:
            UnknownColour: As `read` does.
            BadProfile: As `read` does.
        """
        clock = _Clock()
        height, width = image_bgr.shape[:2]
        if not self._looks_for_tray:
            return self._traced_photo(image_bgr, (), clock)
        stage = set_stage(image_bgr, self._profile, self._params.stage, known_floor)
        clock.lap("floor")
        if stage is None:
            return self._traced_photo(image_bgr, (Problem.NO_TRAY,), clock)
        detections = self._detector.detect(stage, clock.lap)
        dice = self._recogniser.recognise(stage, detections, clock.lap)
        reported = self._reported(dice, stage)
        clock.lap("colour")
        if not stage.floor.sure and _are_mostly_outside(reported):
            return self._traced_photo(image_bgr, (Problem.NO_TRAY,), clock)
        problems = self._problems(stage.part_bgr)
        trusted = not problems and all(
            die.value is not None and die.unread is None and die.colour is not None for die in reported
        )
        if trusted and self._left_out is not None:
            left_out = self._found_left_out(self._left_out, stage, detections, dice, reported)
            clock.lap("left out")
            reported, trusted = (*reported, *left_out), not left_out
        reading = TrayReading(width, height, reported, problems, trusted, clock.total_ms, clock.laps)
        return Trace(stage, detections, dice.faces, dice.standing, reading)

    def _traced_photo(self, image_bgr: ImageBgr, problems: tuple[Problem, ...], clock: "_Clock") -> "Trace":
        """A picture of dice lying anywhere: colours are reported where they fit, and are no part of trust.

        Args:
            image_bgr: Shape (H, W, 3).
            problems: What is known to be wrong with it; none: its light is looked at.
            clock: Running.
        """
        height, width = image_bgr.shape[:2]
        photo = self._photos.read(image_bgr, clock.lap)
        problems = problems or self._problems(image_bgr)
        trusted = not problems and all(die.value is not None and die.unread is None for die in photo.dice)
        reading = TrayReading(width, height, photo.dice, problems, trusted, clock.total_ms, clock.laps)
        return Trace(None, None, (), Standing(), reading, photo)

    def _reported(self, dice: RecognisedDice, stage: Stage) -> tuple[DieReading, ...]:
        """Dice as they are reported, in the whole picture's pixels."""
        quads = dice.quads_px + stage.left_top
        hulls = np.concatenate([quads, stage.view.bottom_quad_px(quads)], axis=1)
        low, high = hulls.min(axis=1), hulls.max(axis=1)
        boxes = np.concatenate([low, high - low], axis=1).tolist()
        places = zip((dice.centers_xy + stage.left_top).tolist(), boxes, quads.tolist(), strict=True)
        reported = []
        for verdict, colour, ((x, y), box, quad) in zip(dice.verdicts, dice.colours, places, strict=True):
            unread = verdict.unread
            if unread is None and colour is None:
                unread = Unread.COLOUR_UNCLEAR
            reported.append(
                DieReading(
                    colour=colour,
                    value=verdict.value,
                    confidence=round(min(max(verdict.confidence, 0.0), 1.0), 3),
                    unread=unread,
                    center_px=(x, y),
                    box_px=(box[0], box[1], box[2], box[3]),
                    top_quad_px=_quad(quad),
                )
            )
        return tuple(reported)

    def _found_left_out(
        self,
        seeker: LeftOut,
        stage: Stage,
        detections: Detections,
        recognised: RecognisedDice,
        reported: Sequence[DieReading],
    ) -> tuple[DieReading, ...]:
        """Dice that are not among those reported: most have but a part in view.

        What was doubted and then denied stays in doubt for its own reason where the detector sees a die all the same.
        """
        tops, edge_px = reported_tops(stage, reported)
        half = 0.5 * edge_px * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        dice = []
        for place in seeker.find(stage.part, tops, edge_px, stage.inside_px).center_xy:
            if is_one_of(detections.own, place[0], place[1], self._params.detector.things):
                continue
            near = [one for one in recognised.denied if np.hypot(*(one[0] - place)) < self._params.denied * edge_px]
            middle, verdict = near[0] if near else (place, _HIDDEN)
            x, y = (middle + stage.left_top).tolist()
            dice.append(
                DieReading(
                    colour=None,
                    value=verdict.value,
                    confidence=round(verdict.confidence, 3),
                    unread=verdict.unread,
                    center_px=(x, y),
                    box_px=(x - edge_px / 2, y - edge_px / 2, edge_px, edge_px),
                    top_quad_px=_quad(half + np.array([x, y])),
                )
            )
        return tuple(dice)

    def _problems(self, image_bgr: ImageBgr) -> tuple[Problem, ...]:
        small = thinned(image_bgr, 9)
        if sum(cv2.mean(small)[:3]) < 3.0 * self._params.dark_level:
            return (Problem.TOO_DARK,)
        burnt = cv2.inRange(small, (250, 250, 250), (255, 255, 255))
        if cv2.countNonZero(burnt) > self._params.bright_share * burnt.size:
            return (Problem.TOO_BRIGHT,)
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A reading and how it came about; no stage, no detections and no faces where no tray was found.

    Attributes:
        stage: The part of the picture that was searched.
        detections: What may be dice there.
        faces: Top faces of the reported dice, without those that were left out at first, in their order, in pixels of
            the stage's part of the picture.
        standing: How every place that may be a die stands.
        reading: The reading that is reported.
        photo: What was made of a picture in which no tray was looked for or found.
    """

    stage: Stage | None
    detections: Detections | None
    faces: tuple[Face, ...]
    standing: Standing
    reading: TrayReading
    photo: PhotoDice | None = None

    @property
    def sure_faces(self) -> list[Face]:
        """The top faces of the dice whose value is beyond doubt, whatever their colour, in the picture's pixels.

        Those of which no lattice was read have no contrast, and nothing is known of their pips.
        """
        if self.stage is None:
            return []
        return [
            replace(face, center_xy=face.center_xy + self.stage.left_top)
            # Dice that were left out at first come last, and have no face.
            for face, die in zip(self.faces, self.reading.dice, strict=False)
            if die.unread in {None, Unread.COLOUR_UNCLEAR}
        ]


def reported_tops(stage: Stage, dice: Sequence[DieReading]) -> tuple[Squares, float]:
    """Where the tops of reported dice are in the stage's part of the picture, and their usual edge.

    Args:
        stage: Where was looked.
        dice: As they are reported; where there are none, the edge is the expected one.
    """
    quads = np.array([die.top_quad_px for die in dice], np.float64).reshape(-1, 4, 2) - stage.left_top
    sides = quads[:, 1] - quads[:, 0]
    edges = np.hypot(sides[:, 0], sides[:, 1])
    middles = np.array([die.center_px for die in dice], np.float64).reshape(-1, 2) - stage.left_top
    tops = Squares(middles, edges, np.arctan2(sides[:, 1], sides[:, 0]))
    return tops, float(np.median(edges)) if len(edges) else stage.edge_px


class _Clock:
    """Times the stages of one reading."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._laps: list[tuple[str, float]] = []

    def lap(self, stage: str) -> None:
        """End a stage."""
        now = time.perf_counter()
        self._laps.append((stage, (now - self._last) * 1e3))
        self._last = now

    @property
    def total_ms(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self._start) * 1e3

    @property
    def laps(self) -> tuple[tuple[str, float], ...]:
        """Stage and milliseconds, in order."""
        return tuple(self._laps)


_HIDDEN = Verdict(value=None, confidence=0.0, unread=Unread.OCCLUDED)
"""What is believed of a die of which only a part shows."""
_MOSTLY = 0.75
"""An unsure floor that so large a share of the dice lies beyond is none; a cord across a tray leaves more within."""


def _are_mostly_outside(dice: Sequence[DieReading]) -> bool:
    """Whether hardly any of some dice lies on the floor: what was taken for it is none."""
    outside = sum(die.unread is Unread.OUTSIDE_FLOOR for die in dice)
    return outside > _MOSTLY * len(dice)


def _quad(corners: Sequence[Sequence[float]] | FloatArray) -> tuple[PointPx, PointPx, PointPx, PointPx]:
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners)
    return first, second, third, fourth
