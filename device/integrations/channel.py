"""A channel to another program: it is on if its settings name an address, and says how that goes."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from device.errors import BadInput
from device.integrations.announced import Announcements
from device.integrations.delivery import ChannelReport, DeliveryParams, DeliveryWorker, Sent, Transport
from device.integrations.http import HttpParams
from device.integrations.mqtt import LinkParams
from device.integrations.outbox import FILE_NAME, Body, Outbox
from device.integrations.sections import Section
from device.texts.catalogue import LazyText, translate

_log = logging.getLogger(__name__)

OnPress: TypeAlias = Callable[[str], None]
"""Carries out `push` or `reset`; returns within a few seconds."""


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


class Shared:
    """What all channels share; the files do not exist before a channel is on."""

    def __init__(self, folder: Path, language: str, on_press: OnPress | None, params: IntegrationParams) -> None:
        self._folder = folder
        self.language = language
        self.on_press = on_press
        self.params = params
        self.outbox: Outbox | None = None
        self.announcements = Announcements(folder)

    def opened(self) -> Outbox:
        if self.outbox is None:
            self.outbox = Outbox(self._folder / FILE_NAME)
            self.outbox.start()
            if self.outbox.is_copy:
                self.announcements.clear()
        return self.outbox


class Channel:
    """Sends over HTTP as its section says, unless a kind of its own sends otherwise."""

    is_connected: bool | None = None
    """Whether the connection is up; None for a channel that keeps none."""
    fault: LazyText | None = None
    """Why there is no connection; None if all is well."""

    def __init__(self, name: str, section: Any, shared: Shared) -> None:
        self._name = name
        self.section = section
        self._shared = shared
        self._error: LazyText | str | None = None
        self._running: tuple[Transport, DeliveryWorker] | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def start(self) -> None:
        """Start sending if the channel is on. Returns soon, even if another side does not answer."""
        if not self.section.address:
            return
        try:
            outbox = self._shared.opened()
            carrier = self._transport(outbox)
        except (OSError, sqlite3.Error, BadInput) as error:
            self._error = (
                str(error) if isinstance(error, BadInput) else translate("tray.outside.no_outbox_read", why=str(error))
            )
            _log.error("FAIL %s: %s", self._name, self._error)
            return
        self._running = carrier, DeliveryWorker(self._name, outbox, carrier, self._shared.params.worker)
        self._running[1].start()

    def stop(self) -> None:
        """Stop sending; pending messages stay in the outbox. Safe to call twice."""
        running, self._running = self._running, None
        if running is not None:
            running[1].stop()

    def change(self, section: Section) -> None:
        """Apply other settings. Messages for the old address are not sent to the new one."""
        before, self.section = self.section, section
        self.stop()
        if self._shared.outbox is not None and before.address != section.address:
            self._shared.outbox.clear(self._name)
        self._error = None
        self.start()

    def send_test(self, message: Body) -> Tried:
        """Send a message marked as a test, and wait some seconds for the result."""
        if self._running is None:
            return Tried(ok=False, text=translate("tray.outside.off"))
        carrier, worker = self._running
        tried = carrier.send_test(message)
        if isinstance(tried, Sent):
            worker.go_on()
        return Tried(isinstance(tried, Sent), tried.text)

    def report(self) -> Body:
        report = ChannelReport(last_error=self._error) if self._running is None else self._running[1].report()
        return {
            "name": self._name,
            "title": translate(f"integrations.{self._name}.title"),
            "about": translate(f"integrations.{self._name}.about"),
            "on": bool(self.section.address),
            "where": self.section.where,
            "connected": self.is_connected,
            "sent": report.sent,
            "last_sent": report.last_sent and report.last_sent.isoformat(timespec="seconds"),
            "waiting": report.waiting,
            "refused": report.refused,
            "dropped": report.dropped,
            "last_error": self.fault or report.last_error,
            "retry_in_s": report.retry_in_s and round(report.retry_in_s, 1),
        }

    def _transport(self, _outbox: Outbox) -> Transport:
        transport: Transport = self.section.transport(self._shared.params.http)
        return transport
