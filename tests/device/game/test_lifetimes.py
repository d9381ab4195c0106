"""What Reset ends: the roll's own data and nothing else. Roll, player and table have different lifetimes."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from device.config.settings import Settings
from device.game.machine import step
from device.game.state.campaign import Carry
from device.game.state.effects import Commit, ForgetDice
from device.game.state.events import (
    ContextSet,
    DiceSettled,
    DieCorrected,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
)
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unclear
from device.game.state.table_events import ClockAdded, ManualDieEntered, RollPrepared, RulingsChosen, SheetAdded
from device.game.state.table_state import Pool, Table, TableDefaults
from device.game.state.tray import Tray
from device.recording.recording import RecordedPress, Recording
from device.recording.replay import replay, replay_table
from device.runtime.startup import starting_tray
from device.storage.rolls import RollLog
from device.storage.serialisation import unpack_state
from rules.dice import Role
from rules.sheet_file import new_sheet
from tests.device.conftest import Dice
from vision.types.frame import Frame
from vision.types.sighting import Sighting, TrackedDie

FOUR = Pool(((Role.BASE, 2), (Role.SKILL, 1), (Role.GEAR, 1)))
TWO = Pool(((Role.BASE, 2), (Role.SKILL, 0), (Role.GEAR, 0)))
FACTS: dict[str, bool | int | str | None] = {"attribute": 5, "attribute_name": "STR"}
USUAL = TableDefaults("push-pool", TWO, {"attribute": 3})


def play(state: Tray, *events: Event) -> Tray:
    for event in events:
        state, _ = step(state, event)
    return state


def declared(pool: Pool | None = FOUR, table: Table | None = None) -> Tray:
    return play(Tray(Empty(), table or Table("push-pool")), PoolDeclared(pool), ContextSet(FACTS))


def read(*thrown: TrackedDie) -> DiceSettled:
    return DiceSettled(Dice.rest(*thrown))


@pytest.fixture
def reach() -> Callable[..., Tray]:
    """Reach a state by its name, with four dice and some facts declared."""
    first = (MotionSeen(), read(*Dice.FIRST))
    pushed = (*first, PushPressed(), MotionSeen())
    missing = (MotionSeen(), read(*Dice.FIRST[:3]))
    ways = {
        "declared": ((), Empty),
        "rolling": ((MotionSeen(),), Rolling),
        "unclear": (missing, Unclear),
        "scored": (first, Scored),
        "withdrawn": ((*first, DieCorrected(4, None, "base")), Unclear),
        "awaiting_push": (pushed, AwaitingPush),
        "wrong_push": ((*pushed, read(*Dice.THROWN[:3])), AwaitingPush),
        "resolved": ((*pushed, read(*Dice.THROWN)), Resolved),
    }

    def to(name: str, table: Table | None = None) -> Tray:
        events, kind = ways[name]
        state = play(declared(table=table), *events)
        assert isinstance(state.dice, kind)
        return state

    return to


STATES = ["declared", "rolling", "unclear", "scored", "withdrawn", "awaiting_push", "wrong_push", "resolved"]


@pytest.mark.parametrize("name", STATES)
def test_reset_ends_what_was_declared_for_the_roll(reach: Callable[..., Tray], name: str) -> None:
    state, commands = step(reach(name), ResetPressed())
    assert isinstance(state.dice, Empty)
    assert (state.table.pool, state.table.context) == (None, {})
    assert commands == (Commit(), ForgetDice())
    # The next player throws other dice, and nothing of the last roll contradicts them.
    after = play(state, MotionSeen(), read(Dice.die(7, "base", 6, (50, 700)), Dice.die(8, "gear", 2, (90, 700))))
    assert isinstance(after.dice, Scored)


@pytest.mark.parametrize("name", STATES)
def test_reset_returns_to_what_is_usual_at_the_table(reach: Callable[..., Tray], name: str) -> None:
    state = play(reach(name, Table("push-pool", usual=USUAL)), ResetPressed())
    assert (state.table.pool, state.table.context) == (TWO, {"attribute": 3})


def test_reset_in_an_empty_tray_without_a_declaration_writes_nothing() -> None:
    state: Tray = Tray(Empty(), Table("push-pool", pool=TWO, context={"attribute": 3}, usual=USUAL))
    assert step(state, ResetPressed()) == (state, (ForgetDice(),))


@pytest.mark.parametrize("name", ["awaiting_push", "resolved"])
def test_a_pool_declared_for_the_next_roll_outlives_the_reset_of_this_one(
    reach: Callable[..., Tray], name: str
) -> None:
    state = play(reach(name), PoolDeclared(TWO), ResetPressed())
    assert state.table.pool == TWO
    # A second press on dice that still lie there ends no roll; one in a tray seen empty ends the declared one.
    assert play(state, ResetPressed()).table.pool == TWO
    assert play(Tray(Empty(), state.table), ResetPressed()).table.pool is None


def test_a_pool_declared_twice_for_two_rolls_is_the_second_ones_own(reach: Callable[..., Tray]) -> None:
    assert play(reach("resolved"), PoolDeclared(FOUR), ResetPressed()).table.pool == FOUR


def test_a_pool_that_a_result_was_recounted_with_ends_with_it(reach: Callable[..., Tray]) -> None:
    looser = Pool(((Role.BASE, 2), (Role.SKILL, 0), (Role.GEAR, 1), (Role.NEGATIVE, 1)))
    state = play(reach("scored"), PoolDeclared(looser))
    assert isinstance(state.dice, Scored)
    assert state.dice.pool == looser
    assert play(state, ResetPressed()).table.pool is None


def test_facts_given_after_a_push_are_the_next_rolls_and_those_of_the_last_one_go(reach: Callable[..., Tray]) -> None:
    state = play(reach("resolved"), ContextSet({"gear_bonus": 2}), ResetPressed())
    assert state.table.context == {"gear_bonus": 2}
    assert play(reach("scored"), ContextSet({"gear_bonus": 2}), ResetPressed()).table.context == {}


def test_a_usual_fact_that_was_taken_back_for_the_next_roll_stays_away(reach: Callable[..., Tray]) -> None:
    state = reach("resolved", Table("push-pool", usual=USUAL))
    assert play(state, ContextSet({"attribute": None}), ResetPressed()).table.context == {}


def test_the_next_throw_without_reset_keeps_the_pool_and_its_reset_ends_it(reach: Callable[..., Tray]) -> None:
    again = tuple(Dice.die(one.id, one.reading.colour, 2, (60.0 * one.id, 700), moved=True) for one in Dice.FIRST)
    state = play(reach("resolved"), MotionSeen(), read(*again))
    assert isinstance(state.dice, Scored)
    assert (type(state.dice), state.dice.pool) == (Scored, FOUR)
    assert play(state, ResetPressed()).table.pool is None


def prepared(**more: Any) -> RollPrepared:
    return RollPrepared(PreparedRoll(0, None, {}, pool=FOUR.counts, context=dict(FACTS)), **more)


def test_a_prepared_roll_ends_with_its_own_reset_and_not_with_the_one_before(reach: Callable[..., Tray]) -> None:
    waiting = play(reach("resolved"), prepared())
    assert isinstance(waiting.dice, Empty)
    kept = play(waiting, ResetPressed())
    assert kept.campaign.prepared is not None
    assert (kept.table.pool, kept.table.context) == (FOUR, FACTS)
    over = play(replace(kept, dice=Empty()), MotionSeen(), read(*Dice.FIRST), ResetPressed())
    assert (over.table.pool, over.table.context, over.campaign.prepared) == (None, {}, None)


def test_what_is_the_tables_or_the_players_stays() -> None:
    table = Table("step-dice", rulings={"step-dice": {"max_pushes": 2}}, next_roll=7)
    state = play(
        Tray(Empty(), table),
        SheetAdded(new_sheet("Anna", "step-dice")),
        ClockAdded("Storm", 4),
        RulingsChosen("step-dice", {"max_pushes": 3}),
        ManualDieEntered("A", 7, Role.BASE),
        ManualDieEntered("B", 7, Role.BASE),
    )
    assert isinstance(state.dice, Scored)
    after = play(state, ResetPressed())
    before, table = state.table, after.table
    assert table.typed == ()
    assert (table.system, table.next_roll, table.rulings) == ("step-dice", before.next_roll, before.rulings)
    assert (after.campaign.chosen, after.campaign.sheets, after.campaign.clocks) == (
        1,
        state.campaign.sheets,
        state.campaign.clocks,
    )


def test_another_system_has_no_use_for_what_is_usual_in_this_one() -> None:
    table = Table("hits-pool", pool=Pool(((Role.PLAIN, 6),)), usual=USUAL)
    assert play(Tray(Empty(), table), ResetPressed()).table.pool is None


def test_the_settings_say_what_is_usual_also_where_a_state_was_kept(tmp_path: Path) -> None:
    settings = Settings(pool={"base": 2}, context={"attribute": 3})
    table = settings.table()
    assert table.pool is not None
    assert table.usual is not None
    assert (table.pool.count(Role.BASE), table.usual.pool, table.usual.context) == (2, table.pool, {"attribute": 3})
    history = RollLog(tmp_path / "history.sqlite3")
    history.write((), play(Tray(Empty(), Table("push-pool")), PoolDeclared(FOUR)))
    state = starting_tray(history, table, None, Carry.ASK)
    history.close()
    assert state.table.pool == FOUR
    assert play(state, ResetPressed()).table.pool == table.pool


def test_a_state_kept_before_rolls_had_pools_of_their_own_is_understood() -> None:
    counts = [[{"enum": "Role", "value": role.value}, count] for role, count in FOUR.counts]
    pool = {"kind": "Pool", "fields": {"counts": counts}}
    table = {"kind": "Table", "fields": {"system": "push-pool", "pool": pool, "book": {"book": True}}}
    kept = unpack_state(json.dumps({"format": 1, "state": {"kind": "Empty", "fields": {"table": table}}}))
    assert (kept.table.pool, kept.table.pool_for) == (FOUR, 0)


class Watch:
    def __init__(self, sightings: Mapping[int, Sighting]) -> None:
        self.sightings = sightings

    def see(self, frame: Frame) -> Sighting | None:
        return self.sightings.get(frame.sequence)

    def glance(self, frame: Frame) -> None:
        return None

    def forget(self) -> None:
        """Do nothing."""


class Frames(Recording):
    """A recording without pictures."""

    def load_frames(self) -> Iterator[Any]:
        for number in range(9):
            yield type("Frame", (), {"sequence": number, "t_s": number / 15})


def test_a_recording_declares_its_pool_for_all_of_its_rolls(tmp_path: Path) -> None:
    recording = Frames(
        folder=tmp_path,
        fps=15,
        width_px=1280,
        height_px=960,
        system="push-pool",
        pool={"base": 2, "skill": 1, "gear": 1},
        profile=None,
        colours={"base": "yellow", "skill": "green", "gear": "black"},
        presses=(RecordedPress(3, "reset"),),
        frames=(),
    )
    fewer = tuple(Dice.die(one.id + 10, one.reading.colour, 2, (60.0 * one.id, 700)) for one in Dice.FIRST[:3])
    watch = Watch({1: Dice.rest(*Dice.FIRST), 5: Dice.rest(*fewer)})
    changes = [change.as_json() for change in replay(recording, watch, replay_table(recording))]
    assert [(one["state"], one["problems"]) for one in changes] == [
        ("scored", []),
        ("empty", []),
        ("unclear", ["wrong_dice_count"]),
    ]
