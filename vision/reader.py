"""The reader: one picture in, every die out, each stage timed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.colour import STANDARD_COLOURS, ColourParams, classify, lab_of
from vision.faces import Face, FaceParams, View, choose_faces, common_edge
from vision.floor import Floor, FloorParams, find_floor, whole_picture
from vision.frame import FloatArray, ImageBgr
from vision.pips import PipParams, find_pips, fit_faces
from vision.profile import Profile
from vision.reading import DieReading, PointPx, Problem, TrayReading, Unread


@dataclass(frozen=True, slots=True)
class ReaderParams:
    """The tunables of every stage, and what ties them together.

    Attributes:
        floor: Finding the floor.
        pips: Finding pips and reading lattices.
        faces: Choosing top faces.
        colour: Body colour to class.
        dice_per_span: How many of the commonest dice (16 mm) fit along the longer side of the commonest floor (260
            mm): the first guess at their size.
        size_ratio: How far the dice may be from that guess either way.
        floor_slack: A top face's centre may lie outside the floor by this many edges: walls hide the foot of a die.
        dark_level: Mean brightness of the floor, grey levels, under which a picture is too dark to trust.
        bright_share: Share of the floor that may be burnt out.
    """

    floor: FloorParams = field(default_factory=FloorParams)
    pips: PipParams = field(default_factory=PipParams)
    faces: FaceParams = field(default_factory=FaceParams)
    colour: ColourParams = field(default_factory=ColourParams)
    dice_per_span: float = 16.3
    size_ratio: float = 1.45
    floor_slack: float = 1.5
    dark_level: float = 7.0
    bright_share: float = 0.6


class Reader:
    """Reads pictures of dice.

    Holds no memory of earlier pictures: the same picture gives the same reading.
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
        """
        self.profile = profile
        self.colours = dict(STANDARD_COLOURS if colours is None else colours)
        self.tray = tray
        self.params = params or ReaderParams()

    def read(self, image_bgr: ImageBgr) -> TrayReading:
        """Read one picture.

        Args:
            image_bgr: Shape (H, W, 3), uint8.

        Returns:
            Every die seen, and whether all of it can be trusted.
        """
        clock = _Clock()
        height, width = image_bgr.shape[:2]
        floor = find_floor(image_bgr, self.params.floor) if self.tray else whole_picture(width, height)
        clock.lap("floor")
        if floor is None:
            return TrayReading(width, height, (), (Problem.NO_TRAY,), False, clock.total_ms, clock.laps)
        guess = floor.span_px / self.params.dice_per_span
        view = View((width / 2.0, height / 2.0), self.params.faces.focal_share * max(width, height))
        offset, crop = self._crop(image_bgr, floor, guess)
        faces = self._faces(crop, guess, clock)
        dice = tuple(self._die(face, offset, floor, view) for face in faces)
        clock.lap("colour")
        problems = self._problems(crop)
        trusted = not problems and all(
            die.value is not None and die.unread is None and (die.colour is not None or not self.tray) for die in dice
        )
        return TrayReading(width, height, dice, problems, trusted, clock.total_ms, clock.laps)

    def _crop(self, image_bgr: ImageBgr, floor: Floor, edge_px: float) -> tuple[FloatArray, ImageBgr]:
        left, top, right, bottom = floor.box_px
        reach = round(edge_px * (0.5 + self.params.floor_slack))
        height, width = image_bgr.shape[:2]
        left, top = max(0, left - reach), max(0, top - reach)
        right, bottom = min(width, right + reach), min(height, bottom + reach)
        return np.array([left, top], dtype=np.float64), image_bgr[top:bottom, left:right]

    def _faces(self, crop: ImageBgr, guess: float, clock: "_Clock") -> list[Face]:
        params = self.params
        pips = find_pips(crop, guess, params.pips)
        clock.lap("pips")
        smooth = np.asarray(cv2.GaussianBlur(crop, (0, 0), max(0.5, 0.036 * guess)), dtype=np.uint8)
        reach = (guess / params.size_ratio, guess * params.size_ratio)
        fits = tuple(fit_faces(smooth, blobs, reach, params.pips) for blobs in pips)
        edge = common_edge(fits, params.pips.step, params.faces) or guess
        clock.lap("lattices")
        faces = choose_faces(smooth, fits, pips, edge, (params.pips, params.faces))
        clock.lap("faces")
        return faces

    def _die(self, face: Face, offset: FloatArray, floor: Floor, view: View) -> DieReading:
        quad = face.quad_px + offset
        center = face.center_xy + offset
        hull = np.concatenate([quad, view.bottom_quad_px(quad)])
        low, high = hull.min(axis=0), hull.max(axis=0)
        colour = self._colour(face)
        unread: Unread | None = None
        if floor.distance_px(center[0], center[1]) < -self.params.floor_slack * face.edge_px:
            unread = Unread.OUTSIDE_FLOOR
        elif colour is None and self.tray:
            unread = Unread.COLOUR_UNCLEAR
        confidence = float(np.clip(face.margin * (1.0 - face.residual), 0.0, 1.0))
        return DieReading(
            colour=colour,
            value=face.value,
            confidence=round(confidence, 3),
            unread=unread,
            center_px=_point(center),
            box_px=(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])),
            top_quad_px=(_point(quad[0]), _point(quad[1]), _point(quad[2]), _point(quad[3])),
        )

    def _colour(self, face: Face) -> str | None:
        """By the body's colour; where that is washed out by glare, by its rim's."""
        body, rim = lab_of(np.stack([face.body_bgr, face.rim_bgr]))
        colour, _ = classify(body, self.colours, self.params.colour)
        if colour is None:
            colour, _ = classify(rim, self.colours, self.params.colour)
        return colour

    def _problems(self, crop: ImageBgr) -> tuple[Problem, ...]:
        small = cv2.resize(crop, (64, 64), interpolation=cv2.INTER_AREA)
        if float(small.mean()) < self.params.dark_level:
            return (Problem.TOO_DARK,)
        if float((small.min(axis=2) >= 250).mean()) > self.params.bright_share:
            return (Problem.TOO_BRIGHT,)
        return ()


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


def _point(xy: FloatArray) -> PointPx:
    return (float(xy[0]), float(xy[1]))
