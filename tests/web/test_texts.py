"""Pages contain no texts of their own for people, and every text exists and is used."""

import re
from html.parser import HTMLParser

import pytest

from device.texts.catalogue import catalogue
from device.web.core.assets import FOLDERS, static_files
from device.web.core.pages import page_template
from device.web.features.archive.routes import story_template
from tests.web.pages import PAGES as SERVED

ENGLISH = catalogue("en").texts
SCRIPTS = [path for path in static_files(*FOLDERS) if path.suffix == ".js" and not {"vendor", "module"} & {*path.parts}]
PAGES = {page.name: page_template(page, path, SERVED) for path, page in SERVED.items()}
PAGES["story"] = story_template("version", SERVED)
READ_BY_PEOPLE = {"aria-label", "title", "placeholder", "alt"}
KEY = re.compile(r"""["'`]((?:page|list|word|dice)\.(?:[\w.-]|\$\{[^}]*\})+)["'`]""")


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in READ_BY_PEOPLE]


def texts_in(markup: str) -> list[str]:
    """Return the visible texts of a page or of a template."""
    parser = _Texts()
    parser.feed(markup)
    parser.close()
    return parser.found


@pytest.mark.parametrize("name", PAGES)
def test_no_text_for_people_stands_in_a_page(name: str) -> None:
    bare = [re.sub(r"\{\{[\w.]+\}\}", "", text) for text in texts_in(PAGES[name])]
    assert [text for text in bare if re.search(r"[A-Za-z]{2}", text)] == []


def test_every_text_of_the_pages_is_used_and_every_one_used_is_there() -> None:
    named = {key for path in SCRIPTS for key in KEY.findall(path.read_text(encoding="utf-8"))}
    keys = {re.sub(r"\$\{[^}]*\}", "{}", key) for key in named}
    keys |= {key for html in PAGES.values() for key in re.findall(r"\{\{((?:page|list|word|dice)\.[\w.]+)\}\}", html)}
    patterns = {key: re.compile("[\\w-]+".join(map(re.escape, key.split("{}")))) for key in keys}
    assert {key for key, pattern in patterns.items() if not any(map(pattern.fullmatch, ENGLISH))} == set()
    pages = [key for key in ENGLISH if key.startswith("page.")]
    assert [key for key in pages if not any(pattern.fullmatch(key) for pattern in patterns.values())] == []
