"""Dice and table as JSON text, so that a half-played push survives the plug being pulled; the campaign has own rows."""

import json
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from device.game.state.states import (
    AwaitingPush,
    DiceState,
    Empty,
    Resolved,
    Rolling,
    Scored,
    ThrownWithoutPush,
    UnreadPush,
    Unscored,
)
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.kept_files import parse_json
from device.texts.stored import STORING

FORMAT: Final = 4
"""Rises when a kept state can no longer be understood by an older program, or the other way round."""
_WITH_CLASSES: Final = (1, 2)
"""Formats that named classes. Format 1 did not know which roll a pool was declared for: then it was for any."""
_NESTED: Final = 3
"""Like the formats before it, this one has a table in each state, and `unclear` for three states."""
_NAMES: Final[dict[type[DiceState], str]] = {
    Empty: "empty",
    Unscored: "unscored",
    UnreadPush: "unread_push",
    ThrownWithoutPush: "thrown_without_push",
    Scored: "scored",
    AwaitingPush: "awaiting_push",
    Resolved: "resolved",
}
_KINDS: Final[dict[str, TypeAdapter[Any]]] = {name: TypeAdapter(kind) for kind, name in _NAMES.items()}
_TABLE: Final = TypeAdapter(Table)
_RENAMED: Final = {"book": "campaign", "trail": "die_history", "chain": "exploding"}
"""Fields that formats 1 and 2 have under other names."""


class UnknownState(ValueError):
    """A kept state that this program does not understand, written by another version."""


def pack_state(tray: Tray) -> str:
    """Return the tray as text without what ends with the program: what rolls, what a hand holds, a fault."""
    dice = dice_at_rest(tray.dice)
    name = _NAMES[type(dice)]
    body = {
        "format": FORMAT,
        "state": name,
        "dice": _KINDS[name].dump_python(dice, mode="json", exclude_defaults=True, context=STORING),
        "table": _TABLE.dump_python(tray.table, mode="json", exclude_defaults=True),
    }
    return json.dumps(body, ensure_ascii=False, allow_nan=False)


def unpack_state(text: str) -> Tray:
    """Return the tray without its campaign."""
    try:
        body = parse_json(text)
        if body["format"] in _WITH_CLASSES:
            name = "awaiting_push" if (kind := body["state"]["kind"]) == "AwaitingPush" else kind.lower()
            body = {"format": _NESTED, "state": name, "kept": _without_classes(body["state"])}
        if body["format"] == _NESTED:
            body = _side_by_side(body["state"], body["kept"])
        if body["format"] == FORMAT:
            dice = _KINDS[body["state"]].validate_python(body["dice"])
            return Tray(dice, _TABLE.validate_python(body["table"]))
    except Exception as error:
        raise UnknownState(f"the stored state cannot be read: {error}") from error
    raise UnknownState(f"the stored state has format {body['format']!r}, this program reads {FORMAT}")


def dice_at_rest(dice: DiceState) -> DiceState:
    """Return what is kept of the dice."""
    match dice:
        case Rolling():
            return Empty(dice.over, left=dice.left)
        case AwaitingPush():
            return replace(dice, lifted=())
        case _:
            return dice


def _side_by_side(name: str, kept: dict[str, Any]) -> dict[str, Any]:
    """Return a kept state of format 3 in the present one."""
    dice = {field: value for field, value in kept.items() if field not in ("table", "pushed", "unasked")}
    if push := kept.get("pushed"):
        name, dice["push"] = "unread_push", _push(push)
    elif result := kept.get("unasked"):
        name, dice["result"] = "thrown_without_push", _result(result)
    elif name == "unclear":
        name = "unscored"
    elif name == "awaiting_push":
        dice = _push(kept)
    elif name in ("scored", "resolved"):
        dice = _result(kept)
    elif (left := kept.get("left")) and "outcome" in left:
        table = left["table"]
        dice["left"] = {"result": _result(left), "system": table["system"], "context": table.get("context", {})}
    return {"format": FORMAT, "state": name, "dice": dice, "table": kept["table"]}


def _result(kept: dict[str, Any]) -> dict[str, Any]:
    result = {field: value for field, value in kept.items() if field != "table"}
    if push := kept.get("push"):
        result |= {"push": _push(push), "terms": _terms(push["table"])}
    return result


def _push(kept: dict[str, Any]) -> dict[str, Any]:
    push = {field: value for field, value in kept.items() if field != "table"}
    return {**push, "first": _result(kept["first"]), "terms": _terms(kept["first"]["table"])}


def _terms(table: dict[str, Any]) -> dict[str, Any]:
    system = table["system"]
    return {
        "context": table.get("context", {}),
        "rulings": table.get("rulings", {}).get(system, {}),
        "roles": table.get("colour_roles", {}).get(system, {}),
        "typed": table.get("typed", ()),
    }


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
