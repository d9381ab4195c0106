"""The scripts' catalogues give the same texts as the server's, and pages request responses in their language."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from device.game.state.events import Event
from device.runtime.loop import Answer
from device.texts.catalogue import catalogue, languages, page_texts, placeholders, translate
from device.web.core.language import COOKIE
from device.web.core.places import Caller
from tests.web.conftest import FakeTray, scene
from tests.web.windows import Windows

pytestmark = pytest.mark.browser

SAY = """async (cases) => {
  const { maybe } = await import("/static/ui/lib/texts.js");
  return cases.map(([key, values]) => maybe(key, values) ?? null);
}"""


@pytest.fixture
def open_page(windows: Windows, served: str) -> Callable[..., Page]:
    """Open a page."""

    def look(path: str = "/") -> Page:
        page = windows.lend()
        page.goto(served + path)
        return page

    return look


@pytest.mark.parametrize("language", languages())
def test_scripts_render_every_text_of_a_language_as_the_server_does(
    open_page: Callable[..., Page], language: str
) -> None:
    known, theirs = catalogue(language), page_texts(language)["texts"]
    cases = [
        (key, {place: f"<{place}>" for place in placeholders(text)} | {"count": count})
        for key, text in theirs.items()
        for count in (1, 2)
    ]
    page = open_page(f"/docs?lang={language}")
    assert page.evaluate(SAY, cases) == [known.render(key, values) for key, values in cases]


def test_a_language_is_chosen_on_the_page_and_stays(
    open_page: Callable[..., Page], served: str, tray: FakeTray
) -> None:
    tray.show(scene("scored"))
    page = open_page("/?lang=en")
    page.wait_for_function("() => document.body.dataset.state === 'scored'")
    assert page.get_by_test_id("push-button").inner_text().startswith("Push")
    page.locator(".menu [data-section=help]").click()
    choice = page.locator("#language")
    assert choice.input_value() == "en"
    assert choice.locator("option").all_text_contents() == list(languages().values())
    choice.select_option("de")
    page.wait_for_function("() => document.documentElement.lang === 'de' && document.body.dataset.state === 'scored'")
    assert page.get_by_test_id("push-button").inner_text().startswith("Pushen")
    assert urlsplit(page.url).query == ""
    assert [one["value"] for one in page.context.cookies() if one["name"] == COOKIE] == ["de"]
    page.goto(f"{served}/phone")
    page.wait_for_function("() => document.body?.dataset.state === 'scored'")
    assert page.evaluate("document.documentElement.lang") == "de"


def test_what_a_page_asks_for_and_does_is_in_its_language(
    open_page: Callable[..., Page], tray: FakeTray, monkeypatch: pytest.MonkeyPatch
) -> None:
    tray.show(scene("scored"))
    page = open_page("/?lang=de")
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.wait_for_function("() => document.body?.dataset.state === 'scored'")
    refused = Answer(False, tray.snapshot(), "already_pushed", translate("tray.push.already_pushed"))

    async def refuse(_event: Event, _caller: Caller, _seen: int | None = None) -> Answer:
        return refused

    monkeypatch.setattr(tray, "request", refuse)
    page.get_by_test_id("push-button").click()
    page.locator("#toast").wait_for()
    assert page.locator("#toast").inner_text() == catalogue("de").render("tray.push.already_pushed", {})
    pushed = next(url for url in urls if "/api/push" in url)
    assert urlsplit(pushed).query == "lang=de"
