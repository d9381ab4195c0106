"""A game master's requests: targets, step dice, hidden rolls, rolls for others, two sides, groups; every way out."""

import json
from dataclasses import replace
from typing import Any

import pytest

from device.game.machine import step
from device.game.redaction import redact, redact_odds
from device.game.snapshot import TrayMetadata, snapshot_body, take_snapshot
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import Command, Commit, LogRow, Refuse
from device.game.state.events import (
    DiceSettled,
    DieCorrected,
    Event,
    MotionSeen,
    PushPressed,
    ResetPressed,
    SystemChosen,
)
from device.game.state.linked_rolls import LinkKind
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import MAX_HIDDEN, MAX_WAITING, RollRequests, Unshown
from device.game.state.states import Empty, Resolved, Scored, Unclear
from device.game.state.table_events import (
    ConsequencesCarried,
    ExtendedTestBegun,
    HiddenRollShown,
    LinkedRollsRequested,
    ManualDieEntered,
    RollPrepared,
    RollRequestDropped,
    RollRequested,
    RulingsChosen,
    SheetAdded,
)
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import message
from device.ring.geometry import ring_view
from device.storage.serialisation import pack_state, unpack_state
from rules.dice import Role
from rules.sheet_file import new_sheet
from tests.device.conftest import Dice
from tests.narrowing import english

PUSH, HITS, CODE, STEP, HIGHEST = (
    Tray(Empty(), Table(name)) for name in ("push-pool", "hits-pool", "die-code", "step-dice", "highest-die")
)
METADATA = TrayMetadata("simulated", None, {})
OPPOSED, GROUP = LinkKind.OPPOSED, LinkKind.GROUP
ANN, ZO, BO = RollRequested("Ann"), RollRequested("Zo"), RollRequested("Bo")
HIDDEN = RollRequested("Guard", "Notice", hidden=True)


def tie_at(most: int) -> str:
    return str(english(message("tray.linked.level", first="Ann", second="Zo", each=most)))


def play(state: Tray, *events: Event) -> Tray:
    for event in events:
        state, commands = step(state, event)
        assert not [command for command in commands if isinstance(command, Refuse)], (event, commands)
    return state


def refused(state: Tray, event: Event) -> str:
    after, commands = step(state, event)
    assert after == state
    return next(command.reason for command in commands if isinstance(command, Refuse))


def body_of(state: Tray) -> Any:
    return snapshot_body(1, state, METADATA)


def rows(state: Tray, *events: Event) -> list[LogRow]:
    written = []
    for event in events:
        state, commands = step(state, event)
        written += [row for command in commands if isinstance(command, Commit) for row in command.rows]
    return written


def shown_by(commands: tuple[Command, ...]) -> list[tuple[int, Any]]:
    """Return the numbers of the rolls that the log now shows, with their standing."""
    shown = [one for command in commands if isinstance(command, Commit) for one in command.shown]
    return [(one.number, one.linked) for one in shown]


def throw(*values: int, colour: str = "base", first_id: int = 1) -> tuple[Event, Event]:
    """Let dice of one colour come to rest."""
    dice = [Dice.die(first_id + at, colour, value, (60.0 + 90 * at, 200.0)) for at, value in enumerate(values)]
    return MotionSeen(), DiceSettled(Dice.rest(*dice))


OUT: tuple[Event, ...] = (MotionSeen(), DiceSettled(Dice.rest()))
PUSHED: tuple[Event, ...] = (MotionSeen(), DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN)))
WILD: tuple[Event, ...] = (
    MotionSeen(),
    DiceSettled(Dice.rest(Dice.die(1, "gear", 6, (60.0, 200.0)), Dice.die(2, "base", 2, (150.0, 200.0)))),
)
"""The wild die shows a six: it explodes."""
FIRST: tuple[Event, ...] = (MotionSeen(), DiceSettled(Dice.rest(*Dice.FIRST)))


def rolled(*values: int) -> tuple[Event, ...]:
    """Throw dice, score and end the roll."""
    return (*throw(*values), ResetPressed(), *OUT)


# Aims: in the terms of the rules, and how they were met.


