"""A TOML file into frozen dataclasses: every key known, every value of its kind, before anything starts."""

import difflib
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from device.errors import BadInput
from vision.cures import cure_of, why

Section = TypeVar("Section")
_LARGEST_BYTES = 1_000_000


def load_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        BadInput: It is not there, too large, or no TOML.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise BadInput(f"settings {path} are larger than {_LARGEST_BYTES} bytes: name another file")
        # Windows editors begin a file with a byte order mark, which TOML does not know.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        cure = cure_of(error.errno, "name another file with --settings")
        raise BadInput(f"cannot read settings {path}: {why(error)}: {cure}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"settings {path} are no UTF-8 text: save the file with the encoding UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"settings {path} are no TOML ({error}): correct the file") from error


def nearest(wrong: str, known: typing.Iterable[str]) -> str:
    """The cure for a wrong word: the nearest right one, or all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(wrong, words, n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else f"choose one of {', '.join(words)}"


def read_section(kind: type[Section], body: Any, name: str) -> Section:
    """Build one section of the settings.

    Args:
        kind: A frozen dataclass; its fields are the keys, its defaults hold where a key is missing.
        body: What the file has there.
        name: Dotted name of the section, for messages.

    Raises:
        BadInput: A key that the section does not have (with the nearest one that it has), or a value of another kind.
    """
    if not isinstance(body, Mapping):
        raise BadInput(f"{name} is {body!r}: write a section [{name}]")
    known = {field.name: field for field in fields(kind) if field.init}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, value in body.items():
        if key not in known:
            raise BadInput(f"unknown key {name}.{key}: {nearest(key, known)}")
        values[key] = _value(hints[key], value, f"{name}.{key}")
    for key, field in known.items():
        if key not in values and field.default is MISSING and field.default_factory is MISSING:
            raise BadInput(f"{name}.{key} is missing: give it a value")
    try:
        return kind(**values)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"section [{name}]: {error}") from error


def _value(hint: Any, value: Any, name: str) -> Any:
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if isinstance(value, Mapping) and (kind := _section_kind(options)) is not None:
        return read_section(kind, value, name)
    for option in options:
        found = _fit(option, value)
        if found is not None:
            return found[0]
    raise BadInput(
        f"{name} is {value!r}: give {' or '.join(_words(option) for option in options if option is not _NONE)}"
    )


_NONE = type(None)


def _section_kind(options: tuple[Any, ...]) -> type[Any] | None:
    return next((option for option in options if isinstance(option, type) and is_dataclass(option)), None)


def _fit(option: Any, value: Any) -> tuple[Any] | None:
    """The value as this type, in a tuple of one; None where it is of another kind."""
    if option is bool or isinstance(value, bool):
        return (value,) if option is bool and isinstance(value, bool) else None
    if option is float and isinstance(value, int | float):
        return (float(value),)
    if option in (int, str) and isinstance(value, option):
        return (value,)
    if option is Path and isinstance(value, str):
        return (Path(value).expanduser(),)
    if typing.get_origin(option) is tuple and isinstance(value, list):
        return _fit_tuple(typing.get_args(option), value)
    return None


def _fit_tuple(kinds: tuple[Any, ...], values: list[Any]) -> tuple[Any] | None:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(values)
    if len(kinds) != len(values):
        return None
    parts = [_fit(kind, value) for kind, value in zip(kinds, values, strict=True)]
    return None if None in parts else (tuple(part[0] for part in parts if part is not None),)


def _words(option: Any) -> str:
    if typing.get_origin(option) is tuple:
        kinds = typing.get_args(option)
        if kinds[-1] is Ellipsis:
            return f"a list, each {_words(kinds[0])}"
        return f"a list of {len(kinds)}, each {_words(kinds[0])}"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", Path: "a path"}
    return words.get(option, "a section")
