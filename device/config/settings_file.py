"""Change some values of a settings file; everything else, including comments, stays unchanged."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

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

    tomlkit puts a token at the place of each key; then the value replaces the token, or the key is removed with it.

    Args:
        values: By the key with its sections, as in `("ring", "shape", "leds")`.
    """
    mark = MARK if text.startswith(MARK) else ""
    body = text.removeprefix(mark)
    is_crlf = "\r\n" in body and not re.search(r"(?<!\r)\n", body)
    if is_crlf:
        body = body.replace("\r\n", "\n")
    try:
        before = _leaves(tomllib.loads(body))
        changes = {path: value for path, value in values.items() if before.get(path) != value}
        unused = next(letter for letter in map(chr, range(0xE000, 0xF900)) if letter not in body)
        tokens = {path: f"{unused}{number}{unused}" for number, path in enumerate(changes)}
        changed = _with_tokens(body, tokens)
        for path, value in changes.items():
            token = f'"{tokens[path]}"'
            changed = _without(changed, token) if value is None else changed.replace(token, _toml(value))
        wanted = {path: value for path, value in {**before, **changes}.items() if value is not None}
        is_right = _leaves(tomllib.loads(changed)) == wanted
    except (TOMLKitError, TypeError, AttributeError, tomllib.TOMLDecodeError):
        is_right = False
    if not is_right:
        raise NotByMachine(translate("settings.by_hand", key=", ".join(".".join(path) for path in values)))
    return mark + (changed.replace("\n", "\r\n") if is_crlf else changed)


def value_at(body: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body


def _leaves(body: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Return every value by its path; empty sections have none."""
    leaves: dict[tuple[str, ...], Any] = {}
    for name, value in body.items():
        key = (*path, name)
        leaves |= _leaves(value, key) if isinstance(value, dict) else {key: value}
    return leaves


def _with_tokens(text: str, tokens: Mapping[tuple[str, ...], str]) -> str:
    document = tomlkit.parse(text)
    if tomlkit.dumps(document) != text:
        raise TOMLKitError("would move sections between those of an array")
    for (*sections, name), token in tokens.items():
        at: Any = document
        for depth, section in enumerate(sections, 1):
            if section not in at:
                is_inline = isinstance(at, InlineTable)
                _put(at, section, tomlkit.inline_table() if is_inline else tomlkit.table(depth < len(sections)))
            at = at[section]
        _put(at, name, token)
    return tomlkit.dumps(document)


def _put(section: Any, name: str, value: object) -> None:
    """Set a key; in an inline section the space before the brace stays there, which tomlkit puts before the key."""
    is_new = isinstance(section, InlineTable) and name not in section
    inside = section.as_string()[:-1] if is_new else ""
    section[name] = value
    if is_new:
        section.value.body[-1][1].trivia.trail = inside[len(inside.rstrip(" ")) :]


def _toml(value: TomlValue) -> str:
    if isinstance(value, str) and re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value):
        raise BadInput(translate("settings.wrong.text"))
    return tomlkit.item(value).as_string()


def _without(text: str, token: str) -> str:
    """Remove the key whose value is the token; a comment after it becomes a separate line."""
    before, after = text.split(token)
    rest = after.lstrip(" \t")
    line = before.rfind("\n") + 1
    inline = max(before.rfind("{", line), before.rfind(",", line))
    start = line if inline < 0 else inline + 1
    space = before[start : len(before) - len(before[start:].lstrip(" \t"))]
    if inline < 0:
        return before[:start] + (space + rest if rest.startswith("#") else re.sub(r"\A\r?\n", "", rest))
    if rest.startswith(","):
        return before[:start] + space + rest[1:].lstrip(" \t")
    return before[:inline].rstrip(" \t") + after if before[inline] == "," else before[:start] + rest