@pytest.mark.parametrize(
    ("empty", "aim", "values", "aim_text", "reported"),
    [
        (HITS, {"threshold": 2}, (5, 6, 6), "Threshold 2", (True, 1, "Made it by 1.")),
        (HITS, {"threshold": 2}, (5, 6, 1), "Threshold 2", (True, 0, "Just made it.")),
        (HITS, {"threshold": 3}, (5, 1, 1), "Threshold 3", (False, -2, "Missed it by 2.")),
        (CODE, {"difficulty": 10}, (5, 4, 3), "Number to reach 10", (True, 2, "Made it by 2.")),
        (CODE, {"band": "Moderate"}, (1, 4, 3), "Difficulty Moderate", (False, -3, "Missed it by 3.")),
        (HIGHEST, {"risk": "high"}, (5, 1), "Risk high", (True, None, "Made it.")),
        (HIGHEST, {"risk": "high"}, (2, 1), "Risk high", (False, None, "Missed it.")),
        (PUSH, {"difficulty": -2}, (6, 6), "Harder: \N{MINUS SIGN}2 dice", (True, 1, "Made it by 1.")),
        (PUSH, {"difficulty": -2}, (3, 2), "Harder: \N{MINUS SIGN}2 dice", (False, None, "Missed it.")),
    ],
)
def test_a_result_says_whether_the_aim_was_met_and_by_how_much(
    empty: Tray,
    aim: dict[str, Any],
    values: tuple[int, ...],
    aim_text: str,
    reported: tuple[bool, int | None, str],
) -> None:
    events = (RollRequested("Ann", "Notice", aim=aim), *throw(*values))
    body = english(body_of(play(empty, *events)))
    assert (body["asked"]["aim"], body["asked"]["aim_text"]) == (aim, aim_text)
    assert body["measured"] == dict(zip(("met", "by", "text"), reported, strict=True))
    (row,) = rows(empty, *events)
    assert row.request is not None
    assert (row.request["aim"], row.request["met"], row.request["by"]) == (aim, *reported[:2])


def test_an_aim_holds_for_its_roll_alone() -> None:
    state = play(HITS, RollRequested("Ann", aim={"threshold": 2}), ZO)
    assert state.table.context == {"threshold": 2}
    after = play(state, *throw(5, 6), ResetPressed())
    assert after.table.context == {}
    assert play(state, RollRequestDropped(1)).table.context == {}
    assert body_of(play(after, *OUT, *throw(5)))["measured"] is None


def test_a_total_that_is_not_over_meets_nothing_yet() -> None:
    state = play(CODE, RollRequested("Ann", aim={"difficulty": 10}), *WILD)
    assert body_of(state)["awaiting"] is not None
    assert body_of(state)["measured"] is None


@pytest.mark.parametrize(
    ("empty", "event", "reason"),
    [
        (HITS, RollRequested("Ann", aim={"difficulty": 2}), "bad_value"),
        (HITS, RollRequested("Ann", aim={"threshold": "two"}), "bad_value"),
        (PUSH, RollRequested("Ann", aim={"difficulty": -4}), "bad_value"),
        (PUSH, RollRequested("Ann", levels={"B": 1}), "bad_value"),
        (STEP, RollRequested("Ann", levels={"D": 1}), "bad_value"),
        (STEP, RollRequested("Ann", dice={Role.BASE: 2}, levels={"A": 1}, aim={"modifier": 1}), "bad_value"),
        (STEP, RollRequested("Ann", dice={Role.BASE: 20}, levels={"A": 20, "B": 1}), "bad_value"),
        (PUSH, LinkedRollsRequested(OPPOSED, (ANN,)), "bad_value"),
        (PUSH, LinkedRollsRequested(OPPOSED, (ANN, ZO, BO)), "bad_value"),
        (PUSH, LinkedRollsRequested(GROUP, (ANN,)), "bad_value"),
        (PUSH, LinkedRollsRequested(GROUP, (ANN, RollRequested())), "bad_value"),
        (PUSH, LinkedRollsRequested(GROUP, (ANN, RollRequested("Zo", dice={Role.WILD: 1}))), "unknown_role"),
        (PUSH, LinkedRollsRequested(GROUP, (MAX_WAITING + 1) * (ANN,)), "too_many_asked"),
        (PUSH, HiddenRollShown(1), "unknown_asked"),
    ],
)
def test_what_the_rules_do_not_know_and_what_has_no_name_is_refused(empty: Tray, event: Event, reason: str) -> None:
    assert refused(empty, event) == reason


