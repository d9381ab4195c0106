"""The line that programs get for each change, the same from a recording and from a run. Pure."""

import json
from collections.abc import Mapping
from typing import Final

from device.body import Body, BodyValue
from device.game.snapshot_model import TrayPart

_LINE_KEYS: Final = ("state", "dice", "outcome", "push", "problems", "problem_details")
_SEEN_KEYS: Final = ("state", "outcome", "push", "problems")


def line_part(body: TrayPart) -> Body:
    """Return the part of a snapshot, or of `tray_body`, that the contract's lines contain."""
    # What to do with a die is for the display only.
    part: Body = {key: body[key] for key in _LINE_KEYS}
    return {**part, "dice": [{key: value for key, value in die.items() if key != "ask"} for die in body["dice"]]}


def seen_part(body: TrayPart) -> Body:
    """Return the visible part of a snapshot, or of `tray_body`; if two are equal, nothing has changed."""
    dice = [[die["id"], die["colour"], die["value"], die["unread"]] for die in body["dice"]]
    return {"dice": dice, **{key: body[key] for key in _SEEN_KEYS}}


def pack_line(line: Mapping[str, BodyValue]) -> str:
    """Return the line as strict JSON in ASCII, without a line end."""
    return json.dumps(line, allow_nan=False)
