"""Export the roll log as CSV or JSON Lines."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from fractions import Fraction
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

from device.body import dicts
from device.errors import BadInput
from device.game.state.effects import RollNotes
from device.storage.log_file import FILE_NAME
from device.storage.log_rows import Row, kind_word, shown_value
from device.storage.rolls import logged_since
from rules.odds import parse_fraction
from rules.system import Facts, JsonValue

Item = TypeVar("Item")

SEPARATORS: Final = {"comma": ",", "semicolon": ";", "tab": "\t"}
"""Column separators; a spreadsheet that expects semicolons writes decimals with a comma."""
MARK: Final = "\ufeff"
"""Byte order mark that makes a spreadsheet read the file as UTF-8."""
_FORMULA = ("=", "+", "-", "@")
"""First characters that make a spreadsheet read a cell as a formula."""


def csv_lines(rows: Iterable[Row], separator: str | None = None) -> Iterator[str]:
    """Yield the rows as CSV, heading first; facts without their own column are in `outcome`."""
    if separator is not None:
        yield MARK
    yield from csv_table(_COLUMNS, rows, SEPARATORS[separator or "comma"])


def parse_since(text: str) -> datetime:
    """Parse a day or a moment, in this machine's time zone unless it names one."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError) as error:
        raise BadInput(f"--since is {text!r}: write a day as 2026-01-31, or a moment as 2026-01-31T20:15") from error


def parse_day(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"{option} is {text!r}: write a day as 2026-01-31") from error


def export(folder: Path, since: datetime | None, *, as_csv: bool, out: TextIO, separator: str | None = None) -> None:
    """Print the roll log. JSON is ASCII, which every terminal can print."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise BadInput(f"there is no roll log in {folder}: name the folder with --data")
    rows = logged_since(path, since)
    lines = csv_lines(rows, separator) if as_csv else (json.dumps(row) + "\n" for row in rows)
    for line in lines:
        out.write(line)
    out.flush()


def csv_table(columns: Mapping[str, Callable[[Item], object]], items: Iterable[Item], separator: str) -> Iterator[str]:
    """Yield a heading and a line for each item; a fraction is written as a decimal."""
    yield _csv_line(columns, separator)
    for item in items:
        yield _csv_line((column(item) for column in columns.values()), separator)


def _csv_line(values: Iterable[object], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerow([_cell(value, separator) for value in values])
    return text.getvalue()


def _cell(value: object, separator: str) -> object:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Fraction):
        text = f"{float(value):.6f}"
        return text.replace(".", ",") if separator == ";" else text
    return value


def fraction_cell(chance: object) -> str | None:
    """Return a chance that a spreadsheet does not read as a date, as it would read 1/6."""
    return None if chance is None else f"'{chance}"


def aim_cell(aim: Facts) -> str:
    return " ".join(f"{name}={value}" for name, value in aim.items())


def die_cell(die: Mapping[str, JsonValue]) -> str:
    """Return a logged die, as in `base=5`, or `base-d8=5` if it has not six sides."""
    kind = kind_word(die)
    return f"{die['role'] or die['colour'] or '?'}{kind and f'-{kind}'}={shown_value(die['value'])}"


def _read_text(die: dict[str, JsonValue]) -> str:
    return f"{die['id']}:read {die['read_colour'] or '?'}={shown_value(die['read_value'])}"


def _inside(row: Row, *names: str) -> Any:
    """Return a value inside a row; None if one of the names is missing."""
    value: Any = row
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


_COLUMNS: Final[Mapping[str, Callable[[Row], object]]] = {
    **{name: itemgetter(name) for name in ("id", "at", "kind", "roll", "system")},
    "result": lambda row: _inside(row, "outcome", "headline", "value"),
    "word": lambda row: _inside(row, "outcome", "headline", "word"),
    "success": lambda row: _inside(row, "outcome", "success"),
    "dice": lambda row: " ".join(f"{die['id']}:{die_cell(die)}" for die in dicts(row["dice"])),
    "corrected": lambda row: " ".join(_read_text(die) for die in dicts(row["dice"]) if "read_value" in die),
    "pool": lambda row: None if row["pool"] is None else json.dumps(row["pool"]),
    "outcome": lambda row: json.dumps(row["outcome"]) if row["outcome"] else None,
    **{name: itemgetter(name) for name in RollNotes._fields},
    "thrower": lambda row: _inside(row, "asked", "thrower"),
    "aim": lambda row: aim_cell(_inside(row, "asked", "aim") or {}),
    "met": lambda row: _inside(row, "asked", "met"),
    "by": lambda row: _inside(row, "asked", "by"),
    "compared": lambda row: _inside(row, "asked", "together", "text"),
    "hidden": lambda row: "hidden" if row["hidden"] else None,
    "p_success": lambda row: fraction_cell(_inside(row, "odds", "p_success")),
    "chance": lambda row: None if (chance := _inside(row, "odds", "p_success")) is None else parse_fraction(chance),
}
