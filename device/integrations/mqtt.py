"""The tray on an MQTT broker: state, results, availability, discovery, and Push and Reset if the settings allow it.

paho-mqtt connects, keeps the connection and reconnects with growing pauses, on its own thread.
"""

import json
import logging
import ssl
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

from paho.mqtt.client import MQTT_LOG_ERR, Client, ConnectFlags, DisconnectFlags, MQTTMessage, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from device.errors import BadInput
from device.game.buttons import BUTTONS
from device.game.snapshot import Snapshot
from device.integrations.announced import Announced, Announcements
from device.integrations.delivery import Delivery, RetryLater, Sent
from device.integrations.messages import Sender
from device.integrations.outbox import Body
from device.integrations.settings import MqttSettings, secret_value
from device.integrations.topics import OFFLINE, ONLINE, Topics, discovery, state_body
from device.texts.catalogue import LazyText, translate
from vision.types.cures import why

_log = logging.getLogger(__name__)
_commands = logging.getLogger(f"{__name__}.commands")
"""Of what anyone on the broker may send; logged seldom."""

_AT_LEAST_ONCE: Final = 1
_CLAIM_S: Final = 3.0
"""Longest wait for its own claim to arrive, in seconds."""
_COMMAND_BYTES: Final = 64


@dataclass(frozen=True, slots=True)
class LinkParams:
    connect_s: float = 5.0  # longest time that connecting may take, in seconds
    keepalive_s: int = 30  # longest silence of a connection before it is tested, in seconds
    pause_first_s: int = 1  # pause before the second attempt to connect; doubles each time
    max_pause_s: int = 120  # longest pause before an attempt to connect, in seconds
    confirm_s: float = 5.0  # longest time for the broker to confirm a message, in seconds
    # shortest pause between two states, in seconds: of moving dice only the newest state is sent
    state_pause_s: float = 0.2
    max_unconfirmed: int = 100


class _Stand(Enum):
    AWAY = "away"
    CLAIMS = "claims"
    OWNS = "owns"
    REFUSED = "refused"


