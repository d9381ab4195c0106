"""Changes of the tray as lines on an output, from a separate thread, so that a slow or gone reader blocks nothing."""

import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from device.body import Body
from device.game.snapshot import Snapshot
from device.game.state_line import line_part, pack_line, seen_part
from device.storage.log_rows import now_utc
from device.texts.catalogue import ENGLISH, in_language
from vision.types.cures import cure_of, why

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LineParams:
    # Maximum number of lines waiting for a slow reader; the oldest is dropped beyond that. A roll with its push has
    # five.
    max_waiting: int = 256
    look_s: float = 0.2
    last_s: float = 0.2  # longest time that a reader may take at the end for the remaining lines, in seconds


class StateLines:
    """Writes a line for each change, in the form of a replay's but with the wall-clock time."""

    def __init__(
        self,
        descriptor: int,
        on_gone: Callable[[], object],
        *,
        clock: Callable[[], datetime] = now_utc,
        params: LineParams | None = None,
    ) -> None:
        """Prepare; `start` starts writing.

        Args:
            descriptor: Of the output. Bypasses Python's own buffer, which a hanging reader would keep locked until the
                program ends.
            on_gone: Called once, from the writing thread, when the reader has gone.
        """
        self._descriptor = descriptor
        self._on_gone = on_gone
        self._clock = clock
        self._params = params or LineParams()
        self._news = threading.Condition()
        self._waiting: deque[Body] = deque()
        self._seen: Body | None = None
        self._dropped = 0
        self._failed = False
        self._ended = False
        self._stop_at_s: float | None = None
        self._thread = threading.Thread(target=self._run, name="lines", daemon=True)

    @property
    def has_failed(self) -> bool:
        """Whether writing failed although the reader was there, for example because the disk is full."""
        return self._failed

    def put(self, snapshot: Snapshot) -> None:
        """Queue a snapshot; it becomes a line if it is the first or visibly differs. Returns at once."""
        seen = seen_part(snapshot.body)
        if seen == self._seen:
            return
        self._seen = seen
        line: Body = {"time": self._clock().isoformat(timespec="milliseconds"), **line_part(snapshot.body)}
        with self._news:
            if self._ended:
                return
            if len(self._waiting) >= self._params.max_waiting:
                self._waiting.popleft()
                self._dropped += 1
            self._waiting.append(line)
            self._news.notify()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Write the remaining lines if the reader takes them soon. Safe to call twice, and before `start`."""
        with self._news:
            if self._stop_at_s is None:
                self._stop_at_s = time.monotonic() + self._params.last_s
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(self._params.last_s + self._params.look_s + 1.0)

    def _run(self) -> None:
        try:
            while (line := self._next()) is not None:
                if not self._write(f"{pack_line(in_language(line, ENGLISH))}\n".encode("ascii")):
                    with self._news:
                        self._dropped += 1 + len(self._waiting)
                    break
            self._report_dropped()
        except BrokenPipeError:
            self._on_gone()
        except OSError as error:
            self._failed = True
            cure = cure_of(error.errno, "send them elsewhere")
            _log.error("lines of --json can no longer be written (%s): %s", why(error), cure)
        finally:
            with self._news:
                self._ended = True
                self._waiting.clear()

    def _report_dropped(self) -> None:
        """Write how many lines a slow reader has missed, once it has caught up or at the end."""
        with self._news:
            count, self._dropped = self._dropped, 0
        if count:
            what = "1 line of --json was" if count == 1 else f"{count} lines of --json were"
            _log.warning("%s dropped: their reader is too slow", what)

    def _next(self) -> Body | None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._stop_at_s is not None, self._params.look_s)
                if self._waiting:
                    return self._waiting.popleft()
                if self._stop_at_s is not None:
                    return None
            self._report_dropped()
            self._is_ready(0, 0.0)

    def _write(self, data: bytes) -> bool:
        """Write a line, however slow the reader, unless it takes too long at the end."""
        while data:
            if self._stop_at_s is not None and time.monotonic() > self._stop_at_s:
                return False
            if self._is_ready(select.POLLOUT, self._params.look_s):
                # A ready pipe takes this much without blocking, unless another writer was quicker.
                with suppress(BlockingIOError):
                    data = data[os.write(self._descriptor, data[: select.PIPE_BUF]) :]
        return True

    def _is_ready(self, events: int, longest_s: float) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, events)
        ready = poll.poll(longest_s * 1000.0)
        if any(happened & (select.POLLERR | select.POLLHUP) for _, happened in ready):
            raise BrokenPipeError
        return bool(ready)
