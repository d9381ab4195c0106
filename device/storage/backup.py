"""Back up the roll log to a single file while a tray writes to it, and restore it while no tray runs."""

import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from device.bounded import Bounds, TooMuchWork, in_child
from device.errors import BadInput, StorageFault
from device.kept_files import SQLITE_ENDINGS, draft_of, give_to_owner, sync_folder, take_along, unused_path
from device.storage.data_folder import LOCK_NAME, DataFolder
from device.storage.import_log import IMPORTING, Staged, import_log
from device.storage.log_file import (
    FILE_NAME,
    DamagedLog,
    NoLog,
    check_log,
    connect_to_read,
    copy_log,
    errno_of,
    is_empty_log,
    log_refused,
    open_log,
)
from device.storage.schema import APPLICATION_ID
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)

_ANOTHER: Final = "name a file that pushtray backup wrote"
_MIN_S: Final = 8.0
_S_PER_MB: Final = 2.0
"""Processor time for an import: ten times what a whole log needs (0.2 s/MB on a laptop), for slower computers."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of restoring a backup."""

    rows: int
    old: Path | None
    left_out: int = 0


def back_up(folder: Path, target: Path) -> int:
    """Copy a folder's roll log, with the sheets and the live state, into one file.

    The copy contains everything announced before the call and keeps the log's version. An earlier backup of that name
    is replaced once the new one is complete on disk.
    """
    log = folder / FILE_NAME
    with _explained(log):
        if not log.is_file() or not _holds_log(log):
            raise BadInput(f"there is no roll log in {folder}: name the folder with --data")
    with _explained(target):
        _check_target(target, log)
        draft = draft_of(target)
        try:
            with closing(connect_to_read(log)) as reading:
                rows = copy_log(reading, draft)
            draft.replace(target)
            sync_folder(target.absolute().parent)
        except sqlite3.Error as error:
            raise log_refused(log, error, "name another file") from error
        finally:
            draft.unlink(missing_ok=True)
    return rows


def restore(source: Path, folder: Path) -> Restored:
    """Restore a backup as a folder's roll log. The previous log is kept next to it under an unused name."""
    _check_source(source)
    with _explained(source):
        if (folder / FILE_NAME).exists() and source.samefile(folder / FILE_NAME):
            raise BadInput(f"{source} is the roll log itself: name a copy of it")
    held = DataFolder(folder)
    try:
        staged = stage(source, folder)
        return Restored(staged.rows, put_in_place(staged, folder), staged.left_out)
    finally:
        held.close()


def stage(source: Path, folder: Path) -> Staged:
    """Check a backup and prepare it next to a folder's log, which stays unchanged.

    Raises:
        BadInput: It is no backup, or cannot be read within its bounds.
    """
    _check_source(source)
    found = _in_child(import_copy, source, draft_of(folder / FILE_NAME))
    return _staged(found)


def _in_child(task: Callable[[str, str], Any], source: Path, draft: Path) -> Any:
    with _explained(draft.parent):
        size_mb = source.stat().st_size / 1e6
        bounds = Bounds(_MIN_S + _S_PER_MB * size_mb)
        try:
            return in_child(task, str(source), str(draft), bounds=bounds, what=str(source), cure=_ANOTHER)
        except BaseException:
            draft.unlink(missing_ok=True)
            for left in draft.parent.glob(f"{IMPORTING}*"):
                shutil.rmtree(left, ignore_errors=True)
            raise


def import_copy(source: str, draft: str) -> dict[str, Any]:
    """Import a backup; done in a child process."""
    path = Path(source)
    with _explained(Path(draft).parent):
        try:
            return _plain(import_log(path, Path(draft), needs_rolls=True))
        except (sqlite3.Error, NoLog) as error:
            refused = error if isinstance(error, NoLog) else log_refused(path, error, "name another file")
            raise BadInput(f"{refused.what}: {_ANOTHER}") if isinstance(refused, NoLog) else refused from error


def _import_rest(source: str, draft: str) -> dict[str, Any] | None:
    """Import what is left of a damaged log, None if that is nothing; done in a child process."""
    log = Path(source)
    with _explained(log.parent):
        try:
            return _plain(import_log(log, Path(draft)))
        except sqlite3.DatabaseError as error:
            if errno_of(log, error) is not None:
                raise log_refused(log, error) from error
        except StorageFault:
            raise
        except BadInput:
            pass
    return None


def _plain(staged: Staged) -> dict[str, Any]:
    return {**asdict(staged), "path": str(staged.path)}


def _staged(found: dict[str, Any]) -> Staged:
    return Staged(**{**found, "path": Path(found["path"])})


def recover(damaged: DamagedLog, folder: Path) -> None:
    """Replace a damaged log, which is kept, by a new one with all rows that can still be read."""
    log = folder / FILE_NAME
    draft = draft_of(log)
    try:
        found = _in_child(_import_rest, log, draft)
    except TooMuchWork as error:
        _log.error("%s", error)
        found = None
    if found is None:
        draft.unlink(missing_ok=True)
        open_log(draft).close()
    staged = Staged(draft, 0, None, None) if found is None else _staged(found)
    kept = put_in_place(staged, folder, "damaged")
    _log.error(
        "%s: what can be read, %d rows, is now the roll log; the damaged one is kept as %s. "
        "pushtray restore brings back a copy that was taken before",
        damaged.what, staged.rows, kept,
    )  # fmt: skip


def put_in_place(staged: Staged, folder: Path, ending: str = "old") -> Path | None:
    log = folder / FILE_NAME
    with _explained(folder):
        try:
            give_to_owner(folder, staged.path, folder / LOCK_NAME)
            old = _put_aside(log, ending)
            staged.path.replace(log)
            sync_folder(folder)
        finally:
            staged.path.unlink(missing_ok=True)
    return old


def _check_source(source: Path) -> None:
    with _explained(source):
        if not source.is_file():
            raise BadInput(f"there is no file {source}: {_ANOTHER}")
        if is_empty_log(source):
            raise BadInput(f"{source} is empty: {_ANOTHER}")


def _check_target(target: Path, log: Path) -> None:
    if target.is_dir():
        raise BadInput(f"{target} is a folder: name a file in it, such as {target / FILE_NAME}")
    if not target.exists():
        return
    if target.samefile(log):
        raise BadInput(f"{target} is the roll log itself: name another file")
    if any(target.with_name(target.name + end).exists() for end in SQLITE_ENDINGS):
        raise BadInput(f"{target} is a roll log in use: choose another name")
    with target.open("rb") as file:
        header = file.read(100)
    # The application id is at byte 68 of an SQLite file (its file format, 1.3.17).
    if header and header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        raise BadInput(f"{target} exists and is not a backup: choose another name")


def _holds_log(path: Path) -> bool:
    if is_empty_log(path):
        return False
    try:
        with closing(connect_to_read(path)) as reading:
            return check_log(reading, path)
    except sqlite3.Error as error:
        raise log_refused(path, error, "name another file") from error


def _put_aside(log: Path, ending: str) -> Path | None:
    """Give a log and its companion files a second, unused name; return it, or None if there is no log."""
    if not log.exists():
        return None
    old = unused_path(log.with_name(f"{log.name}.{ending}"))
    try:
        os.link(log, old)  # a link, not a move, so that the log never lacks its name
    except OSError:
        log.rename(old)  # a drive without hard links, such as a memory stick
    take_along(log, old)
    return old


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(f"{place} cannot be used ({why(error)}): {cure_of(error.errno, 'name another')}") from error
