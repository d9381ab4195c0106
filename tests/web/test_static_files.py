"""Files of the pages: every style sheet is used, and every page loads files that are there, in one order."""

import re

import pytest

from device.web.core.menu import HELP, section_of
from device.web.core.pages import PAGES, STATIC, STYLESHEETS, Page, page_template

EVERY_PAGE = {page.name: page for page in PAGES.values()}


def test_every_page_is_two_taps_from_the_table_and_leads_back() -> None:
    """A kiosk has no address bar."""
    html = {path: page_template(page, path, PAGES) for path, page in PAGES.items()}
    menus = {path: re.findall(r'<a href="(/[a-z#]*)" data-section', text) for path, text in html.items()}
    assert {path for path, found in menus.items() if not found} == {"/overlay"}, "any tap leads back, see overlay.js"
    assert {*map(tuple, menus.values())} == {(), ("/", "/sheets", "/history", "/statistics", "/settings", HELP)}
    behind = {link for first in menus["/"] if first in html for link in re.findall(r'href="(/[a-z]*)"', html[first])}
    assert {*behind} >= {*PAGES} - {"/phone"}, "a phone's page is the display's on a phone"
    assert {path for path, text in html.items() if 'data-testid="back"' not in text} == {"/", "/phone", "/overlay"}


def test_the_menu_marks_where_one_is() -> None:
    html = {path: page_template(page, path, PAGES) for path, page in PAGES.items() if path != "/overlay"}
    marked = {path: re.findall(r'data-section="(\w+)" aria-current="page"', text) for path, text in html.items()}
    assert marked == {path: [section_of(path)] for path in html}
    assert marked["/rulings"] == ["settings"]
    assert marked["/gm"] == ["players"]


def test_every_style_sheet_is_loaded_by_some_page() -> None:
    named = {file for page in EVERY_PAGE.values() for file in page.files}
    assert named == {f"{sheet}.css" for sheet in STYLESHEETS}
    printed = re.findall(r'href="/static/(css/.+?)"', (STATIC / "pages/story.html").read_text(encoding="utf-8"))
    there = {f"css/{path.name}" for path in (STATIC / "css").glob("*.css")}
    assert {file for file in named if file.startswith("css/")} | {*printed} == there


def test_every_page_is_served() -> None:
    own = {path.stem for path in (STATIC / "pages").glob("*.html")}
    assert own - {"page", "story"} <= {*EVERY_PAGE}
    assert {*EVERY_PAGE} <= {path.stem for path in (STATIC / "pages").glob("*.js")}


@pytest.mark.parametrize("page", EVERY_PAGE.values(), ids=lambda page: page.name)
def test_what_a_page_loads_is_there_and_in_the_order_of_all(page: Page) -> None:
    assert len(page.files) == len(page.sheets) + 2, "each of its sheets is one of all"
    assert page.files[:2] == ["css/base.css", "css/menu.css"]
    html = page_template(page, "/", PAGES)
    assert re.findall(r'rel="stylesheet" href="/static/(.+?)"', html) == page.files
    for file in re.findall(r'(?:href|src)="/static/(.+?)"', html):
        assert (STATIC / file).is_file() or file.startswith("texts/"), file
