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

from device.errors import BadInput, DeviceError
from device.game.snapshot import Snapshot
from device.game.state.effects import Commit, LogRow
from device.integrations.announced import Announced, Announcements
from device.integrations.club import ClubTrays
from device.integrations.delivery import DeliveryParams, DeliveryWorker, Sent, Transport
from device.integrations.http import HttpParams
from device.integrations.messages import Sender, roll_message, shown_message, trial_message
from device.integrations.mqtt import LinkParams, MqttLink, Withdrawal
from device.integrations.outbox import FILE_NAME, Body, Outbox
from device.integrations.sections import MQTT, SECTIONS, Section
from device.integrations.settings import MqttSettings
from device.texts.catalogue import ENGLISH, LazyText, translate
from rules.system import JsonValue

_log = logging.getLogger(__name__)

LoggedRoll: TypeAlias = Callable[[int], Mapping[str, JsonValue] | None]
"""Returns the newest row of a roll that is not hidden, by the roll's number; None if there is none."""


@dataclass(frozen=True, slots=True)
class IntegrationParams:
    """Timeouts and limits of all parts; see each."""

    worker: DeliveryParams | None = None  # parameters of the delivery workers; None for the defaults
    http: HttpParams | None = None  # parameters of HTTP connections; None for the defaults
    link: LinkParams | None = None  # parameters of the connection to the broker; None for the defaults


@dataclass(frozen=True, slots=True)
class Tried:
    ok: bool
    text: LazyText


@dataclass(slots=True)
class _Running:
    carrier: Transport
    worker: DeliveryWorker


