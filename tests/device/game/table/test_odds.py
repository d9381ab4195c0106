"""Which odds are shown in which state: never those of dice that lie there already."""

import pytest

from device.game.machine import step
from device.game.state.events import Event, MotionSeen, PoolDeclared, PushPressed, ResetPressed
from device.game.state.states import Empty, State
from device.game.state.table_state import Pool, Table
from device.game.table.odds import odds_now
from rules.dice import Role
from tests.device.game.sample_states import FIRST, LEFT, THROWN, rest

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
    state: State = Empty(Table("push-pool"))
    for event in (POOL, *events):
        state, _ = step(state, event)
    assert {name for name, odds in odds_now(state).items() if odds is not None} == shown
