"""Write what READMEs say from the code: the settings in device/config/README.md, the rooms in vision/README.md.

python .ci/house.py writes them; tests/device/test_house.py fails while they are out of date.
"""

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from device.config.messages import help_of, keys_of, range_of, type_of, words_of
from device.config.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- made by .ci/house.py: begin -->", "<!-- made by .ci/house.py: end -->"


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
        ROOT / "vision" / "README.md": table("vision"),
        ROOT / "device" / "config" / "README.md": settings_reference(),
    }
    return {path: with_part(path.read_text(encoding="utf-8"), part) for path, part in made.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