def test_hidden_rolls_are_refused_before_any_could_no_longer_be_shown() -> None:
    """All stored ones can be shown: none is dropped for the others."""
    kept = tuple(Unshown(number, number) for number in range(1, MAX_HIDDEN))
    requests = RollRequests(next_id=MAX_HIDDEN, unshown=kept)
    state = replace(
        PUSH, table=replace(PUSH.table, next_roll=MAX_HIDDEN), campaign=replace(PUSH.campaign, requests=requests)
    )
    hidden = replace(ANN, hidden=True)
    assert refused(state, LinkedRollsRequested(GROUP, (hidden, replace(ZO, hidden=True)))) == "too_many_asked"
    full = play(state, hidden)
    assert refused(full, hidden) == "too_many_asked"
    assert body_of(play(full, ANN))["asked_next"] != []
    over = play(full, *rolled(6, 6))
    assert len(body_of(over)["unshown"]) == MAX_HIDDEN
    play(over, HiddenRollShown(1), hidden)


def test_a_value_that_holds_anyway_is_no_aim() -> None:
    assert refused(PUSH, RollRequested(aim={"difficulty": 0})) == "bad_value"
    assert body_of(play(PUSH, RollRequested("Ann", aim={"difficulty": 0})))["asked"]["aim_text"] is None


# Step dice by count.


def test_step_dice_are_requested_by_count_and_typed_in() -> None:
    state = play(STEP, RollRequested("Ann", dice={Role.BASE: 1, Role.AMMO: 2}, levels={"B": 1}))
    take = body_of(state)["take"]
    assert [(one["role"], one["count"], one.get("sides")) for one in take] == [
        ("base", 1, None),
        ("ammo", 2, None),
        ("base", 1, 10),
    ]
    assert [(die.name, die.declared, die.value) for die in state.table.typed] == [("d10", True, None)]
    after = play(state, ResetPressed(), RollRequested("Zo", levels={"A": 2}))
    assert [die.name for die in after.table.typed] == ["d12", "d12"]
    typed = play(after, ManualDieEntered("A", 12), ManualDieEntered("A", 3))
    assert isinstance(typed.dice, Scored)
    assert rows(after, ManualDieEntered("A", 12), ManualDieEntered("A", 3))[0].notes.owner == "Zo"
    waits = body_of(play(STEP, ANN, RollRequested("Zo", levels={"A": 2})))["asked_next"][0]
    assert waits["take"] == [{"role": "base", "colour": None, "count": 2, "sides": 12}]


def test_a_modifier_steps_the_requested_dice() -> None:
    state = play(STEP, RollRequested("Ann", dice={Role.BASE: 1}, levels={"B": 1}, aim={"modifier": 1}))
    assert [die.name for die in state.table.typed] == ["d10", "d8"]
    assert state.table.pool is not None
    assert state.table.pool.total == 0


def test_typed_dice_that_joined_before_keep_their_numbers() -> None:
    state = play(
        STEP, RollRequested("Ann", dice={Role.BASE: 2}), ManualDieEntered("C", 3), RollRequested("Zo", levels={"C": 1})
    )
    state = play(replace(state, dice=Empty()), RollRequestDropped(1))
    ids = [die.id for die in state.table.typed]
    assert len(set(ids)) == len(ids)


def test_a_roll_for_somebody_else_names_both() -> None:
    events = (RollRequested("Guard", "Notice", thrower="Ann"), *throw(6))
    request = body_of(play(PUSH, *events))["asked"]
    assert (request["owner"], request["thrower"]) == ("Guard", "Ann")
    (row,) = rows(PUSH, *events)
    assert row.request is not None
    assert (row.notes.owner, row.request["thrower"]) == ("Guard", "Ann")


# Hidden until shown.


def hidden_states() -> dict[str, Tray]:
    scored = play(PUSH, HIDDEN, *FIRST)
    return {
        "turn": play(PUSH, HIDDEN),
        "rolling": play(PUSH, HIDDEN, MotionSeen()),
        "scored": scored,
        "corrected": play(scored, DieCorrected(1, 4, None)),
        "unclear": play(PUSH, HIDDEN, MotionSeen(), DiceSettled(Dice.rest(*Dice.FIRST[:3], Dice.die(4, "gear", None)))),
        "wild": play(CODE, HIDDEN, *WILD),
        "typed": play(
            STEP,
            RollRequested("Guard", levels={"A": 1, "B": 1}, hidden=True),
            ManualDieEntered("A", 11),
            ManualDieEntered("B", 7),
        ),
    }


