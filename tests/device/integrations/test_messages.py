"""Messages about a result: JSON for programs, a line for people in the tray's language, and the state on MQTT."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from device.game.machine import step
from device.game.snapshot import TrayMetadata, snapshot_body, take_snapshot
from device.game.state.effects import LogRow, RowKind
from device.game.state.events import DiceSettled, DieCorrected, DieDismissed, SystemChosen
from device.game.state.states import Empty
from device.game.state.table_events import HiddenRollShown, RollRequested
from device.game.state.table_state import Table
from device.game.state.tray import Fault, Tray
from device.integrations.messages import Sender, roll_message, trial_message
from device.integrations.topics import Topics, discovery, state_body
from tests.device.conftest import Dice
from tests.device.integrations.conftest import rows_of
from tests.narrowing import parts_of, there

AT = datetime(2026, 1, 31, 19, 30, 5, 125_000, UTC)
ENGLISH = Sender("tray-1", "Left table", "en")
GERMAN = Sender("tray-1", "Linker Tisch", "de")


def test_a_result_and_its_push_for_programs(rows: list[LogRow]) -> None:
    first, pushed = (parts_of(there(roll_message(row, AT, "m1", ENGLISH))) for row in rows)
    assert json.loads(json.dumps(dict(first))) == first
    assert (first["format"], first["id"], first["kind"], first["time"]) == (
        "pushtray-message/1",
        "m1",
        "scored",
        "2026-01-31T19:30:05.125+00:00",
    )
    assert first["tray"] == {"id": "tray-1", "name": "Left table"}
    assert (first["system"], first["roll"], first["owner"], first["label"]) == ("push-pool", 1, None, None)
    assert first["dice"][0] == {"id": "1", "role": "base", "value": 5}
    assert (first["outcome"]["successes"], first["outcome"]["headline"]["word"]) == (1, "success")
    assert (pushed["kind"], pushed["roll"]) == ("pushed", 1)


def test_the_line_for_people_is_in_the_trays_language(rows: list[LogRow]) -> None:
    lines = [[there(roll_message(row, AT, "m", sender))["text"] for row in rows] for sender in (ENGLISH, GERMAN)]
    assert lines[0] == [
        "1 success (base 6 5, skill 1 and gear 3)",
        "pushed: 2 successes (base 6 1, skill 6 and gear 1)",
    ]
    assert lines[1] == [
        "1 Erfolg (Basis 6 5, Fertigkeit 1 und Ausrüstung 3)",
        "gepusht: 2 Erfolge (Basis 6 1, Fertigkeit 6 und Ausrüstung 1)",
    ]


def test_a_blank_face_has_its_name_and_adds_nothing() -> None:
    dice = [Dice.die(1, "base", 0), Dice.die(2, "base", 6), Dice.die(3, "base", 0)]
    (row,) = rows_of(DiceSettled(Dice.rest(*dice)))
    message = parts_of(there(roll_message(row, AT, "m", GERMAN)))
    assert message["dice"][0] == {"id": "1", "role": "base", "value": 0, "face": "blank"}
    assert message["text"] == "1 Erfolg (Basis 6 leer leer)"
    state, _ = step(Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*dice)))
    on_mqtt = parts_of(state_body(take_snapshot(1, state, TrayMetadata("simulated", None, {})).body, ENGLISH))["dice"]
    assert on_mqtt[0] == {"role": "base", "colour": "base", "value": 0, "face": "blank"}
    assert "face" not in on_mqtt[1]


def test_the_line_for_people_says_no_more_of_normal_dice_than_what_they_show() -> None:
    rows = rows_of(SystemChosen("hits-pool"), DiceSettled(Dice.rest(*Dice.FIRST)))
    assert [there(roll_message(row, AT, "m", ENGLISH))["text"] for row in rows] == ["2 hits (6 5 3 1)"]


@pytest.mark.parametrize(
    ("owner", "label", "begins"),
    [
        ("Mira", "Fight", "Mira, Fight: 1 success"),
        ("Mira", None, "Mira: 1 success"),
        (None, "Fight", "Fight: 1 success"),
    ],
)
def test_whose_roll_it_was_is_reported(owner: str | None, label: str | None, begins: str) -> None:
    request = RollRequested(owner=owner, label=label)
    (row,) = rows_of(request, DiceSettled(Dice.rest(*Dice.FIRST)))
    reported = there(roll_message(row, AT, "m", ENGLISH))
    assert (reported["owner"], reported["label"]) == (owner, label)
    assert str(reported["text"]).startswith(begins)


def test_the_state_says_nothing_of_a_hidden_result_until_it_is_shown() -> None:
    metadata = TrayMetadata("simulated", None, {"base": "yellow"})
    state, _ = step(Tray(Empty(), Table("push-pool")), RollRequested("Guard", "Notice", hidden=True))
    state, _ = step(state, DiceSettled(Dice.rest(*Dice.FIRST)))
    reported = parts_of(state_body(take_snapshot(1, state, metadata).body, ENGLISH))
    assert (reported["state"], reported["owner"], reported["dice"], reported["outcome"]) == (
        "scored",
        "Guard",
        [],
        None,
    )
    assert reported["push"] == {"eligible": False, "reason": "hidden"}
    state, _ = step(state, HiddenRollShown(1))
    reported = parts_of(state_body(take_snapshot(2, state, metadata).body, ENGLISH))
    assert (len(reported["dice"]), reported["outcome"]["success"], reported["push"]["eligible"]) == (4, True, True)


def test_dice_are_reported_role_by_role_however_they_lay() -> None:
    base, _, skill, gear = Dice.FIRST
    (row,) = rows_of(DiceSettled(Dice.rest(gear, skill, base)))
    reported = parts_of(there(roll_message(row, AT, "m", ENGLISH)))
    assert [die["role"] for die in reported["dice"]] == ["base", "skill", "gear"]
    assert reported["text"] == "0 successes (base 5, skill 1 and gear 3)"


def test_a_die_that_has_not_six_sides_is_reported_with_them() -> None:
    first, second = Dice.FIRST[:2]
    eight = replace(first, reading=replace(first.reading, value=8, sides=8))
    rest = DiceSettled(Dice.rest(eight, replace(second, reading=replace(second.reading, colour="base"))))
    (row,) = rows_of(SystemChosen("step-dice"), rest)
    reported = parts_of(there(roll_message(row, AT, "m", ENGLISH)))
    assert [die.get("sides") for die in reported["dice"]] == [8, None]
    assert "(base 8 (d8) 6)" in reported["text"]
    state, _ = step(Tray(Empty(), Table("step-dice")), rest)
    snapshot = take_snapshot(1, state, TrayMetadata("simulated", None, {"base": "yellow"})).body
    assert [die.get("sides") for die in parts_of(state_body(snapshot, ENGLISH))["dice"]] == [8, None]


def test_a_correction_is_reported_as_one_and_dice_that_cannot_be_scored_are_not_reported() -> None:
    _, corrected = rows_of(DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(1, 6, None))
    assert there(roll_message(corrected, AT, "m", ENGLISH))["text"] == (
        "corrected: 2 successes (base 6 6, skill 1 and gear 3)"
    )
    rows = rows_of(DiceSettled(Dice.rest(Dice.FIRST[0])), DieDismissed(1, True))
    assert rows[-1].outcome is None
    assert roll_message(rows[-1], AT, "m", ENGLISH) is None


@pytest.mark.parametrize("kind", RowKind)
def test_every_kind_of_row_has_its_words(rows: list[LogRow], kind: RowKind) -> None:
    reported = there(roll_message(replace(rows[0], kind=kind), AT, "m", ENGLISH))
    assert (reported["kind"], "1 success" in str(reported["text"])) == (kind.value, True)


def test_a_test_says_that_it_is_one() -> None:
    reported = trial_message(AT, "m", GERMAN)
    assert (reported["kind"], reported["text"]) == ("test", "Ein Test von Linker Tisch. Niemand hat gewürfelt.")


def test_the_state_reports_whose_roll_dice_and_result_and_nothing_of_sheets_or_pictures() -> None:
    metadata = TrayMetadata("simulated", None, {"base": "yellow"})
    state, _ = step(Tray(Empty(), Table("push-pool")), RollRequested(owner="Mira", label="Fight"))
    state, _ = step(state, DiceSettled(Dice.rest(*Dice.FIRST)))
    reported = parts_of(state_body(snapshot_body(1, state, metadata), GERMAN))
    assert (reported["state"], reported["owner"], reported["label"], reported["fault"]) == (
        "scored",
        "Mira",
        "Fight",
        None,
    )
    assert reported["outcome"] == {"headline": {"value": 1, "word": "success"}, "success": True}
    assert reported["push"] == {"eligible": True, "reason": "ok"}
    assert reported["dice"][0] == {"role": "base", "colour": "base", "value": 5}
    assert set(reported) == {
        "tray", "state", "system", "system_title", "roll", "problems", "owner", "label", "dice", "outcome", "push",
        "fault",
    }  # fmt: skip
    fault = Tray(Empty(), Table("push-pool"), fault=Fault("no camera", 1.0))
    broken = state_body(snapshot_body(2, fault, metadata), ENGLISH)
    assert (broken["state"], broken["fault"]) == ("fault", "no camera")


def test_home_assistant_learns_what_there_is_and_of_buttons_only_where_they_work() -> None:
    topics = Topics("pushtray", "tray-1")
    reported = discovery("homeassistant", topics, ENGLISH, with_buttons=True)
    assert list(reported) == [
        "homeassistant/sensor/pushtray_tray-1_state/config",
        "homeassistant/sensor/pushtray_tray-1_roll/config",
        "homeassistant/binary_sensor/pushtray_tray-1_may_push/config",
        "homeassistant/button/pushtray_tray-1_push/config",
        "homeassistant/button/pushtray_tray-1_reset/config",
    ]
    for topic, body in reported.items():
        one = parts_of(there(body))
        assert one["unique_id"] == topic.split("/")[2]
        assert one["availability_topic"] == "pushtray/tray-1/availability"
        assert one["device"]["identifiers"] == ["pushtray_tray-1"]
        assert one["device"]["name"] == "Left table"
    push = parts_of(there(reported["homeassistant/button/pushtray_tray-1_push/config"]))
    assert (push["command_topic"], push["payload_press"]) == ("pushtray/tray-1/command", "push")
    without = discovery("homeassistant", topics, ENGLISH, with_buttons=False)
    assert [topic for topic, body in without.items() if body is None] == list(reported)[3:]
