"""An evening on every page, opened over http from another device: play leaves no line in a browser's console."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from device.app import TrayApp
from device.config.settings import PhoneSettings, Settings, with_overrides
from device.config.settings_service import SettingsSource
from device.runtime.source import CameraSetup
from device.storage.display_secret import display_secret
from device.web.core.access import DISPLAY_COOKIE
from tests.conftest import BlindWatch, StillCamera
from tests.web.pages import PAGES
from tests.web.ports import free_port
from tests.web.resting import Table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


class FarTable(Table):
    """A table that other devices open by another name than this machine's own, and that asks them for a PIN."""

    def __init__(self, folder: Path) -> None:
        settings = with_overrides(Settings(), camera="simulated", data=folder, port=free_port())
        settings = replace(settings, web=replace(settings.web, names=("tray.lan",)), phones=PhoneSettings(pin="on"))
        camera = StillCamera(np.full((960, 1280, 3), 90, np.uint8))
        source = SettingsSource(folder / "settings.toml", lambda _: settings)
        self.app = TrayApp(settings, CameraSetup(camera, None, BlindWatch()), source=source)
        self.app.start()
        self.headers = {"cookie": f"{DISPLAY_COOKIE}={display_secret(folder)}"}
        self.url = self.app.url.rstrip("/")
        self.far = self.url.replace("127.0.0.1", "tray.lan")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[FarTable]:
    made = FarTable(tmp_path)
    yield made
    made.app.stop()


@pytest.mark.parametrize("role", ["display", "game master", "player", "guest"])
def test_pages_log_nothing_in_an_evening(role: str, table: FarTable, chromium: Browser, tmp_path: Path) -> None:
    lines: list[str] = []
    context = chromium.new_context(viewport={"width": 800, "height": 480}, reduced_motion="reduce")
    if role == "display":
        secret = {"name": DISPLAY_COOKIE, "value": display_secret(tmp_path), "url": table.far}
        context.add_cookies([secret])  # type: ignore[list-item]

    def opened(path: str) -> Page:
        page = context.new_page()
        page.on("console", lambda message: lines.append(f"{path}: {message.type} {message.text} {message.location}"))
        page.on("pageerror", lambda error: lines.append(f"{path}: {error}"))
        page.goto(table.far + path)
        return page

    if role in ("game master", "player"):
        pins = table.app.phones.pairing.pins
        door = opened("/me")
        door.get_by_test_id("pin").fill(pins.player if role == "player" else pins.game_master)
        door.get_by_test_id("pair").click()
        door.get_by_test_id("my-name").wait_for()
        door.close()
    pages = [opened(path) for path in PAGES]
    for page in pages:
        page.wait_for_timeout(200)
    assert [line for line in lines if "status of 40" not in line] == [], "what is not for this device, asked once"
    lines.clear()
    table.ask("POST", "asked", {"owner": "Ann", "hidden": True})
    table.throw((1, "base", 6), (2, "base", 1))
    for page in pages:
        page.wait_for_timeout(400)
    table.throw()
    table.ask("POST", "reset")
    table.throw((3, "base", None), (4, "skill", 5))  # type: ignore[arg-type]
    pages[0].wait_for_timeout(1500)
    context.close()
    assert "\n".join(dict.fromkeys(lines)) == ""
