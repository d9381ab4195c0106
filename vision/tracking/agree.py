"""Merging of several readings of one rest: what they agree on is trusted, what they dispute is not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import TypeVar

from vision.types.reading import DieReading, Problem, TrayReading, Unread

T = TypeVar("T")


_SAME_PLACE_EDGES = 0.45
"""Greatest distance between two readings of one die at rest, in die edges."""
_DEFAULT_EDGE_PX = 25.0
"""Edge of a die as long as there is none to measure."""


def edge_px(reading: DieReading) -> float:
    """Return the mean length of a top face's four sides, in pixels."""
    quad = reading.top_quad_px
    return sum(hypot(quad[i][0] - quad[i - 1][0], quad[i][1] - quad[i - 1][1]) for i in range(4)) / 4.0


def median_edge_px(dice: Sequence[DieReading], default_px: float = _DEFAULT_EDGE_PX) -> float:
    """Return the median die edge in pixels, or the default if there are no dice."""
    edges = sorted(edge_px(die) for die in dice)
    return edges[len(edges) // 2] if edges and edges[len(edges) // 2] > 0.0 else default_px


def distance_px(one: DieReading, other: DieReading) -> float:
    """Return the distance between two dice's top face centres, in pixels."""
    return hypot(one.center_px[0] - other.center_px[0], one.center_px[1] - other.center_px[1])


def agree(readings: Sequence[TrayReading]) -> TrayReading:
    """Merge readings of one rest, oldest first.

    A die's value and colour are those of most readings that have one (the trusted ones first). It is trusted if more
    than half of all readings trust it and no trusted one differs: of two readings, both. A die in fewer than half of
    the readings is dropped, but makes the whole reading untrusted.

    Returns:
        One reading with the newest one's geometry; times are summed. A single reading is returned unchanged.

    Raises:
        ValueError: There is no reading.
    """
    if not readings:
        raise ValueError("no reading to agree on: give at least one")
    if len(readings) == 1:
        return readings[0]
    newest = readings[-1]
    limit_px = _SAME_PLACE_EDGES * median_edge_px([die for reading in readings for die in reading.dice])
    groups: list[list[DieReading]] = []
    for reading in reversed(readings):
        free = list(groups)
        for die in reading.dice:
            near = min(free, key=lambda group: distance_px(group[0], die), default=None)
            if near is not None and distance_px(near[0], die) <= limit_px:
                near.append(die)
                free = [group for group in free if group is not near]
            else:
                groups.append([die])
    kept = [group for group in groups if 2 * len(group) >= len(readings)]
    dice = tuple(_merge(group, len(readings)) for group in kept)
    problems = tuple(
        problem for problem in Problem if 2 * sum(problem in reading.problems for reading in readings) >= len(readings)
    )
    trusted = (
        len(kept) == len(groups)
        and not problems
        and all(die.unread is None and die.value is not None for die in dice)
        and 2 * sum(reading.trusted for reading in readings) > len(readings)
    )
    return TrayReading(
        width_px=newest.width_px,
        height_px=newest.height_px,
        dice=dice,
        problems=problems,
        trusted=trusted,
        elapsed_ms=sum(reading.elapsed_ms for reading in readings),
        stage_ms=newest.stage_ms,
    )


def _merge(group: Sequence[DieReading], count: int) -> DieReading:
    """Merge one die's readings, newest first, out of `count` readings of the tray."""
    trusted = [die for die in group if die.unread is None]
    voters = trusted or list(group)
    shows = _most([die.shows for die in voters if die.shows is not None])
    colour = _most([die.colour for die in voters if die.colour is not None])
    with_value = [die for die in voters if die.shows == shows]
    pattern = next((die for die in with_value if die.colour == colour), with_value[0] if with_value else group[0])
    unread: Unread | None = None
    if 2 * len(trusted) <= count:
        unread = _most([die.unread for die in group if die.unread is not None]) or Unread.PIPS_UNCLEAR
    elif any(die.shows != shows for die in trusted):
        unread = Unread.PIPS_UNCLEAR
    elif any(die.colour != colour for die in trusted):
        unread = Unread.COLOUR_UNCLEAR
    confidences = sorted(die.confidence for die in with_value)
    middle = confidences[len(confidences) // 2] if confidences else 0.0
    return replace(
        pattern,
        value=None if shows is None else shows[0],
        colour=colour,
        unread=unread,
        confidence=middle * len(with_value) / max(len(voters), (count + 1) // 2),
    )


def _most(votes: Sequence[T]) -> T | None:
    """Return the commonest vote, the earliest if several are equally common; None without votes."""
    return Counter(votes).most_common(1)[0][0] if votes else None
