"""Effects of rolls on a sheet: shots that count the whole roll, prices paid each time, pushes that were not applied."""

from dataclasses import replace
from typing import Any

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.campaign import Campaign, Carry
from device.game.state.effects import Refuse
from device.game.state.events import DiceSettled, DieCorrected, Event, MotionSeen, PushPressed, ResetPressed
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.states import Empty, Resolved, Scored
from device.game.state.table_events import (
    CarryChosen,
    ConsequencesCarried,
    RollPrepared,
    RollRequested,
    SheetAdded,
    SheetChosen,
    SheetEdited,
    SheetUndone,
)
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import message
from rules.dice import Role
from rules.sheet import Consequence, Kind
from rules.sheet_edit import edit_sheet
from rules.sheet_file import new_sheet
from tests.device.conftest import Dice
from tests.narrowing import english, there

TRAY = TrayMetadata("simulated", None, {})


def play(state: Tray, *events: Event) -> Tray:
    for event in events:
        state, _ = step(state, event)
    return state


def thrown(turn: int, *faces: tuple[str, int]) -> tuple[Event, ...]:
    """Return the events of a throw: colour and face of each die, all of them far from their previous places."""
    lying = (
        Dice.die(number, colour, face, (100 * number, 200 + 150 * turn), moved=True)
        for number, (colour, face) in enumerate(faces, start=1)
    )
    return MotionSeen(), DiceSettled(Dice.rest(*lying))


def shown(state: Tray) -> Any:
    return english(snapshot_body(1, state, TRAY)["consequences"])


def texts(state: Tray) -> list[str]:
    reported = shown(state)
    return [] if reported is None else [item["text"] for item in reported["items"]]


def now(state: Tray, kind: Kind, name: str) -> int | None:
    return there(state.campaign.find(1).find(kind, name)).now


@pytest.fixture
def shooter() -> Tray:
    sheet = edit_sheet(new_sheet("Bo", "step-dice"), counters=((Kind.RESOURCE, "ammo", 10, None),))
    return Tray(Empty(), Table("step-dice", context={"attribute_name": "AGL"}), Campaign().filed(sheet))


SHOT, PUSHED_SHOT = (("base", 3), ("gear", 4)), (("base", 2), ("gear", 2))


def test_shots_are_taken_off_and_a_push_takes_the_place_of_what_was_fired_first(shooter: Tray) -> None:
    state = play(shooter, *thrown(0, *SHOT), ConsequencesCarried(1))
    assert (texts(state), now(state, Kind.RESOURCE, "ammo")) == (["ammo −4"], 6)
    state = play(state, PushPressed(), *thrown(1, *PUSHED_SHOT))
    assert isinstance(state.dice, Resolved)
    assert (state.dice.outcome.facts["ammo_spent"], texts(state)) == (2, ["ammo +2"])
    state = play(state, ConsequencesCarried(1))
    assert now(state, Kind.RESOURCE, "ammo") == 8
    assert texts(state) == ["ammo +2"]
    assert now(play(state, SheetUndone(1)), Kind.RESOURCE, "ammo") == 6
    assert now(play(state, SheetUndone(1), ConsequencesCarried(1)), Kind.RESOURCE, "ammo") == 8


def test_shots_of_a_pushed_roll_are_counted_once_where_only_the_push_is_carried(shooter: Tray) -> None:
    state = play(shooter, *thrown(0, *SHOT), PushPressed(), *thrown(1, *PUSHED_SHOT))
    assert texts(state) == ["ammo −2"]
    assert now(play(state, ConsequencesCarried(1)), Kind.RESOURCE, "ammo") == 8


def test_shots_that_were_taken_back_come_with_the_push(shooter: Tray) -> None:
    state = play(shooter, *thrown(0, *SHOT), ConsequencesCarried(1), SheetUndone(1))
    assert texts(play(state, PushPressed(), *thrown(1, *PUSHED_SHOT))) == ["ammo −2"]


def test_shots_go_by_themselves_and_follow_a_correction(shooter: Tray) -> None:
    state = play(shooter, CarryChosen(Carry.ALWAYS), *thrown(0, *SHOT))
    assert now(state, Kind.RESOURCE, "ammo") == 6
    state = play(state, PushPressed(), *thrown(1, *PUSHED_SHOT))
    assert now(state, Kind.RESOURCE, "ammo") == 8
    assert now(play(state, DieCorrected(2, 5, None)), Kind.RESOURCE, "ammo") == 5


def test_a_cost_that_finds_nothing_left_is_not_offered(shooter: Tray) -> None:
    empty = edit_sheet(shooter.campaign.find(1), counters=((Kind.RESOURCE, "ammo", 0, None),))
    state = replace(shooter, campaign=shooter.campaign.with_sheet(1, empty))
    assert shown(play(state, *thrown(0, *SHOT))) is None
    both = replace(state, campaign=state.campaign.filed(shooter.campaign.find(1)))
    assert [one["sheet"] for one in shown(play(both, *thrown(0, *SHOT)))["choices"]] == [2]