@pytest.mark.parametrize("name", list(hidden_states()))
def test_nothing_of_a_hidden_roll_reaches_everybody(name: str) -> None:
    state = hidden_states()[name]
    snapshot = take_snapshot(1, state, METADATA)
    assert state.has_hidden_result
    assert state.has_hidden_dice
    body: Any = snapshot.body
    assert (body["hidden"], body["covered"]) == (True, True)
    assert (body["outcome"], body["consequences"], body["measured"], body["mend"]) == (None, None, None, None)
    assert [die for die in body["dice"] if die["value"] is not None or die["read_value"] is not None] == []
    assert [die["mark"] for die in (*body["dice"], *body["typed_dice"]) if die["mark"] is not None] == []
    assert [die["unread"] is not None for die in body["dice"]] == [True] * len(body["dice"])
    assert [die for die in body["typed_dice"] if die["value"] is not None] == []
    assert (body["push"]["must_reroll"], body["push"]["locked"]) == ([], [])
    assert body["lamps"]["success"]["lit"] is False
    assert body["lamps"]["push_allowed"]["lit"] is False
    assert ring_view(state, None).success is False
    assert redact_odds({"pool": {}, "table": {"p_success": "1/2"}}) == {"pool": {}, "table": None}


def test_who_may_see_it_sees_all_of_it() -> None:
    state = hidden_states()["scored"]
    snapshot = take_snapshot(1, state, METADATA)
    assert snapshot.whole == body_of(state)
    outcome: Any = snapshot.whole["outcome"]
    assert outcome["successes"] == 1
    open_roll = take_snapshot(1, play(PUSH, ANN, *FIRST), METADATA)
    assert open_roll.whole is open_roll.body


def test_a_hidden_result_of_other_faces_looks_the_same() -> None:
    """Whatever the faces, the public snapshot is the same to the last letter, and so are the lamps."""
    seen = set()
    for values in ((6, 6, 6), (1, 1, 1), (2, 3, 4), (6, 1, 3)):
        state = play(PUSH, HIDDEN, *throw(*values))
        snapshot = take_snapshot(1, state, METADATA)
        seen.add(json.dumps(english(snapshot.body)))
        assert snapshot.lights == take_snapshot(1, play(PUSH, HIDDEN, *throw(2, 2, 2)), METADATA).lights
    assert len(seen) == 1


def test_showing_it_shows_it_and_writes_it_to_the_log() -> None:
    state = hidden_states()["scored"]
    after, commands = step(state, HiddenRollShown(1))
    shown = take_snapshot(1, after, METADATA)
    assert shown.whole is shown.body
    assert body_of(after)["outcome"] is not None
    assert [
        (one.number, one.linked) for command in commands if isinstance(command, Commit) for one in command.shown
    ] == [(1, None)]
    assert [row.hidden for row in rows(PUSH, HIDDEN, *FIRST, HiddenRollShown(1), DieCorrected(1, 4, None))] == [
        True,
        False,
    ]
    assert play(after, PushPressed()) != after


def test_a_hidden_roll_is_pushed_once_it_is_shown() -> None:
    assert refused(hidden_states()["scored"], PushPressed()) == "hidden"
    unpushed = play(
        hidden_states()["scored"],
        MotionSeen(),
        DiceSettled(Dice.rest(*Dice.LEFT)),
        DiceSettled(Dice.rest(*Dice.THROWN)),
    )
    assert isinstance(unpushed.dice, Unclear)
    assert refused(unpushed, PushPressed()) == "hidden"
    assert isinstance(play(unpushed, HiddenRollShown(1), PushPressed()).dice, Resolved)


def test_rules_without_a_push_say_so_of_a_hidden_roll_too() -> None:
    assert body_of(hidden_states()["wild"])["push"]["reason"] == "system_has_no_push"


def test_a_hidden_result_reaches_neither_sheet_nor_test_until_it_is_shown() -> None:
    table = Table("push-pool", context={"attribute_name": "STR"})
    campaign = Campaign(carry=Carry.ALWAYS, carry_chosen=True)
    state = play(Tray(Empty(), table, campaign), SheetAdded(new_sheet("Ann", "push-pool")), HIDDEN, *FIRST)
    assert refused(state, ConsequencesCarried(1)) == "hidden"
    begun = play(HITS, ExtendedTestBegun("extended", {"target": 4}), HIDDEN, *throw(5, 6))
    assert begun.campaign.running_test is not None
    assert begun.campaign.running_test.rolls == ()
    shown = play(begun, HiddenRollShown(1))
    assert shown.campaign.running_test is not None
    assert shown.campaign.running_test.rolls == ((1, 2),)


