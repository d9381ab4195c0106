"""The worker: order, growing pauses, limited retries, and its state on a page."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue

import pytest

from device.integrations.delivery import Delivery, DeliveryParams, DeliveryWorker, Rejected, RetryLater, Sent
from device.integrations.outbox import FILE_NAME, Body, Outbox
from device.texts.catalogue import translate
from tests.device.conftest import wait_until

TAKEN = Sent(translate("tray.outside.confirmed", host="there"))
DOWN = RetryLater(translate("tray.outside.no_broker_yet", host="there"))
FAILS = RetryLater(translate("tray.outside.fails", host="there", status=500), is_answer=True)
REFUSED = Rejected(translate("tray.outside.refuses", host="there", status=404))
SOON = DeliveryParams(pause_first_s=0.001, max_pause_s=0.002, max_tries=4)


class Script:
    """A transport that answers as told, by default with `TAKEN`; it records what it was given."""

    def __init__(self, *answers: Delivery) -> None:
        self.answers = list(answers)
        self.given: Queue[object] = Queue()

    def send(self, body: Body) -> Delivery:
        self.given.put(body["number"])
        return self.answers.pop(0) if self.answers else TAKEN

    def send_test(self, body: Body) -> Delivery:
        return self.send(body)

    def close(self) -> None:
        return


@pytest.fixture
def outbox(tmp_path: Path) -> Iterator[Outbox]:
    made = Outbox(tmp_path / FILE_NAME)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def carry(outbox: Outbox) -> Iterator[Callable[..., DeliveryWorker]]:
    made: list[DeliveryWorker] = []

    def carrying(script: Script, params: DeliveryParams = SOON) -> DeliveryWorker:
        made.append(DeliveryWorker("webhook", outbox, script, params))
        made[-1].start()
        return made[-1]

    yield carrying
    for one in made:
        one.stop()


def put(outbox: Outbox, *numbers: int) -> None:
    for number in numbers:
        outbox.put(("webhook",), lambda number=number: {"number": number})  # type: ignore[misc]
    assert outbox.flush()


def taken(script: Script, count: int) -> list[object]:
    return [script.given.get(timeout=20) for _ in range(count)]


def test_messages_go_out_in_order_and_one_that_fails_is_sent_before_the_next(
    outbox: Outbox, carry: Callable[..., DeliveryWorker]
) -> None:
    script = Script(TAKEN, DOWN, DOWN, TAKEN, TAKEN)
    worker = carry(script)
    put(outbox, 1, 2, 3)
    assert taken(script, 5) == [1, 2, 2, 2, 3]
    wait_until(lambda: worker.report().sent == 3)
    report = worker.report()
    assert (report.waiting, report.refused, report.last_error, report.retry_in_s) == (0, 0, None, None)
    assert report.last_sent is not None


def test_what_is_refused_is_not_sent_again(outbox: Outbox, carry: Callable[..., DeliveryWorker]) -> None:
    script = Script(REFUSED, REFUSED)
    worker = carry(script)
    put(outbox, 1, 2)
    assert taken(script, 2) == [1, 2]
    wait_until(lambda: worker.report().refused == 2)
    assert (worker.report().last_error, worker.report().waiting) == (REFUSED.text, 0)


def test_a_message_at_which_the_other_side_fails_is_given_up_so_that_others_come_through(
    outbox: Outbox, carry: Callable[..., DeliveryWorker]
) -> None:
    script = Script(*[FAILS] * SOON.max_tries)
    worker = carry(script)
    put(outbox, 1, 2)
    assert taken(script, SOON.max_tries + 1) == [1] * SOON.max_tries + [2]
    wait_until(lambda: worker.report().sent == 1)
    assert worker.report().refused == 1


def test_a_message_is_kept_for_as_long_as_no_receiver_is_reached(
    outbox: Outbox, carry: Callable[..., DeliveryWorker]
) -> None:
    script = Script(*[DOWN] * (3 * SOON.max_tries))
    carry(script)
    put(outbox, 1)
    assert taken(script, 3 * SOON.max_tries + 1) == [1] * (3 * SOON.max_tries + 1)


def test_pauses_double_up_to_the_longest_and_a_longer_one_that_was_asked_for_is_kept(
    outbox: Outbox, carry: Callable[..., DeliveryWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: Queue[float] = Queue()
    monkeypatch.setattr(DeliveryWorker, "_pause", lambda _self, longest_s: paused.put(longest_s))
    pause = RetryLater(DOWN.text, after_s=9.0)
    script = Script(DOWN, DOWN, DOWN, pause, DOWN, TAKEN, DOWN)
    carry(script, DeliveryParams(pause_first_s=1.0, max_pause_s=5.0))
    put(outbox, 1, 2)
    assert [paused.get(timeout=20) for _ in range(6)] == [1.0, 2.0, 4.0, 9.0, 5.0, 1.0]


def test_a_pause_ends_when_the_other_side_comes_back(outbox: Outbox, carry: Callable[..., DeliveryWorker]) -> None:
    script = Script(DOWN)
    worker = carry(script, DeliveryParams(pause_first_s=3600.0, max_pause_s=3600.0))
    put(outbox, 1)
    assert taken(script, 1) == [1]
    again = threading.Event()

    def press() -> None:
        while not again.wait(0.01):
            worker.go_on()

    pressing = threading.Thread(target=press)
    pressing.start()
    assert taken(script, 1) == [1]
    again.set()
    pressing.join()


def test_old_messages_are_dropped_unsent(outbox: Outbox, carry: Callable[..., DeliveryWorker]) -> None:
    put(outbox, 1)
    script = Script()
    outbox._uptime_s = lambda: time.monotonic() + SOON.oldest_s + 1.0
    outbox._clock_s = lambda: time.time() + SOON.oldest_s + 1.0
    worker = carry(script)
    wait_until(lambda: worker.report().dropped == 1)
    assert script.given.empty()
    assert worker.report().waiting == 0


@pytest.mark.parametrize("days", [3.0, -3.0])
def test_what_waits_while_the_clock_is_set_by_days_is_sent(
    outbox: Outbox, carry: Callable[..., DeliveryWorker], days: float
) -> None:
    put(outbox, 1)
    outbox._clock_s = lambda: time.time() + days * 86_400.0
    put(outbox, 2)
    script = Script()
    carry(script)
    assert taken(script, 2) == [1, 2]


def test_a_worker_that_is_stopped_leaves_what_waits(outbox: Outbox, carry: Callable[..., DeliveryWorker]) -> None:
    script = Script(DOWN)
    worker = carry(script, DeliveryParams(pause_first_s=3600.0, max_pause_s=3600.0))
    put(outbox, 1, 2)
    assert taken(script, 1) == [1]
    worker.stop()
    assert outbox.waiting("webhook") == 2
    put(outbox, 3)
    assert script.given.empty()
    assert outbox._listeners == ()
