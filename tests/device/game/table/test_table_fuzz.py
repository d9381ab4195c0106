"""Whatever a table does, in any order, by any rules: a state, a response, a snapshot, and a way back from disk."""

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import Refuse
from device.game.state.events import (
    ContextSet,
    DiceSettled,
    DieCorrected,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
    SystemChosen,
    ThrowOrdered,
)
from device.game.state.manual_dice import FIRST_TYPED_ID
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import Empty
from device.game.state.table_events import (
    CarryChosen,
    ClockAdded,
    ClockTicked,
    ClockUndone,
    ConsequencesCarried,
    ExtendedTestBegun,
    ExtendedTestEnded,
    ManualDieEntered,
    RolesChosen,
    RollPrepared,
    RollRequestDropped,
    RollRequested,
    RulingsChosen,
    SheetAdded,
    SheetChosen,
    SheetUndone,
    TypedDieChanged,
    TypedDieRemoved,
)
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Tray
from device.game.table.odds import odds_now
from device.game.table.transitions import opened_table
from device.storage.serialisation import dice_at_rest, pack_state, unpack_state
from rules.dice import Role
from rules.sheet_file import new_sheet
from rules.system import systems
from tests.device.conftest import Dice
from tests.narrowing import english
from vision.types.sighting import Rest, TrackedDie

METADATA = TrayMetadata("simulated", None, {})
IDS = st.sampled_from([system.id for system in systems()])
COLOURS = st.sampled_from(["base", "skill", "gear"])
FACES = st.integers(1, 6)


@st.composite
def throws(draw: st.DrawFn, make_die: Callable[..., TrackedDie], make_rest: Callable[..., Rest]) -> DiceSettled:
    """Up to four dice at rest, some where they may have lain before."""
    dice = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        at = (100.0 * number, 200.0 + 150.0 * draw(st.integers(0, 2)))
        value = draw(FACES | st.none())
        dice.append(make_die(number, draw(COLOURS), value, at, draw(st.sampled_from([True, False, None]))))
    return DiceSettled(make_rest(*dice))


def rulings() -> st.SearchStrategy[Event]:
    """A choice of one ruling, good or bad."""
    every = [(system.id, ruling) for system in systems() for ruling in system.rulings]
    return st.sampled_from(every).flatmap(
        lambda found: st.sampled_from([*(found[1].choices or (found[1].low, found[1].high)), None, "no such"]).map(
            lambda value: RulingsChosen(found[0], {found[1].name: value})
        )
    )


def events(make_die: Callable[..., TrackedDie], make_rest: Callable[..., Rest]) -> st.SearchStrategy[Event]:
    typed = st.integers(FIRST_TYPED_ID, FIRST_TYPED_ID + 2)
    pools = st.fixed_dictionaries({role: st.integers(0, 2) for role in (Role.BASE, Role.AMMO, Role.PLAIN, Role.WILD)})
    return st.one_of(
        throws(make_die, make_rest),
        throws(make_die, make_rest),
        st.just(MotionSeen()),
        st.just(PushPressed()),
        st.just(ResetPressed()),
        st.just(ThrowOrdered()),
        st.just(ClockUndone()),
        st.just(ExtendedTestEnded()),
        st.builds(DieCorrected, st.integers(1, 4), FACES | st.none(), COLOURS | st.none()),
        st.builds(SystemChosen, IDS),
        st.builds(PoolDeclared, st.none() | pools.map(lambda counts: Pool(tuple(counts.items())))),
        st.builds(
            ContextSet,
            st.sampled_from(
                [{"attribute_name": "STR"}, {"threshold": 2}, {"code": "2d+1"}, {"consequence": 1}, {"hp": 0}]
            ),
        ),
        rulings(),
        st.builds(lambda system, label, role: RolesChosen(system, {label: role}), IDS, COLOURS, st.sampled_from(Role)),
        st.builds(
            lambda counts, levels: RollPrepared(PreparedRoll(0, None, {}, pool=tuple(counts.items()), typed=levels)),
            pools,
            st.lists(st.tuples(st.just(Role.BASE), st.sampled_from("ABC")), max_size=2).map(tuple),
        ),
        st.builds(RollRequested, st.none() | st.just("Ann"), st.none() | st.just("Notice"), pools),
        st.builds(RollRequestDropped, st.integers(1, 4)),
        st.builds(lambda system: SheetAdded(new_sheet("Ann", system)), IDS),
        st.builds(SheetChosen, st.integers(1, 3) | st.none()),
        st.builds(SheetUndone, st.integers(1, 3)),
        st.builds(CarryChosen, st.sampled_from(Carry)),
        st.builds(ConsequencesCarried, st.integers(1, 3)),
        st.builds(ClockAdded, st.just("Alarm"), st.sampled_from([4, 6, 8])),
        st.builds(ClockTicked, st.integers(1, 2), st.integers(-3, 9)),
        st.builds(
            ManualDieEntered, st.sampled_from("ABC"), st.integers(1, 12), st.sampled_from([Role.BASE, Role.AMMO])
        ),
        st.builds(TypedDieChanged, typed, st.integers(1, 12) | st.none()),
        st.builds(TypedDieRemoved, typed),
        st.builds(ExtendedTestBegun, st.sampled_from(["extended", "group", "opposed"]), st.just({})),
    )


@pytest.mark.parametrize("system_id", [system.id for system in systems()])
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_evening_can_be_played_shown_and_kept(system_id: str, data: st.DataObject) -> None:
    state: Tray = Tray(Empty(), Table(system_id))
    for event in data.draw(st.lists(events(Dice.die, Dice.rest), max_size=25)):
        before = state
        state, commands = step(before, event)
        refused = [command for command in commands if isinstance(command, Refuse)]
        if refused:
            assert state == before
            assert all(command.reason and command.text for command in refused)
        body = english(snapshot_body(1, state, METADATA))
        assert json.loads(json.dumps(body, allow_nan=False)) == body
        json.dumps(odds_now(state))
        kept = unpack_state(pack_state(state))
        assert kept.campaign == Campaign()
        assert type(kept.dice) is type(dice_at_rest(state.dice))
        assert opened_table(kept.table, state.campaign) == (state.table, state.campaign)
