"""Every page in every state, with each of its windows open, light and dark: axe-core finds nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

from device.runtime.source import CameraSetup
from rules.system import systems
from tests.conftest import BlindWatch, StillCamera
from tests.web.accessible import trips
from tests.web.conftest import FakeTray
from tests.web.resting import Table, set_up, shows, walk

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

SCREENS = [("dark", (1280, 800)), ("light", (1280, 800)), ("light", (800, 480)), ("dark", (390, 844))]
WAIT_MS = 30_000
ROWS = [
    {
        "id": number,
        "at": "2030-01-01T10:00:00Z",
        "kind": "corrected",
        "dice": [{"id": 1, "colour": "gear", "value": 6, "read_value": 5}, {"id": 2, "colour": None, "value": 2}],
        "outcome": {"headline": {"value": 1, "word": "success"}, "trauma": 1},
    }
    for number in range(30)
]
ODDS = {"pool": {"p_success": "1/3"}, "table": {"p_success": "2/3", "p_trauma_at_least": {"1": "1/2"}}}


@pytest.fixture
def look(chromium: Browser) -> Iterator[Callable[..., Page]]:
    contexts = []

    def opened(url: str, scheme: Literal["light", "dark"], size: tuple[int, int]) -> Page:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1][0]}")
def test_every_state(
    look: Callable[..., Page],
    served: str,
    tray: FakeTray,
    all_scenes: dict[str, Any],
    screen: tuple[str, tuple[int, int]],
) -> None:
    tray.rows, tray.odds_now = ROWS, ODDS
    assert sweep(look(f"{served}/", *screen), tray, all_scenes) == {}


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1][0]}")
def test_every_state_on_the_overlay(
    look: Callable[..., Page],
    served: str,
    tray: FakeTray,
    all_scenes: dict[str, Any],
    screen: tuple[str, tuple[int, int]],
) -> None:
    assert sweep(look(f"{served}/overlay", *screen), tray, all_scenes) == {}


def sweep(page: Page, tray: Any, all_scenes: dict[str, Any]) -> dict[str, list[str]]:
    """What axe finds in each state."""
    found = {}
    for name, body in all_scenes.items():
        tray.show(body)
        shows(page, body["state"])
        page.evaluate("() => new Promise(requestAnimationFrame)")
        found[name] = trips(page)
    return {name: told for name, told in found.items() if told}


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1][0]}")
def test_windows_over_the_display(
    look: Callable[..., Page],
    served: str,
    tray: FakeTray,
    all_scenes: dict[str, Any],
    screen: tuple[str, tuple[int, int]],
) -> None:
    tray.show(all_scenes["unclear"])
    page = look(f"{served}/phone", *screen)
    shows(page, "unclear")
    found = {}

    def note(name: str) -> None:
        found[name] = trips(page)

    page.locator("[data-die-id='4']").click()
    note("pad")
    page.locator("#pad-close").click()
    tray.show(all_scenes["scored"] | {"ignored_dice": [all_scenes["scored"]["dice"][0]]})
    shows(page, "scored")
    page.locator("#help-button").click()
    note("help")
    page.locator("#help-close").click()
    page.locator("#setup-button").click()
    note("setup")
    page.locator("#setup-button").click()
    tray.refuse_with = "already_pushed"
    page.get_by_test_id("push-button").click()
    page.locator("#toast").wait_for()
    note("toast")
    assert {name: told for name, told in found.items() if told} == {}


def test_a_page_that_does_not_hear_the_tray(
    look: Callable[..., Page], served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.web.stream.Streams.is_full", property(lambda _: True))
    found = {}
    for path in ("/", "/sheets", "/rulings"):
        page = look(served + path, *SCREENS[0])
        page.locator("#lost").wait_for()
        found[path] = trips(page)
    assert {path: told for path, told in found.items() if told} == {}


@pytest.fixture
def table(tmp_path: Path, still_camera: type[StillCamera], blind_watch: type[BlindWatch]) -> Iterator[Table]:
    made = Table(tmp_path, CameraSetup(still_camera(), None, blind_watch()))
    yield made
    made.app.stop()


@pytest.mark.parametrize("screen", [SCREENS[1], SCREENS[3]], ids=["desk", "phone"])
@pytest.mark.parametrize("system", [system.id for system in systems()])
def test_every_system_with_its_windows_sheets_and_rulings(
    look: Callable[..., Page], table: Table, system: str, screen: tuple[str, tuple[int, int]]
) -> None:
    set_up(table, system)
    page = look(table.url, *screen)
    found = {}

    def note(name: str) -> None:
        page.evaluate("() => new Promise(requestAnimationFrame)")
        found[name] = trips(page)

    walk(page, table, system, note)
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1][0]}")
def test_the_interface_page(look: Callable[..., Page], served: str, screen: tuple[str, tuple[int, int]]) -> None:
    page = look(f"{served}/docs", *screen)
    page.locator(".path").nth(5).wait_for()
    assert trips(page) == []
