"""A hidden roll on a whole tray with every notification: nothing reveals it before it is shown.

`tray.lan` stands for a device beyond this machine.
"""

import http.client
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from device.app import TrayApp
from device.config.settings import PhoneSettings, Settings, with_overrides, with_services
from device.integrations.channels.discord import DiscordSettings
from device.integrations.channels.webhook import WebhookSettings
from device.integrations.settings import MqttSettings
from device.runtime.source import CameraSetup
from device.runtime.state_lines import StateLines
from device.storage.display_secret import display_secret
from device.web.core.access import DISPLAY_COOKIE
from tests.conftest import StillCamera
from tests.device.integrations.counterparts import OPEN, Broker, HttpCounterpart, Listener
from tests.web.resting import ScriptedWatch, reading, until
from vision.types.sighting import Rest, TrackedDie

GUARD = [("gear", 5), *[("base", 6)] * 17]
"""Its results are recognisable in any text: a total of 107, 106 above a difficulty of 1."""
GUARD_AGAIN = [("base", 6), ("base", 2), ("gear", 5)]
"""A success that may be pushed, so that it has odds."""
GUARDS_SURENESS = 0.987
MIRA = [("gear", 2), ("base", 6), ("base", 6), ("base", 5), ("base", 4)]
GUARDS, MIRAS = (re.compile(rf"(?<![\w.])(?:{texts})(?![\w.])") for texts in (r"107|106|0\.987", "23"))
"""Texts that only a result of the guard's, or of Mira's, contains."""
_TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+|\d\d:\d\d(?::\d\d)?")

SENT, LINES = {"webhook", "discord", "mqtt"}, "run --json"
Heard = Callable[[re.Pattern[str]], set[str]]
OF_WHAT_LIES_THERE = {"api/state", "api/events", "api/odds", "api/frame.jpg"}
OF_THE_LOG = {
    "api/rolls",
    "api/rolls.csv",
    "api/players/rolls?owner=Guard",
    "api/story",
    "api/story.csv",
    "api/story.jsonl",
    "api/statistics",
    "api/evenings",
    "api/rolls/2/picture.jpg",
    "api/rolls/2/read.svg",
    "story",
}
AS_IT_GOES = {"api/state", "api/events"}
OF_NO_ROLL = {
    *("api/calibration", "api/clocks", "api/club", "api/club/events", "api/health", "api/integrations", "api/phones"),
    *("api/phones/me", "api/phones/qr.svg", "api/roles", "api/rulings", "api/settings", "api/sheets", "api/update"),
    *("api/sheets/{sheet_id}", "api/sheets/{sheet_id}/export", "api/tiles", "foundry/module.json"),
    *("foundry/pushtray.zip", "api/bring-up", "api/dice-faces", "api/players", "api/dice-sets/{name}/export"),
    "api/dice-sets/{name}/faces/{colour}/{value}/views",
}
OF_A_DIE = {"api/dice/{die_id}/why.jpg", "api/bring-up/camera.jpg", "api/dice-sets"}
"""`test_app.py` and the test of another camera check that they are refused if the picture is."""
OF_ALL_THERE_IS = {"api/backup"}
"""The whole log, for those who may also restore it; see `device/README.md`."""


class Device:
    """A browser: the display, or a phone."""

    def __init__(self, tray: "HidingTray", host: str, pin: str = "", name: str = "") -> None:
        self._port = tray.port
        self._headers = {"host": f"{host}:{self._port}", "content-type": "application/json"}
        if host == "127.0.0.1":
            self._headers["cookie"] = f"{DISPLAY_COOKIE}={tray.secret}"
        if pin:
            with closing(self._sent("POST", "api/phones/pair", {"pin": pin})) as connection:
                cookie = connection.getresponse().getheader("set-cookie")
            self._headers["cookie"] = str(cookie).partition(";")[0]
            self.good("PUT", "api/phones/me", {"name": name})

    def get(self, way: str) -> tuple[int, bytes]:
        with closing(self._sent("GET", way)) as connection:
            answer = connection.getresponse()
            if way != "api/events":
                return answer.status, answer.read()
            # A stream has no end: its first state is enough.
            return answer.status, next(line for line in iter(answer.readline, b"") if line.startswith(b"data:"))

    def ask(self, method: str, way: str, body: Any = None) -> tuple[int, bytes]:
        with closing(self._sent(method, way, body or {})) as connection:
            answer = connection.getresponse()
            return answer.status, answer.read()

    def good(self, method: str, way: str, body: Any = None) -> Any:
        status, content = self.ask(method, way, body)
        assert status < 300, content
        return json.loads(content)

    def state(self) -> Any:
        return json.loads(self.get("api/state")[1])

    def reported(self, ways: set[str]) -> set[str]:
        """Return those of some outputs that reveal the guard's roll to this device."""
        return {way for way in ways if gives_away(way, *self.get(way))}

    def _sent(self, method: str, way: str, body: Any = None) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        connection.request(method, f"/{way}", None if body is None else json.dumps(body), self._headers)
        return connection


