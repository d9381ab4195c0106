"""The display's texts about a push: none under rules without a push."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page

from device.runtime.source import CameraSetup
from device.texts.catalogue import languages
from rules.system import find_system, systems
from tests.conftest import BlindWatch, StillCamera
from tests.narrowing import there
from tests.web.resting import Table, shows
from tests.web.sampling import sample
from tests.web.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

DICE = ((1, "base", 3), (2, "base", 4), (3, "base", 2))
SEEN_OF_A_PUSH = {"button", "lamp", "words", "words of the help", "hand"}


@pytest.fixture(scope="module")
def one_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    made = Table(tmp_path_factory.mktemp("table"), CameraSetup(StillCamera(), None, BlindWatch()))
    yield made
    made.app.stop()


@pytest.fixture
def table(one_table: Table) -> Table:
    """An empty tray."""
    one_table.ask("POST", "reset")
    return one_table


@pytest.fixture
def page(windows: Windows) -> Page:
    return windows.lend()


def says_push(part: Locator) -> bool:
    """Return whether a part of the page contains the word, in any language; names of tray and rules do not count."""
    words = part.inner_text().replace("PushTray", "").replace(part.page.locator("#system").inner_text(), "")
    return "push" in words.lower()


def seen_of_a_push(page: Page) -> set[str]:
    """Return what the page shows of a push now, with its help opened once."""
    page.locator(".lamp").first.wait_for()
    seen = {
        "button": page.get_by_test_id("push-button").is_visible(),
        "lamp": page.locator("[data-lamp=push_allowed]").count() > 0,
        "hand": page.locator("#hand").is_visible(),
        "words": says_push(page.locator("body")),
    }
    page.locator(".menu [data-section=help]").click()
    seen["words of the help"] = says_push(page.locator("#help"))
    page.locator("#help-close").click()
    return {name for name, is_seen in seen.items() if is_seen}


@pytest.mark.parametrize(
    ("system", "language"),
    [(system.id, language) for at, system in enumerate(systems()) for language in sample(list(languages()), at)],
)
def test_a_push_is_spoken_of_where_the_rules_know_one(table: Table, page: Page, system: str, language: str) -> None:
    table.ask("PUT", "system", {"system": system})
    page.goto(f"{table.url}/?lang={language}")
    shows(page, "empty")
    seen = seen_of_a_push(page)
    table.throw(*DICE)
    shows(page, "scored")
    seen |= seen_of_a_push(page)
    table.throw((1, "base", 5), *DICE[1:], still=(2, 3))
    shows(page, "unclear")
    page.get_by_test_id("problem").wait_for()
    seen |= seen_of_a_push(page)
    page.keyboard.press("p")
    if find_system(system).has_push:
        shows(page, "awaiting_push")
        assert seen == SEEN_OF_A_PUSH - {"hand"}
    else:
        assert seen == set()
        assert table.ask("GET", "state")["state"] == "unclear"


def test_other_rules_bring_the_push_and_take_it_away(table: Table, page: Page) -> None:
    page.goto(table.url)
    for system in ("push-pool", "hits-pool", "push-pool"):
        table.ask("PUT", "system", {"system": system})
        page.wait_for_function("system => document.querySelector('#system').value === system", arg=system)
        assert page.get_by_test_id("push-button").is_visible() == find_system(system).has_push
        # On a display narrower than 1600 pixels the lamps' names are for screen readers only.
        assert ("push" in there(page.locator("#lamps").text_content()).lower()) == find_system(system).has_push


def test_before_the_tray_has_named_its_rules_no_push_is_shown(table: Table, page: Page) -> None:
    page.route("**/pages/table.js", lambda route: route.abort())
    page.goto(table.url)
    assert page.locator("body").get_attribute("data-state") == "connecting"
    assert page.get_by_test_id("reset-button").is_visible()
    assert not page.get_by_test_id("push-button").is_visible()
    assert not says_push(page.locator("body"))
