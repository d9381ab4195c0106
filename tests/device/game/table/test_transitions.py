"""The table's events in the state table: every such event in every state, then each in turn."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import Command, Commit, ForgetDice, Refuse
from device.game.state.events import (
    DiceSettled,
    DieCorrected,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    SystemChosen,
)
from device.game.state.linked_rolls import LinkKind
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unclear
from device.game.state.table_events import (
    CarryChosen,
    ClockAdded,
    ClockRemoved,
    ClockTicked,
    ClockUndone,
    ConsequencesApplied,
    ConsequencesCarried,
    ConsequencesWaived,
    CounterSet,
    ExtendedTestBegun,
    ExtendedTestEnded,
    HiddenRollShown,
    LinkedRollsRequested,
    ManualDieEntered,
    RolesChosen,
    RollGiven,
    RollPrepared,
    RollRequestDropped,
    RollRequested,
    RulingsChosen,
    SheetAdded,
    SheetChosen,
    SheetEdited,
    SheetRemoved,
    SheetRested,
    SheetUndone,
    TableEvent,
    TypedDieChanged,
    TypedDieRemoved,
)
from device.game.state.table_state import Pool, Table
from device.game.state.tray import Fault, Tray
from device.game.table.transitions import opened_table
from device.message import message
from rules.dice import Role
from rules.sheet import Consequence, Counter, Kind
from rules.sheet_file import new_sheet
from tests.device.conftest import Dice
from tests.device.game.sample_states import kind_of, play
from tests.narrowing import a, english, parts_of, there

CAMPAIGN = Campaign().filed(new_sheet("Ann", "push-pool"))
TABLE = Table("push-pool", context={"attribute_name": "STR"})
EMPTY = Tray(Empty(), TABLE, CAMPAIGN)
POOL = Pool(((Role.BASE, 2), (Role.SKILL, 1), (Role.GEAR, 1), (Role.NEGATIVE, 0)))

EVENTS: dict[str, Event] = {
    "rulings": RulingsChosen("push-pool", {"skill_ones_locked": True}),
    "other_rulings": RulingsChosen("die-code", {"wild_one": "complication"}),
    "roles": RolesChosen("push-pool", {"gear": Role.SKILL}),
    "prepared": RollPrepared(PreparedRoll(0, 1, {"attribute": "STR"}, pool=POOL.counts, context={"attribute": 2})),
    "asked": RollRequested("Ann", "Strength", {Role.BASE: 2}),
    "together": LinkedRollsRequested(LinkKind.OPPOSED, (RollRequested("Ann"), RollRequested("Zo"))),
    "dropped": RollRequestDropped(1),
    "shown": HiddenRollShown(1),
    "filed": SheetAdded(new_sheet("Bo", "push-pool")),
    "edited": SheetEdited(1, counters=(CounterSet(Kind.ATTRIBUTE, "STR", now=2),)),
    "removed": SheetRemoved(1),
    "chosen": SheetChosen(None),
    "carry": CarryChosen(Carry.ALWAYS),
    "carried": ConsequencesCarried(1),
    "waived": ConsequencesWaived(),
    "given": RollGiven(1, "Bo"),
    "hit": ConsequencesApplied(1, (Consequence(Kind.ATTRIBUTE, by=-1, name="STR"),), "a fall"),
    "undone": SheetUndone(1),
    "rested": SheetRested(1, "short"),
    "clock": ClockAdded("Alarm", 6),
    "tick": ClockTicked(1, 2),
    "untick": ClockUndone(),
    "clock_gone": ClockRemoved(1),
    "typed": ManualDieEntered("A", 3, Role.BASE),
    "retyped": TypedDieChanged(1, 3),
    "untyped": TypedDieRemoved(1),
    "series": ExtendedTestBegun("extended", {"target": 4}),
    "series_over": ExtendedTestEnded(),
}
REFUSED_EVERYWHERE = {
    "dropped",
    "shown",
    "undone",
    "rested",
    "tick",
    "untick",
    "clock_gone",
    "typed",
    "retyped",
    "untyped",
    "series",
}
"""No requested roll or change to undo, no rest in these rules, no clock, no manual dice, no extended test."""
BOOK_ONLY = {"other_rulings", "filed", "edited", "removed", "chosen", "carry", "hit", "clock"}
PUSHED = {"awaiting_push", "unclear_push"}


def refusal(commands: Iterable[Command]) -> str | None:
    return next((command.reason for command in commands if isinstance(command, Refuse)), None)


@pytest.fixture
def states() -> dict[str, Tray]:
    cocked = Dice.die(9, "base", None, (40, 40))
    scored, _ = play(EMPTY, MotionSeen(), DiceSettled(Dice.rest(*Dice.FIRST)))
    awaiting, _ = play(scored, PushPressed(), DiceSettled(Dice.rest(*Dice.LEFT)))
    unread = (Dice.die(1, "base", None, (700, 500), moved=True), *Dice.THROWN[1:])
    assert isinstance(scored.dice, Scored)
    return {
        "empty": EMPTY,
        "rolling": replace(EMPTY, dice=Rolling()),
        "unclear": play(EMPTY, DiceSettled(Dice.rest(cocked)))[0],
        "unclear_push": play(awaiting, MotionSeen(), DiceSettled(Dice.rest(*unread)))[0],
        "scored": scored,
        "awaiting_push": awaiting,
        "resolved": play(awaiting, MotionSeen(), DiceSettled(Dice.rest(*Dice.THROWN)))[0],
        "fault": replace(scored, fault=Fault("gone", 1.0)),
    }


NAMES = ("empty", "rolling", "unclear", "unclear_push", "scored", "awaiting_push", "resolved", "fault")


def test_the_events_are_all_there() -> None:
    assert {type(event).__name__ for event in EVENTS.values()} == {
        kind.__name__ for kind in TableEvent.__subclasses__()
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("event", EVENTS)
def test_every_state_has_a_stated_answer_to_every_event(states: dict[str, Tray], name: str, event: str) -> None:
    before = states[name]
    assert kind_of(before) == {
        "unclear": "Unscored",
        "unclear_push": "UnreadPush",
        "fault": "Faulted",
        "awaiting_push": "AwaitingPush",
    }.get(name, name.capitalize())
    after, commands = step(before, EVENTS[event])
    refused = refusal(commands)
    if refused is not None:
        assert after == before
    if event in REFUSED_EVERYWHERE:
        assert refused is not None
    elif event in BOOK_ONLY:
        assert refused is None
        assert kind_of(after) == kind_of(before)
        assert after.campaign != before.campaign
        assert any(isinstance(command, Commit) for command in commands)
    elif event in {"rulings", "roles", "prepared"}:
        assert refused == ("push_awaited" if name in PUSHED else None)
        ended = event == "prepared" and name in {"scored", "resolved"}
        assert kind_of(after) == ("Empty" if ended else kind_of(before))
        forgets = event == "prepared" and name in {"scored", "resolved", "fault"}
        assert (ForgetDice() in commands) is forgets
    elif event in {"carried", "waived"}:
        assert refused == (None if name == "resolved" else "nothing_to_carry")
    elif event == "given":
        assert refused is None
        assert kind_of(after) == kind_of(before)
        requests = after.campaign.requests
        assert (there(requests.current).owner, requests.for_roll) == ("Bo", 1)
    elif event in {"asked", "together"}:
        assert refused is None
        assert kind_of(after) == kind_of(before)
        requests = after.campaign.requests
        most = 1 if event == "asked" else 2
        at_once = name == "empty"
        assert (requests.current is not None, len(requests.waiting)) == (at_once, most - at_once)
    else:
        assert (event, refused, after) == ("series_over", None, before)


def test_rulings_are_used_by_the_roll_that_lies_there_and_kept(states: dict[str, Tray]) -> None:
    scored = states["scored"]
    assert isinstance(scored.dice, Scored)
    assert scored.dice.outcome.must_reroll == ("1", "3", "4")
    state, commands = step(scored, EVENTS["rulings"])
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.must_reroll == ("1", "4")
    assert there(a(Commit, commands[0]).rows[0].outcome).must_reroll == ("1", "4")
    assert state.campaign.rulings == {"push-pool": {"skill_ones_locked": True}}
    default, _ = step(state, RulingsChosen("push-pool", {"skill_ones_locked": None}))
    assert isinstance(default.dice, Scored)
    assert default.dice.outcome.must_reroll == ("1", "3", "4")
    assert default.table.rulings["push-pool"] == {"skill_ones_locked": False}


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (RulingsChosen("chess", {}), "unknown_system"),
        (RulingsChosen("push-pool", {"skill_ones": True}), "bad_ruling"),
        (RulingsChosen("push-pool", {"skill_ones_locked": 1}), "bad_ruling"),
        (RulingsChosen("push-pool", {"full_auto_pushes": 11}), "bad_ruling"),
        (RolesChosen("chess", {}), "unknown_system"),
        (RolesChosen("push-pool", {"mauve": Role.BASE}), "unknown_colour"),
        (RolesChosen("push-pool", {"gear": Role.WILD}), "unknown_role"),
        (SheetEdited(1, counters=(CounterSet(Kind.HP, "HP", now=2),)), "bad_value"),
        (SheetEdited(1, counters=(CounterSet(Kind.ATTRIBUTE, "STR", now=9),)), "bad_value"),
        (SheetEdited(1, added=(Counter("STR", Kind.ATTRIBUTE, 1),)), "bad_value"),
        (SheetEdited(1, removed=((Kind.GEAR, "rope"),)), "bad_value"),
        (SheetEdited(1, title=""), "bad_value"),
        (SheetEdited(2, title="Bo"), "unknown_sheet"),
        (SheetChosen(2), "unknown_sheet"),
        (SheetRemoved(2), "unknown_sheet"),
        (ConsequencesCarried(2), "unknown_sheet"),
        (ClockAdded("Alarm", 5), "bad_value"),  # type: ignore[arg-type]
        (ClockAdded("Alarm", 6, filled=7), "bad_value"),
        (ClockAdded("Alarm", 6, linked_to=9), "bad_value"),
        (ClockAdded("", 6), "bad_value"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(event: Event, word: str) -> None:
    before = EMPTY
    state, commands = step(before, event)
    assert (state, refusal(commands)) == (before, word)


def test_the_settings_of_a_test_are_named_in_their_order() -> None:
    _, commands = step(Tray(Empty(), Table("hits-pool")), ExtendedTestBegun("extended", {"goal": 3}))
    assert [command.text for command in commands if isinstance(command, Refuse)] == [
        message("tray.refused.no_setting", op="extended", name="'goal'", known="target, limit, people")
    ]


def test_roles_change_what_the_dice_count_as() -> None:
    table = Table("die-code")
    five = DiceSettled(Dice.rest(Dice.die(1, "base", 6), Dice.die(2, "gear", 2)))
    state, _ = play(Tray(Empty(), table), five)
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["pending"] is None
    state, _ = step(state, RolesChosen("die-code", {"base": Role.WILD}))
    assert isinstance(state.dice, Scored)
    assert (state.dice.outcome.facts["pending"], state.dice.outcome.facts["wild"]) == ("reroll_wild", "1")
    assert snapshot_body(1, state, TrayMetadata("simulated", None, {}))["roles"] == {
        "base": "wild",
        "skill": "plain",
        "gear": "plain",
    }
    state, _ = step(state, RolesChosen("die-code", {"base": None}))
    assert isinstance(state.dice, Scored)
    assert state.dice.outcome.facts["wild"] == "2"


def test_what_the_table_chose_holds_over_the_settings_after_a_restart() -> None:
    settings = Table(
        "push-pool",
        rulings={"push-pool": {"skill_ones_locked": True, "plain_ones_locked": False}},
        colour_roles={"push-pool": {"gear": Role.SKILL}},
    )
    campaign = Campaign(
        rulings={"push-pool": {"skill_ones_locked": False, "gone_since": 3}, "die-code": {"wild_one": "no_such"}},
        roles={"push-pool": {"gear": "gear", "mauve": "base"}},
    )
    table, _ = opened_table(settings, campaign)
    assert table.rulings == {
        "push-pool": {"skill_ones_locked": False, "plain_ones_locked": False},
        "die-code": {},
    }
    assert table.colour_roles["push-pool"] == {"gear": "gear"}


def test_consequences_are_carried_with_a_tap_and_taken_back(states: dict[str, Tray]) -> None:
    state, _ = step(states["resolved"], ConsequencesCarried(1))
    assert there(state.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 2
    assert refusal(step(state, ConsequencesCarried(1))[1]) == "already_carried"
    shown = english(snapshot_body(1, state, TrayMetadata("simulated", None, {})))["consequences"]
    assert (shown["carried"], shown["can_undo"], shown["sheet"]) == (True, True, 1)
    assert [item["text"] for item in shown["items"]] == ["Strength −1", "Gear −1"]
    assert shown["missed"] == ["Gear −1"]
    state, _ = step(state, SheetUndone(1))
    assert there(state.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 3
    state, _ = step(state, ConsequencesCarried(1))
    assert there(state.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 2


def test_consequences_are_carried_by_themselves_once_and_follow_a_correction(states: dict[str, Tray]) -> None:
    awaiting, _ = step(states["awaiting_push"], CarryChosen(Carry.ALWAYS))
    state, commands = play(awaiting, MotionSeen(), DiceSettled(Dice.rest(*Dice.THROWN)))
    assert there(state.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 2
    assert len(commands) == 1
    again, _ = play(state, MotionSeen(), DiceSettled(Dice.rest(*Dice.THROWN)))
    assert again.campaign == state.campaign
    corrected, _ = step(state, DieCorrected(1, 2, None))
    sheet = corrected.campaign.find(1)
    assert (there(sheet.find(Kind.ATTRIBUTE, "STR")).now, len(sheet.history)) == (3, 0)
    back, _ = step(corrected, DieCorrected(1, 1, None))
    assert there(back.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 2
    undone, _ = step(back, SheetUndone(1))
    assert there(undone.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 3
    still, _ = play(undone, MotionSeen(), DiceSettled(Dice.rest(*Dice.THROWN)))
    assert there(still.campaign.find(1).find(Kind.ATTRIBUTE, "STR")).now == 3


def test_a_sheet_of_other_rules_takes_nothing(states: dict[str, Tray]) -> None:
    campaign = Campaign(carry=Carry.ALWAYS).filed(new_sheet("Bo", "die-code"))
    resolved = replace(states["resolved"], campaign=campaign)
    state, commands = step(resolved, ConsequencesCarried(1))
    assert refusal(commands) == "wrong_system"
    assert state.campaign == campaign


def test_falling_back_on_an_earlier_result_loses_nothing_that_the_table_keeps(states: dict[str, Tray]) -> None:
    awaiting, _ = step(states["awaiting_push"], EVENTS["filed"])
    locked = (Dice.die(1, "base", 1), Dice.die(2, "base", 6), Dice.die(3, "skill", 6), Dice.die(4, "gear", 1))
    assert all(die.reading.value in (1, 6) for die in locked)
    state = awaiting
    for die_id, value in ((1, 6), (3, 6), (4, 6)):
        state, _ = step(state, DieCorrected(die_id, value, None))
    assert isinstance(state.dice, Scored)
    assert [filed.sheet.title for filed in state.campaign.sheets] == ["Ann", "Bo"]


def test_a_prepared_roll_is_declared_and_compared_before_it_scores(states: dict[str, Tray]) -> None:
    state, _ = step(EMPTY, EVENTS["prepared"])
    assert (state.table.pool, state.table.context) == (POOL, {"attribute": 2})
    state, _ = play(state, MotionSeen(), DiceSettled(Dice.rest(*Dice.FIRST[:3])))
    assert isinstance(state.dice, Unclear)
    assert english(state.dice.troubles[0].text).startswith("One gear die is missing.")
    state, _ = play(state, MotionSeen(), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert isinstance(state.dice, Scored)
    assert step(state, PoolDeclared(None))[0].campaign.prepared is None
    assert step(state, SystemChosen("hits-pool"))[0].campaign.prepared is None


def rolls(*values: tuple[int, ...]) -> Iterator[Event]:
    """Return throws of three dice, each far from the one before."""
    for turn, faces in enumerate(values):
        yield MotionSeen()
        yield DiceSettled(
            Dice.rest(
                *(
                    Dice.die(number, "base", face, (100 * number + 40 * turn, 200 + 150 * turn), moved=True)
                    for number, face in enumerate(faces, start=1)
                )
            )
        )


def series_of(state: Tray) -> Any:
    return english(snapshot_body(1, state, TrayMetadata("simulated", None, {}))["series"])


def test_an_extended_test_runs_over_three_rolls() -> None:
    table = Table("hits-pool")
    before, _ = play(Tray(Empty(), table), *rolls((6, 6, 6)))
    state, _ = step(before, ExtendedTestBegun("extended", {"target": 5, "limit": 4}))
    assert series_of(state)["rolls"] == []
    state, _ = play(state, *rolls((1, 1, 1), (5, 2, 6)))
    assert series_of(state)["answer"]["total"] == 2
    state, _ = step(state, DieCorrected(2, 5, None))
    assert series_of(state)["answer"]["total"] == 3
    state, _ = play(state, *rolls((2, 2, 6)))
    assert series_of(state)["answer"]["total"] == 4
    assert not series_of(state)["ended"]
    state, _ = play(state, *rolls((3, 5, 4), (5, 6, 4)))
    shown = series_of(state)
    assert (shown["ended"], shown["answer"]["done"], len(shown["rolls"])) == (True, True, 4)
    assert shown["text"] == "5 of 5 hits after 4 rolls: done."


def test_two_people_work_on_an_extended_test() -> None:
    state, _ = step(
        Tray(Empty(), Table("hits-pool")), ExtendedTestBegun("extended", {"target": 4, "limit": 3, "people": 2})
    )
    steps: list[tuple[int, int, str]] = []
    for faces in ((5, 6, 1), (1, 1, 5), (1, 1, 6)):
        turn = len(steps) + 1
        state, _ = play(state, *list(rolls(*((1, 1, 1),) * turn, faces))[2 * turn :])
        steps.append((series_of(state)["answer"]["total"], series_of(state)["left"], series_of(state)["text"]))
    assert steps == [
        (0, 5, "0 of 4 hits after 0 rolls: roll again, 3 left. 1 of 2 have rolled."),
        (3, 4, "3 of 4 hits after 1 roll: roll again, 2 left."),
        (3, 3, "3 of 4 hits after 1 roll: roll again, 2 left. 1 of 2 have rolled."),
    ]


def test_an_opposed_test_keeps_the_first_roll_and_compares_the_second() -> None:
    state, _ = step(Tray(Empty(), Table("hits-pool")), ExtendedTestBegun("opposed", {}))
    assert series_of(state)["text"] == english(message("tray.series.first_side"))
    state, _ = play(state, *rolls((5, 6, 1)))
    assert (series_of(state)["ended"], series_of(state)["text"]) == (
        False,
        english(message("tray.series.other_side", value="2")),
    )
    state, _ = play(state, *list(rolls((1, 1, 1), (5, 1, 1)))[2:])
    assert (series_of(state)["ended"], series_of(state)["answer"]["result"]) == (True, "win")
    assert series_of(state)["text"] == "The first side wins by 1."


def test_a_group_test_ends_when_everybody_has_rolled() -> None:
    state, _ = step(Tray(Empty(), Table("hits-pool")), ExtendedTestBegun("group", {"people": 2, "threshold": 3}))
    state, _ = play(state, *rolls((5, 6, 1)))
    assert series_of(state)["text"].endswith("1 of 2 have rolled.")
    state, _ = play(state, *list(rolls((1, 1, 1), (5, 1, 6)))[2:])
    assert (series_of(state)["ended"], series_of(state)["answer"]["outcome"]) == (True, "success")


def test_a_wild_die_counts_in_an_opposed_roll_when_it_has_come_to_its_end() -> None:
    state, _ = step(Tray(Empty(), Table("die-code")), ExtendedTestBegun("opposed", {}))
    first = (Dice.die(1, "gear", 6), Dice.die(2, "base", 3))
    state, _ = play(state, DiceSettled(Dice.rest(*first)))
    assert series_of(state)["rolls"] == []
    again = (Dice.die(1, "gear", 2, (700, 700), moved=True), Dice.die(2, "base", 3, moved=False))
    state, _ = play(state, MotionSeen(), DiceSettled(Dice.rest(*again)))
    assert series_of(state)["rolls"] == [{"roll": 1, "value": 11}]


@pytest.mark.parametrize(
    "event",
    [
        ExtendedTestBegun("march", {}),
        ExtendedTestBegun("extended", {"target": 0}),
        ExtendedTestBegun("extended", {"target": True}),
        ExtendedTestBegun("extended", {"goal": 3}),
        ExtendedTestBegun("group", {"people": 400}),
    ],
)
def test_a_test_that_makes_no_sense_does_not_begin(event: Event) -> None:
    before = Tray(Empty(), Table("hits-pool"))
    state, commands = step(before, event)
    assert (state, refusal(commands)) == (before, "bad_value")


def test_a_clock_is_ticked_linked_and_undone() -> None:
    state, _ = play(Tray(Empty(), Table("highest-die")), ClockAdded("Alarm", 4), ClockAdded("Guards", 6, linked_to=1))
    state, _ = play(state, ClockTicked(2, 8))
    shown = parts_of(snapshot_body(1, state, TrayMetadata("simulated", None, {})))["clocks"]
    assert [(clock["filled"], clock["locked"]) for clock in shown["clocks"]] == [(0, False), (6, False)]
    assert shown["last"] == {"clock": 2, "overflow": 2, "full": True, "emptied": False}
    state, _ = play(state, ClockUndone(), RulingsChosen("highest-die", {"clock_overflow": "carry"}), ClockTicked(2, 8))
    assert [clock.filled for clock in state.campaign.clocks.clocks] == [2, 6]
    state, _ = step(state, ClockTicked(1, -5))
    assert state.campaign.clocks.clocks[0].filled == 0
    assert isinstance(state.dice, Empty)


def test_states_of_the_fixture_are_what_they_are_called(states: dict[str, Tray]) -> None:
    assert isinstance(states["resolved"].dice, Resolved)
    assert isinstance(states["awaiting_push"].dice, AwaitingPush)