class HidingTray:
    """A whole tray with phones, and with every notification of other programs switched on."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.watch = ScriptedWatch()
        self.secret = display_secret(folder)
        settings = with_overrides(settings, camera="simulated", data=folder, port=0)
        web, phones = replace(settings.web, names=("tray.lan",)), PhoneSettings(pin="on")
        picture = np.full((960, 1280, 3), 90, np.uint8)
        setup = CameraSetup(StillCamera(picture), watch=self.watch)
        self.app = TrayApp(replace(settings, web=web, phones=phones), setup)
        reading_end, self._writing_end = os.pipe()
        os.set_blocking(reading_end, False)
        self._reading_end = reading_end
        self._lines = StateLines(self._writing_end, on_gone=lambda: None)
        self._lines_heard = b""
        self.app.tray.subscribe(self._lines.put)
        self._lines.start()
        self.app.start()
        self.port = int(self.app.url.rstrip("/").rpartition(":")[2])
        self._ids = 0

    def lie(self, dice: list[tuple[str, int]], sureness: float = 0.99) -> None:
        """Let dice come to rest, as the camera's thread reports them."""
        self._ids += len(dice)
        lying = tuple(
            TrackedDie(self._ids + k, replace(reading(k + 1, *die), confidence=sureness), None)
            for k, die in enumerate(dice)
        )
        self.watch.reported.put(Rest(1.0, 15, 1280, 960, lying, (), trusted=True))

    def lines(self) -> str:
        """Return the lines of `run --json`."""
        with suppress(BlockingIOError):
            self._lines_heard += os.read(self._reading_end, 2**20)
        return self._lines_heard.decode()

    def stop(self) -> None:
        self.app.stop()
        self._lines.stop()
        os.close(self._reading_end)
        os.close(self._writing_end)


def gives_away(way: str, status: int, content: bytes) -> bool:
    if way in ("api/frame.jpg", "api/rolls/2/picture.jpg", "api/rolls/2/read.svg"):
        assert status in (200, 403, 404)
        return status == 200
    assert status == 200, (way, content)
    text = _TIMES.sub("", content.decode())
    match way:
        case "api/odds":
            return json.loads(text)["table"] is not None
        case "api/statistics":
            return any(max(one["counts"]) >= 17 for one in json.loads(text)["faces"])
        case "api/evenings":
            return "Guard" in json.loads(text)["players"]
        case _:
            return GUARDS.search(text) is not None


@pytest.fixture
def listened(tmp_path: Path) -> Iterator[tuple[HidingTray, Heard]]:
    """A tray, and which of its receivers got something so far."""
    (tmp_path / "broker").mkdir()
    webhook, discord, broker = HttpCounterpart(), HttpCounterpart(), Broker(tmp_path / "broker", OPEN)
    listener = Listener(broker.port, "#")
    settings = with_services(
        Settings(),
        webhook=WebhookSettings(url=SecretStr(webhook.url)),
        discord=DiscordSettings(url=SecretStr(discord.url)),
        mqtt=MqttSettings(host="127.0.0.1", port=broker.port, tray="left", discovery=True),
    )
    tray = HidingTray(tmp_path, settings)
    posts: dict[str, list[str]] = {name: [] for name in SENT}

    def heard(what: re.Pattern[str]) -> set[str]:
        for name, server in (("webhook", webhook), ("discord", discord)):
            posts[name] += [server.got.get().body.decode() for _ in range(server.got.qsize())]
        posts["mqtt"] += [listener.heard.get().payload.decode() for _ in range(listener.heard.qsize())]
        reported = {LINES: tray.lines()} | {name: "\n".join(texts) for name, texts in posts.items()}
        return {name for name, texts in reported.items() if what.search(_TIMES.sub("", texts))}

    yield tray, heard
    tray.stop()
    listener.close()
    broker.stop()
    webhook.close()
    discord.close()


