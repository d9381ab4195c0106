"""The reader: one picture in, every die out, each stage timed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2

from vision.colour import STANDARD_COLOURS
from vision.floor import Floor
from vision.floor_search import prepare
from vision.frame import ImageBgr
from vision.photo_reader import PhotoDice, PhotoParams, PhotoReader
from vision.profile import Profile
from vision.reading import Problem, TrayReading, Unread
from vision.shrink import thinned
from vision.stage import Stage, StageParams, set_stage
from vision.top_faces import Face
from vision.tray_reader import TrayDice, TrayReader, TrayReaderParams


@dataclass(frozen=True, slots=True)
class ReaderParams:
    """The tunables of every stage.

    Attributes:
        stage: Where to look.
        tray: Reading what lies there.
        photo: Reading pictures in which no tray is looked for.
        dark_level: Mean brightness of the floor, grey levels, under which a picture is too dark to trust.
        bright_share: Share of the floor that may be burnt out.
    """

    stage: StageParams = field(default_factory=StageParams)
    tray: TrayReaderParams = field(default_factory=TrayReaderParams)
    photo: PhotoParams = field(default_factory=PhotoParams)
    dark_level: float = 7.0
    bright_share: float = 0.6


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
    ) -> None:
        """Set a reader up.

        Args:
            profile: The tray's calibration, or None: the tray is found in each picture.
            colours: Class label to colour name, for classes that no profile has measured; None for the standard ones.
            tray: False for a photograph of dice lying anywhere: no tray is looked for, colour is no part of trust.
            params: Tunables.

        Raises:
            VisionError: A net's weights are missing.
        """
        self._profile = profile
        self._params = params or ReaderParams()
        names = dict(STANDARD_COLOURS if colours is None else colours)
        self._photos = None if tray else PhotoReader(names, self._params.photo)
        if tray:
            self._trays = TrayReader(profile, names, self._params.tray)
            prepare()

    def read(self, image_bgr: ImageBgr, known_floor: Floor | None = None) -> TrayReading:
        """Read one picture.

        Args:
            image_bgr: Shape (H, W, 3), uint8.
            known_floor: Where the floor was in an earlier picture by the same camera, if nothing has moved since: used
                where neither a profile nor this picture tells.

        Returns:
            Every die seen, and whether all of it can be trusted.

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
        if self._photos is not None:
            return self._traced_photo(image_bgr, self._photos, clock)
        stage = set_stage(image_bgr, self._profile, self._params.stage, known_floor)
        clock.lap("floor")
        if stage is None:
            reading = TrayReading(width, height, (), (Problem.NO_TRAY,), False, clock.total_ms, clock.laps)
            return Trace(reading)
        tray = self._trays.read(stage, clock.lap)
        problems = self._problems(stage.part_bgr)
        trusted = not problems and all(die.unread is None for die in tray.dice)
        reading = TrayReading(width, height, tray.dice, problems, trusted, clock.total_ms, clock.laps)
        return Trace(reading, stage, tray)

    def _traced_photo(self, image_bgr: ImageBgr, photos: PhotoReader, clock: "_Clock") -> "Trace":
        """A picture of dice lying anywhere: colours are told where they fit, and are no part of trust."""
        height, width = image_bgr.shape[:2]
        photo = photos.read(image_bgr, clock.lap)
        problems = self._problems(image_bgr)
        trusted = not problems and all(die.unread is None for die in photo.dice)
        reading = TrayReading(width, height, photo.dice, problems, trusted, clock.total_ms, clock.laps)
        return Trace(reading, photo=photo)

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
    """A reading and how it came about; no stage and no tray where none was found.

    Attributes:
        reading: What is reported.
        stage: Where was looked.
        tray: What was made of what lies there.
        photo: What was made of a picture in which no tray is looked for.
    """

    reading: TrayReading
    stage: Stage | None = None
    tray: TrayDice | None = None
    photo: PhotoDice | None = None

    @property
    def sure_faces(self) -> list[Face]:
        """The top faces of the dice whose value is beyond doubt, whatever their colour, in the picture's pixels."""
        if self.stage is None or self.tray is None:
            return []
        return [
            replace(face, center_xy=face.center_xy + self.stage.left_top)
            for face, die in zip(self.tray.faces, self.reading.dice, strict=True)
            if die.unread in {None, Unread.COLOUR_UNCLEAR}
        ]


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
