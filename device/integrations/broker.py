"""The channel to an MQTT broker: it has the tray's state and the club, and withdraws what earlier settings left."""

import logging
import sqlite3
from datetime import datetime

from device.errors import BadInput
from device.game.snapshot import Snapshot
from device.integrations.announced import Announced
from device.integrations.channel import Channel, Shared
from device.integrations.club import ClubTrays
from device.integrations.delivery import Transport
from device.integrations.messages import Sender
from device.integrations.mqtt import MqttLink, Withdrawal
from device.integrations.outbox import Body, Outbox
from device.integrations.settings import MqttSettings
from device.texts.catalogue import LazyText

_log = logging.getLogger(__name__)


class BrokerChannel(Channel):
    section: MqttSettings

    def __init__(self, name: str, section: MqttSettings, shared: Shared) -> None:
        super().__init__(name, section, shared)
        self._link: MqttLink | None = None
        self._newest: Snapshot | None = None
        self._withdrawals: dict[Announced, Withdrawal] = {}
        self.club: ClubTrays | None = None
        """The trays of this tray's broker; None if it does not subscribe to them."""

    @property
    def sender(self) -> Sender:
        outbox = self._shared.outbox
        own = self.section.tray or ("tray" if outbox is None else f"tray-{outbox.identity}")
        return Sender(own, self.section.name or own, self._shared.language)

    @property
    def is_connected(self) -> bool | None:  # type: ignore[override]
        return None if self._link is None else self._link.is_connected

    @property
    def fault(self) -> LazyText | None:  # type: ignore[override]
        """Why the tray is not connected to its broker, or what that refuses; None if all is well."""
        return None if self._link is None else self._link.fault

    def start(self) -> None:
        """Connect, or withdraw what brokers retain of a tray that is on none."""
        if not self.section.address:
            self._withdraw_all()
        super().start()
        if self._link is not None:
            if self._newest is not None:
                self._link.show(self._newest)
            self._link.start()

    def stop(self) -> None:
        """Disconnect, and give up what is still to be withdrawn until the next start."""
        self._link = self.club = None
        super().stop()
        withdrawals, self._withdrawals = self._withdrawals, {}
        for withdrawal in withdrawals.values():
            withdrawal.stop()

    def show(self, snapshot: Snapshot) -> None:
        """Set the tray's newest state; returns at once. On the loop's thread."""
        self._newest = snapshot
        if self._link is not None:
            self._link.show(snapshot)

    def forget_roll(self, roll: int, since: datetime) -> None:
        """Withdraw a deleted roll from brokers. Any thread but the loop's."""
        is_last = self._shared.announcements.forget_roll(roll, since)
        if self._link is not None:
            self._link.forget_roll(roll, since, is_last=is_last)

    def report(self) -> Body:
        return super().report() | {"tray": self.sender.body, "club": self.club is not None}

    def _transport(self, outbox: Outbox) -> Transport:
        self.club = ClubTrays(self.section.base) if self.section.club else None
        self._link = MqttLink(
            self.section,
            self.sender,
            f"pushtray-{outbox.identity}",
            on_press=self._shared.on_press,
            on_connected=self._broker_came,
            on_heard=None if self.club is None else self.club.hear,
            announcements=self._shared.announcements,
            params=self._shared.params.link,
        )
        return self._link

    def _broker_came(self) -> None:
        if (running := self._running) is not None:
            running[1].go_on()
        # Only now, after this tray's last messages to the old broker.
        for ghost in () if self._link is None else self._link.ghosts:
            self._withdraw(ghost)

    def _withdraw_all(self) -> None:
        """Withdraw what brokers retain, also if this tray left it in an earlier run."""
        try:
            if self._shared.announcements.brokers:
                self._shared.opened()
        except (OSError, sqlite3.Error) as error:
            _log.error("FAIL mqtt: what a broker retains of this tray stays there: %s", error)
        for ghost in self._shared.announcements.brokers:
            self._withdraw(ghost)

    def _withdraw(self, ghost: Announced) -> None:
        outbox = self._shared.outbox
        if outbox is None or ghost in self._withdrawals:
            return
        try:
            withdrawal = Withdrawal(ghost, f"pushtray-{outbox.identity}", self._withdrawn)
        except BadInput as error:
            _log.warning("mqtt: what %s keeps of this tray stays there: %s", ghost.settings.host, error)
            return
        self._withdrawals[ghost] = withdrawal
        withdrawal.start()

    def _withdrawn(self, ghost: Announced) -> None:
        self._shared.announcements.withdrawn(ghost)
        if self._link is not None:
            self._link.publish_again()
