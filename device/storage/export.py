"""Export the roll log as CSV or JSON Lines."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Final, TextIO

from device.errors import BadInput
from device.storage.log_file import FILE_NAME
from device.storage.log_rows import Row
from device.storage.rolls import logged_since
from rules.system import JsonValue

CSV_COLUMNS = (
    "id",
    "at",
    "kind",
    "roll",
    "system",
    "result",
    "word",
    "success",
    "dice",
    "corrected",
    "pool",
    "outcome",
    "owner",
    "label",
    "thrower",
    "aim",
    "met",
    "by",
    "compared",
    "hidden",
    "p_success",
    "chance",
)
SEPARATORS: Final = {"comma": ",", "semicolon": ";", "tab": "\t"}
"""Column separators; a spreadsheet that expects semicolons writes decimals with a comma."""
MARK: Final = "\ufeff"
"""Byte order mark that makes a spreadsheet read the file as UTF-8."""
_FORMULA = ("=", "+", "-", "@")
"""First characters that make a spreadsheet read a cell as a formula."""


def csv_lines(rows: Iterable[Row], separator: str | None = None) -> Iterator[str]:
    """Yield the rows as CSV, heading first; facts without their own column are in `outcome`."""
    between = SEPARATORS[separator or "comma"]
    if separator is not None:
        yield MARK
    yield csv_line(CSV_COLUMNS, between)
    for row in rows:
        outcome = row["outcome"] if isinstance(row["outcome"], dict) else {}
        headline = outcome.get("headline")
        headline = headline if isinstance(headline, dict) else {}
        success = outcome.get("success")
        odds = row.get("odds")
        chance = odds.get("p_success") if isinstance(odds, dict) else None
        yield csv_line(
            (
                row["id"],
                row["at"],
                row["kind"],
                row["roll"],
                row["system"],
                headline.get("value"),
                headline.get("word"),
                None if success is None else str(success).lower(),
                " ".join(_die_text(die) for die in _listed(row["dice"])),
                " ".join(_read_text(die) for die in _listed(row["dice"]) if "read_value" in die),
                json.dumps(row["pool"]) if row["pool"] is not None else None,
                json.dumps(outcome) if outcome else None,
                as_text(row["owner"]),
                as_text(row["label"]),
                *_asked_cells(row),
                # The apostrophe keeps a spreadsheet from reading 1/6 as a date.
                f"'{chance}" if isinstance(chance, str) else None,
                decimal(Fraction(chance), between) if isinstance(chance, str) else None,
            ),
            between,
        )


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


def csv_line(values: Iterable[object], separator: str) -> str:
    """Return one line of CSV; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerow(["" if value is None else value for value in values])
    return text.getvalue()


def decimal(chance: Fraction, separator: str) -> str:
    text = f"{float(chance):.6f}"
    return text.replace(".", ",") if separator == ";" else text


def _asked_cells(row: Row) -> tuple[object, ...]:
    """Return player, target, whether and by how much it was met, the comparison, and whether the roll is hidden."""
    asked = row["asked"] if isinstance(row["asked"], dict) else {}
    aim, met, linked = asked.get("aim"), asked.get("met"), asked.get("together")
    text = linked.get("text") if isinstance(linked, dict) else None
    return (
        as_text(asked.get("thrower")),
        " ".join(f"{name}={value}" for name, value in aim.items()) if isinstance(aim, dict) else None,
        None if met is None else str(met).lower(),
        asked.get("by"),
        as_text(text),
        "hidden" if row["hidden"] else None,
    )


def as_text(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _listed(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _die_text(die: dict[str, JsonValue]) -> str:
    shown = die["value"] if die["value"] is not None else "?"
    return f"{die['id']}:{die['role'] or die['colour'] or '?'}={shown}"


def _read_text(die: dict[str, JsonValue]) -> str:
    shown = die["read_value"] if die["read_value"] is not None else "?"
    return f"{die['id']}:read {die['read_colour'] or '?'}={shown}"
