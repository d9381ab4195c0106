"""Shared by these tests: counterparts, and rows of a log."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from device.game.machine import step
from device.game.state.effects import Commit, LogRow
from device.game.state.events import DiceSettled, Event, PushPressed
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from tests.device.conftest import Dice
from tests.device.integrations.counterparts import OPEN, Broker, HttpCounterpart, Listener


@pytest.fixture
def server() -> Iterator[HttpCounterpart]:
    made = HttpCounterpart()
    yield made
    made.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """The test's own broker, which it may stop and restart."""
    folder = tmp_path / "broker"
    folder.mkdir()
    made = Broker(folder, OPEN)
    yield made
    made.stop()


@pytest.fixture
def listen() -> Iterator[Callable[..., Listener]]:
    made = []

    def listening(port: int, *topics: str) -> Listener:
        made.append(Listener(port, *topics))
        return made[-1]

    yield listening
    for one in made:
        one.close()


def commits_of(*events: Event) -> list[tuple[Commit, Tray]]:
    """Return what some events write, with the state of each."""
    state: Tray = Tray(Empty(), Table("push-pool"))
    commits: list[tuple[Commit, Tray]] = []
    for event in events:
        state, commands = step(state, event)
        commits += [(command, state) for command in commands if isinstance(command, Commit)]
    return commits


def rows_of(*events: Event) -> list[LogRow]:
    """Return the rows that some events of a roll leave in the log."""
    return [row for commit, _ in commits_of(*events) for row in commit.rows]


@pytest.fixture
def rows() -> list[LogRow]:
    """A first result, then a push."""
    return rows_of(
        DiceSettled(Dice.rest(*Dice.FIRST)),
        PushPressed(),
        DiceSettled(Dice.rest(*Dice.LEFT)),
        DiceSettled(Dice.rest(*Dice.THROWN)),
    )
