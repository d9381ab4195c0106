"""Requested rolls: owner, dice to take, whose turn is next, and that nothing of one affects another."""

from dataclasses import replace
from typing import Any

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.effects import Commit
from device.game.state.events import (
    CameraFailed,
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
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import MAX_WAITING
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unclear
from device.game.state.table_events import ClockAdded, RolesChosen, RollPrepared, RollRequestDropped, RollRequested
from device.game.state.table_state import Pool, Table, TableDefaults
from device.game.state.tray import Tray
from device.game.table.roll_requests import turn_text
from rules.dice import Role
from tests.device.conftest import Dice
from tests.device.game.table.test_game_master import play, refused
from tests.narrowing import english

TABLE = Table("push-pool")
THREE = PreparedRoll(0, None, {}, pool=((Role.BASE, 3),))
ANN = RollRequested("Ann", "Strength + Fight", {Role.BASE: 2, Role.SKILL: 1, Role.GEAR: 1})
ZO = RollRequested("Zo", "Notice", {Role.BASE: 1})
BO = RollRequested("Bo")
FOUR = {"base": 2, "skill": 1, "gear": 1, "negative": 0, "plain": 0}
Events = tuple[Event, ...]
ONE = {"base": 1, "skill": 0, "gear": 0, "negative": 0, "plain": 0}


def pool(state: Tray) -> Any:
    """Return declared dice by role; None if there are none."""
    declared = state.table.pool
    return None if declared is None else declared.as_json()


def shown(state: Tray) -> Any:
    """Return the owner of the roll on a screen, the dice to take, and who is next."""
    body: dict[str, Any] = english(snapshot_body(1, state, TrayMetadata("simulated", None, {})))
    request = body["asked"]
    owner = None if request is None else (request["owner"], request["label"])
    return owner, [(one["count"], one["colour"]) for one in body["take"]], [one["owner"] for one in body["asked_next"]]


def rows(state: Tray, *events: Event) -> list[tuple[str, str | None, str | None]]:
    """Return kind, owner and label of every row that is written."""
    written = []
    for event in events:
        state, commands = step(state, event)
        written += [row for command in commands if isinstance(command, Commit) for row in command.rows]
    return [(row.kind.value, row.notes.owner, row.notes.label) for row in written]


@pytest.fixture
def first() -> Events:
    return MotionSeen(), DiceSettled(Dice.rest(*Dice.FIRST))


@pytest.fixture
def pushed(first: Events) -> Events:
    return *first, PushPressed(), MotionSeen(), DiceSettled(Dice.rest(*Dice.THROWN))


def test_a_requested_roll_has_its_turn_in_an_empty_tray_and_says_which_dice_to_take() -> None:
    state = play(Tray(Empty(), TABLE), ANN)
    assert shown(state) == (("Ann", "Strength + Fight"), [(2, "base"), (1, "skill"), (1, "gear")], [])
    assert pool(state) == FOUR
    assert shown(play(state, ZO, BO)) == (*shown(state)[:2], ["Zo", "Bo"])


def test_every_row_of_a_requested_roll_says_whose_it_is(first: Events) -> None:
    events = (ANN, *first, DieCorrected(1, 4, None), PushPressed(), MotionSeen(), DiceSettled(Dice.rest(*Dice.THROWN)))
    ann = ("Ann", "Strength + Fight")
    assert rows(Tray(Empty(), TABLE), *events) == [("scored", *ann), ("corrected", *ann), ("pushed", *ann)]


def test_reset_ends_the_roll_with_all_that_was_requested_and_the_table_stays(pushed: Events) -> None:
    state = play(Tray(Empty(), TABLE), ClockAdded("Alarm", 6), ANN, *pushed)
    assert isinstance(state.dice, Resolved)
    assert shown(state) == (("Ann", "Strength + Fight"), [], [])
    after = play(state, ResetPressed())
    assert shown(after) == (None, [], [])
    assert after.table.pool is None
    assert [clock.name for clock in after.campaign.clocks.clocks] == ["Alarm"]


def test_reset_gives_the_next_one_its_turn_with_its_own_dice(pushed: Events) -> None:
    state = play(Tray(Empty(), TABLE), ANN, *pushed, ZO, BO)
    assert shown(state) == (("Ann", "Strength + Fight"), [], ["Zo", "Bo"])
    state = play(state, ResetPressed())
    assert shown(state) == (("Zo", "Notice"), [(1, "base")], ["Bo"])
    assert pool(state) == ONE
    # A second press while the previous roll's dice still lie there skips no turn.
    assert shown(play(state, ResetPressed())) == shown(state)
    thrown = DiceSettled(Dice.rest(Dice.die(7, "base", 6, (50, 700))))
    assert rows(state, MotionSeen(), thrown) == [("scored", "Zo", "Notice")]
    state = play(state, MotionSeen(), thrown, ResetPressed())
    assert (shown(state), state.table.pool) == ((("Bo", None), [], []), None)


def test_in_a_tray_seen_empty_reset_ends_the_requested_roll_itself() -> None:
    assert shown(play(Tray(Empty(), TABLE), ANN, ZO, ResetPressed())) == (("Zo", "Notice"), [(1, "base")], [])


def test_reset_returns_to_the_usual_pool_where_the_next_one_names_no_dice(pushed: Events) -> None:
    usual = TableDefaults("push-pool", Pool(((Role.BASE, 3),)))
    state = play(Tray(Empty(), Table("push-pool", usual=usual)), ANN, *pushed, BO, ResetPressed())
    assert shown(state) == (("Bo", None), [(3, "base")], [])


@pytest.mark.parametrize("is_pushed", [False, True])
def test_dice_that_were_scored_and_taken_out_are_over_without_reset(
    first: Events, pushed: Events, is_pushed: bool
) -> None:
    state = play(Tray(Empty(), TABLE), ANN, ZO, *(pushed if is_pushed else first))
    cleared, commands = step(play(state, MotionSeen()), DiceSettled(Dice.rest()))
    assert any(isinstance(command, Commit) for command in commands)
    assert shown(cleared) == (("Zo", "Notice"), [(1, "base")], [])
    assert shown(play(Tray(Empty(), TABLE), ANN, *first, DiceSettled(Dice.rest()))) == (None, [], [])


def test_dice_that_were_not_scored_may_be_taken_out_and_thrown_once_more() -> None:
    cocked = DiceSettled(Dice.rest(Dice.die(9, "base", None, (40, 40))))
    state = play(Tray(Empty(), TABLE), ANN, ZO, MotionSeen(), cocked)
    assert isinstance(state.dice, Unclear)
    assert shown(play(state, DiceSettled(Dice.rest())))[0] == ("Ann", "Strength + Fight")


def test_the_roll_after_a_requested_one_has_no_owner_unless_someone_requested_it(first: Events) -> None:
    again = DiceSettled(
        Dice.rest(*(Dice.die(one.id, one.reading.colour, 2, (60.0 * one.id, 700), True) for one in Dice.FIRST))
    )
    state = play(Tray(Empty(), TABLE), ANN, *first)
    assert rows(state, MotionSeen(), again) == [("scored", None, None)]
    assert shown(play(state, MotionSeen(), again))[0] is None


@pytest.mark.parametrize("name", ["rolling", "unclear", "scored", "awaiting", "resolved"])
def test_while_a_roll_is_under_way_a_requested_one_waits_and_has_its_turn_after_reset(
    name: str, first: Events, pushed: Events
) -> None:
    cocked = DiceSettled(Dice.rest(Dice.die(9, "base", None, (40, 40))))
    ways = {
        "rolling": ((MotionSeen(),), Rolling),
        "unclear": ((MotionSeen(), cocked), Unclear),
        "scored": (first, Scored),
        "awaiting": ((*first, PushPressed()), AwaitingPush),
        "resolved": (pushed, Resolved),
    }
    events, kind = ways[name]
    state = play(Tray(Empty(), TABLE), *events, ZO)
    assert isinstance(state.dice, kind)
    assert shown(state)[0] is None
    assert shown(state)[2] == ["Zo"]
    assert state.table.pool is None
    assert shown(play(state, ResetPressed())) == (("Zo", "Notice"), [(1, "base")], [])


def test_a_hand_that_only_passed_over_an_empty_tray_delays_no_player() -> None:
    state = play(Tray(Empty(), TABLE), MotionSeen(), ZO)
    assert shown(state)[2] == ["Zo"]
    cleared, commands = step(state, DiceSettled(Dice.rest()))
    assert (shown(cleared)[0], Commit() in commands) == (("Zo", "Notice"), True)


def test_a_roll_that_is_requested_while_dice_are_taken_out_after_reset_has_its_turn(first: Events) -> None:
    state = play(Tray(Empty(), TABLE), ANN, *first, ResetPressed(), MotionSeen(), ZO)
    assert shown(state) == (None, [], ["Zo"])
    cleared, commands = step(state, DiceSettled(Dice.rest()))
    assert (shown(cleared), Commit() in commands) == ((("Zo", "Notice"), [(1, "base")], []), True)


def test_a_throw_ordered_over_a_result_is_not_given_to_the_next_player_in_flight(first: Events) -> None:
    state = play(Tray(Empty(), TABLE), ANN, ZO, *first, ThrowOrdered(), DiceSettled(Dice.rest()))
    assert (shown(state)[0], pool(state)) == (None, FOUR)
    assert shown(play(state, ResetPressed()))[0] == ("Zo", "Notice")


def test_a_roll_prepared_meanwhile_comes_before_those_that_wait(first: Events) -> None:
    prepared = RollPrepared(THREE)
    state = play(Tray(Empty(), TABLE), ANN, *first, ZO, prepared)
    assert shown(state) == (None, [(3, "base")], ["Zo"])
    assert shown(play(state, BO))[2] == ["Zo", "Bo"]
    assert shown(play(replace(state, dice=Empty()), ResetPressed())) == (("Zo", "Notice"), [(1, "base")], [])


def test_a_roll_prepared_from_tiles_is_that_of_whose_turn_it_is() -> None:
    prepared = RollPrepared(THREE)
    assert shown(play(Tray(Empty(), TABLE), ANN, prepared)) == (("Ann", "Strength + Fight"), [(3, "base")], [])


def test_the_player_who_prepares_a_roll_by_name_has_the_turn_and_the_other_is_next(first: Events) -> None:
    def prepared(owner: str, label: str | None = None) -> RollPrepared:
        return RollPrepared(THREE, owner, label)

    state = play(Tray(Empty(), TABLE), ANN, BO, prepared("Zo", "Wits"))
    assert shown(state) == (("Zo", "Wits"), [(3, "base")], ["Ann", "Bo"])
    assert shown(play(state, ResetPressed())) == (
        ("Ann", "Strength + Fight"),
        [(2, "base"), (1, "skill"), (1, "gear")],
        ["Bo"],
    )
    assert shown(play(Tray(Empty(), TABLE), ANN, prepared("Ann")))[::2] == (("Ann", "Strength + Fight"), [])
    assert shown(play(Tray(Empty(), TABLE), ANN, *first, prepared("Zo"))) == (("Zo", None), [(3, "base")], [])
    assert rows(play(Tray(Empty(), TABLE), prepared("Zo"), PoolDeclared(None)), *first) == [("scored", "Zo", None)]


def test_other_dice_declared_for_whose_turn_it_is_are_those_to_take() -> None:
    state = play(Tray(Empty(), TABLE), ANN, PoolDeclared(Pool(((Role.SKILL, 2),))))
    assert shown(state) == (("Ann", "Strength + Fight"), [(2, "skill")], [])


def test_negative_dice_are_taken_in_the_colour_that_plays_them() -> None:
    assert shown(play(Tray(Empty(), TABLE), RollRequested("Ann", dice={Role.NEGATIVE: 2})))[1] == [(2, "skill")]
    both = RollRequested("Ann", dice={Role.SKILL: 1, Role.NEGATIVE: 2})
    assert refused(Tray(Empty(), TABLE), both) == "bad_value", "one colour cannot be both"
    four = replace(
        TABLE, colour_classes=("base", "skill", "gear", "red"), colour_roles={TABLE.system: {"red": "negative"}}
    )
    assert shown(play(Tray(Empty(), four), both))[1] == [(1, "skill"), (2, "red")]
    assert shown(play(Tray(Empty(), TABLE), ANN, RollRequested("Zo", dice={Role.NEGATIVE: 2})))[2] == ["Zo"]


def test_dice_of_a_waiting_roll_are_named_in_its_own_colours() -> None:
    state = play(Tray(Empty(), TABLE), ANN, RollRequested("Zo", dice={Role.NEGATIVE: 2}))
    body = english(snapshot_body(1, state, TrayMetadata("simulated", None, {})))
    plain: dict[str, Any] = {"thrower": None, "aim": {}, "aim_text": None, "hidden": False, "together": None}
    take = [{"role": "negative", "colour": "skill", "count": 2}]
    assert body["asked_next"] == [{"id": 2, "owner": "Zo", "label": None, "text": "Zo", **plain, "take": take}]
    named = {"label": "Strength + Fight", "text": "Ann: Strength + Fight"}
    assert body["asked"] == {"id": 1, "owner": "Ann", **named, **plain, "roll": 1}


@pytest.mark.parametrize(
    ("owner", "thrower", "purpose", "text"),
    [
        ("Zo", None, "Notice", "Zo: Notice"),
        ("Zo", None, None, "Zo"),
        (None, None, "Notice", "Notice"),
        (None, None, None, ""),
        ("Guard", "Ann", "Notice", "Ann for Guard: Notice"),
        (None, "Ann", None, "Ann"),
    ],
)
def test_a_roll_is_named_by_its_player_and_purpose_as_far_as_given(
    owner: str | None, thrower: str | None, purpose: str | None, text: str
) -> None:
    assert english(turn_text(owner, thrower, purpose)) == text


def test_dice_that_any_colour_plays_have_no_colour() -> None:
    state = play(Tray(Empty(), Table("hits-pool")), RollRequested("Ann", dice={Role.PLAIN: 5}))
    assert shown(state)[1] == [(5, None)]
    wild = play(Tray(Empty(), Table("die-code")), RolesChosen("die-code", {"skill": Role.WILD}))
    assert (1, "skill") in shown(play(wild, RollRequested("Ann", dice={Role.WILD: 1, Role.PLAIN: 3})))[1]


def test_under_other_rules_the_players_keep_their_turns_and_lose_their_dice() -> None:
    state = play(Tray(Empty(), TABLE), ANN, ZO, SystemChosen("hits-pool"))
    assert shown(state) == (("Ann", "Strength + Fight"), [], ["Zo"])
    assert shown(play(state, ResetPressed())) == (("Zo", "Notice"), [], [])


def test_a_requested_roll_is_taken_back_before_its_dice_are_thrown(first: Events) -> None:
    state = play(Tray(Empty(), TABLE), ANN, ZO, BO)
    assert shown(play(state, RollRequestDropped(2)))[2] == ["Bo"]
    assert shown(play(state, RollRequestDropped(1))) == (("Zo", "Notice"), [(1, "base")], ["Bo"])
    alone = play(Tray(Empty(), TABLE), ANN, RollRequestDropped(1))
    assert (shown(alone), alone.table.pool) == ((None, [], []), None)
    assert refused(state, RollRequestDropped(9)) == "unknown_asked"
    assert refused(play(state, *first), RollRequestDropped(1)) == "roll_lies_there"
    assert shown(play(state, *first, RollRequestDropped(3)))[2] == ["Zo"]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (RollRequested(), "bad_value"),
        (RollRequested(dice={Role.BASE: 0}), "bad_value"),
        (RollRequested("Ann", dice={Role.WILD: 1}), "unknown_role"),
        (RollRequested("Ann", dice={Role.BASE: 20, Role.SKILL: 20, Role.GEAR: 1}), "bad_value"),
    ],
)
def test_what_asks_for_nothing_or_for_too_much_is_refused(event: RollRequested, reason: str) -> None:
    assert refused(Tray(Empty(), TABLE), event) == reason


def test_no_more_wait_than_anybody_keeps_in_mind() -> None:
    state = play(Tray(Empty(), TABLE), *(MAX_WAITING + 1) * [BO])
    assert refused(state, BO) == "too_many_asked"


def test_while_the_camera_is_away_a_roll_may_be_requested_all_the_same(first: Events) -> None:
    away = play(Tray(Empty(), TABLE), ANN, *first, CameraFailed("gone", 1.0), ZO)
    assert shown(away) == (("Ann", "Strength + Fight"), [], ["Zo"])
