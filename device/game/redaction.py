"""What everybody may see of a snapshot while a result is hidden. Pure.

Values and everything that follows from them are redacted. The rest stays: whose roll it is, that dice lie there, which
of them are in doubt, which must be thrown again. Lamps and ring do not reveal a hidden result either
(`Snapshot.lights`, `ring_view`), and the picture is withheld (`covered`).
"""

from collections.abc import Mapping

from device.game.display import shown_body
from device.game.result_lines import compared_lines
from device.game.table.linked_rolls import redacted as redacted_rolls
from device.texts.catalogue import translate
from rules.system import JsonValue

Body = dict[str, JsonValue]


def redact(whole: Body) -> Body:
    """Return a redacted snapshot; the same object if nothing is hidden."""
    linked = _listed(whole["together"])
    redacted: list[JsonValue] = [redacted_rolls(one) for one in linked]
    body = whole if redacted == linked else {**whole, "together": redacted}
    if body["hidden"] is True:
        body = _redact_result(body)
    if body is whole:
        return whole
    own = [] if body["outcome"] is None else [line for line in _listed(whole["lines"]) if line["about"] == "result"]
    return shown_body({**body, "lines": [*compared_lines(body), *own]})


def redact_odds(odds: Mapping[str, JsonValue]) -> Body:
    return {**odds, "table": None}


def _redact_result(body: Body) -> Body:
    waits = body["awaiting"]
    push = body["push"] if isinstance(body["push"], dict) else {}
    return {
        **body,
        # Dice that were read are left out; one in doubt is shown without its reading.
        "dice": [_redact_die(die) for die in _listed(body["dice"]) if die["unread"] is not None],
        "typed_dice": [die for die in _listed(body["typed_dice"]) if die["value"] is None],
        "outcome": None,
        "push": {**push, "must_reroll": [], "locked": []},
        "awaiting": {**waits, "text": translate("tray.awaiting.hidden")} if isinstance(waits, dict) else None,
        "consequences": None,
        "measured": None,
        "odds": _redact_shown_odds(body["odds"]),
        "mend": None,
    }


def _redact_shown_odds(odds: JsonValue) -> JsonValue:
    is_of_push = isinstance(odds, dict) and odds["is_of_push"] is True
    return (
        {"is_of_push": False, "title": None, "rows": [], "note": translate("tray.odds.hidden")} if is_of_push else odds
    )


def _redact_die(die: Body) -> Body:
    nothing: Body = {"value": None, "face": None, "confidence": 0.0, "read_value": None, "mark": None}
    return {**die, **nothing, "locked": False, "must_reroll": False}


def _listed(value: JsonValue) -> list[Body]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
