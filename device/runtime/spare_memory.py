"""Keep memory for the next reading, and return it to the system while the tray is idle."""

import ctypes
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

REST_S: Final = 60.0
"""Seconds without a change after which a tray is idle, and between two returns while it is."""

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""Parameters of `mallopt` (malloc.h)."""
_LARGEST_KEPT: Final = 32 << 20
"""Size of the largest block that is kept, in bytes; the C library allows no more."""
_KEPT: Final = 128 << 20
"""Bytes that are kept at most; a reading needs some 90 MB."""


class SpareMemory:
    """Tracks how long a tray has not changed."""

    def __init__(self, give_back: Callable[[], object], now_s: Callable[[], float] = time.monotonic) -> None:
        self._give_back = give_back
        self._now_s = now_s
        self._version = -1
        self._ends_s = 0.0

    def idle(self, version: int) -> None:
        """Record that nothing happened for a moment; `version` is that of the tray's newest snapshot."""
        now_s = self._now_s()
        if version != self._version:
            self._version, self._ends_s = version, now_s + REST_S
        elif now_s >= self._ends_s:
            # Pages take memory, too, and change nothing.
            self._ends_s = now_s + REST_S
            self._give_back()


def hold_memory() -> None:
    """Let the C library keep freed memory for the next picture and reading, until `give_back`.

    Left to itself it returns large blocks at once, and each picture would fetch them page by page. To be called before
    the first thread: an arena that a thread has stays in use.
    """
    with suppress(AttributeError):  # a C library without it
        library = ctypes.CDLL(None)
        library.mallopt(_ARENA_MAX, 1)  # of other arenas `malloc_trim` returns no end
        library.mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
        library.mallopt(_TRIM_THRESHOLD, _KEPT)


def give_back() -> None:
    """Return the memory that the C library keeps; takes some milliseconds."""
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
