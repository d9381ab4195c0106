"""Show the tray on the Pi's own screen: one browser page, full screen, as long as the session lasts.

Started by labwc's autostart in the session of the user who is logged in automatically. It waits for the tray, restarts
the browser whenever it ends, and blanks the screen while nothing happens: a throw or a touch wakes it. Only the
standard library, so that it runs with the system's own Python.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

BROWSERS = ("chromium", "chromium-browser")

BROWSER_FLAGS = (
    "--kiosk",
    "--ozone-platform=wayland",
    "--no-first-run",
    "--no-default-browser-check",
    "--noerrdialogs",
    "--hide-crash-restore-bubble",
    "--disable-session-crashed-bubble",
    "--disable-infobars",
    "--disable-pinch",
    "--overscroll-history-navigation=0",
    "--password-store=basic",
    "--disable-features=Translate,MediaRouter",
    "--check-for-update-interval=31536000",
)
"""No bubbles, no questions, no update checks: only the page."""

FIRST_URL = "http://127.0.0.1:8000/"
"""The page of a tray with default settings."""


@dataclass(frozen=True, slots=True)
class KioskParams:
    """Settings of the kiosk.

    Attributes:
        url: The page; empty: the one that the tray names.
        named: File in which the tray names its page.
        secret: File with the secret of the tray's own display.
        blank_s: Time without a change of the tray or a touch after which the screen turns dark; 0: never.
        ask_s: Pause between two checks of the tray.
        restart_s: Pause before the browser is restarted.
        hide_pointer: Command that makes the compositor hide the pointer; empty if there is none.
    """

    url: str = ""
    named: Path = Path("/var/lib/pushtray/display-url")
    secret: Path = Path("/var/lib/pushtray/display-secret")
    blank_s: float = 600.0
    ask_s: float = 1.0
    restart_s: float = 2.0
    hide_pointer: tuple[str, ...] = ("wtype", "-M", "logo", "-k", "h", "-m", "logo")


class Program(Protocol):
    """A program that was started."""

    def poll(self) -> int | None:
        """Return its exit status, None while it runs."""
        ...

    def terminate(self) -> None:
        """Ask it to end."""
        ...


def ask_version(url: str) -> int | None:
    """Return the version of the tray's newest snapshot, 0 if its pages name a fault; None if no tray answers."""
    try:
        with urllib.request.urlopen(f"{url}api/state", timeout=2.0) as answer:  # noqa: S310 - http only
            body = json.loads(answer.read(1 << 20))
    except urllib.error.HTTPError:
        return 0
    except (OSError, ValueError):
        return None
    version = body.get("version") if isinstance(body, dict) else None
    return version if isinstance(version, int) else None


def start_program(words: Sequence[str]) -> Program | None:
    """Start a program; None if there is none of that name."""
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL)  # noqa: S603 - fixed words, no shell
    except FileNotFoundError:
        return None


def forget_crash(profile: Path) -> None:
    """Mark in the browser's profile that it exited cleanly: after a power cut it would show a bubble otherwise."""
    preferences = profile / "Default" / "Preferences"
    try:
        body: Any = json.loads(preferences.read_text())
        body["profile"]["exit_type"] = "Normal"
        body["profile"]["exited_cleanly"] = True
    except (OSError, ValueError, KeyError, TypeError):
        return  # the first start: there is none yet
    preferences.write_text(json.dumps(body))


def is_in_use(profile: Path) -> bool:
    """Return whether a running browser of this machine uses the profile, whatever host name its lock has."""
    try:
        pid = os.readlink(profile / "SingletonLock").rpartition("-")[2]
        if f"--user-data-dir={profile}".encode() in Path(f"/proc/{int(pid)}/cmdline").read_bytes().split(b"\0"):
            return True
    except (OSError, ValueError):
        pass  # no lock, no such process, or another user's: a browser of ours would still answer
    with socket.socket(socket.AF_UNIX) as browser:
        try:
            browser.connect(os.path.realpath(profile / "SingletonSocket"))
        except OSError:
            return False
    return True


def forget_lock(profile: Path) -> None:
    """Remove the lock of a browser that no longer runs.

    A lock is a link to `HOST-PID`, which a power cut leaves behind. The browser itself removes one of its own host
    name, but takes one of another name for a browser on another computer and never starts.
    """
    for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
        with contextlib.suppress(OSError):  # it never existed, or the browser itself will report the problem
            (profile / name).unlink()


