"""Prints the time of a tray's statistics over many rolls: `many_evenings.py [--rolls 100000]`.

A small log's rows are copied with later times, an evening of 60 rolls each. Pages are requested over HTTP: first after
a start with an empty cache, then after one more roll, and whenever the log has grown by a roll.
"""

import argparse
import sqlite3
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.game.machine import step
from device.game.state.effects import Commit
from device.game.state.events import DiceSettled, ResetPressed
from device.game.state.states import Empty
from device.game.state.table_events import RollRequested
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.runtime.source import CameraSetup
from device.storage.log_file import FILE_NAME
from device.storage.rolls import RollLog
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import Dice

PATHS = ("/api/statistics", "/api/evenings", "/api/story?limit=50", "/history")
AN_EVENING = 60


def write_log(path: Path, rolls: int) -> None:
    """Write a log of that many rolls of four players, one evening a week."""
    with closing(RollLog(path)) as history:
        state: Tray = Tray(Empty(), Table("push-pool"))
        for owner in ("Ann", "Bo", "Cid", "Dee"):
            for event in (
                RollRequested(owner),
                DiceSettled(Dice.rest(*Dice.FIRST)),
                ResetPressed(),
                DiceSettled(Dice.rest()),
            ):
                state, commands = step(state, event)
                for command in commands:
                    if isinstance(command, Commit):
                        history.write(command.rows, state)
    with closing(sqlite3.connect(path)) as log, log:
        names = [column[1] for column in log.execute("PRAGMA table_info(rolls)") if column[1] != "id"]
        rows = log.execute(f"SELECT {', '.join(names)} FROM rolls ORDER BY id").fetchall()
        begun = datetime(2026, 1, 1, 19, tzinfo=UTC)

        def copied(number: int) -> tuple[object, ...]:
            at = begun + timedelta(weeks=number // AN_EVENING, minutes=number % AN_EVENING)
            row = dict(zip(names, rows[number % len(rows)], strict=True))
            return tuple({**row, "at": at.isoformat(timespec="milliseconds"), "roll": number + 1}.values())

        log.execute("DELETE FROM rolls")
        places = ", ".join("?" * len(names))
        log.executemany(f"INSERT INTO rolls ({', '.join(names)}) VALUES ({places})", map(copied, range(rolls)))


def took(url: str) -> float:
    """Return the seconds until a response."""
    began_s = time.perf_counter()
    httpx.get(url, timeout=600.0).raise_for_status()
    return time.perf_counter() - began_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rolls", type=int, default=100_000)
    rolls = parser.parse_args().rolls
    with tempfile.TemporaryDirectory() as folder:
        write_log(Path(folder) / FILE_NAME, rolls)
        settings = with_overrides(Settings(), camera="simulated", data=Path(folder), port=0)
        for start in ("first", "second"):
            app = TrayApp(settings, CameraSetup(StillCamera(), None, BlindWatch()))
            app.start()
            try:
                base = app.url.rstrip("/")
                took_s = took(base + PATHS[0])
                print(f"{rolls} rolls: the first page after the {start} start {took_s:.2f} s")
                for number, path in enumerate(PATHS if start == "second" else (), 1):
                    # At another place, so that they are not dice from before the start.
                    app.tray.ask(DiceSettled(Dice.rest(Dice.die(number, "base", number, (77.0 * number, 700.0)))))
                    app.tray.ask(ResetPressed())
                    app.tray.ask(DiceSettled(Dice.rest()))
                    took_s, again_s = took(base + path), took(base + path)
                    print(f"{path:<22} after one more roll {took_s:6.2f} s, again {again_s:6.2f} s")
            finally:
                app.stop()


if __name__ == "__main__":
    main()
