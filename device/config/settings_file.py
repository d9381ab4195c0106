"""Change some values of a settings file; everything else, including comments, stays unchanged."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import tomlkit
from tomlkit.container import OutOfOrderTableProxy
from tomlkit.exceptions import TOMLKitError

from device.errors import BadInput
from device.texts.catalogue import translate

TomlValue: TypeAlias = bool | int | float | str | Sequence["TomlValue"]
"""A value of a key."""

MARK = "\ufeff"
"""The byte order mark that Windows editors put at the beginning of a file."""


class NotByMachine(BadInput):
    """The file uses a notation that only a person can edit."""


def with_values(text: str, values: Mapping[tuple[str, ...], TomlValue | None]) -> str:
    """Return a settings file's text with some keys set, or removed if the value is None.

    Args:
        values: By the key with its sections, as in `("ring", "shape", "leds")`.
    """
    mark = MARK if text.startswith(MARK) else ""
    end = "\r\n" if "\r\n" in text else "\n"
    try:
        document = tomlkit.parse(text.removeprefix(mark).replace("\r\n", "\n"))
        before = document.unwrap()
        for path, value in values.items():
            if value_at(before, path) != value:
                _set(document, path, value)
        changed = tomlkit.dumps(document)
        is_right = tomllib.loads(changed) == document.unwrap()
    except (TOMLKitError, TypeError, AttributeError, tomllib.TOMLDecodeError):
        is_right = False
    if not is_right:
        raise NotByMachine(translate("settings.by_hand", key=", ".join(".".join(path) for path in values)))
    return mark + changed.replace("\n", end)


def value_at(body: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body


def _set(document: tomlkit.TOMLDocument, path: tuple[str, ...], value: TomlValue | None) -> None:
    at: Any = document
    *sections, name = path
    for depth, section in enumerate(sections, 1):
        if section not in at:
            at[section] = tomlkit.table(is_super_table=depth < len(sections))
        at = at[section]
    if value is None:
        _remove(at, name)
        return
    if isinstance(value, str) and re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value):
        raise BadInput(translate("settings.wrong.text"))
    at[name] = value


def _remove(section: Any, name: str) -> None:
    """Remove a key; a comment after its value becomes a separate line."""
    comment = section[name].trivia.comment
    body = [] if isinstance(section, OutOfOrderTableProxy) else section.value.body
    place = next((place for place, (key, _) in enumerate(body) if key is not None and key.key == name), None)
    del section[name]
    if comment and place is not None:
        body[place] = (None, tomlkit.comment(comment.lstrip("# ")))
