"""Manual dice: part of the roll with those that the camera reads, and of its push."""

from collections.abc import Iterable

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.effects import Command, Commit, Refuse
from device.game.state.events import (
    DiceConfirmed,
    DiceSettled,
    DieAdded,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
)
from device.game.state.manual_dice import FIRST_TYPED_ID, declared_typed
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unclear
from device.game.state.table_events import ManualDieEntered, TypedDieChanged, TypedDieRemoved
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Fault, Tray
from device.message import message
from device.storage.serialisation import pack_state, unpack_state
from rules.dice import Role
from tests.device.conftest import Dice
from tests.device.game.sample_states import play
from tests.narrowing import a, english, parts_of

A, B = FIRST_TYPED_ID, FIRST_TYPED_ID + 1
BOTH = Table(
    "step-dice",
    pool=Pool(((Role.BASE, 0), (Role.AMMO, 0))),
    typed=declared_typed(((Role.BASE, "A"), (Role.BASE, "B"))),
    context={"attribute_name": "STR", "hp": 5},
)
MIXED = Table(
    "step-dice",
    pool=Pool(((Role.BASE, 1), (Role.AMMO, 1))),
    typed=declared_typed(((Role.BASE, "A"),)),
    context={"attribute_name": "INT"},
)


def reason(commands: Iterable[Command]) -> str:
    return next(command.reason for command in commands if isinstance(command, Refuse))


def typed(level: str, value: int) -> ManualDieEntered:
    return ManualDieEntered(level, value, Role.BASE)


@pytest.fixture
def whole() -> Tray:
    """Two manual dice, no die in the tray."""
    return play(Tray(Empty(), BOTH), typed("A", 7), typed("B", 1))[0]


def test_a_roll_may_be_typed_in_whole(whole: Tray) -> None:
    assert isinstance(whole.dice, Scored)
    assert (whole.dice.outcome.facts["successes"], whole.dice.outcome.facts["base_ones"]) == (1, 1)
    assert (whole.dice.outcome.must_reroll, whole.dice.outcome.locked) == ((str(A),), (str(B),))
    body = parts_of(snapshot_body(1, whole, TrayMetadata("simulated", None, {})))
    assert [(die["value"], die["sides"], die["locked"], die["must_reroll"]) for die in body["typed_dice"]] == [
        (7, 12, False, True),
        (1, 10, True, False),
    ]
    assert (body["frame"], body["dice"], body["push"]["must_reroll"]) == (None, [], [A])


def test_it_waits_for_every_declared_face() -> None:
    state, _ = play(Tray(Empty(), BOTH), typed("A", 7))
    assert isinstance(state.dice, Empty)
    state, _ = play(
        Tray(Empty(), MIXED), MotionSeen(), DiceSettled(Dice.rest(Dice.die(1, "base", 6), Dice.die(2, "gear", 1)))
    )
    assert isinstance(state.dice, Unclear)
    assert [(t.code, t.text, t.dice) for t in state.dice.troubles] == [
        ("typed_die_missing", message("tray.problem.no_value", names="d12", count=1), (A,))
    ]
    state, commands = step(state, typed("A", 12))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["successes"] == 3
    assert len(a(Commit, commands[0]).rows[0].roll) == 3


def test_a_push_of_typed_dice_asks_for_those_that_must_go(whole: Tray) -> None:
    pushed, _ = step(whole, PushPressed())
    assert isinstance(pushed.dice, AwaitingPush)
    assert [die.value for die in pushed.table.typed] == [None, 1]
    refused, commands = step(pushed, TypedDieChanged(B, 5))
    assert (refused, reason(commands)) == (pushed, "locked_die")
    done, commands = step(pushed, TypedDieChanged(A, 10))
    assert isinstance(done.dice, Resolved)
    assert (
        done.dice.outcome.facts["successes"],
        done.dice.outcome.facts["damage"],
        done.dice.outcome.facts["hp_after"],
    ) == (
        2,
        1,
        4,
    )
    assert isinstance(commands[0], Commit)
    corrected, _ = step(done, TypedDieChanged(A, 2))
    assert isinstance(corrected.dice, Resolved)
    assert corrected.dice.outcome.facts["successes"] == 0
    assert step(done, ResetPressed())[0].table.typed == ()


