"""A whole tray without a camera, dice that come to rest in it, and a walk through its windows and pages."""

import http.client
import json
import queue
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.config.settings_service import SettingsSource
from device.game.state.events import DiceSettled, MotionSeen
from device.runtime.source import CameraSetup
from device.texts.catalogue import ENGLISH, catalogue
from tests.conftest import BlindWatch
from tests.web.ports import free_port
from vision.types.frame import Frame
from vision.types.reading import DieReading
from vision.types.sighting import Rest, Sighting, TrackedDie

Lying = tuple[int, str, int] | tuple[int, str, int, int]
"""A die at rest: its number, colour class and value, and its sides unless it has six."""


class Table:
    """A whole tray without a camera, and dice that come to rest in it."""

    headers: Mapping[str, str] = {}

    def __init__(self, folder: Path, setup: CameraSetup, source: SettingsSource | None = None) -> None:
        settings = with_overrides(Settings(), camera="simulated", data=folder, port=free_port())
        self.app = TrayApp(settings if source is None else source.override(settings), setup, source=source)
        self.app.start()
        self.url = self.app.url.rstrip("/")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=30)
        headers = {"content-type": "application/json", **self.headers}
        connection.request(method, f"/api/{path}", json.dumps(body or {}), headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        assert answer.status < 400, content
        return content

    def throw(self, *dice: Lying, still: tuple[int, ...] = ()) -> None:
        """Let dice come to rest; those with numbers in `still` have not moved."""
        lying = tuple(TrackedDie(die[0], reading(*die), die[0] not in still) for die in dice)
        self.app.post(MotionSeen())
        self.app.post(DiceSettled(Rest(1.0, 15, 1280, 960, lying, (), trusted=True)))


class ScriptedWatch(BlindWatch):
    """Reports for the next picture what the test set."""

    def __init__(self) -> None:
        self.reported: queue.SimpleQueue[Rest] = queue.SimpleQueue()

    def see(self, frame: Frame) -> Sighting | None:
        return None if self.reported.empty() else self.reported.get()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for another thread, in short steps, at most ten seconds."""
    pause = threading.Event()
    for _ in range(1000):
        if is_so():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come about in ten seconds")


def rulings_of(table: Table, system: str) -> list[dict[str, Any]]:
    return next(one["rulings"] for one in table.ask("GET", "rulings")["systems"] if one["id"] == system)


def reading(number: int, colour: str, value: int, sides: int = 6) -> DieReading:
    x, y = 150.0 * number, 300.0
    quad = ((x - 30, y - 30), (x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30))
    return DieReading(colour, value, 0.99, None, (x, y), (x - 30, y - 30, 60, 60), quad, sides=sides)


def has_headline(page: Page, text: str) -> None:
    """Wait until a display's headline contains a text."""
    page.locator("#headline", has_text=text).wait_for()


def shows(page: Page, state: str) -> None:
    page.wait_for_function("state => document.body?.dataset.state === state", arg=state)


def set_up(table: Table, system: str) -> None:
    """Set up a system with a sheet and two clocks."""
    table.ask("PUT", "system", {"system": system})
    table.ask("POST", "sheets", {"title": "Ann"})
    for name in ("Storm", "Alarm"):
        table.ask("POST", "clocks", {"name": name, "segments": 6, "filled": 2})


def walk(page: Page, table: Table, system: str, note: Callable[[str], None], language: str = ENGLISH) -> None:
    """Walk through every window and page of a system, starting at its empty tray.

    Args:
        page: The display of that tray, in that language.
        table: The tray, as `set_up` left it.
        system: The rule system.
        note: Called with a name whenever something else is open.
        language: Of the page, whose buttons are found by their texts.
    """
    known, ending = catalogue(language), "" if language == ENGLISH else f"?lang={language}"

    def key(text: str, **values: str) -> Any:
        return page.get_by_role("button", name=known.render(text, values))

    shows(page, "empty")
    note("empty")
    page.locator("#prepare-button").click()
    page.locator("#prepare .tile").first.wait_for()
    note("prepare")
    page.locator("#prepare .panel-close").click()
    page.locator("#table-button").click()
    page.locator("[data-tab=asks]").wait_for()
    for tab in ("clocks", "series", "asks"):
        if page.locator(f"[data-tab={tab}]").is_visible():
            page.locator(f"[data-tab={tab}]").click()
            note(tab)
    page.locator("[data-tab=clocks]").click()
    key("page.clock.away", name="Alarm").click()
    page.get_by_test_id("undo-button").wait_for()
    note("undo")
    page.get_by_test_id("undo-button").click()
    key("page.clock.away", name="Alarm").wait_for()
    page.locator("#table-panel .panel-close").click()
    table.throw((1, "base", 6), (2, "base", 1), (3, "skill", 4), (4, "gear", 2))
    page.wait_for_function("() => !['empty', 'rolling'].includes(document.body.dataset.state)")
    note("thrown")
    if page.get_by_test_id("push-button").is_enabled():
        page.get_by_test_id("push-button").click()
        shows(page, "awaiting_push")
        note("awaiting_push")
    page.get_by_test_id("reset-button").click()
    shows(page, "empty")
    tiles = table.ask("GET", "tiles")
    for one in tiles["series"][:1]:
        table.ask("PUT", "series", {"op": one["op"], "settings": {}})
        page.locator(".strip.series").wait_for()
        note("a test over several rolls")
    for one in tiles["typed_levels"][:1]:
        table.ask("POST", "typed-dice", {"level": one["level"], "value": 1})
        page.get_by_test_id("typed-die").wait_for()
        note("typed dice")
        page.get_by_test_id("typed-die").click()
        note("typing a die in")
    for ruling in rulings_of(table, system)[:3]:
        other = [value for value in ruling["choices"] or [ruling["low"], ruling["high"]] if value != ruling["value"]]
        table.ask("PUT", f"rulings/{system}", {"rulings": {ruling["name"]: other[0]}})
    page.goto(f"{table.url}/sheets{ending}")
    page.get_by_test_id("sheet").wait_for()
    note("sheet")
    page.get_by_test_id("edit-sheet").click()
    page.get_by_test_id("delete-sheet").wait_for()
    note("edited sheet")
    page.goto(f"{table.url}/rulings{ending}")
    page.locator("[data-ruling]").first.wait_for()
    note("rulings")
