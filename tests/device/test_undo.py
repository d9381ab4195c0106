"""A reset undone on a whole simulated tray, read from its pictures: the roll continues as without the press."""

import time
from typing import Any

import pytest

from tests.device.running_tray import RunningTray, running

pytestmark = pytest.mark.timeout(400)

FIRST, OTHER = 7, 8
"""Seeds of throws read without a doubt; two, since dice that lie as those before, with no hand seen, are no throw."""


def what_lies(state: Any) -> Any:
    return (
        state["roll"],
        state["state"],
        state["outcome"],
        [(die["id"], die["colour"], die["value"], die["locked"], die["must_reroll"]) for die in state["dice"]],
    )


def wait_for_throw(tray: RunningTray) -> None:
    """Wait until the hand is back, which a busy machine moves slowly."""
    tray.wait_for(lambda state: state["presses"]["throw"]["allowed"] and not state["hand_in_view"])


def thrown(tray: RunningTray, seed: int) -> Any:
    wait_for_throw(tray)
    tray.ask("throw", {"base": 5, "skill": 2, "gear": 1, "seed": seed})
    return tray.wait_for(lambda state: state["state"] == "scored" and not state["hand_in_view"])


def undo(tray: RunningTray) -> Any:
    return tray.ask("undo", {"id": tray.ask("state")["undo"]["id"]})


@pytest.fixture(scope="module")
def tray(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with running(tmp_path_factory.mktemp("undo")) as tray:
        tray.wait_for(lambda state: state["state"] == "empty" and state["fault"] is None)
        yield tray


@pytest.mark.parametrize(("after_s", "seed"), [(0.2, FIRST), (1.6, OTHER)])
def test_the_roll_goes_on_whenever_reset_is_taken_back(tray: RunningTray, after_s: float, seed: int) -> None:
    before = thrown(tray, seed)
    rolls = len(tray.ask("rolls?limit=500")["rolls"])
    reset = tray.ask("reset", {})
    assert (reset["state"], reset["undo"]["action"], reset["undo"]["by"]) == ("empty", "reset", None)
    time.sleep(after_s)
    assert what_lies(undo(tray)) == what_lies(before)
    # Readings in between are not another roll.
    time.sleep(2.0)
    state = tray.ask("state")
    assert (what_lies(state), state["undo"]) == (what_lies(before), None)
    assert len(tray.ask("rolls?limit=500")["rolls"]) == rolls
    tray.ask("push", {})
    wait_for_throw(tray)
    tray.ask("throw", {"seed": seed})
    pushed = tray.wait_for(lambda state: state["state"] == "resolved")
    assert pushed["roll"] == before["roll"]
    assert [die["id"] for die in pushed["dice"]] == [die["id"] for die in before["dice"]]
    tray.ask("reset", {})
    tray.wait_for(lambda state: state["state"] == "empty" and not state["hand_in_view"])


def test_a_throw_makes_it_too_late(tray: RunningTray) -> None:
    before = thrown(tray, FIRST)
    undo_id = tray.ask("reset", {})["undo"]["id"]
    after = thrown(tray, OTHER)
    assert (after["roll"], after["undo"]) == (before["roll"] + 1, None)
    with pytest.raises(OSError, match="409"):
        tray.ask("undo", {"id": undo_id})
    tray.ask("reset", {})
