"""The tray on Debian's Mosquitto: what it publishes, which commands it accepts, and the effect of a lost broker."""

import gc
import json
import logging
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from paho.mqtt.client import Client
from pydantic import SecretStr

from device.errors import BadInput
from device.game.machine import step
from device.game.snapshot import Snapshot, TrayMetadata, take_snapshot
from device.game.state.events import DiceSettled
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.integrations.delivery import RetryLater, Sent
from device.integrations.messages import Sender
from device.integrations.mqtt import LinkParams, MqttLink
from device.integrations.outbox import Body
from device.integrations.settings import MqttSettings
from device.runtime.bounded_log import strangers_logged_seldom
from tests.device.conftest import Dice, wait_until
from tests.device.integrations.counterparts import PATIENCE_S, Broker, Listener, path_of, silent_server
from tests.narrowing import there

SENDER = Sender("tray-1", "Left table", "en")
ROLL: Body = {"id": "abc", "kind": "scored", "text": "Mira: 2 successes"}
QUICK = LinkParams(connect_s=2.0, confirm_s=10.0, state_pause_s=0.01)
Connect = Callable[..., MqttLink]


@pytest.fixture
def connect() -> Iterator[Connect]:
    made: list[MqttLink] = []

    def connected(port: int, client_id: str = "tray-1", params: LinkParams = QUICK, **more: Any) -> MqttLink:
        settings = MqttSettings(host="127.0.0.1", port=port, **more.pop("settings", {}))
        made.append(MqttLink(settings, SENDER, client_id, params=params, **more))
        made[-1].start()
        return made[-1]

    yield connected
    for one in made:
        one.stop()


def snapshot(version: int) -> Snapshot:
    """An empty tray, then one with a first result."""
    state, _ = step(Tray(Empty(), Table("push-pool")), DiceSettled(Dice.rest(*Dice.FIRST)))
    metadata = TrayMetadata("simulated", None, {})
    return take_snapshot(version, Tray(Empty(), Table("push-pool")) if version == 1 else state, metadata)