@pytest.fixture
def gunner() -> Tray:
    table = Table("push-pool", context={"attribute_name": "STR", "attribute": 3, "full_auto": True})
    return Tray(Empty(), table, Campaign().filed(new_sheet("Ann", "push-pool")))


def twice_pushed(state: Tray, *between: Event) -> Tray:
    """Push, run the step between, push again: the first push gives a 1, the second another."""
    first, second = (("base", 3), ("base", 4), ("base", 2)), (("base", 1), ("base", 4), ("base", 2))
    state = play(state, *thrown(0, *first), PushPressed(), *thrown(1, *second), *between)
    stays = Dice.die(1, "base", 1, (100, 350), moved=False)
    goes = (Dice.die(2, "base", 1, (500, 700), moved=True), Dice.die(3, "base", 3, (600, 700), moved=True))
    return play(state, PushPressed(), MotionSeen(), DiceSettled(Dice.rest(stays, *goes)))


def test_what_an_uncarried_push_cost_comes_with_the_next(gunner: Tray) -> None:
    state = twice_pushed(gunner)
    assert isinstance(state.dice, Resolved)
    assert (state.dice.pushes, state.dice.outcome.facts["trauma"]) == (2, 1)
    assert texts(state) == ["Strength −1", "Strength −1"]
    assert now(play(state, ConsequencesCarried(1)), Kind.ATTRIBUTE, "STR") == 1


def test_a_carried_push_is_not_carried_again_with_the_next(gunner: Tray) -> None:
    state = twice_pushed(gunner, ConsequencesCarried(1))
    assert texts(state) == ["Strength −1"]
    assert now(play(state, ConsequencesCarried(1)), Kind.ATTRIBUTE, "STR") == 1


def test_a_further_push_begins_where_the_one_before_it_left_the_attribute(gunner: Tray) -> None:
    state = twice_pushed(gunner)
    assert isinstance(state.dice, Resolved)
    assert state.dice.push.first.outcome.facts["attribute_after"] == 2
    assert state.dice.outcome.facts["attribute_after"] == 1


def prepared(**more: Any) -> RollPrepared:
    pool = ((Role.PLAIN, 1), (Role.GRIT, 1))
    return RollPrepared(PreparedRoll(0, 1, {}, pool=pool, context={"risk": "low"}, **more))


@pytest.fixture
def hero() -> Tray:
    campaign = Campaign(carry=Carry.ALWAYS).filed(new_sheet("Zo", "highest-die"))
    return Tray(Empty(), Table("highest-die", colour_roles={"highest-die": {"gear": "grit"}}), campaign)


BOUGHT = (("base", 5), ("gear", 2)), (("base", 3), ("gear", 3))


def test_a_price_is_paid_whenever_the_prepared_roll_is_rolled(hero: Tray) -> None:
    grit = (Consequence(Kind.GRIT, by=-2),)
    state = play(hero, prepared(price=grit), *thrown(0, *BOUGHT[0]))
    assert now(state, Kind.GRIT, "grit") == 4
    state = play(state, *thrown(1, *BOUGHT[1]))
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, now(state, Kind.GRIT, "grit")) == (2, 2)
    again = play(state, *thrown(1, *BOUGHT[1]))
    assert isinstance(again.dice, Scored)
    assert (again.dice.number, now(again, Kind.GRIT, "grit")) == (2, 2), "the same dice are no new roll"
    assert now(play(state, DieCorrected(1, 4, None)), Kind.GRIT, "grit") == 2


def test_what_cannot_be_paid_is_reported_and_waits_for_a_tap(hero: Tray) -> None:
    price = (Consequence(Kind.GRIT, by=-4),)
    state = play(hero, prepared(price=price), *thrown(0, *BOUGHT[0]), *thrown(1, *BOUGHT[1]))
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, now(state, Kind.GRIT, "grit")) == (2, 2)
    assert (shown(state)["carried"], shown(state)["unpaid"]) == (False, ["grit: 4 due, 2 left"])
    state = play(state, ConsequencesCarried(1))
    assert (now(state, Kind.GRIT, "grit"), shown(state)["unpaid"]) == (0, [])


def test_what_is_paid_once_is_paid_with_the_first_roll_alone(hero: Tray) -> None:
    state = play(
        hero,
        prepared(entry=(Consequence(Kind.GRIT, by=-1),)),
        *thrown(0, *BOUGHT[0]),
        *thrown(1, *BOUGHT[1]),
    )
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, now(state, Kind.GRIT, "grit")) == (2, 5)


