"""What an editor shows of one field or argument is understood by itself: its entry is whole, and names what exists."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("device", "rules", "vision")

_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
_SECTION = re.compile(r"^Attributes:\n((?:(?:    .*)?\n?)*)", re.MULTILINE)
_BEGINS_WELL = re.compile(r"[A-Z0-9\"'`(]")
_ARGUMENTS = re.compile(r"^Args:\n((?:(?:    .*)?\n?)*)", re.MULTILINE)
_LEANS = re.compile(
    r"(The same|Likewise|That|Those|Its?|They|Theirs?|Them|These|This|There|Such|So|As before|"
    r"And|Or|But|Nor|Then|Unless|Else|Also|Too|Ditto)\b"
)
"""Words that point to the entry before, or to the name of the entry itself."""
_LACKS_A_NOUN = re.compile(r"(Of|Where|Which|Whose)\b")
"""Words that leave out what the value is. An argument's type stands beside it in the signature; a field is alone."""
_ELLIPSIS = re.compile(r"(?<!\()\.\.\.(?!,)|^\.\.\.|…")
"""Three dots that tie entries together; those of a shape, as in `(..., 2)`, do not."""


@dataclass(frozen=True)
class Described:
    """A class and the entries of its docstring.

    Attributes:
        where: File and name of the class.
        node: The class as Python parsed it.
        entries: Text of each entry by name; None where the docstring has no such section.
    """

    where: str
    node: ast.ClassDef
    entries: dict[str, str] | None

    @property
    def fields(self) -> set[str]:
        """Names that an instance has: annotated in the body, set on `self` in a method, or a property."""
        names = set(_annotated(self.node))
        for part in ast.walk(self.node):
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                names.add(part.attr)
            elif isinstance(part, ast.FunctionDef) and any(
                ast.unparse(one) == "property" for one in part.decorator_list
            ):
                names.add(part.name)
        return names

    @property
    def is_public_value(self) -> bool:
        """Whether it is a public dataclass, named tuple or section of the settings."""
        made = [ast.unparse(part) for part in (*self.node.decorator_list, *self.node.bases)]
        return not self.node.name.startswith("_") and any(
            re.search(r"\b(dataclass|NamedTuple|section)\b", part) for part in made
        )


def _annotated(node: ast.ClassDef) -> Iterator[str]:
    """Names annotated in a class's body, those of the class itself left out."""
    for part in node.body:
        if not (isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)):
            continue
        if "ClassVar" not in ast.unparse(part.annotation):
            yield part.target.id


def entries_of(doc: str) -> dict[str, str] | None:
    """The entries of a docstring's section of attributes, each in one line; None without such a section."""
    section = _SECTION.search(doc)
    return section and {name: " ".join(text.split()) for name, text in _ENTRY.findall(section[1])}


def faults_of(text: str) -> list[str]:
    """What keeps an entry from being understood by itself."""
    faults = []
    if not _BEGINS_WELL.match(text):
        faults.append("begins with a small letter or a sign")
    if not text.endswith((".", "?")) or text.endswith("..."):
        faults.append("ends without a full stop")
    if leaning := _LEANS.match(text):
        faults.append(f"begins with {leaning[0]!r}")
    if "likewise" in text.lower():
        faults.append("says `likewise`")
    if _ELLIPSIS.search(text):
        faults.append("is tied to its neighbour by dots")
    return faults


def faults_of_field(text: str) -> list[str]:
    """What keeps a field's entry from being understood by itself."""
    lacks = _LACKS_A_NOUN.match(text)
    return faults_of(text) + ([f"begins with {lacks[0]!r}"] if lacks else [])


@cache
def _modules() -> tuple[tuple[Path, ast.Module], ...]:
    """Every module of the house, by its path."""
    paths = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if "node_modules" not in path.parts]
    return tuple((path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


@pytest.fixture(scope="module")
def classes() -> list[Described]:
    """Every class of the house."""
    return [
        Described(f"{path}: {node.name}", node, entries_of(ast.get_docstring(node) or ""))
        for path, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]


def test_each_entry_is_understood_by_itself(classes: list[Described]) -> None:
    entries = [(one.where, name, text) for one in classes for name, text in (one.entries or {}).items()]
    bad = [f"{where}.{name} {fault}: {text}" for where, name, text in entries for fault in faults_of_field(text)]
    assert len(entries) > 1500
    assert not bad, "write each entry as a sentence or a noun phrase of its own:\n" + "\n".join(bad)


def test_each_argument_is_understood_by_itself() -> None:
    bad, count = [], 0
    for path, tree in _modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                section = _ARGUMENTS.search(ast.get_docstring(node) or "")
                entries = [
                    (name, " ".join(text.split())) for name, text in _ENTRY.findall(section[1] if section else "")
                ]
                count += len(entries)
                bad += [
                    f"{path}: {node.name}({name}) {fault}: {text}"
                    for name, text in entries
                    for fault in faults_of(text)
                ]
    assert count > 800
    assert not bad, "write each argument's entry as a sentence or a noun phrase of its own:\n" + "\n".join(bad)


def test_each_line_of_a_section_is_read(classes: list[Described]) -> None:
    sections = [(one.where, _SECTION.search(ast.get_docstring(one.node) or "")) for one in classes]
    bad = [
        f"{where}: {line.strip()}"
        for where, section in sections
        if section
        for line in section[1].splitlines()
        if re.match(r"    \S", line) and not _ENTRY.match(line)
    ]
    assert not bad, "write these lines as `name: text`:\n" + "\n".join(bad)


def test_each_entry_names_a_field(classes: list[Described]) -> None:
    bad = [f"{one.where}.{name}" for one in classes for name in (one.entries or {}) if name not in one.fields]
    assert not bad, "these entries name no field of their class:\n" + "\n".join(bad)


def test_each_field_of_a_public_value_has_an_entry(classes: list[Described]) -> None:
    bad = [
        f"{one.where}.{name}"
        for one in classes
        if one.is_public_value
        for name in _annotated(one.node)
        if not name.startswith("_") and name not in (one.entries or {})
    ]
    assert not bad, "these fields have no entry under `Attributes:`:\n" + "\n".join(bad)


@pytest.mark.parametrize(
    "text",
    [
        "and their edge more than this,",
        "Where places have so much heat...",
        "...or less than this.",
        "The same of the walls.",
        "Height of the picture, likewise.",
        "Its name.",
        "Of the picture.",
        "Height of the picture",
    ],
)
def test_pieces_of_a_sentence_are_found(text: str) -> None:
    assert faults_of_field(text)


@pytest.mark.parametrize(
    "text",
    ["Shape (..., 3), colours.", "`rectangle` or `round`.", "4, 6 or 8 segments.", "Is it known?", "See `Frame`."],
)
def test_whole_entries_pass(text: str) -> None:
    assert not faults_of_field(text)
