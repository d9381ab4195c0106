"""The pages' event stream: one for all tabs, even if it falls silent, breaks, or is not shared."""

import itertools
import json
import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page

from device.texts.catalogue import translate
from device.web.app import WebServer
from device.web.core.places import Caller, Place, Places
from device.web.core.server import bind_socket
from device.web.core.stream import StreamParams
from tests.web.conftest import FakeTray, scene
from tests.web.ports import free_port
from tests.web.resting import shows
from tests.web.windows import Windows

pytestmark = pytest.mark.browser

ALONE = "delete window.SharedWorker"
"""As in a browser whose tabs share no workers."""
TABS = 7
"""A browser opens at most six connections to a server."""
BEAT_S = 0.25
WAIT_MS = 30_000


class SilentProxy:
    """A proxy to the tray that can fall silent: connections stay open, but nothing comes through them.

    Of the connections that a browser keeps for later requests only one stays open, and the others are closed as idle: a
    page that reconnects may try each of them in turn, two seconds per try.
    """

    def __init__(self, url: str) -> None:
        self._tray = (urlsplit(url).hostname, urlsplit(url).port)
        self._listening = socket.create_server(("127.0.0.1", free_port()))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._silent: set[socket.socket] = set()
        self._others: dict[socket.socket, socket.socket] = {}
        self._streams: set[socket.socket] = set()
        self._is_silent = False
        self._waker, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def fall_silent(self) -> None:
        """Discard everything, on open connections and on new ones."""
        self._is_silent = True
        self._waker.send(b"i")

    def speak(self) -> None:
        """Let new connections through; the silent ones stay silent, as after a router's restart."""
        self._silent |= set(self._others)
        self._is_silent = False

    def close(self) -> None:
        self._waker.send(b"x")
        self._thread.join(timeout=5)

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listening, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    source = key.fileobj
                    if source is self._woken:
                        if source.recv(1) == b"x":
                            self._end()
                            return
                        self._close_idle(selector)
                    elif source is self._listening:
                        self._accept(selector)
                    elif isinstance(source, socket.socket):
                        self._pass_on(selector, source)

    def _accept(self, selector: selectors.BaseSelector) -> None:
        near, _ = self._listening.accept()
        far = socket.create_connection(self._tray)
        self._others |= {near: far, far: near}
        for end in (near, far):
            selector.register(end, selectors.EVENT_READ)

    def _pass_on(self, selector: selectors.BaseSelector, source: socket.socket) -> None:
        other = self._others.get(source)
        try:
            data = source.recv(65536)
            if data.startswith(b"GET /api/events?"):
                self._streams.add(source)
            if other is not None and data and not self._is_silent and source not in self._silent:
                other.sendall(data)
        except OSError:
            data = b""
        if not data:
            self._close_pair(selector, source)

    def _close_idle(self, selector: selectors.BaseSelector) -> None:
        """Close all connections except those with a stream, and one."""
        browsers = [near for near in self._others if near.getsockname() == self._listening.getsockname()]
        for near in [near for near in browsers if near not in self._streams][1:]:
            self._close_pair(selector, near)

    def _close_pair(self, selector: selectors.BaseSelector, source: socket.socket) -> None:
        for end in (source, self._others.get(source)):
            if end is not None and self._others.pop(end, None) is not None:
                selector.unregister(end)
                end.close()

    def _end(self) -> None:
        for end in (*self._others, self._listening, self._waker, self._woken):
            end.close()


