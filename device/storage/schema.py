"""The roll log's schema as numbered SQL files in `migrations/`; each file of the log runs those it lacks.

The log's `user_version` is the number of the last migration applied.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from device.kept_files import draft_of, sync_file, sync_folder, unused_path

APPLICATION_ID: Final = 0x50545259
"""Application id in the file's header ("PTRY"), so that no other program's file is ever written to."""
MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Migrated:
    """The outcome of a migration."""

    before: int
    after: int
    copy: Path | None


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table as the migrations make it.

    Attributes:
        sql: Its statement, as SQLite stores it.
        plain_sql: The same columns at the same places without constraints, to read values of a foreign file.
        root_page: Where a new file has it.
    """

    name: str
    sql: str
    columns: tuple[str, ...]
    plain_sql: str
    root_page: int


def own_tables(version: int) -> tuple[OwnTable, ...]:
    """Return the tables of a log of that version, SQLite's own among them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database, upto=version)
        tables = database.execute("SELECT name, sql, rootpage FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
        return tuple(_own_table(database, *table) for table in tables.fetchall())


def _own_table(database: sqlite3.Connection, name: str, sql: str, root_page: int) -> OwnTable:
    names, columns = [], []
    for _, column, kind, _, default, key in database.execute(f"PRAGMA table_info({name})"):
        is_row_id = key and kind == "INTEGER"  # which SQLite does not store among the values
        names.append(column)
        columns.append(f"{column} INTEGER PRIMARY KEY" if is_row_id else f"{column} DEFAULT {default or 'NULL'}")
    return OwnTable(name, sql, tuple(names), f"CREATE TABLE {name} ({', '.join(columns)})", root_page)


def altered_table(database: sqlite3.Connection, version: int) -> str | None:
    """Return the name of a table that is missing or not as the migrations make it; None if all are."""
    found = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    tables = own_tables(version) if version else ()
    return next((table.name for table in tables if found.get(table.name) != table.sql), None)


def newest_version() -> int:
    return max(_files())


def version_of(database: sqlite3.Connection) -> int:
    """Return the version of a log of ours; 0 for a new file and for the earliest ones.

    The first files of 2026-11-21 had no campaign table, but were already marked as version 1.
    """
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version == 1 and database.execute("SELECT * FROM sqlite_master WHERE name = 'book'").fetchone() is None:
        return 0
    return version


def migrate(database: sqlite3.Connection, path: Path | None = None, upto: int | None = None) -> Migrated | None:
    """Migrate a log to the newest version in one transaction, all or nothing.

    Only for the process that holds the data folder.

    Args:
        path: The log's file, of which a copy is kept next to it before anything changes; None keeps none, as for a new
            file.
    """
    files = _files()
    before, after = version_of(database), upto or max(files)
    if before >= after:
        return None
    copy = None
    try:
        database.execute("BEGIN IMMEDIATE")
        if path is not None:
            copy = unused_path(path.with_name(f"{path.name}.version-{before}"))
            _keep(path, copy)
        for number in range(before + 1, after + 1):
            for statement in _statements(files[number].read_text(encoding="utf-8")):
                database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {after}")
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error, OSError):
            if database.in_transaction:
                database.execute("ROLLBACK")
            # If even that fails, the copy stays, because the state of the drive is unknown.
            if copy is not None and version_of(database) == before:
                copy.unlink(missing_ok=True)
        raise
    return Migrated(before, after, copy)


def newest_copy(path: Path) -> Path | None:
    """Return the newest copy made before a migration that this program can read; None if there is none."""
    name = re.compile(re.escape(path.name) + r"\.version-(\d+)(-\d+)?")
    try:
        found = ((name.fullmatch(copy.name), copy) for copy in path.parent.iterdir())
        readable = [copy for match, copy in found if match is not None and int(match[1]) <= newest_version()]
        return max(readable, key=lambda copy: copy.stat().st_mtime, default=None)
    except OSError:
        # The folder cannot be listed; the copy is only a hint.
        return None


def _files() -> dict[int, Path]:
    return {int(path.name.partition("_")[0]): path for path in MIGRATIONS.glob("*.sql")}


def _statements(script: str) -> Iterator[str]:
    """Yield the statements one by one, since SQLite's `executescript` would commit the transaction first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement


def _keep(path: Path, copy: Path) -> None:
    """Copy a log next to itself; on return the copy is complete on disk."""
    draft = draft_of(copy)
    draft.unlink(missing_ok=True)
    try:
        # Over a separate connection, since the migrating one already holds the write lock.
        with (
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as reading,
            closing(sqlite3.connect(draft)) as writing,
        ):
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = DELETE")
        sync_file(draft)
        draft.replace(copy)
        sync_folder(path.absolute().parent)
    finally:
        draft.unlink(missing_ok=True)
