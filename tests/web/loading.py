"""When a page has drawn what the tray sends it: nothing else says that a page is as a person will see it."""

from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Page, Request

FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_ENDLESS = (".jpg", "/api/events", "shared-stream")
"""Requests that never end, or never stop."""
_HAS_NO_STREAM = {"/calibrate", "/club", "/docs", "/overlay"}
"""Pages that do not follow the tray, or do not say whether they are connected."""
_REQUESTS: WeakKeyDictionary[Page, set[Request]] = WeakKeyDictionary()


def note_requests(page: Page) -> None:
    """Record a page's requests from now on, for `settle`."""
    requests = _REQUESTS.setdefault(page, set())

    # Playwright takes no built-in method.
    def begin(request: Request) -> None:
        requests.add(request)

    def end(request: Request) -> None:
        requests.discard(request)

    page.on("request", begin)
    page.on("requestfinished", end)
    page.on("requestfailed", end)


def settle(page: Page) -> None:
    """Wait until a page has heard whether it is connected, and has all that it asked for but pictures."""
    if urlsplit(page.url).path not in _HAS_NO_STREAM:
        page.locator("body[data-lost]").wait_for(state="attached")
    rounds = 0
    # What has come is drawn in the next frames, and may ask for more.
    while rounds < 2:
        page.evaluate(FRAMES)
        is_loading = any(not any(part in one.url for part in _ENDLESS) for one in _REQUESTS[page])
        rounds = 0 if is_loading else rounds + 1
