"""Whose roll it is, and whose sheet pays: known by its preparation, request or name, else asked; changed later."""

from dataclasses import replace
from typing import Any

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import Commit, GivenRoll, Refuse
from device.game.state.events import ContextSet, DiceSettled, Event, MotionSeen, PushPressed, ResetPressed
from device.game.state.linked_rolls import LinkKind
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import Empty
from device.game.state.table_events import (
    CarryChosen,
    ConsequencesCarried,
    ConsequencesWaived,
    CounterSet,
    HiddenRollShown,
    LinkedRollsRequested,
    RollGiven,
    RollPrepared,
    RollRequested,
    SheetAdded,
    SheetChosen,
    SheetEdited,
    SheetRemoved,
    SheetUndone,
)
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.game.undo import undoable
from rules.dice import Role
from rules.sheet import Kind
from rules.sheet_file import new_sheet
from rules.system import Facts
from tests.device.conftest import Dice
from tests.narrowing import english, there

ANN, BO = 1, 2


@pytest.fixture
def empty() -> Tray:
    """An empty tray with the sheets of Ann, which is in use, and Bo."""
    campaign = Campaign().filed(new_sheet("Ann", "push-pool")).filed(new_sheet("Bo", "push-pool"))
    return Tray(Empty(), Table("push-pool"), campaign)


def play(state: Tray, *events: Event) -> Tray:
    for event in events:
        state, commands = step(state, event)
        assert not any(isinstance(one, Refuse) for one in commands), (event, commands)
    return state


def refused(state: Tray, event: Event) -> str | None:
    return next((one.reason for one in step(state, event)[1] if isinstance(one, Refuse)), None)


def thrown(turn: int, *faces: int) -> tuple[Event, ...]:
    lying = (
        Dice.die(number, "base", face, (100 * number, 200 + 150 * turn), moved=True)
        for number, face in enumerate(faces, start=1)
    )
    return MotionSeen(), DiceSettled(Dice.rest(*lying))


TAKEN_OUT = (MotionSeen(), DiceSettled(Dice.rest()))
PUSHED = (*thrown(0, 3, 4, 2), PushPressed(), *thrown(1, 1, 3, 4))
"""A roll that costs one attribute."""
OF_STRENGTH = ContextSet({"attribute_name": "STR"})


def roll(sheet: int | None, owner: str | None = None) -> RollPrepared:
    context: Facts = {"attribute": 3, "attribute_name": "STR"}
    return RollPrepared(PreparedRoll(0, sheet, {}, pool=((Role.BASE, 3),), context=context), owner)


def due(state: Tray) -> Any:
    return english(snapshot_body(1, state, TrayMetadata("simulated", None, {}))["consequences"])


def strength(state: Tray, sheet: int) -> int:
    return there(state.campaign.find(sheet).find(Kind.ATTRIBUTE, "STR")).now


def both(state: Tray) -> tuple[int, int]:
    return strength(state, ANN), strength(state, BO)


def undone(before: Tray, event: Event) -> Tray:
    """Return the state after an event and its undo."""
    after, commands = step(before, event)
    offered = undoable(event, before, after, commands)
    return play(after, there(offered)[2])


PAYERS: dict[str, tuple[tuple[Event, ...], int | None]] = {
    "prepared from a sheet, which need not be in use": ((roll(BO),), BO),
    "prepared from one sheet, in another's name": ((roll(BO, "Ann"),), BO),
    "requested for a sheet": ((RollRequested("Zo", sheet=BO),), BO),
    "requested by name": ((RollRequested("bo"),), BO),
    "requested of somebody without a sheet": ((RollRequested("Zo"),), None),
    "without an owner": ((), None),
    "prepared without a sheet": ((roll(None),), None),
    "of two with one name": ((SheetAdded(new_sheet("Bo", "push-pool")), RollRequested("Bo")), None),
    "of a sheet for other rules": ((SheetAdded(new_sheet("Zo", "die-code")), RollRequested("Zo")), None),
    "after a turn has ended": ((RollRequested("Bo"), *thrown(5, 2, 3), *TAKEN_OUT), None),
}


@pytest.mark.parametrize("case", PAYERS)
def test_a_roll_is_paid_by_the_sheet_of_its_player_and_else_the_tray_asks(empty: Tray, case: str) -> None:
    before, payer = PAYERS[case]
    assert due(play(empty, *before, *PUSHED))["payer"] == payer
    paid = play(empty, CarryChosen(Carry.ALWAYS), *before, OF_STRENGTH, *PUSHED)
    assert due(paid)["carried"] is (payer is not None)
    assert due(paid)["sheet"] == payer


