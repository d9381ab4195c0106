"""Format pydantic's errors about settings as one line: what, the value, the cure."""

import difflib
import inspect
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo

from device.section import OneOf


def nearest(wrong: str, known: Iterable[str]) -> str:
    """Return the cure for a wrong word: the nearest valid one, or all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(wrong, words, n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else f"choose one of {', '.join(words)}"


def keys_of(hint: Any) -> dict[str, Any]:
    """Return the keys of a section and their types; empty if the hint is not a section."""
    kind = bare(hint)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return {}
    hints = typing.get_type_hints(kind, include_extras=True)
    return {key.name: hints[key.name] for key in fields(kind)}


def help_of(section: type) -> dict[str, str]:
    _, _, text = (inspect.getdoc(section) or "").partition("Attributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", text, re.MULTILINE)
    return {key: re.sub(r"\s+", " ", words) for key, words in entries}


def one_line(error: ValidationError, kind: type, body: Mapping[str, Any]) -> str:
    first = error.errors(include_url=False)[0]
    name, hint, value = "", kind, body
    for part in first["loc"]:
        if isinstance(part, int):  # inside a list, which is named as a whole
            break
        keys = keys_of(hint)
        if first["type"] == "unexpected_keyword_argument" and part not in keys:
            return f"unknown key {_dotted(name, part)}: {nearest(part, keys)}"
        name, hint, value = _dotted(name, part), keys.get(part) or _values_of(hint), value[part]
    if first["type"] == "value_error":
        return _dotted(name, str(first["ctx"]["error"]))
    if keys_of(hint) or _values_of(hint) is not None:
        return f"{name} is {value!r}: write a section [{name}]"
    if bare(hint) is SecretStr:
        return f"{name} is not text: put it in quotes"  # a secret is not repeated in messages
    words = words_of(hint)
    if words and isinstance(value, str):
        return f"{name} is {value!r}: {nearest(value, words)}"
    is_range = first["type"].startswith(("greater_than", "less_than", "finite", "literal"))
    if is_range and not words:
        return f"{name} is {value!r}, must be {range_of(hint) or 'a finite number'}"
    return f"{name} is {value!r}: give {type_of(hint)}"


def words_of(hint: Any) -> list[str]:
    """Return the words that a key accepts; empty if it accepts any text, or no text."""
    for mark in _marks(hint):
        if isinstance(mark, OneOf):
            return list(mark.words)
    kind = bare(hint)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(member.value) for member in kind]
    words = typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()
    return [word for word in words if isinstance(word, str) and word]


def range_of(hint: Any) -> str:
    """Return the range of a number, or of each number of a list: `5 to 60`; empty if there is none."""
    kind = bare(hint)
    if typing.get_origin(kind) is typing.Literal:
        return " or ".join(str(number) for number in typing.get_args(kind))
    if typing.get_origin(kind) is tuple:
        each = range_of(typing.get_args(kind)[0])
        return f"{each} each" if each else ""
    bounds = {name: f"{limit:g}" for name, limit in bounds_of(hint).items()}
    if "ge" in bounds:
        return f"{bounds['ge']} to {bounds['le']}" if "le" in bounds else f"{bounds['ge']} or more"
    most = f" and at most {bounds['le']}" if "le" in bounds else f" and below {bounds['lt']}" if "lt" in bounds else ""
    return f"above {bounds['gt']}{most}" if "gt" in bounds else ""


def bounds_of(hint: Any) -> dict[str, float]:
    """Return the bounds of a number by pydantic's names: `ge` and `le` belong to its range, `gt` and `lt` do not."""
    return {
        name: getattr(mark, name)
        for mark in _marks(hint)
        for name in ("ge", "gt", "le", "lt")
        if getattr(mark, name, None) is not None
    }


def type_of(hint: Any) -> str:
    """Return the name of a key's type, as in `a whole number`."""
    kind = bare(hint)
    if typing.get_origin(kind) is tuple:
        parts = typing.get_args(kind)
        count = "" if parts[-1] is Ellipsis else f" of {len(parts)}"
        return f"a list{count}, each {type_of(parts[0])}"
    if typing.get_origin(kind) is typing.Literal:
        kind = type(typing.get_args(kind)[0])
    names = {bool: "true or false", int: "a whole number", float: "a number", Path: "a path"}
    return names.get(kind, "a text")


def _dotted(name: str, rest: str) -> str:
    return f"{name}.{rest}" if name else rest


def _values_of(hint: Any) -> Any:
    """Return the type of the values of a free section, such as `[colours]`; None if the hint is not one."""
    kind = bare(hint)
    return typing.get_args(kind)[1] if typing.get_origin(kind) is Mapping else None


def bare(hint: Any) -> Any:
    """Return a type without annotations and without None."""
    if typing.get_origin(hint) is typing.Annotated:
        return bare(typing.get_args(hint)[0])
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return next(bare(option) for option in typing.get_args(hint) if option is not types.NoneType)
    return hint


def _marks(hint: Any) -> Iterator[Any]:
    if typing.get_origin(hint) is typing.Annotated:
        inner, *marks = typing.get_args(hint)
        yield from _marks(inner)
        for mark in marks:
            yield from mark.metadata if isinstance(mark, FieldInfo) else (mark,)
