"""Files of the pages in a real browser: all of them under lasting names, and loaded once."""

import re

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

LOADED = """() => performance.getEntriesByType('resource')
    .filter(entry => entry.name.includes('/static/'))
    .map(entry => [new URL(entry.name).pathname, entry.transferSize])"""


@pytest.mark.parametrize("path", ["/", "/overlay", "/phone", "/sheets", "/rulings", "/docs", "/calibrate"])
def test_a_page_loads_its_files_once(chromium: Browser, served: str, path: str) -> None:
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.goto(served + path, wait_until="load")
        first = page.evaluate(LOADED)
        words = {name.split("/")[2] for name, _ in first}
        assert len(first) >= 3
        assert len(words) == 1, "a module that is loaded under two names is two modules"
        assert re.fullmatch("[0-9a-f]{12}", words.pop()), "the plain names are asked for again each time"
        page.goto(served + path, wait_until="load")
        again = page.evaluate(LOADED)
        assert {name for name, _ in again} >= {name for name, _ in first if name.endswith(".js")}
        # The browser asks for the icon when it has nothing better to do: now and then that is after the first load.
        assert [name for name, size in again if size > 0 and name in dict(first)] == []
    finally:
        context.close()