def test_after_reset_the_picture_stays_covered_until_the_dice_are_out_and_the_roll_may_still_be_shown() -> None:
    state = play(hidden_states()["scored"], ResetPressed())
    body = body_of(state)
    assert (body["hidden"], body["covered"]) == (False, True)
    assert body["unshown"] == [{"id": 1, "roll": 1, "owner": "Guard", "label": "Notice"}]
    assert body_of(play(state, MotionSeen()))["covered"] is True
    out = play(state, *OUT)
    assert body_of(out)["covered"] is False
    after, commands = step(out, HiddenRollShown(1))
    assert body_of(after)["unshown"] == []
    assert shown_by(commands) == [(1, None)]
    assert refused(after, HiddenRollShown(1)) == "unknown_asked"


def test_another_players_prepared_roll_uncovers_no_hidden_dice() -> None:
    prepared = RollPrepared(PreparedRoll(0, None, {}, pool=((Role.BASE, 1),)), "Ann")
    state = play(hidden_states()["scored"], prepared)
    body = body_of(state)
    assert (body["asked"]["owner"], body["hidden"], body["covered"]) == ("Ann", False, True)
    assert [one["owner"] for one in body["unshown"]] == ["Guard"]


def test_a_hidden_roll_taken_back_before_its_throw_hides_nothing() -> None:
    body = body_of(play(PUSH, HIDDEN, RollRequestDropped(1)))
    assert (body["hidden"], body["covered"], body["unshown"]) == (False, False, [])


# Two sides, and groups.


def linked_of(state: Tray) -> Any:
    (one,) = body_of(state)["together"]
    return english(one)


@pytest.mark.parametrize(
    ("empty", "first", "second", "came_out"),
    [
        (HITS, (5, 6), (5, 1), ("win", 0, "Ann beats Zo, 2 to 1.")),
        (HITS, (5, 1), (5, 1), ("draw", None, tie_at(1))),
        (CODE, (1, 2), (4, 5), ("lose", 1, "Zo beats Ann, 9 to 3.")),
        (PUSH, (6, 6), (6, 2), ("win", 0, "Ann beats Zo, 2 to 1.")),
        (STEP, (6, 1), (6, 2), ("draw", None, tie_at(1))),
        (HIGHEST, (3, 1), (4, 2), ("lose", 1, "Zo beats Ann, 4 to 3.")),
    ],
    ids=lambda value: value.table.system if isinstance(value, Tray) else "",
)
def test_two_sides_roll_one_after_another_and_are_compared(
    empty: Tray, first: tuple[int, ...], second: tuple[int, ...], came_out: tuple[str, int | None, str]
) -> None:
    state = play(empty, LinkedRollsRequested(OPPOSED, (ANN, ZO), "Wrestle"))
    body = body_of(state)
    assert (body["asked"]["owner"], [one["owner"] for one in body["asked_next"]]) == ("Ann", ["Zo"])
    assert [member["turn"] for member in linked_of(state)["members"]] == ["now", "waits"]
    state = play(state, *rolled(*first))
    assert [member["turn"] for member in linked_of(state)["members"]] == ["rolled", "now"]
    assert linked_of(state)["text"] is None
    state = play(state, *throw(*second))
    reported = linked_of(state)
    assert (reported["done"], reported["result"], reported["winner"], reported["text"]) == (True, *came_out)
    taken_out = play(empty, LinkedRollsRequested(OPPOSED, (ANN, ZO), "Wrestle"), *throw(*first), *OUT, *throw(*second))
    assert linked_of(taken_out) == reported, "dice taken out end a turn as Reset does"
    after = play(state, ResetPressed())
    assert linked_of(after) == {**reported, "members": [{**one, "turn": "rolled"} for one in reported["members"]]}
    assert body_of(play(after, *OUT, *throw(1)))["together"] == []


