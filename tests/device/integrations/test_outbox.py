"""The outbox: in order, bounded, restored after a restart, and never blocking."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from device.integrations.outbox import FILE_NAME, Body, Outbox, OutboxParams
from tests.device.conftest import wait_until


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Outbox]]:
    made: list[Outbox] = []

    def outbox(params: OutboxParams | None = None) -> Outbox:
        made.append(Outbox(tmp_path / FILE_NAME, params))
        made[-1].start()
        return made[-1]

    yield outbox
    for one in made:
        one.stop()


def numbered(number: int) -> Callable[[], Body]:
    return lambda: {"number": number}


def numbers_in(outbox: Outbox, channel: str) -> list[object]:
    """Return what waits, taken out in order."""
    found: list[object] = []
    while (message := outbox.first(channel)) is not None:
        found.append(message.body["number"])
        outbox.remove(message.id)
    return found


def test_each_channel_has_its_messages_in_order(make: Callable[..., Outbox]) -> None:
    outbox = make()
    outbox.put(("webhook", "mqtt"), numbered(1))
    outbox.put(("mqtt",), numbered(2))
    assert outbox.flush()
    assert (outbox.waiting("webhook"), outbox.waiting("mqtt"), outbox.waiting("discord")) == (1, 2, 0)
    assert numbers_in(outbox, "mqtt") == [1, 2]
    assert numbers_in(outbox, "webhook") == [1]
    outbox.put(("webhook", "mqtt"), numbered(3))
    assert outbox.flush()
    outbox.clear("mqtt")
    assert (numbers_in(outbox, "webhook"), numbers_in(outbox, "mqtt")) == ([3], [])


def test_what_waits_outlives_the_program_and_so_does_the_trays_identity(make: Callable[..., Outbox]) -> None:
    first = make()
    first.put(("webhook",), numbered(1))
    first.stop()
    first.put(("webhook",), numbered(2))
    second = make()
    assert numbers_in(second, "webhook") == [1], "what comes after the stop is not kept"
    assert second.identity == first.identity
    assert len(first.identity) == 6


def test_the_oldest_are_dropped_where_too_many_wait(make: Callable[..., Outbox]) -> None:
    outbox = make(OutboxParams(most=3))
    for number in range(5):
        outbox.put(("webhook",), numbered(number))
    outbox.put(("mqtt",), numbered(9))
    assert outbox.flush()
    assert (outbox.dropped("webhook"), outbox.dropped("mqtt")) == (2, 0)
    assert numbers_in(outbox, "webhook") == [2, 3, 4]


def test_a_caller_does_not_wait_for_a_disk_that_hangs(make: Callable[..., Outbox]) -> None:
    outbox = make(OutboxParams(max_unwritten=3))
    hangs, goes_on = threading.Event(), threading.Event()

    def slow() -> Body:
        hangs.set()
        goes_on.wait(20)
        return {"number": 0}

    outbox.put(("webhook",), slow)
    assert hangs.wait(20)
    for number in range(1, 6):
        outbox.put(("webhook",), numbered(number))
    assert not goes_on.is_set(), "all were taken while the first was still being written"
    goes_on.set()
    assert outbox.flush()
    assert numbers_in(outbox, "webhook") == [0, 3, 4, 5]
    assert outbox.dropped("webhook") == 2


def test_a_write_that_fails_is_reported_and_tried_again(make: Callable[..., Outbox], tmp_path: Path) -> None:
    outbox = make(OutboxParams(retry_first_s=0.01, max_retry_s=0.02))
    with sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
        outbox.put(("webhook",), numbered(1))
        wait_until(lambda: outbox.fault is not None)
        assert "disk is full" in str(outbox.fault)
        outbox.put(("webhook",), numbered(2))
        other.execute("DROP TRIGGER full")
    other.close()
    assert outbox.flush()
    assert outbox.fault is None
    assert numbers_in(outbox, "webhook") == [1, 2]


@pytest.mark.parametrize("content", [b"my diary, not a database at all", b""])
def test_a_file_that_is_none_of_ours_is_kept_aside(
    make: Callable[..., Outbox], tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    outbox = make()
    outbox.put(("webhook",), numbered(1))
    assert outbox.flush()
    assert numbers_in(outbox, "webhook") == [1]
    aside = tmp_path / f"{FILE_NAME}.damaged"
    assert (aside.read_bytes() if aside.exists() else b"") == content
    assert ("could not be read" in caplog.text) == bool(content)


def test_a_database_of_another_program_is_not_written_to(make: Callable[..., Outbox], tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
        other.execute("INSERT INTO recipes VALUES ('soup')")
    other.close()
    make().put(("webhook",), numbered(1))
    with sqlite3.connect(tmp_path / f"{FILE_NAME}.damaged") as kept:
        assert kept.execute("SELECT name FROM recipes").fetchall() == [("soup",)]
    kept.close()


def test_messages_keep_their_age_whatever_is_done_to_the_clock(tmp_path: Path) -> None:
    wall_s, up_s = 1e9, 50.0

    def opened() -> Outbox:
        made = Outbox(tmp_path / FILE_NAME, clock_s=lambda: wall_s, uptime_s=lambda: up_s)
        made.start()
        return made

    def age_s(outbox: Outbox) -> float:
        message = outbox.first("webhook")
        assert message is not None
        return message.age_s

    outbox = opened()
    outbox.put(("webhook",), numbered(1))
    assert outbox.flush()
    for step_s in (3e5, -6e5, 1e8):  # set by days, back, from the year that a Pi starts with
        wall_s, up_s = wall_s + 10.0 + step_s, up_s + 10.0
    assert age_s(outbox) == pytest.approx(30.0)
    wall_s += 3e5
    outbox.stop()
    wall_s, up_s = wall_s + 100.0, 20.0  # the machine was restarted
    again = opened()
    assert age_s(again) == pytest.approx(130.0)
    again.stop()
