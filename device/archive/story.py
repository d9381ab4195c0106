"""An evening's story: one row a roll as JSON, as CSV and as JSON Lines. Pure."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from device.archive.evenings import Evening
from device.archive.roll_summaries import RollSummary, Throw
from device.archive.zone import tray_zone
from device.game.state.effects import RollNotes
from device.game.table.roll_requests import met_text
from device.rule_messages import system_title
from device.storage.export import aim_cell, csv_table, die_cell, fraction_cell
from device.storage.log_rows import shown_value
from device.texts.catalogue import localizable
from rules.system import JsonValue


def roll_json(
    roll: RollSummary, evening: int | None = None, has_picture: Callable[[str], bool] = bool
) -> dict[str, JsonValue]:
    return {
        "id": roll.id,
        "at": roll.at,
        "evening": evening,
        "roll": roll.number,
        "system": roll.system,
        "system_title": localizable(system_title(roll.system)),
        **roll.notes._asdict(),
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
        "met_text": None if throw.met is None else localizable(met_text(throw.met, throw.by)),
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
        "systems": [{"id": system, "title": localizable(system_title(system))} for system in evening.systems],
    }


def story_lines(rolls: Iterable[tuple[RollSummary, int]]) -> Iterator[str]:
    """Yield rolls with their evenings' ids as JSON Lines, in ASCII, which every terminal can print."""
    for roll, evening in rolls:
        yield json.dumps(roll_json(roll, evening)) + "\n"


def story_csv(rolls: Iterable[tuple[RollSummary, int]], separator: str = ",") -> Iterator[str]:
    """Yield rolls with their evenings' ids as CSV lines, heading first."""
    zone = tray_zone()
    yield from csv_table({**_COLUMNS, "zone": lambda _: zone}, rolls, separator)


def _of(throw: Throw | None, name: str) -> Any:
    return None if throw is None else getattr(throw, name)


def _result(throw: Throw | None) -> tuple[int | None, str | None]:
    return (None, None) if throw is None else throw.result


def _first(roll: RollSummary) -> Throw | None:
    return roll.throws[0] if roll.throws else None


def _push(roll: RollSummary) -> Throw | None:
    return roll.pushes[-1] if roll.pushes else None


def _note(place: int) -> Callable[[tuple[RollSummary, int]], object]:
    return lambda one: one[0].notes[place]


def _word_text(correction: dict[str, JsonValue]) -> str:
    if correction.get("word") is not None:
        return f"{correction['die'] or 'all'}:{correction['word']}"
    value = None if correction.get("value") is None else shown_value(correction["value"])
    reading = "/".join(str(part) for part in (value, correction.get("colour")) if part is not None)
    return f"{correction['die']}:{shown_value(correction.get('read_value'))}>{reading or 'as read'}"


_COLUMNS: Final[Mapping[str, Callable[[tuple[RollSummary, int]], object]]] = {
    "id": lambda one: one[0].id,
    "at": lambda one: one[0].at,
    "evening": lambda one: one[1],
    "system": lambda one: one[0].system,
    **{name: _note(place) for place, name in enumerate(RollNotes._fields)},
    "dice": lambda one: " ".join(die_cell(die) for die in one[0].seen),
    "p_success": lambda one: fraction_cell(_of(_first(one[0]), "p_success")),
    "result": lambda one: _result(_first(one[0]))[0],
    "word": lambda one: _result(_first(one[0]))[1],
    "success": lambda one: _of(_first(one[0]), "success"),
    "pushes": lambda one: len(one[0].pushes),
    "p_success_of_push": lambda one: fraction_cell(_of(_push(one[0]), "p_success")),
    "result_after_push": lambda one: _result(_push(one[0]))[0],
    "success_after_push": lambda one: _of(_push(one[0]), "success"),
    "corrected": lambda one: " ".join(_word_text(correction) for correction in one[0].corrections),
    "thrower": lambda one: one[0].thrower,
    "aim": lambda one: aim_cell(one[0].aim),
    "met": lambda one: _of(one[0].final, "met"),
    "by": lambda one: _of(one[0].final, "by"),
    "compared": lambda one: one[0].compared_text,
    "chance": lambda one: _of(_first(one[0]), "p_success"),
    "chance_of_push": lambda one: _of(_push(one[0]), "p_success"),
    "at_local": lambda one: one[0].at_local.strftime("%Y-%m-%d %H:%M:%S"),
}
