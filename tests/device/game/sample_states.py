"""States and events for the tests: one of each kind."""

from collections.abc import Collection
from dataclasses import replace

from device.game.machine import Step, step
from device.game.state.effects import Command
from device.game.state.events import (
    CameraConnected,
    CameraFailed,
    ContextSet,
    DiceConfirmed,
    DiceCorrected,
    DicePickedUp,
    DiceSettled,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    FacesForgotten,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
    SystemChosen,
    ThrowOrdered,
)
from device.game.state.states import Empty, Rolling
from device.game.state.table_state import Table
from device.game.state.tray import Fault, Tray
from vision.types.reading import DieReading, PointPx, Problem, Unread
from vision.types.sighting import Rest, TrackedDie

TABLE = Table("push-pool")
EDGE = 40.0


def die(
    die_id: int,
    colour: str | None,
    value: int | None,
    at: PointPx | None = None,
    moved: bool | None = None,
    *,
    unread: Unread | None = None,
) -> TrackedDie:
    x, y = at if at is not None else (100.0 * die_id, 300.0)
    half = EDGE / 2
    quad = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
    box = (x - half, y - half, EDGE, EDGE)
    return TrackedDie(die_id, DieReading(colour, value, 0.99, unread, (x, y), box, quad), moved)


def rest(*dice: TrackedDie, problems: Collection[Problem] = (), trusted: bool | None = None) -> DiceSettled:
    clear = not problems and all(d.reading.unread is None for d in dice)
    return DiceSettled(Rest(1.0, 15, 1280, 960, tuple(dice), tuple(problems), clear if trusted is None else trusted))


def play(state: Tray, *events: Event) -> Step:
    commands: tuple[Command, ...] = ()
    for event in events:
        state, commands = step(state, event)
    return state, commands


# base 5, base 6, skill 1, gear 3: must go 1, 3, 4; the base 6 stays
FIRST = (die(1, "base", 5), die(2, "base", 6), die(3, "skill", 1), die(4, "gear", 3))
LEFT = (die(2, "base", 6, moved=False),)
THROWN = (
    die(1, "base", 1, at=(700, 500), moved=True),
    die(2, "base", 6, moved=False),
    die(3, "skill", 6, at=(800, 500), moved=True),
    die(4, "gear", 1, at=(900, 500), moved=True),
)


def kind_of(tray: Tray) -> str:
    """Return the class of the dice's state, or `Faulted`."""
    return type(tray.dice).__name__ if tray.fault is None else "Faulted"


def scored() -> Tray:
    return play(Tray(Empty(), TABLE), MotionSeen(), rest(*FIRST))[0]


def awaiting() -> Tray:
    return play(scored(), PushPressed())[0]


def states() -> dict[str, Tray]:
    resolved = play(awaiting(), rest(*LEFT), rest(*THROWN))[0]
    unread = (*FIRST[:3], die(4, None, None, unread=Unread.COCKED))
    return {
        "empty": Tray(Empty(), TABLE),
        "rolling": Tray(Rolling(), TABLE),
        "unclear": play(Tray(Empty(), TABLE), rest(*unread))[0],
        "unclear_push": play(awaiting(), rest(*LEFT), rest(*THROWN[:3], die(4, "gear", None, unread=Unread.COCKED)))[0],
        "unasked": play(scored(), rest(*LEFT), rest(*THROWN))[0],
        "scored": scored(),
        "awaiting_push": awaiting(),
        "wrong_push": play(awaiting(), rest(*LEFT), rest(*THROWN[:3]))[0],
        "resolved": resolved,
        "fault": replace(scored(), fault=Fault("gone", 1.0)),
    }


EVENTS: dict[str, Event] = {
    "motion": MotionSeen(),
    "picked_up": DicePickedUp(frozenset({1, 2})),
    "rest_empty": rest(),
    "rest_dice": rest(*THROWN),
    "throw": ThrowOrdered(),
    "push": PushPressed(),
    "reset": ResetPressed(),
    "correct": DieCorrected(1, 2, None),
    "correct_several": DiceCorrected((DieCorrected(1, 2, None), DieCorrected(4, 6, "gear"))),
    "restore": DieRestored(1),
    "forget": FacesForgotten(frozenset({("base", 6, 6), ("base", 6, 1)})),
    "dismiss": DieDismissed(3, ignored=True),
    "take_back": DieDismissed(3, ignored=False),
    "add": DieAdded((50.0, 800.0), 4, "base"),
    "confirm": DiceConfirmed(),
    "system": SystemChosen("push-pool"),
    "pool": PoolDeclared(None),
    "context": ContextSet({"attribute": 3}),
    "camera_failed": CameraFailed("gone", 1.0),
    "camera_came": CameraConnected(),
}
