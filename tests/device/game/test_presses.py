"""The buttons of the snapshot match what the tray does: in every state of every system."""

import itertools

import pytest

from device.game.machine import step
from device.game.presses import actions_of, plan_throw
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.effects import Refuse
from device.game.state.events import (
    CameraFailed,
    DiceSettled,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
)
from device.game.state.states import AwaitingPush, Empty, Scored, Unclear
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from rules.dice import Role
from rules.system import systems
from tests.device.conftest import Dice
from tests.narrowing import a, parts_of
from vision.types.reading import Unread

SIMULATED = TrayMetadata("simulated", None, {})
SYSTEMS = [system.id for system in systems()]
PRESSED: dict[str, Event] = {"push": PushPressed(), "reset": ResetPressed()}


def play(state: Tray, *events: Event) -> Tray:
    for event in events:
        state, _ = step(state, event)
    return state


def ways() -> dict[str, tuple[Event, ...]]:
    first = DiceSettled(Dice.rest(*Dice.FIRST))
    left, thrown = DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN))
    cocked = DiceSettled(Dice.rest(*Dice.THROWN[:3], Dice.die(4, "gear", 1, (900, 500), True, unread=Unread.COCKED)))
    return {
        "empty": (),
        "rolling": (MotionSeen(),),
        "unclear": (DiceSettled(Dice.rest(Dice.die(1, "base", 5, unread=Unread.COCKED))),),
        "scored": (first,),
        "moved over": (first, MotionSeen()),
        "thrown without push": (first, left, thrown),
        "awaiting": (first, PushPressed()),
        "in the hand": (first, PushPressed(), MotionSeen(), left),
        "wrong": (first, PushPressed(), left, DiceSettled(Dice.rest(*Dice.THROWN[:3]))),
        "unclear push": (first, PushPressed(), left, cocked),
        "resolved": (first, PushPressed(), left, thrown),
        "fault": (first, CameraFailed("gone: plug it in", 1.0)),
        "fault in a push": (first, PushPressed(), CameraFailed("gone: plug it in", 1.0)),
    }


@pytest.fixture(params=SYSTEMS)
def played(request: pytest.FixtureRequest) -> dict[str, Tray]:
    """Every state by its name, played in one system."""
    return {name: play(Tray(Empty(), Table(request.param)), *events) for name, events in ways().items()}


def test_push_and_reset_are_lit_where_the_tray_would_do_it(played: dict[str, Tray]) -> None:
    for name, state in played.items():
        reported = parts_of(snapshot_body(1, state, SIMULATED))
        for button, event in PRESSED.items():
            _, commands = step(state, event)
            refused = [command for command in commands if isinstance(command, Refuse)]
            assert reported["presses"][button]["allowed"] == (not refused), (name, button)
            if refused:
                assert reported["presses"][button]["reason"] == refused[0].reason
                assert reported["presses"][button]["text"]
        assert (reported["push"]["eligible"], reported["push"]["reason"]) == (
            reported["presses"]["push"]["allowed"],
            reported["presses"]["push"]["reason"],
        )


def test_throw_is_lit_where_the_simulated_hand_would_throw(played: dict[str, Tray]) -> None:
    for name, state in played.items():
        throw = parts_of(snapshot_body(1, state, SIMULATED))["presses"]["throw"]
        plan = plan_throw(state, None, None)
        would = not isinstance(plan, Refuse) or plan.reason == "no_pool"
        assert throw["allowed"] == (would and name != "rolling"), (name, plan)
        assert throw["allowed"] or throw["text"], name
        assert not actions_of(state, is_simulated=False)["throw"].offered


def test_a_throw_over_an_unclear_push_is_dark_and_refused() -> None:
    state = play(Tray(Empty(), Table("push-pool")), *ways()["unclear push"])
    assert isinstance(state.dice, Unclear)
    throw = parts_of(snapshot_body(1, state, SIMULATED))["presses"]["throw"]
    assert (throw["allowed"], throw["reason"]) == (False, "push_awaited")
    assert a(Refuse, plan_throw(state, {"base": 2}, None)).reason == "push_awaited"


def test_systems_without_a_push_offer_none_in_any_state() -> None:
    for system, (name, events) in itertools.product(systems(), ways().items()):
        state = play(Tray(Empty(), Table(system.id)), *events)
        push = parts_of(snapshot_body(1, state, SIMULATED))["presses"]["push"]
        assert push["offered"] == system.has_push, (system.id, name)
        if not system.has_push:
            assert push["reason"] in {"system_has_no_push", "fault"}, (system.id, name)


@pytest.mark.parametrize(("counts", "key"), [({"base": 20, "skill": 1}, "throw_number"), ({"ammo": 1}, "no_dice_of")])
def test_a_pool_that_no_hand_can_throw_keeps_throw_dark_and_says_why(counts: dict[str, int], key: str) -> None:
    pool = Pool(tuple((Role(name), count) for name, count in counts.items()))
    state = play(Tray(Empty(), Table("push-pool")), PoolDeclared(pool))
    throw = parts_of(snapshot_body(1, state, SIMULATED))["presses"]["throw"]
    assert (throw["allowed"], throw["reason"]) == (False, "bad_value")
    assert throw["text"].key == f"tray.refused.{key}"


def test_dice_in_the_hand_are_not_picked_up_again() -> None:
    state = play(Tray(Empty(), Table("push-pool")), *ways()["in the hand"])
    assert isinstance(state.dice, AwaitingPush)
    assert a(Refuse, plan_throw(state, None, None)).reason == "tray_busy"


def test_a_die_that_goes_on_is_picked_up_where_it_lies() -> None:
    table = Table("die-code", context={"code": "1d", "difficulty": 5})
    state = play(Tray(Empty(), table), DiceSettled(Dice.rest(Dice.die(1, "gear", 6))))
    assert isinstance(state.dice, Scored)
    assert plan_throw(state, None, None) == ((100.0, 300.0),)
    moved = play(state, MotionSeen())
    assert a(Refuse, plan_throw(moved, None, None)).reason == "tray_busy"
    assert parts_of(snapshot_body(1, moved, SIMULATED))["presses"]["throw"]["allowed"] is False
