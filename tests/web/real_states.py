"""States of a real table, of every system and with any number of dice, which a display must have room for."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from device.game.machine import step
from device.game.snapshot import TrayMetadata, take_snapshot
from device.game.state.events import (
    CameraFailed,
    ContextSet,
    DicePickedUp,
    DiceSettled,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
)
from device.game.state.linked_rolls import LinkKind
from device.game.state.states import Empty, Scored
from device.game.state.table_events import (
    ClockAdded,
    ExtendedTestBegun,
    LinkedRollsRequested,
    RollRequested,
    SheetAdded,
)
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from rules.sheet_file import new_sheet
from rules.system import find_system
from vision.types.reading import DieReading, Problem, Unread
from vision.types.sighting import Rest, TrackedDie

METADATA = TrayMetadata("simulated", None, {"base": "yellow", "skill": "green", "gear": "black"})
WIDTH_PX, HEIGHT_PX = 1280, 960
COLOURS = {
    "push-pool": ("base", "base", "skill", "gear"),
    "step-dice": ("base", "base", "gear"),
    "hits-pool": ("base", "skill"),
    "highest-die": ("base", "skill"),
    "die-code": ("base", "base", "skill"),
}
SITUATION: dict[str, dict[str, int | str | None]] = {
    "push-pool": {"attribute": 5, "attribute_name": "STR", "gear_bonus": 2},
    "step-dice": {"attribute_name": "STR", "hp": 4},
    "hits-pool": {"threshold": 2},
    "highest-die": {"risk": "high"},
    "die-code": {"difficulty": 13},
}


def lying(
    count: int, system: str, *, turn: int = 0, face: int = 0, still: frozenset[int] = frozenset(), cocked: int = 0
) -> tuple[TrackedDie, ...]:
    """Return so many dice in rows, in the colours of a system; faces change with `turn`, unless they lay still."""
    dice: list[TrackedDie] = []
    for at in range(count):
        colours = COLOURS[system]
        is_still = at + 1 in still
        colour = "gear" if system == "die-code" and at == 0 else colours[at % len(colours)]
        value = face or (at * 5 + (0 if is_still else turn)) % 6 + 1
        x, y = 210.0 + at % 7 * 145, 200.0 + at // 7 * 150
        quad = ((x - 35, y - 35), (x + 35, y - 35), (x + 35, y + 35), (x - 35, y + 35))
        unread = Unread.COCKED if at < cocked else None
        read = DieReading(colour, value, 0.7 if unread else 0.99, unread, (x, y), (x - 35, y - 35, 70, 70), quad)
        dice.append(TrackedDie(at + 1, read, not is_still if still else None))
    return tuple(dice)


def read(
    dice: tuple[TrackedDie, ...], problems: tuple[Problem, ...] = (), *, trusted: bool | None = None
) -> DiceSettled:
    clear = not problems and all(die.reading.unread is None for die in dice)
    return DiceSettled(Rest(1.0, 15, WIDTH_PX, HEIGHT_PX, dice, problems, clear if trusted is None else trusted))


def play(start: Tray, *events: Event) -> Tray:
    for event in events:
        start, _ = step(start, event)
    return start


def states_of(system: str, count: int) -> Iterator[tuple[str, Tray]]:
    """Return every state of a roll of so many dice of a system, by name."""
    table = Tray(Empty(), Table(system))
    known = find_system(system)
    role = known.pool_roles[0]
    start = play(table, ContextSet({**SITUATION[system]}))
    first = read(lying(count, system))
    request = RollRequested(owner="Mira", label="Strength + Fight")
    other = RollRequested(owner="The guard", label="Strength")
    yield "empty", play(start, PoolDeclared(Pool(((role, count),))))
    yield "undeclared", table
    yield "asked", play(table, request, other)
    yield "rolling", play(start, MotionSeen())
    yield "one leans", play(start, read(lying(count, system, cocked=1)))
    yield "many lean", play(start, read(lying(count, system, cocked=min(count, 6))))
    yield "in doubt", play(start, read(lying(count, system), trusted=False))
    yield "wrong pool", play(start, PoolDeclared(Pool(((role, count + 2),))), first)
    yield "too dark", play(start, read(lying(count, system), (Problem.TOO_DARK,)))
    scored = play(start, first)
    yield "scored", scored
    sixes = play(start, read(lying(count, system, face=6)))
    if isinstance(sixes.dice, Scored) and sixes.dice.outcome.facts.get("pending"):
        yield "goes on", sixes
    yield "failed", play(start, read(lying(count, system, face=3)))
    yield "clocks", play(scored, ClockAdded("Storm", 6, 2), ClockAdded("The guards notice", 6, 6))
    yield "fault", play(scored, CameraFailed("The camera does not answer. Check its cable.", 4.0))
    yield "of Mira", play(table, request, other, first)
    for kind in LinkKind:
        sides = LinkedRollsRequested(kind, (request, other), "Fight at the gate")
        yield f"{kind.value} half", play(table, sides, first)
        second = read(tuple(replace(die, id=die.id + 100) for die in lying(count, system, turn=3)))
        yield f"{kind.value} done", play(table, sides, first, ResetPressed(), second)
    for test in known.extended_tests:
        yield f"series {test.op}", play(table, ExtendedTestBegun(test.op, {}), first)
    if not isinstance(scored.dice, Scored) or not scored.dice.outcome.push.eligible:
        return
    pushed = play(scored, PushPressed())
    going = frozenset(int(die_id) for die_id in scored.dice.outcome.must_reroll)
    kept = frozenset(range(1, count + 1)) - going
    yield "pushed", pushed
    yield "half in hand", play(pushed, MotionSeen(), DicePickedUp(frozenset(sorted(going)[: (len(going) + 1) // 2])))
    yield "all in hand", play(pushed, MotionSeen(), DicePickedUp(going))
    hand = play(pushed, MotionSeen(), DicePickedUp(going), read(tuple(d for d in lying(count, system) if d.id in kept)))
    resolved = play(hand, read(lying(count, system, turn=3, still=kept)))
    yield "resolved", resolved
    yield "unpaid", play(resolved, SheetAdded(new_sheet("Mira", system)), MotionSeen(), read(()))
    yield "locked changed", play(hand, read(lying(count, system, turn=3)))
    yield "one missing", play(hand, read(lying(count, system, turn=3, still=kept)[:-1]))
    yield "one more", play(hand, read(lying(count + 1, system, turn=3, still=kept)))
    yield (
        "left lying",
        play(pushed, MotionSeen(), read(lying(count, system, turn=0, still=frozenset(range(1, count + 1))))),
    )


def bodies_of(system: str, count: int) -> dict[str, dict[str, Any]]:
    """Return the snapshots of those states without a version."""
    bodies = {name: take_snapshot(1, state, METADATA).body for name, state in states_of(system, count)}
    return {name: {key: part for key, part in body.items() if key != "version"} for name, body in bodies.items()}
