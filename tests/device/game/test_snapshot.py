"""The snapshot: one object for every screen, in the contract's form, the same for replay and web."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body, take_snapshot
from device.game.state.events import DicePickedUp, DiceSettled, DieCorrected, Event, MotionSeen, PushPressed
from device.game.state.states import AwaitingPush, Empty, Rolling, Scored
from device.game.state.table_state import Table
from device.game.state.tray import Fault, Tray
from device.message import message
from device.ring.geometry import FloorPlan, ring_view
from device.ring.plan import Wanted
from tests.device.conftest import Dice
from tests.narrowing import english, parts_of
from vision.tray.floor import Floor
from vision.tray.profile import Profile
from vision.types.reading import Unread

METADATA = TrayMetadata("simulated", None, {"base": "yellow", "skill": "green", "gear": "black"})


def play(*events: Event) -> Tray:
    state: Tray = Tray(Empty(), Table("push-pool"))
    for event in events:
        state, _ = step(state, event)
    return state


@pytest.fixture
def states() -> dict[str, Tray]:
    first, left, thrown = (DiceSettled(Dice.rest(*lying)) for lying in (Dice.FIRST, Dice.LEFT, Dice.THROWN))
    missing = DiceSettled(Dice.rest(*Dice.THROWN[:3]))
    cocked = DiceSettled(Dice.rest(*Dice.FIRST[:3], Dice.die(4, "gear", 3, unread=Unread.COCKED)))
    scored = play(first)
    assert isinstance(scored.dice, Scored)
    return {
        "empty": play(),
        "rolling": Tray(Rolling(), Table("push-pool")),
        "unclear": play(cocked),
        "scored": scored,
        "awaiting_push": play(first, PushPressed(), left),
        "wrong": play(first, PushPressed(), left, missing),
        "resolved": play(first, PushPressed(), left, thrown),
        "unasked": play(first, left, thrown),
        "fault": replace(scored, fault=Fault("camera gone: plug it in", 2.0)),
    }


def body(states: Mapping[str, Tray], name: str) -> dict[str, Any]:
    return dict(english(snapshot_body(7, states[name], METADATA)))


def test_every_state_is_json_with_the_keys_of_the_contract(states: dict[str, Tray]) -> None:
    for name in states:
        reported = json.loads(json.dumps(body(states, name), allow_nan=False))
        assert {"state", "system", "dice", "outcome", "push", "problems", "version", "lamps", "pool"} <= reported.keys()
        assert reported["state"] == {"wrong": "awaiting_push", "unasked": "unclear"}.get(name, name)
        assert reported["push"].keys() >= {"eligible", "reason", "must_reroll", "locked"}


def test_a_die_is_picked_up_as_soon_as_the_hand_has_it() -> None:
    first = DiceSettled(Dice.rest(*Dice.FIRST))
    state = play(first, PushPressed(), MotionSeen(), DicePickedUp(frozenset({1, 2})))
    reported = english(snapshot_body(7, state, METADATA))
    assert [die["id"] for die in parts_of(reported)["dice"] if die["picked_up"]] == [1, 2]
    assert parts_of(reported)["next"]["text"] == "Pick up the 2 marked dice and throw them again."


def test_a_result_reports_dice_locked_and_to_be_rerolled(states: dict[str, Tray]) -> None:
    reported = body(states, "scored")
    assert [(die["id"], die["locked"], die["must_reroll"]) for die in reported["dice"]] == [
        (1, False, True),
        (2, True, False),
        (3, False, True),
        (4, False, True),
    ]
    assert reported["push"] | {"reason_text": ""} == {
        "eligible": True,
        "reason": "ok",
        "reason_text": "",
        "must_reroll": [1, 3, 4],
        "locked": [2],
    }
    assert reported["outcome"]["headline"] == {"value": 1, "word": "success"}


def test_dice_in_the_hand_are_marked_while_a_push_is_awaited(states: dict[str, Tray]) -> None:
    reported = body(states, "awaiting_push")
    assert [die["id"] for die in reported["dice"] if die["picked_up"]] == [1, 3, 4]
    assert reported["outcome"]["successes"] == 1


def test_a_wrong_push_names_code_words_and_dice(states: dict[str, Tray]) -> None:
    reported = body(states, "wrong")
    assert reported["problems"] == ["wrong_dice_count"]
    (detail,) = reported["problem_details"]
    assert (detail["code"], detail["dice"]) == ("wrong_dice_count", [4])
    assert detail["text"] == english(message("tray.problem.missing", lying=3, expected=4, named=" (gear 3)", count=1))


def test_an_unread_die_says_why_and_is_no_problem_of_the_picture(states: dict[str, Tray]) -> None:
    reported = body(states, "unclear")
    assert reported["problems"] == []
    assert [detail["code"] for detail in reported["problem_details"]] == ["cocked"]
    assert [(die["value"], die["unread"]) for die in reported["dice"]][3] == (None, "cocked")
    settled, _ = step(states["unclear"], DieCorrected(4, 2, None))
    die = parts_of(snapshot_body(1, settled, METADATA))["dice"][3]
    assert (die["value"], die["unread"], die["corrected"], die["read_value"]) == (2, None, True, 3)


def test_a_fault_reports_part_cure_and_pause_and_still_shows_the_dice(states: dict[str, Tray]) -> None:
    reported = body(states, "fault")
    assert reported["fault"] == {"part": "camera", "text": "camera gone: plug it in", "retry_in_s": 2.0}
    assert len(reported["dice"]) == 4
    assert reported["push"]["reason"] == "fault"


def test_dice_thrown_without_push_may_still_be_pushed(states: dict[str, Tray]) -> None:
    reported = body(states, "unasked")
    assert (reported["push"]["eligible"], reported["problems"]) == (True, ["thrown_without_push"])


def test_a_hand_over_the_tray_is_reported(states: dict[str, Tray]) -> None:
    assert body(states, "scored")["hand_in_view"] is False
    assert snapshot_body(1, step(states["scored"], MotionSeen())[0], METADATA)["hand_in_view"] is True


def test_lamps_follow_the_state(states: dict[str, Tray]) -> None:
    lit = {
        name: [lamp for lamp, plan in take_snapshot(1, state, METADATA).lights.lamps() if plan.lit]
        for name, state in states.items()
    }
    assert lit == {
        "empty": ["ready"],
        "rolling": ["reading"],
        "unclear": ["reading", "trouble"],
        "scored": ["ready", "push_allowed", "success"],
        "awaiting_push": ["push_allowed"],
        "wrong": ["push_allowed", "trouble"],
        "resolved": ["ready", "success"],
        "unasked": ["reading", "push_allowed", "trouble"],
        "fault": ["trouble"],
    }


OUTLINE_PX = np.array([[100.0, 100.0], [1100.0, 100.0], [1100.0, 600.0], [100.0, 600.0]])
TRAY = Profile(2560, 1920, Floor("rectangle", OUTLINE_PX), (200.0, 100.0), 16.0, 30.0, (), np.zeros((48, 64, 3)))
"""200 x 100 mm over 1000 x 500 px, seen at half the size."""


def test_the_ring_points_to_dice_that_still_lie_there(states: dict[str, Tray]) -> None:
    view = ring_view(states["awaiting_push"], FloorPlan(TRAY))
    (kept,) = view.dice
    assert kept.wanted is Wanted.KEEP
    assert kept.at_mm == pytest.approx((-40.0, -50.0))
    assert ring_view(states["awaiting_push"], None).dice == ()


def test_after_a_wrong_push_the_ring_points_only_to_what_is_still_to_be_thrown(states: dict[str, Tray]) -> None:
    wanted = [die.wanted for die in ring_view(states["wrong"], FloorPlan(TRAY)).dice]
    assert wanted == [Wanted.KEEP] * 3, "the dice that were thrown lie right: only one is missing"
    lying, rest = Dice.FIRST[0], Dice.THROWN[1:]
    left_one = play(DiceSettled(Dice.rest(*Dice.FIRST)), PushPressed(), DiceSettled(Dice.rest(*Dice.LEFT, lying)))
    left_one, _ = step(left_one, DiceSettled(Dice.rest(lying, *rest)))
    assert isinstance(left_one.dice, AwaitingPush)
    assert left_one.dice.to_throw == {lying.id}
    view = ring_view(left_one, FloorPlan(TRAY))
    assert [die.wanted for die in view.dice] == [Wanted.PICK, Wanted.KEEP, Wanted.KEEP, Wanted.KEEP]


def test_the_ring_shows_success_and_trauma(states: dict[str, Tray]) -> None:
    assert (ring_view(states["scored"], None).success, ring_view(states["scored"], None).harm) == (True, False)
    assert (ring_view(states["resolved"], None).success, ring_view(states["resolved"], None).harm) == (True, True)
    assert ring_view(states["unclear"], None).success is False


def test_dice_carry_the_mark_of_what_they_did_until_they_are_thrown_again(states: dict[str, Tray]) -> None:
    marks = {
        name: [die["mark"] for die in body(states, name)["dice"]] for name in ("scored", "awaiting_push", "resolved")
    }
    assert marks == {
        "scored": ["nothing", "counted", "nothing", "nothing"],
        "awaiting_push": [None, "counted", None, None],
        "resolved": ["cost", "counted", "counted", "cost"],
    }
