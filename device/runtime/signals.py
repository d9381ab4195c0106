"""Ctrl-C and termination, as an event instead of an interruption."""

import queue
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def signals_set(stopped: threading.Event) -> Iterator[None]:
    """Make Ctrl-C and termination set an event instead of interrupting the program."""
    # A handler interrupts the main thread anywhere, also while it holds the event's lock, so another thread sets it.
    signals: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def set_if_stopped() -> None:
        if signals.get():
            stopped.set()

    def stop(_number: int, _frame: FrameType | None) -> None:
        signals.put(True)

    threading.Thread(target=set_if_stopped, name="signals", daemon=True).start()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signals.put(False)
