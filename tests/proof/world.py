"""External faults: each is applied to a whole tray in play, and removed again.

During a fault the tray responds and reports it with its cure, as far as it prevents anything; afterwards a roll is
scored without help.
"""

import itertools
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import numpy as np
from pydantic import SecretStr

from device.app import TrayApp
from device.camera.worker import CameraWorkerParams
from device.config.settings import RingSettings, Settings, with_overrides, with_services
from device.errors import DeviceError
from device.game.state.events import DiceSettled, PushPressed, ResetPressed
from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.settings import MqttSettings
from device.panel.panel import PanelParams
from device.ring.wled import WledParams
from device.runtime.loop import LoopParams
from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch
from tests.device.conftest import Dice
from tests.device.integrations.counterparts import HttpCounterpart, Told, silent_server
from tests.device.ring.wled_emulator import WledEmulator
from tests.narrowing import there
from vision.pipeline.reader import Reader
from vision.tracking.watch import TrayWatch
from vision.types.frame import Frame, ImageBgr

PATIENCE_S = 30.0
SHAPE = (120, 160, 3)


class Camera:
    """A noisy sensor that may be missing, freeze, or show impossible pictures.

    Attributes:
        shows: Function that makes the next picture; it may raise, like a driver.
    """

    name = "simulated"

    def __init__(self) -> None:
        self._chance = np.random.default_rng(1)
        self._count = 0
        self.shows: Callable[[], ImageBgr] = self.noise

    def noise(self, shape: tuple[int, ...] = SHAPE) -> ImageBgr:
        return self._chance.integers(90, 100, shape, np.uint8)

    def gone(self) -> ImageBgr:
        raise DeviceError("the camera is gone: plug it in again")

    def open(self) -> None:
        if self.shows == self.gone:
            self.gone()

    def read(self, timeout_s: float) -> Frame | None:
        time.sleep(0.01)
        self._count += 1
        return Frame(self.shows(), self._count / 100, self._count)

    def close(self) -> None:
        return


@dataclass
class Table:
    """A whole tray, and everything around it that may fail.

    Attributes:
        app: The tray.
        camera: Its camera.
        ring: Its light ring.
        web: The server of its webhook and its chat.
        count: Number of faults survived, by kind.
        presses: Number of presses that requested power off.
        numbers: Numbers of the rolls that are played.
    """

    app: TrayApp
    camera: Camera
    ring: WledEmulator
    web: HttpCounterpart
    count: Counter[str]
    presses: list[int]
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def wait(self, is_so: Callable[[], bool], what: str) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < until_s, f"{what}: did not come about"
            time.sleep(0.01)

    @property
    def body(self) -> Any:
        return self.app.tray.snapshot().body

    @property
    def faults(self) -> dict[str, str]:
        return dict(self.app.tray.health()["faults"])  # type: ignore[arg-type]

    def score(self) -> None:
        """Score a roll with its push, and check that it is in the log."""
        first_id = 100 * next(self.numbers)
        dice = [replace(die, id=die.id + first_id) for die in (*Dice.FIRST, *Dice.LEFT, *Dice.THROWN)]
        first, left, thrown = dice[:4], dice[4:5], dice[5:]
        self.app.tray.ask(ResetPressed())
        self.app.post(DiceSettled(Dice.rest()))
        rows = len(self.app.tray.rolls(500, None))
        self.app.post(DiceSettled(Dice.rest(*first)))
        self.wait(lambda: self.body["state"] == "scored", "scored")
        assert self.app.tray.ask(PushPressed()).accepted
        self.app.post(DiceSettled(Dice.rest(*left)))
        self.app.post(DiceSettled(Dice.rest(*thrown)))
        self.wait(lambda: self.body["state"] == "resolved", "resolved")
        assert len(self.app.tray.rolls(500, None)) == min(500, rows + 2)
        self.count["rolls scored"] += 1

    def answers(self) -> None:
        """Check that pages are served."""
        for path in ("", "api/state", "api/health", "api/rolls", "api/evenings", "api/statistics"):
            answer = httpx.get(f"{self.app.url}{path}", verify=False, timeout=PATIENCE_S)
            assert answer.status_code in (200, 503), (path, answer.status_code)
        self.count["pages answered"] += 1

    def named(self, part: str) -> None:
        """Check that the fault is reported with its cure."""
        self.wait(lambda: part in self.faults, f"a fault of {part}")
        assert ": " in self.faults[part], self.faults[part]

    def well(self, part: str) -> None:
        self.wait(lambda: part not in self.faults and self.body["state"] != "fault", f"the end of a fault of {part}")
        self.score()


