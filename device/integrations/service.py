"""Outgoing integrations: lifecycle and status."""

import logging
import secrets
import sqlite3
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from device.errors import DeviceError
from device.game.snapshot import Snapshot
from device.game.state.effects import Commit, LogRow
from device.integrations.broker import BrokerChannel
from device.integrations.channel import Channel, IntegrationParams, OnPress, Shared, Tried
from device.integrations.messages import Sender, roll_message, shown_message, trial_message
from device.integrations.outbox import Body
from device.integrations.sections import SECTIONS, Section
from device.integrations.settings import MqttSettings
from device.texts.catalogue import ENGLISH
from rules.system import JsonValue

_log = logging.getLogger(__name__)

LoggedRoll: TypeAlias = Callable[[int], Mapping[str, JsonValue] | None]
"""Returns the newest row of a roll that is not hidden, by the roll's number; None if there is none."""


class Integrations:
    """What the tray sends to other programs. Nothing is opened, started or sent for what is off."""

    def __init__(
        self,
        folder: Path,
        *,
        logged: LoggedRoll,
        sections: Mapping[str, Section] | None = None,
        language: str = ENGLISH,
        on_press: OnPress | None = None,
        params: IntegrationParams | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._shared = Shared(folder, language, on_press, params or IntegrationParams())
        self._logged = logged
        self._now = now
        self._changing = threading.Lock()
        self._stopped = False
        self._channels: dict[str, Channel] = {}
        for name, section in ({name: kind() for name, kind in SECTIONS.items()} | dict(sections or {})).items():
            if isinstance(section, MqttSettings):
                self._channels[name] = self.broker = BrokerChannel(name, section, self._shared)
            else:
                self._channels[name] = Channel(name, section, self._shared)

    def start(self) -> None:
        """Start sending if anything is on. Returns soon, even if another side does not answer."""
        with self._changing:
            for channel in self._channels.values():
                channel.start()

    def stop(self) -> None:
        """Stop sending; pending messages stay in the outbox. Safe to call twice."""
        with self._changing:
            self._stopped = True
            stops = [one.stop for one in self._channels.values()]
            ending = [threading.Thread(target=stop, name="stop", daemon=True) for stop in stops]
            for thread in ending:
                thread.start()
            for thread in ending:
                thread.join(timeout=2.0)
            if self._shared.outbox is not None:
                self._shared.outbox.stop()

    def announce(self, commit: Commit) -> None:
        """Queue what was just written; returns at once. On the loop's thread.

        A hidden roll is not sent until it is shown, and then as it is in the log.
        """
        outbox, channels = self._shared.outbox, tuple(name for name, one in self._channels.items() if one.is_running)
        if outbox is None or not channels:
            return
        at, sender = self._now(), self.broker.sender
        for row in commit.rows:
            if row.outcome is not None and not row.hidden:
                outbox.put(channels, _Message(row, at, secrets.token_hex(8), sender))
        for roll in commit.shown:
            if roll.was_hidden:
                outbox.put(channels, _ShownMessage(roll.number, at, secrets.token_hex(8), sender, self._logged))

    def forget_roll(self, roll: int, at: datetime) -> None:
        """Stop sending anything of a deleted roll, and withdraw it from brokers. Any thread but the loop's."""
        outbox, since = self._shared.outbox, at - timedelta(seconds=1)
        if outbox is None:
            return
        try:
            outbox.forget(roll, since.timestamp())
        except sqlite3.Error as error:
            _log.error("FAIL outbox: roll %d is deleted, but its waiting messages may still be sent: %s", roll, error)
        self.broker.forget_roll(roll, since)

    def show(self, snapshot: Snapshot) -> None:
        """Set the tray's newest state; returns at once. On the loop's thread."""
        self.broker.show(snapshot)

    def report(self) -> list[Body]:
        return [one.report() for one in self._channels.values()]

    def apply(self, sections: Mapping[str, Section]) -> None:
        """Apply other settings at once; unchanged services keep running."""
        with self._changing:
            for name, section in sections.items():
                if section != self._channels[name].section and not self._stopped:
                    self._channels[name].change(section)

    def send_test(self, name: str) -> Tried:
        """Send a message marked as a test, and wait some seconds for the result."""
        message = trial_message(self._now(), secrets.token_hex(8), self.broker.sender)
        return self._channels[name].send_test(message)


@dataclass(frozen=True, slots=True)
class _Message:
    """Makes the message of a row when it is written, so that the loop need not."""

    row: LogRow
    at: datetime
    id: str
    sender: Sender

    def __call__(self) -> Body | None:
        return roll_message(self.row, self.at, self.id, self.sender)


@dataclass(frozen=True, slots=True)
class _ShownMessage:
    """Makes the message of a roll that is now shown; none if the log has no result of it."""

    number: int
    at: datetime
    id: str
    sender: Sender
    logged: LoggedRoll

    def __call__(self) -> Body | None:
        try:
            row = self.logged(self.number)
        except DeviceError as error:
            _log.error("FAIL outbox: roll %d is shown, but is not sent: %s", self.number, error)
            return None
        return None if row is None else shown_message(row, self.at, self.id, self.sender)
