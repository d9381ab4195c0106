"""Which services are on, what a page changes and stores, and that secrets stay secret."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from pydantic import SecretStr

from device.config.settings import Settings, read_settings
from device.errors import BadInput, DeviceError
from device.game.state.effects import Commit, LogRow, ShownRoll
from device.game.state.events import DiceSettled, DieCorrected
from device.game.state.linked_rolls import LinkKind
from device.game.state.table_events import HiddenRollShown, LinkedRollsRequested, RollRequested
from device.integrations import announced, outbox
from device.integrations.channel import IntegrationParams
from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.delivery import DeliveryParams
from device.integrations.http import HttpParams
from device.integrations.mqtt import LinkParams
from device.integrations.sections import SECTIONS
from device.integrations.service import Integrations
from device.integrations.settings import MqttSettings
from device.storage.rolls import RollLog
from tests.device.conftest import Dice, wait_until
from tests.device.integrations.conftest import commits_of
from tests.device.integrations.counterparts import OPEN, Broker, HttpCounterpart, Listener, Told
from tests.narrowing import parts_of

Make = Callable[..., Integrations]
QUICK = IntegrationParams(
    DeliveryParams(pause_first_s=0.01, max_pause_s=0.02), HttpParams(step_s=5.0), LinkParams(state_pause_s=0.01)
)


def not_logged(_number: int) -> None:
    """No log: nothing hidden is shown here."""


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Integrations] = []

    def integrations(**more: Any) -> Integrations:
        sections = {name: more.pop(name) for name in SECTIONS if name in more}
        made.append(Integrations(tmp_path, params=QUICK, sections=sections, **{"logged": not_logged, **more}))
        made[-1].start()
        return made[-1]

    yield integrations
    for one in made:
        one.stop()


def of(integrations: Integrations, name: str) -> Any:
    return next(one for one in integrations.report() if one["name"] == name)


def test_nothing_is_opened_or_kept_while_all_is_off(make: Make, tmp_path: Path, rows: list[LogRow]) -> None:
    integrations = make()
    integrations.announce(Commit(tuple(rows)))
    assert not any(one["on"] for one in integrations.report())
    assert list(tmp_path.iterdir()) == []
    assert not integrations.send_test("webhook").ok


def test_results_go_to_webhook_and_discord(make: Make, server: HttpCounterpart, rows: list[LogRow]) -> None:
    other = HttpCounterpart()
    integrations = make(
        webhook=WebhookSettings(url=SecretStr(server.url), secret=SecretStr("s")),
        discord=DiscordSettings(url=SecretStr(other.url)),
        mqtt=MqttSettings(name="Left table"),
    )
    integrations.announce(Commit(tuple(rows)))
    first, second = server.next().json, server.next().json
    assert [first["kind"], second["kind"]] == ["scored", "pushed"]
    assert first["id"] != second["id"]
    assert first["tray"]["name"] == "Left table"
    assert first["tray"]["id"].startswith("tray-")
    assert other.next().json["content"] == "Left table: 1 success \\(base 6 5, skill 1 and gear 3\\)"
    other.close()


def test_a_hidden_roll_is_not_sent_before_it_is_shown(make: Make, tmp_path: Path, server: HttpCounterpart) -> None:
    with closing(RollLog(tmp_path / "log.sqlite3")) as history:
        integrations = make(webhook=WebhookSettings(url=SecretStr(server.url)), logged=history.shown_roll)
        first = DiceSettled(Dice.rest(*Dice.FIRST))
        hidden = (
            RollRequested("Guard", "Notice", hidden=True),
            first,
            DieCorrected(1, 6, None),
            DiceSettled(Dice.rest()),
        )
        for commit, state in commits_of(*hidden, RollRequested("Ann"), first, HiddenRollShown(1)):
            history.write(commit.rows, state, commit.shown)
            integrations.announce(commit)
        message = server.next().json
        assert (message["owner"], message["roll"]) == ("Ann", 2), "of the guard's nothing was told yet"
        message = server.next().json
        assert (message["kind"], message["owner"], message["text"]) == (
            "corrected",
            "Guard",
            "Guard, Notice: corrected: 2 successes (base 6 6, skill 1 and gear 3)",
        )
        assert message["dice"][0] == {"id": "1", "role": "base", "value": 6}
        assert message["outcome"]["successes"] == 2


def test_the_open_side_is_not_sent_again_when_the_hidden_one_is_shown(
    make: Make, tmp_path: Path, server: HttpCounterpart
) -> None:
    with closing(RollLog(tmp_path / "log.sqlite3")) as history:
        integrations = make(webhook=WebhookSettings(url=SecretStr(server.url)), logged=history.shown_roll)
        first = DiceSettled(Dice.rest(*Dice.FIRST))
        sides = LinkedRollsRequested(LinkKind.OPPOSED, (RollRequested("Guard", hidden=True), RollRequested("Ann")))
        rolled = (sides, first, DiceSettled(Dice.rest()), first, HiddenRollShown(1))
        for commit, state in commits_of(*rolled, DiceSettled(Dice.rest()), RollRequested("Zo"), first):
            history.write(commit.rows, state, commit.shown)
            integrations.announce(commit)
        assert [server.next().json["owner"] for _ in range(3)] == ["Ann", "Guard", "Zo"]


def test_a_roll_that_the_log_cannot_give_back_is_not_sent_and_the_rest_goes_on(
    make: Make, server: HttpCounterpart, rows: list[LogRow], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_number: int) -> None:
        raise DeviceError("the roll log cannot be read: free the disk")

    integrations = make(webhook=WebhookSettings(url=SecretStr(server.url)), logged=broken)
    integrations.announce(Commit((), (ShownRoll(7),)))
    integrations.announce(Commit((rows[0],)))
    assert server.next().json["roll"] == 1
    assert "roll 7 is shown, but is not sent: the roll log cannot be read" in caplog.text


def test_what_a_server_did_not_take_is_sent_by_the_next_run(
    make: Make, server: HttpCounterpart, rows: list[LogRow]
) -> None:
    with closing(HttpCounterpart()) as away:
        gone = away.url
    first = make(webhook=WebhookSettings(url=SecretStr(gone)))
    first.announce(Commit(tuple(rows)))
    wait_until(lambda: of(first, "webhook")["waiting"] == 2)
    wait_until(lambda: of(first, "webhook")["last_error"] is not None)
    first.stop()
    # The same server, back on another port: the settings file is edited.
    make(webhook=WebhookSettings(url=SecretStr(server.url)))
    assert [server.next().json["kind"] for _ in range(2)] == ["scored", "pushed"]


def test_waiting_messages_of_a_permanently_deleted_roll_are_not_sent(make: Make, rows: list[LogRow]) -> None:
    with closing(HttpCounterpart()) as away:
        gone = away.url
    integrations = make(webhook=WebhookSettings(url=SecretStr(gone)))
    integrations.announce(Commit(tuple(rows)))
    integrations.forget_roll(rows[0].roll_number + 1, datetime.now(UTC) - timedelta(minutes=1))
    wait_until(lambda: of(integrations, "webhook")["waiting"] == 2)
    integrations.forget_roll(rows[0].roll_number, datetime.now(UTC) - timedelta(minutes=1))
    assert of(integrations, "webhook")["waiting"] == 0


def test_what_waits_for_one_address_is_not_sent_to_another(
    make: Make, server: HttpCounterpart, rows: list[LogRow]
) -> None:
    with closing(HttpCounterpart()) as away:
        gone = away.url
    integrations = make(webhook=WebhookSettings(url=SecretStr(gone)))
    integrations.announce(Commit((rows[0],)))
    wait_until(lambda: of(integrations, "webhook")["waiting"] == 1)
    integrations.apply({"webhook": WebhookSettings(url=SecretStr(server.url))})
    integrations.announce(Commit((rows[1],)))
    assert server.next().json["kind"] == "pushed"


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ({"webhook": {"url": 5}}, "webhook.url is not text: put it in quotes"),
        (
            {"webhook": {"url": "gopher://open-sesame"}},
            "webhook.url is not an address that can be posted to: give one that",
        ),
        ({"mqtt": {"password": ["sesame"]}}, "mqtt.password is not text: put it in quotes"),
        ({"mqtt": {"port": 70000}}, "mqtt.port is 70000, must be 1 to 65535"),
        ({"mqtt": {"hosts": "x"}}, "unknown key mqtt.hosts: did you mean host?"),
    ],
)
def test_the_settings_file_is_refused_likewise(body: dict[str, Any], reported: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_settings(body)
    assert str(refused.value).startswith(reported)
    assert "sesame" not in str(refused.value)


def test_nothing_is_on_unless_set() -> None:
    settings = Settings()
    assert not any(one.address for one in settings.services.values())
    assert (settings.mqtt.commands, settings.mqtt.discovery, settings.mqtt.club) == (False, False, False)


def test_a_data_folder_that_takes_no_outbox_is_reported_and_the_rest_goes_on(
    make: Make, tmp_path: Path, server: HttpCounterpart, rows: list[LogRow]
) -> None:
    (tmp_path / outbox.FILE_NAME).symlink_to(tmp_path / "no" / "such")
    integrations = make(webhook=WebhookSettings(url=SecretStr(server.url)))
    integrations.announce(Commit(tuple(rows)))
    assert "outbox cannot be read" in of(integrations, "webhook")["last_error"]


def test_a_test_is_sent_at_once_and_its_answer_reported(make: Make, server: HttpCounterpart) -> None:
    integrations = make(webhook=WebhookSettings(url=SecretStr(server.url)))
    tried = integrations.send_test("webhook")
    assert (tried.ok, server.next().json["kind"]) == (True, "test")
    server.tell(Told(403))
    tried = integrations.send_test("webhook")
    assert (tried.ok, "answered 403" in tried.text) == (False, True)


def test_a_tray_on_a_broker_reports_rolls_takes_presses_and_hears_the_others(
    make: Make, broker: Broker, listen: Callable[..., Listener], tmp_path: Path, rows: list[LogRow]
) -> None:
    pressed: Queue[str] = Queue()
    listener = listen(broker.port, "far/#")
    where = MqttSettings(host="127.0.0.1", port=broker.port, base="far", tray="left", commands=True, club=True)
    left = make(mqtt=where, on_press=pressed.put)
    listener.next("far/left/availability", lambda message: message.payload == b"online")
    listener.translate("far/left/command", "push")
    assert pressed.get(timeout=20) == "push"
    folder = tmp_path / "right"
    folder.mkdir()
    right = Integrations(
        folder,
        logged=not_logged,
        params=QUICK,
        sections={"mqtt": MqttSettings(host="127.0.0.1", port=broker.port, base="far", name="Far table")},
    )
    right.start()
    right.announce(Commit(tuple(rows)))
    assert left.broker.club is not None
    club = left.broker.club

    def rolled_far() -> list[Any]:
        return [
            tray for tray in map(parts_of, club.since(0)[1]) if tray["name"] == "Far table" and len(tray["rolls"]) == 2
        ]

    wait_until(lambda: bool(rolled_far()))
    assert [roll["kind"] for roll in rolled_far()[0]["rolls"]] == ["pushed", "scored"]
    right.stop()
    wait_until(lambda: not rolled_far()[0]["available"])
    left.apply({"mqtt": replace(where, club=False, commands=False)})
    assert left.broker.club is None
    assert of(left, "mqtt")["on"]


def test_neither_file_is_copied_and_the_log_stays_as_it_is(
    make: Make, tmp_path: Path, server: HttpCounterpart, rows: list[LogRow]
) -> None:
    integrations = make(webhook=WebhookSettings(url=SecretStr(server.url)))
    integrations.announce(Commit(tuple(rows)))
    server.next()
    integrations.stop()
    with closing(sqlite3.connect(tmp_path / outbox.FILE_NAME)) as kept_file:
        tables = {name for (name,) in kept_file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"messages", "tray"} <= tables
    assert not (tmp_path / "history.sqlite3").exists()


def kept_by(port: int) -> dict[str, bytes]:
    """Return what a broker retains, which comes before new messages."""
    with closing(Listener(port, "#")) as listener:
        listener.translate("end", "end")
        kept: dict[str, bytes] = {}
        while (message := listener.heard.get(timeout=20)).payload != b"end":
            kept[message.topic] = bytes(message.payload)
    return kept


@pytest.mark.parametrize("by_page", [True, False])
def test_what_was_announced_under_another_name_prefix_or_base_is_withdrawn(
    make: Make, broker: Broker, rows: list[LogRow], by_page: bool
) -> None:
    before = MqttSettings(host="127.0.0.1", port=broker.port, base="far", tray="left", discovery=True)
    after = replace(before, base="near", tray="right", discovery_prefix="house")
    integrations = make(mqtt=before)
    integrations.announce(Commit(tuple(rows)))
    wait_until(lambda: "far/left/last_roll" in kept_by(broker.port))
    if by_page:
        integrations.apply({"mqtt": after})
    else:
        integrations.stop()
        make(mqtt=after)
    wait_until(lambda: {topic.split("/")[0] for topic in kept_by(broker.port)} == {"near", "house"})
    assert {"near/right/availability", "near/right/last_roll"} <= kept_by(broker.port).keys()


@pytest.mark.parametrize("by_page", [True, False])
def test_a_tray_that_leaves_its_broker_leaves_nothing_there(
    make: Make, broker: Broker, tmp_path: Path, rows: list[LogRow], by_page: bool
) -> None:
    settings = MqttSettings(host="127.0.0.1", port=broker.port, tray="left", discovery=True, commands=True)
    integrations = make(mqtt=settings)
    integrations.announce(Commit(tuple(rows)))
    wait_until(lambda: len(kept_by(broker.port)) == 8)
    before = kept_by(broker.port).keys()
    if by_page:
        integrations.apply({"mqtt": replace(settings, host="")})
    else:
        integrations.stop()
        integrations = make()
    wait_until(lambda: not kept_by(broker.port) and not announced.Announcements(tmp_path).brokers)
    integrations.apply({"mqtt": settings})
    integrations.apply({"mqtt": replace(settings, host="")})
    integrations.apply({"mqtt": settings})
    wait_until(lambda: kept_by(broker.port).keys() == before)


def test_a_broker_under_another_address_keeps_what_it_has(make: Make, broker: Broker, tmp_path: Path) -> None:
    settings = MqttSettings(host="127.0.0.1", port=broker.port, tray="left", discovery=True)
    integrations = make(mqtt=settings)
    wait_until(lambda: "pushtray/left/availability" in kept_by(broker.port))
    before = kept_by(broker.port).keys()
    integrations.apply({"mqtt": replace(settings, host="localhost")})
    wait_until(lambda: [one.settings.host for one in announced.Announcements(tmp_path).brokers] == ["localhost"])
    wait_until(lambda: kept_by(broker.port).keys() == before)


@pytest.mark.parametrize("had_name", [True, False])
def test_a_name_of_another_tray_is_never_withdrawn(make: Make, broker: Broker, tmp_path: Path, had_name: bool) -> None:
    settings = MqttSettings(host="127.0.0.1", port=broker.port, tray="left", discovery=True)
    (tmp_path / "other").mkdir()
    other = Integrations(tmp_path / "other", logged=not_logged, params=QUICK, sections={"mqtt": settings})
    if had_name:
        first = make(mqtt=settings)
        wait_until(lambda: bool(of(first, "mqtt")["connected"]))
        first.stop()
    other.start()
    try:
        wait_until(lambda: kept_by(broker.port).get("pushtray/left/availability") == b"online")
        before = kept_by(broker.port)
        first = make(mqtt=settings)
        wait_until(lambda: bool(of(first, "mqtt")["last_error"]))
        first.apply({"mqtt": MqttSettings()})
        wait_until(lambda: not announced.Announcements(tmp_path).brokers)
        assert kept_by(broker.port) == before
    finally:
        other.stop()


def test_what_another_broker_keeps_is_withdrawn_there(make: Make, broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    second = Broker(tmp_path / "second", OPEN)
    try:
        settings = MqttSettings(host="127.0.0.1", port=broker.port, tray="left", discovery=True)
        first = make(mqtt=settings)
        wait_until(lambda: "pushtray/left/availability" in kept_by(broker.port))
        first.stop()
        make(mqtt=replace(settings, port=second.port))
        wait_until(lambda: not kept_by(broker.port))
        assert "pushtray/left/availability" in kept_by(second.port)
    finally:
        second.stop()


def test_a_broker_that_lost_its_memory_gets_the_last_result_again(
    make: Make, broker: Broker, rows: list[LogRow]
) -> None:
    integrations = make(mqtt=MqttSettings(host="127.0.0.1", port=broker.port, tray="left"))
    integrations.announce(Commit(tuple(rows)))
    wait_until(lambda: of(integrations, "mqtt")["sent"] == 2)
    broker.stop()
    broker.start()
    wait_until(lambda: bool(of(integrations, "mqtt")["connected"]))
    wait_until(lambda: "pushtray/left/last_roll" in kept_by(broker.port))


@pytest.mark.parametrize("is_there", [True, False])
def test_no_broker_and_no_club_keeps_a_permanently_deleted_roll(
    make: Make, broker: Broker, rows: list[LogRow], is_there: bool
) -> None:
    where = MqttSettings(host="127.0.0.1", port=broker.port, tray="left", club=True)
    integrations = make(mqtt=where)
    integrations.announce(Commit(tuple(rows)))
    club = integrations.broker.club
    assert club is not None
    wait_until(lambda: [len(parts_of(tray)["rolls"]) for tray in club.since(0)[1]] == [2])
    version = club.since(0)[0]
    if not is_there:
        broker.stop()
        wait_until(lambda: not of(integrations, "mqtt")["connected"])
    integrations.forget_roll(rows[0].roll_number, datetime.now(UTC) - timedelta(minutes=1))
    if not is_there:
        broker.start()
    wait_until(lambda: "pushtray/left/owner" in kept_by(broker.port))
    wait_until(lambda: "pushtray/left/last_roll" not in kept_by(broker.port))
    wait_until(lambda: [(one["rolls"], one["cut"]) for one in map(parts_of, club.since(version)[1])] == [([], True)])


def test_a_tray_whose_card_was_copied_is_another_tray(make: Make, broker: Broker, tmp_path: Path) -> None:
    settings = MqttSettings(host="127.0.0.1", port=broker.port)
    first = make(mqtt=settings)
    wait_until(lambda: bool(of(first, "mqtt")["connected"]))
    copy = tmp_path / "copy"
    copy.mkdir()
    first._shared.opened()._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for name in (outbox.FILE_NAME, announced.FILE_NAME):
        shutil.copy(tmp_path / name, copy / name)
    second = Integrations(copy, logged=not_logged, params=QUICK, sections={"mqtt": settings})
    second.start()
    try:
        wait_until(lambda: bool(of(second, "mqtt")["connected"]))
        assert of(first, "mqtt")["connected"]
        assert of(first, "mqtt")["tray"] != of(second, "mqtt")["tray"]
        assert len({topic.split("/")[1] for topic in kept_by(broker.port)}) == 2
    finally:
        second.stop()
    again = Integrations(copy, logged=not_logged, params=QUICK, sections={"mqtt": settings})
    again.start()
    again.stop()
    assert of(again, "mqtt")["tray"] == of(second, "mqtt")["tray"]
