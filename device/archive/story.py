"""An evening's story: one row a roll as JSON, as CSV and as JSON Lines. Pure."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from device.archive.evenings import Evening
from device.archive.roll_summaries import RollSummary, Throw
from device.archive.zone import tray_zone
from device.game.table.asked_rolls import met_text
from device.storage.export import as_text, csv_line, decimal
from device.texts.rule_words import system_title
from rules.system import JsonValue

CSV_COLUMNS: Final = (
    "id",
    "at",
    "evening",
    "system",
    "owner",
    "label",
    "dice",
    "p_success",
    "result",
    "word",
    "success",
    "pushes",
    "p_success_of_push",
    "result_after_push",
    "success_after_push",
    "corrected",
    "thrower",
    "aim",
    "met",
    "by",
    "compared",
    "chance",
    "chance_of_push",
    "at_local",
    "zone",
)


def roll_json(
    roll: RollSummary, evening: int | None = None, has_picture: Callable[[str], bool] = bool
) -> dict[str, JsonValue]:
    return {
        "id": roll.id,
        "at": roll.at,
        "evening": evening,
        "roll": roll.number,
        "system": roll.system,
        "system_title": system_title(roll.system),
        "owner": roll.owner,
        "label": roll.label,
        "thrower": roll.thrower,
        "whose": roll.whose,
        "aim": dict(roll.aim),
        "aim_text": roll.aim_text,
        "compared": None if roll.compared is None else {**roll.compared, "text": roll.compared_text},
        "pool": roll.pool,
        "dice": list(roll.seen),
        "throws": [_throw_json(throw, has_picture) for throw in roll.throws],
        "corrections": list(roll.corrections),
    }


def _throw_json(throw: Throw, has_picture: Callable[[str], bool]) -> dict[str, JsonValue]:
    value, name = throw.result
    return {
        "at": throw.at,
        "dice": list(throw.dice),
        "thrown": None if throw.thrown is None else [*sorted(int(one) for one in throw.thrown)],
        "result": value,
        "word": name,
        "headline": throw.result_word,
        "success": throw.success,
        "met": throw.met,
        "by": throw.by,
        "met_text": None if throw.met is None else met_text(throw.met, throw.by),
        "p_success": None if throw.p_success is None else str(throw.p_success),
        "odds": None if throw.odds is None else dict(throw.odds),
        "outcome": dict(throw.outcome),
        "picture": throw.picture if throw.picture_file is not None and has_picture(throw.picture_file) else None,
    }


def evening_json(evening: Evening) -> dict[str, JsonValue]:
    return {
        "id": evening.id,
        "name": evening.name,
        "begun": evening.rolls[0].at,
        "ended": evening.rolls[-1].at,
        "over": evening.is_over,
        "rolls": len(evening.rolls),
        "pushes": sum(len(roll.pushes) for roll in evening.rolls),
        "players": list(evening.players),
        "systems": [{"id": system, "title": system_title(system)} for system in evening.systems],
    }


def story_lines(rolls: Iterable[tuple[RollSummary, int]]) -> Iterator[str]:
    """Yield rolls with their evenings' ids as JSON Lines, in ASCII, which every terminal can print."""
    for roll, evening in rolls:
        yield json.dumps(roll_json(roll, evening)) + "\n"


def story_csv(rolls: Iterable[tuple[RollSummary, int]], separator: str = ",") -> Iterator[str]:
    """Yield rolls with their evenings' ids as CSV lines, heading first."""
    yield csv_line(CSV_COLUMNS, separator)
    zone = tray_zone()
    for roll, evening in rolls:
        first, pushes = (roll.throws[0] if roll.throws else None), roll.pushes
        last, last_of = pushes[-1] if pushes else None, roll.final
        yield csv_line(
            (
                roll.id,
                roll.at,
                evening,
                roll.system,
                as_text(roll.owner),
                as_text(roll.label),
                " ".join(_die_text(die) for die in roll.seen),
                *_columns_of(first),
                len(pushes),
                *_columns_of(last)[:2],
                *_columns_of(last)[3:],
                " ".join(_word_text(one) for one in roll.corrections),
                as_text(roll.thrower),
                " ".join(f"{name}={value}" for name, value in roll.aim.items()),
                None if last_of is None or last_of.met is None else str(last_of.met).lower(),
                None if last_of is None else last_of.by,
                as_text(roll.compared_text),
                _decimal(first, separator),
                _decimal(last, separator),
                roll.at_local.strftime("%Y-%m-%d %H:%M:%S"),
                zone,
            ),
            separator,
        )


def _columns_of(throw: Throw | None) -> tuple[object, ...]:
    if throw is None:
        return None, None, None, None
    success = None if throw.success is None else str(throw.success).lower()
    # The apostrophe keeps a spreadsheet from reading 1/6 as a date.
    chance = None if throw.p_success is None else f"'{throw.p_success}"
    return chance, *throw.result, success


def _decimal(throw: Throw | None, separator: str) -> str | None:
    if throw is None or throw.p_success is None:
        return None
    return decimal(throw.p_success, separator)


def _die_text(die: dict[str, JsonValue]) -> str:
    return f"{die['role'] or die['colour'] or '?'}={'?' if die['value'] is None else die['value']}"


def _word_text(said: dict[str, JsonValue]) -> str:
    if said.get("word") is not None:
        return f"{said['die'] or 'all'}:{said['word']}"
    reading = "/".join(str(part) for part in (said.get("value"), said.get("colour")) if part is not None)
    return f"{said['die']}:{said.get('read_value') or '?'}>{reading or 'as read'}"
