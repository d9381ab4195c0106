"""The headline texts of a snapshot, by their keys."""

from typing import Any

import pytest

from device.game.display import display_words, shown_body
from device.game.snapshot import TrayMetadata, snapshot_body
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import Message, message
from tests.device.game.sample_states import states
from tests.narrowing import english

EMPTY: Any = snapshot_body(1, Tray(Empty(), Table("push-pool")), TrayMetadata("simulated", None, {}))


def shown(**changes: Any) -> dict[str, str | None]:
    """Return the text keys of a body that differs from an empty tray's."""
    return {name: _key(text) for name, text in display_words(EMPTY | changes).items()}


def _key(text: object) -> str | None:
    if isinstance(text, Message):
        return text.key.removeprefix("tray.display.")
    assert text is None or isinstance(text, str)
    return text


def next_step(code: str, *, wrong: bool = True) -> dict[str, Any]:
    return {"code": code, "text": "", "wrong": wrong}


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ({"state": "scored", "outcome": {"success": True}}, "outcome.success"),
        ({"state": "scored", "outcome": {"success": None}}, "outcome.result"),
        ({"state": "resolved", "outcome": {"success": None}}, "outcome.final"),
        ({"state": "scored", "outcome": {"success": True, "outcome": "mixed"}}, "outcome.mixed"),
        ({"state": "scored", "outcome": {"success": True, "outcome": "glorious"}}, "outcome.glorious"),
        ({"state": "scored", "hidden": True}, "headline.hidden"),
        ({"state": "rolling", "next": next_step("wait", wrong=False)}, "headline.rolling"),
        ({"state": "rolling", "next": next_step("clearing", wrong=False)}, "headline.moving"),
        ({"state": "unclear", "next": next_step("tap_in", wrong=False)}, "headline.waits"),
        ({"state": "unclear", "next": next_step("exchange")}, "headline.not_clear"),
        ({"state": "fault", "fault": {"part": "camera", "text": "", "retry_in_s": 2.0}}, "fault.camera"),
        ({"state": "fault", "fault": {"part": "lens", "text": "", "retry_in_s": 0.0}}, "fault.lens"),
        ({"prepared": {"take": "Take 2."}}, "Take 2."),
        ({"prepared": {"take": "Take 2."}, "lesson": True}, "lesson.title"),
    ],
)
def test_a_title_names_what_lies_there(changes: dict[str, Any], title: str) -> None:
    assert shown(**changes)["title"] == title


def test_a_die_to_throw_again_is_named_once() -> None:
    text = message("rules.die-code.lines.reroll_wild")
    goes_on = {"awaiting": {"reason": "reroll_wild", "dice": [1]}, "lines": [{"text": message(text.key, count=1)}]}
    body: Any = shown_body(EMPTY | goes_on | {"system": "die-code", "state": "scored"})
    assert (body["display"]["title"], body["display"]["lead"], body["lines"]) == (text, "", [])


def test_the_lead_is_the_next_step_or_the_fault() -> None:
    assert shown(next=next_step("choose"))["lead"] == "headline.choose_dice"
    gone = {"part": "camera", "text": "Gone.", "retry_in_s": 2.0}
    assert shown(state="fault", fault=gone)["lead"] == "headline.retry"
    assert shown(state="fault", fault=gone | {"retry_in_s": 0.0})["lead"] == "Gone."


@pytest.mark.parametrize(
    ("state", "problems", "confirmable", "code", "title", "act"),
    [
        ("unclear", ["foreign_object"], False, "view", "page.problem.foreign_object", "act.view"),
        ("unclear", ["reading_doubtful"], True, "confirm", "headline.right", "act.confirm"),
        (
            "awaiting_push",
            ["locked_die_changed"],
            False,
            "turn_back",
            "page.problem.locked_die_changed",
            "act.turn_back",
        ),
        ("empty", ["too_dark"], False, "view", "page.problem.too_dark", "act.view"),
    ],
)
def test_what_is_wrong_is_told_once(
    state: str, problems: list[str], *, confirmable: bool, code: str, title: str, act: str
) -> None:
    words = shown(state=state, problems=problems, confirmable=confirmable, next=next_step(code))
    assert words == {"title": title, "act": act, "lead": "", "hint": ""}


def test_a_fault_of_a_part_hides_what_was_wrong_before() -> None:
    words = shown(state="fault", problems=["too_dark"], fault={"part": "camera", "text": "Gone.", "retry_in_s": 0.0})
    assert (words["title"], words["lead"]) == ("fault.camera", "Gone.")


def test_the_next_act_of_a_push_is_its_title() -> None:
    assert shown(state="awaiting_push", next=next_step("pick_up", wrong=False))["act"] == ""


