"""Dice at rest as the tray knows them: the camera's reading, and a person's word over it."""

from dataclasses import dataclass, replace
from math import dist

from vision.reading import DieReading, Problem, Unread
from vision.sighting import Rest, TrackedDie

SAME_PLACE_EDGES = 0.5
"""A die seen within this many of its own edges of where it lay has at most been nudged (a thrown die lands farther away
but for about one time in a hundred); measured on drawn trays, where readings of one rest differ by 0.03 edges."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's word for one die; None leaves the camera's reading."""

    value: int | None
    colour: str | None


@dataclass(frozen=True, slots=True)
class LyingDie:
    """One die at rest.

    Attributes:
        id: The tracker's name for it.
        reading: What the camera says.
        moved: As the tracker says, since the rest before.
        correction: What a person says instead.
        contradicted: The camera read two different things from this die while it lay still: neither is trusted.
    """

    id: int
    reading: DieReading
    moved: bool | None
    correction: Correction | None = None
    contradicted: bool = False

    @property
    def value(self) -> int | None:
        """The top face, if it can be relied on."""
        if self.correction is not None and self.correction.value is not None:
            return self.correction.value
        trusted = self.reading.unread in (None, Unread.COLOUR_UNCLEAR) and not self.contradicted
        return self.reading.value if trusted else None

    @property
    def colour(self) -> str | None:
        """The colour class, if it can be relied on."""
        if self.correction is not None and self.correction.colour is not None:
            return self.correction.colour
        return None if self.reading.unread is Unread.COLOUR_UNCLEAR else self.reading.colour

    @property
    def edge_px(self) -> float:
        """Mean edge length of the top face."""
        quad = self.reading.top_quad_px
        return sum(dist(quad[i], quad[(i + 1) % 4]) for i in range(4)) / 4


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that lies in the tray at one rest.

    Attributes:
        dice: In the order of their ids.
        width_px: Of the picture the pixels belong to.
        height_px: Of the same picture.
        problems: What is wrong with the picture as a whole.
        doubtful: The reader trusts the picture less than its single dice tell.
    """

    dice: tuple[LyingDie, ...]
    width_px: int
    height_px: int
    problems: tuple[Problem, ...] = ()
    doubtful: bool = False

    def die(self, die_id: int) -> LyingDie | None:
        """The die of that id, if it lies here."""
        return next((die for die in self.dice if die.id == die_id), None)

    def with_correction(self, die_id: int, correction: Correction | None) -> "Layout":
        """The same rest with a person's word for one die; None takes the word back."""
        return replace(
            self, dice=tuple(replace(die, correction=correction) if die.id == die_id else die for die in self.dice)
        )


def layout_of(rest: Rest, before: Layout | None) -> Layout:
    """Turn what the camera saw into a layout.

    Args:
        rest: What lies there.
        before: What lay there last, if anything. Corrections of dice that stayed
            (or were nudged and still read the same) are carried over; a
            die that stayed but now reads differently is marked as contradicted.
    """
    dice = tuple(_lying(die, before.die(die.id) if before else None) for die in rest.dice)
    all_clear = all(die.reading.unread is None for die in rest.dice)
    return Layout(
        dice=dice,
        width_px=rest.width_px,
        height_px=rest.height_px,
        problems=rest.problems,
        doubtful=not rest.trusted and all_clear and not rest.problems,
    )


def shift_edges(before: LyingDie, now: LyingDie) -> float:
    """How far a die lies from where it lay, in edges of its own top face."""
    return dist(before.reading.center_px, now.reading.center_px) / max(before.edge_px, 1.0)


def is_same_spread(before: Layout, now: Layout) -> bool:
    """Whether all that lies here lay there already, showing the same; dice may have been taken away.

    Ids are not compared, so that it holds across a tracker that has forgotten everything.
    """
    left = list(before.dice)
    for die in now.dice:
        match = next((old for old in left if _looks_untouched(old, die)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _looks_untouched(before: LyingDie, now: LyingDie) -> bool:
    same_face = None in (before.reading.value, now.reading.value) or before.reading.value == now.reading.value
    return same_face and shift_edges(before, now) <= SAME_PLACE_EDGES


def _lying(die: TrackedDie, before: LyingDie | None) -> LyingDie:
    now = LyingDie(id=die.id, reading=die.reading, moved=die.moved)
    if before is None:
        return now
    same = (die.reading.value, die.reading.colour) == (before.reading.value, before.reading.colour)
    nudged = same and shift_edges(before, now) <= SAME_PLACE_EDGES
    if die.moved is not False and not nudged:
        return now
    return replace(now, correction=before.correction, contradicted=before.contradicted or _reads_otherwise(before, now))


def _reads_otherwise(before: LyingDie, now: LyingDie) -> bool:
    was, reads = before.reading, now.reading
    if now.moved is not False or was.unread is not None or reads.unread is not None:
        return False
    return (was.value, was.colour) != (reads.value, reads.colour)
