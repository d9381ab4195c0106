"""A whole tray with its simulated camera, a page of it in a real browser, and a fresh character."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Error, Page

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from tests.web.playing import WAIT_MS, eager_setup, wait_state
from tests.web.ports import free_port


@pytest.fixture
def played(tmp_path: Path) -> Iterator[TrayApp]:
    """A tray with the simulated camera."""
    settings = with_overrides(Settings(), camera="simulated", data=tmp_path, port=free_port())
    app = TrayApp(settings, eager_setup(settings))
    app.start()
    yield app
    app.stop()


@pytest.fixture
def opened(chromium: Browser, played: TrayApp) -> Iterator[Page]:
    context = chromium.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="dark", reduced_motion="reduce", base_url=played.url
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    yield page
    context.close()


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    """A page on which no script of ours may fail."""
    wrong: list[str] = []

    def note(error: Error) -> None:
        wrong.append(str(error))

    opened.on("pageerror", note)
    yield opened
    opened.remove_listener("pageerror", note)
    assert wrong == []


@pytest.fixture
def api(played: TrayApp) -> Iterator[httpx.Client]:
    with httpx.Client(verify=False, base_url=played.url, timeout=30) as client:
        yield client


@pytest.fixture
def begin(page: Page, api: httpx.Client) -> Callable[..., int]:
    """Choose a system with a fresh character in use, on the display; return the number of its sheet."""

    def start(system: str, title: str, **changes: Any) -> int:
        api.post("/api/reset")
        assert api.put("/api/system", json={"system": system}).is_success
        sheet = int(api.post("/api/sheets", json={"title": title}).json()["id"])
        if changes:
            assert api.patch(f"/api/sheets/{sheet}", json=changes).is_success
        assert api.put("/api/sheets/chosen", json={"sheet": sheet}).is_success
        page.goto("/")
        wait_state(page, "empty")
        return sheet

    return start
