"""A whole tray without a camera, a page of it in a real browser, and a fresh character."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from tests.web.playing import WAIT_MS, wait_state
from tests.web.resting import Table
from tests.web.windows import Windows


@pytest.fixture
def page(windows: Windows, table: Table) -> Page:
    page = windows.lend(scheme="dark")
    page.set_default_timeout(WAIT_MS)
    return page


@pytest.fixture
def api(table: Table) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=table.url, timeout=30) as client:
        yield client


@pytest.fixture
def begin(page: Page, table: Table) -> Callable[..., int]:
    """Choose a system with a fresh character in use, on the display; return the number of its sheet."""

    def start(system: str, title: str, **changes: Any) -> int:
        table.ask("POST", "reset")
        table.ask("PUT", "system", {"system": system})
        sheet = int(table.ask("POST", "sheets", {"title": title})["id"])
        if changes:
            table.ask("PATCH", f"sheets/{sheet}", changes)
        table.ask("PUT", "sheets/chosen", {"sheet": sheet})
        page.goto(f"{table.url}/")
        wait_state(page, "empty")
        return sheet

    return start
