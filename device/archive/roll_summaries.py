"""The roll log folded to one row per roll: player, purpose, odds, outcome, pushes, corrections. Pure.

The log has a row for each result and each correction. The rows of one roll are adjacent and share its number. Since
numbers restart with a new state, a first result starts a new roll even if its number already has one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from device.game.state.effects import NO_NOTES, RollNotes
from device.game.state.names import told_name
from device.game.table.linked_rolls import comparison_text
from device.game.table.roll_requests import aim_text
from device.message import message_or, word, word_key
from device.storage.log_rows import is_read_cube
from device.texts.catalogue import localizable, translate
from rules.odds import parse_fraction
from rules.system import Facts, JsonValue, find_system

Row: TypeAlias = Mapping[str, Any]
"""A row of the log, as `device.storage.rolls` gives it."""
ThrownFace: TypeAlias = tuple[str, int] | tuple[str, int, str]
"""Colour class and value of a die; if its faces are not 1 to 6, their values, as in "000156"."""


@dataclass(slots=True)
class Throw:
    """One throw of a roll: the first, or a push."""

    at: str
    dice: list[dict[str, JsonValue]]
    outcome: Facts
    odds: Facts | None = None
    picture: int | None = None
    picture_file: str | None = None
    thrown: frozenset[str] | None = None
    shown: dict[str, ThrownFace] = field(default_factory=dict)
    is_continued: bool = False
    met: bool | None = None
    by: int | None = None
    harm: Mapping[str, int] | None = None

    @property
    def faces(self) -> list[ThrownFace]:
        return [*self.shown.values()]

    @property
    def result(self) -> tuple[int | None, str | None]:
        headline = self.outcome.get("headline")
        if not isinstance(headline, dict):
            return None, None
        return headline.get("value"), headline.get("word")  # type: ignore[return-value]

    @property
    def result_word(self) -> str | None:
        value, name = self.result
        return name and localizable(message_or(word(name), f"page.counts.{word_key(name)}", count=value))

    @property
    def success(self) -> bool | None:
        """Whether it met its target; None if the rules have none."""
        success = self.outcome.get("success")
        return success if isinstance(success, bool) else None

    @property
    def p_success(self) -> Fraction | None:
        """The exact probability of meeting the target; None if unknown."""
        text = None if self.odds is None else self.odds.get("p_success")
        return _fraction(text) if isinstance(text, str) else None


@dataclass(slots=True)
class RollSummary:
    rows: list[int]
    at: str
    number: int
    system: str
    notes: RollNotes = NO_NOTES
    thrower: str | None = None
    aim: Facts = field(default_factory=dict)
    compared: Mapping[str, Any] | None = None
    pool: JsonValue = None
    context: Facts = field(default_factory=dict)
    # the first throw, then its pushes; empty if there never was a result
    throws: list[Throw] = field(default_factory=list)
    corrections: list[dict[str, JsonValue]] = field(default_factory=list)
    seen: list[dict[str, JsonValue]] = field(default_factory=list)

    @property
    def id(self) -> int:
        """Id of the roll: that of its first row."""
        return self.rows[0]

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @property
    def at_local(self) -> datetime:
        return self.moment.astimezone()

    @property
    def pushes(self) -> list[Throw]:
        return self.throws[1:]

    @property
    def whose(self) -> str | None:
        """Who rolled for whom, as text; None if not given."""
        if self.notes.owner is not None and self.thrower is not None:
            return translate("memory.whose", thrower=self.thrower, owner=self.notes.owner)
        return self.notes.owner or self.thrower

    @property
    def aim_text(self) -> str | None:
        """The target, as text; None if not given."""
        text = aim_text(self.aim, self.system)
        return None if text is None else localizable(text)

    @property
    def compared_text(self) -> str | None:
        """The comparison with linked rolls, as text; None if there are none."""
        text = None if self.compared is None else comparison_text(self.compared)
        return None if text is None else localizable(text)

    @property
    def final(self) -> Throw | None:
        """The last throw; None if there never was a result."""
        return self.throws[-1] if self.throws else None

    def harm_of(self, throw: Throw) -> Mapping[str, int]:
        if throw.harm is not None:
            return throw.harm
        report = find_system(self.system).report(throw.outcome, self.context)
        return {line.name: line.count for line in report.harm if line.count}

    def brief_json(self) -> JsonValue:
        names = (self.rows, self.at, self.number, self.system, self.notes, self.thrower)
        throws = [self._brief_throw(throw, is_push=place > 0) for place, throw in enumerate(self.throws)]
        return [*names, self.compared, throws]  # type: ignore[list-item]

    def _brief_throw(self, throw: Throw, *, is_push: bool) -> JsonValue:
        harm: dict[str, JsonValue] = dict(self.harm_of(throw)) if is_push else {}
        chance = None if throw.p_success is None else str(throw.p_success)
        return [*throw.result, throw.success, harm, chance, [list(face) for face in throw.faces]]

    def brief(self) -> "RollSummary":
        """Return the roll without the fields that are neither counted nor searched, in a fifteenth of the memory."""
        return from_brief_json(self.brief_json())


def from_brief_json(body: Any) -> RollSummary:
    rows, at, number, system, notes, thrower, compared, throws = body
    thrown = [_brief_throw(one) for one in throws]
    return RollSummary(
        rows, at, number, system, RollNotes(*notes), thrower, _NO_FACTS, compared, None, _NO_FACTS, thrown, _NONE, _NONE
    )


def _brief_throw(body: Any) -> Throw:
    value, word, success, harm, chance, faces = body
    shown = {_KEYS[place]: _face(*face) for place, face in enumerate(faces)}
    return Throw("", _NONE, _outcome(value, word, success), _odds(chance), shown=shown, harm=harm or _NO_HARM)


# Empty containers are shared: nothing is added to a brief roll.
_NONE: list[Any] = []
_NO_FACTS: Facts = {}
_NO_HARM: dict[str, int] = {}
_KEYS: Final = tuple(map(str, range(1000)))


@lru_cache(10_000)
def _outcome(value: int | None, word: str | None, success: bool | None) -> Facts:
    return {"headline": {"value": value, "word": word}, "success": success}


_fraction = lru_cache(10_000)(parse_fraction)


@lru_cache(10_000)
def _odds(chance: str | None) -> Facts | None:
    return None if chance is None else {"p_success": chance}


@lru_cache(1000)
def _face(colour: str, value: int, die: str | None = None) -> ThrownFace:
    return (colour, value) if die is None else (colour, value, die)


def roll_summaries(rows: Iterable[Row]) -> Iterator[RollSummary]:
    """Fold rows, in the order of writing, to one summary per roll."""
    rest = iter(rows)
    for row in rest:
        yield from merge_rows(_new_roll(row), rest)


def merge_rows(summary: RollSummary, rows: Iterable[Row]) -> Iterator[RollSummary]:
    """Yield a roll with the later rows that belong to it, and the rolls that follow."""
    for row in rows:
        if not _belongs(summary, row):
            yield summary
            summary = _new_roll(row)
        else:
            _add_row(summary, row)
    yield summary


def _new_roll(row: Row) -> RollSummary:
    summary = RollSummary([], row["at"], row["roll"], row["system"])
    _add_row(summary, row)
    return summary


def _belongs(summary: RollSummary, row: Row) -> bool:
    is_next_roll = row["kind"] == "scored" and bool(summary.throws)
    return row["roll"] == summary.number and not is_next_roll


def _add_row(summary: RollSummary, row: Row) -> None:
    summary.rows.append(row["id"])
    notes = {name: row[name] for name in RollNotes._fields if row[name]}
    summary.notes = summary.notes._replace(**notes | {"owner": told_name(row["owner"]) or summary.notes.owner})
    summary.system, summary.pool, summary.context = row["system"], row["pool"], row["context"] or {}
    summary.seen = row["dice"] or []
    request = row["asked"] or {}
    _add_request(summary, request)
    if row["correction"] is not None:
        summary.corrections.append({"at": row["at"], **row["correction"], **_read_of(row)})
        if summary.throws:
            _correct_earlier(summary, str(row["correction"]["die"]))
    outcome, kind = row["outcome"], row["kind"]
    if outcome is None:
        # The press that led to the latest result was undone.
        if kind == "undone" and summary.throws:
            summary.throws.pop()
        return
    if kind == "pushed" or not summary.throws:
        before = summary.throws[-1].outcome.get("must_reroll") if summary.throws else None
        thrown = frozenset(str(one) for one in before) if isinstance(before, list) else None
        summary.throws.append(Throw(row["at"], summary.seen, outcome, thrown=thrown))
    throw = summary.throws[-1]
    throw.dice, throw.outcome = summary.seen, outcome
    throw.met, throw.by = request.get("met"), request.get("by")
    throw.odds = row["odds"] if row["odds"] is not None else throw.odds
    if row["picture"] is not None:
        throw.picture, throw.picture_file = row["id"], row["picture"]
    # An exploding die has to be thrown again: its first face counts.
    throw.is_continued = throw.is_continued or kind == "continued"
    if not throw.is_continued:
        throw.shown = dict(_shown(throw.dice, throw.thrown))


def _add_request(summary: RollSummary, request: Mapping[str, Any]) -> None:
    summary.thrower = request.get("thrower") or summary.thrower
    summary.aim = request.get("aim") or summary.aim
    compared = request.get("together")
    # Not until all of them are shown: the sides would reveal a hidden result.
    if compared is not None and not compared.get("hidden"):
        summary.compared = compared


def _correct_earlier(summary: RollSummary, die: str) -> None:
    """Correct a die that stayed during pushes in the throw that last moved it."""
    *earlier, last = summary.throws
    moved = next((throw for throw in reversed(earlier) if die in throw.shown), None)
    stayed = dict(_shown(summary.seen, None)).get(die)
    if moved is None or moved.is_continued or stayed is None or last.thrown is None or die in last.thrown:
        return
    moved.shown[die] = stayed


def _shown(dice: Iterable[Mapping[str, Any]], thrown: frozenset[str] | None) -> Iterator[tuple[str, ThrownFace]]:
    for die in dice:
        if thrown is not None and str(die["id"]) not in thrown:
            continue
        colour, value = die["colour"], die["value"]
        if is_read_cube(die) and isinstance(colour, str) and isinstance(value, int):
            faces = die.get("faces")
            yield str(die["id"]), _face(colour, value, "".join(map(str, faces)) if faces else None)


def _read_of(row: Row) -> dict[str, JsonValue]:
    word = row["correction"]
    die = next((one for one in row["dice"] or () if one["id"] == word["die"] and "read_value" in one), None)
    return {} if die is None else {"read_value": die["read_value"], "read_colour": die["read_colour"]}