def test_of_every_path_it_is_known_whether_it_shows_rolls(listened: tuple[HidingTray, Heard]) -> None:
    paths = json.loads(Device(listened[0], "127.0.0.1").get("openapi.json")[1])["paths"]
    reported = {way.partition("?")[0].replace("/2/", "/{row}/") for way in OF_WHAT_LIES_THERE | OF_THE_LOG}
    assert {
        path.lstrip("/") for path, ways in paths.items() if "get" in ways
    } <= reported | OF_NO_ROLL | OF_A_DIE | OF_ALL_THERE_IS


def test_a_hidden_roll_is_given_away_nowhere_before_it_is_shown_and_reported_everywhere_then(
    listened: tuple[HidingTray, Heard], tmp_path: Path
) -> None:
    tray, heard = listened
    pins = tray.app.phones.pairing.pins
    display = Device(tray, "127.0.0.1")
    master = Device(tray, "tray.lan", pins.game_master, "Ann")
    phone = Device(tray, "tray.lan", pins.player, "Guard")
    everybody = (display, phone)
    master.good("PUT", "api/system", {"system": "die-code"})
    tray.lie([("gear", 2), ("base", 1)])
    until(lambda: display.state()["outcome"] is not None)
    display.good("POST", "api/reset")

    # The guard rolls hidden against an open roll, so that the comparison has both.
    sides = [{"owner": "Guard", "hidden": True}, {"owner": "Mira"}]
    answer = master.good("POST", "api/asked/together", {"kind": "opposed", "rolls": sides, "aim": {"difficulty": 1}})
    first = answer["asked"]["id"]
    tray.lie(GUARD, GUARDS_SURENESS)
    until(lambda: display.state()["state"] == "scored")
    # Its picture is written a moment later, and then available.
    until(lambda: len([*(tmp_path / "pictures").glob("*.jpg")]) == 2)
    its_own = {"api/rolls", "api/players/rolls?owner=Guard", "api/frame.jpg"}
    assert master.reported(AS_IT_GOES | its_own) == AS_IT_GOES | its_own
    for device in everybody:
        assert device.reported(OF_WHAT_LIES_THERE | OF_THE_LOG) == set()
    display.good("POST", "api/reset")
    tray.lie(MIRA)
    until(lambda: display.state()["outcome"] is not None)
    # Messages are sent in order: once Mira's is there, none of the guard's is on its way.
    until(lambda: heard(MIRAS) == SENT | {LINES})
    assert master.reported(AS_IT_GOES) == AS_IT_GOES
    for device in everybody:
        assert device.reported(AS_IT_GOES | OF_THE_LOG) == set()
    assert heard(GUARDS) == set()

    assert phone.ask("POST", f"api/asked/{first}/show")[0] == 403
    master.good("POST", f"api/asked/{first}/show")
    for device in everybody:
        assert device.reported(AS_IT_GOES | OF_THE_LOG) == AS_IT_GOES | OF_THE_LOG
    until(lambda: heard(GUARDS) == SENT)

    # Alone, and shown while its dice are in the tray: picture, odds and lamps.
    master.good("POST", "api/reset")
    master.good("PUT", "api/system", {"system": "push-pool"})
    answer = master.good("POST", "api/asked", {"owner": "Guard", "hidden": True})
    tray.lie(GUARD_AGAIN, GUARDS_SURENESS)
    until(lambda: display.state()["state"] == "scored")
    assert master.reported(OF_WHAT_LIES_THERE) == OF_WHAT_LIES_THERE
    for device in everybody:
        assert device.reported(OF_WHAT_LIES_THERE) == set()
    assert not display.state()["lamps"]["success"]["lit"]
    assert json.loads(display.ask("POST", "api/calibration/proof")[1])["reason"] == "hidden"
    assert LINES not in heard(GUARDS)
    display.good("POST", f"api/asked/{answer['asked']['id']}/show")
    for device in everybody:
        assert device.reported(OF_WHAT_LIES_THERE) == OF_WHAT_LIES_THERE
    assert display.state()["lamps"]["success"]["lit"]
    assert json.loads(display.ask("POST", "api/calibration/proof")[1])["reason"] != "hidden"
    until(lambda: LINES in heard(GUARDS))
