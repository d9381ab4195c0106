"""What everybody may see of a snapshot while a result is hidden. Pure.

What is `Open` in the model is shown: whose roll it is, that dice lie there, which of them are in doubt, which must be
thrown again. Any other field is left out, so that a new one reveals nothing. Lamps and ring do not reveal a hidden
result either (`Snapshot.lights`, `ring_view`), and the picture is withheld (`covered`).
"""

from collections.abc import Mapping
from functools import cache

from pydantic import BaseModel

from device.body import Body, BodyValue, dicts
from device.game.display import shown_body
from device.game.result_lines import compared_lines
from device.game.snapshot_model import Awaiting, Member, PushState, SeenDie, Snapshot, Together, TypedDie, open_fields
from device.message import message

_open = cache(open_fields)


def redact(whole: Body) -> Body:
    """Return a redacted snapshot; the same object if nothing is hidden."""
    linked = dicts(whole["together"])
    redacted: list[BodyValue] = [_redact_linked(one) for one in linked]
    body = whole if redacted == linked else {**whole, "together": redacted}
    if body["hidden"] is True:
        body = _redact_result(body)
    if body is whole:
        return whole
    own = [] if body["outcome"] is None else [line for line in dicts(whole["lines"]) if line["about"] == "result"]
    return shown_body({**body, "lines": [*compared_lines(body), *own]})


def redact_odds(odds: Mapping[str, BodyValue]) -> Body:
    return {"pool": odds["pool"], "table": None}


def _redact_result(body: Body) -> Body:
    waits = body["awaiting"]
    push = body["push"] if isinstance(body["push"], dict) else {}
    waits_for = _only(waits, Awaiting) if isinstance(waits, dict) else {}
    manual = [die for die in dicts(body["typed_dice"]) if die["value"] is None]
    return {
        **_only(body, Snapshot),
        # Dice that were read are left out; one in doubt is shown without its reading.
        "dice": [_redact_die(die) for die in dicts(body["dice"]) if die["unread"] is not None],
        "typed_dice": [_only(die, TypedDie) for die in manual],
        "outcome": None,
        "push": {**_only(push, PushState), "must_reroll": [], "locked": []},
        "awaiting": {**waits_for, "text": message("tray.awaiting.hidden")} if waits_for else None,
        "consequences": None,
        "measured": None,
        "odds": _redact_shown_odds(body["odds"]),
        "mend": None,
    }


def _redact_shown_odds(odds: BodyValue) -> BodyValue:
    is_of_push = isinstance(odds, dict) and odds["is_of_push"] is True
    return {"is_of_push": False, "title": None, "rows": [], "note": message("tray.odds.hidden")} if is_of_push else odds


def _redact_die(die: Body) -> Body:
    nothing: Body = {"value": None, "face": None, "confidence": 0.0, "read_value": None, "mark": None, "earlier": []}
    return {**_only(die, SeenDie), **nothing, "locked": False, "must_reroll": False}


def _redact_linked(linked: Body) -> Body:
    """Return linked rolls without hidden results: participants, current player, and what is shown."""
    members = dicts(linked["members"])
    if not any(member["hidden"] for member in members):
        return linked
    nothing: Body = {"count": None, "word": "", "success": None}
    shown = [_only(member, Member, nothing) if member["hidden"] else member for member in members]
    compared = dict.fromkeys(("result", "winner", "margin", "total", "text"))
    return {**_only(linked, Together, {**compared, "again": False}), "members": shown}


def _only(body: Body, part: type[BaseModel], instead: Body | None = None) -> Body:
    """Return the open fields, and in the place of others what is to be shown of them."""
    others = instead or {}
    shown = _open(part) | others.keys()
    return {name: others.get(name, value) for name, value in body.items() if name in shown}
