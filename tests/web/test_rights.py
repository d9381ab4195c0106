"""Who may send which event: one row for each that a player's phone may send; every other one is the game master's."""

from dataclasses import fields, replace
from typing import Any, get_args

import pytest

from device.game.state import events as dice
from device.game.state import table_events as table
from device.game.state.campaign import Campaign, FiledSheet
from device.game.state.events import Event, SingleEvent
from device.game.state.layout import Layout
from device.game.state.prepared_roll import PreparedRoll
from device.game.state.roll_requests import RollRequest, RollRequests
from device.game.state.states import Empty, Unscored
from device.game.state.table_events import TableEvent
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.phones import Phone
from device.web.core.rights import Identity, Role, UndoOffer, may
from rules.sheet_file import new_sheet

MINE, HERS = 1, 2
TURN = 7
SHEETS = tuple(FiledSheet(one, new_sheet(f"Sheet {one}", "push-pool")) for one in (MINE, HERS))
REQUESTS = RollRequests(RollRequest(3, "Mira"), TURN, (RollRequest(4, "Zo"),))
TRAY = Tray(Empty(), Table("push-pool", next_roll=TURN), campaign=Campaign(sheets=SHEETS, requests=REQUESTS))
UNDO = UndoOffer(5, by=1)


def player(name: str | None = "Mira", number: int = 1, *sheets: int) -> Identity:
    return Identity(Role.PLAYER, Phone(number, "", name=name, sheets=sheets))


MIRA, ZO, NAMELESS = player("Mira", 1, MINE), player("Zo", 2, HERS), player(None, 3)


def blank(event: Any) -> Any:
    """Return an event of a class whose fields no rule looks at."""
    return object.__new__(event)


OF_THE_TURN = (
    *(dice.PushPressed, dice.ResetPressed, dice.ThrowOrdered, dice.PoolDeclared, dice.ContextSet),
    *(dice.DieCorrected, dice.DiceCorrected, dice.DieRestored, dice.DieDismissed, dice.DieAdded, dice.DiceConfirmed),
    *(table.ManualDieEntered, table.TypedDieChanged, table.TypedDieRemoved, table.ConsequencesWaived),
)
ROWS: list[tuple[Any, str | None, str | None]] = [
    *((blank(event), None, "other_roll") for event in OF_THE_TURN),
    (dice.UndoPressed(UNDO.id), None, "other_press"),
    (dice.UndoPressed(UNDO.id + 1), "other_press", "other_press"),
    (table.ConsequencesCarried(MINE), None, "other_sheet"),
    (table.ConsequencesCarried(HERS), "other_sheet", "other_roll"),
    (table.ConsequencesApplied(MINE, (), ""), None, "other_sheet"),
    (table.SheetEdited(MINE), None, "other_sheet"),
    (table.SheetUndone(HERS), "other_sheet", None),
    (table.SheetRested(MINE, "shift"), None, "other_sheet"),
    (table.SheetAdded(SHEETS[0].sheet), None, None),
    (table.SheetChosen(None), None, "other_roll"),
    (table.SheetChosen(HERS), "other_sheet", "other_roll"),
    (table.RollRequested("mira"), None, "other_owner"),
    (table.RollRequested("Zo", sheet=HERS), "other_owner", None),
    (table.RollRequested("Mira", sheet=HERS), "other_sheet", "other_owner"),
    (table.RollRequested(None), "other_owner", "other_owner"),
    (table.RollRequested("Mira", hidden=True), "game_master_only", "other_owner"),
    (table.RollRequested("Mira", thrower="Bo"), "game_master_only", "other_owner"),
    (table.RollRequested("Mira", aim={"difficulty": 1}), "game_master_only", "other_owner"),
    (table.RollRequestDropped(3), None, "other_owner"),
    (table.RollRequestDropped(4), "other_owner", None),
    (table.RollRequestDropped(99), None, None),
    (table.RollPrepared(PreparedRoll(TURN, None, {}), "Mira"), None, "other_owner"),
    (table.RollPrepared(PreparedRoll(TURN, HERS, {}), "Mira"), "other_sheet", "other_owner"),
    (table.RollPrepared(PreparedRoll(TURN, None, {}), "Zo"), "other_owner", "other_roll"),
    (table.RollGiven(TURN, "Mira"), "game_master_only", "other_owner"),
]


def reason(caller: Identity, event: Event) -> str | None:
    why = may(caller, event, TRAY, UNDO)
    return None if why is None else why.reason


@pytest.mark.parametrize(("event", "whose_turn_it_is", "another"), ROWS)
def test_a_player_sends_what_is_the_players_own(event: Any, whose_turn_it_is: str | None, another: str | None) -> None:
    assert (reason(MIRA, event), reason(ZO, event)) == (whose_turn_it_is, another)
    assert (reason(NAMELESS, event), reason(Identity(Role.GUEST), event)) == ("no_name", "not_paired")


def test_every_other_event_is_the_game_masters() -> None:
    classes = {*get_args(SingleEvent), dice.DiceCorrected, *TableEvent.__subclasses__()}
    others = classes - {type(event) for event, *_ in ROWS} - {TableEvent}
    assert len(others) > 15
    assert {reason(MIRA, blank(event)) for event in others} == {"game_master_only"}
    for caller in (Identity(Role.TABLE), Identity(Role.GAME_MASTER, MIRA.phone)):
        assert {reason(caller, blank(event)) for event in classes} == {None}


def test_a_new_field_of_a_request_is_the_game_masters_until_players_are_given_it() -> None:
    open_fields = {"owner", "label", "dice", "levels", "tiles", "sheet"}
    plain: Any = table.RollRequested("Mira")
    for field in fields(plain):
        if field.name not in open_fields:
            assert reason(MIRA, replace(plain, **{field.name: object()})) == "game_master_only"


@pytest.mark.parametrize(
    ("owner", "sheet", "why"),
    [("Mira", None, None), ("Mira", MINE, None), ("Mira", HERS, "other_sheet"), ("Zo", None, "other_owner")],
)
def test_a_player_takes_the_roll_that_no_one_has(owner: str, sheet: int | None, why: str | None) -> None:
    thrown = Unscored(layout=Layout((), 1, 1), troubles=(), number=TURN)
    tray = replace(TRAY, dice=thrown, table=replace(TRAY.table, next_roll=TURN + 1), campaign=Campaign(sheets=SHEETS))
    found = may(MIRA, table.RollGiven(TURN, owner, sheet), tray)
    assert (None if found is None else found.reason) == why
