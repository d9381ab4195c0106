"""Reading of requests: fields with a type and a range, dice with a face each. An error is one line with its cure."""

import json
from collections.abc import Collection, Mapping
from typing import Final

from rules.dice import BLANK, Die, Role, Roll, face_name
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue

MAX_DICE: Final = 60
"""Greatest number of dice in one request. A tray takes 20; the largest pool in any rule text, a fall's, has 60."""
MAX_ID_LENGTH: Final = 200
"""Longest die id, in characters: far above any tracker's, so that an answer stays readable."""
LEVEL_SIDES: Final[Mapping[str, int]] = {"D": 6, "C": 8, "B": 10, "A": 12}
"""Step dice by letter, smallest first."""
LEVEL_OF: Final[Mapping[int, str]] = {sides: level for level, sides in LEVEL_SIDES.items()}

_SHOWN_CHARACTERS: Final = 40
_SHOWN_BITS: Final = 64


def show_value(value: object) -> str:
    """Return a value for an error message: as JSON if possible, and short."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > _SHOWN_BITS:
        return "a number beyond all dice"
    if isinstance(value, dict | list | tuple):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = ascii(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


class Fields:
    """The named values of one JSON object, read by type and range. An absent key and null both mean "not given"."""

    def __init__(self, facts: Facts, place: str) -> None:
        self._facts = facts
        self._place = place

    def __contains__(self, name: str) -> bool:
        return self._facts.get(name) is not None

    def is_null(self, name: str) -> bool:
        """Return whether a key is present and null, which is not the same as absent."""
        return name in self._facts and self._facts[name] is None

    def raw(self, name: str) -> JsonValue:
        """Return the value unchecked; None if it is not given."""
        return self._facts.get(name)

    def path(self, name: str) -> str:
        """Return a field's name for its sender, as in `context.attribute`; a sender's own name is quoted."""
        shown = name if name.isidentifier() and name.isascii() and len(name) <= _SHOWN_CHARACTERS else show_value(name)
        return f"{self._place}.{shown}" if self._place else shown

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Read a whole number from `low` to `high`.

        Raises:
            BadRequest: It is not a whole number, out of range, or missing without a default.
        """
        value = self.optional_integer(name, low, high)
        if value is None:
            if default is None:
                raise BadRequest(
                    f"{self.path(name)} is missing: give a whole number from {low} to {high}", "missing", name=name
                )
            return default
        return value

    def optional_integer(self, name: str, low: int, high: int) -> int | None:
        """Read a whole number from `low` to `high`, or None if it is not given.

        Raises:
            BadRequest: It is not a whole number, or out of range.
        """
        value = self._facts.get(name)
        if value is None:
            return None
        return _whole(value, self.path(name), low, high)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Read true or false.

        Raises:
            BadRequest: It is anything else.
        """
        value = self._facts.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise BadRequest(f"{self.path(name)} is {show_value(value)}: give true or false", "flag", name=name)
        return value

    def word(self, name: str, choices: Collection[str], default: str | None = None) -> str:
        """Read one of several words.

        Raises:
            BadRequest: It is none of them, or missing without a default.
        """
        value = self.optional_word(name, choices)
        if value is not None:
            return value
        if default is None:
            raise BadRequest(f"{self.path(name)} is missing: give one of {', '.join(choices)}", "missing", name=name)
        return default

    def optional_word(self, name: str, choices: Collection[str]) -> str | None:
        """Read one of several words, or None if it is not given.

        Raises:
            BadRequest: It is none of them.
        """
        value = self._facts.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or value not in choices:
            raise BadRequest(
                f"{self.path(name)} is {show_value(value)}: give one of {', '.join(choices)}",
                "choice",
                name=name,
                value=_named(value),
                choices=[*choices],
            )
        return value

    def text(self, name: str) -> str:
        """Read a text.

        Raises:
            BadRequest: It is not a text, or missing.
        """
        value = self._facts.get(name)
        if not isinstance(value, str):
            what = "missing" if value is None else show_value(value)
            raise BadRequest(f"{self.path(name)} is {what}: give a text", "missing", name=name)
        return value

    def optional_text(self, name: str) -> str | None:
        """Read a text, or None if it is not given.

        Raises:
            BadRequest: It is not a text.
        """
        return self.text(name) if name in self else None

    def integers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        """Read a list of whole numbers, empty if it is not given.

        Raises:
            BadRequest: It is not a list, longer than `MAX_DICE`, or one of its values is out of range.
        """
        values = self.sequence(name)
        return tuple(_whole(value, f"{self.path(name)}[{place}]", low, high) for place, value in enumerate(values))

    def sequence(self, name: str, most: int = MAX_DICE) -> list[JsonValue]:
        """Read a list of anything, empty if it is not given.

        Raises:
            BadRequest: It is not a list, or longer than `most`.
        """
        values = self._facts.get(name)
        if values is None:
            return []
        if not isinstance(values, list | tuple):
            raise BadRequest(f"{self.path(name)} is {show_value(values)}: give a list")
        if len(values) > most:
            raise BadRequest(f"{self.path(name)} has {len(values)} entries: give at most {most}")
        return list(values)

    def fields(self, name: str) -> "Fields":
        """Read a nested object, empty if it is not given.

        Raises:
            BadRequest: It is not an object.
        """
        return Fields(read_facts(self._facts.get(name), self.path(name)), self.path(name))


def _named(value: JsonValue) -> JsonValue:
    """Return a value as a text for people can hold it."""
    return value if isinstance(value, str | int) and not isinstance(value, bool) else show_value(value)


def _whole(value: JsonValue, path: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        name = path.rpartition(".")[2].partition("[")[0]
        text = f"{path} is {show_value(value)}: give a whole number from {low} to {high}"
        raise BadRequest(text, "number", name=name, value=_named(value), low=low, high=high)
    return value


def read_facts(value: JsonValue, path: str) -> Facts:
    """Read a JSON object, empty if it is null.

    Raises:
        BadRequest: It is anything else.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadRequest(f"{path} is {show_value(value)}: give an object")
    return value


