"""Reading one request: fields with a type and a range, dice with a face each. A refusal is one line with its cure."""

import json
from collections.abc import Collection, Mapping
from typing import Final

from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue

MAX_DICE: Final = 60
"""Most dice in one request. A tray holds 20; the largest pool that any rule text speaks of is a fall's 60."""
MAX_ID_LENGTH: Final = 200
"""Longest die id, in characters: far above any tracker's, so that an answer stays readable."""
LEVEL_SIDES: Final[Mapping[str, int]] = {"D": 6, "C": 8, "B": 10, "A": 12}
"""Step dice by letter, smallest first."""

_SHOWN_CHARACTERS: Final = 40
_SHOWN_BITS: Final = 64


def show_value(value: object) -> str:
    """Show a value in an error message: JSON where it is JSON, and never longer than a line can bear."""
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
    """The named values of one JSON object, read by type and range. A key that is absent or null counts as not given."""

    def __init__(self, facts: Facts, place: str) -> None:
        self._facts = facts
        self._place = place

    def __contains__(self, name: str) -> bool:
        return self._facts.get(name) is not None

    def is_null(self, name: str) -> bool:
        """Say whether a key stands there and holds null, which says more than its absence."""
        return name in self._facts and self._facts[name] is None

    def raw(self, name: str) -> JsonValue:
        """Return the value as it stands; None where it is not given."""
        return self._facts.get(name)

    def path(self, name: str) -> str:
        """Name a field the way its sender would find it, as in `context.attribute`; a sender's own name is quoted."""
        shown = name if name.isidentifier() and name.isascii() and len(name) <= _SHOWN_CHARACTERS else show_value(name)
        return f"{self._place}.{shown}" if self._place else shown

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Read a whole number from `low` to `high`.

        Raises:
            BadRequest: It is no whole number, out of range, or not given where there is no default.
        """
        value = self.optional_integer(name, low, high)
        if value is None:
            if default is None:
                raise BadRequest(f"{self.path(name)} is missing: give a whole number from {low} to {high}")
            return default
        return value

    def optional_integer(self, name: str, low: int, high: int) -> int | None:
        """Read a whole number from `low` to `high`, or None where it is not given.

        Raises:
            BadRequest: It is no whole number, or out of range.
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
            raise BadRequest(f"{self.path(name)} is {show_value(value)}: give true or false")
        return value

    def word(self, name: str, choices: Collection[str], default: str | None = None) -> str:
        """Read one of several words.

        Raises:
            BadRequest: It is none of them, or not given where there is no default.
        """
        value = self.optional_word(name, choices)
        if value is not None:
            return value
        if default is None:
            raise BadRequest(f"{self.path(name)} is missing: give one of {', '.join(choices)}")
        return default

    def optional_word(self, name: str, choices: Collection[str]) -> str | None:
        """Read one of several words, or None where it is not given.

        Raises:
            BadRequest: It is none of them.
        """
        value = self._facts.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or value not in choices:
            raise BadRequest(f"{self.path(name)} is {show_value(value)}: give one of {', '.join(choices)}")
        return value

    def text(self, name: str) -> str:
        """Read a text.

        Raises:
            BadRequest: It is no text, or not given.
        """
        value = self._facts.get(name)
        if not isinstance(value, str):
            what = "missing" if value is None else show_value(value)
            raise BadRequest(f"{self.path(name)} is {what}: give a text")
        return value

    def optional_text(self, name: str) -> str | None:
        """Read a text, or None where it is not given.

        Raises:
            BadRequest: It is no text.
        """
        return self.text(name) if name in self else None

    def integers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        """Read a list of whole numbers, empty where it is not given.

        Raises:
            BadRequest: It is no list, longer than `MAX_DICE`, or one of its values is out of range.
        """
        values = self.sequence(name)
        return tuple(_whole(value, f"{self.path(name)}[{place}]", low, high) for place, value in enumerate(values))

    def sequence(self, name: str, most: int = MAX_DICE) -> list[JsonValue]:
        """Read a list of anything, empty where it is not given.

        Raises:
            BadRequest: It is no list, or longer than `most`.
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
        """Read an object of its own, empty where it is not given.

        Raises:
            BadRequest: It is no object.
        """
        return Fields(read_facts(self._facts.get(name), self.path(name)), self.path(name))


def _whole(value: JsonValue, path: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadRequest(f"{path} is {show_value(value)}: give a whole number from {low} to {high}")
    return value


def read_facts(value: JsonValue, path: str) -> Facts:
    """Read a JSON object, empty where it is null.

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
        named: Every die must carry an id; where False, a die without one is called by its place.

    Returns:
        The dice in the order given, at least one.

    Raises:
        BadRequest: No list, no dice, too many, an id given twice, an unknown role, a face that the die does not have.
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
    face = fields.integer("value", 1, sides)
    return Die(id=die_id, role=role, value=face, sides=sides, level=level, moved=_read_moved(fields))


def _read_moved(fields: Fields) -> bool | None:
    return fields.flag("moved") if "moved" in fields else None
