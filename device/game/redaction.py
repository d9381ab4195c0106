"""What everybody may see of a snapshot while a result is hidden. Pure.

What is listed here is shown: whose roll it is, that dice lie there, which of them are in doubt, which must be thrown
again. A field that is not listed is left out, so that a new one reveals nothing. Lamps and ring do not reveal a hidden
result either (`Snapshot.lights`, `ring_view`), and the picture is withheld (`covered`).
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from device.game.display import shown_body
from device.game.result_lines import compared_lines
from device.game.table.linked_rolls import redacted as redacted_rolls
from device.message import Body, BodyValue, message

_SHOWN: Final = frozenset(
    (
        *("version", "state", "roll", "problems", "problem_details", "confirmable", "ignored_dice", "lines"),
        *("prepared", "asked", "take", "asked_next", "together", "hidden", "covered", "unshown", "series", "sheet"),
        *("sheets_revision", "sheets", "carry", "clocks", "roles", "rulings", "next", "read_sides", "system"),
        *("system_title", "systems", "pool_roles", "example_pool", "roll_facts", "camera", "simulated", "profile"),
        *("idle_min", "pool", "context", "colours", "frame", "lamps", "fault", "faults", "knocks", "lesson"),
        *("hand_in_view", "presses", "undo"),
    )
)
_SHOWN_OF_DIE: Final = frozenset(
    (
        *("id", "colour", "role", "sides", "unread", "read_colour", "corrected", "added", "moved", "picked_up"),
        *("wrong", "center_px", "box_px", "top_quad_px"),
    )
)
_SHOWN_OF_MANUAL_DIE: Final = frozenset(
    ("id", "role", "level", "sides", "value", "locked", "must_reroll", "mark", "declared")
)
"""Of a manual die that has no value yet."""


def redact(whole: Body) -> Body:
    """Return a redacted snapshot; the same object if nothing is hidden."""
    linked = _listed(whole["together"])
    redacted: list[BodyValue] = [redacted_rolls(one) for one in linked]
    body = whole if redacted == linked else {**whole, "together": redacted}
    if body["hidden"] is True:
        body = _redact_result(body)
    if body is whole:
        return whole
    own = [] if body["outcome"] is None else [line for line in _listed(whole["lines"]) if line["about"] == "result"]
    return shown_body({**body, "lines": [*compared_lines(body), *own]})


def redact_odds(odds: Mapping[str, BodyValue]) -> Body:
    return {**odds, "table": None}


def _redact_result(body: Body) -> Body:
    waits = body["awaiting"]
    push = body["push"] if isinstance(body["push"], dict) else {}
    waits_for = _only(waits, {"kind", "reason", "dice"}) if isinstance(waits, dict) else {}
    manual = [die for die in _listed(body["typed_dice"]) if die["value"] is None]
    return {
        **_only(body, _SHOWN),
        # Dice that were read are left out; one in doubt is shown without its reading.
        "dice": [_redact_die(die) for die in _listed(body["dice"]) if die["unread"] is not None],
        "typed_dice": [_only(die, _SHOWN_OF_MANUAL_DIE) for die in manual],
        "outcome": None,
        "push": {**_only(push, {"eligible", "reason", "reason_text"}), "must_reroll": [], "locked": []},
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
    return {**_only(die, _SHOWN_OF_DIE), **nothing, "locked": False, "must_reroll": False}


def _only(body: Body, shown: AbstractSet[str]) -> Body:
    return {name: value for name, value in body.items() if name in shown}


def _listed(value: BodyValue) -> list[Body]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