@pytest.fixture
def quick(tray: FakeTray, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A tray with frequent heartbeats, so that three missed ones take little time."""
    monkeypatch.setattr("device.web.app.StreamParams", lambda: StreamParams(heartbeat_s=BEAT_S))
    with WebServer(tray, bind_socket("127.0.0.1", free_port())) as server:
        yield server.url.rstrip("/")


@pytest.fixture
def proxy(quick: str) -> Iterator[SilentProxy]:
    made = SilentProxy(quick)
    yield made
    made.close()


@pytest.fixture(params=["", ALONE], ids=["shared", "alone"])
def lend(request: pytest.FixtureRequest, windows: Windows) -> Callable[..., Page]:
    """Lend a window whose tabs share a stream, or one whose tabs cannot, with a script that runs first in its pages."""
    return lambda script="": windows.lend(script=f"{request.param}; {script}")


def test_three_missed_beats_and_the_pages_own_second_are_less_than_fifteen_seconds() -> None:
    assert 3 * StreamParams().heartbeat_s + 1.0 < 15.0


def test_a_stream_that_falls_silent_is_noticed_and_reopened(
    lend: Callable[..., Page], proxy: SilentProxy, tray: FakeTray
) -> None:
    tray.show(scene("scored"))
    page = lend()
    page.goto(proxy.url)
    shows(page, "scored")
    assert page.get_by_test_id("push-button").is_enabled()
    proxy.fall_silent()
    page.locator("#lost").wait_for()
    assert translate("page.lost.text") in page.locator("#lost").inner_text()
    assert page.locator("main").evaluate("node => node.inert")
    page.keyboard.press("p")
    page.locator("#toast").wait_for()
    assert page.locator("#toast").inner_text() == translate("page.lost.refused")
    tray.show(scene("resolved"))
    proxy.speak()
    page.locator("#lost").wait_for(state="hidden")
    shows(page, "resolved")
    assert not page.locator("main").evaluate("node => node.inert")
    assert tray.calls == []


ASLEEP = """{
  const real = window.setTimeout;
  window.setTimeout = (call, ms, ...more) => real((...told) => window.asleep || call(...told), ms, ...more);
}"""
"""A page whose timers stop at some moment, as while a machine sleeps."""
WAKES = """event => new Promise((done) => setInterval(() => {
  window.asleep = false;
  const made = event === 'pageshow' ? new PageTransitionEvent(event, { persisted: true }) : new Event(event);
  (event === 'visibilitychange' ? document : window).dispatchEvent(made);
  if (document.body.dataset.state === 'resolved') done();
}, 400))"""


@pytest.mark.parametrize(("event", "kind"), [("online", ""), ("pageshow", ALONE), ("visibilitychange", "")])
def test_a_page_that_was_away_is_updated_at_once(
    windows: Windows, proxy: SilentProxy, tray: FakeTray, event: str, kind: str
) -> None:
    tray.show(scene("scored"))
    page = windows.lend(script=f"{kind}; {ASLEEP}")
    page.goto(proxy.url)
    shows(page, "scored")
    page.evaluate("() => { window.asleep = true; }")
    proxy.fall_silent()
    tray.show(scene("resolved"))
    proxy.speak()
    page.evaluate(WAKES, event)


def test_a_reader_that_asks_for_no_beats_meets_states_alone(quick: str) -> None:
    with httpx.stream("GET", f"{quick}/api/events", timeout=5) as stream:
        lines = list(itertools.islice((line for line in stream.iter_lines() if line), 5))
    assert lines[-2:] == [": beat", ": beat"]
    assert [json.loads(line.removeprefix("data:"))["state"] for line in lines if line.startswith("data:")] == ["empty"]


def test_seven_tabs_of_one_browser_all_load_and_follow(chromium: Browser, served: str, tray: FakeTray) -> None:
    context = chromium.new_context()
    context.set_default_timeout(WAIT_MS)
    streams: list[str] = []
    tabs = []
    for number in range(TABS):
        page = context.new_page()
        page.on("request", lambda request: streams.append(request.url) if request.url.endswith("/events") else None)
        page.goto(f"{served}/{('', 'phone', 'sheets', 'overlay')[number % 4]}")
        tabs.append(page)
    mains = [page for page in tabs if "sheets" not in page.url]
    for page in mains:
        shows(page, "empty")
    for name in ("scored", "awaiting_push"):
        tray.show(scene(name))
        for page in mains:
            shows(page, name)
    assert len(tray.listeners) == 1, "one stream for all of them"
    assert streams == []
    first, *rest = tabs
    first.close()
    tray.show(scene("resolved"))
    for page in rest:
        if page in mains:
            shows(page, "resolved")
    context.close()


def test_a_page_of_its_own_stream_rests_while_it_is_hidden(windows: Windows, served: str, tray: FakeTray) -> None:
    page = windows.lend(
        script=ALONE
        + """;
        Object.defineProperty(document, 'hidden', { get: () => Boolean(window.away) });
        window.turn = (away) => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); };"""
    )
    page.goto(served)
    shows(page, "empty")
    assert len(tray.listeners) == 1
    page.evaluate("turn(true)")
    wait_until(page, lambda: not tray.listeners)
    tray.show(scene("resolved"))
    page.evaluate("turn(false)")
    shows(page, "resolved")
    assert page.locator("#lost").is_hidden()


def test_a_worker_that_cannot_be_had_is_done_without(windows: Windows, served: str, tray: FakeTray) -> None:
    for useless in ("class { constructor() { throw new DOMException('no', 'SecurityError'); } }", BROKEN_WORKER):
        page = windows.lend(script=f"window.SharedWorker = {useless}")
        page.goto(served)
        shows(page, tray.body["state"])
        tray.show(scene("scored"))
        shows(page, "scored")


BROKEN_WORKER = """class extends EventTarget {
  constructor() {
    super();
    this.port = new MessageChannel().port1;
    setTimeout(() => this.dispatchEvent(new Event('error')));
  }
}"""


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Let the page run until a condition holds on the test's side."""
    for _ in range(600):
        if holds():
            return
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert holds()


def test_a_refused_stream_is_asked_for_again(
    lend: Callable[..., Page], served: str, tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_full, take = True, Places.take

    def taken(places: Places, caller: Caller) -> Place | None:
        return None if is_full else take(places, caller)

    monkeypatch.setattr(Places, "take", taken)
    page = lend()
    page.goto(served)
    page.locator("#lost").wait_for()
    is_full = False
    page.locator("#lost").wait_for(state="hidden")
    shows(page, "empty")
