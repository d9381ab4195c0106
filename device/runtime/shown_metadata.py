"""What screens show in addition to the tray's state, brought together from the parts that know it."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from device.config.settings import Settings
from device.game.snapshot import TrayMetadata


class ShownMetadata:
    """The metadata of the newest snapshot. Any thread."""

    def __init__(self, settings: Settings) -> None:
        shown = settings.display
        self._lock = threading.Lock()
        self._send: Callable[[TrayMetadata], object] = bool
        self.newest = TrayMetadata(settings.tray.camera, None, {}, shown.idle_min, shown.undo_s)

    def send_to(self, send: Callable[[TrayMetadata], object]) -> None:
        """Pass every later change on; `send` must return at once."""
        self._send = send

    def update(self, **fields: Any) -> None:
        """Change some fields of `TrayMetadata`."""
        with self._lock:
            self.newest = replace(self.newest, **fields)
            self._send(self.newest)