def test_a_tray_says_that_it_is_there_how_it_is_and_what_was_rolled(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    listener = listen(broker.port, "pushtray/tray-1/#")
    link = connect(broker.port)
    assert listener.next("pushtray/tray-1/availability").payload == b"online"
    link.show(snapshot(1))
    assert json.loads(listener.next("pushtray/tray-1/state").payload)["state"] == "empty"
    link.show(snapshot(2))
    reported = json.loads(listener.next("pushtray/tray-1/state").payload)
    assert (reported["state"], reported["tray"]["name"]) == ("scored", "Left table")
    assert isinstance(link.send(ROLL), Sent)
    assert json.loads(listener.next("pushtray/tray-1/roll").payload) == ROLL
    later = listen(broker.port, "pushtray/tray-1/#")
    kept = {message.topic.rpartition("/")[2]: message for message in (later.heard.get(timeout=20) for _ in range(4))}
    assert set(kept) == {"availability", "state", "last_roll", "owner"}
    assert all(message.retain for message in kept.values())
    assert json.loads(kept["last_roll"].payload) == ROLL
    link.stop()
    assert later.next("pushtray/tray-1/availability").payload == b"offline"


def test_the_broker_says_itself_that_a_tray_was_cut_off(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    listener = listen(broker.port, "pushtray/tray-1/availability")
    connect(broker.port, "same")
    listener.next("pushtray/tray-1/availability", lambda message: message.payload == b"online")
    # A second client of that name throws the first one out, like a cut cable, without a disconnect message.
    intruder = Listener(broker.port, "nothing", arrange=lambda client: setattr(client, "_client_id", b"same"))
    assert listener.next("pushtray/tray-1/availability").payload == b"offline"
    intruder.close()
    assert listener.next("pushtray/tray-1/availability").payload == b"online", "and it comes back automatically"


def test_a_test_is_sent_to_a_topic_of_its_own(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    listener = listen(broker.port, "pushtray/tray-1/#")
    assert isinstance(connect(broker.port).send_test({**ROLL, "kind": "test"}), Sent)
    assert json.loads(listener.next("pushtray/tray-1/test").payload)["kind"] == "test"


@pytest.mark.parametrize("allowed", [True, False])
def test_commands_are_taken_only_where_the_settings_allow_it(
    broker: Broker, connect: Connect, listen: Callable[..., Listener], allowed: bool
) -> None:
    pressed: Queue[str] = Queue()
    topic = "pushtray/tray-1/command"
    listener = listen(broker.port, "pushtray/tray-1/#")
    listener.translate(topic, "push", retain=True)
    connect(broker.port, on_press=pressed.put, settings={"commands": allowed})
    listener.next("pushtray/tray-1/availability", lambda message: message.payload == b"online")
    for word in ("explode", "", "push", " RESET ", "push " * 50):
        listener.translate(topic, word)
    listener.translate(topic, "", retain=True)
    listener.translate(topic, "reset")
    if allowed:
        # The retained one would have come first, as would an invalid command.
        assert [pressed.get(timeout=PATIENCE_S) for _ in range(3)] == ["push", "reset", "reset"]
    else:
        heard = [listener.next(topic, lambda message: bool(message.payload)).payload for _ in range(5)]
        assert heard[-1] == b"reset"
        assert pressed.empty()


def test_many_unknown_commands_are_one_line_of_the_log(
    broker: Broker, connect: Connect, listen: Callable[..., Listener], caplog: pytest.LogCaptureFixture
) -> None:
    pressed: Queue[str] = Queue()
    listener = listen(broker.port, "pushtray/tray-1/#")
    with strangers_logged_seldom():
        connect(broker.port, on_press=pressed.put, settings={"commands": True})
        listener.next("pushtray/tray-1/availability", lambda message: message.payload == b"online")
        for number in range(50):
            listener.translate("pushtray/tray-1/command", f"explode {number}")
        listener.translate("pushtray/tray-1/command", "push")
        assert pressed.get(timeout=PATIENCE_S) == "push"
    assert [message for message in caplog.messages if "command" in message] == [
        "mqtt: command 'explode 0' is unknown: send push or reset"
    ]


def test_home_assistant_finds_the_tray_and_forgets_buttons_that_are_switched_off(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    listener = listen(broker.port, "homeassistant/#")
    connect(broker.port, settings={"discovery": True, "commands": True})
    found = [listener.heard.get(timeout=PATIENCE_S) for _ in range(5)]
    assert {message.topic.split("/")[1] for message in found} == {"sensor", "binary_sensor", "button"}
    assert all(json.loads(message.payload)["device"]["name"] == "Left table" for message in found)
    connect(broker.port, settings={"discovery": True, "commands": False})
    again = [listener.heard.get(timeout=PATIENCE_S) for _ in range(5)]
    assert [message.topic for message in again if not message.payload] == [
        "homeassistant/button/pushtray_tray-1_push/config",
        "homeassistant/button/pushtray_tray-1_reset/config",
    ]


def newest(listener: Listener) -> bytes | None:
    """Return what a listener heard last: of a tray that comes in, whether the broker has its name."""
    heard = [bytes(message.payload) for message in list(listener.heard.queue)]
    return heard[-1] if heard else None


def test_a_name_that_another_tray_has_is_refused_and_free_again_once_that_one_is_gone(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    listener = listen(broker.port, "pushtray/tray-1/availability")
    first = connect(broker.port, "later")
    wait_until(lambda: newest(listener) == b"online")
    second = connect(broker.port, "earlier")
    wait_until(lambda: second.fault is not None)
    assert "tray-1" in there(second.fault)
    assert "mqtt.tray" in there(second.fault)
    assert isinstance(second.send(ROLL), RetryLater)
    second.stop()
    assert isinstance(first.send(ROLL), Sent)
    # If the rejected one's disconnect is cut off, the broker reports the name as gone; its tray publishes that it is
    # there.
    wait_until(lambda: newest(listener) == b"online")
    first.stop()
    third = connect(broker.port, "third")
    wait_until(lambda: third.is_connected)


def test_a_refused_tray_that_is_cut_off_never_calls_the_other_one_gone(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    listener = listen(broker.port, "pushtray/tray-1/#")
    connect(broker.port, "later")
    wait_until(lambda: newest(listener) == b"online")
    second = MqttLink(MqttSettings(host="127.0.0.1", port=broker.port), SENDER, "earlier", params=QUICK)
    # Instead of its disconnect.
    second._client.disconnect = second._client._sock_close  # type: ignore[method-assign, assignment]
    second.start()
    claims, words = 0, set[bytes]()
    while claims < 3:
        message = listener.heard.get(timeout=PATIENCE_S)
        claims += message.topic.endswith("claim") and message.payload == b"earlier"
        words |= {bytes(message.payload)} if message.topic.endswith("availability") else set()
    del second._client.disconnect
    second.stop()
    assert words == {b"online"}


def test_of_two_trays_that_take_one_name_at_once_one_has_it(broker: Broker, connect: Connect) -> None:
    both = [connect(broker.port, name) for name in ("a", "b")]
    wait_until(
        lambda: sorted((one.is_connected, one.fault is not None) for one in both) == [(False, True), (True, False)]
    )


def test_a_broker_that_went_and_came_back_gets_what_it_missed(
    broker: Broker, connect: Connect, listen: Callable[..., Listener]
) -> None:
    came: Queue[bool] = Queue()
    link = connect(broker.port, on_connected=lambda: came.put(True))
    came.get(timeout=PATIENCE_S)
    broker.stop()
    wait_until(lambda: not link.is_connected)
    link.show(snapshot(2))
    lost = link.send(ROLL)
    assert isinstance(lost, RetryLater)
    assert "127.0.0.1" in lost.text
    broker.start()
    came.get(timeout=PATIENCE_S)
    listener = listen(broker.port, "pushtray/tray-1/#")
    assert json.loads(listener.next("pushtray/tray-1/state").payload)["state"] == "scored"
    assert isinstance(link.send(ROLL), Sent)
    assert link.fault is None


def test_a_broker_that_never_answers_is_given_up_and_reported(connect: Connect) -> None:
    with silent_server() as port:
        link = connect(port, params=LinkParams(connect_s=0.2, keepalive_s=1))
        tried = link.send_test(ROLL)
        assert isinstance(tried, RetryLater)
        assert "has not answered yet" in tried.text or "lost" in tried.text
        assert not link.is_connected
        link.stop()


def test_a_port_without_a_broker_is_reported(connect: Connect) -> None:
    with silent_server() as port:
        pass
    link = connect(port)
    wait_until(lambda: link.fault is not None)
    assert str(link.fault).startswith(f"The broker 127.0.0.1 cannot be reached on port {port} (Connection refused)")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that requires user and password."""
    program = path_of("mosquitto_passwd")
    folder = tmp_path_factory.mktemp("locked")
    subprocess.run([program, "-b", "-c", str(folder / "users"), "tray", "open sesame"], check=True)
    made = Broker(folder, "allow_anonymous false", f"password_file {folder / 'users'}")
    yield made
    made.stop()


def test_user_and_password_are_given_and_never_reported(
    locked: Broker, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    right = {"user": "tray", "password": SecretStr("open sesame")}
    assert isinstance(connect(locked.port, settings=right).send_test(ROLL), Sent)
    link = connect(locked.port, "other", settings={**right, "password": SecretStr("wrong word")})
    wait_until(lambda: "mqtt: The broker" in caplog.text)
    assert "refuses the connection" in str(link.fault)
    assert "sesame" not in caplog.text
    assert "wrong word" not in caplog.text
    assert "sesame" not in repr(MqttSettings(**right))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1, and its key."""
    folder = tmp_path_factory.mktemp("certificates")
    program = path_of("openssl", "openssl")
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=broker"
    files = ["-keyout", "key.pem", "-out", "broker.pem", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([program, *command.split(), *files], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tls_is_spoken_with_a_broker_whose_certificate_is_known_and_with_no_other(
    certificates: Path, tmp_path: Path, connect: Connect
) -> None:
    broker = Broker(
        tmp_path, "allow_anonymous true", f"certfile {certificates}/broker.pem", f"keyfile {certificates}/key.pem"
    )
    try:
        known = {"tls": True, "ca_file": str(certificates / "broker.pem")}
        assert isinstance(connect(broker.port, settings=known).send_test(ROLL), Sent)
        stranger = connect(broker.port, "other", settings={"tls": True})
        wait_until(lambda: stranger.fault is not None)
        assert "certificate verify failed: self-signed certificate" in str(stranger.fault)
        assert not stranger.is_connected
        stranger.stop()
        # paho leaves a socket whose TLS failed to the garbage collector, which warns of it: here, and in no later test.
        wait_until(lambda: not any(thread.name.endswith("client-other") for thread in threading.enumerate()))
        gc.collect()
    finally:
        broker.stop()
    with pytest.raises(BadInput, match=r"mqtt\.ca_file .*/none\.pem cannot be used .*: name the certificate"):
        connect(broker.port, settings={"tls": True, "ca_file": str(tmp_path / "none.pem")})


def test_topics_that_the_broker_refuses_are_reported_and_the_rest_goes_on(
    tmp_path: Path, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = Client.subscribe

    def slow(client: Client, *args: Any) -> tuple[Any, int | None]:
        answer = sent(client, *args)
        time.sleep(0.3)  # the broker's answer arrives meanwhile
        return answer

    monkeypatch.setattr(Client, "subscribe", slow)
    monkeypatch.setattr("device.integrations.mqtt._CLAIM_S", 0.2)
    plugin = next(iter(Path("/usr/lib").glob("*/mosquitto_dynamic_security.so")), None)
    if plugin is None:
        pytest.skip("no mosquitto_dynamic_security.so: apt install mosquitto")
    rights = tmp_path / "rights.json"
    rights.write_text('{"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true}}')
    broker = Broker(tmp_path, "allow_anonymous true", f"plugin {plugin}", f"plugin_opt_config_file {rights}")
    try:
        link = connect(broker.port, settings={"commands": True})
        wait_until(lambda: link.is_connected and link.fault is not None)
        fault = there(link.fault)
        assert (fault.key, fault.message.values["topics"]) == (
            "tray.outside.not_subscribed",
            ["pushtray/tray-1/command"],
        )
        assert isinstance(link.send(ROLL), Sent)
    finally:
        broker.stop()


def test_what_goes_wrong_over_a_message_is_reported_and_ends_no_connection(
    broker: Broker, connect: Connect, listen: Callable[..., Listener], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_word: str) -> None:
        raise ZeroDivisionError("over there")

    listener = listen(broker.port, "pushtray/tray-1/#")
    link = connect(broker.port, on_press=fail, settings={"commands": True})
    listener.next("pushtray/tray-1/availability", lambda message: message.payload == b"online")
    listener.translate("pushtray/tray-1/command", "push")
    wait_until(lambda: "over there" in caplog.text)
    assert isinstance(link.send(ROLL), Sent)


def test_a_broker_that_lets_the_tray_hear_nothing_gets_its_rolls_all_the_same(
    tmp_path: Path, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.integrations.mqtt._CLAIM_S", 0.2)
    (tmp_path / "acl").write_text("topic write pushtray/#\n")
    broker = Broker(tmp_path, "allow_anonymous true", f"acl_file {tmp_path / 'acl'}")
    try:
        link = connect(broker.port)
        wait_until(lambda: link.is_connected)
        assert isinstance(link.send(ROLL), Sent)
    finally:
        broker.stop()
