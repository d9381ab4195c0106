"""Sheets as JSON objects, stored next to the rolls, exported and imported, with a version that is checked."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rules.errors import BadRequest
from rules.request import Fields, read_facts, show_value
from rules.sheet import (
    MAX_COUNTERS,
    MAX_HISTORY,
    MAX_MARKS,
    MAX_NAME_LENGTH,
    MAX_VALUE,
    BadSheet,
    Counter,
    Entry,
    Kind,
    Sheet,
)
from rules.system import Facts, JsonValue, find_system

FORMAT: Final = "pushtray-sheet/1"


def sheet_to_json(sheet: Sheet, why: Callable[[Any], JsonValue] = str) -> dict[str, JsonValue]:
    """Return a sheet and its undo history as one JSON object.

    Args:
        why: Returns the reason of a change as JSON.
    """
    return {
        "format": FORMAT,
        "title": sheet.title,
        "system": sheet.system,
        "counters": _counters_to_json(sheet.counters),
        "marks": list(sheet.marks),
        "history": [
            {"why": why(entry.why), "before": _counters_to_json(entry.before), "marks_before": list(entry.marks_before)}
            for entry in sheet.history
        ],
    }


def sheet_from_json(facts: Facts, why: Callable[[JsonValue], object] | None = None) -> Sheet:
    """Read a sheet.

    Args:
        why: Returns the reason of a change from its JSON; without it each is a text.

    Raises:
        BadRequest: It is of another version, not a sheet, or has an invalid value.
    """
    version = facts.get("format")
    if version != FORMAT:
        raise BadRequest(f"the sheet's format is {show_value(version)}: this program reads {FORMAT}")
    fields = Fields(facts, "")
    system = find_system(fields.text("system")).id
    history: list[Entry] = []
    for place, value in enumerate(fields.sequence("history", MAX_HISTORY)):
        path = f"history[{place}]"
        entry = Fields(read_facts(value, path), path)
        reason = entry.text("why") if why is None else why(entry.raw("why"))
        history.append(Entry(reason, _read_counters(entry, "before"), _read_marks(entry, "marks_before")))
    try:
        return Sheet(
            title=_read_title(fields),
            system=system,
            counters=_read_counters(fields, "counters"),
            marks=_read_marks(fields, "marks"),
            history=tuple(history),
        )
    except BadSheet as error:
        raise BadRequest(str(error)) from error


def new_sheet(title: str, system_id: str, best: str | None = None) -> Sheet:
    """Return the sheet of a new character: a blank one, or a ready one that is best at a counter.

    Raises:
        BadRequest: The system is unknown, none of its characters is best at that, or the title is not valid.
    """
    system = find_system(system_id)
    return Sheet(_read_title(Fields({"title": title}, "")), system.id, system.new_counters(best))


def _counters_to_json(counters: Sequence[Counter]) -> list[JsonValue]:
    return [{"kind": c.kind.value, "name": c.name, "now": c.now, "most": c.most, "least": c.least} for c in counters]


def _read_title(fields: Fields) -> str:
    title = fields.text("title")
    if not 1 <= len(title) <= MAX_NAME_LENGTH:
        text = f"title has {len(title)} characters: give 1 to {MAX_NAME_LENGTH}"
        raise BadRequest(text, "name_length", most=MAX_NAME_LENGTH)
    return title


def _read_counters(fields: Fields, name: str) -> tuple[Counter, ...]:
    counters: list[Counter] = []
    for place, value in enumerate(fields.sequence(name, MAX_COUNTERS)):
        path = f"{fields.path(name)}[{place}]"
        counter = Fields(read_facts(value, path), path)
        kind = Kind(counter.word("kind", [kind.value for kind in Kind]))
        try:
            counters.append(
                Counter(
                    name=counter.text("name"),
                    kind=kind,
                    now=counter.integer("now", -MAX_VALUE, MAX_VALUE),
                    most=counter.optional_integer("most", -MAX_VALUE, MAX_VALUE),
                    least=counter.integer("least", -MAX_VALUE, MAX_VALUE, default=0),
                )
            )
        except BadSheet as error:
            raise BadRequest(f"{path}: {error}") from error
    return tuple(counters)


def _read_marks(fields: Fields, name: str) -> tuple[str, ...]:
    marks: list[str] = []
    for place, value in enumerate(fields.sequence(name, MAX_MARKS)):
        if not isinstance(value, str) or not 1 <= len(value) <= MAX_NAME_LENGTH:
            raise BadRequest(f"{fields.path(name)}[{place}] is {show_value(value)}: give a text")
        marks.append(value)
    return tuple(marks)
