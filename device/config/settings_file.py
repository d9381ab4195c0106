"""One value of a settings file is changed; everything else in it, comments too, stays letter for letter.

The file is taken apart only as far as needed: where each statement begins and ends. That the changed text says what
it should, and nothing else, is then read from it as a whole, so a way of writing that is not understood here is
refused and never spoilt.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from device import kept_files
from device.errors import BadInput
from device.texts.catalogue import say
from vision.types.cures import cure_of, why

TomlValue: TypeAlias = bool | int | float | str | Sequence["TomlValue"]
"""What a key may be set to."""

_MARK = "\ufeff"
"""The byte order mark that Windows editors begin a file with."""


class NotByMachine(BadInput):
    """The file says the same in a way of writing that is left to a person."""


@dataclass(frozen=True, slots=True)
class _Statement:
    path: tuple[str, ...]
    is_heading: bool
    start: int
    value_start: int
    value_end: int
    stop: int


def with_value(text: str, path: tuple[str, ...], value: TomlValue | None) -> str:
    """Return a settings file's text with one key set, or with it taken out.

    Args:
        path: The key with its sections, as in `("ring", "shape", "leds")`.
    """
    body = tomllib.loads(text.removeprefix(_MARK))
    wanted = _with_key(body, path, value)
    if wanted == body:
        return text
    statements = list(_statements(text))
    own = next((one for one in statements if one.path == path and not one.is_heading), None)
    if own is not None:
        changed = _without(text, own) if value is None else _replaced(text, own, _toml(value))
    else:
        changed = _with_new_key(text, statements, path, _toml(value))
    try:
        is_right = tomllib.loads(changed.removeprefix(_MARK)) == wanted
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise NotByMachine(say("settings.by_hand", key=".".join(path)))
    return changed


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, with the rights that it had; its folder is made where there is none."""
    try:
        kept_files.write_whole(path, text.encode())
    except OSError as error:
        cure = cure_of(error.errno, "change it by hand")
        raise BadInput(say("settings.not_written", file=str(path), why=why(error), cure=cure)) from error


def _with_key(body: dict[str, Any], path: tuple[str, ...], value: TomlValue | None) -> dict[str, Any]:
    """Return what the file should say; a section without a key left may stay."""
    name, *rest = path
    changed = dict(body)
    if rest:
        inner = body.get(name, {})
        if not isinstance(inner, dict):
            raise NotByMachine(say("settings.by_hand", key=name))
        if value is not None or name in body:
            changed[name] = _with_key(inner, tuple(rest), value)
    elif value is None:
        changed.pop(name, None)
    else:
        changed[name] = list(value) if isinstance(value, list | tuple) else value
    return changed


def _toml(value: TomlValue | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value):
            raise BadInput(say("settings.wrong.text"))
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(value)
    return f"[{', '.join(_toml(one) for one in value or ())}]"


def _replaced(text: str, own: _Statement, value: str) -> str:
    return text[: own.value_start] + value + text[own.value_end :]


def _without(text: str, own: _Statement) -> str:
    """Take a statement out; a comment behind its value becomes a line of its own."""
    behind = text[own.value_end : own.stop].lstrip(" \t")
    return text[: own.start] + (behind if behind.startswith("#") else "") + text[own.stop :]


def _with_new_key(text: str, statements: list[_Statement], path: tuple[str, ...], value: str) -> str:
    *section, name = path
    end = "\r\n" if "\r\n" in text else "\n"
    line = f"{name} = {value}{end}"
    place, inside = None, False
    for one in statements:
        if one.is_heading:
            inside = one.path == tuple(section)
        if inside:
            place = one.stop
    if place is not None:
        before = text[:place]
        return before + ("" if before.endswith("\n") else end) + line + text[place:]
    gap = "" if not text.removeprefix(_MARK).strip() else end if text.endswith("\n") else end + end
    return f"{text}{gap}[{'.'.join(section)}]{end}{line}"


def _statements(text: str) -> Iterator[_Statement]:
    """Yield every heading and every key of a TOML text that is known to be one, in order."""
    at = len(_MARK) if text.startswith(_MARK) else 0
    section: tuple[str, ...] = ()
    while at < len(text):
        start = at
        while at < len(text) and text[at] in " \t":
            at += 1
        if at >= len(text) or text[at] in "#\r\n":
            at = _line_end(text, at)
        elif text[at] == "[":
            close = _line_end(text, at)
            section = _path_of(text[at:close])
            at = close
            yield _Statement(section, True, start, close, close, close)
        else:
            equals = _skip(text, at, "=")
            path = section + _path_of(f"{text[at:equals]} = 0")
            value_start = equals + 1
            while text[value_start] in " \t":
                value_start += 1
            value_end = _value_end(text, value_start)
            at = _line_end(text, value_end)
            yield _Statement(path, False, start, value_start, value_end, at)


def _path_of(statement: str) -> tuple[str, ...]:
    path: list[str] = []
    inner: Any = tomllib.loads(statement)
    while isinstance(inner, dict) and inner:
        name, inner = next(iter(inner.items()))
        path.append(name)
        # A section that may come several times is a list; none of the tray's is one.
        inner = inner[0] if isinstance(inner, list) and inner else inner
    return tuple(path)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _skip(text: str, at: int, stop: str) -> int:
    """Return the place of a sign outside quotes; the text's end where there is none."""
    while at < len(text) and text[at] != stop:
        at = _end_of_quote(text, at) if text[at] in "\"'" else at + 1
    return at


def _value_end(text: str, at: int) -> int:
    """Return where a value ends: at its line's end, or before a comment; lists and quotes go over lines."""
    depth, end = 0, at
    while at < len(text):
        sign = text[at]
        if sign in "\"'":
            at = end = _end_of_quote(text, at)
            continue
        if sign == "#":
            if depth == 0:
                break
            at = text.find("\n", at)
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == "\n" and depth == 0:
            break
        at += 1
        if not sign.isspace():
            end = at
    return end


def _end_of_quote(text: str, at: int) -> int:
    quote = text[at]
    mark = quote * 3 if text.startswith(quote * 3, at) else quote
    at += len(mark)
    while not text.startswith(mark, at):
        at += 2 if quote == '"' and text[at] == "\\" else 1
    at += len(mark)
    # Up to two quotes may stand right before the three that end a text.
    while len(mark) == 3 and text.startswith(quote, at):
        at += 1
    return at
