"""The odds shown in each state: never those of dice that are already there."""

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, take_snapshot
from device.game.state.events import Event, MotionSeen, PoolDeclared, PushPressed, ResetPressed
from device.game.state.states import Empty
from device.game.state.table_events import RollRequested
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.game.table.odds import odds_now
from device.message import message
from rules.dice import Role
from tests.device.game.sample_states import FIRST, LEFT, THROWN, die, rest

POOL = PoolDeclared(Pool.from_counts({"base": 2, "skill": 1, "gear": 1}, (Role.BASE, Role.SKILL, Role.GEAR)))
PUSHED = (rest(*FIRST), PushPressed(), rest(*LEFT))


@pytest.mark.parametrize(
    ("events", "shown"),
    [
        ((), {"pool"}),
        ((MotionSeen(),), {"pool"}),
        ((rest(*FIRST[:2]),), {"pool"}),
        ((rest(*FIRST),), {"table"}),
        ((rest(*FIRST), rest(*LEFT), rest(*THROWN)), set()),
        (PUSHED, {"table"}),
        ((*PUSHED, rest(*THROWN[:3])), set()),
        ((*PUSHED, rest(*THROWN)), set()),
        ((*PUSHED, rest(*THROWN), POOL), {"pool"}),
        ((*PUSHED, rest(*THROWN), ResetPressed()), set()),
    ],
)
def test_odds_are_those_of_the_throw_to_come(events: tuple[Event, ...], shown: set[str]) -> None:
    state: Tray = Tray(Empty(), Table("push-pool"))
    for event in (POOL, *events):
        state, _ = step(state, event)
    assert {name for name, odds in odds_now(state).items() if odds is not None} == shown


@pytest.mark.parametrize(
    ("system", "events", "why"),
    [
        ("push-pool", (), "choose"),
        ("push-pool", (POOL,), None),
        ("push-pool", (rest(*FIRST),), None),
        ("push-pool", (*PUSHED, rest(*THROWN)), ""),
        ("push-pool", (*PUSHED, rest(*THROWN[:3])), ""),
        ("push-pool", (*PUSHED, rest(*THROWN), rest()), "choose"),
        ("hits-pool", (rest(*FIRST),), ""),
        ("push-pool", (RollRequested("Ann", hidden=True), rest(*FIRST)), "hidden"),
    ],
)
def test_where_odds_are_missing_the_reason_is_given(system: str, events: tuple[Event, ...], why: str | None) -> None:
    state: Tray = Tray(Empty(), Table(system))
    for event in events:
        state, _ = step(state, event)
    shown = take_snapshot(1, state, TrayMetadata("pi", None, {})).body["odds"]
    assert isinstance(shown, dict)
    assert (shown["note"], bool(shown["rows"])) == (why and message(f"tray.odds.{why}"), why is None)


def test_odds_of_the_next_pool_say_nothing_of_a_hidden_roll() -> None:
    shown = []
    for values in ((2, 3), (6, 1)):
        state: Tray = Tray(Empty(), Table("push-pool"))
        dice = (die(number, "base", value) for number, value in enumerate(values, 1))
        for event in (RollRequested("Ann", hidden=True), rest(*dice), POOL):
            state, _ = step(state, event)
        shown.append(take_snapshot(1, state, TrayMetadata("pi", None, {})).body["odds"])
    assert shown[0] == shown[1]
