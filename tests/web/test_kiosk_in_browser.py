"""The kiosk in a real browser, on a whole tray: it never leaves the pages with a menu, since it has no address bar."""

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import cv2
import ifaddr
import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from device.config.settings import with_overrides
from device.config.settings_service import SettingsSource
from device.runtime.source import CameraSetup
from device.texts.catalogue import translate
from tests.conftest import BlindWatch, StillCamera
from tests.narrowing import there
from tests.web.accessible import trips
from tests.web.layout import Layout, layout_of
from tests.web.loading import FRAMES, note_requests, settle
from tests.web.pages import PAGES
from tests.web.ports import free_port
from tests.web.resting import Table, set_up, shows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

OPENERS = "main :is(button[aria-haspopup], button[aria-expanded], [role=tab], summary), .bar .tools button"
"""What shows another part of a page, which may have links of its own."""
LINKS = "a[href]:not([data-testid=back]):visible"
"""Back leads to a page that one came from, another each time."""
NAMES = """nodes => nodes.map((node) => node.checkVisibility() && !node.disabled
  ? `${node.id} ${node.dataset.testid} ${node.ariaLabel ?? node.textContent.trim()}` : "")"""
"""A name for each opener, empty where it cannot be tapped: their order changes with what a page has loaded."""
LANDED = "before => location.href !== before || Boolean(document.querySelector('dialog[open]'))"
OFF_THE_PAGES = {
    *("/overlay", "/openapi.json", "/story", "/api/story.csv", "/api/story.jsonl", "/api/backup"),
    "/api/sheets/1/export",
}
"""Some links that a kiosk must not follow: a walk that does not come by them has seen too little."""


class Kiosk:
    """A kiosk's window.

    Attributes:
        left: Addresses that it downloaded or opened in another window.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.left = page, list[str]()
        note_requests(page)
        page.on("download", lambda download: self.left.append(download.url))
        page.on("popup", lambda window: self.left.append(window.url))

    def open(self, url: str, opener: str = "") -> None:
        """Open a page, and one of its parts, with all that it loads but pictures."""
        self.page.goto(url)
        settle(self.page)
        if opener:
            while opener not in (shown := self._openers()):
                self.page.evaluate(FRAMES)
            self.page.locator(OPENERS).nth(shown.index(opener)).click()
            settle(self.page)

    def _openers(self) -> list[str]:
        return list(self.page.locator(OPENERS).evaluate_all(NAMES))

    def links(self, url: str) -> dict[str, str]:
        """Return the links of a page, each with the name of the opener that shows it, empty for the page itself."""
        found: dict[str, str] = {}
        self.open(url)
        for opener in dict.fromkeys(["", *self._openers()]):
            self.open(url, opener)
            for link in self.page.locator(LINKS).evaluate_all(
                "nodes => nodes.map((node) => node.getAttribute('href'))"
            ):
                found.setdefault(link, opener)
        return found

    def tap(self, link: str) -> None:
        """Tap a link, and wait for what comes of it."""
        before = self.page.url
        self.page.locator(LINKS).and_(self.page.locator(f'a[href="{link}"]')).first.click()
        self.page.wait_for_function(LANDED, arg=before)

    @property
    def is_at_table(self) -> bool:
        return urlsplit(self.page.url).path == "/" and not self.page.locator("dialog[open]").count()

    def go_home(self) -> int:
        """Tap what leads to the table, twice at most; return how often."""
        for taps in range(2):
            if self.is_at_table:
                return taps
            window = self.page.locator("dialog[open]")
            close = window.get_by_role("button", name=translate("page.close"))
            way = close if window.count() else self.page.locator("a[href='/']:visible").first
            with self.page.expect_event("framenavigated") if not window.count() else contextlib.nullcontext():
                way.click(timeout=5000)
        assert self.is_at_table, self.page.url
        return 2


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A tray with a settings file, which may let phones in."""
    override = partial(with_overrides, camera="usb:0", data=tmp_path / "data", port=free_port())
    source = SettingsSource(tmp_path / "settings.toml", override)
    made = Table(tmp_path, CameraSetup(StillCamera(), None, BlindWatch()), source)
    yield made
    made.app.stop()


@pytest.fixture
def kiosk(chromium: Browser, table: Table) -> Iterator[Kiosk]:
    """A kiosk on a tray in which a roll was played."""
    set_up(table, "push-pool")
    context = chromium.new_context(viewport={"width": 800, "height": 480}, reduced_motion="reduce", has_touch=True)
    made = Kiosk(context.new_page())
    made.page.goto(f"{table.url}/?kiosk")
    table.throw((1, "base", 6), (2, "base", 1), (3, "skill", 4))
    shows(made.page, "scored")
    yield made
    context.close()


def test_every_link_leads_back_to_the_table_in_two_taps(kiosk: Kiosk, table: Table) -> None:
    waiting, walked, tapped, off = ["/"], {"/"}, set[str](), set[str]()
    while waiting:
        here = waiting.pop()
        for link, opener in kiosk.links(table.url + here).items():
            goal = urlsplit(urljoin(table.url + here, link))
            # Pages have the same menu; another page may forget what its other links need.
            if goal.path == here or (link in tapped and goal.path in PAGES):
                continue
            tapped.add(link)
            kiosk.open(table.url + here, opener)
            kiosk.tap(link)
            if urlsplit(kiosk.page.url).path == here:
                off.add(goal.path)
            elif goal.path not in walked:
                walked.add(goal.path)
                waiting.append(goal.path)
            kiosk.go_home()
            assert kiosk.left == []
    assert walked == {*PAGES} - {"/overlay", "/phone"}, "a phone's page is the display's on a phone"
    assert off >= OFF_THE_PAGES


def test_a_link_that_leaves_the_pages_shows_its_address_a_code_and_copy(
    kiosk: Kiosk, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://192.168.1.7:{urlsplit(table.url).port}/overlay"
    monkeypatch.setattr(
        "ifaddr.get_adapters", lambda: [ifaddr.Adapter("eth0", "eth0", [ifaddr.IP("192.168.1.7", 24, "")])]
    )
    page = kiosk.page
    kiosk.open(f"{table.url}/settings")
    kiosk.tap("/overlay")
    assert page.get_by_test_id("address").count() == 0, "no other device can open the tray"
    page.locator("#address").get_by_test_id("let-in").click()
    page.get_by_test_id("confirm").click()
    shown = page.get_by_test_id("address")
    shown.wait_for()
    assert shown.inner_text() == address
    page.wait_for_function("() => document.querySelector('.code').complete")
    code = cv2.imdecode(np.frombuffer(page.locator(".code").screenshot(scale="css"), np.uint8), cv2.IMREAD_COLOR)
    assert cv2.QRCodeDetector().detectAndDecode(there(code))[0] == address
    assert trips(page) == []
    assert layout_of(page) == Layout(frozenset({"y html"}), (), (), ()), "the page below scrolls"
    page.get_by_test_id("copy").click()
    page.wait_for_function(
        "word => document.querySelector('[data-testid=copy]').textContent === word",
        arg=translate("page.address.copied"),
    )
    kiosk.open(f"{table.url}/me")
    field = page.get_by_test_id("my-name")
    field.press("Control+V")
    assert field.input_value() != ""
    assert address.startswith(field.input_value()), "it takes fewer letters"