class Integrations:
    """What the tray sends to other programs. Nothing is opened, started or sent for what is off."""

    def __init__(
        self,
        folder: Path,
        *,
        logged: LoggedRoll,
        sections: Mapping[str, Section] | None = None,
        language: str = ENGLISH,
        on_press: Callable[[str], None] | None = None,
        params: IntegrationParams | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder = folder
        self._sections = {name: kind() for name, kind in SECTIONS.items()} | dict(sections or {})
        self._announcements: Announcements | None = None
        self._withdrawals: dict[Announced, Withdrawal] = {}
        self._language = language
        self._on_press = on_press
        self._logged = logged
        self._params = params or IntegrationParams()
        self._now = now
        self._changing = threading.Lock()
        self._outbox: Outbox | None = None
        self._running: dict[str, _Running] = {}
        self._channels: tuple[str, ...] = ()
        self._link: MqttLink | None = None
        self._newest: Snapshot | None = None
        self._faults: dict[str, LazyText | str] = {}
        self._stopped = False
        self.club: ClubTrays | None = None
        """The trays of this tray's broker; None if it does not subscribe to them."""

    def start(self) -> None:
        """Start sending if anything is on. Returns soon, even if another side does not answer."""
        with self._changing:
            for name in SECTIONS:
                self._start(name)

    def stop(self) -> None:
        """Stop sending; pending messages stay in the outbox. Safe to call twice."""
        with self._changing:
            self._stopped = True
            running, self._running, self._channels, self._link = self._running, {}, (), None
            stops = [one.worker.stop for one in running.values()] + [one.stop for one in self._withdrawals.values()]
            ending = [threading.Thread(target=stop, name="stop", daemon=True) for stop in stops]
            for thread in ending:
                thread.start()
            for thread in ending:
                thread.join(timeout=2.0)
            if self._outbox is not None:
                self._outbox.stop()

    def announce(self, commit: Commit) -> None:
        """Queue what was just written; returns at once. On the loop's thread.

        A hidden roll is not sent until it is shown, and then as it is in the log.
        """
        outbox, channels = self._outbox, self._channels
        if outbox is None or not channels:
            return
        at = self._now()
        for row in commit.rows:
            if row.outcome is not None and not row.hidden:
                outbox.put(channels, _Message(row, at, secrets.token_hex(8), self._sender()))
        for roll in commit.shown:
            if roll.was_hidden:
                outbox.put(channels, _ShownMessage(roll.number, at, secrets.token_hex(8), self._sender(), self._logged))

    def forget_roll(self, roll: int, at: datetime) -> None:
        """Stop sending anything of a deleted roll, and withdraw it from brokers. Any thread but the loop's."""
        outbox, announcements, link, since = self._outbox, self._announcements, self._link, at - timedelta(seconds=1)
        if outbox is None:
            return
        try:
            outbox.forget(roll, since.timestamp())
        except sqlite3.Error as error:
            _log.error("FAIL outbox: roll %d is deleted, but its waiting messages may still be sent: %s", roll, error)
        is_last = announcements is not None and announcements.forget_roll(roll, since)
        if link is not None:
            link.forget_roll(roll, since, is_last=is_last)

    def show(self, snapshot: Snapshot) -> None:
        """Set the tray's newest state; returns at once. On the loop's thread."""
        self._newest = snapshot
        if self._link is not None:
            self._link.show(snapshot)

    @property
    def broker_fault(self) -> LazyText | None:
        """Why the tray is not connected to its broker, or what that refuses; None if all is well."""
        return None if self._link is None else self._link.fault

    def report(self) -> list[Body]:
        return [self._report(name) for name in SECTIONS]

    def apply(self, sections: Mapping[str, Section]) -> None:
        """Apply other settings at once; unchanged services keep running."""
        with self._changing:
            for name, section in sections.items():
                before = self._sections[name]
                if section != before:
                    self._sections[name] = section
                    self._restart(name, before)

    def send_test(self, name: str) -> Tried:
        """Send a message marked as a test, and wait some seconds for the result."""
        running = self._running.get(name)
        if running is None:
            return Tried(ok=False, text=translate("tray.outside.off"))
        tried = running.carrier.send_test(trial_message(self._now(), secrets.token_hex(8), self._sender()))
        if isinstance(tried, Sent):
            running.worker.go_on()
        return Tried(isinstance(tried, Sent), tried.text)

    def _sender(self) -> Sender:
        settings = self._mqtt
        own = settings.tray or ("tray" if self._outbox is None else f"tray-{self._outbox.identity}")
        return Sender(own, settings.name or own, self._language)

    @property
    def _mqtt(self) -> MqttSettings:
        section = self._sections[MQTT]
        return section if isinstance(section, MqttSettings) else MqttSettings()

    def _restart(self, name: str, before: Section) -> None:
        """Apply the current settings. Messages for the old address are not sent to the new one."""
        running = self._running.pop(name, None)
        self._channels = tuple(self._running)
        if name == MQTT:
            self._link, self.club = None, None
        if running is not None:
            running.worker.stop()
        if name == MQTT:
            withdrawals, self._withdrawals = self._withdrawals, {}
            for withdrawal in withdrawals.values():
                withdrawal.stop()
        if self._outbox is not None and before.address != self._sections[name].address:
            self._outbox.clear(name)
        self._faults.pop(name, None)
        self._start(name)

    def _start(self, name: str) -> None:
        section = self._sections[name]
        if self._stopped:
            return
        if not section.address:
            if name == MQTT:
                self._withdraw_all()
            return
        try:
            outbox = self._opened_outbox()
            carrier = self._carrier(section, outbox)
        except (OSError, sqlite3.Error, BadInput) as error:
            self._faults[name] = (
                str(error) if isinstance(error, BadInput) else translate("tray.outside.no_outbox_read", why=str(error))
            )
            _log.error("FAIL %s: %s", name, self._faults[name])
            return
        running = _Running(carrier, DeliveryWorker(name, outbox, carrier, self._params.worker))
        self._running[name] = running
        self._channels = tuple(self._running)
        running.worker.start()
        if isinstance(carrier, MqttLink):
            self._link = carrier
            if self._newest is not None:
                carrier.show(self._newest)
            carrier.start()

    def _opened_outbox(self) -> Outbox:
        if self._outbox is None:
            self._outbox = Outbox(self._folder / FILE_NAME)
            self._outbox.start()
            self._announcements = Announcements(self._folder)
            if self._outbox.is_copy:
                self._announcements.clear()
        return self._outbox

    def _carrier(self, section: Section, outbox: Outbox) -> Transport:
        if not isinstance(section, MqttSettings):
            return section.transport(self._params.http)
        self.club = ClubTrays(section.base) if section.club else None
        return MqttLink(
            section,
            self._sender(),
            f"pushtray-{outbox.identity}",
            on_press=self._on_press,
            on_connected=self._broker_came,
            on_heard=None if self.club is None else self.club.hear,
            announcements=self._announcements,
            params=self._params.link,
        )

    def _broker_came(self) -> None:
        running = self._running.get(MQTT)
        if running is not None:
            running.worker.go_on()
        # Only now, after this tray's last messages to the old broker.
        for ghost in () if self._link is None else self._link.ghosts:
            self._withdraw(ghost)

    def _withdraw_all(self) -> None:
        """Withdraw what brokers retain of a tray that is on none, also if it left them in an earlier run."""
        try:
            if (self._announcements or Announcements(self._folder)).brokers:
                self._opened_outbox()
        except (OSError, sqlite3.Error) as error:
            _log.error("FAIL mqtt: what a broker retains of this tray stays there: %s", error)
        for ghost in () if self._announcements is None else self._announcements.brokers:
            self._withdraw(ghost)

    def _withdraw(self, ghost: Announced) -> None:
        outbox, announcements = self._outbox, self._announcements
        if outbox is None or announcements is None or ghost in self._withdrawals:
            return
        try:
            withdrawal = Withdrawal(ghost, f"pushtray-{outbox.identity}", self._withdrawn)
        except BadInput as error:
            _log.warning("mqtt: what %s keeps of this tray stays there: %s", ghost.settings.host, error)
            return
        self._withdrawals[ghost] = withdrawal
        withdrawal.start()

    def _withdrawn(self, ghost: Announced) -> None:
        if self._announcements is not None:
            self._announcements.withdrawn(ghost)
        if self._link is not None:
            self._link.publish_again()

    def _report(self, name: str) -> Body:
        section = self._sections[name]
        running = self._running.get(name)
        body: Body = {
            "name": name,
            "title": translate(f"integrations.{name}.title"),
            "about": translate(f"integrations.{name}.about"),
            "on": bool(section.address),
            "where": section.where,
            "connected": self._link.is_connected if name == MQTT and self._link is not None else None,
            "sent": 0,
            "last_sent": None,
            "waiting": 0,
            "refused": 0,
            "dropped": 0,
            "last_error": self._faults.get(name),
            "retry_in_s": None,
        }
        if name == MQTT:
            sender = self._sender()
            body |= {"tray": sender.body, "club": self.club is not None}
        if running is not None:
            report = running.worker.report()
            fault = self.broker_fault if name == MQTT else None
            body |= {
                "sent": report.sent,
                "last_sent": None if report.last_sent is None else report.last_sent.isoformat(timespec="seconds"),
                "waiting": report.waiting,
                "refused": report.refused,
                "dropped": report.dropped,
                "last_error": fault or report.last_error,
                "retry_in_s": None if report.retry_in_s is None else round(report.retry_in_s, 1),
            }
        return body


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