def test_the_only_character_pays_without_a_tap_where_that_was_chosen(empty: Tray) -> None:
    alone = play(empty, SheetRemoved(BO), CarryChosen(Carry.ALWAYS))
    assert due(play(alone, OF_STRENGTH, *PUSHED))["sheet"] == ANN
    assert due(play(alone, *PUSHED))["carried"] is False, "of an attribute that was not named it waits for a choice"
    assert due(play(alone, SheetChosen(None), OF_STRENGTH, *PUSHED))["carried"] is False


def test_a_cost_is_told_by_what_becomes_of_the_sheet(empty: Tray) -> None:
    assert due(play(empty, roll(BO), *PUSHED))["effects"] == ["Strength 3 → 2"]
    open_to = due(play(empty, RollRequested("Bo"), *PUSHED))
    assert (open_to["effects"], open_to["choices"][1]["text"]) == ([], "Agility 3 → 2, Bo")
    assert due(play(empty, *PUSHED))["effects"] == []


def test_no_sheet_may_pay_and_that_is_undone(empty: Tray) -> None:
    before = play(empty, *PUSHED)
    assert due(play(before, ConsequencesWaived())) is None
    assert refused(play(before, ConsequencesWaived()), ConsequencesCarried(ANN)) == "already_carried"
    assert due(undone(before, ConsequencesWaived())) == due(before)
    out = play(before, *TAKEN_OUT)
    assert due(play(out, ConsequencesWaived())) is None
    assert due(play(before, ConsequencesWaived(), RollGiven(1, "Bo", BO)))["payer"] == BO


def test_a_roll_is_given_to_another_before_and_while_it_lies_there(empty: Tray) -> None:
    state = play(empty, roll(ANN, "Ann"), RollGiven(1, "Bo", BO))
    note, request = there(state.campaign.prepared), there(state.campaign.requests.current)
    assert (note.sheet, request.owner, request.sheet) == (BO, "Bo", BO)
    assert due(play(state, *PUSHED))["payer"] == BO
    late = play(empty, roll(ANN, "Ann"), *PUSHED, RollGiven(1, "Bo", BO))
    assert (due(late)["payer"], due(late)["carried"], both(late)) == (BO, False, (3, 3))
    named = play(empty, *PUSHED, RollGiven(1, "Bo", BO))
    assert (due(named)["payer"], there(named.campaign.requests.of_roll(1)).owner) == (BO, "Bo")


def test_what_the_wrong_sheet_has_paid_is_taken_back_and_paid_by_the_right_one(empty: Tray) -> None:
    paid = play(empty, roll(ANN, "Ann"), *PUSHED, ConsequencesCarried(ANN))
    assert both(paid) == (2, 3)
    given = play(paid, RollGiven(1, "Bo", BO))
    assert (both(given), due(given)["carried"], due(given)["sheet"]) == ((3, 2), True, BO)
    assert both(play(given, SheetUndone(BO))) == (3, 3)
    assert both(play(given, RollGiven(1, "Ann", ANN))) == (2, 3)
    back = undone(paid, RollGiven(1, "Bo", BO))
    assert replace(back.campaign, renamed=0, revision=0) == replace(paid.campaign, renamed=0, revision=0)
    unowned = play(paid, RollGiven(1, None))
    assert (both(unowned), due(unowned)["payer"], due(unowned)["carried"]) == ((3, 3), None, False)
    assert both(play(unowned, ConsequencesCarried(BO))) == (3, 2)


def test_a_cost_moves_in_the_history_whatever_happened_since(empty: Tray) -> None:
    state = play(empty, roll(ANN, "Ann"), *PUSHED, ConsequencesCarried(ANN), ResetPressed())
    state = play(state, roll(BO, "Bo"), *PUSHED, ConsequencesCarried(BO), ResetPressed())
    state = play(state, SheetEdited(ANN, counters=(CounterSet(Kind.ATTRIBUTE, "STR", 1),)))
    assert both(state) == (1, 2)
    given = play(state, RollGiven(1, "Bo", BO))
    assert both(given) == (2, 1)
    assert both(play(given, RollGiven(1, "Zo"))) == (2, 2)
    assert both(play(given, SheetUndone(BO), RollGiven(1, "Ann", ANN))) == (2, 2), "what was undone no longer moves"
    assert both(undone(state, RollGiven(1, "Bo", BO))) == (1, 2)
    assert strength(play(state, SheetRemoved(ANN), RollGiven(1, "Bo", BO)), BO) == 1


