"""What each die is: its value, whether it lies flat in the tray, and its colour class."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from vision.classification.face_reader import FACE_PX, FACE_SPAN, NO_TOP_COLUMN, FaceReader, FaceSights
from vision.colour.body import colour_classes, is_colourless, white_pips
from vision.colour.classes import ColourParams, light_of
from vision.decision.second_opinion import Reviewer, Said, SecondOpinion
from vision.decision.verdict import (
    NOTHING_LEFT,
    Coloured,
    Evidence,
    Verdict,
    VerdictParams,
    are_dice,
    is_crowded,
    is_solid,
    judge_die,
    without_cocked,
)
from vision.detection.burnt import burnt_shares
from vision.detection.common_size import CommonSizeParams
from vision.detection.faces import Face
from vision.detection.squares import Squares, cut_out
from vision.detection.tray_detector import Detections
from vision.imaging.softened import Soft
from vision.pipeline.places import PlaceFinder, Places
from vision.standing.judge import Lying, Stand, Standing, StandingJudge, StandingParams
from vision.standing.stance import FLAT, STANCE_SPAN
from vision.tray.profile import Profile
from vision.tray.stage import Stage
from vision.types.frame import F32, FloatArray, ImageBgr
from vision.types.reading import Unread


@dataclass(frozen=True, slots=True)
class RecogniserParams:
    """What is believed of what was detected.

    Attributes:
        sure_share: Share of the lattice's value from which a face that finder and lattice agree on is not looked at
            closely. All other faces are.
        second_word: Weight, as an exponent, of the face reader's share for a value beside that of a closer look; see
            `second_flat`.
        second_flat: Least share of lying flat for `second_word` to apply: of a leaning die the two looks may see
            different faces.
        tipped: Deviation of a cocked die's lean from a flat die's, in edges, from which either of two faces may be its
            top: its place is then its own middle.
        one_middle: Distance, in edges, below which two cocked dice are one of which two faces were seen.
        common_size: Parameters of the comparison of a candidate's size with the dice's common size.
        standing: Parameters of the judgement whether dice lie flat.
        verdict: Parameters of weighing lattice and nets.
        known_verdict: Replaces `verdict` where there is a profile, which knows what else lies in the tray: what the
            finder sees clearly may then be a die whatever the face reader says.
        colour: Parameters of how body colours give classes.
        around: Distance from a die's middle, in edges, at which the colours around it are looked at.
    """

    sure_share: float = 0.8
    second_word: float = 0.6
    second_flat: float = 0.9
    tipped: float = 0.4
    one_middle: float = 0.5
    common_size: CommonSizeParams = field(default_factory=CommonSizeParams)
    standing: StandingParams = field(default_factory=StandingParams)
    verdict: VerdictParams = field(default_factory=VerdictParams)
    known_verdict: VerdictParams = field(default_factory=lambda: VerdictParams(no_top_score=0.45))
    colour: ColourParams = field(default_factory=ColourParams)
    around: float = 1.15


@dataclass(frozen=True, slots=True, eq=False)
class RecognisedDice:
    """The dice of a picture, N of them, in pixels of the stage's part of it.

    Attributes:
        faces: Top faces of the dice; those without a lattice have place and colours alone.
        centers_xy: Shape (N, 2), middles of the faces; for a die tipped so far that another face may be its top, the
            middle of the die.
        quads_px: Shape (N, 4, 2), corners of the faces in order.
        verdicts: What is believed of the dice.
        colours: Colour classes of the dice; None where none fits.
        standing: How every place that may be a die stands, be it one of these dice or not.
        denied: Places that were doubted and that the second opinion took for no die: middles, shape (2,), and what was
            believed.
    """

    faces: tuple[Face, ...]
    centers_xy: FloatArray
    quads_px: FloatArray
    verdicts: tuple[Verdict, ...]
    colours: tuple[str | None, ...]
    standing: Standing
    denied: tuple[tuple[FloatArray, Verdict], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What shows at N places.

    Attributes:
        shares: Shape (N, 8), what the nets say of each, as in `FaceSights`.
        split: Shape (N,), where a closer look reads another value than the face reader did.
        burnt: Shape (N,), how much of each top is burnt white.
    """

    shares: F32
    split: npt.NDArray[np.bool_]
    burnt: F32


