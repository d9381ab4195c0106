"""Files that outlive the program: one way to write them, one to read them, one to set a damaged one aside."""

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
"""Names of all that is written beside its place; a kill leaves it behind, and `DataFolder` deletes it."""
BESIDE_LOG: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database that is in use, or that a power cut left."""


_MOST_DEEP: Final = 100
"""Levels of a JSON text that is read; the tray writes some 20, and much deeper ones break what walks through them."""
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{\]}]', re.DOTALL)


def beside(path: Path) -> Path:
    """Return where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file whole or not at all; on return it outlives a power cut. Its folder is made where there is none."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    draft = beside(path)
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
            with suppress(OSError):  # a drive without locks, where two writers at once have to be luckier
                fcntl.flock(handle, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), draft.stat()):
                    os.ftruncate(handle, 0)
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # it took its place while this writer waited


def read_kept(path: Path, read: Callable[[Any], Kept], otherwise: Kept, lost: str) -> Kept:
    """Return what a JSON file holds; a damaged one is set aside, a line names it, and all begins again."""
    try:
        return read(parse_json(path.read_bytes()))
    except FileNotFoundError:
        return otherwise
    except OSError as error:
        # Nothing is known against the file itself.
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
    """Return the value of a JSON text from outside the program, whose numbers are all finite."""
    text = text if isinstance(text, str) else text.decode("utf-8")
    if max(text.count("["), text.count("{")) > _MOST_DEEP:
        _check_depth(text)
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_toml(text: str) -> dict[str, Any]:
    try:
        body = tomllib.loads(text)
        json.dumps(body, default=str)  # what reads it goes as deep, and writes its numbers out
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return body


def _check_depth(text: str) -> None:
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > _MOST_DEEP:
            raise ValueError("it is nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_number(text)


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number that can be kept")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_number, parse_float=_finite)
"""One for all: a log has many small texts."""


def set_aside(path: Path, ending: str = "damaged") -> Path:
    """Give a file another name that is free, with all that SQLite keeps beside it."""
    aside = unused_path(path.with_name(f"{path.name}.{ending}"))
    path.rename(aside)
    take_along(path, aside)
    sync_folder(path.absolute().parent)
    return aside


def take_along(path: Path, aside: Path) -> None:
    """Let what SQLite keeps beside a file follow it to another name: SQLite finds it by that."""
    for end in BESIDE_LOG:
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(aside.with_name(aside.name + end))


def unused_path(path: Path) -> Path:
    """Return the path itself, or the first of `NAME-2`, `NAME-3`, ... that nothing has."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def give_to_owner(folder: Path, *paths: Path) -> None:
    """Let what root makes in somebody's folder be that user's, or the tray's service could not write to it."""
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
