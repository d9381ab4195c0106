"""Import a foreign or damaged roll log row by row into a new one, without using anything of its schema.

Its statements are never run or even needed: a private copy gets this program's own tables in their place, so no CHECK,
trigger, view, collation or column name of the file has an effect, and damage to their text costs nothing.
"""

import logging
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

from device.errors import BadInput
from device.kept_files import sync_file
from device.storage.live_state import unpack_live
from device.storage.log_file import (
    COMPANION_ENDINGS,
    FILE_NAME,
    DamagedLog,
    as_text,
    check_header,
    connect_to_read,
    migrate_log,
)
from device.storage.log_rows import COLUMNS, MAX_ID, BadRow, checked_row
from device.storage.schema import OwnTable, migrate, newest_version, own_tables, version_of
from device.storage.serialisation import UnknownState
from device.storage.sheets import is_readable

_log = logging.getLogger(__name__)

IMPORTING: Final = ".import-"
"""First letters of the folder of a private copy; an import that is killed leaves it behind."""
_MAX_BYTES: Final = 4_000_000
"""The longest value that is read, far above any that the tray writes."""
_MAX_LETTERS: Final = 1000
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG)
"""SQLite's error codes for a damaged page."""
_MAX_ROWS: Final = 1_000_000
"""Row ids that are tried where a damaged file does not say how many it had."""
_MAX_PADDING: Final = 2**30
"""The most that is assumed to be cut off; a larger gap means a damaged header."""
_MIN_LIKENESS: Final = 0.8
"""Smallest likeness, 0-1, of a table's statement to the program's own for a table whose name is damaged."""
_NO_STATEMENTS: Final = b"\x0d" + bytes(7)
"""Header of an empty page of a table (SQLite's file format, 1.6)."""
_MAX_FAILURES: Final = 20_000
"""Failed reads after which the rest of a table is lost; a page that points to others fails once per row of theirs."""
_MAX_BLIND_FAILURES: Final = 2000
"""The same where the file does not say how many rows it had."""
_OWN: Final = f"SELECT {', '.join(COLUMNS)} FROM rolls ORDER BY id"  # noqa: S608 - no outside text


@dataclass(frozen=True, slots=True)
class Staged:
    """A checked copy of this program's version, ready next to the log."""

    path: Path
    rows: int
    first: str | None
    last: str | None
    left_out: int = 0


def import_log(source: Path, target: Path, *, needs_rolls: bool = False) -> Staged:
    """Import a log into a new file of this program's version; on return it is on disk.

    The new file starts with this program's own tables of the log's version and takes the values that fit them.

    Args:
        needs_rolls: Refuse a file that has rolls, none of which can be read.

    Raises:
        BadInput: The file is not a log, of a newer version, or has no rolls.
        sqlite3.Error: SQLite cannot open it.
    """
    target.unlink(missing_ok=True)
    target.touch()  # raises OSError if the folder cannot be written
    with (
        _private_copy(source, target.parent) as copy,
        closing(sqlite3.connect(target, isolation_level=None)) as writing,
    ):
        version, found = _put_own_tables(copy, source)
        writing.text_factory = as_text
        migrate(writing, upto=version)
        writing.execute("BEGIN")
        lost = 0
        with closing(sqlite3.connect(copy)) as reading:
            reading.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_BYTES)
            reading.text_factory = as_text
            for table in found:
                if not table.name.startswith("sqlite_"):
                    lost += _take_over(reading, writing, table)
        writing.execute("COMMIT")
        migrate_log(writing, source, keep=False)
        left_out = lost + _leave_out(writing)
        rows, first, last = writing.execute("SELECT count(*), min(at), max(at) FROM rolls").fetchone()
    if needs_rolls and left_out and not rows:
        raise _no_rolls(source)
    sync_file(target)
    return Staged(target, rows, first, last, left_out)


@contextmanager
def _private_copy(source: Path, folder: Path) -> Iterator[Path]:
    """Copy a log and what is in its companion files, page by page if SQLite can open it, otherwise byte by byte."""
    with tempfile.TemporaryDirectory(prefix=IMPORTING, suffix=".new", dir=folder) as place:
        copy = Path(place) / FILE_NAME
        try:
            with closing(connect_to_read(source)) as reading, closing(sqlite3.connect(copy)) as writing:
                reading.backup(writing)
        except (sqlite3.DatabaseError, DamagedLog) as error:
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            _copy_padded(source, copy)
        yield copy


def _copy_padded(source: Path, copy: Path) -> None:
    """Copy a file and its companion files, padded to the page count in its header: SQLite refuses a truncated file."""
    for end in ("", *COMPANION_ENDINGS):
        copy.with_name(copy.name + end).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            shutil.copyfile(source.with_name(source.name + end), copy.with_name(copy.name + end))
    with copy.open("r+b") as file:
        head = file.read(100)
        # page size and number of pages (SQLite's file format, 1.3.2 and 1.3.8)
        size = int.from_bytes(head[16:18], "big") * int.from_bytes(head[28:32], "big")
        length = copy.stat().st_size
        if length < size <= length + _MAX_PADDING:
            file.truncate(size)


