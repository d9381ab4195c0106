"""The folder where a tray keeps what must survive: made when missing, held by one tray at a time."""

import fcntl
from pathlib import Path
from typing import IO

from device.errors import BadInput

LOCK_NAME = "tray.lock"


class DataFolder:
    """A data folder, held. The operating system lets go of it when the program ends, however it ends."""

    def __init__(self, path: Path) -> None:
        """Take the folder.

        Raises:
            BadInput: It cannot be made or written, or another tray is using it.
        """
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = (path / LOCK_NAME).open("a", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot use data folder {path}: {error.strerror}: choose another with --data") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise BadInput(f"another pushtray uses data folder {path}: stop it, or choose another --data") from error

    def close(self) -> None:
        """Let go. Safe to call twice."""
        self._lock.close()
