"""What a program that follows the tray gets of each change: the same form from a recording and from a run. Pure."""

import json
from collections.abc import Mapping

from device.game.snapshot import Body
from rules.system import JsonValue

_LINE_KEYS = ("state", "dice", "outcome", "push", "problems", "problem_details")


def line_part(body: Mapping[str, JsonValue]) -> Body:
    """Return the part of a snapshot, or of `tray_body`, that stands in a line of the outside contract."""
    # What a die asks of the player is the display's alone.
    dice: list[JsonValue] = [
        {key: value for key, value in die.items() if key != "ask"}
        for die in listed(body["dice"])
        if isinstance(die, dict)
    ]
    return {**{key: body[key] for key in _LINE_KEYS}, "dice": dice}


def seen_part(body: Mapping[str, JsonValue]) -> Body:
    """Return what of a snapshot, or of `tray_body`, a table sees: where two are alike, nothing has changed.

    A hand that comes and goes, and dice being picked up for a push, are no change.
    """
    dice: list[JsonValue] = [
        [die["id"], die["colour"], die["value"], die["unread"]] for die in listed(body["dice"]) if isinstance(die, dict)
    ]
    return {"dice": dice, **{key: body[key] for key in ("state", "outcome", "push", "problems")}}


def pack_line(line: Mapping[str, JsonValue]) -> str:
    """Return the line as strict JSON, without its end; in ASCII, which every output can carry."""
    return json.dumps(line, allow_nan=False)


def listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