def test_a_deed_that_was_rolled_is_marked_once_and_by_the_roll_alone(hero: Tray) -> None:
    state = play(hero, prepared(marks=("pick the lock",)))
    assert state.campaign.find(1).marks == ()
    state = play(state, *thrown(0, *BOUGHT[0]))
    assert isinstance(state.dice, Scored)
    assert state.campaign.find(1).marks == ("pick the lock",)
    state = play(state, SheetEdited(1, marks=(("pick the lock", False),)), ResetPressed())
    state = play(state, *thrown(1, *BOUGHT[1]))
    assert isinstance(state.dice, Scored)
    assert (state.dice.number, state.campaign.find(1).marks) == (2, ())


TAKEN_OUT = (MotionSeen(), DiceSettled(Dice.rest()))


def test_an_unpaid_cost_stays_over_the_empty_tray_until_the_next_throw(shooter: Tray) -> None:
    out = play(shooter, *thrown(1, *SHOT), *TAKEN_OUT)
    assert isinstance(out.dice, Empty)
    assert (texts(out), shown(out)["payer"]) == (["ammo −4"], None)
    other = play(out, SheetAdded(new_sheet("Zo", "step-dice")), SheetChosen(2))
    assert shown(other)["payer"] is None, "the next player's sheet pays nothing of it"
    paid = play(other, ConsequencesCarried(1))
    assert (now(paid, Kind.RESOURCE, "ammo"), shown(paid)["carried"], paid.campaign.chosen) == (6, True, 2)
    assert now(play(paid, SheetUndone(1)), Kind.RESOURCE, "ammo") == 10
    assert step(paid, ConsequencesCarried(1))[1][0] == Refuse("already_carried", message("tray.refused.carried"))
    assert len(texts(play(out, *thrown(2, *PUSHED_SHOT)))) == 1


def test_what_is_paid_or_has_no_sheet_goes_with_its_dice(shooter: Tray) -> None:
    assert shown(play(shooter, *thrown(1, *SHOT), ConsequencesCarried(1), *TAKEN_OUT)) is None
    without_sheet = replace(shooter, campaign=Campaign())
    assert texts(play(without_sheet, *thrown(1, *SHOT))) == ["ammo −4"]
    assert shown(play(without_sheet, *thrown(1, *SHOT), *TAKEN_OUT)) is None
    assert shown(play(shooter, *thrown(1, *SHOT), ResetPressed())) is None


@pytest.fixture
def unknown() -> Tray:
    """A push of an attribute that was not named, with a sheet that pays."""
    campaign = Campaign(carry=Carry.ALWAYS).filed(new_sheet("Ann", "push-pool")).filed(new_sheet("Bo", "push-pool"))
    return Tray(Empty(), Table("push-pool"), campaign)


def test_what_the_rules_leave_open_waits_for_a_choice_which_a_correction_keeps(unknown: Tray) -> None:
    first, second = (("base", 3), ("base", 4)), (("base", 1), ("base", 4))
    state = play(unknown, RollRequested("Ann", sheet=1), *thrown(0, *first), PushPressed(), *thrown(1, *second))
    due = shown(state)
    assert (due["carried"], due["effects"]) == (False, []), "nothing is taken from an attribute that was not named"
    assert [(one["choice"], str(one["text"])) for one in due["choices"]] == [
        ([f"attribute/{name}"], f"{shown_as} 3 → 2, Ann")
        for name, shown_as in (("STR", "Strength"), ("AGL", "Agility"), ("WIT", "Wits"), ("EMP", "Empathy"))
    ]
    state = play(state, ConsequencesCarried(1, ("attribute/AGL",)))
    assert (now(state, Kind.ATTRIBUTE, "AGL"), now(state, Kind.ATTRIBUTE, "STR")) == (2, 3)
    state = play(state, DieCorrected(2, 1, None))
    assert now(state, Kind.ATTRIBUTE, "AGL") == 1
    assert state.campaign.find(2).counters == new_sheet("Bo", "push-pool").counters


def test_sheets_that_may_pay_say_what_it_takes_from_each(unknown: Tray) -> None:
    named = replace(unknown, table=replace(unknown.table, context={"attribute_name": "STR"}))
    first, second = (("base", 3), ("base", 4)), (("base", 1), ("base", 4))
    state = play(named, *thrown(0, *first), PushPressed(), *thrown(1, *second))
    assert [(one["sheet"], str(one["text"])) for one in shown(state)["choices"]] == [
        (1, "Strength 3 → 2, Ann"),
        (2, "Strength 3 → 2, Bo"),
    ]
    state = play(unknown, *thrown(0, *first), PushPressed(), *thrown(1, *second))
    assert [(one["sheet"], one["choice"], one["text"]) for one in shown(state)["choices"]] == [
        (1, None, "Ann"),
        (2, None, "Bo"),
    ], "whose it was is said first, then what"
