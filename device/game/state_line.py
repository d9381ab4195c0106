"""The line that programs get for each change, the same from a recording and from a run. Pure."""

import json
from collections.abc import Mapping

from device.body import Body, BodyValue, dicts

_LINE_KEYS = ("state", "dice", "outcome", "push", "problems", "problem_details")


def line_part(body: Mapping[str, BodyValue]) -> Body:
    """Return the part of a snapshot, or of `tray_body`, that the contract's lines contain."""
    # What to do with a die is for the display only.
    dice: list[BodyValue] = [{key: value for key, value in die.items() if key != "ask"} for die in dicts(body["dice"])]
    return {**{key: body[key] for key in _LINE_KEYS}, "dice": dice}


def seen_part(body: Mapping[str, BodyValue]) -> Body:
    """Return the visible part of a snapshot, or of `tray_body`; if two are equal, nothing has changed."""
    dice: list[BodyValue] = [[die["id"], die["colour"], die["value"], die["unread"]] for die in dicts(body["dice"])]
    return {"dice": dice, **{key: body[key] for key in ("state", "outcome", "push", "problems")}}


def pack_line(line: Mapping[str, BodyValue]) -> str:
    """Return the line as strict JSON in ASCII, without a line end."""
    return json.dumps(line, allow_nan=False)
