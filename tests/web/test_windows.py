"""A window that is lent again is as good as new."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.web.windows import Windows, quiet_place

pytestmark = pytest.mark.browser

LEAVE = """async () => {
  localStorage.setItem("left", "yes");
  sessionStorage.setItem("left", "yes");
  document.cookie = "left=yes";
  await caches.open("left");
}"""
LEFT = """async () => [
  localStorage.length, Object.keys(sessionStorage).filter((key) => key !== "trail").length,
  document.cookie, (await caches.keys()).length,
  document.querySelectorAll("button:hover").length, innerWidth, matchMedia("(prefers-color-scheme: dark)").matches,
]"""
NOTHING = [0, 0, "", 0, 0, 1280, False]


@pytest.fixture
def windows(chromium: Browser) -> Iterator[Windows]:
    """Windows that no other test was lent, as their uses are counted."""
    with quiet_place() as quiet_url:
        own = Windows(chromium, quiet_url)
        yield own
        own.take_back()
        own.close()


def test_nothing_is_left_in_it(windows: Windows, served: str) -> None:
    first = windows.lend((390, 844), "dark")
    other = windows.lend()
    for page in (first, other):
        page.goto(served)
    first.evaluate(LEAVE)
    first.locator("#reset").hover()
    assert first.evaluate(LEFT) == [1, 1, "left=yes", 1, 1, 390, True]
    assert other.evaluate(LEFT) == NOTHING
    first.context.new_page()
    first.route("**/api/state", lambda route: route.abort())
    windows.take_back()
    again = {windows.lend(), windows.lend()}
    assert again == {first, other}
    for page in again:
        assert page.url.startswith("http://127.0.0.1:")
        assert not page.url.startswith(served)
        page.goto(served)
        assert page.evaluate(LEFT) == NOTHING
        assert page.evaluate("fetch('/api/state').then(({ status }) => status)") == 200
        assert page.context.pages == [page]


def test_a_script_that_it_is_lent_with_runs_first_and_only_then(windows: Windows, served: str) -> None:
    page = windows.lend(script="window.first = document.scripts.length")
    for _ in range(2):
        page.goto(served)
        assert page.evaluate("window.first") == 0
    windows.take_back()
    assert windows.lend() == page
    page.goto(served)
    assert page.evaluate("'first' in window") is False


def test_what_goes_wrong_in_it_is_heard_while_it_is_lent(windows: Windows, served: str) -> None:
    page = windows.lend()
    page.goto(served)
    page.evaluate("() => { console.error('oh'); setTimeout(() => { throw new Error('no'); }); }")
    page.evaluate("() => new Promise((done) => setTimeout(done))")
    assert [line.partition(" (")[0] for line in windows.complaints] == ["oh"]
    assert [failure.split("\n", 1)[0] for failure in windows.failures] == ["Error: no"]
    windows.take_back()
    assert (windows.failures, windows.complaints) == ([], [])


def test_another_host_is_asked_in_vain_and_not_in_silence(windows: Windows) -> None:
    page = windows.lend()
    assert page.evaluate("address => fetch(address).catch(({ name }) => name)", "http://example.org/") == "TypeError"
    assert [line for line in windows.complaints if "ERR_NAME_NOT_RESOLVED" in line] != []
