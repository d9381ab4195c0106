"""Undone presses: what they changed is restored, later changes stay, and thrown dice stay thrown."""

from dataclasses import replace

import pytest

from device.game.machine import step
from device.game.state.campaign import Campaign
from device.game.state.effects import Command, Commit, RecallDice, Refuse, RowKind
from device.game.state.events import (
    DieAdded,
    DieCorrected,
    DieDismissed,
    Event,
    MotionSeen,
    PushPressed,
    ResetPressed,
    SystemChosen,
    ThrowOrdered,
)
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, UnreadPush, Unscored
from device.game.state.table_events import ClockAdded, ClockRemoved, SheetAdded, SheetRemoved
from device.game.state.tray import Tray
from device.game.undo import undoable
from rules.sheet_file import new_sheet
from tests.device.game.sample_states import FIRST, LEFT, TABLE, THROWN, awaiting, die, play, rest, scored, states
from tests.narrowing import a, there
from vision.types.reading import Unread

Step = tuple[Tray, tuple[Command, ...]]


def pressed(before: Tray, event: Event, *since: Event) -> Step:
    """Press, let something happen, and undo the press."""
    after, commands = step(before, event)
    _, _, press = there(undoable(event, before, after, commands))
    return play(after, *since, press)


def rows(commands: tuple[Command, ...]) -> list[tuple[RowKind, int, bool]]:
    written = [row for command in commands if isinstance(command, Commit) for row in command.rows]
    return [(row.kind, row.roll_number, row.outcome is not None) for row in written]


def refused(commands: tuple[Command, ...]) -> list[str]:
    return [command.reason for command in commands if isinstance(command, Refuse)]


@pytest.mark.parametrize(
    "name", ["unclear", "scored", "awaiting_push", "wrong_push", "resolved", "unclear_push", "unasked"]
)
def test_a_reset_taken_back_leaves_the_roll_as_it_was(name: str) -> None:
    before = states()[name]
    after, commands = pressed(before, ResetPressed())
    assert type(after.dice) is type(before.dice)
    assert rows(commands) == []
    (recalled,) = [command for command in commands if isinstance(command, RecallDice)]
    assert {*recalled.lying, *recalled.gone} >= {1, 2, 3}
    # The dice still lie there: that is not a new roll.
    lying = {"scored": FIRST, "resolved": THROWN}.get(name)
    if lying is not None:
        assert a(Scored if name == "scored" else Resolved, play(after, rest(*lying))[0].dice).number == 1


def test_a_reset_is_taken_back_while_a_hand_is_over_the_tray_and_after_the_dice_are_out() -> None:
    over, _ = pressed(scored(), ResetPressed(), MotionSeen())
    assert a(Scored, over.dice).moving
    assert isinstance(play(over, rest())[0].dice, Empty)
    out, commands = pressed(scored(), ResetPressed(), MotionSeen(), rest())
    assert a(Scored, out.dice).outcome == a(Scored, scored().dice).outcome
    (recalled,) = [command for command in commands if isinstance(command, RecallDice)]
    assert (recalled.lying, [*recalled.gone]) == ({}, [1, 2, 3, 4])
    # It stays, so that its price can be paid, until dice are thrown: all of them again, or put back at their places.
    assert a(Scored, play(out, MotionSeen(), rest(), MotionSeen(), rest())[0].dice).number == 1
    fresh = tuple(die(d.id, d.reading.colour, 2, at=(50.0 * d.id, 700), moved=True) for d in FIRST)
    assert a(Scored, play(out, MotionSeen(), rest(*fresh))[0].dice).number == 2
    back = tuple(replace(d, moved=True) for d in FIRST)
    assert a(Scored, play(out, MotionSeen(), rest(*back))[0].dice).number == 1


@pytest.mark.parametrize(
    "since", [(MotionSeen(), rest(*THROWN)), (ThrowOrdered(),), (MotionSeen(), rest(*THROWN), rest())]
)
def test_once_dice_are_thrown_a_reset_stays(since: tuple[Event, ...]) -> None:
    after, commands = pressed(scored(), ResetPressed(), *since)
    assert not isinstance(after.dice, Scored) or after.dice.number == 2
    assert refused(commands) == ["nothing_to_undo"]


