"""A tray over pictures in memory: the process that `pushtray bench --idle` measures."""

import sys
import threading
import time
from pathlib import Path

import numpy as np

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.runtime.signals import signals_set
from device.runtime.source import CameraSetup
from device.runtime.spare_memory import hold_memory
from vision.types.frame import Frame, ImageBgr

FPS = 30.0


class StillCamera:
    """Pictures in turn, decoded beforehand as a camera's driver delivers them."""

    name = "recorded"

    def __init__(self, pictures: list[ImageBgr]) -> None:
        self._pictures = pictures
        self._count = 0
        self._next_s = 0.0

    def open(self) -> None:
        self._next_s = time.monotonic()

    def read(self, timeout_s: float) -> Frame:  # noqa: ARG002  a frame always comes in time
        time.sleep(max(0.0, self._next_s - time.monotonic()))
        t_s = max(self._next_s, time.monotonic() - 1 / FPS)
        self._next_s = t_s + 1 / FPS
        self._count += 1
        return Frame(self._pictures[self._count % len(self._pictures)], t_s, self._count)

    def close(self) -> None:
        """Close; nothing is open."""


def main(pictures: Path) -> None:
    """Run the tray over a file of pictures until it is terminated; its data go next to them."""
    hold_memory()
    stopped = threading.Event()
    settings = with_overrides(Settings(), camera="usb:0", data=pictures.parent, port=0)
    with signals_set(stopped):
        app = TrayApp(settings, CameraSetup(StillCamera(list(np.load(pictures))), is_live=True))
        app.start()
        sys.stderr.write(f"PushTray is at {app.url}\n")
        sys.stderr.flush()
        app.wait(stopped)
        app.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
