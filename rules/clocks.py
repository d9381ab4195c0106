"""A table's clocks: ticks, links, opposed clocks, and undo."""

from dataclasses import asdict, dataclass, replace
from typing import Final

from rules.errors import BadRequest
from rules.facts import JsonValue

SIZES: Final = (4, 6, 8)
MAX_CLOCKS: Final = 40
MAX_NAME_LENGTH: Final = 80
MAX_UNDO: Final = 50
MAX_TICKS: Final = 100


@dataclass(frozen=True, slots=True)
class Clock:
    """One clock.

    Attributes:
        id: Id of the clock, never reused at this table.
        segments: Number of segments: 4, 6 or 8.
    """

    id: int
    name: str
    segments: int
    filled: int = 0
    linked_to: int | None = None
    opposed_to: int | None = None


@dataclass(frozen=True, slots=True)
class Ticked:
    """The effect of the latest tick."""

    clock: int
    overflow: int = 0
    full: bool = False
    emptied: bool = False


@dataclass(frozen=True, slots=True)
class Clocks:
    """All clocks of a table.

    Attributes:
        last: The effect of the latest tick; None if there was none or it was undone.
    """

    clocks: tuple[Clock, ...] = ()
    history: tuple[tuple[str, tuple[Clock, ...]], ...] = ()
    last: Ticked | None = None
    next_id: int = 1

    def find(self, clock_id: int) -> Clock:
        """Return a clock.

        Raises:
            BadRequest: No clock has this id.
        """
        found = next((clock for clock in self.clocks if clock.id == clock_id), None)
        if found is None:
            raise BadRequest(f"there is no clock {clock_id}: reload the page", "clock_gone")
        return found

    def is_locked(self, clock: Clock) -> bool:
        """Return whether a clock must wait until another one is full."""
        return any(other.linked_to == clock.id and other.filled < other.segments for other in self.clocks)


def add_clock(
    rack: Clocks,
    name: str,
    segments: int,
    *,
    filled: int = 0,
    linked_to: int | None = None,
    opposed_to: int | None = None,
) -> Clocks:
    """Add a clock.

    Raises:
        BadRequest: Its size is not allowed, it has too many ticks, or it names a missing clock.
    """
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        text = f"the clock's name has {len(name)} characters: give 1 to {MAX_NAME_LENGTH}"
        raise BadRequest(text, "name_length", most=MAX_NAME_LENGTH)
    if segments not in SIZES:
        raise BadRequest(f"segments is {segments}: a clock has 4, 6 or 8")
    if not 0 <= filled <= segments:
        raise BadRequest(f"filled is {filled}: give 0 to {segments}")
    if len(rack.clocks) >= MAX_CLOCKS:
        text = f"there are {MAX_CLOCKS} clocks already: take one away first"
        raise BadRequest(text, "too_many_clocks", most=MAX_CLOCKS)
    for other in (linked_to, opposed_to):
        if other is not None:
            rack.find(other)
    clock = Clock(rack.next_id, name, segments, filled, linked_to, opposed_to)
    return replace(rack, clocks=(*rack.clocks, clock), next_id=rack.next_id + 1)


def remove_clock(rack: Clocks, clock_id: int) -> Clocks:
    """Remove a clock and every link to it; earlier ticks can no longer be undone.

    Raises:
        BadRequest: No clock has this id.
    """
    gone = rack.find(clock_id)
    left = tuple(
        replace(
            clock,
            linked_to=None if clock.linked_to == gone.id else clock.linked_to,
            opposed_to=None if clock.opposed_to == gone.id else clock.opposed_to,
        )
        for clock in rack.clocks
        if clock is not gone
    )
    return replace(rack, clocks=left, history=(), last=None)


def tick(rack: Clocks, clock_id: int, ticks: int, *, carries: bool) -> Clocks:
    """Tick a clock; a negative number takes ticks off, as in a tug-of-war.

    Raises:
        BadRequest: No clock has this id, or the number of ticks is not allowed.
    """
    clock = rack.find(clock_id)
    if ticks == 0 or abs(ticks) > MAX_TICKS:
        raise BadRequest(f"ticks is {ticks}: give 1 to {MAX_TICKS}, or as many less")
    reached = clock.filled + ticks
    overflow = max(0, reached - clock.segments)
    moved = {clock.id: replace(clock, filled=min(clock.segments, max(0, reached)))}
    if overflow and carries and clock.linked_to is not None:
        linked = rack.find(clock.linked_to)
        room = min(overflow, linked.segments - linked.filled)
        moved[linked.id] = replace(linked, filled=linked.filled + room)
        overflow -= room
    why = f"{clock.name} {ticks:+d}"
    return replace(
        rack,
        clocks=tuple(moved.get(other.id, other) for other in rack.clocks),
        history=(*rack.history, (why, rack.clocks))[-MAX_UNDO:],
        last=Ticked(clock.id, overflow, reached >= clock.segments, reached <= 0 < clock.filled),
    )


def undo_tick(rack: Clocks) -> Clocks:
    """Undo the latest tick, if any. Clocks added since then stay."""
    if not rack.history:
        return rack
    before = {clock.id: clock.filled for clock in rack.history[-1][1]}
    clocks = tuple(replace(clock, filled=before.get(clock.id, clock.filled)) for clock in rack.clocks)
    return replace(rack, clocks=clocks, history=rack.history[:-1], last=None)


def clocks_to_json(rack: Clocks) -> dict[str, JsonValue]:
    """Return the clocks for a display: which are locked, what can be undone, what the latest tick did."""
    last = rack.last
    return {
        "clocks": [{**asdict(clock), "locked": rack.is_locked(clock)} for clock in rack.clocks],
        "undo": rack.history[-1][0] if rack.history else None,
        "last": None
        if last is None
        else {"clock": last.clock, "overflow": last.overflow, "full": last.full, "emptied": last.emptied},
    }
