"""Files of the pages: every style sheet is used, and every page loads existing files, in one order."""

import re

import pytest

from device.web.core.assets import FOLDERS, STATIC, static_files
from device.web.core.joined import FOLDER, joined_files
from device.web.core.menu import HELP, section_of
from device.web.core.page import Page
from device.web.core.pages import page_template
from tests.web.pages import PAGES

EVERY_PAGE = {page.name: page for page in PAGES.values()}


def test_every_page_is_two_taps_from_the_table_and_leads_back() -> None:
    """A kiosk has no address bar."""
    html = {path: page_template(page, path, PAGES) for path, page in PAGES.items()}
    menus = {path: re.findall(r'<a href="(/[a-z#]*)" data-section', text) for path, text in html.items()}
    assert {path for path, found in menus.items() if not found} == {
        path for path, page in PAGES.items() if not page.has_bar
    }
    assert {*map(tuple, menus.values())} == {(), ("/", "/sheets", "/history", "/statistics", "/settings", HELP)}
    behind = {link for first in menus["/"] if first in html for link in re.findall(r'href="(/[a-z]*)"', html[first])}
    assert {*behind} >= {*PAGES} - {"/phone"}, "a phone's page is the display's on a phone"
    assert {path for path, text in html.items() if 'data-testid="back"' not in text} == {"/", "/phone", "/overlay"}


def test_the_menu_marks_where_one_is() -> None:
    html = {path: page_template(page, path, PAGES) for path, page in PAGES.items() if path != "/overlay"}
    marked = {path: re.findall(r'data-section="(\w+)" aria-current="page"', text) for path, text in html.items()}
    assert marked == {path: [section_of(path, PAGES)] for path in html}
    assert marked["/rulings"] == ["settings"]
    assert marked["/gm"] == ["players"]


def test_every_style_sheet_is_loaded_by_some_page() -> None:
    named = {file for page in EVERY_PAGE.values() for file in page.files}
    story = (STATIC / "features/archive/story.html").read_text(encoding="utf-8")
    printed = re.findall(r'href="/static/(.+?css)"', story)
    there = {path.relative_to(STATIC).as_posix() for path in static_files(*FOLDERS) if path.suffix == ".css"}
    assert named | {*printed} == there


def test_every_page_is_served() -> None:
    own = {path.stem for path in STATIC.glob("features/*/*.html")}
    assert own - {"story"} <= {*EVERY_PAGE}
    scripts = {path.stem for path in STATIC.glob("features/*/*.js")}
    assert {*EVERY_PAGE} == scripts - {"service-worker"}


@pytest.mark.parametrize("page", EVERY_PAGE.values(), ids=lambda page: page.name)
def test_what_a_page_loads_is_there(page: Page) -> None:
    html = page_template(page, "/", PAGES)
    joined = {f"{FOLDER}/{name}" for name in joined_files(page)}
    for file in re.findall(r'(?:href|src)="/static/(.+?)"', html):
        assert (STATIC / file).is_file() or file.startswith("texts/") or file in joined, file
