"""Write what a README says from the code: the settings in device/config/README.md.

python .ci/house.py writes them; tests/device/test_house.py fails while they are out of date.
"""

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


def settings_reference() -> str:
    """Every section of the settings with its keys, from what pydantic checks them by."""
    top, said = Settings(), help_of(Settings)
    parts = []
    for name in keys_of(Settings):
        value, head = getattr(top, name), f"### `[{name}]`\n\n"
        if is_dataclass(value):
            rows = ["| key | default | may be | what it does |", "|---|---|---|---|", *_rows(value, "")]
            parts.append(f"{head}{' '.join(_about(value, name))}\n\n" + "\n".join(rows))
        else:
            parts.append(head + said[name])
    return "\n\n".join(parts)


def _about(section: Any, name: str) -> Iterator[str]:
    """What a section is for, and those inside it."""
    yield (inspect.getdoc(type(section)) or "").partition("\n")[0]
    for key in keys_of(type(section)):
        if is_dataclass(value := getattr(section, key)):
            first, *rest = _about(value, f"{name}.{key}")
            yield " ".join([f"`[{name}.{key}]`: {first}", *rest])


def _rows(section: Any, prefix: str) -> Iterator[str]:
    """A row for each key of a section, those of sections inside it after its own."""
    hints, said, inner = keys_of(type(section)), help_of(type(section)), []
    for key, hint in hints.items():
        value = getattr(section, key)
        if is_dataclass(value):
            inner.append((value, f"{prefix}{key}."))
        else:
            yield f"| `{prefix}{key}` | {_default(value)} | {_allowed(hint)} | {said[key]} |"
    for value, name in inner:
        yield from _rows(value, name)


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
        ROOT / "device" / "config" / "README.md": settings_reference(),
    }
    return {path: with_part(path.read_text(encoding="utf-8"), part) for path, part in made.items()}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
