"""The reader: one picture in, every die out, each stage timed."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.body_colour import colour_classes
from vision.cocked import SizedView
from vision.colour import STANDARD_COLOURS, ColourParams, light_of
from vision.faces import Face, FaceParams, View, choose_faces, common_edge, face_of
from vision.floor import FloorParams, prepare
from vision.frame import FloatArray, ImageBgr
from vision.lattice import fit_faces
from vision.net import FACE_PX, FACE_SPAN, FaceCandidate, FaceFinder, FaceReader, FaceSights, FinderParams
from vision.pips import PipParams, Pips, find_pips
from vision.profile import Profile
from vision.reading import DieReading, PointPx, Problem, TrayReading, Unread
from vision.shrink import Halves, thinned
from vision.soft import Soft, soften
from vision.stage import Stage, StageParams, set_stage
from vision.stance import STANCE_SPAN
from vision.standing import Lying, Stand, StandingJudge, StandingParams
from vision.tops import Squares, cut_out, places_of
from vision.tray_things import Thing, ThingParams, is_one_of, still_there
from vision.verdict import Sighting, Verdict, VerdictParams, is_crowded, is_solid, judge_die, pair_up, without_cocked


@dataclass(frozen=True, slots=True)
class ReaderParams:
    """The tunables of every stage, and what ties them together.

    Attributes:
        stage: Where to look.
        pips: Finding pips and reading lattices.
        faces: Choosing top faces.
        colour: Body colour to class.
        standing: What speaks against a die lying flat.
        verdict: Weighing lattice and nets.
        known_verdict: The same with a profile, which knows what else lies in the tray: what the finder then sees so
            clearly may be a die, whatever the face reader says.
        open_verdict: The same without a tray, where any pattern may lie about.
        things: What is the tray's own.
        open_sides_px: Without a tray the dice's size is unknown: the finder sees the picture with these long sides in
            turn, until its dice have edges within...
        open_edges_px: ...these, in the finder's pixels.
        candidate_score: Least score of the finder for a candidate.
        glimpse_score: Least score of the finder for lattices to be looked for at a place; 0.23 was the least at any die
            that it left out of its candidates.
        finder_edge_px: The finder sees the picture at a scale at which the expected edge is this.
        rescale: The finder looks again, in a tray of no known size, where its dice are off from that by this factor.
        least_edge_votes: So many candidates of the finder correct the expected edge.
        again_share: A face of which no value has this share is looked at four times...
        again_alone: ...or this one where no lattice backs it: there, and without a tray, the net judges alone.
        dark_level: Mean brightness of the floor, grey levels, under which a picture is too dark to trust.
        bright_share: Share of the floor that may be burnt out.
    """

    stage: StageParams = field(default_factory=lambda: StageParams(FloorParams()))
    pips: PipParams = field(default_factory=PipParams)
    faces: FaceParams = field(default_factory=FaceParams)
    colour: ColourParams = field(default_factory=ColourParams)
    standing: StandingParams = field(default_factory=StandingParams)
    verdict: VerdictParams = field(default_factory=VerdictParams)
    known_verdict: VerdictParams = field(default_factory=lambda: VerdictParams(no_top_score=0.45))
    open_verdict: VerdictParams = field(
        default_factory=lambda: VerdictParams(
            agreed_share=0.35,
            agreed_weak=0.45,
            no_top_share=0.5,
            no_top_score=1.0,
            net_alone=0.72,
            net_alone_score=0.45,
            net_alone_no_top=1.0,
            overrule=0.6,
            same_place=0.25,
        )
    )
    things: ThingParams = field(default_factory=ThingParams)
    open_sides_px: tuple[int, ...] = (320, 640, 160)
    open_edges_px: tuple[float, float] = (18.0, 46.0)
    candidate_score: float = 0.3
    glimpse_score: float = 0.1
    finder_edge_px: float = 24.0
    rescale: float = 1.4
    least_edge_votes: int = 1
    again_share: float = 0.6
    again_alone: float = 0.95
    dark_level: float = 7.0
    bright_share: float = 0.6


class Reader:
    """Reads pictures of dice.

    Holds no memory of earlier pictures: the same picture gives the same reading. Not to be shared between threads.
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
        calibrated = self.params.verdict if profile is None else self.params.known_verdict
        self._weigh = calibrated if tray else self.params.open_verdict
        self._finder = FaceFinder(FinderParams(min_score=self.params.glimpse_score))
        self._reader = FaceReader()
        self._standing = StandingJudge(self.params.standing)
        prepare()

    def read(self, image_bgr: ImageBgr) -> TrayReading:
        """Read one picture.

        Args:
            image_bgr: Shape (H, W, 3), uint8.

        Returns:
            Every die seen, and whether all of it can be trusted.
        """
        return self.trace(image_bgr).reading

    def trace(self, image_bgr: ImageBgr) -> "Trace":
        """Read one picture and keep what each stage found, for people who want to see it.

        Args:
            image_bgr: Shape (H, W, 3), uint8.
        """
        clock = _Clock()
        height, width = image_bgr.shape[:2]
        stage = set_stage(image_bgr, self.profile, self.params.stage, tray=self.tray)
        clock.lap("floor")
        if stage is None:
            reading = TrayReading(width, height, (), (Problem.NO_TRAY,), False, clock.total_ms, clock.laps)
            return Trace(None, None, (), (), reading)
        seen = self._see(stage, clock)
        dice, faces, stands = self._dice(stage, seen, clock)
        clock.lap("colour")
        problems = self._problems(stage)
        trusted = not problems and all(
            die.value is not None and die.unread is None and (die.colour is not None or not self.tray) for die in dice
        )
        reading = TrayReading(width, height, dice, problems, trusted, clock.total_ms, clock.laps)
        return Trace(stage, seen, faces, stands, reading)

    def faces(self, image_bgr: ImageBgr) -> list[Face]:
        """The top faces of the dice whose value is beyond doubt, whatever their colour.

        Args:
            image_bgr: Shape (H, W, 3), uint8.

        Returns:
            In the picture's pixels; none where no tray is found. Those of which no lattice was read have no contrast,
            and nothing is known of their pips.
        """
        trace = self.trace(image_bgr)
        if trace.stage is None:
            return []
        return [
            replace(face, center_xy=face.center_xy + trace.stage.left_top)
            for face, die in zip(trace.faces, trace.reading.dice, strict=True)
            if die.unread in {None, Unread.COLOUR_UNCLEAR}
        ]

    def _dice(
        self, stage: Stage, seen: "Seen", clock: "_Clock"
    ) -> tuple[tuple[DieReading, ...], tuple[Face, ...], tuple[Stand, ...]]:
        """What is reported of each die, its face, and how what may be one stands; nothing of that without a tray."""
        weigh = self._weigh
        pairs = pair_up(seen.faces, seen.candidates, weigh)
        if not self.tray:
            # Without a tray most lattices are pattern, and real dice have layouts of their own: the finder leads.
            pairs = [(face, candidate) for face, candidate in pairs if candidate is not None]
        faces = [
            face if face is not None and (self.tray or candidate is None) else _face_at(seen.soft, candidate)
            for face, candidate in pairs
        ]
        squares, quads = places_of(faces)
        # Crops for both nets at once: what the first brings into the processor's cache serves the second.
        spans = (FACE_SPAN, STANCE_SPAN) if self.tray else (FACE_SPAN,)
        crops = cut_out(seen.picture, squares, FACE_PX, *spans)
        sights = self._reader.look_at(crops[0], squares)
        self._look_again(seen.picture, squares, np.array([face.contrast > 0.0 for face in faces], np.bool_), sights)
        clock.lap("read")
        inside = [stage.floor.distance_px(x, y) for x, y in (squares.center_xy + stage.left_top).tolist()]
        shares = sights.probabilities
        stands: tuple[Stand, ...] = ()
        if self.tray:
            # Without a tray nothing is known of the camera: which sides a flat die shows cannot be told.
            solid = [
                candidate is not None and is_solid(candidate, row, weigh)
                for (_, candidate), row in zip(pairs, shares.tolist(), strict=True)
            ]
            shares = without_cocked(shares)
            lying = Lying(
                picture=seen.picture,
                soft=seen.soft,
                pips=seen.pips,
                view=seen.view,
                faces=faces,
                squares=squares,
                quads_px=quads,
                crops=crops[1],
                inside_px=np.array(inside),
                solid=np.array(solid, dtype=np.bool_),
                values=shares[:, :6].max(axis=1, initial=0.0),
                leans_px=sights.lean_px,
            )
            stands = self._standing.judge(stage, lying)
        clock.lap("standing")
        light = stage.gain
        if self.profile is None:
            # Of dice that the finder saw, too: a floor's pattern brings faces by the dozen.
            white = [face.pip_bgr for face, candidate in pairs if face and candidate and not face.dark]
            light = light_of(np.array(white).reshape(-1, 3), self.params.colour)
        kept: list[int] = []
        verdicts: list[Verdict] = []
        rows, edges = shares.tolist(), squares.edge_px.tolist()
        for i, (face, (lattice, candidate)) in enumerate(zip(faces, pairs, strict=True)):
            sighting = Sighting(
                face=lattice,
                candidate=candidate,
                shares=rows[i],
                standing=stands[i].standing if stands else None,
                crowded=candidate is None and is_crowded(face, seen.candidates, weigh),
            )
            verdict = judge_die(sighting, self.params.faces.sure_rank, weigh)
            if verdict is None:
                continue
            # Beyond the tray's floor, and its walls.
            outside = inside[i] < -self.params.stage.floor_slack * edges[i]
            if outside and verdict.confidence < weigh.outside_share:
                continue
            kept.append(i)
            verdicts.append(replace(verdict, unread=Unread.OUTSIDE_FLOOR) if outside else verdict)
        labels: tuple[str | None, ...] = (None,) * len(kept)
        top = tuple(faces[i] for i in kept)
        if not _is_colourless(stage.part_bgr):
            labels = colour_classes(top, light, self.profile, self.colours, self.params.colour)
        return self._reported(squares.center_xy[kept], quads[kept], verdicts, labels, stage), top, stands

    def _look_again(
        self, picture: Halves, squares: Squares, latticed: npt.NDArray[np.bool_], sights: FaceSights
    ) -> None:
        """Have the face reader look three times more, a quarter turn apart, at each face that leaves a doubt.

        Args:
            picture: With its halves.
            squares: The faces.
            latticed: Shape (N,), whether a lattice was read there.
            sights: What was seen of them; the mean of the four looks is written there.
        """
        enough = np.where(latticed & self.tray, self.params.again_share, self.params.again_alone)
        unsure = np.flatnonzero(sights.probabilities[:, :6].max(axis=1, initial=0.0) < enough)
        if not len(unsure):
            return
        turned = squares.turned(unsure)
        more = self._reader.look_at(cut_out(picture, turned, FACE_PX, FACE_SPAN)[0], turned)
        for once, again in ((sights.probabilities, more.probabilities), (sights.lean_px, more.lean_px)):
            once[unsure] = (once[unsure] + again.reshape(len(unsure), 3, -1).sum(axis=1)) / 4.0

    def _see(self, stage: Stage, clock: "_Clock") -> "Seen":
        """What the finder and the lattices find, in pixels of the stage's part of the picture."""
        params, picture, guess = self.params, stage.part, stage.edge_px
        own = self._own_things(stage)
        found = self._find(picture, stage.edge_px)
        glimpses = tuple(glimpse for glimpse in found if not is_one_of(own, *glimpse.center_px, params.things))
        candidates = self._candidates(glimpses)
        ratio = stage.size_ratio
        if self.profile is None and len(candidates) >= params.least_edge_votes:
            guess = float(np.median([candidate.edge_px for candidate in candidates]))
            ratio = params.stage.known_size_ratio * 1.1
        clock.lap("find")
        places = np.array([glimpse.center_px for glimpse in glimpses]).reshape(-1, 2)
        pips = find_pips(picture, places, guess, params.pips)
        clock.lap("pips")
        soft = soften(picture, guess, _SOFT_SIGMA)
        fits = fit_faces(soft, pips, (guess / ratio, guess * ratio), params.pips)
        edge = common_edge(fits, params.pips.step, (guess, ratio), params.faces) or guess
        turns = [(*candidate.center_px, math.radians(candidate.angle_deg)) for candidate in candidates]
        seen = np.array(turns).reshape(-1, 3)
        faces = choose_faces(soft, fits, pips, edge, (params.pips, params.faces), seen=seen)
        clock.lap("lattices")
        nadir = (stage.view.nadir_px[0] - stage.left_top[0], stage.view.nadir_px[1] - stage.left_top[1])
        sized = SizedView(View(nadir, stage.view.focal_px), edge)
        return Seen(picture, soft, pips, tuple(faces), candidates, sized)

    def _candidates(self, glimpses: tuple[FaceCandidate, ...]) -> tuple[FaceCandidate, ...]:
        return tuple(glimpse for glimpse in glimpses if glimpse.score > self.params.candidate_score)

    def _own_things(self, stage: Stage) -> tuple[Thing, ...]:
        """What the empty tray had that looks like a die and lies there as it did, in pixels of the stage's part."""
        if self.profile is None or not self.profile.things:
            return ()
        scale = stage.edge_px / self.profile.edge_px
        moved = [thing.moved(scale, stage.left_top) for thing in self.profile.things]
        return still_there(moved, stage.part_bgr, stage.gain, self.params.things)

    def _find(self, picture: Halves, edge_px: float) -> tuple[FaceCandidate, ...]:
        """The finder's glimpses, at the scale that the tray implies or, without one, at the scale that suits them."""
        params = self.params
        if self.tray:
            scale = min(1.0, params.finder_edge_px / edge_px)
            found = self._finder.find(picture, scale)
            candidates = self._candidates(found)
            if self.profile is None and candidates:
                # Small dice in a large tray, or the reverse: look again at the scale that suits what was seen.
                edge = float(np.median([candidate.edge_px for candidate in candidates])) * scale
                better = min(1.0, params.finder_edge_px * scale / edge)
                if not 1 / params.rescale <= better / scale <= params.rescale:
                    return self._finder.find(picture, better)
            return found
        best: tuple[float, tuple[FaceCandidate, ...]] = (-1.0, ())
        for side in params.open_sides_px:
            scale = side / max(picture.at(1.0)[0].shape[:2])
            found = self._finder.find(picture, scale)
            sure = self._candidates(found)[:4]
            weight = float(np.sum([candidate.score**2 for candidate in sure]))
            edge = float(np.median([candidate.edge_px for candidate in sure])) * scale if sure else 0.0
            low, high = params.open_edges_px
            if low <= edge <= high and weight > best[0]:
                best = (weight, found)
            if sure and low * 1.15 <= edge <= high * 0.85:
                break
        return best[1]

    def _reported(
        self,
        centers: FloatArray,
        quads: FloatArray,
        verdicts: Sequence[Verdict],
        colours: Sequence[str | None],
        stage: Stage,
    ) -> tuple[DieReading, ...]:
        """Dice as they are reported, in the whole picture's pixels; centres and corners are the part's."""
        quads = quads + stage.left_top
        hulls = np.concatenate([quads, stage.view.bottom_quad_px(quads)], axis=1)
        low, high = hulls.min(axis=1), hulls.max(axis=1)
        boxes = np.concatenate([low, high - low], axis=1).tolist()
        places = zip((centers + stage.left_top).tolist(), boxes, quads.tolist(), strict=True)
        reported = []
        for verdict, colour, ((x, y), box, quad) in zip(verdicts, colours, places, strict=True):
            unread = verdict.unread
            if unread is None and colour is None and self.tray:
                unread = Unread.COLOUR_UNCLEAR
            reported.append(
                DieReading(
                    colour=colour,
                    value=verdict.value,
                    confidence=round(min(max(verdict.confidence, 0.0), 1.0), 3),
                    unread=unread,
                    center_px=(x, y),
                    box_px=(box[0], box[1], box[2], box[3]),
                    top_quad_px=(_pair(quad[0]), _pair(quad[1]), _pair(quad[2]), _pair(quad[3])),
                )
            )
        return tuple(reported)

    def _problems(self, stage: Stage) -> tuple[Problem, ...]:
        small = thinned(stage.part_bgr, 9)
        if sum(cv2.mean(small)[:3]) < 3.0 * self.params.dark_level:
            return (Problem.TOO_DARK,)
        burnt = cv2.inRange(small, (250, 250, 250), (255, 255, 255))
        if cv2.countNonZero(burnt) > self.params.bright_share * burnt.size:
            return (Problem.TOO_BRIGHT,)
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the stages before the verdict found, in pixels of the stage's part of the picture.

    Attributes:
        picture: That part, with its halves.
        soft: The same, softened.
        pips: Light ones, dark ones.
        faces: Whose lattice was read.
        candidates: Of the finder.
        view: The camera, and the dice's common edge.
    """

    picture: Halves
    soft: Soft
    pips: tuple[Pips, Pips]
    faces: tuple[Face, ...]
    candidates: tuple[FaceCandidate, ...]
    view: SizedView


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A reading and how it came about; no stage and nothing seen where no tray was found.

    Attributes:
        stage: Where was looked.
        seen: What was found there.
        faces: Of the reported dice, in their order, in pixels of the stage's part of the picture.
        stands: How whatever may be a die stands.
        reading: What is reported.
    """

    stage: Stage | None
    seen: Seen | None
    faces: tuple[Face, ...]
    stands: tuple[Stand, ...]
    reading: TrayReading


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


def _face_at(soft: Soft, candidate: FaceCandidate | None) -> Face:
    """A face where only the finder saw one, for its colour and outline."""
    if candidate is None:
        raise ValueError("neither a face nor a candidate: pair_up gives at least one")
    turn = np.radians(candidate.angle_deg)
    axis = np.array([np.cos(turn), np.sin(turn)]) * candidate.edge_px / 2.0
    return face_of(soft, np.array(candidate.center_px), axis)


def _is_colourless(part_bgr: ImageBgr) -> bool:
    """Whether a picture has no colour at all: a grey camera, an infrared lamp. Every die would look black in it."""
    blue, green, red = cv2.split(thinned(part_bgr, 16))
    spread = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    return bool(np.count_nonzero(np.asarray(spread) > _GREY_LEVELS) <= 0.01 * blue.size)


_SOFT_SIGMA = 0.036
"""Of the softened copy, in edges."""
_GREY_LEVELS = 3
"""Channels that differ by no more than this are noise and JPEG."""


def _pair(xy: Sequence[float]) -> PointPx:
    return xy[0], xy[1]