class Recogniser:
    """Recognises what each die is; threads may share one."""

    def __init__(
        self,
        profile: Profile | None,
        colours: Mapping[str, str],
        params: RecogniserParams,
        second: Reviewer | None = None,
    ) -> None:
        """Load the nets.

        Args:
            profile: The tray's calibration, or None.
            colours: Class label to colour name, for classes that no profile has measured.
            params: The tunables.
            second: Asked about doubtful dice; None for the one that is used.

        Raises:
            VisionError: A net's weights are missing.
        """
        self._profile = profile
        self._colours = colours
        self._params = params
        self._weigh = params.verdict if profile is None else params.known_verdict
        self._reader = FaceReader()
        self._place_finder = PlaceFinder(self._reader, self._weigh, params.common_size)
        self._standing = StandingJudge(params.standing)
        self._second: Reviewer = second or SecondOpinion()

    def recognise(self, stage: Stage, detections: Detections, lap: Callable[[str], None]) -> RecognisedDice:
        """Decide what is a die, and of each what it is.

        Args:
            stage: Where was looked.
            detections: What may be dice there.
            lap: Gets the name of each part of the work, `read`, `standing` and `review`, when it is done; colours come
                last.

        Returns:
            The dice.
        """
        places = self._place_finder.find(stage, detections)
        # Crops for both nets at once: what the first brings into the processor's cache serves the second.
        crops = cut_out(detections.picture, places.squares, FACE_PX, FACE_SPAN, STANCE_SPAN)
        sights = self._reader.look_at(crops[0], places.squares)
        lap("read")
        shares = without_cocked(sights.probabilities)
        rows = np.flatnonzero(~self._are_pattern(places, shares))
        if len(rows) < len(shares):
            places, sights, shares, crops = places.some(rows), sights.some(rows), shares[rows], crops[:, rows]
        standing = self._standing.judge(self._lying(detections, places, crops[1], sights, shares))
        split = places.split | look_closer(shares, standing.stands, self._params)
        lap("standing")
        seen = _Seen(shares, split, burnt_shares(crops[0], FACE_SPAN))
        verdicts = self._verdicts(stage, detections, places, seen, standing.stands)
        believed = verdicts
        verdicts = self._reviewed(detections, places, believed, standing.stands)
        denied = [i for i in believed if i not in verdicts]
        lap("review")
        light = self._light(stage, places)
        colours = self._classes(detections.soft, places, list(verdicts), light)
        # In a picture without colour nothing is of a class's.
        no_tops = shares[:, NO_TOP_COLUMN] if light is not None else np.zeros(len(shares), np.float32)
        kept = self._dice_among(places, verdicts, colours, no_tops)
        if len(kept) < len(colours):  # what is no die has no say in the colours of dice
            colours = self._classes(detections.soft, places, kept, light)
        centers = places.squares.center_xy.copy()
        for i in kept:
            if verdicts[i].unread is Unread.COCKED:
                centers[i] += self._to_middle(places.squares, i, sights, standing.stands)
        kept = self._suppress_duplicates(kept, verdicts, centers, places.squares.edge_px)
        return RecognisedDice(
            faces=tuple(places.faces[i] for i in kept),
            centers_xy=centers[kept],
            quads_px=places.quads_px[kept],
            verdicts=tuple(verdicts[i] for i in kept),
            colours=tuple(colours[i] for i in kept),
            standing=standing,
            denied=tuple((places.squares.center_xy[i], believed[i]) for i in denied),
        )

    def _are_pattern(self, places: Places, shares: F32) -> npt.NDArray[np.bool_]:
        """Shape (N,), what only a lattice took for a die and the face reader denies: floors have it by the dozen."""
        alone = np.array([candidate is None for _, candidate in places.pairs], dtype=np.bool_)
        return np.asarray(alone & (shares[:, NO_TOP_COLUMN] >= self._weigh.background_threshold))

    def _lying(self, detections: Detections, places: Places, crops: ImageBgr, sights: FaceSights, shares: F32) -> Lying:
        """The places as the judge of standing takes them.

        Args:
            detections: What may be dice.
            places: N of them.
            crops: Shape (N, STANCE_PX, STANCE_PX, 3), each with its surroundings.
            sights: What the face reader saw there.
            shares: Shape (N, 8), its shares without that of `cocked`.
        """
        solid = [
            candidate is not None and is_solid(candidate, row, self._weigh)
            for (_, candidate), row in zip(places.pairs, sights.probabilities.tolist(), strict=True)
        ]
        values = shares[:, :6].max(axis=1, initial=0.0)
        best = shares[:, :6].argmax(axis=1) + 1
        agreed = [
            lattice is not None and candidate is not None and lattice.value == value
            for (lattice, candidate), value in zip(places.pairs, best.tolist(), strict=True)
        ]
        return Lying(
            picture=detections.picture,
            soft=detections.soft,
            pips=detections.pips,
            view=detections.view,
            faces=places.faces,
            squares=places.squares,
            quads_px=places.quads_px,
            crops=crops,
            inside_px=places.inside_px,
            solid=np.array(solid, dtype=np.bool_),
            doubtful=(values < self._params.sure_share) | ~np.array(agreed, np.bool_),
            values=values,
            leans_px=sights.lean_px,
        )

    def _verdicts(
        self, stage: Stage, detections: Detections, places: Places, seen: _Seen, stands: Sequence[Stand]
    ) -> dict[int, Verdict]:
        """What is believed of the places that are dice, by their row.

        Args:
            stage: The tray.
            detections: What may be dice.
            places: N of them.
            seen: What shows there.
            stands: How they stand, or nothing.
        """
        beyond = places.inside_px < -stage.floor_slack * places.squares.edge_px
        rows, outside = seen.shares.tolist(), beyond.tolist()
        verdicts: dict[int, Verdict] = {}
        for i, (face, (lattice, candidate)) in enumerate(zip(places.faces, places.pairs, strict=True)):
            evidence = Evidence(
                face=lattice,
                candidate=candidate,
                shares=rows[i],
                split=bool(seen.split[i]),
                burnt=float(seen.burnt[i]),
                flat=float(stands[i].shares[FLAT]) if stands else 1.0,
                standing=stands[i].standing if stands else None,
                crowded=candidate is None and is_crowded(face, detections.candidates, self._weigh),
            )
            verdict = judge_die(evidence, self._weigh) if i < places.unburnt else self._of_burnt(places, i, verdicts)
            if verdict is None:
                continue
            if not outside[i]:
                verdicts[i] = verdict
            elif verdict.confidence >= self._weigh.outside_share:
                # Beyond the tray's floor, and its walls.
                verdicts[i] = replace(verdict, unread=Unread.OUTSIDE_FLOOR)
        return verdicts

    def _reviewed(
        self, detections: Detections, places: Places, verdicts: Mapping[int, Verdict], stands: Sequence[Stand]
    ) -> dict[int, Verdict]:
        """Verdicts after the second opinion; of what is burnt white nobody has one."""
        rows = [i for i in verdicts if i < places.unburnt]
        said = [
            Said(verdicts[i], float(stands[i].shares[FLAT]) if stands else 1.0, places.pairs[i][0] is not None)
            for i in rows
        ]
        reviewed = self._second.review(detections.picture, places.squares.some(np.array(rows, np.intp)), said)
        now = {**verdicts, **dict(zip(rows, reviewed, strict=True))}
        return {i: verdict for i, verdict in now.items() if verdict is not None}

    def _to_middle(self, squares: Squares, row: int, sights: FaceSights, stands: Sequence[Stand]) -> FloatArray:
        """From a cocked die's face to what is reported as its place, shape (2,), pixels."""
        outline = stands[row].outline_px
        departs = sights.lean_px[row] - (outline[4] - outline[0])
        tipped = float(np.hypot(*departs)) >= self._params.tipped * squares.edge_px[row]
        return departs / 2.0 if tipped else np.zeros(2)

    def _suppress_duplicates(
        self, kept: Sequence[int], verdicts: Mapping[int, Verdict], centers: FloatArray, edges_px: FloatArray
    ) -> list[int]:
        """The rows of dice without those cocked ones that are another's second face: of two the less sure one.

        Args:
            kept: The rows of the dice.
            verdicts: What is believed of each.
            centers: Shape (N, 2), where each is reported, a tipped one at its own middle.
            edges_px: Shape (N,).
        """
        cocked = [i for i in kept if verdicts[i].unread is Unread.COCKED]
        chosen: list[int] = []
        for i in sorted(cocked, key=lambda row: -verdicts[row].confidence):
            reach_px = self._params.one_middle * float(edges_px[i])
            if all(math.dist(centers[i].tolist(), centers[j].tolist()) >= reach_px for j in chosen):
                chosen.append(i)
        again = set(cocked) - set(chosen)
        return [i for i in kept if i not in again]

    def _of_burnt(self, places: Places, row: int, verdicts: Mapping[int, Verdict]) -> Verdict | None:
        """What is believed of a burnt spot; one at a die that is reported already is of that die's top."""
        return None if places.near(row, self._weigh.twin_place)[list(verdicts)].any() else NOTHING_LEFT

    def _dice_among(
        self,
        places: Places,
        verdicts: Mapping[int, Verdict],
        colours: Mapping[int, str | None],
        no_tops: F32,
    ) -> list[int]:
        """The rows of the places that are dice, now that their colours are known; `no_tops`, (N,), deny them."""
        denied = no_tops.copy()
        for row in range(places.unburnt, len(places.pairs)):  # what is burnt cannot be judged
            denied[places.near(row, self._weigh.twin_place)] = 0.0
        coloured = [
            Coloured(
                verdict=verdict,
                colour=colours[i],
                no_top=float(denied[i]),
                has_lattice=places.pairs[i][0] is not None,
                center_px=(places.squares.center_xy[i, 0], places.squares.center_xy[i, 1]),
                edge_px=places.seen_edge_px(i),
            )
            for i, verdict in verdicts.items()
        ]
        return [i for i, is_die in zip(verdicts, are_dice(coloured, self._weigh), strict=True) if is_die]

    def _light(self, stage: Stage, places: Places) -> FloatArray | None:
        """The light by which colours are recognised, shape (3,); None for a picture without colour."""
        if is_colourless(stage.part_bgr):
            return None
        if self._profile is not None:
            return stage.gain
        # Of dice that the finder saw, too: a floor's pattern brings faces by the dozen.
        light_pips = [face for face, candidate in places.pairs if face and candidate and not face.dark]
        return light_of(white_pips(light_pips, self._params.colour), self._params.colour)

    def _classes(
        self, soft: Soft, places: Places, rows: Sequence[int], light: FloatArray | None
    ) -> dict[int, str | None]:
        """The colour class of the dice in some rows; none of any without light to see it by."""
        if light is None:
            return dict.fromkeys(rows)
        faces = [places.faces[i] for i in rows]
        params = self._params

        def around(die: int) -> FloatArray:
            return soft.at(_ring(places.squares, rows[die], params.around)) / light

        classes = colour_classes(faces, light, self._profile, self._colours, params.colour, around=around)
        return dict(zip(rows, classes, strict=True))


