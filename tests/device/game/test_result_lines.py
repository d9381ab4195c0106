"""The lines under a result, by the keys of their texts."""

from typing import Any

from device.game.machine import step
from device.game.result_lines import compared_lines, result_lines, row_costs
from device.game.snapshot_model import ResultLine
from device.game.state.events import PushPressed
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import Message
from rules.facts import JsonValue
from tests.device.game.sample_states import TABLE, die, play, rest

ALONE: Any = {"asked": None, "measured": None, "together": []}


def keys(rows: list[ResultLine]) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    for row in rows:
        text = row["text"]
        assert isinstance(text, Message)
        told.append((row["kind"], text.key))
    return told


def test_a_push_that_is_offered_names_its_costs_and_a_push_that_is_done_what_it_cost() -> None:
    first = play(Tray(Empty(), TABLE), rest(die(1, "base", 1), die(2, "base", 3)))[0]
    assert keys(result_lines(first, ALONE)) == [("plain", "tray.lines.a_push_costs")]
    awaiting = step(first, PushPressed())[0]
    assert keys(result_lines(awaiting, ALONE)) == [("plain", "tray.lines.push_costs")]
    done = play(awaiting, rest(die(1, "base", 1, moved=False), die(2, "base", 4, moved=True)))[0]
    assert keys(result_lines(done, ALONE)) == [("bad", "rules.push-pool.lines.trauma_to")]


def test_a_push_without_ones_cost_nothing() -> None:
    first = play(Tray(Empty(), TABLE), rest(die(1, "base", 3)))[0]
    done = play(first, PushPressed(), rest(die(1, "base", 4, moved=True)))[0]
    assert keys(result_lines(done, ALONE)) == [("plain", "tray.lines.costs_nothing")]


def test_how_an_aim_was_met_stands_in_place_of_the_margin() -> None:
    table = Table("hits-pool", context={"threshold": 2}, colour_classes=("base",))
    scored = play(Tray(Empty(), table), rest(die(1, "base", 5)))[0]
    assert keys(result_lines(scored, ALONE)) == [("bad", "rules.hits-pool.lines.net_misses")]
    requested = ALONE | {"asked": {"aim_text": "Threshold 2"}, "measured": {"met": False, "text": "Missed"}}
    assert keys(result_lines(scored, requested)) == [("bad", "tray.lines.measured")]
    assert compared_lines(ALONE | {"together": [{"text": None}, {"text": "Ann wins"}]}) == [
        {"kind": "plain", "about": "asked", "text": "Ann wins"}
    ]


def test_a_row_of_the_log_names_its_harm_alone() -> None:
    outcome: dict[str, JsonValue] = {"trauma": 1, "attribute_after": 0, "broken": True, "gear_damage": 0}
    (cost,) = row_costs("push-pool", outcome, {})
    assert isinstance(cost, Message)
    assert cost.key == "rules.push-pool.lines.trauma"
    assert row_costs("push-pool", {"stunts": 1}, {}) == []