@pytest.mark.parametrize(("count", "act"), [(1, "Lay it flat"), (2, "Lay them flat")])
def test_the_next_act_speaks_of_as_many_dice_as_it_asks_for(count: int, act: str) -> None:
    dice = [DIE | {"unread": "cocked"}] * count
    assert (
        english(display_words(EMPTY | {"state": "unclear", "dice": dice, "next": next_step("lay_flat")})["act"]) == act
    )


def test_a_push_names_the_dice_to_pick_up_then_to_throw() -> None:
    body: Any = snapshot_body(1, states()["awaiting_push"], TrayMetadata("simulated", None, {}))
    assert english(display_words(body)["title"]) == "Pick up 3 dice"
    assert (
        english(display_words(body | {"dice": [die | {"picked_up": True} for die in body["dice"]]})["title"])
        == "Throw 3 dice"
    )


def test_a_hint_says_what_a_push_would_do_or_why_a_button_is_dark() -> None:
    body: Any = snapshot_body(1, states()["scored"], TrayMetadata("simulated", None, {}))
    assert _key(display_words(body)["hint"]) == "hint.again"
    assert shown()["hint"] == "hint.empty"
    dark = {"allowed": False, "reason": "bad_value", "text": "Too many dice.", "offered": True}
    no_push = {"allowed": False, "reason": "system_has_no_push", "text": "", "offered": False}
    assert shown(presses={"push": no_push, "throw": dark})["hint"] == "Too many dice."
    assert shown(presses=EMPTY["presses"] | {"throw": dark})["hint"] == "hint.both"


DIE = {"id": 1, "value": 3, "unread": None, "wrong": False, "picked_up": False, "locked": False, "must_reroll": False}


@pytest.mark.parametrize(
    ("changes", "state", "ask"),
    [
        ({"wrong": True}, "awaiting_push", "wrong"),
        ({"wrong": True, "must_reroll": True}, "awaiting_push", "reroll"),
        ({"picked_up": True, "value": None}, "awaiting_push", "picked"),
        ({"picked_up": True, "locked": True}, "awaiting_push", "wrong"),
        ({"picked_up": True, "locked": True}, "scored", "picked"),
        ({"value": None}, "unclear", "unread"),
        ({"unread": "cocked"}, "unclear", "unread"),
        ({"must_reroll": True}, "scored", "reroll"),
        ({"locked": True}, "scored", "stay"),
        ({"locked": True}, "resolved", None),
        ({}, "scored", None),
    ],
)
def test_a_die_asks_one_thing_the_most_urgent_first(changes: dict[str, Any], state: str, ask: str | None) -> None:
    body = EMPTY | {"state": state, "push": EMPTY["push"] | {"eligible": True}, "dice": [DIE | changes]}
    dice: Any = shown_body(body)["dice"]
    assert dice[0]["ask"] == ask


def test_a_padlock_is_there_only_while_a_push_is_possible() -> None:
    body = EMPTY | {"state": "scored", "push": EMPTY["push"] | {"eligible": False}, "dice": [DIE | {"locked": True}]}
    dice: Any = shown_body(body)["dice"]
    assert dice[0]["ask"] is None


def test_after_a_push_that_was_played_wrong_only_the_dice_that_it_names_go_again() -> None:
    dice = [DIE | {"id": number, "must_reroll": number < 3} for number in (1, 2, 3)]
    named = [{"code": "must_reroll_not_rolled", "text": "", "dice": [2]}]
    shown_dice: Any = shown_body(EMPTY | {"state": "awaiting_push", "dice": dice, "problem_details": named})["dice"]
    assert [die["ask"] for die in shown_dice] == ["stay", "reroll", None]


@pytest.mark.parametrize(("roll", "title"), [(2, "Ann wins."), (3, "outcome.success")])
def test_of_rolls_that_are_compared_the_verdict_is_the_title_once(roll: int, title: str) -> None:
    linked = {"text": "Ann wins.", "members": [{"roll": 1}, {"roll": 2}]}
    lines = [{"kind": "plain", "about": "asked", "text": text} for text in ("Ann wins.", "1 net hit")]
    scored = EMPTY | {"state": "scored", "roll": roll, "outcome": {"success": True}, "lines": lines}
    body: Any = shown_body(scored | {"together": [linked]})
    assert _key(body["display"]["title"]) == title
    assert [line["text"] for line in body["lines"]][-1:] == ["1 net hit"]
    assert len(body["lines"]) == (1 if roll == 2 else 2)
    hidden: Any = shown_body(scored | {"outcome": None, "hidden": True, "together": [linked | {"text": None}]})
    assert _key(hidden["display"]["title"]) == "headline.hidden"


def test_of_a_test_over_several_rolls_the_title_is_how_far_it_is() -> None:
    series = {"rolls": [{"roll": 4, "value": 2}], "text": "2 of 5 hits."}
    assert shown(state="scored", roll=4, outcome={"success": None}, series=series)["title"] == "2 of 5 hits."
    assert shown(state="scored", roll=5, outcome={"success": None}, series=series)["title"] == "outcome.result"