@pytest.mark.parametrize("first", ["typed", "thrown"])
def test_typed_and_thrown_dice_are_pushed_together_in_any_order(first: str) -> None:
    rest = DiceSettled(Dice.rest(Dice.die(1, "base", 4), Dice.die(2, "gear", 3)))
    state, _ = play(Tray(Empty(), MIXED), MotionSeen(), rest, typed("A", 5), PushPressed())
    assert isinstance(state.dice, AwaitingPush)
    throw = (
        MotionSeen(),
        DiceSettled(Dice.rest()),
        MotionSeen(),
        DiceSettled(
            Dice.rest(Dice.die(1, "base", 1, (700, 500), moved=True), Dice.die(2, "gear", 6, (800, 500), moved=True))
        ),
    )
    face = (TypedDieChanged(A, 9),)
    state, _ = play(state, *((*face, *throw) if first == "typed" else (*throw, *face)))
    assert isinstance(state.dice, Resolved)
    assert (
        state.dice.outcome.facts["successes"],
        state.dice.outcome.facts["stress"],
        state.dice.outcome.facts["ammo_sixes"],
    ) == (
        1,
        1,
        1,
    )


def test_a_push_without_the_typed_face_is_unclear_until_it_is_tapped_in() -> None:
    rest = DiceSettled(Dice.rest(Dice.die(1, "base", 4), Dice.die(2, "gear", 1)))
    thrown = DiceSettled(Dice.rest(Dice.die(1, "base", 2, (700, 500), moved=True), Dice.die(2, "gear", 1, moved=False)))
    state, _ = play(Tray(Empty(), MIXED), rest, typed("A", 5), PushPressed(), MotionSeen(), thrown)
    assert isinstance(state.dice, Unclear)
    assert state.dice.troubles[0].code == "typed_die_missing"
    assert isinstance(step(state, typed("A", 3))[0].dice, Resolved)


def test_dice_join_a_roll_whose_typed_die_came_first() -> None:
    table = Table("step-dice")
    state, commands = play(Tray(Empty(), table), typed("A", 8))
    assert isinstance(state.dice, Unclear)
    assert [row for command in commands if isinstance(command, Commit) for row in command.rows] == []
    state, _ = play(state, MotionSeen(), DiceSettled(Dice.rest(Dice.die(1, "base", 6))))
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, state.dice.outcome.facts["successes"]) == (1, 2)
    gone, _ = play(state, MotionSeen(), DiceSettled(Dice.rest()))
    assert isinstance(gone.dice, Empty)
    assert gone.table.typed == ()


def test_one_of_two_dice_has_no_result_until_somebody_says_that_it_is_all() -> None:
    state, _ = play(Tray(Empty(), Table("step-dice")), typed("A", 8))
    body = parts_of(snapshot_body(1, state, TrayMetadata("simulated", None, {})))
    assert (body["state"], body["problems"], body["confirmable"]) == ("unclear", ["maybe_more_dice"], True)
    assert (body["next"]["code"], body["next"]["wrong"], body["lamps"]["trouble"]["lit"]) == ("was_all", False, False)
    assert isinstance(step(state, typed("B", 7))[0].dice, Scored)
    state, commands = step(state, DiceConfirmed())
    assert isinstance(state.dice, Scored)
    assert [row.kind for row in a(Commit, commands[0]).rows] == ["corrected", "scored"]
    assert isinstance(step(state, typed("B", 7))[0].dice, Scored)


def test_a_new_throw_asks_for_the_typed_dice_again() -> None:
    rest = DiceSettled(Dice.rest(Dice.die(1, "base", 4), Dice.die(2, "gear", 3)))
    other = DiceSettled(
        Dice.rest(Dice.die(1, "base", 2, (50, 50), moved=True), Dice.die(2, "gear", 5, (90, 90), moved=True))
    )
    state, _ = play(Tray(Empty(), MIXED), rest, typed("A", 5), MotionSeen(), other)
    assert isinstance(state.dice, Unclear)
    assert [die.value for die in state.table.typed] == [None]


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (ManualDieEntered("E", 5, Role.BASE), "bad_value"),
        (ManualDieEntered("D", 5, Role.BASE), "bad_value"),
        (ManualDieEntered("C", 9, Role.BASE), "bad_value"),
        (ManualDieEntered("A", 0, Role.BASE), "bad_value"),
        (ManualDieEntered("A", 5, Role.WILD), "unknown_role"),
        (TypedDieChanged(A, 13), "bad_value"),
        (TypedDieChanged(4711, 3), "unknown_die"),
        (TypedDieRemoved(4711), "unknown_die"),
    ],
)
def test_faces_that_make_no_sense_are_refused(event: Event, word: str) -> None:
    state, commands = step(Tray(Empty(), BOTH), event)
    assert (state, reason(commands)) == (Tray(Empty(), BOTH), word)


def test_rules_without_such_dice_take_none() -> None:
    before = Tray(Empty(), Table("push-pool"))
    state, commands = step(before, typed("A", 5))
    assert (state, reason(commands)) == (before, "bad_value")