def test_all_that_a_roll_has_cost_moves_with_it(empty: Tray) -> None:
    campaign = Campaign().filed(new_sheet("Ann", "push-pool")).filed(new_sheet("Bo", "push-pool"))
    facts: Facts = {"attribute": 3, "attribute_name": "STR", "full_auto": True}
    start = replace(empty, table=Table("push-pool", context=facts), campaign=campaign)
    once = play(start, *thrown(0, 3, 4, 2), PushPressed(), *thrown(1, 1, 3, 4), ConsequencesCarried(ANN))
    stays = Dice.die(1, "base", 1, (100, 350), moved=False)
    goes = (Dice.die(2, "base", 1, (500, 700), moved=True), Dice.die(3, "base", 3, (600, 700), moved=True))
    twice = play(once, PushPressed(), MotionSeen(), DiceSettled(Dice.rest(stays, *goes)), ConsequencesCarried(ANN))
    assert both(twice) == (1, 3)
    assert both(play(twice, RollGiven(1, "Bo", BO))) == (3, 1)
    assert both(play(twice, RollGiven(1, None))) == (3, 3)
    assert both(play(twice, RollGiven(1, None), ConsequencesCarried(BO))) == (3, 1)


def test_a_given_roll_pays_automatically_where_that_was_chosen(empty: Tray) -> None:
    state = play(empty, CarryChosen(Carry.ALWAYS), *PUSHED)
    assert both(state) == (3, 3)
    facts = play(empty, CarryChosen(Carry.ALWAYS), roll(None), *PUSHED, RollGiven(1, "Bo", BO))
    assert both(facts) == (3, 2)


def test_the_dice_may_be_out_already(empty: Tray) -> None:
    out = play(empty, roll(ANN, "Ann"), *PUSHED, *TAKEN_OUT)
    assert due(out)["payer"] == ANN
    given = play(out, RollGiven(1, "Bo", BO))
    assert due(given)["payer"] == BO
    assert both(play(given, ConsequencesCarried(BO))) == (3, 2)
    assert given.campaign.requests.current is None, "the next roll has no owner"


def test_the_log_is_told_whose_roll_it_is_and_an_undo_restores_it(empty: Tray) -> None:
    before = play(empty, roll(ANN, "Ann"), *PUSHED)
    after, commands = step(before, RollGiven(1, "Bo", BO, was="Ann"))
    assert [one.given for one in commands if isinstance(one, Commit)] == [GivenRoll(1, "Bo")]
    offered = there(undoable(RollGiven(1, "Bo", BO, was="Ann"), before, after, commands))[2]
    restored, commands = step(after, offered)
    assert [one.given for one in commands if isinstance(one, Commit)] == [GivenRoll(1, "Ann")]
    requests = restored.campaign.requests
    assert there(requests.of_roll(1)).owner == "Ann"


def test_linked_and_hidden_rolls_change_hands(empty: Tray) -> None:
    state = play(
        empty, LinkedRollsRequested(LinkKind.OPPOSED, (RollRequested("Ann"), RollRequested("Zo"))), *thrown(0, 6, 6)
    )
    state = play(state, *TAKEN_OUT, *thrown(1, 2, 3), RollGiven(1, "Bo"))
    assert [one.owner for one in state.campaign.requests.linked[0].members] == ["Bo", "Zo"]
    hidden = play(empty, RollRequested("Ann", hidden=True), *thrown(0, 6), *TAKEN_OUT, RollGiven(1, "Bo"))
    assert [one.owner for one in hidden.campaign.requests.unshown] == ["Bo"]
    assert play(hidden, HiddenRollShown(1)).campaign.requests.unshown == ()


def test_what_cannot_be_given_is_refused(empty: Tray) -> None:
    state = play(empty, roll(ANN, "Ann"), *PUSHED, SheetAdded(new_sheet("Zo", "die-code")))
    assert refused(state, RollGiven(2, "Bo")) == "unknown_roll"
    assert refused(state, RollGiven(0, "Bo")) == "unknown_roll"
    assert refused(state, RollGiven(1, "Bo", 9)) == "unknown_sheet"
    assert refused(state, RollGiven(1, "Zo", 3)) == "wrong_system"
    later = play(state, ConsequencesCarried(ANN), ResetPressed())
    assert refused(later, RollGiven(1, "Zo", 3)) == "wrong_system"
