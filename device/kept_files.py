"""Files that survive the program: write one, read one, set a damaged one aside."""

import errno
import fcntl
import json
import logging
import math
import os
import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from vision.types.cures import why

_log = logging.getLogger(__name__)

Kept = TypeVar("Kept")

UNFINISHED: Final = ".*.new*"
"""Names of temporary files; a kill leaves them behind, and `DataFolder` deletes them."""
SQLITE_ENDINGS: Final = ("-wal", "-shm", "-journal")
"""SQLite's companion files of a database in use, or after a power cut."""


_MAX_DEEP: Final = 100
"""Maximum nesting of JSON that is read; the tray writes about 20 levels, and far deeper ones break recursive code."""
# Possessive, or a text of megabytes would be remembered letter by letter.
_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[{\]}]', re.DOTALL)


def draft_of(path: Path) -> Path:
    """Return the path where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file, all or nothing; on return it survives a power cut. Its folder is created if missing."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        number = errno.EISDIR if path.is_dir() else errno.EEXIST  # a device would be replaced by a file
        raise OSError(number, os.strerror(number), str(path))
    if mode is None:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    draft = draft_of(path)
    handle = _draft(draft)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(handle, mode)
            os.fsync(handle)
            draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
    sync_folder(path.parent)


def _draft(draft: Path) -> int:
    while True:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            with suppress(OSError):  # a drive without locks, where two simultaneous writers may collide
                fcntl.flock(handle, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), draft.stat()):
                    os.ftruncate(handle, 0)
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # it was renamed into place while this writer waited


def read_kept(path: Path, read: Callable[[Any], Kept], otherwise: Kept, lost: str) -> Kept:
    """Return the content of a JSON file; a damaged one is set aside and logged, and `otherwise` is returned."""
    try:
        return read(parse_json(path.read_bytes()))
    except FileNotFoundError:
        return otherwise
    except OSError as error:
        # The file itself may be intact.
        _log.warning("%s cannot be read (%s): %s", path, why(error), lost)
        return otherwise
    except Exception as error:  # noqa: BLE001 - nothing that a damaged file does may stop the tray
        # The message of another error might repeat a secret.
        reason = why(error) if isinstance(error, json.JSONDecodeError) else "damaged, or of another version"
    kept = path
    with suppress(OSError):
        kept = set_aside(path)
    _log.warning("%s cannot be understood (%s): %s; it is kept as %s", path, reason, lost, kept)
    return otherwise


def parse_json(text: bytes | str) -> Any:
    """Return the value of a JSON text from outside the program; all its numbers are finite."""
    text = text if isinstance(text, str) else text.decode("utf-8")
    if max(text.count("["), text.count("{")) > _MAX_DEEP:
        _check_depth(text)
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_toml(text: str) -> dict[str, Any]:
    try:
        body = tomllib.loads(text)
        json.dumps(body, default=str)  # raises for nesting or numbers that its readers could not handle
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return body


def _check_depth(text: str) -> None:
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > _MAX_DEEP:
            raise ValueError("it is nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_number(text)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number that can be stored")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_number, parse_float=_finite)
"""Shared by all: a log has many small texts."""


def set_aside(path: Path, ending: str = "damaged") -> Path:
    """Rename a file, and SQLite's companion files, to an unused name."""
    aside = unused_path(path.with_name(f"{path.name}.{ending}"))
    path.rename(aside)
    take_along(path, aside)
    sync_folder(path.absolute().parent)
    return aside


def take_along(path: Path, aside: Path) -> None:
    """Rename SQLite's companion files along with a file, since SQLite finds them by its name."""
    for end in SQLITE_ENDINGS:
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(aside.with_name(aside.name + end))


def unused_path(path: Path) -> Path:
    """Return the path itself, or the first unused one of `NAME-2`, `NAME-3`, ..."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def give_to_owner(folder: Path, *paths: Path) -> None:
    """Give files that root makes in a user's folder to that user, or the tray's service could not write to them."""
    if os.geteuid() == 0:
        owner = folder.stat()
        for path in filter(Path.exists, paths):
            os.chown(path, owner.st_uid, owner.st_gid)


def sync_file(path: Path) -> None:
    with path.open("rb") as written:
        os.fsync(written.fileno())


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
