"""Windows of one browser, lent to one test after the other: empty each time, with a warm cache of files and scripts."""

import contextlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, CDPSession, ConsoleMessage, Error, Page

from tests.web.loading import note_requests

WAIT_MS = 30_000
MAX_LENDS = 40
"""Playwright keeps every request of a window until it is closed."""
_GLOBALS = "Object.getOwnPropertyNames(globalThis).join()"


class _Quiet(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@contextlib.contextmanager
def quiet_place() -> Iterator[str]:
    """Serve a blank page for unused windows; return its address.

    Its host, and so its site, is that of the pages: the browser keeps the process that draws them, which it would end
    for `about:blank`.
    """
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@dataclass(slots=True, eq=False)
class _Window:
    """A window and its records.

    Attributes:
        page: Its first tab.
        session: A connection to the browser for what Playwright does not offer.
        lends: Number of times it was lent.
        script: The browser's id of the script that runs in it before each page's own scripts.
    """

    page: Page
    session: CDPSession
    lends: int = 0
    script: str | None = None


class Windows:
    """Lends windows, each with its own profile, so that two are like two devices.

    A new one costs twice as much as a reused one. What a test leaves in one is removed before it is lent again: the
    page, further tabs, cookies, all storage, service workers, routes, the script that it was lent with. One with
    Playwright's clock is closed, since that cannot be removed. A test that adds scripts in other ways, or listens to
    requests, needs its own browser context.

    Attributes:
        failures: Errors of scripts in the lent windows, and where.
        complaints: Console errors, such as each failed request, each with its address.
    """

    def __init__(self, browser: Browser, quiet_url: str) -> None:
        self._browser, self._quiet_url = browser, quiet_url
        self._free: list[_Window] = []
        self._lent: list[_Window] = []
        self._globals = ""
        self.failures: list[str] = []
        self.complaints: list[str] = []

    def lend(
        self,
        size: tuple[int, int] = (1280, 800),
        scheme: Literal["light", "dark"] = "light",
        *,
        script: str | None = None,
    ) -> Page:
        """Lend a clean window of some size, set to reduced motion.

        Args:
            size: Width and height in pixels.
            scheme: The system's colour scheme.
            script: Runs in each page before the page's own scripts, in this tab only.
        """
        window = self._free.pop() if self._free else self._new()
        self._lent.append(window)
        window.lends += 1
        page = window.page
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(
            media="screen", color_scheme=scheme, reduced_motion="reduce", forced_colors="none", contrast="no-preference"
        )
        page.set_default_timeout(WAIT_MS)
        if script is not None:
            window.session.send("Page.enable")
            added = window.session.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
            window.script = added["identifier"]
        return page

    def take_back(self) -> None:
        """Clean a lent window."""
        while self._lent:
            window = self._lent.pop()
            try:
                is_as_new = self._empty(window)
            except Error:
                # Closed by the test, for example, or on a page that did not load: it cannot be cleaned.
                is_as_new = False
            if is_as_new and window.lends < MAX_LENDS:
                self._free.append(window)
            else:
                window.page.context.close()
        self.failures.clear()
        self.complaints.clear()

    def close(self) -> None:
        """Close all unused windows."""
        while self._free:
            self._free.pop().page.context.close()

    def _new(self) -> _Window:
        page = self._browser.new_context().new_page()
        page.on("pageerror", lambda error: self.failures.append(error.stack or str(error)))
        page.on("console", self._note)
        note_requests(page)
        session = page.context.new_cdp_session(page)
        session.send("DOMStorage.enable")
        if not self._globals:
            page.goto(self._quiet_url)
            self._globals = page.evaluate(_GLOBALS)
        return _Window(page, session)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def _empty(self, window: _Window) -> bool:
        """Remove what was left in it; False if something stays that no page's own script brought."""
        page, session = window.page, window.session
        if window.script is not None:
            session.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": window.script})
            session.send("Page.disable")
            window.script = None
        for tab in page.context.pages:
            if tab != page:
                tab.close()
        page.unroute_all()
        at = urlsplit(page.url)
        if at.netloc:
            # It belongs to the tab, and nothing else removes it.
            origin = f"{at.scheme}://{at.netloc}"
            session.send("DOMStorage.clear", {"storageId": {"securityOrigin": origin, "isLocalStorage": False}})
        page.mouse.move(-10, -10)
        page.goto(self._quiet_url)
        session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        page.context.clear_cookies()
        return bool(page.evaluate(_GLOBALS) == self._globals)
