"""The folder with a tray's persistent data: created if missing, locked by one tray at a time."""

import errno
import fcntl
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO

from device.errors import BadInput, storage_refused
from device.kept_files import UNFINISHED, give_to_owner
from vision.types.cures import cure_of, why

LOCK_NAME = "tray.lock"


class DataFolder:
    """A locked data folder. The operating system releases the lock when the program ends in any way."""

    def __init__(self, path: Path) -> None:
        self.path = path
        instead = "choose another with --data"
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = (path / LOCK_NAME).open("a", encoding="utf-8")
            if (path / LOCK_NAME).stat().st_uid != path.stat().st_uid:
                give_to_owner(path, path / LOCK_NAME)
        except OSError as error:
            cure = cure_of(error.errno, instead)
            raise storage_refused(error.errno, f"cannot use data folder {path}: {why(error)}: {cure}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise BadInput(f"another pushtray uses data folder {path}: stop it, or {instead}") from error
            cure = cure_of(error.errno, instead)
            raise BadInput(f"data folder {path} cannot be locked ({why(error)}): {cure}") from error

        for left in (*path.glob(UNFINISHED), *path.glob(f"*/{UNFINISHED}")):
            # Partial files of writes that were interrupted before the rename.
            with suppress(OSError):
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    def close(self) -> None:
        """Release the lock. Safe to call twice."""
        self._lock.close()
