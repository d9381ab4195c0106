"""Health of the tray: heartbeats of its threads, faults of its parts, notifications to the service manager.

A tray is alive if its threads run, not if every part works. An unplugged camera is a fault on screen and lamps, and its
thread keeps retrying: a restart would not bring it back. A thread that hangs inside a library sends no heartbeat, and
only a restart helps: then the watchdog is no longer fed.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from device.runtime.part import Part
from rules.system import JsonValue

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HealthParams:
    # Longest pause between two heartbeats of each required thread, in seconds. The camera's must exceed its longest
    # wait for a picture and the longest pause between two attempts to open it.
    longest_silence_s: Mapping[str, float] = field(default_factory=lambda: {"loop": 5.0, "camera": 30.0})
    # age of the newest frame in seconds above which `/api/health` reports that the tray does not see; no reason to
    # restart
    frame_age_s: float = 3.0
    # share of the watchdog's timeout after which it is fed; systemd recommends a half
    feed_part: float = 0.3


class Health:
    """Heartbeats and faults, reported and read by any thread."""

    def __init__(
        self,
        params: HealthParams | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        on_fault: Callable[[], object] = bool,
    ) -> None:
        """Start healthy.

        Args:
            on_fault: Called whenever `faults` has changed, on the thread that reported it.
        """
        self._params = params or HealthParams()
        self._on_fault = on_fault
        self._clock = clock
        self._lock = threading.Lock()
        self._started_s = clock()
        self._pulse_s: dict[str, float] = {}
        self._frame_s: float | None = None
        self._faults: dict[str, str] = {}
        self._ended: set[str] = set()

    def heartbeat(self, thread: str) -> None:
        """Record that a thread is running: after each event, each picture, each failed attempt."""
        with self._lock:
            self._pulse_s[thread] = self._clock()

    def end(self, thread: str) -> None:
        """Record that a thread has finished its work and sends no more heartbeats; a restart would not help."""
        with self._lock:
            self._ended.add(thread)

    def frame_came(self) -> None:
        with self._lock:
            self._frame_s = self._clock()

    def report_fault(self, part: str, text: str | None) -> None:
        """Record what is wrong with a part and the cure, or None once it works again."""
        with self._lock:
            before = self._faults.get(part)
            if text is None:
                self._faults.pop(part, None)
            else:
                self._faults[part] = text
        if text != before:
            self._on_fault()

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong with each part, and the cure."""
        with self._lock:
            return dict(self._faults)

    def silent_threads(self) -> tuple[str, ...]:
        """Return the threads without a heartbeat for too long; one that never sent any counts from the start."""
        now_s = self._clock()
        with self._lock:
            return tuple(
                thread
                for thread, longest_s in self._params.longest_silence_s.items()
                if thread not in self._ended and now_s - self._pulse_s.get(thread, self._started_s) > longest_s
            )

    def is_ready(self) -> bool:
        """Return whether every thread has sent a heartbeat: pages are served and the camera was tried."""
        with self._lock:
            return all(thread in self._pulse_s for thread in self._params.longest_silence_s)

    def feed_every_s(self, allowed_s: float) -> float:
        """Return the feeding interval for a watchdog with this timeout."""
        return allowed_s * self._params.feed_part

    def report(self) -> dict[str, JsonValue]:
        """Return the tray's health as JSON.

        Returns:
            `ok`: no thread is silent, no part has a fault and the newest frame is recent; `threads` with the age of
            each heartbeat; `frame_age_s`; `faults`; `uptime_s`.
        """
        silent = self.silent_threads()
        now_s = self._clock()
        with self._lock:
            frame_age_s = None if self._frame_s is None else round(now_s - self._frame_s, 3)
            threads: dict[str, JsonValue] = {
                thread: {
                    "age_s": round(now_s - self._pulse_s[thread], 3) if thread in self._pulse_s else None,
                    "ok": thread not in silent,
                }
                for thread in self._params.longest_silence_s
            }
            faults: dict[str, JsonValue] = dict(self._faults)
            fresh = frame_age_s is not None and frame_age_s <= self._params.frame_age_s
            return {
                "ok": not silent and not faults and fresh,
                "threads": threads,
                "frame_age_s": frame_age_s,
                "faults": faults,
                "uptime_s": round(now_s - self._started_s, 3),
            }


class Manager(Protocol):
    """The receiver of service notifications, with the timeout of its watchdog in seconds if it has one."""

    watchdog_s: float | None

    def notify(self, **facts: str) -> None: ...


class ServiceManager:
    """systemd, notified over the socket named in the environment; does nothing if the tray was started by hand.

    Source: sd_notify(3): datagrams of KEY=value lines to the Unix socket in NOTIFY_SOCKET, `@` for an abstract one.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        variables = os.environ if environment is None else environment
        self._address = variables.get("NOTIFY_SOCKET", "")
        self.watchdog_s = _watchdog_s(variables)

    def notify(self, **facts: str) -> None:
        """Send facts: READY="1", STATUS="...", WATCHDOG="1", STOPPING="1". Those that cannot be sent are dropped."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        lines = "\n".join(f"{key}={value}" for key, value in facts.items())
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
                out.settimeout(1.0)
                out.sendto(lines.encode(), address)
        except OSError:
            return  # a manager that is gone or busy must not stop a roll


def _watchdog_s(environment: Mapping[str, str]) -> float | None:
    """Return the timeout of the manager's watchdog; None if it does not watch this process."""
    meant_for = environment.get("WATCHDOG_PID", "")
    if meant_for and meant_for != str(os.getpid()):
        return None
    allowed_us = environment.get("WATCHDOG_USEC", "")
    return int(allowed_us) / 1e6 if allowed_us.isdecimal() and int(allowed_us) > 0 else None


class ServiceWatchdog(Part):
    """Notifies the manager of ready and stopping, and feeds its watchdog while all threads run."""

    def __init__(self, health: Health, manager: Manager | None = None) -> None:
        self._health = health
        self._manager = ServiceManager() if manager is None else manager
        self._watchdog_s = self._manager.watchdog_s
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._reported_ready = False
        self._reported_silent: tuple[str, ...] = ()

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
            self._thread.start()

    def look(self) -> None:
        """Check and notify once; its thread repeats this."""
        silent = self._health.silent_threads()
        if silent and silent != self._reported_silent:
            _log.error("stuck: %s", ", ".join(silent))
            self._manager.notify(STATUS=f"stuck: {', '.join(silent)}")
        self._reported_silent = silent
        if silent:
            return
        if not self._reported_ready and self._health.is_ready():
            self._reported_ready = True
            self._manager.notify(READY="1", STATUS="watching the tray")
        if self._watchdog_s is not None:
            self._manager.notify(WATCHDOG="1")

    def stop(self) -> None:
        """Notify the manager that the tray is stopping. Safe to call twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)
        self._manager.notify(STOPPING="1")

    def _run(self) -> None:
        # Before it is ready there is nothing to feed, but readiness must be reported quickly.
        pause_s = min(0.2, self._health.feed_every_s(self._watchdog_s)) if self._watchdog_s else 0.2
        while not self._stopping.wait(pause_s):
            self.look()
            if self._reported_ready and self._watchdog_s is not None:
                pause_s = self._health.feed_every_s(self._watchdog_s)