def test_the_last_row_of_the_log_says_who_won() -> None:
    events = (LinkedRollsRequested(OPPOSED, (ANN, ZO), "Wrestle"), *rolled(5, 6), *throw(5, 1))
    written = rows(HITS, *events)
    assert [(row.notes.owner, row.notes.label) for row in written] == [("Ann", "Wrestle"), ("Zo", "Wrestle")]
    reported: list[Any] = [None if row.request is None else row.request["together"] for row in written]
    assert reported[0] is None
    assert (english(reported[1]["text"]), reported[1]["winner"], reported[1]["margin"]) == (
        "Ann beats Zo, 2 to 1.",
        0,
        1,
    )


def test_rulings_decide_where_the_rules_have_a_choice() -> None:
    tie = play(CODE, RulingsChosen("die-code", {"opposed_tie": "reroll"}), LinkedRollsRequested(OPPOSED, (ANN, ZO)))
    assert "both roll again" in linked_of(play(tie, *rolled(4, 5), *throw(5, 4)))["text"]
    cancel = play(PUSH, RulingsChosen("push-pool", {"opposed_rolls": True}), LinkedRollsRequested(OPPOSED, (ANN, ZO)))
    reported = linked_of(play(cancel, *rolled(6, 2), *throw(6, 3)))
    assert (reported["result"], reported["text"]) == (
        "lose",
        english(message("tray.linked.holds", winner="Zo", loser="Ann", most="1", least="1")),
    )


def test_a_correction_and_a_push_count_in_the_comparison() -> None:
    state = play(PUSH, LinkedRollsRequested(OPPOSED, (ANN, ZO)), *rolled(6, 6), *FIRST)
    assert linked_of(state)["text"] == "Ann beats Zo, 2 to 1."
    assert linked_of(play(state, DieCorrected(1, 6, None)))["text"] == tie_at(2)
    pushed = play(
        state, PushPressed(), MotionSeen(), DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN))
    )
    assert isinstance(pushed.dice, Resolved)
    assert linked_of(pushed)["members"][1]["count"] == 2


def test_the_hits_of_a_group_add_up_against_one_threshold() -> None:
    state = play(HITS, LinkedRollsRequested(GROUP, (ANN, ZO, BO), "Carry", {"threshold": 4}))
    assert (linked_of(state)["aim"], body_of(state)["asked"]["aim"]) == ({"threshold": 4}, {})
    state = play(state, *rolled(5, 6), *rolled(5, 1), *throw(6, 1))
    assert (linked_of(state)["result"], linked_of(state)["text"]) == ("met", "Together 4: just made it.")
    short = play(HITS, LinkedRollsRequested(GROUP, (ANN, ZO), None, {"threshold": 4}), *rolled(5), *throw(1))
    assert linked_of(short)["text"] == "Together 1: missed it by 3."
    without = play(HITS, LinkedRollsRequested(GROUP, (ANN, ZO)), *rolled(5), *throw(6))
    assert linked_of(without)["text"] == "Together 2."


def test_a_group_where_the_rules_add_nothing_up_says_who_made_it_and_who_leads() -> None:
    state = play(PUSH, LinkedRollsRequested(GROUP, (ANN, ZO, BO)), *rolled(6, 6), *rolled(2, 3), *throw(6, 1))
    reported = linked_of(state)
    assert (reported["winner"], reported["margin"]) == (0, 1)
    assert reported["text"] == "2 of 3 made it; Ann leads with 2."
    level = play(CODE, LinkedRollsRequested(GROUP, (ANN, ZO)), *rolled(4, 5), *throw(4, 5))
    assert (linked_of(level)["winner"], linked_of(level)["text"]) == (
        None,
        tie_at(9),
    )


def test_a_side_that_is_taken_back_leaves_the_other_a_roll_of_its_own() -> None:
    state = play(HITS, LinkedRollsRequested(OPPOSED, (ANN, ZO), "Wrestle"), *rolled(5, 6))
    for left in (play(state, RollRequestDropped(2)), play(state, ResetPressed())):
        assert (body_of(left)["together"], body_of(left)["asked"]) == ([], None)
    before = play(HITS, LinkedRollsRequested(OPPOSED, (ANN, ZO), "Wrestle"), RollRequestDropped(1))
    body = body_of(before)
    assert (body["asked"]["owner"], body["asked"]["together"], body["together"]) == ("Zo", None, [])


