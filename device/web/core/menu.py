"""The menu of every page: six sections, the current one marked, and the pages of each."""

from collections.abc import Mapping
from html import escape
from typing import Final

from device.web.core.page import Page

HELP: Final = "/#help"
SECTIONS: Final = ("roll", "players", "history", "statistics", "settings")
_WITH_ROW: Final = ("/settings", "players")
"""A page and a section whose pages list the others, so that every page is two taps away."""


def section_of(path: str, pages: Mapping[str, Page]) -> str:
    return pages[path].sections[0] if path in pages else "roll"


def _paths_of(section: str, pages: Mapping[str, Page]) -> list[str]:
    """Return the paths of a section; the menu links to the first."""
    return [path for path, page in pages.items() if section in page.sections]


def _is_whole(pages: Mapping[str, Page]) -> bool:
    """Return whether there is a menu: the club's one page has none."""
    return all(_paths_of(section, pages) for section in SECTIONS)


def menu_html(path: str, pages: Mapping[str, Page]) -> str:
    if not _is_whole(pages):
        return ""
    here = section_of(path, pages)
    links = []
    for name in (*SECTIONS, "help"):
        mark = ' aria-current="page"' if name == here else ""
        to = HELP if name == "help" else _paths_of(name, pages)[0]
        # On a phone this section is its player's own page.
        mark += ' data-own="{{page.me.title}}"' if name == "players" else ""
        links.append(f'<a href="{to}" data-section="{name}"{mark}>{{{{page.menu.{name}}}}}</a>')
    return f'<nav class="menu" aria-label="{{{{page.menu.title}}}}">{"".join(links)}</nav>'


def back_html(path: str, pages: Mapping[str, Page]) -> str:
    """Return a page's back link, which `menu.js` points to the previous page."""
    if not _is_whole(pages):
        return ""
    parent = _paths_of(section_of(path, pages), pages)[0]
    return f'<a class="tool" href="{parent if parent != path else "/"}" data-testid="back">{{{{page.back}}}}</a>'


def row_html(path: str, pages: Mapping[str, Page]) -> str:
    """Return links to the other pages of a page's section, if it lists them."""
    section = section_of(path, pages)
    if not {path, section} & {*_WITH_ROW} or not _is_whole(pages):
        return ""
    others = [other for other in _paths_of(section, pages) if other != path]
    links = [f'<a class="tool" href="{other}">{{{{{escape(pages[other].heading)}}}}}</a>' for other in others]
    return f'<nav class="section-pages" aria-label="{{{{page.menu.section}}}}">{"".join(links)}</nav>'
