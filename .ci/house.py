"""Draw how `device` and `vision` are built, from the code.

A picture of the imports in README.md, tables of rooms in device/README.md and vision/README.md, all settings in
device/config/README.md.
python .ci/house.py writes them; tests/device/test_house.py fails while they are out of date. An arrow means "imports".
Arrows that follow from others are left out: a room that reaches another through a third one has no arrow of its own.
"""

import ast
import inspect
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import grimp

from device.config.messages import help_of, keys_of, range_of, type_of, words_of
from device.config.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("device", "rules", "vision")
ENTRY = ("__main__", "bootstrap")
"""Modules that only start others."""
GROUND = "check, console, errors, section, standard_tray"
BEGIN, END = "<!-- made by .ci/house.py: begin -->", "<!-- made by .ci/house.py: end -->"


def room_of(module: str) -> str:
    """The room of a module: its folder; `game` has rooms of its own, `rules` and `vision` are one each."""
    package, *names = module.split(".")
    if package != "device":
        return package
    if len(names) == 1:
        return "" if names[0] in ENTRY else names[0] if names[0] == "app" else GROUND
    is_nested = names[0] == "game" and len(names) > 2
    return f"game/{names[1]}" if is_nested else names[0]


def imports_between_rooms() -> dict[str, set[str]]:
    """Which rooms each room imports."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    packages = {module for module in graph.modules if graph.find_children(module)}
    found: dict[str, set[str]] = defaultdict(set)
    for module in graph.modules - packages:
        room = room_of(module)
        found[room] |= {room_of(other) for other in graph.find_modules_directly_imported_by(module)} - {room, ""}
    found.pop("", None)
    return dict(found)


def without_detours(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same without what follows from the rest (transitive reduction); there must be no cycle."""

    def reached(room: str) -> set[str]:
        return imports[room].union(*(reached(other) for other in imports[room]))

    return {room: others - set().union(*(reached(other) for other in others)) for room, others in imports.items()}


def picture() -> str:
    """The rooms and their imports as a Mermaid flow chart."""
    drawn = without_detours(imports_between_rooms())
    key = {room: "".join(letter if letter.isalnum() else "_" for letter in room) for room in drawn}
    boxes = [f'    {key[room]}["{room}"]' for room in sorted(drawn)]
    arrows = [f"    {key[room]} --> {key[other]}" for room in sorted(drawn) for other in sorted(drawn[room])]
    return "\n".join(["```mermaid", "flowchart TD", *boxes, *arrows, "```"])


def table(package: str) -> str:
    """Every room of a package with what it is for and the modules in it, by its own docstring."""
    lines = ["| folder | what it is for | modules |", "|---|---|---|"]
    for init in sorted((ROOT / package).rglob("__init__.py"), key=lambda path: path.parent):
        folder = init.parent
        about = (ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or "").replace("\n", " ")
        modules = ", ".join(sorted(path.stem for path in folder.glob("*.py") if path != init))
        lines.append(f"| `{folder.relative_to(ROOT).as_posix()}/` | {about} | {modules} |")
    return "\n".join(lines)


def settings_reference() -> str:
    """Every section of the settings with its keys, from what pydantic checks them by."""
    return "\n\n".join(_sections(Settings(), ""))


def _sections(section: Any, name: str) -> Iterator[str]:
    """A section as a table, and those inside it after it."""
    hints, said = keys_of(type(section)), help_of(type(section))
    rows, inner = ["| key | unless set | may be | what it does |", "|---|---|---|---|"], []
    for key, hint in hints.items():
        value, dotted = getattr(section, key), f"{name}.{key}" if name else key
        if is_dataclass(value):
            inner += _sections(value, dotted)
        elif isinstance(value, dict):
            inner.append(f"### `[{dotted}]`\n\n{said[key]}")
        else:
            rows.append(f"| `{key}` | {_default(value)} | {_allowed(hint)} | {said[key]} |")
    if name:
        about = (inspect.getdoc(type(section)) or "").partition("\n")[0]
        head = f"### `[{name}]`\n\n{about}"
        yield "\n".join([head, "", *rows]) if len(rows) > 2 else head
    yield from inner


def _default(value: Any) -> str:
    """As the settings file would have it."""
    if value is None or value == "":
        return ""
    return f"`{json.dumps(value.value if isinstance(value, Enum) else value)}`"


def _allowed(hint: Any) -> str:
    """Type and range of a key, in the words that its refusal has."""
    words = words_of(hint)
    limits = range_of(hint)
    return ", ".join(f"`{json.dumps(word)}`" for word in words) or f"{type_of(hint)}{limits and ', '}{limits}"


def with_part(text: str, part: str) -> str:
    """A page with the part between its two marks put in anew.

    Raises:
        ValueError: The page has no such marks.
    """
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"the page lacks the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{part}\n{END}{after}"


def pages() -> dict[Path, str]:
    """Each page with what it should say."""
    made = {
        ROOT / "README.md": picture(),
        ROOT / "device" / "README.md": table("device"),
        ROOT / "vision" / "README.md": table("vision"),
        ROOT / "device" / "config" / "README.md": settings_reference(),
    }
    return {path: with_part(path.read_text(encoding="utf-8"), part) for path, part in made.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