def test_reset_over_dice_that_could_not_be_scored_is_no_roll_of_a_side() -> None:
    unclear = play(
        HITS, LinkedRollsRequested(OPPOSED, (ANN, ZO)), MotionSeen(), DiceSettled(Dice.rest(Dice.die(1, "base", None)))
    )
    body = body_of(play(unclear, ResetPressed()))
    assert (body["asked"]["owner"], body["together"]) == ("Zo", [])


def test_a_group_goes_on_without_a_member_who_is_taken_back() -> None:
    state = play(HITS, LinkedRollsRequested(GROUP, (ANN, ZO, BO)), *rolled(5, 6), RollRequestDropped(2))
    assert [member["owner"] for member in linked_of(state)["members"]] == ["Ann", "Bo"]
    assert linked_of(play(state, *throw(5)))["text"] == "Together 3."
    alone = play(HITS, LinkedRollsRequested(GROUP, (ANN, ZO)), RollRequestDropped(1), RollRequestDropped(2))
    assert (body_of(alone)["together"], body_of(alone)["asked"]) == ([], None)


def test_a_group_is_done_when_the_last_who_had_not_rolled_is_taken_back() -> None:
    state = play(HITS, LinkedRollsRequested(GROUP, (ANN, ZO)), *rolled(5, 6), RollRequestDropped(2))
    assert linked_of(state)["text"] == "Together 2."


def test_other_rules_compare_nothing_that_was_begun() -> None:
    state = play(HITS, LinkedRollsRequested(OPPOSED, (ANN, ZO), "Wrestle", {"threshold": 1}), SystemChosen("push-pool"))
    body = body_of(state)
    assert (body["together"], body["asked"]["together"], body["asked"]["aim"]) == ([], None, {})
    assert body["asked_next"][0]["together"] is None
    assert state.table.context == {}


def test_one_hidden_side_hides_the_comparison_and_showing_it_shows_all() -> None:
    guard = RollRequested("Guard", hidden=True)
    state = play(HITS, LinkedRollsRequested(OPPOSED, (ANN, guard), "Stealth"), *rolled(5, 6), *throw(5, 1))
    seen: Any = redact(body_of(state))["together"]
    assert (seen[0]["text"], seen[0]["winner"], seen[0]["margin"], seen[0]["result"]) == (None, None, None, None)
    assert [member["count"] for member in seen[0]["members"]] == [2, None]
    written = rows(HITS, LinkedRollsRequested(OPPOSED, (ANN, guard), "Stealth"), *rolled(5, 6), *throw(5, 1))
    last: Any = written[-1].request
    assert (written[-1].hidden, last["together"]["hidden"]) == (True, True)
    after, commands = step(play(state, ResetPressed(), *OUT), HiddenRollShown(2))
    ((number, compared),) = shown_by(commands)
    assert (number, english(compared["text"])) == (2, "Ann beats Guard, 2 to 1.")
    assert redact(body_of(after))["together"] == body_of(after)["together"]
    assert linked_of(after)["text"] == "Ann beats Guard, 2 to 1."


def test_the_hidden_side_may_roll_first_and_the_open_one_carries_the_comparison() -> None:
    guard = RollRequested("Guard", hidden=True)
    events = (LinkedRollsRequested(OPPOSED, (guard, ANN), "Stealth"), *rolled(5, 6), *throw(5, 1))
    last: Any = rows(HITS, *events)[-1]
    assert (last.hidden, last.request["together"]["hidden"]) == (False, True)
    _, commands = step(play(HITS, *events), HiddenRollShown(1))
    assert [(number, compared is not None) for number, compared in shown_by(commands)] == [(1, False), (2, True)]


def test_a_group_that_is_hidden_is_shown_at_once() -> None:
    rolls = tuple(replace(one, hidden=True) for one in (ANN, ZO, BO))
    state = play(HITS, LinkedRollsRequested(GROUP, rolls), *rolled(5, 6), *rolled(5, 1), *throw(6, 1))
    after = play(state, HiddenRollShown(1))
    body = body_of(after)
    assert (body["hidden"], body["unshown"], linked_of(after)["text"]) == (False, [], "Together 4.")


def test_a_state_packed_in_the_middle_goes_on() -> None:
    middle = play(
        STEP,
        LinkedRollsRequested(GROUP, (RollRequested("Ann", levels={"C": 1}, hidden=True), ZO), aim={"passive": True}),
    )
    kept: Tray = unpack_state(pack_state(middle))
    again = replace(kept, campaign=middle.campaign)
    assert again == middle
