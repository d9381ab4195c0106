"""The folder where a tray keeps what must survive: made when missing, held by one tray at a time."""

import errno
import fcntl
import os
from pathlib import Path
from typing import IO

from device.errors import BadInput
from vision.types.cures import cure_of, why

LOCK_NAME = "tray.lock"


class DataFolder:
    """A data folder, held. The operating system lets go of it when the program ends, however it ends."""

    def __init__(self, path: Path) -> None:
        """Take the folder.

        Raises:
            BadInput: It cannot be made or written, or another tray is using it.
        """
        self.path = path
        instead = "choose another with --data"
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = (path / LOCK_NAME).open("a", encoding="utf-8")
        except OSError as error:
            cure = cure_of(error.errno, instead)
            raise BadInput(f"cannot use data folder {path}: {why(error)}: {cure}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise BadInput(f"another pushtray uses data folder {path}: stop it, or {instead}") from error
            cure = cure_of(error.errno, instead)
            raise BadInput(f"data folder {path} cannot be locked ({why(error)}): {cure}") from error

    def close(self) -> None:
        """Let go. Safe to call twice."""
        self._lock.close()


def free_name(path: Path) -> Path:
    """The path itself, or the first of `NAME-2`, `NAME-3`, ... that nothing has."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def sync_file(path: Path) -> None:
    """Let what a file holds outlive a power cut."""
    with path.open("rb") as written:
        os.fsync(written.fileno())


def sync_folder(folder: Path) -> None:
    """Let new names in a folder outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