def read_dice(request: Facts, name: str, *, named: bool = True) -> Roll:
    """Read the dice of a request.

    Args:
        named: Whether every die must have an id; if False, a die without one is named by its index.

    Returns:
        The dice in the order given, at least one.

    Raises:
        BadRequest: No list, no dice, too many, a repeated id, an unknown role, or a face that the die does not have.
    """
    values = Fields(request, "").sequence(name)
    if not values:
        raise BadRequest(f"{name} holds no dice: give 1 to {MAX_DICE}")
    dice: list[Die] = []
    seen: set[str] = set()
    for place, value in enumerate(values):
        die = _read_die(value, f"{name}[{place}]", None if named else f"#{place + 1}")
        if die.id in seen:
            raise BadRequest(f"{name}[{place}].id {show_value(die.id)} is there twice: give each die its own id")
        seen.add(die.id)
        dice.append(die)
    return tuple(dice)


def _read_die(value: JsonValue, path: str, spare_id: str | None) -> Die:
    if not isinstance(value, Mapping):
        raise BadRequest(f"{path} is {show_value(value)}: give an object with id, role and value")
    fields = Fields(value, path)
    die_id = value.get("id")
    if die_id is None:
        die_id = spare_id
    if not isinstance(die_id, str) or not 1 <= len(die_id) <= MAX_ID_LENGTH:
        what = "missing" if die_id is None else show_value(die_id)
        raise BadRequest(f"{path}.id is {what}: give a text of 1 to {MAX_ID_LENGTH} characters")
    role = Role(fields.word("role", [role.value for role in Role]))
    level = fields.optional_word("level", tuple(LEVEL_SIDES))
    sides = fields.optional_integer("sides", 2, 100)
    if sides is None:
        sides = 6 if level is None else LEVEL_SIDES[level]
    elif level is not None and sides != LEVEL_SIDES[level]:
        raise BadRequest(f"{path} has level {level} and {sides} sides: level {level} has {LEVEL_SIDES[level]}")
    is_blank = sides == 6 and value.get("face") == face_name(BLANK)
    face = fields.integer("value", BLANK, BLANK, BLANK) if is_blank else fields.integer("value", 1, sides)
    return Die(id=die_id, role=role, value=face, sides=sides, level=level, moved=_read_moved(fields))


def _read_moved(fields: Fields) -> bool | None:
    return fields.flag("moved") if "moved" in fields else None
