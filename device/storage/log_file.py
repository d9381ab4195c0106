"""Open, check and copy the roll log's file, with a cure in each error. Only SQLite opens the file.

Opening and closing the file directly would drop all of SQLite's locks on it, since POSIX locks belong to the process.
Other programs would then take the log for unused and delete its `-wal` while the tray writes to it.
"""

import errno
import logging
import os
import shutil
import sqlite3
import tempfile
import textwrap
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from device.errors import BadInput, storage_refused
from device.kept_files import set_aside, sync_file
from device.storage.schema import (
    APPLICATION_ID,
    Migrated,
    altered_table,
    migrate,
    newest_copy,
    newest_version,
    version_of,
)
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

FILE_NAME: Final = "history.sqlite3"
WAIT_S: Final = 2.0
"""How long a write or a read waits for another connection's lock, in seconds."""
COMPANION_ENDINGS: Final = ("-wal", "-journal")
"""Endings of SQLite's companion files; if one has content, the log is incomplete without it."""
_GARBLED = "its tables are garbled"
"""What is wrong where SQLite's own message quotes text that is not UTF-8."""
_INSTEAD = "choose another --data folder"
_CANNOT_WRITE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
_LOCKS_FAIL = (
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_SHMMAP,
)
"""SQLite's error codes for a drive without locks or shared memory, such as a network drive."""
_ERRNO_OF = {
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_LOCKED: errno.EBUSY,
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}
"""SQLite's error codes (lowest eight bits) that do not mean damaged content."""


class NoLog(BadInput):
    def __init__(self, what: str, cure: str) -> None:
        super().__init__(f"{what}: {cure}")
        self.what = what


class DamagedLog(NoLog):
    """The file is a roll log of ours, but SQLite cannot read some of its pages."""


def as_text(raw: bytes) -> str:
    """Return SQLite text, as a connection's `text_factory`; what is not UTF-8 becomes U+FFFD and hides nothing else."""
    return raw.decode("utf-8", "replace")


