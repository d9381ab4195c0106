"""The table's marks on its evenings, and deletion of rows. Short writes next to the loop's own.

The start of an evening is computed from the rows' times on reading (`device/archive`), since a computer without a clock
corrects timestamps later. Stored here is only what people enter: that an evening has ended, and its name.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from device.errors import DeviceError
from device.storage.log_file import connect_to_read, log_refused
from device.storage.log_rows import now_utc

_INSTEAD = "start the tray with another --data folder"
_WAIT_S = 2.0
"""How long a write waits for the loop's write, in seconds."""


ForgottenRow: TypeAlias = dict[str, Any]
"""A deleted row: its values by column, as in the log."""


@dataclass(frozen=True, slots=True)
class SessionMarks:
    ends: frozenset[int]
    names: Mapping[int, str]


def evening_marks(path: Path) -> SessionMarks:
    """Return the marks; a log of an older version has none. Needs no write access."""
    with reading(path) as log:
        if log.execute("SELECT 1 FROM sqlite_master WHERE name = 'evening_ends'").fetchone() is None:
            return SessionMarks(frozenset(), {})
        ends = frozenset(row for (row,) in log.execute("SELECT after_row FROM evening_ends"))
        return SessionMarks(ends, dict(log.execute("SELECT first_row, name FROM evening_names").fetchall()))


def end_evening(path: Path) -> int | None:
    """Start a new evening with the next roll; return the last row of the one that ends, None if there is no roll."""
    with changing(path) as log:
        last: int | None = log.execute("SELECT max(id) FROM rolls").fetchone()[0]
        if last is not None:
            at = now_utc().isoformat(timespec="milliseconds")
            log.execute("INSERT OR IGNORE INTO evening_ends (after_row, at) VALUES (?, ?)", (last, at))
        return last


def go_on_with_evening(path: Path, last: int) -> None:
    with changing(path) as log:
        log.execute("DELETE FROM evening_ends WHERE after_row = ?", (last,))


def name_evening(path: Path, first_row: int, name: str) -> None:
    """Name an evening; an empty name removes the name."""
    with changing(path) as log:
        log.execute("DELETE FROM evening_names WHERE first_row = ?", (first_row,))
        if name:
            log.execute("INSERT INTO evening_names (first_row, name) VALUES (?, ?)", (first_row, name))


def forget_rows(path: Path, rows: Collection[int]) -> list[ForgottenRow]:
    with changing(path) as log:
        log.row_factory = sqlite3.Row
        found = [log.execute("DELETE FROM rolls WHERE id = ? RETURNING *", (row,)).fetchall() for row in rows]
        return [dict(row) for one in found for row in one]


def write_rows(path: Path, rows: Collection[ForgottenRow]) -> None:
    """Restore deleted rows."""
    with changing(path) as log:
        for row in rows:
            marks = ", ".join("?" * len(row))
            log.execute(f"INSERT INTO rolls ({', '.join(row)}) VALUES ({marks})", (*row.values(),))  # noqa: S608 - columns of the log


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(connect_to_read(path)) as log:
            yield log
    except sqlite3.Error as error:
        raise DeviceError(str(log_refused(path, error, _INSTEAD))) from error


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a transaction that is committed to disk when the block ends, or rolled back if it raises."""
    try:
        address = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S, isolation_level=None)) as log:
            log.execute("PRAGMA synchronous = FULL")
            log.execute("PRAGMA secure_delete = ON")
            log.execute("BEGIN IMMEDIATE")
            yield log
            log.execute("COMMIT")
    except sqlite3.Error as error:
        raise DeviceError(str(log_refused(path, error, _INSTEAD))) from error
