"""A kept state is plain JSON, without names of this program's classes."""

import json
import re

from device.game.machine import step
from device.game.state.campaign import Campaign
from device.game.state.events import DiceSettled, PushPressed
from device.game.state.serialisation import pack_state, unpack_state
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from rules.sheet import Sheet
from tests.device.conftest import Dice


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