class Kiosk:
    """Keeps the page on the screen."""

    def __init__(
        self,
        params: KioskParams,
        profile: Path,
        touched: Path,
        *,
        version_of: Callable[[str], int | None] = ask_version,
        start: Callable[[Sequence[str]], Program | None] = start_program,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            params: Settings of the kiosk.
            profile: The browser's own folder.
            touched: A file whose modification time is that of the last touch.
            version_of: Asks the tray.
            start: Starts a program.
            clock: Monotonic seconds.
        """
        self._params = params
        self._profile = profile
        self._touched = touched
        self._version_of = version_of
        self._start = start
        self._clock = clock
        self._browser: Program | None = None
        self._url = self._url_now()
        self._start_at_s = clock()
        self._version: int | None = None
        self._touch = self._last_touch()
        self._awake_since_s = clock()
        self._dark = False

    @property
    def is_dark(self) -> bool:
        """Whether the screen is blanked."""
        return self._dark

    def look(self) -> None:
        """Check tray, browser and clock once; `run` repeats this."""
        url = self._url_now()
        if url != self._url and self._browser is not None:
            # The tray moved to another port or host, which the current page would never find.
            self._browser.terminate()
        self._url = url
        version = self._version_of(url)
        self._keep_browser(is_served=version is not None)
        touch = self._last_touch()
        if version not in (None, self._version) or touch != self._touch:
            self._awake_since_s = self._clock()
        self._version = version if version is not None else self._version
        self._touch = touch
        idle = self._params.blank_s > 0 and self._clock() - self._awake_since_s >= self._params.blank_s
        if idle != self._dark:
            self._dark = idle
            self._start(("wlopm", "--off" if idle else "--on", "*"))

    def run(self, stopping: threading.Event) -> None:
        """Repeat `look` until stopped, then end the browser."""
        # The first touch after five seconds without one updates the file's modification time.
        self._start(("swayidle", "-w", "timeout", "5", "true", "resume", f"touch '{self._touched}'"))
        while not stopping.is_set():
            self.look()
            stopping.wait(self._params.ask_s)
        if self._browser is not None:
            self._browser.terminate()

    def _keep_browser(self, *, is_served: bool) -> None:
        if self._browser is not None and self._browser.poll() is not None:
            self._browser = None
            self._start_at_s = self._clock() + self._params.restart_s
        # A running browser is left alone while the tray is away: its page reconnects automatically.
        if self._browser is not None or not is_served or self._clock() < self._start_at_s:
            return
        if is_in_use(self._profile):
            # A browser left by an earlier kiosk shows the page; a second one would only open another window.
            self._start_at_s = self._clock() + self._params.restart_s
            return
        forget_crash(self._profile)
        forget_lock(self._profile)
        page = self._page()
        for name in BROWSERS:
            self._browser = self._start((name, *BROWSER_FLAGS, f"--user-data-dir={self._profile}", page))
            if self._browser is not None:
                break
        if self._params.hide_pointer:
            self._start(self._params.hide_pointer)

    def _page(self) -> str:
        """Return the browser's start page: a file that passes the secret, which would be visible on a command line."""
        try:
            key = self._params.secret.read_text().strip()
        except OSError:
            return f"{self._url}?kiosk"  # a tray that does not restrict its own machine
        start = self._profile / "start.html"
        self._profile.mkdir(mode=0o700, parents=True, exist_ok=True)
        start.touch(mode=0o600)
        start.write_text(f'<meta http-equiv="refresh" content="0; url={self._url}display?key={key}&amp;kiosk">')
        return start.as_uri()

    def _url_now(self) -> str:
        """Return the address of the tray's page, from the tray itself unless the command line names it."""
        if self._params.url:
            return self._params.url
        try:
            return self._params.named.read_text().strip() or FIRST_URL
        except OSError:
            return FIRST_URL  # it never started, or is an older one

    def _last_touch(self) -> float | None:
        try:
            return self._touched.stat().st_mtime
        except OSError:
            return None


def read_arguments(arguments: Sequence[str] | None = None) -> KioskParams:
    """Return the kiosk's settings from the command line."""
    parser = argparse.ArgumentParser(description="Show the tray full screen on this machine's own display.")
    usual = KioskParams()
    parser.add_argument("--url", default=usual.url, help="the page, with its last slash (the one that the tray names)")
    parser.add_argument("--blank-s", type=float, default=usual.blank_s, help="seconds, 0 for never")
    parser.add_argument("--secret", type=Path, default=usual.secret, help="file by which the tray knows its display")
    words = parser.parse_args(arguments)
    return KioskParams(url=words.url, secret=words.secret, blank_s=words.blank_s)


def main() -> None:
    """Keep the page on the screen until stopped."""
    params = read_arguments()
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"))  # noqa: S108 - a session has the former
    profile = Path.home() / ".config" / "pushtray-kiosk"
    Kiosk(params, profile, runtime / "pushtray-touched").run(stopping)


if __name__ == "__main__":
    main()
