"""The secret and address that this machine's kiosk reads to open the tray's own display."""

import secrets
from pathlib import Path
from typing import Final

from device.errors import storage_refused
from device.kept_files import write_whole
from vision.types.cures import cure_of, why

FILE_NAME: Final = "display-secret"
URL_NAME: Final = "display-url"
_LETTERS: Final = 43
"""Encodes 256 random bits."""


def display_secret(folder: Path) -> str:
    """Return the secret of a data folder, creating it on the first call."""
    path = folder / FILE_NAME
    try:
        kept = path.read_text(encoding="ascii", errors="replace").strip() if path.exists() else ""
        if len(kept) >= _LETTERS and kept.isascii():
            return kept
        secret = secrets.token_urlsafe(32)
        # The kiosk's user is in the tray's group.
        write_whole(path, f"{secret}\n".encode(), 0o640)
    except OSError as error:
        cure = cure_of(error.errno, "choose another folder with --data")
        text = f"the display's secret {path} cannot be read or made ({why(error)}): {cure}"
        raise storage_refused(error.errno, text) from error
    return secret


def name_display_url(folder: Path, url: str) -> None:
    path = folder / URL_NAME
    try:
        write_whole(path, f"{url}\n".encode(), 0o640)
    except OSError as error:
        cure = cure_of(error.errno, "choose another folder with --data")
        text = f"the display's address {path} cannot be written ({why(error)}): {cure}"
        raise storage_refused(error.errno, text) from error
