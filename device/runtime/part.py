"""What the tray is made of: parts that are started, take up settings, and are stopped together."""

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from device.config.settings import Settings
from device.game.lamps import LightPlan
from device.game.state.tray import Tray

STOP_S: Final = 2.8
"""The longest time for all parts together to stop, in seconds."""

Apply: TypeAlias = Callable[[Settings], object]
"""Takes up a setting that was changed; raises BadInput if it cannot be used."""


class Part:
    """A part of the tray; it defines what it needs of this.

    Attributes:
        live: What takes up each setting that the part can change while the tray runs, by its key.
        for_pages: What pages find of it, by class.
    """

    live: Mapping[str, Apply] = MappingProxyType({})
    for_pages: Sequence[object] = ()

    @property
    def hang(self) -> str | None:
        """What hangs or broke so that only a new process helps; None if nothing did."""
        return None

    @property
    def is_restart_requested(self) -> bool:
        return False

    def start(self) -> None:
        """Start its threads."""

    def probe(self, settings: Settings) -> None:
        """Raise BadInput if it could not run with these settings."""

    def show(self, tray: Tray, plan: LightPlan) -> None:
        """Show the newest tray and its lamps; returns at once. On the loop's thread."""

    def check(self) -> None:
        """Check what makes no event of its own; called every few seconds."""

    def stop(self) -> None:
        """Stop its threads. Safe to call twice, and before `start`."""

    def close(self) -> None:
        """Close its files, after all parts have stopped. Safe to call twice."""


AnyPart = TypeVar("AnyPart", bound=Part)


class PartList:
    """Parts in the order in which they are made and started."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._hang: str | None = None

    def add(self, part: AnyPart) -> AnyPart:
        self._parts.append(part)
        return part

    @contextmanager
    def stopped_on_error(self, taken: socket.socket) -> Iterator[None]:
        """Stop the parts, and close the socket that one of them takes, if not all can be made."""
        try:
            yield
        except BaseException:
            self.stop()
            taken.close()
            raise

    def is_live(self, key: str) -> bool:
        """Return whether a setting takes effect at once; the others do so at the next start."""
        return any(key in part.live for part in self._parts)

    def apply(self, key: str, settings: Settings) -> None:
        """Let each part that uses a live setting take it up."""
        for part in self._parts:
            if key in part.live:
                part.live[key](settings)

    def probe(self, settings: Settings) -> None:
        for part in self._parts:
            part.probe(settings)

    @property
    def for_pages(self) -> list[object]:
        """What pages find of all parts."""
        return [one for part in self._parts for one in part.for_pages]

    def start(self) -> None:
        for part in self._parts:
            part.start()

    def show(self, tray: Tray, plan: LightPlan) -> None:
        for part in self._parts:
            part.show(tray, plan)

    def check(self) -> None:
        for part in self._parts:
            part.check()

    @property
    def hang(self) -> str | None:
        """What hangs or broke so that only a new process helps; None if nothing did."""
        return self._hang or next((part.hang for part in self._parts if part.hang is not None), None)

    def wait(self, stopped: threading.Event, look: Callable[[], object] = bool) -> None:
        """Wait until the tray is stopped or needs another process; check the parts and call `look` every 3 s."""
        for beat in itertools.count():
            if stopped.wait(0.2):
                return
            if beat % 15 == 0:
                self.check()
                look()
            if self.hang is not None or any(part.is_restart_requested for part in self._parts):
                return

    def stop(self) -> None:
        """Stop all parts side by side, since each has its own longest wait; then close their files in reverse."""
        self._hang = self.hang
        parts, self._parts = self._parts[::-1], []
        threads = [threading.Thread(target=part.stop, name="stop", daemon=True) for part in parts]
        for thread in threads:
            thread.start()
        deadline_s = time.monotonic() + STOP_S
        for thread in threads:
            thread.join(timeout=max(0.0, deadline_s - time.monotonic()))
        for part in parts:
            part.close()
