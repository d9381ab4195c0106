"""An evening at a table that is played into a log, and made-up rows of one."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from device.game.machine import step
from device.game.state.effects import Commit
from device.game.state.events import Event
from device.game.state.states import Empty
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.storage.log_file import FILE_NAME
from device.storage.log_rows import COLUMNS
from device.storage.rolls import RollLog

BEGUN = datetime(2026, 1, 30, 19, 0, tzinfo=UTC)


class Evening:
    """A log that is played into, with a clock set by the test."""

    def __init__(self, path: Path) -> None:
        self.now = BEGUN
        self.history = RollLog(path, clock=lambda: self.now)
        self.state: Tray = Tray(Empty(), Table("push-pool", context={"attribute": 3}))

    def play(self, *events: Event, after: timedelta = timedelta(minutes=5)) -> None:
        self.now += after
        for event in events:
            self.state, commands = step(self.state, event)
            for command in commands:
                if isinstance(command, Commit):
                    self.history.write(command.rows, self.state, command.shown)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    played = Evening(tmp_path / "data" / FILE_NAME)
    yield played
    played.history.close()


@pytest.fixture
def row() -> Callable[..., dict[str, Any]]:
    """Return a row of the log as `RollLog` returns it."""

    def made(number: int, roll: int = 1, kind: str = "scored", **more: Any) -> dict[str, Any]:
        dice = more.pop("dice", [{"id": 1, "colour": "base", "role": "base", "value": 4}])
        success = more.pop("success", False)
        headline = {"value": int(success), "word": "successes"}
        outcome = {"headline": headline, "success": success, "must_reroll": more.pop("must_reroll", [])}
        return (
            dict[str, Any].fromkeys(COLUMNS)
            | {
                "id": number,
                "at": (BEGUN + timedelta(minutes=number)).isoformat(timespec="milliseconds"),
                "kind": kind,
                "roll": roll,
                "system": "push-pool",
                "context": {},
                "dice": dice,
                "outcome": outcome,
                "odds": {"p_success": "1/2"},
            }
            | more
        )

    return made
