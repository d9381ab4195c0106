"""Dice at rest as the tray knows them: the camera's reading, overridden by corrections."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import dist
from typing import NamedTuple

from vision.types.reading import DieReading, PointPx, Problem, Unread
from vision.types.sighting import Rest, TrackedDie

SAME_PLACE_EDGES = 0.5
"""A die within this many of its own edges of its old place has at most been nudged; about one thrown die in a hundred
lands that near. Measured on drawn trays, where readings of one rest differ by 0.03 edges."""
_ELSEWHERE_EDGES = 0.15
"""Beyond this many of its own edges from its place an untouched die is drawn where it is seen now."""
FIRST_ADDED_ID = 500_001
"""First id of added dice: above any tracker's, below those of manual dice."""
EDGE_SHARE = 0.045
"""Edge of a die if none is seen to measure, as a share of the picture's width."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction of one die; None keeps the camera's reading, but no value of a die with other sides."""

    value: int | None
    colour: str | None
    sides: int | None = None


class DieFace(NamedTuple):
    id: int
    value: int | None
    colour: str | None
    sides: int = 6


@dataclass(frozen=True, slots=True)
class LyingDie:
    id: int
    reading: DieReading
    moved: bool | None
    correction: Correction | None = None
    # whether the camera read this die differently while it lay still: then neither reading is trusted
    contradicted: bool = False
    added: bool = False
    seen_as: int | None = None

    @property
    def is_unseen(self) -> bool:
        """Whether only a person has seen it, so that it may no longer be there."""
        return self.added and self.seen_as is None

    @property
    def tracked_id(self) -> int:
        return self.id if self.seen_as is None else self.seen_as

    @property
    def value(self) -> int | None:
        """The top face if it is certain."""
        if self.correction is not None and (self.correction.value is not None or self.correction.sides is not None):
            return self.correction.value
        trusted = self.reading.unread in (None, Unread.COLOUR_UNCLEAR) and not self.contradicted
        return self.reading.value if trusted else None

    @property
    def colour(self) -> str | None:
        """The colour class if it is certain."""
        if self.correction is not None and self.correction.colour is not None:
            return self.correction.colour
        return None if self.reading.unread is Unread.COLOUR_UNCLEAR else self.reading.colour

    @property
    def sides(self) -> int:
        corrected = None if self.correction is None else self.correction.sides
        return corrected or self.reading.sides

    @property
    def edge_px(self) -> float:
        quad = self.reading.top_quad_px
        return sum(dist(quad[i], quad[(i + 1) % 4]) for i in range(4)) / 4


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that lies in the tray at one rest."""

    dice: tuple[LyingDie, ...]
    width_px: int  # width of the picture that the pixel coordinates belong to
    height_px: int  # height of the picture that the pixel coordinates belong to
    problems: tuple[Problem, ...] = ()
    doubtful: bool = False
    ignored: tuple[LyingDie, ...] = ()
    confirmed: bool = False
    # whether the program restarted since these dice were read: the same dice at the same places are then these
    restored: bool = False
    # whether the camera was moved since these dice were read
    camera_moved: bool = False

    @property
    def faces(self) -> tuple[DieFace, ...]:
        return tuple(DieFace(die.id, die.value, die.colour, die.sides) for die in self.dice)

    def ignored_die(self, die_id: int) -> LyingDie | None:
        return next((die for die in self.ignored if die.id == die_id), None)

    def without(self, die_id: int) -> "Layout":
        """Return the same rest with a die dismissed; one that only a person has seen is removed."""
        die = self.die(die_id)
        left = tuple(other for other in self.dice if other.id != die_id)
        if die is None or die.is_unseen:
            return replace(self, dice=left)
        return replace(self, dice=left, ignored=(*self.ignored, replace(die, correction=None)))

    def with_ignored(self, die_id: int) -> "Layout":
        """Return the same rest with a dismissed die restored."""
        back = tuple(die for die in self.ignored if die.id == die_id)
        left = tuple(die for die in self.ignored if die.id != die_id)
        return replace(self, dice=_in_order((*self.dice, *back)), ignored=left)

    def with_added(self, die: LyingDie) -> "Layout":
        return replace(self, dice=_in_order((*self.dice, die)))

    def without_unseen(self, die_ids: Collection[int]) -> "Layout":
        """Return the same rest without those of these dice that no camera has seen."""
        return replace(self, dice=tuple(die for die in self.dice if not (die.is_unseen and die.id in die_ids)))

    def tracked(self, less: Collection[int] = ()) -> dict[int, DieReading]:
        """Return these dice by the camera tracker's ids."""
        seen = (die for die in self.dice if die.id not in less and not die.is_unseen)
        return {die.tracked_id: die.reading for die in (*seen, *self.ignored)}

    def seen_in(self, now: "Layout") -> "Layout":
        """Return these dice after a later rest: a camera that was moved since shows untouched dice elsewhere."""
        there = {die.id: die for die in now.dice if die.moved is False}
        dice = tuple(_seen_at(die, there.get(die.id)) for die in self.dice)
        moved = Problem.CAMERA_MOVED in now.problems
        return replace(self, dice=dice, camera_moved=moved, confirmed=self.confirmed and moved <= self.camera_moved)

    def after_nudge(self, now: "Layout") -> "Layout":
        """Return a later rest of the same dice and faces, which were read before the camera was moved, if it was."""
        problems = tuple(problem for problem in now.problems if problem is not Problem.CAMERA_MOVED)
        confirmed = now.confirmed or (self.confirmed and self.camera_moved)
        return replace(now, problems=problems, camera_moved=self.camera_moved, confirmed=confirmed)

    @property
    def edge_px(self) -> float:
        """Edge of a die as seen here, or as usual if none is seen."""
        edges = sorted(die.edge_px for die in (*self.dice, *self.ignored))
        return edges[len(edges) // 2] if edges else self.width_px * EDGE_SHARE

    def die(self, die_id: int) -> LyingDie | None:
        """Return the die of that id, if it is here."""
        return next((die for die in self.dice if die.id == die_id), None)

    def with_correction(self, die_id: int, correction: Correction | None) -> "Layout":
        """Return the same rest with a correction of one die; None removes it."""
        return replace(
            self, dice=tuple(replace(die, correction=correction) if die.id == die_id else die for die in self.dice)
        )


def layout_of(rest: Rest, before: Layout | None) -> Layout:
    """Turn what the camera saw into a layout.

    Args:
        before: The previous rest, if any. Corrections of dice that stayed (or were nudged and read the same) are
            carried over, as are dismissed and added dice; a die that stayed but reads differently is contradicted.
    """
    dice: list[LyingDie] = []
    ignored: list[LyingDie] = []
    for die in rest.dice:
        missed = None if before is None else _missed(die, before)
        dismissed = None if before is None else before.ignored_die(die.id)
        if missed is not None:
            dice.append(_found(die, missed))
        elif dismissed is not None and _stays(die, dismissed):
            ignored.append(replace(dismissed, reading=die.reading, moved=die.moved))
        else:
            dice.append(_lying(die, before.die(die.id) if before else None))
    if before is not None and _some_stayed(rest, before):
        dice += [die for die in before.dice if die.is_unseen and die.id not in {found.id for found in dice}]
    all_clear = all(die.reading.unread is None for die in rest.dice)
    layout = Layout(
        dice=_in_order(dice),
        width_px=rest.width_px,
        height_px=rest.height_px,
        problems=rest.problems,
        doubtful=not rest.trusted and all_clear and not rest.problems,
        ignored=tuple(ignored),
    )
    return replace(layout, confirmed=before is not None and _is_confirmed(before, layout))


def added_die(layout: Layout, center_px: PointPx, word: Correction, known: Iterable[int] = ()) -> LyingDie:
    """Return a die that a person added, drawn upright and as large as the others."""
    taken = [die.id for die in layout.dice if die.added] + [die_id for die_id in known if die_id >= FIRST_ADDED_ID]
    (x, y), half = center_px, layout.edge_px / 2
    quad = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
    box = (x - half, y - half, 2 * half, 2 * half)
    reading = DieReading(None, None, 0.0, Unread.PIPS_UNCLEAR, center_px, box, quad)
    return LyingDie(max([FIRST_ADDED_ID - 1, *taken]) + 1, reading, None, word, added=True)


def shifts(before: Layout, now: Layout) -> dict[int, float]:
    """Return how far each remaining die has moved, in edges of its own top face."""
    there = {die.id: die for die in now.dice}
    return {die.id: _shift_edges(die, there[die.id]) for die in before.dice if die.id in there}


def _shift_edges(before: LyingDie, now: LyingDie) -> float:
    return dist(before.reading.center_px, now.reading.center_px) / max(before.edge_px, 1.0)


def _seen_at(die: LyingDie, now: LyingDie | None) -> LyingDie:
    """Return an untouched die at the place where it is seen now, if that is elsewhere."""
    if now is None or _shift_edges(die, now) <= _ELSEWHERE_EDGES:
        return die
    reading, seen = die.reading, now.reading
    return replace(
        die,
        reading=replace(reading, center_px=seen.center_px, box_px=seen.box_px, top_quad_px=seen.top_quad_px),
    )


def is_same_spread(before: Layout, now: Layout) -> bool:
    """Return whether everything here was there before, showing the same; dice may have been taken away.

    Ids are not compared, since the tracker may have been reset.
    """
    left = [*before.dice, *before.ignored]
    for die in now.dice:
        match = next((old for old in left if _looks_untouched(old, die)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def lies_again(before: Layout, now: Layout) -> bool:
    """Return whether exactly these dice lie there after a restart, each at its place with its face."""
    return (
        before.restored
        and before.faces == now.faces
        and all(shift <= SAME_PLACE_EDGES for shift in shifts(before, now).values())
    )


def is_seen_in_part(before: Layout, now: Layout) -> bool:
    """Return whether some dice of an earlier run have been seen since the start, unchanged or unread."""
    is_less = len(now.dice) < len(before.dice) or any(die.value is None for die in now.dice)
    return before.restored and bool(now.dice) and is_less and is_same_spread(before, now)


def _looks_untouched(before: LyingDie, now: LyingDie) -> bool:
    same_face = None in (before.reading.shows, now.reading.shows) or before.reading.shows == now.reading.shows
    return same_face and _shift_edges(before, now) <= SAME_PLACE_EDGES


def _in_order(dice: Iterable[LyingDie]) -> tuple[LyingDie, ...]:
    return tuple(sorted(dice, key=lambda die: die.id))


def _missed(die: TrackedDie, before: Layout) -> LyingDie | None:
    """Return the added die that the camera has now found, under this id or as a new die in its place."""
    for added in before.dice:
        if added.seen_as == die.id:
            return added
    if before.die(die.id) is not None or before.ignored_die(die.id) is not None:
        return None
    now = LyingDie(die.id, die.reading, die.moved)
    unseen = [added for added in before.dice if added.is_unseen and _shift_edges(added, now) <= SAME_PLACE_EDGES]
    return min(unseen, key=lambda added: _shift_edges(added, now), default=None)


def _found(die: TrackedDie, missed: LyingDie) -> LyingDie:
    if missed.is_unseen:
        # The correction overrides what the camera reads at last.
        return replace(missed, reading=die.reading, seen_as=die.id)
    return replace(_lying(replace(die, id=missed.id), missed), added=True, seen_as=die.id)


def _stays(die: TrackedDie, before: LyingDie) -> bool:
    """Return whether nothing moved there. An object that is not a die may be read differently while it lies still."""
    if die.moved is False:
        return True
    near = _shift_edges(before, LyingDie(die.id, die.reading, die.moved)) <= SAME_PLACE_EDGES
    return near and (die.moved is None or _reads_alike(die.reading, before.reading))


def _some_stayed(rest: Rest, before: Layout) -> bool:
    """Return whether an added die may still be there: not if every seen die has moved."""
    was = {die.tracked_id: die for die in (*before.dice, *before.ignored) if not die.is_unseen}
    if not was:
        return all(_missed(die, before) is not None for die in rest.dice)
    return any(die.id in was and _stays(die, was[die.id]) for die in rest.dice)


def _is_confirmed(before: Layout, now: Layout) -> bool:
    still = all(die.moved is not True for die in now.dice if not die.added)
    return before.confirmed and before.faces == now.faces and still and set(now.problems) <= set(before.problems)


def _lying(die: TrackedDie, before: LyingDie | None) -> LyingDie:
    now = LyingDie(id=die.id, reading=die.reading, moved=die.moved)
    if before is None:
        return now
    nudged = _reads_alike(die.reading, before.reading) and _shift_edges(before, now) <= SAME_PLACE_EDGES
    if die.moved is not False and not nudged:
        return now
    return replace(now, correction=before.correction, contradicted=before.contradicted or _reads_otherwise(before, now))


def _reads_otherwise(before: LyingDie, now: LyingDie) -> bool:
    was, reads = before.reading, now.reading
    if now.moved is not False or was.unread is not None or reads.unread is not None:
        return False
    return not _reads_alike(was, reads)


def _reads_alike(one: DieReading, other: DieReading) -> bool:
    return (one.shows, one.colour) == (other.shows, other.colour)
