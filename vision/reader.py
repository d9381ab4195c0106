"""The reader: one picture in, every die out, each stage timed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.colour import STANDARD_COLOURS, ColourParams, classify, classify_measured, lab_of
from vision.doubts import DoubtParams, Doubts, SizedView, find_doubts
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
        doubts: What speaks against a face.
        dice_per_span: How many of the commonest dice (16 mm) fit along the longer side of the commonest floor (260
            mm): the first guess at their size.
        size_ratio: How far the dice may be from that guess either way.
        known_size_ratio: The same with a profile.
        floor_slack: A top face's centre may lie outside the floor by this many edges: walls hide the foot of a die.
        dark_level: Mean brightness of the floor, grey levels, under which a picture is too dark to trust.
        bright_share: Share of the floor that may be burnt out.
    """

    floor: FloorParams = field(default_factory=FloorParams)
    pips: PipParams = field(default_factory=PipParams)
    faces: FaceParams = field(default_factory=FaceParams)
    colour: ColourParams = field(default_factory=ColourParams)
    doubts: DoubtParams = field(default_factory=DoubtParams)
    dice_per_span: float = 16.3
    size_ratio: float = 1.45
    known_size_ratio: float = 1.08
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
        stage = self._stage(image_bgr)
        clock.lap("floor")
        if stage is None:
            return TrayReading(width, height, (), (Problem.NO_TRAY,), False, clock.total_ms, clock.laps)
        seen = self._see(image_bgr, stage, clock)
        dice = [
            self._die(face, stage, cocked=cocked) for face, cocked in zip(seen.faces, seen.doubts.cocked, strict=True)
        ]
        dice += self._unread_dice(seen, stage)
        clock.lap("colour")
        problems = self._problems(image_bgr, stage)
        trusted = not problems and all(
            die.value is not None and die.unread is None and (die.colour is not None or not self.tray) for die in dice
        )
        return TrayReading(width, height, tuple(dice), problems, trusted, clock.total_ms, clock.laps)

    def faces(self, image_bgr: ImageBgr) -> list[Face]:
        """The top faces of a picture, in its pixels; none where no tray is found."""
        stage = self._stage(image_bgr)
        return [] if stage is None else self._see(image_bgr, stage, _Clock()).faces

    def _stage(self, image_bgr: ImageBgr) -> "_Stage | None":
        """Where to look and what size to expect."""
        params = self.params
        height, width = image_bgr.shape[:2]
        view = View((width / 2.0, height / 2.0), params.faces.focal_share * max(width, height))
        if self.profile is not None:
            floor, edge, gain = self._from_profile(self.profile, image_bgr)
            return _Stage(floor, edge, params.known_size_ratio, view, gain)
        if not self.tray:
            floor = whole_picture(width, height)
            return _Stage(floor, floor.span_px / params.dice_per_span, params.size_ratio, view, np.ones(3))
        found = find_floor(image_bgr, params.floor)
        if found is None:
            return None
        return _Stage(found, found.span_px / params.dice_per_span, params.size_ratio, view, np.ones(3))

    def _from_profile(self, profile: Profile, image_bgr: ImageBgr) -> tuple[Floor, float, FloatArray]:
        """The profile's floor and die size in this picture's pixels, and how much brighter its light is now."""
        height, width = image_bgr.shape[:2]
        ratio = np.array([width / profile.width_px, height / profile.height_px])
        floor = Floor(profile.floor.shape, (profile.floor.outline_px + 0.5) * ratio - 0.5)
        rows, columns = profile.floor_bgr.shape[:2]
        now = cv2.resize(image_bgr, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float64)
        inside = floor.mask(width, height, columns / width)[:rows, :columns] > 0
        shares = (now[inside] + 4.0) / (profile.floor_bgr[inside] + 4.0)
        # Most of the floor is bare in any picture: the median cell says what the light did.
        gain = np.median(shares, axis=0) if len(shares) else np.ones(3)
        return floor, profile.edge_px * float(np.sqrt(ratio[0] * ratio[1])), gain

    def _crop(self, image_bgr: ImageBgr, stage: "_Stage") -> tuple[FloatArray, ImageBgr]:
        left, top, right, bottom = stage.floor.box_px
        reach = round(stage.edge_px * (0.5 + self.params.floor_slack))
        height, width = image_bgr.shape[:2]
        left, top = max(0, left - reach), max(0, top - reach)
        right, bottom = min(width, right + reach), min(height, bottom + reach)
        return np.array([left, top], dtype=np.float64), image_bgr[top:bottom, left:right]

    def _see(self, image_bgr: ImageBgr, stage: "_Stage", clock: "_Clock") -> "_Seen":
        params, guess = self.params, stage.edge_px
        offset, crop = self._crop(image_bgr, stage)
        pips = find_pips(crop, guess, params.pips)
        clock.lap("pips")
        smooth = np.asarray(cv2.GaussianBlur(crop, (0, 0), max(0.5, 0.036 * guess)), dtype=np.uint8)
        reach = (guess / stage.size_ratio, guess * stage.size_ratio)
        fits = tuple(fit_faces(smooth, blobs, reach, params.pips) for blobs in pips)
        edge = common_edge(fits, params.pips.step, (guess, stage.size_ratio), params.faces) or guess
        clock.lap("lattices")
        faces = choose_faces(smooth, fits, pips, edge, (params.pips, params.faces))
        clock.lap("faces")
        nadir = (stage.view.nadir_px[0] - offset[0], stage.view.nadir_px[1] - offset[1])
        view = View(nadir, stage.view.focal_px)
        doubts = find_doubts(smooth, faces, pips, SizedView(view, edge), params.doubts)
        clock.lap("doubts")
        placed = [replace(face, center_xy=face.center_xy + offset) for face in faces]
        return _Seen(placed, Doubts(doubts.cocked, doubts.unread_xy + offset), edge)

    def _unread_dice(self, seen: "_Seen", stage: "_Stage") -> list[DieReading]:
        """Places on the floor where pips lie that no face explains."""
        half = seen.edge_px / 2.0
        dice = []
        for x, y in seen.doubts.unread_xy:
            if stage.floor.distance_px(x, y) < 0.0:
                continue
            left, top, right, bottom = float(x - half), float(y - half), float(x + half), float(y + half)
            dice.append(
                DieReading(
                    colour=None,
                    value=None,
                    confidence=0.0,
                    unread=Unread.PIPS_UNCLEAR,
                    center_px=(float(x), float(y)),
                    box_px=(left, top, right - left, bottom - top),
                    top_quad_px=((left, top), (right, top), (right, bottom), (left, bottom)),
                )
            )
        return dice

    def _die(self, face: Face, stage: "_Stage", *, cocked: bool) -> DieReading:
        quad, center, floor = face.quad_px, face.center_xy, stage.floor
        hull = np.concatenate([quad, stage.view.bottom_quad_px(quad)])
        low, high = hull.min(axis=0), hull.max(axis=0)
        colour = self._colour(face, stage.gain)
        unread: Unread | None = None
        if floor.distance_px(center[0], center[1]) < -self.params.floor_slack * face.edge_px:
            unread = Unread.OUTSIDE_FLOOR
        elif cocked and self.tray:
            unread = Unread.COCKED
        elif face.rank < self.params.faces.sure_rank:
            unread = Unread.PIPS_UNCLEAR
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

    def _colour(self, face: Face, gain: FloatArray) -> str | None:
        """By the body's colour; where that is washed out by glare, by its rim's."""
        palette = {colour.label: colour.body_lab for colour in self.profile.palette} if self.profile else {}
        for lab in lab_of(np.stack([face.body_bgr, face.rim_bgr]) / gain):
            if palette:
                found = classify_measured(lab, palette, self.params.colour)
            else:
                found, _ = classify(lab, self.colours, self.params.colour)
            if found is not None:
                return found
        return None

    def _problems(self, image_bgr: ImageBgr, stage: "_Stage") -> tuple[Problem, ...]:
        _, crop = self._crop(image_bgr, stage)
        small = cv2.resize(crop, (64, 64), interpolation=cv2.INTER_AREA)
        if float(small.mean()) < self.params.dark_level:
            return (Problem.TOO_DARK,)
        if float((small.min(axis=2) >= 250).mean()) > self.params.bright_share:
            return (Problem.TOO_BRIGHT,)
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """Where to look and what to expect there.

    Attributes:
        floor: Where dice may lie.
        edge_px: Expected edge of a top face.
        size_ratio: How far from that it may be, either way.
        view: Where the camera is.
        gain: Shape (3,), how much brighter each channel is than when the profile was made.
    """

    floor: Floor
    edge_px: float
    size_ratio: float
    view: View
    gain: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What the stages before colour found, in the picture's pixels."""

    faces: list[Face]
    doubts: Doubts
    edge_px: float


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