def _ring(squares: Squares, row: int, away: float) -> FloatArray:
    """Points on a ring around the place in a row, so many edges from its middle; shape (24, 2)."""
    turn = np.arange(24) * (np.pi / 12.0)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * away
    points: FloatArray = squares.center_xy[row] + ring * squares.edge_px[row]
    return points


def look_closer(shares: F32, stands: Sequence[Stand], params: RecogniserParams) -> npt.NDArray[np.bool_]:
    """Put what a closer look showed in the place of what the face reader says, which may still second it.

    Args:
        shares: Shape (N, 8), the face reader's without that of `cocked`; changed in place.
        stands: Of the same places.
        params: The tunables.

    Returns:
        Shape (N,), where the value that is read now is not the one that the face reader read.
    """
    columns = [*range(6), NO_TOP_COLUMN]
    first = shares[:, :6].argmax(axis=1)
    for row, stand in zip(shares, stands, strict=True):
        if stand.shows is None:
            continue
        second = np.maximum(row[:6] / max(float(row[:6].sum()), 1e-6), 1e-3)
        row[columns] = stand.shows
        if stand.shares[FLAT] >= params.second_flat:
            both = row[:6] * second**params.second_word
            row[:6] = both * (row[:6].sum() / max(float(both.sum()), 1e-9))
    split: npt.NDArray[np.bool_] = shares[:, :6].argmax(axis=1) != first
    return split
