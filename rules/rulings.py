"""House rulings: the choices that a rule text leaves open, and a table's answers."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.outcome import Ruling
from rules.request import Fields, read_facts, show_value

Choice: TypeAlias = bool | int | str


ActiveRulings: TypeAlias = Mapping[str, Choice]
"""The choices of one roll: the defaults with the table's overrides."""


def resolve_rulings(rulings: Sequence[Ruling], chosen: Facts) -> ActiveRulings:
    """Merge a table's choices over the defaults.

    Raises:
        BadRequest: A name is unknown, or a choice is not allowed. An unknown name is refused, since a misspelt ruling
            would otherwise be ignored silently for a whole night.
    """
    by_name = {ruling.name: ruling for ruling in rulings}
    choices: dict[str, Choice] = {ruling.name: ruling.default for ruling in rulings}
    for name, value in chosen.items():
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise BadRequest(f"ruling {show_value(name)} is unknown: this system has {known}")
        if value is not None:
            choices[name] = check_choice(by_name[name], value)
    return choices


def read_request(rulings: Sequence[Ruling], request: Facts) -> tuple[Fields, ActiveRulings]:
    """Read what every request of the contract has: its context, and its choices merged over the defaults.

    Raises:
        BadRequest: One of them is not an object, or as in `resolve_rulings`.
    """
    context = Fields(read_facts(request.get("context"), "context"), "context")
    return context, resolve_rulings(rulings, read_facts(request.get("rulings"), "rulings"))


def check_choice(ruling: Ruling, value: JsonValue) -> Choice:
    """Return the value as a choice of this ruling.

    Raises:
        BadRequest: The ruling does not allow it; true does not equal 1 here.
    """
    if ruling.choices:
        for choice in ruling.choices:
            if type(choice) is type(value) and choice == value:
                return choice
        allowed = ", ".join(show_value(choice) for choice in ruling.choices)
        text = f"ruling {ruling.name} is {show_value(value)}: give one of {allowed}"
        raise BadRequest(text, "choice", name=ruling.name, value=show_value(value), choices=[*ruling.choices])
    low, high = ruling.low or 0, ruling.high or 0
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        text = f"ruling {ruling.name} is {show_value(value)}: give a whole number from {low} to {high}"
        raise BadRequest(text, "number", name=ruling.name, value=show_value(value), low=low, high=high)
    return value


def yes_or_no(name: str, *, default: bool = False) -> Ruling:
    """Return a ruling that is on or off."""
    return Ruling(name=name, default=default, choices=(False, True))


def describe(system_id: str, ruling: Ruling) -> Facts:
    """Return a ruling as one JSON object: its name, default and choices."""
    described: dict[str, JsonValue] = {
        "system": system_id,
        "name": ruling.name,
        "default": ruling.default,
        "choices": list(ruling.choices) if ruling.choices else None,
    }
    if not ruling.choices:
        described["low"] = ruling.low
        described["high"] = ruling.high
    return described
