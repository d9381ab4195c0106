"""A whole tray in a separate process, with dice that no camera reads, which the proof kills, starves and queries.

Throws are posted like the watch's, so that a start takes a fraction of a second. Everything else is the real tray.
"""

import http.client
import json
import multiprocessing
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from device.app import TrayApp
from device.cli.main import main
from device.config.settings import Settings, load_settings, with_overrides
from device.config.settings_service import SettingsSource
from device.game.state.events import DiceSettled, MotionSeen
from device.game.throw_orders import HandAction, MendOrder, PointPx, SimulatedThrow
from device.runtime.source import CameraSetup
from device.storage.display_secret import display_secret
from device.web.core.access import DISPLAY_COOKIE
from tests.conftest import BlindWatch, StillCamera
from tests.device.conftest import Dice

SETTINGS = '[tray]\ncamera = "simulated"\n\n[web]\nport = 0\n\n[phones]\npin = "on" # asked of everybody\n'
PATIENCE_S = 30.0
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.proof.tray", "device.diagnostics.doctor"])


class Hand:
    """Throws dice without pictures; their faces are random."""

    app: TrayApp

    def __init__(self) -> None:
        self._chance = random.Random()

    def throw(self, order: SimulatedThrow) -> None:
        first = 1 + max((die["id"] for die in self._dice()), default=0)
        colours = [colour for colour, count in order.counts for _ in range(count)]
        fallen = [Dice.die(first + k, colour, self._chance.randint(1, 6)) for k, colour in enumerate(colours)]
        self._lie(fallen)

    def pick_up_and_rethrow(self, centers_px: tuple[PointPx, ...], hand: HandAction, seed: int | None) -> None:
        picked = {tuple(map(float, center)) for center in centers_px}
        lying = self._dice()
        moved = [tuple(map(float, die["center_px"])) in picked for die in lying]
        stay = [self._seen(die, again=False) for die, goes in zip(lying, moved, strict=True) if not goes]
        self.app.camera.saw(DiceSettled(Dice.rest(*stay)))
        self._lie([self._seen(die, again=goes) for die, goes in zip(lying, moved, strict=True)])

    def mend(self, order: MendOrder, seed: int | None) -> None:
        return

    def clear(self) -> None:
        self.app.post(DiceSettled(Dice.rest()))

    def put_back(self) -> None:
        return

    def _lie(self, dice: list[Any]) -> None:
        """Post dice at rest a moment after the order was answered."""

        def fall() -> None:
            for event in (MotionSeen(), DiceSettled(Dice.rest(*dice))):
                self.app.camera.saw(event)

        threading.Timer(0.02, fall).start()

    def _seen(self, die: Any, *, again: bool) -> Any:
        x, y = die["center_px"]
        value = self._chance.randint(1, 6) if again else die["read_value"]
        return Dice.die(die["id"], die["read_colour"], value, (x, y + 150.0 * again), moved=again)

    def _dice(self) -> list[Any]:
        dice = self.app.tray.snapshot().body["dice"]
        assert isinstance(dice, list)
        return dice


def make_app(folder: Path) -> TrayApp:
    """Create a tray over a folder that has the settings file."""
    file, hand = folder / "settings.toml", Hand()
    if not file.exists():
        file.write_text(SETTINGS)

    def override(settings: Settings) -> Settings:
        return with_overrides(settings, data=folder / "data")

    setup = CameraSetup(StillCamera(np.full((960, 1280, 3), 90, np.uint8)), hand, BlindWatch())
    hand.app = TrayApp(override(load_settings(file)), setup, source=SettingsSource(file, override))
    return hand.app


def _run(folder: Path, told: Connection | None) -> None:
    with (folder / "log").open("a", buffering=1) as log, redirect_stderr(log):
        sys.stderr = log
        app = make_app(folder)
        app.start()
        if told is not None:
            told.send(app.url)
        signal.pause()


def _command(words: list[str]) -> None:
    with Path("/dev/null").open("w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        sys.exit(main(words))


class Refused(Exception):
    """The tray responded with an error.

    Attributes:
        status: Of the response.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}")
        self.status = status


class Tray:
    """A running tray and a client, as the display or with another cookie."""

    def __init__(self, folder: Path) -> None:
        heard, told = _FORKS.Pipe(duplex=False)
        self.folder = folder
        self.process = begin(folder, told)
        told.close()
        if not heard.poll(PATIENCE_S):
            raise AssertionError("the tray did not start: " + (folder / "log").read_text()[-2000:])
        try:
            url: str = heard.recv()
        except EOFError as error:
            raise AssertionError("the tray ended: " + (folder / "log").read_text()[-2000:]) from error
        self.port = int(url.rstrip("/").rpartition(":")[2])
        self.cookie = f"{DISPLAY_COOKIE}={display_secret(folder / 'data')}"

    @property
    def pid(self) -> int:
        return int(self.process.pid)

    def send(self, method: str, path: str, body: Any = None, cookie: str | None = None) -> tuple[Any, str | None]:
        """Send a request; return the response, and the cookie that was set."""
        headers = {"Cookie": self.cookie if cookie is None else cookie}
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if raw is not None:
            headers["Content-Type"] = "application/vnd.sqlite3" if isinstance(body, bytes) else "application/json"
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)) as connection:
            connection.request(method, f"/api/{path}", raw, headers)
            answer = connection.getresponse()
            found = answer.read()
            if answer.status >= 400:
                raise Refused(answer.status, found.decode()[:300])
            kind, cookie = answer.headers.get_content_type(), answer.headers["set-cookie"]
            return json.loads(found) if kind == "application/json" else found, cookie and cookie.partition(";")[0]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        return self.send(method, path, body)[0]

    def wait_for(self, is_so: Callable[[Any], bool]) -> Any:
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            if is_so(state := self.ask("GET", "state")):
                return state
            time.sleep(0.01)
        raise AssertionError("the state that is waited for did not come")

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def begin(folder: Path, told: Connection | None = None) -> Any:
    """Start a tray's process; its address comes over a connection."""
    process = _FORKS.Process(target=_run, args=(folder, told), daemon=True)
    process.start()
    return process


@contextmanager
def running(folder: Path) -> Iterator[Tray]:
    tray = Tray(folder)
    try:
        yield tray
    finally:
        tray.kill()


def command(*words: str) -> Any:
    """Start `pushtray` with arguments in a separate process."""
    process = _FORKS.Process(target=_command, args=(list(words),), daemon=True)
    process.start()
    return process


GONE = (OSError, http.client.HTTPException, ValueError)
"""Errors of a client whose tray is killed in the middle of a response."""


def play_roll(tray: Tray, chance: random.Random, tell: Callable[[Any], None]) -> None:
    """Play one roll as people would, passing on every state of the tray."""
    before = tray.ask("GET", "state")
    if before["state"] not in ("empty", "scored", "resolved"):
        before = tray.ask("POST", "reset", {})
    tray.ask("POST", "throw", {"base": 4, "skill": 3, "gear": 2})
    state = tray.wait_for(lambda now: now["state"] == "scored" and now["roll"] != before["roll"])
    tell(state)
    if chance.random() < 0.3:
        die = chance.choice(state["dice"])
        state = tray.ask("PATCH", f"dice/{die['id']}", {"value": chance.randint(1, 6)})
        tell(state)
    if chance.random() < 0.6:
        with suppress(Refused):
            tell(tray.ask("POST", "push", {}))
            tray.ask("POST", "throw", {})
            tell(tray.wait_for(lambda now: now["state"] != "awaiting_push" and now["state"] != "rolling"))
    if chance.random() < 0.7:
        tray.ask("POST", "reset", {})
