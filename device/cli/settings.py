"""The subcommand `settings`: every key of the settings file with its description, as a TOML file to start from."""

import argparse
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

from device.config.messages import help_of, keys_of, nearest, range_of, type_of, words_of
from device.config.settings import Settings, default_settings_file
from device.errors import BadInput


def add_settings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("section", nargs="?", metavar="SECTION", help="print this section alone, such as web")


def run_settings(args: argparse.Namespace) -> int:
    sections = keys_of(Settings)
    if args.section is not None and args.section not in sections:
        raise BadInput(f"there is no section {args.section}: {nearest(args.section, sections)}")
    sys.stdout.write(settings_reference(*([args.section] if args.section else sections)) + "\n")
    return 0


def settings_reference(*sections: str) -> str:
    """Return the sections as TOML, each key commented out with its default."""
    top, words = Settings(), help_of(Settings)
    parts = [f"# Settings of the tray: save as {default_settings_file()} and delete the # before what you change."]
    for name in sections:
        value = getattr(top, name)
        # An empty table of colours would mean that there are none, so its header is commented out as well.
        parts.append("\n".join(_section(value, name) if is_dataclass(value) else _table(value, name, words[name])))
    return "\n\n".join(parts)


def _section(section: Any, name: str) -> Iterator[str]:
    yield from _comment((inspect.getdoc(type(section)) or "").partition("\n")[0])
    yield f"[{name}]"
    words, inner = help_of(type(section)), []
    for key, hint in keys_of(type(section)).items():
        value = getattr(section, key)
        if is_dataclass(value):
            inner.append((value, f"{name}.{key}"))
            continue
        yield ""
        yield from _comment(f"{words[key]} ({_allowed(hint)})")
        yield f"# {key} = {_toml(value)}"
    for value, dotted in inner:
        yield ""
        yield from _section(value, dotted)


def _table(values: Mapping[str, Any], name: str, words: str) -> list[str]:
    return [*_comment(words), f"# [{name}]", *(f"# {key} = {_toml(value)}" for key, value in values.items())]


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent="## ", subsequent_indent="## ", break_long_words=False)


def _toml(value: Any) -> str:
    return json.dumps("" if value is None else value.value if isinstance(value, Enum) else value)


def _allowed(hint: Any) -> str:
    limits = range_of(hint)
    return ", ".join(json.dumps(word) for word in words_of(hint)) or f"{type_of(hint)}{limits and ', '}{limits}"
