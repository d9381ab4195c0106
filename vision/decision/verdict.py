"""Two witnesses for each die: the lattice of its pips, and the nets. Where they agree the reading can be trusted."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from vision.classification.face_reader import COCKED_COLUMN, NO_TOP_COLUMN
from vision.detection.faces import Face
from vision.detection.finder import FaceCandidate
from vision.types.frame import F32
from vision.types.reading import PointPx, Unread


@dataclass(frozen=True, slots=True)
class VerdictParams:
    """When two witnesses, or one, are believed; shares are a net's, 0 to 1: the face reader's, or a closer look's.

    Attributes:
        same_place: Distance of two middles, in edges, below which two sightings are one die.
        loose: A lattice farther than this from its candidate, in edges, may be made of pips beside that die's top.
        loose_deg: A lattice turned by more than this against its candidate may be made of some of that die's pips only:
            a face's sides are those of the die. A 1 has no turn of its own.
        parted_share: A readable lattice that lies off its candidate counts as pips beside that die's top if the face
            reader gives another value at least this share at the candidate.
        own_place: Distance, in edges, from a candidate below which a lattice that is not the candidate's own needs the
            face reader's agreement.
        agreed_share: Least share for the lattice's value where the finder saw the die too.
        agreed_weak: Least share for the lattice's value where the finder saw the die too and the lattice has less than
            `sure_rank`.
        sure_rank: Least rank of a lattice that needs only `agreed_share`; a weaker one needs `agreed_weak`.
        lattice_alone: Least share for the lattice's value where the finder did not see the die. With less the die is
            reported with a doubt, or not at all; see `lattice_rank`.
        lattice_rank: Least rank at which a lattice that only its pips vouch for is reported, with a doubt;
            `background_threshold` may deny it.
        background_threshold: Share of `no top face` from which what only a lattice took for a die is pattern of the
            background.
        overrule: Least share of another value than the lattice's to be believed against the lattice: glare hides pips
            from it that the nets still see. See `overrule_rank`, `lone_rank` and `overruled`.
        overrule_rank: A lattice can be overruled only if its rank is less than this.
        lone_rank: A lattice of a lone pip, a 1, can be overruled only if its rank is less than this.
        overruled: A lattice can be overruled only if its own value has at most this share.
        net_alone: Least share of a value to be trusted where no lattice was read.
        net_alone_score: Least score of the finder for a value to be trusted where no lattice was read.
        net_alone_no_top: Greatest share of `no top face` for a value to be trusted where no lattice was read: chips and
            tokens have more.
        alone_flat: Least share of lying flat for a value to be trusted without a lattice, and for a lattice to be
            overruled. Of a tipped die the nets read the larger face.
        one_flat: Least share of lying flat that replaces `alone_flat` for a 1 without a lattice: of a tipped die a 1 is
            seen less often.
        burnt: Share of the top burnt white from which pips may be invisible: the lattice is not overruled, and a value
            without a lattice needs `burnt_alone`.
        burnt_alone: Least share of a value to be trusted without a lattice where `burnt` of the top is burnt white.
        net_value: Least share of a value for the value to be reported with a doubt.
        denied_share: Share of `no top face` from which a place that the finder saw is no die, lattice or none.
        no_top_share: Share of `no top face` from which a place that only the finder saw is no die, unless its score is
            at least `no_top_score`.
        no_top_score: Finder's score from which a place that only the finder saw stays a die whatever its share of `no
            top face`.
        glimpse_no_top: Share of `no top face` that replaces `no_top_share` where the finder's score is less than
            `glimpse_score`.
        glimpse_score: Finder's score below which `glimpse_no_top` applies.
        faint_score: Least score of the finder for a die without a likely value to be reported at all; see
            `faint_no_top`.
        faint_no_top: A die that does not lie flat is reported below `faint_score`, too, if its share of `no top face`
            is less than this: cocked dice are faint.
        solid_score: Least score of the finder at which a candidate is surely a die; `solid_no_top` must hold, too.
        solid_no_top: Share of `no top face` below which a candidate with `solid_score` is surely a die.
        outside_share: Least confidence for a die outside the tray to be reported.
        strange_no_top: Share of `no top face` from which a place of no class's colour is no die.
        twin_place: A place without a lattice or a value that is nearer than this, in edges, to a die that is read and
            has its colour, is that die seen twice: no two tops lie so near.
        twin_no_top: Share of `no top face` from which `twin_place` also applies to a place that seems cocked or
            stacked.
        own_top: Distance that replaces `twin_place` for a place that seems cocked or stacked and has less than
            `twin_no_top`: all of the read die's own top shows there.
        giant: A place without a lattice whose value is in doubt is a chip or a coaster if it is this many times as
            large as the dice that are read: the dice of one game are nearly of one size.
    """

    same_place: float = 0.5
    loose: float = 0.12
    loose_deg: float = 20.0
    parted_share: float = 0.9
    own_place: float = 0.8
    agreed_share: float = 0.7
    agreed_weak: float = 0.75
    sure_rank: float = 6.6
    lattice_alone: float = 0.65
    lattice_rank: float = 8.3
    background_threshold: float = 0.95
    overrule: float = 0.9
    overrule_rank: float = 9.0
    lone_rank: float = 11.0
    overruled: float = 0.05
    net_alone: float = 0.8
    net_alone_score: float = 0.25
    net_alone_no_top: float = 0.2
    alone_flat: float = 0.65
    one_flat: float = 0.35
    burnt: float = 0.3
    burnt_alone: float = 0.95
    net_value: float = 0.5
    denied_share: float = 0.98
    no_top_share: float = 0.9
    no_top_score: float = 0.75
    glimpse_no_top: float = 0.7
    glimpse_score: float = 0.3
    faint_score: float = 0.2
    faint_no_top: float = 0.4
    solid_score: float = 0.38
    solid_no_top: float = 0.6
    outside_share: float = 0.7
    strange_no_top: float = 0.65
    twin_place: float = 0.6
    twin_no_top: float = 0.6
    own_top: float = 0.35
    giant: float = 1.35


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """One die as the two witnesses saw it; at least one of them did.

    Attributes:
        face: Face whose lattice was read, or None.
        candidate: The finder's candidate, or None.
        shares: Eight shares of the face reader for it: values 1 to 6, cocked, no top face.
        split: Whether a closer look, from which `shares` then come, reads another value than the face reader did.
        burnt: Share of the top that is burnt white.
        flat: Share of lying flat, 0 to 1.
        standing: Why the die does not lie flat, or None.
        crowded: Whether another die that the finder saw lies too near for the lattice to be surely one of its own.
    """

    face: Face | None
    candidate: FaceCandidate | None
    shares: F32
    split: bool = False
    burnt: float = 0.0
    flat: float = 1.0
    standing: Unread | None = None
    crowded: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is believed of one die.

    Attributes:
        value: Value from 1 to 6, or None where neither witness has one.
        confidence: Confidence in the value, 0 to 1.
        unread: Why the value is in doubt, or None.
    """

    value: int | None
    confidence: float
    unread: Unread | None


NOTHING_LEFT = Verdict(value=None, confidence=0.0, unread=Unread.PIPS_UNCLEAR)
"""What is believed of a top of which nothing but white is seen."""


@dataclass(frozen=True, slots=True)
class Coloured:
    """What a place was taken for, with its colour.

    Attributes:
        verdict: What is believed of the place.
        colour: Colour class of the place, or None.
        no_top: Share of `no top face`, 0 to 1.
        has_lattice: Whether the pips of a face were seen there.
        center_px: Middle of the face, in pixels.
        edge_px: Edge of the face, in pixels.
    """

    verdict: Verdict
    colour: str | None
    no_top: float
    has_lattice: bool
    center_px: PointPx
    edge_px: float


def without_cocked(shares: F32, least: float = 0.1) -> F32:
    """The face reader's shares where something better says whether the die leans.

    Args:
        shares: Shape (N, 8), as in `FaceSights`.
        least: What must be left for the other answers; of less nothing can be said.

    Returns:
        Shape (N, 8), that of `cocked` taken out.
    """
    left = 1.0 - shares[:, COCKED_COLUMN]
    known = left >= least
    rest = shares.copy()
    rest[known] /= left[known, None]
    rest[known, COCKED_COLUMN] = 0.0
    return rest


def pair_up(
    faces: tuple[Face, ...], candidates: tuple[FaceCandidate, ...], params: VerdictParams
) -> list[tuple[Face | None, FaceCandidate | None]]:
    """Match lattice readings with the finder's candidates; both in one picture's pixels."""
    free = list(candidates)
    pairs: list[tuple[Face | None, FaceCandidate | None]] = []
    for face in faces:
        at = face.center_xy.tolist()
        away = [math.dist(c.center_px, at) for c in free]
        best = away.index(min(away)) if away else -1
        if away and away[best] < params.same_place * face.edge_px:
            pairs.append((face, free.pop(best)))
        else:
            pairs.append((face, None))
    return pairs + [(None, candidate) for candidate in free]


def judge_die(evidence: Evidence, params: VerdictParams) -> Verdict | None:
    """Weigh the witnesses.

    Args:
        evidence: Of one die.
        params: The tunables.

    Returns:
        The verdict; None where it is no die after all.
    """
    shares = evidence.shares
    if evidence.candidate is not None and shares[NO_TOP_COLUMN] >= params.denied_share:
        return None
    best = max(range(6), key=shares.__getitem__)
    net_value, net_share = best + 1, shares[best]
    face, standing = evidence.face, evidence.standing
    if face is None:
        return _net_only(evidence, net_value, net_share, params)
    share = shares[face.value - 1]
    if evidence.candidate is None and share < params.lattice_alone:
        # The finder overlooks one die in two hundred; of what only the lattice sees nearly all is pattern.
        no_top = shares[NO_TOP_COLUMN]
        clear = face.rank >= params.lattice_rank and not evidence.crowded and no_top < params.background_threshold
        kept = clear or share >= params.net_value or (no_top < 0.5 and not evidence.crowded)
        return Verdict(face.value, share, standing or Unread.PIPS_UNCLEAR) if kept else None
    if standing is not None:
        return Verdict(face.value, share, standing)
    if face.value != net_value and net_share > share:
        weak = face.rank < (params.lone_rank if face.value == 1 else params.overrule_rank) and share <= params.overruled
        sure = net_share >= params.overrule and evidence.flat >= params.alone_flat and evidence.burnt < params.burnt
        overruled = weak and sure and evidence.candidate is not None and not evidence.split
        return Verdict(net_value, net_share, None) if overruled else Verdict(face.value, share, Unread.PIPS_UNCLEAR)
    sure = share >= params.agreed_share and (face.rank >= params.sure_rank or share >= params.agreed_weak)
    sure = sure and not evidence.split
    return Verdict(face.value, max(share, 0.5), None if sure else Unread.PIPS_UNCLEAR)


def is_loose(face: Face, candidate: FaceCandidate, params: VerdictParams) -> bool:
    """Whether a lattice does not lie as the finder's die does, so that the two may not be of one top."""
    if math.dist(candidate.center_px, face.center_xy.tolist()) > params.loose * face.edge_px:
        return True
    turned_deg = math.degrees(math.atan2(face.axis_xy[1], face.axis_xy[0])) - candidate.angle_deg
    return face.value != 1 and abs((turned_deg + 45.0) % 90.0 - 45.0) > params.loose_deg


def is_beside(value: int, on_lattice: Sequence[float], on_candidate: Sequence[float], params: VerdictParams) -> bool:
    """Whether a lattice that lies off its candidate is not of that die's top, but of pips beside it.

    Args:
        value: The value that the lattice shows.
        on_lattice: Eight shares of the face reader at the lattice's place.
        on_candidate: Eight shares of the face reader at the candidate's place.
        params: The tunables.
    """
    share, other = on_lattice[value - 1], max(range(6), key=on_candidate.__getitem__)
    readable = share >= params.net_value
    if readable and other == value - 1:
        return False
    return on_candidate[other] >= max(share, params.parted_share if readable else params.net_value)


def is_crowded(face: Face, candidates: tuple[FaceCandidate, ...], params: VerdictParams) -> bool:
    """Whether a lattice lies so near to a die of the finder's that it may be made of that die's pips."""
    at, limit = face.center_xy.tolist(), params.own_place * face.edge_px
    return any(math.dist(c.center_px, at) < limit for c in candidates)


def are_dice(places: Sequence[Coloured], params: VerdictParams) -> list[bool]:
    """Which places are dice, now that their colours are known.

    What is of no class's colour and shows no top face is none. Nor is what shows a die that is read once more, or
    something much larger than those.
    """
    read = [place for place in places if place.verdict.unread is None]
    largest = params.giant * statistics.median([die.edge_px for die in read]) if read else math.inf

    def is_die(place: Coloured) -> bool:
        if place.colour is None and place.no_top >= params.strange_no_top:
            return False
        if place.has_lattice:
            return True
        upright = place.verdict.unread is Unread.PIPS_UNCLEAR
        if upright and place.edge_px >= largest:
            return False
        if place.verdict.value is not None:
            return True
        # One that seems not to lie flat may tell how the die stands that it shows.
        reach = params.twin_place if upright or place.no_top >= params.twin_no_top else params.own_top
        return not any(_shows(die, place, reach) for die in read)

    return [is_die(place) for place in places]


def _shows(die: Coloured, place: Coloured, reach: float) -> bool:
    """Whether what a place shows, nearer than so many edges, is a die that is read."""
    return place.colour == die.colour and math.dist(place.center_px, die.center_px) < reach * die.edge_px


def is_solid(candidate: FaceCandidate, shares: Sequence[float], params: VerdictParams) -> bool:
    """Whether a candidate is surely a die, if not surely of which value: it may be what another lies on."""
    return candidate.score >= params.solid_score and shares[NO_TOP_COLUMN] < params.solid_no_top


def _net_only(evidence: Evidence, value: int, share: float, params: VerdictParams) -> Verdict | None:
    """The verdict where no lattice was read."""
    score = evidence.candidate.score if evidence.candidate is not None else 0.0
    denied = params.no_top_share if score >= params.glimpse_score else params.glimpse_no_top
    if evidence.shares[NO_TOP_COLUMN] >= denied and score < params.no_top_score:
        return None
    leans = evidence.standing is not None and evidence.shares[NO_TOP_COLUMN] < params.faint_no_top
    if share < params.net_value and score < params.faint_score and not leans:
        return None
    if evidence.standing is not None:
        return Verdict(value if share >= params.net_value else None, share, evidence.standing)
    least = params.net_alone if evidence.burnt < params.burnt else params.burnt_alone
    sure = share >= least and evidence.shares[NO_TOP_COLUMN] <= params.net_alone_no_top and not evidence.split
    if sure and score >= params.net_alone_score:
        flat = evidence.flat >= (params.one_flat if value == 1 else params.alone_flat)
        return Verdict(value, share, None if flat else Unread.COCKED)
    return Verdict(value if share >= params.net_value else None, share, Unread.PIPS_UNCLEAR)
