"""Where dice are: top faces that the finder sees, and faces whose lattice of pips is read round them."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.detection.burnt import BurntParams, burnt_tops
from vision.detection.faces import Face, FaceParams, choose_faces, lattice_edge
from vision.detection.finder import FaceCandidate, FaceFinder, FinderParams
from vision.detection.lattice import fit_faces
from vision.detection.pips import PipParams, Pips, find_pips
from vision.geometry.camera import SizedView
from vision.imaging.pyramid import ImagePyramid
from vision.imaging.softened import Soft, soften
from vision.tray.own_things import Thing, ThingParams, is_one_of, still_there
from vision.tray.profile import Profile
from vision.tray.stage import Stage


@dataclass(frozen=True, slots=True)
class DetectorParams:
    """How dice are looked for.

    Attributes:
        pips: Parameters of finding pips and reading lattices.
        faces: Parameters of choosing top faces.
        things: Parameters of recognising the tray's own things.
        burnt: Parameters of finding tops that a lamp burnt white.
        finder_edge_px: Edge of a die at the scale at which the finder first sees the picture.
        rescale: Ratio between the dice's edge and `finder_edge_px` from which the finder looks again, in a tray of no
            known size.
        sure_score: Score from which a die is sure. Where fewer than `few` are sure the finder looks once more, at a
            finer scale.
        few: Number of sure dice from which one look is enough. With fewer, small dice in a large tray may hardly be
            seen, or something larger be taken for them.
        clear_score: Score from which a place is clear. The finer look is left out where one die is sure and most of the
            places are clear.
        finer: Factor by which the scale of the second look is finer. That look is believed where it shows more sure
            dice, smaller by at least `rescale`.
        pip_aside: Range of distances from the middle of a larger die, in its edges, at which a small sighting is one of
            its pips.
        candidate_score: Least score of the finder for a candidate.
        faint_score: Least score of the finder for a place that is looked at closely where nothing else was found.
        faint_off: Least distance, in edges, of a faint sighting from all that was found otherwise.
        glimpse_score: Least score of the finder for lattices to be looked for at a place. How many dice have
            less: vision/decisions/2026-11-23-how-large-the-dice-are.md.
        least_edge_votes: Least number of candidates from which, without a profile, the expected edge is their median
            instead of the stage's.
        voted_size_ratio: How far the dice may be off from the edge that candidates voted for, as a ratio either way: a
            tenth more than from a profile's.
        soft_sigma: Blur of the softened copy in which lattices are read, in edges.
        by_pips: Weight, as an exponent, of the edge that the distances of pips imply, against the edge that the finder
            or the profile gives. Makers space pips at 0.7 to 1.1 of what is usual, so that either may be off by a
            tenth.
    """

    pips: PipParams = field(default_factory=PipParams)
    faces: FaceParams = field(default_factory=FaceParams)
    things: ThingParams = field(default_factory=ThingParams)
    burnt: BurntParams = field(default_factory=BurntParams)
    finder_edge_px: float = 24.0
    rescale: float = 1.4
    sure_score: float = 0.65
    few: int = 3
    clear_score: float = 0.5
    finer: float = 2.0
    pip_aside: tuple[float, float] = (0.15, 0.5)
    candidate_score: float = 0.3
    faint_score: float = 0.15
    faint_off: float = 0.4
    glimpse_score: float = 0.1
    least_edge_votes: int = 1
    voted_size_ratio: float = 1.08 * 1.1
    soft_sigma: float = 0.036
    by_pips: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """What may be dice, in pixels of the stage's part of the picture.

    Attributes:
        picture: The stage's part of the picture, with its halved copies.
        soft: The stage's part of the picture, softened.
        pips: Light pips and dark pips.
        faces: Top faces whose lattice was read.
        candidates: Candidates of the finder.
        faint: Candidates of the finder that are too faint by themselves, at places where nothing else was found.
        burnt: Spots that may be tops burnt so white that nothing else shows them.
        view: The camera and the dice's common edge.
        own: Things of the tray itself that lie where they lay when the profile was made.
    """

    picture: ImagePyramid
    soft: Soft
    pips: tuple[Pips, Pips]
    faces: tuple[Face, ...]
    candidates: tuple[FaceCandidate, ...]
    faint: tuple[FaceCandidate, ...]
    burnt: tuple[FaceCandidate, ...]
    view: SizedView
    own: tuple[Thing, ...]


class Detector:
    """Finds what may be dice; threads may share one."""

    def __init__(self, profile: Profile | None, params: DetectorParams) -> None:
        """Load the finder.

        Args:
            profile: The tray's calibration, or None: the dice's size is not known.
            params: The tunables.

        Raises:
            VisionError: The finder's weights are missing.
        """
        self._profile = profile
        self._params = params
        self._finder = FaceFinder(FinderParams(min_score=params.glimpse_score))

    def detect(self, stage: Stage, lap: Callable[[str], None]) -> Detections:
        """Find what may be dice.

        Args:
            stage: Where to look.
            lap: Told the name of each part of the work, `find`, `pips` and `lattices`, when it is done.

        Returns:
            All of it; a die that both the finder and a lattice report is in there twice.
        """
        params, picture = self._params, stage.part
        own = self._own_things(stage)
        glimpses = self._glimpses(stage, own)
        candidates = self._candidates(glimpses)
        guess, ratio = self._likely_edge(stage, candidates)
        lap("find")
        places = np.array([glimpse.center_px for glimpse in glimpses]).reshape(-1, 2)
        pips = find_pips(picture, places, guess, params.pips)
        lap("pips")
        soft = soften(picture, guess, params.soft_sigma)
        fits = fit_faces(soft, pips, (guess / ratio, guess * ratio), params.pips)
        turned = [(*candidate.center_px, math.radians(candidate.angle_deg)) for candidate in candidates]
        seen = np.array(turned).reshape(-1, 3)
        lattice_px = lattice_edge(fits, params.pips.step, (guess, ratio), params.faces, seen=seen[:, :2]) or guess
        edge = guess * (lattice_px / guess) ** params.by_pips
        faces = choose_faces(soft, fits, pips, edge, (params.pips, params.faces), lattice_px=lattice_px, seen=seen)
        faint = self._faint(glimpses, candidates, faces)
        burnt = self._burnt(stage, edge, own)
        lap("lattices")
        nadir = (stage.view.nadir_px[0] - stage.left_top[0], stage.view.nadir_px[1] - stage.left_top[1])
        view = SizedView(replace(stage.view, nadir_px=nadir), edge)
        return Detections(picture, soft, pips, tuple(faces), candidates, faint, burnt, view, own)

    def _glimpses(self, stage: Stage, own: Sequence[Thing]) -> tuple[FaceCandidate, ...]:
        """Whatever the finder saw, however faintly, but not what is the tray's own."""
        params = self._params
        return tuple(
            glimpse for glimpse in self._find_in_tray(stage) if not is_one_of(own, *glimpse.center_px, params.things)
        )

    def _own_things(self, stage: Stage) -> tuple[Thing, ...]:
        """What the empty tray had that looks like a die and lies there as it did, in pixels of the stage's part."""
        if self._profile is None or not self._profile.things:
            return ()
        scale = stage.edge_px / self._profile.edge_px
        moved = [thing.moved(scale, stage.left_top) for thing in self._profile.things]
        return still_there(moved, stage.part_bgr, stage.gain, self._params.things)

    def _find_in_tray(self, stage: Stage) -> tuple[FaceCandidate, ...]:
        """The finder's glimpses at the scale that the tray implies, or at one that suits them better."""
        params = self._params
        scale = min(1.0, params.finder_edge_px / stage.edge_px)
        found = self._finder.find(stage.part, scale)
        if self._profile is not None:
            return found
        found = self._suited(stage.part, scale, found)
        large = self._sure(found)
        if scale == 1.0 or len(large) >= params.few or (large and self._mostly_clear(found)):
            return found
        scale = min(1.0, scale * params.finer)
        finer = self._suited(stage.part, scale, self._finder.find(stage.part, scale))
        seen = self._candidates(found)
        small = [die for die in self._sure(finer) if not any(self._is_pip_of(die, other) for other in seen)]
        if len(small) <= len(large):
            return found
        if large and params.rescale * _median_edge_px(small) > _median_edge_px(large):
            return found
        return finer

    def _sure(self, glimpses: Sequence[FaceCandidate]) -> list[FaceCandidate]:
        return [glimpse for glimpse in glimpses if glimpse.score >= self._params.sure_score]

    def _mostly_clear(self, glimpses: Sequence[FaceCandidate]) -> bool:
        """Whether most of all that was glimpsed was seen clearly: no small dice are among it that hardly were."""
        clear = sum(glimpse.score >= self._params.clear_score for glimpse in glimpses)
        return 2 * clear > len(glimpses)

    def _is_pip_of(self, small: FaceCandidate, large: FaceCandidate) -> bool:
        """Whether what looks like a small die lies aside on a large one, as pips do: at its middle it is that die."""
        low, high = (share * large.edge_px for share in self._params.pip_aside)
        aside = low < math.dist(small.center_px, large.center_px) < high
        return aside and self._params.rescale * small.edge_px <= large.edge_px

    def _suited(
        self, picture: ImagePyramid, scale: float, found: tuple[FaceCandidate, ...]
    ) -> tuple[FaceCandidate, ...]:
        """What was found at a scale, or what is found at the one that suits the dice's size, where that is another."""
        candidates = self._candidates(found)
        if not candidates:
            return found
        edge = _median_edge_px(candidates) * scale
        better = min(1.0, self._params.finder_edge_px * scale / edge)
        ratio = self._params.rescale
        return found if 1 / ratio <= better / scale <= ratio else self._finder.find(picture, better)

    def _candidates(self, glimpses: tuple[FaceCandidate, ...]) -> tuple[FaceCandidate, ...]:
        return tuple(glimpse for glimpse in glimpses if glimpse.score > self._params.candidate_score)

    def _faint(
        self, glimpses: tuple[FaceCandidate, ...], candidates: tuple[FaceCandidate, ...], faces: Sequence[Face]
    ) -> tuple[FaceCandidate, ...]:
        """Glimpses that are no candidates and lie off all that was found; a lattice alone counts only in a tray."""
        lattices = [face.center_xy.tolist() for face in faces]
        found = [candidate.center_px for candidate in candidates] + lattices
        return tuple(
            glimpse
            for glimpse in glimpses
            if self._params.faint_score < glimpse.score <= self._params.candidate_score
            and all(math.dist(glimpse.center_px, at) > self._params.faint_off * glimpse.edge_px for at in found)
        )

    def _burnt(self, stage: Stage, edge_px: float, own: Sequence[Thing]) -> tuple[FaceCandidate, ...]:
        """Burnt spots on the floor that are not the tray's own."""
        params = self._params
        return tuple(
            spot
            for spot in burnt_tops(stage.part, edge_px, params.burnt)
            if stage.inside_px(*spot.center_px) >= 0 and not is_one_of(own, *spot.center_px, params.things)
        )

    def _tops_of(self, candidates: Sequence[FaceCandidate]) -> list[FaceCandidate]:
        """The candidates that lie apart from all surer ones: not a side of a die beside its top."""
        apart = self._params.faces.apart
        return [
            candidate
            for candidate in candidates
            if all(
                other.score <= candidate.score
                or math.dist(candidate.center_px, other.center_px) > apart * other.edge_px
                for other in candidates
            )
        ]

    def _likely_edge(self, stage: Stage, candidates: tuple[FaceCandidate, ...]) -> tuple[float, float]:
        """The dice's edge in pixels, and the ratio by which it may be off: of the stage, or as the finder saw it."""
        if self._profile is None and len(candidates) >= self._params.least_edge_votes:
            # A table's pattern has no say.
            inside = [candidate for candidate in candidates if stage.inside_px(*candidate.center_px) > 0.0]
            return _median_edge_px(self._tops_of(inside or candidates)), self._params.voted_size_ratio
        return stage.edge_px, stage.size_ratio


def _median_edge_px(candidates: Sequence[FaceCandidate]) -> float:
    return statistics.median(candidate.edge_px for candidate in candidates)