class MqttLink:
    def __init__(
        self,
        settings: MqttSettings,
        sender: Sender,
        client_id: str,
        *,
        on_press: Callable[[str], None] | None = None,
        on_connected: Callable[[], None] | None = None,
        on_heard: Callable[[str, bytes], None] | None = None,
        announcements: Announcements | None = None,
        is_silent: bool = False,
        params: LinkParams | None = None,
    ) -> None:
        """Prepare; `start` connects.

        Args:
            on_press: Carries out `push` or `reset`; returns within a few seconds.
            on_connected: Called when the broker has accepted the connection; must return at once.
        """
        self._settings = settings
        self._sender = sender
        self._topics = Topics(settings.base, sender.id)
        self._on_press = on_press
        self._on_connected = on_connected
        self._on_heard = on_heard
        self._announcements = announcements
        self._is_silent = is_silent
        self._client_id = client_id
        self._stand = _Stand.AWAY
        self._other: str | None = None
        self._is_other_there = False
        self._has_will = False
        self._params = params or LinkParams()
        self._news = threading.Condition()
        self._newest: Snapshot | None = None
        self._published: Body | None = None
        self._published_version: int | None = None
        self._stopping = False
        self._has_connected = False
        self._fault: LazyText | None = None
        self._refused: LazyText | None = None
        self._asking = threading.Lock()
        self._requested: dict[int | None, list[str]] = {}
        self._under_way: tuple[str, MQTTMessageInfo] | None = None
        self._client = self._made_client(client_id)
        self._thread: threading.Thread | None = None
        self.ghosts: tuple[Announced, ...] = ()
        """Retained messages of this tray under earlier settings."""

    @property
    def is_connected(self) -> bool:
        return bool(self._client.is_connected()) and self._has_connected

    @property
    def fault(self) -> LazyText | None:
        """Why there is no connection, or what the broker refuses on it, in one line; None if all is well."""
        return self._refused if self.is_connected else self._fault

    def start(self) -> None:
        """Connect, and reconnect whenever the connection is lost. Returns at once."""
        self._client.connect_async(self._settings.host, self._settings.port, self._params.keepalive_s)
        self._client.loop_start()
        if not self._is_silent:
            self._thread = threading.Thread(target=self._publish_states, name="mqtt-state", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Publish `offline` if connected, and disconnect. Safe to call twice."""
        with self._news:
            if self._stopping:
                return
            self._stopping = True
            self._news.notify_all()
        if self.is_connected and not self._is_silent:
            info = self._client.publish(self._topics.availability, OFFLINE, _AT_LEAST_ONCE, retain=True)
            _wait_for(info, 0.5)
        self._client.disconnect()
        # It may be connecting to a host that does not answer, which is not waited for.
        ending = threading.Thread(target=self._end, name="mqtt-stop", daemon=True)
        ending.start()
        ending.join(timeout=1.0)
        if self._thread is not None:
            self._thread.join(timeout=1.0)

    close = stop

    def show(self, snapshot: Snapshot) -> None:
        """Set the newest state; returns at once. Any thread."""
        with self._news:
            self._newest = snapshot
            self._news.notify_all()

    def send(self, body: Body) -> Delivery:
        """Publish a result and wait until the broker has confirmed it."""
        if not self.is_connected:
            return RetryLater(self._fault or translate("tray.outside.no_broker_yet", host=self._settings.host))
        name = str(body["id"])
        if self._under_way is None or self._under_way[0] != name:
            text = json.dumps(body, ensure_ascii=False)
            if self._announcements is not None:
                self._announcements.note_roll(body)
            self._client.publish(self._topics.last_roll, text, _AT_LEAST_ONCE, retain=True)
            self._under_way = (name, self._client.publish(self._topics.roll, text, _AT_LEAST_ONCE))
        if not _wait_for(self._under_way[1], self._params.confirm_s):
            if self._under_way[1].rc:
                self._under_way = None
            return RetryLater(translate("tray.outside.not_confirmed", host=self._settings.host))
        self._under_way = None
        return Sent(translate("tray.outside.confirmed", host=self._settings.host))

    def publish_again(self) -> None:
        """Publish all that the broker retains: it may have been deleted under another address of the same broker."""
        if self.is_connected and not self._is_silent:
            self._introduce(self._client)
            with self._news:
                self._published = None
                self._news.notify_all()

    def forget_roll(self, roll: int, since: datetime, *, is_last: bool) -> None:
        """Withdraw a permanently deleted roll; returns at once. Any thread."""
        if is_last:
            self._client.publish(self._topics.last_roll, None, _AT_LEAST_ONCE, retain=True)
        body = {"roll": roll, "since": since.astimezone(UTC).isoformat(timespec="milliseconds")}
        self._client.publish(self._topics.forgotten, json.dumps(body), _AT_LEAST_ONCE)

    def send_test(self, body: Body) -> Delivery:
        """Publish a test; if the tray is not connected, wait as long as connecting may take."""
        with self._news:
            is_there = self._news.wait_for(lambda: self.is_connected or self._stopping, self._params.connect_s)
        if not is_there or self._stopping:
            return RetryLater(self._fault or translate("tray.outside.no_broker_yet", host=self._settings.host))
        info = self._client.publish(self._topics.test, json.dumps(body, ensure_ascii=False), _AT_LEAST_ONCE)
        if not _wait_for(info, self._params.confirm_s):
            return RetryLater(translate("tray.outside.not_confirmed", host=self._settings.host))
        return Sent(translate("tray.outside.confirmed", host=self._settings.host))

    def _end(self) -> None:
        """Wait until the client's thread has ended, and break the reference cycle, so that its sockets are closed."""
        self._client.loop_stop()
        self._client.on_connect = self._client.on_connect_fail = self._client.on_disconnect = None
        self._client.on_message = self._client.on_subscribe = None

    def _made_client(self, client_id: str) -> Client:
        client = configured_client(self._settings, client_id, self._params)
        client.on_connect = self._connected
        client.on_connect_fail = self._not_connected
        client.on_disconnect = self._lost
        client.on_message = self._heard
        client.on_subscribe = self._subscribed
        # An error while a message is processed must not end the connection; it is logged anyway.
        client.suppress_exceptions = True
        client.on_log = _log_errors
        return client

    def _connected(
        self, client: Client, _data: Any, _flags: ConnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if reason.is_failure:
            self._failed(translate("tray.outside.broker_refuses", host=self._settings.host, why=str(reason)))
            return
        if self._fault is not None:
            _log.info("mqtt works again")
        self._fault = self._refused = None
        if self._on_heard is not None:
            self._subscribe(client, [f"{self._settings.base}/+/{what}" for what in _OF_TRAYS])
        if self._is_silent:
            self._come_in()
            return
        self._other, self._is_other_there = None, False
        client.subscribe([(topic, _AT_LEAST_ONCE) for topic in self._own_topics()])
        # It arrives after the broker's retained messages for this name.
        client.publish(self._topics.claim, self._client_id, _AT_LEAST_ONCE)
        self._turn(_Stand.CLAIMS)

    def _subscribe(self, client: Client, topics: list[str]) -> None:
        # The answer may arrive on the client's own thread before the number is noted.
        with self._asking:
            _, number = client.subscribe([(topic, _AT_LEAST_ONCE) for topic in topics])
            self._requested[number] = topics

    def _subscribed(
        self, _client: Client, _data: Any, number: int, reasons: list[ReasonCode], _more: Properties | None
    ) -> None:
        """Note topics that the broker refuses; without those of its own name, a tray only cannot see another of it."""
        with self._asking:
            topics = self._requested.pop(number, ())
        refused = {topic: str(reason) for topic, reason in zip(topics, reasons, strict=False) if reason.is_failure}
        if refused:
            where = {"host": self._settings.host, "topics": list(refused), "why": sorted(set(refused.values()))}
            self._refused = translate("tray.outside.not_subscribed", **where)
            _log.warning("mqtt: %s", self._refused)

    def _own_topics(self) -> tuple[str, ...]:
        return self._topics.availability, self._topics.owner, self._topics.claim

    def _turn(self, stand: "_Stand") -> None:
        with self._news:
            self._stand = stand
            self._news.notify_all()

    def _come_in(self) -> None:
        with self._news:
            self._has_connected, self._published = True, None
            self._news.notify_all()
        if self._on_connected is not None:
            self._on_connected()

    def _settle(self) -> None:
        if self._other is not None and self._is_other_there:
            self._turn(_Stand.REFUSED)
            self._failed(translate("tray.outside.name_taken", name=self._topics.tray, host=self._settings.host))
            # A clean disconnect, so that the broker does not report the other tray as offline.
            self._client.disconnect()
            return
        if not self._has_will:
            # The claim was made without a will, or the broker might report the other tray as offline if this one lost
            # its connection.
            self._has_will = True
            self._client.will_set(self._topics.availability, OFFLINE, _AT_LEAST_ONCE, retain=True)
            self._turn(_Stand.AWAY)
            with suppress(OSError):  # retried as after any loss
                self._client.reconnect()
            return
        self._turn(_Stand.OWNS)
        self._introduce(self._client)
        self._come_in()

    def _found(self) -> dict[str, Body | None]:
        settings = self._settings
        if not settings.discovery:
            return {}
        return discovery(settings.discovery_prefix, self._topics, self._sender, with_buttons=settings.commands)

    def _introduce(self, client: Client) -> None:
        if self._settings.commands:
            self._subscribe(client, [self._topics.command])
        found = self._found()
        if self._announcements is not None:
            shown = [topic for topic, body in found.items() if body is not None]
            self.ghosts = self._announcements.announce(self._settings, [*self._topics.retained, *shown])
        client.publish(self._topics.owner, self._client_id, _AT_LEAST_ONCE, retain=True)
        for topic, body in found.items():
            text = None if body is None else json.dumps(body, ensure_ascii=False)
            client.publish(topic, text, _AT_LEAST_ONCE, retain=True)
        if self._announcements is not None:
            last = self._announcements.last_roll
            if last is not None:
                # Restores it on a broker that lost its retained messages.
                mine = {**last, "tray": self._sender.body}
                text = json.dumps(mine, ensure_ascii=False)
                client.publish(self._topics.last_roll, text, _AT_LEAST_ONCE, retain=True)
            elif self._announcements.is_withdrawn:
                client.publish(self._topics.last_roll, None, _AT_LEAST_ONCE, retain=True)
        client.publish(self._topics.availability, ONLINE, _AT_LEAST_ONCE, retain=True)

    def _not_connected(self, _client: Client, _data: Any) -> None:
        where = {"host": self._settings.host, "port": self._settings.port, "why": _why_not_connected()}
        self._failed(
            translate("tray.outside.no_broker_tls", **where)
            if self._settings.tls
            else translate("tray.outside.no_broker", **where)
        )

    def _lost(
        self, _client: Client, _data: Any, _flags: DisconnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        had, self._has_connected = self._has_connected, False
        self._has_will = False
        self._client.will_clear()
        if not self._stopping and self._stand is not _Stand.REFUSED and (had or self._fault is None):
            self._failed(translate("tray.outside.broker_lost", host=self._settings.host, why=str(reason)))

    def _failed(self, text: LazyText) -> None:
        if text != self._fault:
            self._fault = text
            _log.warning("mqtt: %s", text)

    def _heard(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        if not self._is_silent and message.topic in self._own_topics():
            self._hear_of_name(message.topic, bytes(message.payload).decode("utf-8", "replace"))
        if message.topic == self._topics.command:
            self._press(message)
        elif self._on_heard is not None and message.topic not in (self._topics.owner, self._topics.claim):
            self._on_heard(message.topic, bytes(message.payload))

    def _hear_of_name(self, topic: str, word: str) -> None:
        """Resolve a conflict over this tray's name: its owner keeps it; of two at once the smaller id wins."""
        is_other = word not in ("", self._client_id)
        if topic == self._topics.availability:
            self._is_other_there = word == ONLINE
            if self._stand is _Stand.OWNS and word != ONLINE and not self._stopping:
                self._client.publish(topic, ONLINE, _AT_LEAST_ONCE, retain=True)
        elif topic == self._topics.owner:
            self._other = word if is_other else None
            if self._stand is _Stand.OWNS and is_other:
                if word < self._client_id:
                    self._is_other_there, self._has_connected = True, False
                    self._settle()
                else:
                    self._client.publish(topic, self._client_id, _AT_LEAST_ONCE, retain=True)
        elif not is_other and self._stand is _Stand.CLAIMS:
            self._settle()
        elif is_other and self._stand is _Stand.OWNS:
            self._client.publish(self._topics.owner, self._client_id, _AT_LEAST_ONCE, retain=True)

    def _press(self, message: MQTTMessage) -> None:
        """Carry out a command. A retained one is ignored: it would arrive at each connection."""
        word = bytes(message.payload[:_COMMAND_BYTES]).decode("ascii", "replace").strip().lower()
        if message.retain or not self._settings.commands or self._on_press is None:
            return
        if word in BUTTONS:
            self._on_press(word)
        else:
            _commands.warning("mqtt: command %r is unknown: send %s", word, " or ".join(BUTTONS))

    def _publish_states(self) -> None:
        """Publish each new state until the end."""
        while True:
            with self._news:
                self._news.wait_for(lambda: self._stopping or self._stand is _Stand.CLAIMS or self._has_state())
                if self._stand is _Stand.CLAIMS:
                    self._news.wait_for(lambda: self._stopping or self._stand is not _Stand.CLAIMS, _CLAIM_S)
                if self._stopping:
                    return
                is_unanswered = self._stand is _Stand.CLAIMS
                snapshot = self._newest
            if is_unanswered:
                # A broker that does not deliver claims: then conflicts cannot be detected.
                self._settle()
                continue
            if snapshot is None:
                continue
            body = state_body(snapshot.body, self._sender)
            if body != self._published:
                self._client.publish(self._topics.state, json.dumps(body, ensure_ascii=False), retain=True)
            with self._news:
                self._published, self._published_version = body, snapshot.version
                self._news.wait_for(lambda: self._stopping, self._params.state_pause_s)

    def _has_state(self) -> bool:
        """Return whether there is a state that the broker may lack; not while no connection owns the name."""
        newest = self._newest
        return (
            newest is not None
            and self.is_connected
            and (self._published is None or newest.version != self._published_version)
        )


def configured_client(settings: MqttSettings, client_id: str, params: LinkParams) -> Client:
    client = Client(CallbackAPIVersion.VERSION2, client_id=client_id)
    client.connect_timeout = params.connect_s
    client.reconnect_delay_set(params.pause_first_s, params.max_pause_s)
    client.max_queued_messages_set(params.max_unconfirmed)
    if settings.user:
        client.username_pw_set(settings.user, secret_value(settings.password) or None)
    if settings.tls:
        try:
            context = ssl.create_default_context(cafile=settings.ca_file or None)
        except OSError as error:
            raise BadInput(
                f"mqtt.ca_file {settings.ca_file} cannot be used ({error}): name the certificate that signs the"
                " broker's, as PEM"
            ) from error
        client.tls_set_context(context)
    return client


_OF_TRAYS: Final = ("availability", "state", "roll", "last_roll", "forgotten")


class Withdrawal:
    """Deletes a broker's retained messages of this tray under earlier settings; retries until done or stopped.

    A name that another tray has taken meanwhile, and that is online, is left to that one.
    """

    def __init__(self, ghost: Announced, client_id: str, on_done: Callable[[Announced], None]) -> None:
        self._ghost, self._owner, self._on_done = ghost, client_id, on_done
        self._of_name = [topic for topic in ghost.topics if topic.endswith(("/owner", "/availability"))]
        self._retained: dict[str, str] = {}
        self._left: set[int] = set()
        self._is_reported = False
        self._client = configured_client(ghost.settings, f"{client_id}-withdraws", LinkParams())
        self._client.on_connect = self._connected
        self._client.on_connect_fail = lambda _client, _data: self._failed(_why_not_connected())
        self._client.on_message = self._heard
        self._client.on_unsubscribe = lambda *_: self._delete()
        self._client.on_publish = lambda _client, _data, mid, _reason, _more: self._confirmed(mid)

    def start(self) -> None:
        """Connect; returns at once."""
        self._client.connect_async(self._ghost.settings.host, self._ghost.settings.port)
        self._client.loop_start()

    def stop(self) -> None:
        """Give up for this run. Safe to call twice."""
        self._client.disconnect()
        ending = threading.Thread(target=self._client.loop_stop, name="mqtt-stop", daemon=True)
        ending.start()
        ending.join(timeout=1.0)

    def _connected(
        self, client: Client, _data: Any, _flags: ConnectFlags, reason: ReasonCode, _more: Properties | None
    ) -> None:
        if reason.is_failure:
            self._failed(str(reason))
        elif self._of_name:
            self._retained.clear()
            # The second is confirmed after the broker's retained messages have come.
            client.subscribe([(topic, _AT_LEAST_ONCE) for topic in self._of_name])
            client.unsubscribe(self._of_name)
        else:
            self._delete()

    def _heard(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        kind = message.topic.rpartition("/")[2]
        self._retained[kind] = bytes(message.payload).decode("utf-8", "replace")

    def _delete(self) -> None:
        if self._retained.get("owner", self._owner) != self._owner and self._retained.get("availability") == ONLINE:
            self._done()
            return
        topics = sorted(self._ghost.topics)
        self._left = {self._client.publish(topic, None, _AT_LEAST_ONCE, retain=True).mid for topic in topics}

    def _confirmed(self, mid: int) -> None:
        if mid in self._left:
            self._left.discard(mid)
            if not self._left:
                self._done()

    def _done(self) -> None:
        self._on_done(self._ghost)
        self._client.disconnect()

    def _failed(self, reason: str) -> None:
        if not self._is_reported:
            self._is_reported = True
            host = self._ghost.settings.host
            _log.warning("mqtt: %s still keeps messages of this tray (%s). Trying again.", host, reason)


def _why_not_connected() -> str:
    """Return the reason within `on_connect_fail`, which paho calls while it handles the error."""
    error = sys.exception()
    return why(error) if isinstance(error, OSError) else type(error).__name__


def _log_errors(_client: Client, _data: Any, level: int, text: str) -> None:
    """Log errors inside callbacks; the callbacks report the client's other errors."""
    if level == MQTT_LOG_ERR and text.startswith("Caught exception"):
        _log.error("mqtt: %s", text)


def _wait_for(info: MQTTMessageInfo, longest_s: float) -> bool:
    try:
        info.wait_for_publish(longest_s)
        return info.is_published()
    except (ValueError, RuntimeError):
        # The client's own queue is full, or the connection was lost meanwhile.
        return False
