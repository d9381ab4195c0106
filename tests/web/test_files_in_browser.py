"""Files of the pages in a real browser: all under permanent names, and loaded once."""

import re

import pytest
from playwright.sync_api import Browser

from device.web import app
from device.web.app import WebServer
from device.web.core import pages
from device.web.core.server import bind_socket
from tests.web.conftest import FakeTray, scene
from tests.web.windows import Windows

pytestmark = pytest.mark.browser

LOADED = """() => performance.getEntriesByType('resource')
    .filter(entry => entry.name.includes('/static/'))
    .map(entry => [new URL(entry.name).pathname, entry.transferSize])"""

LETTERS = """() => document.fonts.ready.then(() => [
    document.fonts.check('17px Inter'), getComputedStyle(document.body).fontFamily.split(',')[0].replaceAll('"', '')
])"""

START_BYTES, START_FILES = 180_000, 15
"""Most bytes and requests with which the table page, with a result and its odds, starts on the 7-inch panel."""


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/overlay", "/phone", "/me", "/gm", "/sheets", "/rulings", "/docs", "/calibrate"),
        *("/integrations", "/club", "/start", "/history", "/statistics"),
    ],
)
def test_a_page_loads_its_files_once(windows: Windows, served: str, path: str) -> None:
    page = windows.lend()
    page.goto(served + path, wait_until="load")
    first = page.evaluate(LOADED)
    words = {name.split("/")[2] for name, _ in first}
    assert len(words) == 1, "a module that is loaded under two names is two modules"
    assert re.fullmatch("[0-9a-f]{12}", words.pop()), "the plain names are asked for again each time"
    assert [name.split("/", 3)[3] for name, _ in first if name.endswith(".woff2")] == [pages.LETTERS]
    assert page.evaluate(LETTERS) == [True, "Inter"]
    scripts = [name for name, _ in first if name.endswith(".js")]
    page.goto(served + path, wait_until="load")
    # Files that a script loads may come after the page's load.
    page.wait_for_function(f"names => names.every(name => ({LOADED})().some(([one]) => one === name))", arg=scripts)
    again = page.evaluate(LOADED)
    # The browser requests the icon when it is idle: sometimes after the first load.
    assert [name for name, size in again if size > 0 and name in dict(first)] == []


@pytest.mark.parametrize("name", ["empty", "scored"])
def test_the_table_page_starts_with_few_requests(chromium: Browser, served: str, tray: FakeTray, name: str) -> None:
    tray.show(scene(name))
    page = chromium.new_page(viewport={"width": 800, "height": 480})
    sizes: dict[str, int] = {}
    urls: set[str] = set()
    page.on("request", lambda request: urls.add(request.url.split("?")[0]))
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on(
        "Network.loadingFinished", lambda message: sizes.update({message["requestId"]: message["encodedDataLength"]})
    )
    with page.expect_response("**/api/rolls?*"):
        page.goto(served)
    page.locator("#picture[data-etag]").wait_for()
    assert len(urls) <= START_FILES, urls
    # Pictures of a tray with dice are noise here.
    assert name != "empty" or 50_000 < sum(sizes.values()) <= START_BYTES, sizes
    page.close()


def test_an_open_page_reloads_after_an_upgrade_and_only_then(
    chromium: Browser, tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WebServer(tray, bind_socket("127.0.0.1", 0)) as server:
        url = server.url
        page = chromium.new_page()
        page.goto(url)
        page.locator("body[data-state=empty]").wait_for()
        page.evaluate("window.isOld = true")
    port = int(url.rstrip("/").rpartition(":")[2])
    with WebServer(tray, bind_socket("127.0.0.1", port)):
        with page.expect_response(lambda response: response.request.method == "HEAD") as answer:
            page.locator("body[data-lost=false]").wait_for()
        assert answer.value.ok
        assert page.evaluate("window.isOld")
    monkeypatch.setattr(app, "assets_version", lambda: "0123456789ab")
    with WebServer(tray, bind_socket("127.0.0.1", port)):
        page.wait_for_function("() => !window.isOld && document.scripts[0]?.src.includes('/0123456789ab/')")
        page.locator("body[data-state=empty]").wait_for()
        page.close()
