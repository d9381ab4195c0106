"""The tray's state as JSON text, so that a half-played push survives a power cut."""

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

from device.game.state import die_history, exploding_die, layout, manual_dice, problems, states, table_state
from device.game.state.campaign import Campaign
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Faulted,
    Playing,
    Resolved,
    Rolling,
    Scored,
    State,
    Unclear,
)
from device.kept_files import parse_json
from rules import dice as rules_dice
from rules import system as rules_system
from vision.types import reading

FORMAT = 2
"""Incremented when older and newer programs can no longer read each other's states."""
_UNDERSTOOD = (1, FORMAT)
"""Format 1 did not store which roll a pool was declared for."""

_MODULES = (
    exploding_die,
    layout,
    states,
    table_state,
    die_history,
    problems,
    manual_dice,
    rules_dice,
    rules_system,
    reading,
)
_STORED_NAMES = {"ExplodingDie": "Chain", "DieHistory": "Trail", "Issue": "Trouble", "TableDefaults": "Usual"}
_STORED_FIELDS = {"campaign": "book", "die_history": "trail", "exploding": "chain"}
"""Names of format 1, so that an upgraded tray continues with the current roll."""
_LATER: dict[str, object] = {"restored": False, "left": None, "marks": {}}
"""Later fields, omitted if empty, so that an older program can continue with the roll as well."""
_FIELDS = {stored: name for name, stored in _STORED_FIELDS.items()}
_KEPT: dict[str, type[Any]] = {
    _STORED_NAMES.get(name, name): kind
    for module in _MODULES
    for name, kind in vars(module).items()
    if isinstance(kind, type)
    and kind.__module__ == module.__name__
    and (is_dataclass(kind) or issubclass(kind, StrEnum))
}


class UnknownState(ValueError):
    """The stored state was written by another version and cannot be read."""


def pack_state(state: State) -> str:
    """Return the state as text, without what ends with the program: motion, picked-up dice, a fault."""
    return json.dumps({"format": FORMAT, "state": _pack(at_rest(state))}, ensure_ascii=False, allow_nan=False)


def unpack_state(text: str) -> Playing:
    try:
        body = parse_json(text)
        form = body["format"]
        state = _unpack(body["state"]) if form in _UNDERSTOOD else None
    except Exception as error:
        raise UnknownState(f"the kept state cannot be understood: {error}") from error
    if form not in _UNDERSTOOD:
        raise UnknownState(f"the kept state has format {form!r}, this program reads {FORMAT}")
    if not isinstance(state, Empty | Unclear | Scored | AwaitingPush | Resolved):
        raise UnknownState("what was kept is no state of a tray")
    return state


def at_rest(state: State) -> Playing:
    match state:
        case Faulted():
            return at_rest(state.resume)
        case Rolling():
            return Empty(state.table, state.over, left=state.left)
        case AwaitingPush():
            return replace(state, lifted=())
        case _:
            return state


def _pack(value: object) -> object:
    if isinstance(value, StrEnum):
        return {"enum": type(value).__name__, "value": value.value}
    if isinstance(value, Campaign):
        # The campaign has its own rows: a changed sheet is one written row.
        return {"book": True}
    if is_dataclass(value) and not isinstance(value, type):
        body = {
            _STORED_FIELDS.get(field.name, field.name): _pack(getattr(value, field.name))
            for field in fields(value)
            if field.name not in _LATER or getattr(value, field.name) != _LATER[field.name]
        }
        return {"kind": _STORED_NAMES.get(type(value).__name__, type(value).__name__), "fields": body}
    if isinstance(value, tuple):
        return [_pack(item) for item in value]
    if isinstance(value, dict):
        # Facts are JSON already.
        return {"json": value}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"cannot keep a {type(value).__name__}")


def _unpack(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_unpack(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "json" in value:
        return value["json"]
    if "book" in value:
        return Campaign()
    if "enum" in value:
        return _KEPT[value["enum"]](value["value"])
    return _KEPT[value["kind"]](**dict(_unpack_fields(value["fields"].items())))


def _unpack_fields(items: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    return ((_FIELDS.get(name, name), _unpack(value)) for name, value in items)