def test_typed_faces_survive_a_restart(whole: Tray) -> None:
    for state in (whole, step(whole, PushPressed())[0], play(Tray(Empty(), BOTH), typed("A", 7))[0]):
        assert unpack_state(pack_state(state)) == state


def test_a_typed_die_taken_away_leaves_the_others(whole: Tray) -> None:
    state, _ = step(whole, TypedDieRemoved(A))
    assert isinstance(state.dice, Scored)
    assert len(state.dice.roll) == 1
    assert isinstance(step(state, TypedDieRemoved(B))[0].dice, Empty)


@pytest.mark.parametrize("pool", [None, Pool(((Role.BASE, 2), (Role.AMMO, 1)))])
def test_a_pool_declared_for_the_next_roll_takes_no_typed_die_out_of_this_one(whole: Tray, pool: Pool | None) -> None:
    declared, _ = step(whole, PoolDeclared(pool))
    assert isinstance(declared.dice, Scored)
    assert (declared.dice.outcome, declared.table.pool) == (a(Scored, whole.dice).outcome, pool)
    assert [die.value for die in declared.table.typed] == [7, 1]
    pushed, _ = step(whole, PushPressed())
    for state in (play(declared, PushPressed())[0], step(pushed, PoolDeclared(pool))[0]):
        done, _ = step(state, TypedDieChanged(A, 10))
        assert isinstance(done.dice, Resolved)
        assert (done.dice.outcome.facts["successes"], done.table.pool) == (2, pool)
        assert step(done, ResetPressed())[0].table.typed == ()
    rest = DiceSettled(Dice.rest(Dice.die(1, "base", 4), Dice.die(2, "gear", 1)))
    gone = DiceSettled(Dice.rest(Dice.die(2, "gear", 1, moved=False)))
    thrown = DiceSettled(Dice.rest(Dice.die(1, "base", 2, (700, 500), moved=True), Dice.die(2, "gear", 1, moved=False)))
    waiting, _ = play(Tray(Empty(), MIXED), rest, typed("A", 5), PushPressed(), gone, thrown, PoolDeclared(pool))
    assert isinstance(waiting.dice, Unclear)
    done, _ = step(waiting, TypedDieChanged(A, 9))
    assert (type(done.dice), done.table.pool) == (Resolved, pool)


def test_a_roll_that_was_typed_in_whole_has_no_dice_to_confirm(whole: Tray) -> None:
    waiting, _ = play(whole, TypedDieChanged(A, None))
    assert isinstance(waiting.dice, Unclear)
    for state in (whole, waiting):
        after, commands = step(state, DiceConfirmed())
        assert (after, reason(commands)) == (state, "nothing_to_confirm")


def test_a_die_that_the_camera_missed_is_pointed_out_along_with_a_typed_one() -> None:
    state, _ = play(Tray(Empty(), Table("step-dice")), typed("A", 7), DieAdded((640.0, 480.0), 6, "gear", 1280, 960))
    state, _ = step(state, DiceConfirmed())
    assert isinstance(state.dice, Scored)
    assert [(die.role, die.value) for die in state.dice.roll] == [(Role.AMMO, 6), (Role.BASE, 7)]
    assert step(state, DiceSettled(Dice.rest()))[0] == state
    outside = DieAdded((1300.0, 480.0), 6, "gear", 1280, 960)
    assert "1280 x 960" in english(
        a(Refuse, step(play(Tray(Empty(), Table("step-dice")), typed("A", 7))[0], outside)[1][0]).text
    )


def test_a_fault_of_the_camera_leaves_typing_possible() -> None:
    faulted = Tray(Rolling(), BOTH, fault=Fault("gone", 1.0))
    state, _ = step(faulted, typed("A", 7))
    assert [die.value for die in state.table.typed] == [7, None]


def test_a_declared_number_of_base_dice_may_be_typed_in_too() -> None:
    table = Table("step-dice", pool=Pool(((Role.BASE, 2), (Role.AMMO, 0))))
    state, _ = play(Tray(Empty(), table), typed("A", 8))
    assert isinstance(state.dice, Empty)
    assert isinstance(step(state, typed("C", 2))[0].dice, Scored)
    state, _ = play(Tray(Empty(), table), MotionSeen(), DiceSettled(Dice.rest(Dice.die(1, "base", 6))))
    assert isinstance(state.dice, Unclear)
    cure = english(message("tray.problem.throw_or_type", count=1))
    assert english(state.dice.troubles[0].text) == f"One base die is missing. {cure}"
    assert isinstance(step(state, typed("C", 2))[0].dice, Scored)
