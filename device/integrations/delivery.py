"""Deliver the messages of one channel from the outbox, on a separate thread, with growing pauses after failures."""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

from device.backoff import Backoff
from device.integrations.outbox import Body, Outbox, Waiting
from device.texts.catalogue import LazyText, translate

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sent:
    text: LazyText


@dataclass(frozen=True, slots=True)
class RetryLater:
    """The message could not be sent now and will be retried."""

    text: LazyText
    after_s: float = 0.0  # least wait before the next try, in seconds, if the other side asked for one
    # Whether the other side was reached and failed at this message. Such attempts are limited by
    # `DeliveryParams.max_tries`.
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """The other side refuses this message and always would."""

    text: LazyText


Delivery: TypeAlias = Sent | RetryLater | Rejected


class Transport(Protocol):
    """A channel's transport. Used by one thread at a time, except `close`."""

    def send(self, body: Body) -> Delivery:
        """Send a message; returns within a bounded time, whatever the other side does."""
        ...

    def send_test(self, body: Body) -> Delivery:
        """Send a test, independently of other deliveries. Any thread."""
        ...

    def close(self) -> None:
        """Abort what is in progress, if possible. Any thread; safe to call twice."""
        ...


@dataclass(frozen=True, slots=True)
class DeliveryParams:
    pause_first_s: float = 1.0  # pause after a failed try; doubles each time
    max_pause_s: float = 300.0  # longest pause after a failed try, in seconds
    # number of tries for a message that the other side answers with an error of its own; with these pauses they take a
    # quarter of an hour
    max_tries: int = 10
    oldest_s: float = 86_400.0  # age above which messages are dropped, in seconds: last week's rolls are of no interest
    look_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ChannelReport:
    sent: int = 0
    last_sent: datetime | None = None
    waiting: int = 0
    refused: int = 0
    dropped: int = 0
    last_error: LazyText | str | None = None
    retry_in_s: float | None = None  # seconds until the next try; None if nothing failed


class DeliveryWorker:
    """Sends a channel's messages one after another, oldest first."""

    def __init__(
        self,
        channel: str,
        outbox: Outbox,
        carrier: Transport,
        params: DeliveryParams | None = None,
        *,
        clock_s: Callable[[], float] = time.time,
    ) -> None:
        self._channel = channel
        self._outbox = outbox
        self._carrier = carrier
        self._params = params or DeliveryParams()
        self._clock_s = clock_s
        self._news = threading.Condition()
        self._has_news = False
        self._goes_on = False
        self._stopping = False
        self._next_s: float | None = None
        self._sent = self._refused = self._old = 0
        self._last_sent: datetime | None = None
        self._last_error: LazyText | None = None
        self._thread = threading.Thread(target=self._run, name=channel, daemon=True)
        self._hears_no_more = outbox.listen(self._wake)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop sending; pending messages wait for the next start. Safe to call twice, and before `start`."""
        with self._news:
            self._stopping = True
            self._news.notify_all()
        self._hears_no_more()
        self._carrier.close()
        if self._thread.is_alive():
            self._thread.join(timeout=1.5)

    def go_on(self) -> None:
        """Retry at once, because the other side is back. Any thread; returns at once."""
        with self._news:
            self._goes_on = True
            self._news.notify_all()

    def report(self) -> ChannelReport:
        """Return the channel's status. Any thread."""
        waiting = 0 if self._stopping else self._outbox.waiting(self._channel)
        with self._news:
            left_s = None if self._next_s is None else max(0.0, self._next_s - time.monotonic())
            return ChannelReport(
                self._sent,
                self._last_sent,
                waiting,
                self._refused,
                self._outbox.dropped(self._channel) + self._old,
                self._last_error or self._outbox.fault,
                left_s,
            )

    def _wake(self) -> None:
        with self._news:
            self._has_news = True
            self._news.notify_all()

    def _run(self) -> None:
        pauses, tries, last = Backoff(self._params.pause_first_s, self._params.max_pause_s), 0, 0
        while not self._stopping:
            self._has_news = self._goes_on = False
            try:
                message = self._first()
                if message is None:
                    self._wait(self._params.look_s, lambda: self._has_news)
                    continue
                delivery = self._carrier.send(message.body)
                if self._stopping and isinstance(delivery, RetryLater):
                    return
                tries = 1 if message.id != last else tries + (isinstance(delivery, RetryLater) and delivery.is_answer)
                last = message.id
                if isinstance(delivery, RetryLater) and tries < self._params.max_tries:
                    self._failed(delivery.text)
                    self._pause(max(pauses.pause_s, delivery.after_s))
                    pauses.grow()
                    continue
                self._outbox.remove(message.id)
                self._count(delivery)
                pauses.reset()
            except sqlite3.Error as error:
                if self._stopping:
                    return  # the outbox is closed
                self._failed(translate("tray.outside.no_outbox_read", why=str(error)))
                self._pause(self._params.look_s)

    def _first(self) -> Waiting | None:
        """Return the next message to send; drop those that are too old."""
        while (message := self._outbox.first(self._channel)) is not None:
            if message.age_s <= self._params.oldest_s:
                return message
            self._outbox.remove(message.id)
            with self._news:
                self._old += 1
        return None

    def _count(self, delivery: Delivery) -> None:
        if not isinstance(delivery, Sent):
            self._failed(delivery.text)
        with self._news:
            if isinstance(delivery, Sent):
                if self._last_error is not None:
                    _log.info("%s works again", self._channel)
                self._sent += 1
                self._last_sent = datetime.fromtimestamp(self._clock_s(), UTC)
                self._last_error = None
            else:
                self._refused += 1

    def _failed(self, text: LazyText) -> None:
        with self._news:
            is_news, self._last_error = text != self._last_error, text
        if is_news:
            _log.warning("%s: %s", self._channel, text)

    def _pause(self, longest_s: float) -> None:
        with self._news:
            self._next_s = time.monotonic() + longest_s
        self._wait(longest_s, lambda: self._goes_on)
        with self._news:
            self._next_s = None

    def _wait(self, longest_s: float, is_over: Callable[[], bool]) -> None:
        with self._news:
            self._news.wait_for(lambda: self._stopping or is_over(), longest_s)
