"""A row of the roll log: its columns, their JSON, and its redacted form.

Rows are checked on every read, since a worn card or a foreign log may have changed them. An invalid row is left out, so
that the others can still be read.
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, NotRequired, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from device.game.snapshot import outcome_json
from device.game.state.effects import CorrectionKind, LogRow, LogText, RollNotes
from device.game.state.layout import DieFace, LyingDie
from device.game.state.linked_rolls import LinkKind
from device.game.table.linked_rolls import comparison_text
from device.kept_files import parse_json
from device.texts.catalogue import ENGLISH, in_language
from rules.dice import Die, face_name
from rules.odds import parse_fraction
from rules.system import JsonValue, Outcome, find_system

_log = logging.getLogger(__name__)

Row = dict[str, JsonValue]

MAX_ID: Final = 2**53
"""JavaScript numbers are exact up to here."""


def checked_moment(text: str) -> str:
    if not 2 <= datetime.fromisoformat(text).astimezone(UTC).year <= 9998:
        raise ValueError("it is not a time")
    return text


def _word_of(kinds: type[StrEnum]) -> Callable[[str], str]:
    return lambda word: kinds(word).value


@lru_cache(maxsize=4096)
def _checked_chance(text: str) -> str:
    if not 0 <= parse_fraction(text) <= 1:
        raise ValueError("it is not a chance")
    return text


def _checked_link(linked: "_Linked") -> "_Linked":
    comparison_text(linked)
    return linked


_Id: TypeAlias = Annotated[int, Field(ge=0, le=MAX_ID)]
_Number: TypeAlias = Annotated[int, Field(ge=-MAX_ID, le=MAX_ID)]
_STRICT: Final = ConfigDict(strict=True, extra="allow")


@with_config(_STRICT)
class _Die(TypedDict):
    id: _Id
    colour: LogText | None
    role: LogText | None
    value: Annotated[int, Field(ge=0, le=1000)] | None
    confidence: NotRequired[float]
    unread: NotRequired[LogText | None]
    mark: NotRequired[LogText | None]
    read_value: NotRequired[Annotated[int, Field(ge=0, le=1000)] | None]
    read_colour: NotRequired[LogText | None]
    face: NotRequired[LogText]
    faces: NotRequired[Annotated[list[Annotated[int, Field(ge=0, le=6)]], Field(min_length=6, max_length=6)]]


@with_config(_STRICT)
class _Headline(TypedDict):
    value: _Number | None
    word: LogText | None


@with_config(_STRICT)
class _Outcome(TypedDict):
    headline: NotRequired[_Headline | None]
    success: NotRequired[bool | None]
    must_reroll: NotRequired[list[LogText]]


@with_config(_STRICT)
class _Correction(TypedDict):
    die: _Id | None
    value: _Id | None
    colour: LogText | None
    word: NotRequired[Annotated[str, AfterValidator(_word_of(CorrectionKind))]]


@with_config(_STRICT)
class _Odds(TypedDict):
    p_success: NotRequired[Annotated[LogText, AfterValidator(_checked_chance)] | None]


@with_config(_STRICT)
class _Member(TypedDict):
    owner: LogText | None
    roll: _Id | None
    count: _Number | None
    success: bool | None


@with_config(_STRICT)
class _Linked(TypedDict):
    kind: Annotated[str, AfterValidator(_word_of(LinkKind))]
    members: list[_Member]
    result: LogText | None
    winner: Annotated[int, Field(ge=0)] | None
    margin: _Number | None


@with_config(_STRICT)
class _Request(TypedDict):
    thrower: NotRequired[LogText | None]
    aim: NotRequired[dict[str, _Number | LogText | bool | None] | None]
    met: NotRequired[bool | None]
    by: NotRequired[_Number | None]
    together: NotRequired[Annotated[_Linked, AfterValidator(_checked_link)] | None]


class _Result(TypedDict):
    id: Annotated[int, Field(ge=1, le=MAX_ID)]
    at: Annotated[str, AfterValidator(checked_moment)]
    kind: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    roll: _Id
    system: Annotated[str, AfterValidator(lambda name: find_system(name).id)]
    pool: dict[str, _Id] | None
    context: dict[str, Any] | None
    dice: list[_Die] | None
    outcome: _Outcome | None
    correction: _Correction | None


class _Rest(TypedDict):
    odds: _Odds | None
    picture: Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,64}\.jpg$")] | None
    asked: _Request | None
    hidden: Annotated[int, Field(ge=0, le=1)]


_TYPES: Final = {**_Result.__annotations__, **RollNotes.__annotations__, **_Rest.__annotations__}
COLUMNS: Final = tuple(_TYPES)
_SHOWN: Final = ("id", "at", "kind", "roll", "system", "pool", "context", *RollNotes._fields, "hidden")
"""What a hidden roll shows; a new column is not among it."""
_JSON_COLUMNS: Final = ("pool", "context", "dice", "outcome", "correction", "odds", "asked")
_NAMED: Final[dict[Path, set[int]]] = {}
"""Ids of the rows left out, by log."""
_typed_dict: Any = TypedDict  # mypy allows no computed fields
_CHECK: TypeAdapter[Any] = TypeAdapter(with_config(_STRICT)(_typed_dict("_Row", _TYPES)))


def is_read_cube(die: Mapping[str, Any]) -> bool:
    """Return whether a logged die has six sides and was read by the camera."""
    return not die.get("typed") and die.get("sides", 6) == 6


def shown_value(value: JsonValue) -> str:
    """Return a logged value for files: `blank` for 0, `?` if there is none."""
    return "?" if value is None else str(value or "blank")


def kind_word(die: Mapping[str, Any]) -> str:
    """Return the kind of a logged die, as in "d8"; nothing if it has six sides."""
    sides = die.get("sides", 6)
    return "" if sides == 6 else f"d{sides}"


def now_utc() -> datetime:
    return datetime.now(UTC)


def stamp(at: datetime | None) -> str:
    """Return a moment as stored in rows; empty for None, which sorts first."""
    return "" if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds")


def values_of(at: str, row: LogRow, odds: JsonValue, picture: str | None) -> tuple[object, ...]:
    roles = {die.id: die for die in row.roll}
    dice: list[JsonValue] = [
        _die_row(die, face, roles.get(str(die.id)), row.outcome)
        for die, face in zip(row.layout.dice, row.layout.faces, strict=True)
    ]
    seen = {str(die.id) for die in row.layout.dice}
    dice += [_typed_row(die, row.outcome) for die in row.roll if die.id not in seen]
    corrected: dict[str, JsonValue] | None = None
    if row.corrected is not None:
        word = row.corrected.correction
        corrected = {
            "die": row.corrected.die_id,
            "value": None if word is None else word.value,
            "colour": None if word is None else word.colour,
        }
        if word is not None and word.sides is not None:
            corrected["sides"] = word.sides
        if row.corrected.word is not CorrectionKind.SHOWS:
            corrected["word"] = row.corrected.word.value
        if row.corrected.reading is not None:
            corrected |= {"read_value": row.corrected.reading.value, "read_colour": row.corrected.reading.colour}
    bodies = (
        None if row.pool is None else row.pool.as_json(),
        dict(row.context),
        dice,
        None if row.outcome is None else outcome_json(row.outcome),
        corrected,
    )
    texts = (json.dumps(body, ensure_ascii=False, allow_nan=False) for body in bodies)
    chances = None if odds is None else json.dumps(odds, ensure_ascii=False, allow_nan=False)
    request = json.dumps(in_language(row.request, ENGLISH), ensure_ascii=False, allow_nan=False)
    kept = (*row.notes, chances, picture, request, int(row.hidden))
    return (at, row.kind.value, row.roll_number, row.system, *texts, *kept)


def _die_row(die: LyingDie, face: DieFace, scored: Die | None, outcome: Outcome | None) -> dict[str, JsonValue]:
    """Return one die of a row: the value that counted, and the camera's reading if a person corrected it."""
    row: dict[str, JsonValue] = {
        "id": die.id,
        "colour": face.colour,
        "role": None if scored is None else scored.role.value,
        "value": face.value,
        "confidence": round(die.reading.confidence, 4),
        "unread": None if die.reading.unread is None else die.reading.unread.value,
        "mark": None if outcome is None else outcome.marks.get(str(die.id)),
    }
    if die.correction is not None:
        row |= {"read_value": die.reading.value, "read_colour": die.reading.colour}
    if (name := face_name(face.value)) is not None:
        row["face"] = name
    if die.reading.faces:
        row["faces"] = list(die.reading.faces)
    if die.added:
        row["added"] = True
    if face.sides != 6:
        row |= {"sides": face.sides, "level": None if scored is None else scored.level}
    return row