def _put_own_tables(copy: Path, source: Path) -> tuple[int, list[OwnTable]]:
    """Replace the statements in a private copy by the program's own; return the log's version and the tables found."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as database:
        database.text_factory = as_text
        database.execute("PRAGMA writable_schema = ON")  # SQLite then opens a file whose statements are damaged
        check_header(database, source)
        database.execute("PRAGMA journal_mode = DELETE")
        try:
            stored = database.execute("SELECT name, sql, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
        except sqlite3.DatabaseError:
            stored = None
        version = max(1, version_of(database) if stored is not None else _version(database))
    pages = _pages(own_tables(version), stored)
    if not any(table.name == "rolls" for table in pages):
        raise _no_rolls(source)
    with copy.open("r+b") as file:
        size = int.from_bytes(file.read(18)[16:], "big")
        file.seek(100)
        file.write(_NO_STATEMENTS[:5] + (size & 0xFFFF).to_bytes(2, "big") + b"\0")
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.executemany(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, ?, ?)",
            [(table.name, table.name, page, table.plain_sql) for table, page in pages.items()],
        )
    return version, list(pages)


def _no_rolls(source: Path) -> BadInput:
    return BadInput(f"{source} has no rolls as the tray writes them: name a file that pushtray backup wrote")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _pages(tables: Sequence[OwnTable], stored: list[tuple[Any, Any, int]] | None) -> dict[OwnTable, int]:
    """Return the root page of each of our tables in a file; a table whose name is damaged is known by its statement.

    Args:
        stored: Name, statement and root page of the file's own tables; None if they cannot be read. Then each table is
            looked for where a new file has it.
    """
    if stored is None:
        return {table: table.root_page for table in tables}
    by_name = {name: page for name, _, page in reversed(stored)}
    found = {table: by_name[table.name] for table in tables if table.name in by_name}
    for table in (one for one in tables if one not in found):
        others = ((_likeness(table, sql), page) for _, sql, page in stored if page not in found.values())
        likeness, page = max(others, default=(0.0, 0))
        if likeness >= _MIN_LIKENESS:
            found[table] = page
    return found


def _likeness(table: OwnTable, sql: object) -> float:
    return SequenceMatcher(None, table.sql, sql[: 2 * len(table.sql)]).ratio() if isinstance(sql, str) else 0.0


def _take_over(reading: sqlite3.Connection, writing: sqlite3.Connection, table: OwnTable) -> int:
    """Copy the values of a table; return how many of its rows are lost or refused by the new table."""
    columns, lost = ", ".join(table.columns), 0
    insert = f"INSERT INTO {table.name} ({columns}) VALUES ({', '.join('?' * len(table.columns))})"  # noqa: S608 - own names
    for found in _rows(reading, table.name, columns):
        try:
            if found is None:
                lost += 1
            else:
                writing.execute(insert, found)
        except (sqlite3.IntegrityError, sqlite3.DataError):
            lost += 1
    return lost


def _rows(reading: sqlite3.Connection, table: str, columns: str) -> Iterator[tuple[Any, ...] | None]:
    """Yield a table's rows, None for each on a damaged page; these are found by halving the range after a failure."""
    query = f"SELECT rowid, {columns} FROM {table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid"  # noqa: S608 - own names
    highest = _highest(reading, table)
    spans, failures = [(0, _MAX_ROWS if highest is None else highest)], 0
    while spans and failures < (_MAX_BLIND_FAILURES if highest is None else _MAX_FAILURES):
        first, last = spans.pop()
        try:
            for number, *found in reading.execute(query, (first, last)):
                if number < first:  # pages that point to each other never end
                    break
                first = number + 1
                yield tuple(found)
            else:
                continue
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGE:
                raise
        failures += 1
        if first < last:
            middle = (first + last) // 2
            spans += [(middle + 1, last), (first, middle)]
        elif highest is not None:
            yield None


def _highest(reading: sqlite3.Connection, table: str) -> int | None:
    """Return the highest row id of a table, as far as the file says; None if it does not."""
    for query, values in (
        (f"SELECT max(rowid) FROM {table}", ()),  # noqa: S608 - own names
        ("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)),
    ):
        with suppress(sqlite3.DatabaseError, ValueError):
            found = reading.execute(query, values).fetchone()
            if found is not None:
                return int(found[0] or 0)
    return None


def _leave_out(log: sqlite3.Connection) -> int:
    """Delete invalid rows; return how many of them were rolls."""
    bad = []
    for found in log.execute(_OWN):
        try:
            checked_row(found)
        except BadRow:
            bad.append((found[0],))
    log.execute("BEGIN")
    log.executemany("DELETE FROM rolls WHERE id = ?", bad)
    for table in own_tables(newest_version()):
        if table.name == "rolls" or table.name.startswith("sqlite_"):
            continue
        is_whole = _CHECKS.get(table.name, _is_plain)
        query = f"SELECT rowid, {', '.join(table.columns)} FROM {table.name}"  # noqa: S608 - own names
        for number, *values in log.execute(query).fetchall():
            if not is_whole(*values):
                _log.warning("a part of the copy cannot be understood and is left out")
                log.execute(f"DELETE FROM {table.name} WHERE rowid = ?", (number,))  # noqa: S608 - own names
    log.execute("COMMIT")
    return len(bad)


def _is_state(_id: object, text: object) -> bool:
    with suppress(UnknownState):
        return isinstance(text, str) and unpack_live(text) is not None
    return False


def _is_plain(*values: object) -> bool:
    """Return whether a row has ids and short texts alone."""
    return all(
        value is None
        or (isinstance(value, int) and 0 < value <= MAX_ID)
        or (isinstance(value, str) and len(value) <= _MAX_LETTERS)
        for value in values
    )


_CHECKS: Final[dict[str, Callable[..., bool]]] = {"live": _is_state, "book": is_readable}
"""What the rows of a table must be, if not `_is_plain`."""
