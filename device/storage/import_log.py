"""Import a foreign roll log row by row into a new one, without using anything of its schema."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from device.errors import BadInput
from device.game.state.serialisation import UnknownState
from device.kept_files import sync_file
from device.storage.live_state import unpack_live
from device.storage.log_file import migrate_log
from device.storage.log_rows import COLUMNS, MAX_ID, BadRow, as_text, checked_row
from device.storage.schema import migrate, version_of
from device.storage.sheets import is_readable

_log = logging.getLogger(__name__)

_MAX_BYTES: Final = 4_000_000
"""The longest value that is read, far above any that the tray writes."""
_MAX_LETTERS: Final = 1000
_TABLES: Final = ("rolls", "live", "book", "evening_ends", "evening_names")
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG)
"""SQLite's error codes for a damaged page."""
_MAX_ROWS: Final = 1_000_000
_MAX_FAILURES: Final = 100_000
"""Failed reads after which the rest of a table is lost; a page that points to others fails once per row of theirs."""
_OWN: Final = f"SELECT {', '.join(COLUMNS)} FROM rolls ORDER BY id"  # noqa: S608 - no outside text


@dataclass(frozen=True, slots=True)
class Staged:
    """A checked copy of this program's version, ready next to the log."""

    path: Path
    rows: int
    first: str | None
    last: str | None
    left_out: int = 0


def import_log(reading: sqlite3.Connection, source: Path, target: Path) -> Staged:
    """Import a checked log into a new file of this program's version; on return it is on disk.

    The new file starts with this program's own tables of the log's version and takes the values that fit them.
    """
    reading.execute("PRAGMA trusted_schema = OFF")
    reading.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_BYTES)
    reading.text_factory = as_text
    tables = {name for (_, name, kind, *_) in reading.execute("PRAGMA main.table_list") if kind == "table"}
    target.unlink(missing_ok=True)
    target.touch()  # raises OSError if the folder cannot be written
    with closing(sqlite3.connect(target, isolation_level=None)) as writing:
        migrate(writing, upto=max(1, version_of(reading)))
        writing.execute("BEGIN")
        refused = 0
        for table in _TABLES:
            own = [name for (_, name, *_) in writing.execute(f"PRAGMA table_info({table})")]
            known = {name for (_, name, *_) in reading.execute(f"PRAGMA main.table_info({table})")}
            if own and table in tables and known.issuperset(own):
                refused += _take_over(reading, writing, table, own)
            elif table == "rolls":
                raise BadInput(f"{source} has no rolls as the tray writes them: name a file that pushtray backup wrote")
        writing.execute("COMMIT")
        migrate_log(writing, source, keep=False)
        left_out = refused + _leave_out(writing)
        rows, first, last = writing.execute("SELECT count(*), min(at), max(at) FROM rolls").fetchone()
    sync_file(target)
    return Staged(target, rows, first, last, left_out)


def _take_over(reading: sqlite3.Connection, writing: sqlite3.Connection, table: str, names: list[str]) -> int:
    """Copy the values of a table; return how many of its rows the new table refused."""
    columns, refused = ", ".join(names), 0
    insert = f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 - own names
    for found in _readable(reading, table, columns):
        try:
            writing.execute(insert, found)
        except (sqlite3.IntegrityError, sqlite3.DataError):
            refused += 1
    return refused


def _readable(reading: sqlite3.Connection, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table except those on damaged pages, found by halving the range of ids after each failure."""
    query = f"SELECT rowid, {columns} FROM main.{table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"  # noqa: S608 - own names
    spans, failures = [(0, _highest(reading, table))], 0
    while spans and failures < _MAX_FAILURES:
        first, last = spans.pop()
        try:
            for number, *found in reading.execute(query, (first, last)):
                first = number + 1
                yield tuple(found)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGE:
                raise
            failures += 1
            if first < last:
                middle = (first + last) // 2
                spans += [(middle + 1, last), (first, middle)]


def _highest(reading: sqlite3.Connection, table: str) -> int:
    for query, values in (
        (f"SELECT max(rowid) FROM main.{table}", ()),  # noqa: S608 - own names
        ("SELECT seq FROM main.sqlite_sequence WHERE name = ?", (table,)),
    ):
        with suppress(sqlite3.DatabaseError):
            found = reading.execute(query, values).fetchone()
            if found is not None:
                return int(found[0] or 0)
    return _MAX_ROWS


def _leave_out(log: sqlite3.Connection) -> int:
    """Delete invalid rows; return how many of them were rolls."""
    log.text_factory = as_text
    bad = []
    for found in log.execute(_OWN):
        try:
            checked_row(found)
        except BadRow:
            bad.append((found[0],))
    log.execute("BEGIN")
    log.executemany("DELETE FROM rolls WHERE id = ?", bad)
    for query, is_whole, delete in _REST:
        for found in log.execute(query).fetchall():
            if not is_whole(*found):
                _log.warning("a part of the copy cannot be understood and is left out")
                log.execute(delete, found[:1])
    log.execute("COMMIT")
    return len(bad)


def _is_state(_id: object, text: object) -> bool:
    with suppress(UnknownState):
        return isinstance(text, str) and unpack_live(text) is not None
    return False


def _is_mark(row: int, text: object) -> bool:
    return 0 < row <= MAX_ID and isinstance(text, str) and len(text) <= _MAX_LETTERS


_REST: Final = (
    ("SELECT id, state FROM live", _is_state, "DELETE FROM live WHERE id = ?"),
    ("SELECT name, body FROM book", is_readable, "DELETE FROM book WHERE name = ?"),
    ("SELECT after_row, at FROM evening_ends", _is_mark, "DELETE FROM evening_ends WHERE after_row = ?"),
    ("SELECT first_row, name FROM evening_names", _is_mark, "DELETE FROM evening_names WHERE first_row = ?"),
)
