"""No text for people stands in pages, scripts or modules of the web: they come from the catalogues."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from device.texts.catalogue import catalogue
from device.web import pages as served
from device.web.pages import STATIC, page_template, story_template
from tests.web.script_texts import Literal, literals

ENGLISH = catalogue("en").texts
SCRIPTS = sorted(STATIC.glob("*/*.js"))
PAGES = {page.name: page_template(page, path, served.PAGES) for path, page in served.PAGES.items()}
PAGES["story"] = story_template("version")
WEB = Path(STATIC).parent
MODULES = sorted(path for path in WEB.rglob("*.py") if path.name not in ("addresses.py", "pages.py"))
"""What answers requests; `addresses.py` speaks to whoever starts the program, `pages.py` to browsers."""
SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:.!?]?\s+(\{\}|[A-Za-z])|^\s*[A-Z][a-z]+[.!?…]*\s*$|\{\}[,:]?\s+[A-Za-z]{2,}")
CLASSES = {name for path in STATIC.glob("css/*.css") for name in re.findall(r"\.([a-z][\w-]*)", path.read_text())}
SELECTORS = {"closest", "matches", "querySelector", "querySelectorAll", "matchMedia", "Error", "TypeError"}
READ_BY_PEOPLE = {"aria-label", "title", "placeholder", "alt"}


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in READ_BY_PEOPLE]


def texts_in(markup: str) -> list[str]:
    """What people read of a page or of a template."""
    parser = _Texts()
    parser.feed(markup)
    parser.close()
    return parser.found


def is_for_people(literal: Literal) -> bool:
    """Whether somebody reads it: by where it stands, else by what it looks like."""
    if literal.before[-1] in ("html", "svg"):
        return any(re.search(r"[A-Za-z]{2}", text.replace("{}", "")) for text in texts_in(literal.text))
    if literal.text.startswith("--"):
        return False  # Properties of a style.
    sink = literal.before[-2].strip("\"'")
    if literal.before[-1] in ":=" and sink in READ_BY_PEOPLE | {"textContent"}:
        return re.search(r"[A-Za-z]{2}", literal.text.replace("{}", "")) is not None
    if sink == "class" or SELECTORS & set(literal.before) or not any(literal.before):
        return False
    words = [word for word in re.split(r"\s+", literal.text) if word and "{}" not in word]
    return SENTENCE.search(literal.text) is not None and not all(word in CLASSES for word in words)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_text_for_people_stands_in_a_script(path: Path) -> None:
    found = [(one.line, one.text) for one in literals(path.read_text(encoding="utf-8")) if is_for_people(one)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'say("The tray is away")',
        "x = `Throw ${n} dice`",
        'f("b", {}, "Undo")',
        'n.textContent = "stays"',
        "html`<b>${x} stays</b>`",
        'svg`<g aria-label="stays"></g>`',
    ],
)
def test_a_text_in_a_script_is_found(source: str) -> None:
    assert any(is_for_people(one) for one in literals(source))


@pytest.mark.parametrize("name", PAGES)
def test_no_text_for_people_stands_in_a_page(name: str) -> None:
    bare = [re.sub(r"\{\{[\w.]+\}\}", "", text) for text in texts_in(PAGES[name])]
    assert [text for text in bare if re.search(r"[A-Za-z]{2}", text)] == []


def says(node: ast.AST) -> bool:
    """Whether it says a text of the catalogue."""
    return any(isinstance(one, ast.Name) and one.id == "say" for one in ast.walk(node))


def texts_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts of a module that a page may show.

    Docstrings, the OpenAPI document (an `EventRequest` has its line as fourth value) and what is raised over a
    malformed request are none: those are for programs.
    """
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg in ("summary", "description")):
            left_out.add(node.value)
        elif isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "removeprefix"
        ):
            left_out |= set(ast.walk(node)) if not says(node) else set()
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "EventRequest":
            left_out.add(node.args[3])
        elif isinstance(node, ast.Dict):
            keyed = zip(node.keys, node.values, strict=True)
            left_out |= {value for key, value in keyed if isinstance(key, ast.Constant) and key.value == "description"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_text_for_people_stands_in_a_module_of_the_web(path: Path) -> None:
    said = texts_of(ast.parse(path.read_text(encoding="utf-8")))
    assert [(line, text) for line, text in said if re.search(r"(?<!<)\b[A-Za-z]{2,} [A-Za-z]{2,}", text)] == []


def test_every_text_of_the_pages_is_used_and_every_one_used_is_there() -> None:
    used = {one.text for path in SCRIPTS for one in literals(path.read_text(encoding="utf-8"))}
    used |= {key for html in PAGES.values() for key in re.findall(r"\{\{([\w.]+)\}\}", html)}
    keys = {key for key in used if re.fullmatch(r"(page|list|word|dice)\.[\w.{}-]+", key)}
    patterns = {key: re.compile("[\\w-]+".join(map(re.escape, key.split("{}")))) for key in keys}
    assert {key for key, pattern in patterns.items() if not any(map(pattern.fullmatch, ENGLISH))} == set()
    pages = [key for key in ENGLISH if key.startswith("page.")]
    assert [key for key in pages if not any(pattern.fullmatch(key) for pattern in patterns.values())] == []