def open_log(path: Path) -> sqlite3.Connection:
    """Open a log for writing and migrate it to this program's version; create it if missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_new = _is_new(path)
        database = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
        database.text_factory = as_text
    except OSError as error:
        text = f"cannot use {path}: {why(error)}: {cure_of(error.errno, _INSTEAD)}"
        raise storage_refused(error.errno, text) from error
    except sqlite3.Error as error:
        raise log_refused(path, error) from error
    try:
        is_new = is_new or not check_log(database, path)
        migrated = migrate(database) if is_new else migrate_log(database, path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        # From here on SQLite's companion files show that the log is in use.
        database.execute("BEGIN IMMEDIATE")
        database.execute("COMMIT")
    except sqlite3.Error as error:
        database.close()
        raise log_refused(path, error) from error
    except BadInput:
        database.close()
        raise
    if migrated is not None and migrated.copy is not None:
        _log.warning(
            "%s was migrated from version %d to %d; the old file is kept as %s",
            path, migrated.before, migrated.after, migrated.copy,
        )  # fmt: skip
    return database


def _is_new(path: Path) -> bool:
    """Return whether a new log starts here; companion files that would be taken for its own are checked first."""
    if not path.exists():
        return True
    pending = pending_companion(path)
    if path.stat().st_size == 0:
        kept = set_aside(path) if pending else path
        _log.warning("%s was empty, as after a power cut: a new roll log starts%s",
                     path, "" if kept == path else f"; its companion files are kept next to {kept}")  # fmt: skip
        return True
    if pending:
        _check_with(path, pending)
    return False


def _check_with(path: Path, pending: Path) -> None:
    """Check that a log matches its companion file before SQLite merges the two."""
    try:
        with closing(connect_to_read(path)) as reading:
            check_log(reading, path)
    except (NoLog, sqlite3.Error) as error:
        with suppress(NoLog, sqlite3.Error), closing(_connect(path, "immutable=1")) as alone:
            check_log(alone, path)
            what = f"{path} is whole, but {pending.name} next to it belongs to another log"
            raise BadInput(f"{what}: move {pending.name} away, or restore a backup with pushtray restore") from error
        raise


def pending_companion(path: Path) -> Path | None:
    """Return the companion file that holds a part of the log; None if the log is complete."""
    for end in COMPANION_ENDINGS:
        companion = path.with_name(path.name + end)
        if companion.exists() and companion.stat().st_size > 0:
            return companion
    return None


def copy_log(reading: sqlite3.Connection, target: Path) -> int:
    """Copy a log into a new file without companion files; on return it is on disk."""
    target.unlink(missing_ok=True)
    target.touch()  # raises OSError if the folder cannot be written
    try:
        with closing(sqlite3.connect(target)) as writing:
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = DELETE")
            check_log(writing, target)
            (rows,) = writing.execute("SELECT count(*) FROM rolls").fetchone()
    except sqlite3.Error as error:
        raise log_refused(target, error, "name another file") from error
    sync_file(target)
    return int(rows)


def check_log(database: sqlite3.Connection, path: Path) -> bool:
    """Check a log of any version; return whether it has content."""
    try:
        if not check_header(database, path):
            return False
        if table := altered_table(database, version_of(database)):
            raise _broken(path, f"its table {table} is not as the tray makes it")
        answer = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except UnicodeDecodeError as error:
        raise _broken(path, _GARBLED) from error
    if answer != "ok":
        raise _broken(path, str(answer).splitlines()[-1])
    return True


def check_header(database: sqlite3.Connection, path: Path) -> bool:
    """Check that a file is a log of a version that this program reads; return whether it has content."""
    owner = database.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID:
        if owner == 0 and database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return False
        raise NoLog(f"{path} belongs to another program", "move it away, or choose another --data folder")
    version, newest = version_of(database), newest_version()
    if version > newest:
        copy = newest_copy(path)
        cure = "upgrade the program, or restore an older backup with pushtray restore"
        cure += "" if copy is None else f" {copy}"
        raise BadInput(f"{path} has version {version}, this program reads versions up to {newest}: {cure}")
    return True


def migrate_log(database: sqlite3.Connection, path: Path, *, keep: bool = True) -> Migrated | None:
    """Migrate a checked log that is not new to this program's version, as `migrate` does."""
    before = version_of(database)
    try:
        return migrate(database, path if keep else None)
    except OSError as error:
        number, how = error.errno, why(error)
    except sqlite3.Error as error:
        number, how = errno_of(path, error), str(error)
    what = f"{path} cannot be migrated from version {before} to {newest_version()} ({how}) and stays as it is"
    raise storage_refused(number, f"{what}: {cure_of(number, 'go back to the program that wrote it')}")


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Return a read-only connection, even if the folder cannot be written.

    If there is a companion file, SQLite's mode `ro` reads it without merging it into the log. If there is none, mode
    `rw` keeps companion files while it reads and, unlike `ro`, removes them again. A log that cannot be written is
    opened as immutable, which requires that nothing else writes to it: a `-wal` file shows that something may. A log
    left by a power cut with a journal to roll back is read from a copy.
    """
    if pending := pending_companion(path):
        reading = _connect(path, "mode=ro")
        if pending.name.endswith("-journal"):
            try:
                reading.execute("PRAGMA schema_version")
            except sqlite3.OperationalError as error:
                reading.close()
                if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                    raise
                return _rolled_back(path, pending)
        return reading
    reading = _connect(path, "mode=rw")
    try:
        reading.execute("PRAGMA query_only = ON")
        reading.execute("SELECT count(*) FROM sqlite_master")
    except UnicodeDecodeError as error:
        reading.close()
        raise _broken(path, _GARBLED) from error
    except sqlite3.Error as error:
        reading.close()
        if error.sqlite_errorcode & 0xFF not in _CANNOT_WRITE or path.with_name(path.name + "-wal").exists():
            raise
        return _connect(path, "immutable=1")
    return reading


def _rolled_back(path: Path, journal: Path) -> sqlite3.Connection:
    """Copy a log into an unnamed database, its journal rolled back. No process has it open, so no lock is dropped."""
    with tempfile.TemporaryDirectory(prefix="pushtray-") as folder:
        whole = Path(folder) / path.name
        for one in (path, journal):
            shutil.copyfile(one, whole.with_name(one.name))
        copy = sqlite3.connect("")
        copy.text_factory = as_text
        with closing(_connect(whole, "mode=rw")) as reading:
            reading.backup(copy)
    return copy


def _connect(path: Path, how: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=WAIT_S)
    database.text_factory = as_text
    return database


def is_empty_log(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def log_refused(path: Path, error: sqlite3.Error, instead: str = "name another --data folder") -> BadInput:
    """Return what an SQLite error means for the file: damage, or that it cannot be used now or by this user."""
    number = errno_of(path, error)
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
        return NoLog(f"{path} is not a roll log", "move it away, or choose another --data folder")
    if number is not None:
        return storage_refused(number, f"{path} cannot be used ({error}): {cure_of(number, instead)}")
    return _broken(path, str(error))


def errno_of(path: Path, error: sqlite3.Error) -> int | None:
    """Return the errno behind an SQLite error; None if the file itself is damaged."""
    code = getattr(error, "sqlite_errorcode", 0)
    kind = code & 0xFF
    if kind in (*_CANNOT_WRITE, sqlite3.SQLITE_IOERR) and (number := _refuses_files(path.parent)) is not None:
        return number  # such as a drive that became read-only, for which SQLite has several codes
    if code in _LOCKS_FAIL:
        return errno.ENOLCK
    if kind in _CANNOT_WRITE:
        return _why_not_written(path)
    return _ERRNO_OF.get(kind)


def _refuses_files(folder: Path) -> int | None:
    """Return why a folder takes no file; None if it takes one, or if testing would leave a file behind."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
    except OSError as error:
        return None if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL) else error.errno
    except AttributeError:  # not Linux
        return None
    return None


def _why_not_written(path: Path) -> int:
    if path.is_dir():
        return errno.EISDIR
    with suppress(OSError):
        if os.statvfs(path.parent).f_flag & os.ST_RDONLY:
            return errno.EROFS
    if not path.exists() and os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        return errno.ENOENT
    return errno.EACCES


def _broken(path: Path, how: str) -> DamagedLog:
    cure = "move it away to start again, or restore a backup with pushtray restore"
    # SQLite quotes the statement of the file that it cannot parse.
    detail = textwrap.shorten(how, 120, placeholder=" ...")
    return DamagedLog(f"{path} is damaged ({detail})", cure)
