"""Lines for each change: their form, and readers that are slow or gone, or a disk that is full."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from device.game.machine import step
from device.game.snapshot import Snapshot, TrayMetadata, take_snapshot
from device.game.state.events import DiceSettled, MotionSeen, PushPressed, ResetPressed
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.recording.replay import Change
from device.runtime.state_lines import LineParams, StateLines
from tests.device.conftest import Dice, wait_until
from tests.narrowing import english

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
PATIENCE_S = 10.0
METADATA = TrayMetadata("simulated", None, {})
MakeLines = Callable[..., StateLines]
ReadAll = Callable[..., list[Any]]


@pytest.fixture
def pipe() -> Iterator[dict[str, int]]:
    ends = dict(zip(("read", "write"), os.pipe(), strict=True))
    yield ends
    for end in ends.values():
        os.close(end)


@pytest.fixture
def make_lines(pipe: dict[str, int]) -> Iterator[MakeLines]:
    made: list[StateLines] = []

    def make(
        descriptor: int | None = None,
        on_gone: Callable[[], None] = lambda: None,
        max_waiting: int = 256,
        last_s: float = PATIENCE_S,
    ) -> StateLines:
        params = LineParams(max_waiting=max_waiting, look_s=0.01, last_s=last_s)
        lines = StateLines(
            pipe["write"] if descriptor is None else descriptor, on_gone, clock=lambda: NOON, params=params
        )
        made.append(lines)
        return lines

    yield make
    for lines in made:
        lines.stop()


@pytest.fixture
def read_all(pipe: dict[str, int]) -> ReadAll:
    """Return what has been written, once the lines have stopped; it has to fit into the pipe."""

    def read(*, cut: bool = False) -> list[Any]:
        os.close(pipe.pop("write"))
        with os.fdopen(pipe.pop("read"), "rb") as stream:
            *lines, last = stream.read().decode("ascii").split("\n")
        assert cut or not last
        return [json.loads(line) for line in lines]

    return read


def snapshot(version: int, state: Tray) -> Snapshot:
    return take_snapshot(version, state, METADATA)


def many(count: int, text: str = "dice") -> list[Snapshot]:
    """Return snapshots with visible differences."""
    body: Any = snapshot(1, Tray(Empty(), Table("push-pool"))).body
    bodies: list[Any] = [{**body, "problems": [f"{text}{number}"]} for number in range(count)]
    return [Snapshot(number, one, one) for number, one in enumerate(bodies)]


def test_lines_are_those_of_a_replay_with_the_time(make_lines: MakeLines, read_all: ReadAll) -> None:
    """A hand over the dice, and dice that are picked up for the push, make no line."""
    state: Tray = Tray(Empty(), Table("push-pool"))
    states = [state]
    for event in (
        MotionSeen(),
        DiceSettled(Dice.rest(*Dice.FIRST)),
        MotionSeen(),
        DiceSettled(Dice.rest(*Dice.FIRST)),
        PushPressed(),
        DiceSettled(Dice.rest(*Dice.LEFT)),
        DiceSettled(Dice.rest(*Dice.THROWN)),
        ResetPressed(),
    ):
        state, _ = step(state, event)
        states.append(state)
    lines = make_lines()
    lines.start()
    for version, one in enumerate(states):
        lines.put(snapshot(version, one))
    lines.stop()
    reported = read_all()
    assert [line["state"] for line in reported] == ["empty", "rolling", "scored", "awaiting_push", "resolved", "empty"]
    for line, version in zip(reported, (0, 1, 2, 5, 7, 8), strict=True):
        wanted = Change(0, 0.0, states[version]).as_json()
        del wanted["frame"], wanted["t_s"]
        assert line == {"time": "2026-01-31T12:00:00.000+00:00", **json.loads(json.dumps(english(wanted)))}


def test_a_slow_reader_gets_the_newest_lines_and_what_it_missed_is_counted_once(
    make_lines: MakeLines, read_all: ReadAll, caplog: pytest.LogCaptureFixture
) -> None:
    lines = make_lines(max_waiting=4)
    for one in many(10):
        lines.put(one)
    lines.start()
    lines.stop()
    assert [line["problems"] for line in read_all()] == [["dice6"], ["dice7"], ["dice8"], ["dice9"]]
    assert [record.getMessage() for record in caplog.records] == [
        "6 lines of --json were dropped: their reader is too slow"
    ]


def test_what_a_slow_reader_missed_is_reported_as_soon_as_it_has_caught_up(
    make_lines: MakeLines, caplog: pytest.LogCaptureFixture
) -> None:
    lines = make_lines(max_waiting=1)
    for one in many(2):
        lines.put(one)
    lines.start()
    wait_until(lambda: bool(caplog.records))
    lines.put(many(3)[2])
    lines.stop()
    assert [record.getMessage() for record in caplog.records] == [
        "1 line of --json was dropped: their reader is too slow"
    ]


def test_a_reader_that_hangs_holds_up_neither_the_tray_nor_its_end(
    make_lines: MakeLines, read_all: ReadAll, caplog: pytest.LogCaptureFixture
) -> None:
    lines = make_lines(max_waiting=4, last_s=0.0)
    lines.start()
    for one in many(1000, "x" * 1000):
        lines.put(one)
    lines.stop()
    (reported,) = [record.getMessage() for record in caplog.records]
    whole = read_all(cut=True)
    assert reported == f"{1000 - len(whole)} lines of --json were dropped: their reader is too slow"


def test_a_line_that_no_pipe_holds_comes_whole(make_lines: MakeLines, pipe: dict[str, int]) -> None:
    lines = make_lines()
    lines.start()
    (one,) = many(1, "x" * 1_000_000)
    lines.put(one)
    with os.fdopen(pipe.pop("read"), "rb") as stream:
        assert json.loads(stream.readline())["problems"] == one.body["problems"]
    lines.stop()


def test_a_reader_that_goes_is_noticed_though_nothing_changes(make_lines: MakeLines, pipe: dict[str, int]) -> None:
    gone = threading.Event()
    lines = make_lines(on_gone=gone.set)
    lines.put(many(1)[0])
    lines.start()
    with os.fdopen(pipe.pop("read"), "rb") as stream:
        stream.readline()
        assert not gone.is_set()
    assert gone.wait(PATIENCE_S)
    for one in many(3):
        lines.put(one)
    lines.stop()


def test_a_full_disk_ends_the_lines_and_not_the_tray(make_lines: MakeLines, caplog: pytest.LogCaptureFixture) -> None:
    with open("/dev/full", "wb") as full:
        gone = threading.Event()
        lines = make_lines(full.fileno(), gone.set, max_waiting=4)
        lines.start()
        first, *others = many(10)
        lines.put(first)
        wait_until(lambda: lines.has_failed)
        for one in others:
            lines.put(one)
        lines.stop()
    assert not gone.is_set()
    assert [record.getMessage() for record in caplog.records] == [
        "lines of --json can no longer be written (No space left on device): "
        "make room on its drive, or send them elsewhere"
    ]
