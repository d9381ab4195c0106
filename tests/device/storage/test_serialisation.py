"""A kept state is plain JSON, without names of this program's classes."""

import json
import re
from dataclasses import replace
from pathlib import Path

from device.game.machine import step
from device.game.state.campaign import Campaign
from device.game.state.events import ContextSet, DiceSettled, PushPressed, ResetPressed
from device.game.state.states import AwaitingPush, Empty, Unclear
from device.game.state.table_events import ManualDieEntered, TypedDieChanged
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.serialisation import pack_state, unpack_state
from rules.dice import Role
from rules.sheet import Sheet
from tests.device.conftest import Dice
from tests.device.game.sample_states import play, rest, scored, states


def test_it_names_states_as_pages_do_and_no_class() -> None:
    state = Tray(Empty(), Table("push-pool"))
    for event in (DiceSettled(Dice.rest(*Dice.FIRST)), PushPressed()):
        state, _ = step(state, event)
    text = pack_state(state)
    assert json.loads(text)["state"] == "awaiting_push"
    assert not re.search(r'"[A-Z][a-z]+[A-Z]?\w*"', text)


def test_the_campaign_is_kept_elsewhere() -> None:
    table = Table("push-pool")
    campaign = Campaign().filed(Sheet("Ann", "push-pool", ()))
    assert unpack_state(pack_state(Tray(Empty(), table, campaign))) == Tray(Empty(), table)


def as_kept() -> dict[str, Tray]:
    """Return the trays that a program wrote to the file of format 3, where each state had a table of its own."""
    rulings = Table("step-dice", rulings={"step-dice": {"max_pushes": 2}})
    entered = ManualDieEntered("A", 7, Role.BASE), ManualDieEntered("B", 2, Role.BASE)
    typed = play(Tray(Empty(), rulings), *entered, PushPressed())[0]
    of_dice = {name: tray for name, tray in states().items() if name not in ("empty", "rolling", "fault")}
    return of_dice | {
        "empty": play(scored(), ContextSet({"attribute": 3}), rest())[0],
        "over": play(scored(), ResetPressed())[0],
        "typed_push": typed,
        "pushed_twice": play(typed, TypedDieChanged(1_000_002, 3), PushPressed())[0],
        "facts_since": play(states()["resolved"], ContextSet({"gear_bonus": 2}))[0],
    }


def test_states_with_tables_inside_are_read_side_by_side() -> None:
    kept = json.loads((Path(__file__).parents[1] / "data" / "kept_states_format_3.json").read_text())
    assert set(kept) == set(as_kept())
    for name, tray in as_kept().items():
        assert without_texts(unpack_state(json.dumps(kept[name]))) == without_texts(tray), name


def without_texts(tray: Tray) -> Tray:
    """Return a tray without its problems' texts, which formats before 4 kept in English."""
    dice = tray.dice
    if isinstance(dice, Unclear | AwaitingPush):
        dice = replace(dice, troubles=tuple(replace(one, text="") for one in dice.troubles))
    return replace(tray, dice=dice)
