"""The tray's state as JSON text, so that a half-played push survives the plug being pulled."""

import json
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from device.game.state.states import (
    STATE_NAMES,
    AwaitingPush,
    Empty,
    Faulted,
    Playing,
    Resolved,
    Rolling,
    Scored,
    State,
    ThrownWithoutPush,
    UnreadPush,
    Unscored,
)
from device.kept_files import parse_json

FORMAT: Final = 3
"""Rises when a kept state can no longer be understood by an older program, or the other way round."""
_WITH_CLASSES: Final = (1, 2)
"""Formats that named classes. Format 1 did not know which roll a pool was declared for: then it was for any."""
_KINDS: Final[dict[str, TypeAdapter[Any]]] = {
    STATE_NAMES[kind]: TypeAdapter(kind) for kind in (Empty, Scored, AwaitingPush, Resolved)
} | {"unclear": TypeAdapter(UnreadPush | ThrownWithoutPush | Unscored)}
_RENAMED: Final = {"book": "campaign", "trail": "die_history", "chain": "exploding"}
"""Fields that formats 1 and 2 have under other names."""


class UnknownState(ValueError):
    """A kept state that this program does not understand, written by another version."""


def pack_state(state: State) -> str:
    """Return the state as text without what ends with the program: what rolls, what a hand holds, a fault."""
    kept = at_rest(state)
    name = STATE_NAMES[type(kept)]
    body = _KINDS[name].dump_python(kept, mode="json", exclude_defaults=True)
    return json.dumps({"format": FORMAT, "state": name, "kept": body}, ensure_ascii=False, allow_nan=False)


def unpack_state(text: str) -> Playing:
    try:
        body = parse_json(text)
        if body["format"] in _WITH_CLASSES:
            name = "awaiting_push" if (kind := body["state"]["kind"]) == "AwaitingPush" else kind.lower()
            body = {"format": FORMAT, "state": name, "kept": _without_classes(body["state"])}
        if body["format"] == FORMAT:
            state: Playing = _KINDS[body["state"]].validate_python(body["kept"])
            return state
    except Exception as error:
        raise UnknownState(f"the stored state cannot be read: {error}") from error
    raise UnknownState(f"the stored state has format {body['format']!r}, this program reads {FORMAT}")


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


def _without_classes(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_classes(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "enum" in value:
        return value["value"]
    if "json" in value:
        return value["json"]
    return {
        _RENAMED.get(name, name): _without_classes(item) for name, item in value["fields"].items() if name != "book"
    }
