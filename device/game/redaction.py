"""What everybody may see of a snapshot while a result is hidden. Pure.

What is `Open` in the model is shown: whose roll it is, that dice lie there, which of them are in doubt, which must be
thrown again. Any other field is left out, so that a new one reveals nothing. Lamps and ring do not reveal a hidden
result either (`Snapshot.lights`, `ring_view`), and the picture is withheld (`covered`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from device.body import Body, BodyValue
from device.game.display import shown_body
from device.game.result_lines import compared_lines
from device.game.snapshot_model import (
    Awaiting,
    Member,
    PushState,
    SeenDie,
    Snapshot,
    Together,
    TypedDie,
    open_fields,
)
from device.message import message

T = TypeVar("T")
_open = cache(open_fields)


def redact(whole: Snapshot) -> Snapshot:
    """Return a redacted snapshot; the same object if nothing is hidden."""
    linked = [_redact_linked(one) for one in whole["together"]]
    if linked == whole["together"] and not whole["hidden"]:
        return whole
    body: Snapshot = {**whole, "together": linked}
    if whole["hidden"]:
        body = _redact_result(body)
    own = [] if body["outcome"] is None else [line for line in whole["lines"] if line["about"] == "result"]
    body = {**body, "lines": [*compared_lines(body), *own]}
    return shown_body(body)


def redact_odds(odds: Mapping[str, BodyValue]) -> Body:
    return {"pool": odds["pool"], "table": None}


def _redact_result(body: Snapshot) -> Snapshot:
    waits, odds = body["awaiting"], body["odds"]
    if odds["is_of_push"]:
        odds = {"is_of_push": False, "title": None, "rows": [], "note": message("tray.odds.hidden")}
    nothing: dict[str, object] = {
        # Dice that were read are left out; one in doubt is shown without its reading.
        "dice": [_redact_die(die) for die in body["dice"] if die["unread"] is not None],
        "typed_dice": [_only(die, TypedDie) for die in body["typed_dice"] if die["value"] is None],
        "push": _only(body["push"], PushState, {"must_reroll": [], "locked": []}),
        "awaiting": None if waits is None else _only(waits, Awaiting, {"text": message("tray.awaiting.hidden")}),
        "odds": odds,
        **dict.fromkeys(("outcome", "consequences", "measured", "mend")),
    }
    return _only(body, Snapshot, nothing)


def _redact_die(die: SeenDie) -> SeenDie:
    nothing: Body = {"value": None, "face": None, "confidence": 0.0, "read_value": None, "mark": None, "earlier": []}
    return _only(die, SeenDie, {**nothing, "locked": False, "must_reroll": False})


def _redact_linked(linked: Together) -> Together:
    """Return linked rolls without hidden results: participants, current player, and what is shown."""
    members = linked["members"]
    if not any(member["hidden"] for member in members):
        return linked
    nothing = {"count": None, "word": "", "success": None}
    shown = [_only(member, Member, nothing) if member["hidden"] else member for member in members]
    compared = dict.fromkeys(("result", "winner", "margin", "total", "text"))
    return _only(linked, Together, {**compared, "again": False, "members": shown})


def _only(body: T, part: type, instead: Mapping[str, object] | None = None) -> T:
    """Return the open fields of a part, and in the place of others what is to be shown of them."""
    others: Any = instead or {}
    whole: Any = body
    shown = _open(part) | others.keys()
    only: Any = {name: others.get(name, value) for name, value in whole.items() if name in shown}
    found: T = only
    return found
