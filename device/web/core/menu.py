"""The menu of every page: six sections, the current one marked, and the pages of each."""

from collections.abc import Collection, Mapping
from html import escape
from typing import Final

HELP: Final = "/#help"
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "roll": ("/",),
    "players": ("/sheets", "/me", "/gm", "/phones"),
    "history": ("/history",),
    "statistics": ("/statistics",),
    "settings": (
        "/settings",
        "/rulings",
        "/phones",
        "/start",
        "/calibrate",
        "/dice",
        "/integrations",
        "/club",
        "/overlay",
        "/docs",
    ),
    "help": (HELP,),
}
"""The paths of each section; the menu links to the first."""
_WITH_ROW: Final = frozenset({*SECTIONS["players"], "/settings"})
"""Pages that list the others of their section, so that every page is two taps away."""


def section_of(path: str) -> str:
    return next((name for name, paths in SECTIONS.items() if path in paths), "roll")


def menu_html(path: str, known: Collection[str]) -> str:
    if "/" not in known:
        return ""
    here = section_of(path)
    links = []
    for name, paths in SECTIONS.items():
        mark = ' aria-current="page"' if name == here else ""
        links.append(f'<a href="{paths[0]}" data-section="{name}"{mark}>{{{{page.menu.{name}}}}}</a>')
    return f'<nav class="menu" aria-label="{{{{page.menu.title}}}}">{"".join(links)}</nav>'


def back_html(path: str, known: Collection[str]) -> str:
    """Return a page's back link, which `menu.js` points to the previous page."""
    if "/" not in known:
        return ""
    parent = SECTIONS[section_of(path)][0]
    return f'<a class="tool" href="{parent if parent != path else "/"}" data-testid="back">{{{{page.back}}}}</a>'


def row_html(path: str, headings: Mapping[str, str]) -> str:
    """Return links to the other pages of a page's section, if it lists them."""
    if path not in _WITH_ROW or "/" not in headings:
        return ""
    others = [other for other in SECTIONS[section_of(path)] if other != path]
    links = [f'<a class="tool" href="{other}">{{{{{escape(headings[other])}}}}}</a>' for other in others]
    return f'<nav class="section-pages" aria-label="{{{{page.menu.section}}}}">{"".join(links)}</nav>'
