"""Little room and a slow link: pages at twice the size, very long names, what still loads, a long history."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Error, Route

from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch, StillCamera
from tests.web.conftest import FakeTray, at_rest, lying
from tests.web.layout import layout_of
from tests.web.pages import PAGES
from tests.web.resting import Table
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

LONG = "Wilhelmina-Charlotte von der Hohenleiten"
"""The greatest length of a name."""
HALVED = [(640, 400), (320, 640), (400, 240)]
"""A laptop, a phone and the small panel at twice the size."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    table = Table(tmp_path_factory.mktemp("narrow"), CameraSetup(StillCamera(), watch=BlindWatch()))
    table.ask("POST", "sheets", {"title": LONG})
    table.ask("POST", "clocks", {"name": LONG, "segments": 4})
    request = {"owner": LONG, "label": LONG[::-1], "dice": {"base": 2, "skill": 2, "gear": 1}}
    table.ask("POST", "asked", request)
    table.throw((1, "base", 6), (2, "base", 1), (3, "skill", 4), (4, "skill", 2), (5, "gear", 1))
    table.ask("POST", "asked", request)
    yield table
    table.app.stop()


def test_at_twice_the_size_no_page_scrolls_sideways_or_cuts_a_word(windows: Windows, table: Table) -> None:
    page = windows.lend()
    wrong = {}
    for path in PAGES:
        if path == "/overlay":  # made for a stream's picture
            continue
        page.goto(f"{table.url}{path}")
        page.wait_for_timeout(400)
        for width, height in HALVED:
            page.set_viewport_size({"width": width, "height": height})
            seen = layout_of(page)
            sideways = [one for one in seen.held if one.startswith(("x ", "cut off")) and one != "x div.wide"]
            if sideways or seen.spilt:
                wrong[f"{path} {width}x{height}"] = [*sorted(sideways), *seen.spilt]
    assert wrong == {}


def test_a_path_of_the_interface_is_broken_after_slashes_only(windows: Windows, served: str) -> None:
    page = windows.lend((320, 640))
    page.goto(f"{served}/docs")
    page.locator(".path").first.wait_for()
    broken = """() => [...document.querySelectorAll(".path h2 span:not(.method)")].flatMap((path) => {
      const parts = document.createTreeWalker(path, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      const found = [];
      while (parts.nextNode()) {
        range.selectNodeContents(parts.currentNode);
        if (range.getClientRects().length > 1) found.push(parts.currentNode.data);
      }
      return found;
    })"""
    assert page.evaluate(broken) == []
    assert page.locator("wbr").count() > 0


def test_at_twice_the_size_the_windows_of_the_display_fit(windows: Windows, table: Table) -> None:
    page = windows.lend((320, 640))
    page.goto(table.url)
    page.locator("body[data-state=scored]").wait_for()
    wrong = {}
    for key, window in (("#prepare-button", "#prepare"), ("#table-button", "#table-panel")):
        page.locator(key).click()
        page.locator(f"{window} .panel-body *").first.wait_for()
        page.wait_for_timeout(150)
        seen = layout_of(page)
        # A list's choice is a name here, and complete in the list itself.
        wrong[window] = [*sorted(one for one in seen.held if one.startswith("x ")), *seen.spilt]
        page.locator(f"{window} .panel-close").click()
    assert wrong == {"#prepare": [], "#table-panel": []}


def test_a_name_that_does_not_fit_is_cut_with_a_word(windows: Windows, table: Table) -> None:
    page = windows.lend((390, 844))
    page.goto(f"{table.url}/me")
    name = page.get_by_test_id("my-name")
    name.click()
    page.keyboard.type(LONG)
    assert page.locator("#toast").is_hidden()
    page.keyboard.type("x")
    page.locator("#toast", has_text="40 letters").wait_for()
    assert name.input_value() == LONG


def test_on_a_slow_link_a_page_says_that_it_still_loads(windows: Windows, table: Table) -> None:
    page = windows.lend((390, 844))
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/*.css", hold)
    page.goto(f"{table.url}/sheets", wait_until="commit")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    assert page.evaluate("() => document.body.innerText.trim()") == "Loading…", "before the first style sheet"
    page.unroute("**/*.css")
    scripts = "**/pages/*.js"
    page.route(scripts, hold)
    waiting_text = """() => [...document.querySelectorAll("[data-waits]")]
        .filter((node) => getComputedStyle(node, "::before").content !== "none").map((node) => node.dataset.waits)[0]"""
    for path in ("/", "/sheets", "/me"):
        page.goto(f"{table.url}{path}", wait_until="commit")
        page.wait_for_function(waiting_text)
        assert page.evaluate(waiting_text) == "Loading…"
    page.unroute(scripts)
    page.goto(f"{table.url}/sheets")
    page.get_by_test_id("sheet-names").get_by_text(LONG).wait_for()
    assert page.evaluate(waiting_text) is None
    for route in waiting:
        with suppress(Error):
            route.abort()


def test_on_the_panel_the_history_unfolds_with_all_of_it(windows: Windows, tray: FakeTray, served: str) -> None:
    row = {"id": 1, "roll": 1, "at": "2030-01-01T10:00:00Z", "kind": "scored", "owner": LONG, "costs": [LONG]}
    dice = [{"id": number, "colour": "base", "value": 6} for number in range(20)]
    tray.rows = [row | {"dice": dice, "outcome": None}]
    tray.show(at_rest(lying(1, "base", 6)))
    page = windows.lend((800, 480))
    page.goto(served)
    page.locator(".history-note").wait_for()
    is_whole = "(node) => node.scrollHeight <= node.clientHeight + 1 && node.scrollWidth <= node.clientWidth + 1"
    for part in (".history-note", ".history-dice"):
        node = page.locator(part)
        assert not node.evaluate(is_whole)
        assert node.evaluate("(node) => getComputedStyle(node).webkitLineClamp") == "1", "it ends with an ellipsis"
        page.locator("#history").focus()
        assert node.evaluate(is_whole)
        page.locator("#history").blur()