def _typed_row(die: Die, outcome: Outcome | None) -> dict[str, JsonValue]:
    """Return a manual die of a row, which has no reading."""
    row = {"id": int(die.id), "colour": None, "role": die.role.value, "value": die.value, "level": die.level}
    mark = None if outcome is None else outcome.marks.get(die.id)
    return {**row, "sides": die.sides, "typed": True, "mark": mark}


class BadRow(ValueError):
    """A row that the tray cannot have written."""


def checked_row(found: tuple[Any, ...]) -> Row:
    row = dict(zip(COLUMNS, found, strict=True))
    try:
        for name in _JSON_COLUMNS:
            text = row[name]
            # Most columns of a row are null.
            row[name] = None if text is None or text == "null" else parse_json(text)
        checked: Row = _CHECK.validate_python(row)
    except Exception as error:
        raise BadRow(f"row {found[0]!r} is damaged") from error
    checked["hidden"] = bool(checked["hidden"])
    return checked


def checked_rows(path: Path, found: Iterable[tuple[Any, ...]]) -> Iterator[Row]:
    """Return the valid rows of a log; each invalid one is left out and logged once."""
    for one in found:
        try:
            yield checked_row(one)
        except BadRow as error:
            named = _NAMED.setdefault(path, set())
            if one[0] not in named:
                named.add(one[0])
                _log.warning("%s: %s and is left out (so far: %d)", path, error, len(named))


def left_out(path: Path) -> frozenset[int]:
    """Return the ids of the damaged rows found so far."""
    return frozenset(_NAMED.get(path, ()))


def leave_out(path: Path, rows: Iterable[int]) -> None:
    """Count rows found damaged before this start."""
    _NAMED.setdefault(path, set()).update(rows)


def begin_count(path: Path) -> None:
    """Restart the count of left-out rows, because another log is at this path."""
    _NAMED.pop(path, None)


def redacted_row(row: Row) -> Row:
    """Return a redacted row: that there was a roll, by whom and for what, without its dice."""
    request = row.get("asked")
    linked = request.get("together") if isinstance(request, dict) else None
    if row.get("hidden"):
        nothing: Row = {"dice": [], "outcome": None, "correction": None, "odds": None, "picture": None}
        if isinstance(request, dict):
            who: Row = {name: request[name] for name in ("thrower", "aim") if name in request}
            nothing["asked"] = {**who, "met": None, "by": None, "together": None}
        return {**{name: row[name] for name in _SHOWN if name in row}, "asked": None, **nothing}
    if isinstance(request, dict) and isinstance(linked, dict) and linked.get("hidden"):
        return {**row, "asked": {**request, "together": None}}
    return row
