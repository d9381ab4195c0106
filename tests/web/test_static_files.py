"""Files of the pages: every style sheet is used, and every page loads files that are there, in one order."""

import re

import pytest

from device.web.pages import PAGES, SHEETS, STATIC, Page, page_template

EVERY_PAGE = {page.name: page for page in PAGES.values()}


def test_every_page_is_two_taps_from_the_table_and_leads_back() -> None:
    """A kiosk has no address bar."""
    links = {path: set(re.findall(r'href="(/[a-z]*)"', page_template(page))) for path, page in PAGES.items()}
    assert links["/"] >= set(PAGES) - {"/"}, "all of them are under ?"
    stuck = {path for path, found in links.items() if not found & {"/", "/phone"}}
    assert stuck == {"/overlay"}, "where any tap leads back, see overlay.js"


def test_every_style_sheet_is_loaded_by_some_page() -> None:
    named = {file for page in EVERY_PAGE.values() for file in page.files}
    assert named == {f"{sheet}.css" for sheet in SHEETS}
    printed = re.findall(r'href="/static/(css/.+?)"', (STATIC / "pages/story.html").read_text(encoding="utf-8"))
    there = {f"css/{path.name}" for path in (STATIC / "css").glob("*.css")}
    assert {file for file in named if file.startswith("css/")} | {*printed} == there


def test_every_page_is_served() -> None:
    assert {path.stem for path in (STATIC / "pages").glob("*.html")} == {*EVERY_PAGE, "story"}


@pytest.mark.parametrize("page", EVERY_PAGE.values(), ids=lambda page: page.name)
def test_what_a_page_loads_is_there_and_in_the_order_of_all(page: Page) -> None:
    assert len(page.files) == len(page.sheets) + 1, "each of its sheets is one of all"
    assert page.files[0] == "css/base.css"
    html = page_template(page)
    assert re.findall(r'rel="stylesheet" href="/static/(.+?)"', html) == page.files
    for file in re.findall(r'(?:href|src)="/static/(.+?)"', html):
        assert (STATIC / file).is_file() or file.startswith("texts/"), file
