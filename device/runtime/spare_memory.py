"""Return memory cached for the next reading to the system while the tray is idle."""

import ctypes
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from vision.nets.onnx_net import give_back_memory

REST_S: Final = 60.0
"""Seconds without a change after which a tray is idle."""


class SpareMemory:
    """Tracks how long a tray has not changed."""

    def __init__(self, give_back: Callable[[], object], now_s: Callable[[], float] = time.monotonic) -> None:
        self._give_back = give_back
        self._now_s = now_s
        self._version = -1
        self._ends_s: float | None = None

    def idle(self, version: int) -> None:
        """Record that nothing happened for a moment; `version` is that of the tray's newest snapshot."""
        now_s = self._now_s()
        if version != self._version:
            self._version, self._ends_s = version, now_s + REST_S
        elif self._ends_s is not None and now_s >= self._ends_s:
            self._ends_s = None
            self._give_back()


def give_back() -> None:
    """Return the memory cached by nets and the C library; takes some milliseconds."""
    give_back_memory()
    with suppress(AttributeError):  # a C library without it
        ctypes.CDLL(None).malloc_trim(0)