def test_a_push_is_taken_back_until_a_die_is_picked_up() -> None:
    after, commands = pressed(scored(), PushPressed(), MotionSeen())
    assert (type(after.dice), rows(commands)) == (Scored, [])
    after, commands = pressed(scored(), PushPressed(), MotionSeen(), rest(*LEFT))
    assert (type(after.dice), refused(commands)) == (AwaitingPush, ["nothing_to_undo"])


def test_a_correction_taken_back_stands_in_the_log() -> None:
    after, commands = pressed(scored(), DieCorrected(1, 6, None))
    assert a(Scored, after.dice).outcome == a(Scored, scored().dice).outcome
    assert rows(commands) == [(RowKind.UNDONE, 1, True)]
    after, commands = pressed(awaiting(), DieCorrected(1, 6, None))
    assert (type(after.dice), rows(commands)) == (AwaitingPush, [(RowKind.UNDONE, 1, True)])


def test_a_result_that_a_correction_made_is_none_again_and_keeps_its_number() -> None:
    unread = (*FIRST[:3], die(4, None, None, unread=Unread.COCKED))
    before = play(Tray(Empty(), TABLE), rest(*unread))[0]
    after, commands = pressed(before, DieCorrected(4, 3, "gear"))
    assert (type(after.dice), rows(commands)) == (Unscored, [(RowKind.UNDONE, 1, False)])
    again, _ = step(after, DieCorrected(4, 3, "gear"))
    assert (a(Scored, again.dice).number, again.table.next_roll) == (1, 2)
    after, commands = pressed(before, DieCorrected(4, 3, None))
    assert (type(after.dice), rows(commands)) == (Unscored, [])


def test_the_result_of_a_push_that_a_word_made_is_none_again() -> None:
    after, commands = pressed(states()["unclear_push"], DieCorrected(4, 1, None))
    assert (type(after.dice), rows(commands)) == (UnreadPush, [(RowKind.UNDONE, 1, False)])


def test_words_on_dice_are_taken_back_whatever_they_were() -> None:
    for event in (DieDismissed(3, ignored=True), DieAdded((50.0, 800.0), 4, "base"), SystemChosen("hits-pool")):
        after, _ = pressed(scored(), event)
        before = a(Scored, scored().dice)
        assert a(Scored, after.dice).outcome == before.outcome
        assert (after.table.system, a(Scored, after.dice).layout.faces) == ("push-pool", before.layout.faces)


def test_later_changes_stay_when_an_earlier_one_is_taken_back() -> None:
    table, _ = play(scored(), SheetAdded(new_sheet("Bo", "push-pool")), SheetAdded(new_sheet("Ada", "push-pool")))
    after, _ = pressed(table, SheetRemoved(1), ClockAdded("Guards", 4), MotionSeen(), rest(*THROWN))
    campaign: Campaign = after.campaign
    assert [(one.id, one.sheet.title) for one in campaign.sheets] == [(1, "Bo"), (2, "Ada")]
    assert (campaign.chosen, [clock.name for clock in campaign.clocks.clocks]) == (1, ["Guards"])
    assert campaign.revision > table.campaign.revision + 1
    assert not isinstance(after.dice, Rolling)


def test_other_rules_stay_once_dice_are_scored_by_them() -> None:
    """Dice of one system would be shown by the texts of the other."""
    after, commands = pressed(Tray(Empty(), TABLE), SystemChosen("die-code"), rest(die(1, "gear", 6)))
    assert (after.table.system, refused(commands)) == ("die-code", ["nothing_to_undo"])
    assert pressed(Tray(Empty(), TABLE), SystemChosen("die-code"), MotionSeen())[0].table.system == TABLE.system


def test_a_clock_comes_back_with_its_links_unless_the_clocks_were_changed_since() -> None:
    table, _ = play(Tray(Empty(), TABLE), ClockAdded("Alarm", 4), ClockAdded("Guards", 4, linked_to=1))
    after, _ = pressed(table, ClockRemoved(1))
    assert after.campaign.clocks == table.campaign.clocks
    _, commands = pressed(table, ClockRemoved(1), ClockAdded("Storm", 6))
    assert refused(commands) == ["nothing_to_undo"]


def test_a_press_that_changed_nothing_offers_nothing() -> None:
    state = Tray(Empty(), TABLE)
    after, commands = step(state, ResetPressed())
    assert undoable(ResetPressed(), state, after, commands) is None
    assert undoable(MotionSeen(), state, Tray(Rolling(), TABLE), ()) is None
