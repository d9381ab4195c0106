"""The overlay's address in a real browser: corner, size, name, and the message about a wrong option."""

import pytest
from playwright.sync_api import Page

from tests.web.accessible import trips
from tests.web.conftest import FakeTray, scenes
from tests.web.resting import shows
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser]


def edges_of(page: Page, *names: str) -> list[int]:
    """Return the edges of the plate, in whole pixels."""
    box = page.evaluate("document.getElementById('plate').getBoundingClientRect().toJSON()")
    return [round(box[name]) for name in names]


def test_the_overlay_is_as_its_address_asks(windows: Windows, served: str, tray: FakeTray) -> None:
    page = windows.lend()
    tray.show(scenes()["scored"] | {"asked": {"id": 1, "owner": "Ann", "label": None}})
    page.goto(f"{served}/overlay")
    shows(page, "scored")
    assert page.locator("#headline").inner_text().startswith("Ann: ")
    assert edges_of(page, "left", "bottom") == [32, 768]
    for path, size in (("/overlay?size=50", 0.5), ("/overlay?corner=top-right&name=off&only=results&size=120", 1.2)):
        page.goto(served + path)
        shows(page, "scored")
        number = page.evaluate("document.getElementById('successes').getBoundingClientRect().height")
        assert number == pytest.approx(128 * 0.85 * size, abs=1)
    assert edges_of(page, "right", "top") == [1248, 32]
    assert page.locator("#headline").inner_text() == "Success"
    tray.show(scenes()["rolling"])
    shows(page, "rolling")
    assert page.locator("#plate").is_hidden()
    tray.show(scenes()["resolved"])
    for width, height in ((800, 480), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{served}/overlay?size=400&corner=middle&lang=de")
        shows(page, "resolved")
        wrong = page.locator("#wrong").inner_text()
        assert wrong == "corner ist middle: Wähle eins von bottom-left, bottom-right, top-left, top-right"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert trips(page) == []