def camera_gone(table: Table, times: int) -> None:
    for _ in range(times):
        table.camera.shows = table.camera.gone
        table.named("camera")
        table.camera.shows = table.camera.noise
        table.wait(lambda: "camera" not in table.faults, "the camera's return")
        table.count["camera gone and back"] += 1
    table.well("camera")


def strange_frames(table: Table, _times: int) -> None:
    frozen = table.camera.noise()
    table.camera.shows = lambda: frozen
    table.named("camera")
    table.camera.shows = table.camera.noise
    table.well("camera")
    for shape in ((1, 1, 3), (60, 160, 3), (119, 77, 3), (480, 640, 3)):
        table.camera.shows = partial(table.camera.noise, shape)
        time.sleep(0.1)
        table.score()
    table.camera.shows = lambda: np.zeros(SHAPE, np.uint8)
    time.sleep(0.1)
    table.score()
    table.camera.shows = table.camera.noise
    table.count["frozen, black, half, other-sized pictures"] += 6
    table.well("camera")


def watched_frames(table: Table, _times: int) -> None:
    """Run the real watch and reader over pictures of changing sizes, black and torn."""
    watch = TrayWatch(Reader(None, None))
    pictures = [
        table.camera.noise(shape) for shape in ((240, 320, 3), (120, 320, 3), (240, 320, 3), (24, 32, 3), (6, 8, 3))
    ]
    torn = table.camera.noise((240, 320, 3))
    torn[120:] = 0
    pictures += [np.zeros((240, 320, 3), np.uint8), torn]
    for number in range(70):
        watch.see(Frame(pictures[number // 5 % len(pictures)], number / 15, number))
    table.count["pictures of changing size to the real watch"] += 70


def ring_faults(table: Table, _times: int) -> None:
    harms: tuple[tuple[Callable[[], None], Callable[[], None]], ...] = (
        (partial(table.ring.unplug_after, 40), table.ring.plug),
        (partial(table.ring.mute, True), partial(table.ring.mute, False)),
        (table.ring.unplug, table.ring.plug),
    )
    for harm, mend in harms:
        harm()
        table.score()  # the lights change with each state
        table.wait(lambda: "ring" in table.faults, "a fault of the ring")
        assert ": " in table.faults["ring"]
        mend()
        table.well("ring")
        table.count["ring gone, mute"] += 1
    chance = np.random.default_rng(7)
    for nonsense in (b'{"state":{"seg":[[[' * 50, b"\x00" * 4000, chance.bytes(4000), b'{"info":NaN}\n', b"{" * 900):
        os.write(there(table.ring._master_fd), nonsense + b"\n")
        table.score()
        table.count["ring talking nonsense"] += 1
    table.well("ring")


def stuck_buttons(table: Table, _times: int) -> None:
    factory, wiring = there(table.app.panel.panel._factory), PanelParams()
    push, reset = factory.pin(wiring.push_pin), factory.pin(wiring.reset_pin)
    table.app.tray.ask(ResetPressed())
    table.app.post(DiceSettled(Dice.rest()))
    table.app.post(DiceSettled(Dice.rest(*Dice.FIRST)))
    table.wait(lambda: table.body["state"] == "scored", "scored")
    push.drive_low()
    # The panel reads its press later, and would otherwise push one of the rolls below.
    table.wait(lambda: table.body["state"] != "scored", "the press of the stuck button")
    for _ in range(3):
        table.score()
    push.drive_high()
    for _ in range(300):
        reset.drive_low()
        reset.drive_high()
    time.sleep(0.2)
    table.score()
    assert not table.presses, "a bouncing button switched the tray off"
    table.count["buttons stuck and bouncing"] += 2


def disk_faults(table: Table, _times: int) -> None:
    """The drive is full, turns read-only, is slow: as SQLite experiences it."""
    database: sqlite3.Connection = table.app.log.archive._history._database

    def harmed(by: str, back: str) -> None:
        database.execute(by)
        for _ in range(6):  # until the free space in the file is used up
            dice = [Dice.die(10**6 + next(table.numbers) * 20 + k, "base", 4) for k in range(15)]
            for event in (ResetPressed(), DiceSettled(Dice.rest()), DiceSettled(Dice.rest(*dice))):
                table.app.post(event)
        table.named("history")
        table.answers()
        database.execute(back)
        table.well("history")

    (pages,) = database.execute("PRAGMA page_count").fetchone()
    harmed(f"PRAGMA max_page_count = {pages}", "PRAGMA max_page_count = 1073741823")
    harmed("PRAGMA query_only = ON", "PRAGMA query_only = OFF")
    database.set_progress_handler(lambda: time.sleep(0.02), 100)
    table.score()
    database.set_progress_handler(None, 0)
    table.well("history")
    table.count["disk full, read-only, slow"] += 3


def _shifted(shift: timedelta) -> datetime:
    return datetime.now(UTC) + shift


def _later(true: Callable[[], float], seconds: float) -> float:
    return true() + seconds


def clock_faults(table: Table, _times: int) -> None:
    history, true = table.app.log.archive._history, time.time
    years = [datetime(year, 1, 1, tzinfo=UTC) - datetime.now(UTC) for year in (1970, 1902, 2040)]
    for shift in (timedelta(days=-30), timedelta(days=800), *years, timedelta()):
        seconds = shift.total_seconds()
        with patch.object(time, "time", partial(_later, true, seconds)):
            history._clock = partial(_shifted, shift)
            table.score()
            table.answers()
        table.count["clock set back, forth, to 1970, before and after"] += 1


def hostile_counterparts(table: Table, _times: int) -> None:
    hangs = threading.Event()
    for told in (
        Told(500), Told(429, {"Retry-After": "999999999999"}), Told(429, {"Retry-After": "soon"}),
        Told(301, {"Location": "file:///etc/passwd"}),
        Told(200, body=b"x" * 3_000_000), Told(drips=True), Told(hangs=hangs), Told(404), Told(204),
    ):  # fmt: skip
        table.web.tell(told)
        table.score()
        table.count["webhooks and broker down, slow, hostile"] += 1
    hangs.set()
    table.answers()


FAULTS: dict[str, Callable[[Table, int], None]] = {
    "camera gone": camera_gone,
    "strange frames": strange_frames,
    "watched frames": watched_frames,
    "ring": ring_faults,
    "buttons": stuck_buttons,
    "disk": disk_faults,
    "clock": clock_faults,
    "counterparts": hostile_counterparts,
}


@contextmanager
def a_table(folder: Path, *, tells: bool = True) -> Iterator[Table]:
    """Run a tray with ring, panel, webhook, chat and broker, all with short waits."""
    camera, web, presses = Camera(), HttpCounterpart(), list[int]()
    ring = WledEmulator(folder / "ring", 60)
    ring.plug()
    with (
        silent_server() as dead,
        patch("device.parts.panel.ask_for_poweroff", lambda: presses.append(1)),
        patch("device.runtime.loop.LoopParams",
              partial(LoopParams, answer_s=PATIENCE_S, retry_first_s=0.05, max_retry_s=0.1)),
        patch("device.camera.worker.CameraWorkerParams",
              partial(CameraWorkerParams, retry_first_s=0.02, max_retry_s=0.05, frozen_s=0.5)),
    ):  # fmt: skip
        port = WledParams(port=str(folder / "ring"), answer_s=2.0, retry_s=0.1, max_retry_s=0.2, check_s=0.3)
        settings = replace(
            with_overrides(Settings(), camera="simulated", data=folder / "data", port=0),
            ring=RingSettings("wled", port=port),
        )
        told = with_services(
            settings,
            webhook=WebhookSettings(url=SecretStr(web.url)),
            discord=DiscordSettings(url=SecretStr(web.url)),
            mqtt=MqttSettings(host="127.0.0.1", port=dead, commands=True, club=True),
        )
        app = TrayApp(told if tells else settings, CameraSetup(camera, None, BlindWatch(), is_live=True))
        app.start()
        try:
            table = Table(app, camera, ring, web, Counter(), presses)
            table.well("ring")
            yield table
        finally:
            app.stop()
            ring.unplug()
            web.close()


def world(folder: Path, times: int) -> Counter[str]:
    """Apply every fault to a tray; return how many it survived, by kind."""
    folder.mkdir(parents=True, exist_ok=True)
    with a_table(folder) as table:
        for fault in FAULTS.values():
            fault(table, times)
        assert table.app.hang is None
        return table.count
