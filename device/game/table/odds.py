"""Exact odds: of the declared pool before its throw, of a push after it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from device.game import snapshot_model as seen
from device.game.state.effects import LogRow
from device.game.state.states import AwaitingPush, Empty, Resolved, Rolling, Scored, Unscored
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import Text, message
from device.rule_messages import odds_rows
from rules.dice import face_name
from rules.errors import BadRequest
from rules.system import Facts, JsonValue, find_system


def odds_now(tray: Tray) -> Facts:
    """Return odds in the contract's form, by the table's rulings, context and manual dice.

    Returns:
        `pool` and `table`, each None if it has no meaning or the system cannot tell.
    """
    dice, table = tray.dice, tray.table
    pool: JsonValue = None
    if table.pool is not None and _is_before_throw(tray):
        levels = tuple(die.level for die in table.typed)
        pool = pool_odds(table, table.pool.as_json(), levels, table.context)
    lying: JsonValue = None
    # The odds of a push stay visible until its dice have been thrown, even wrongly.
    result = dice.first if isinstance(dice, AwaitingPush) and dice.after is None else dice
    if isinstance(result, Scored | Resolved) and result.outcome.push.eligible:
        lying = _push_odds(table, result, table.context)
    return {"pool": pool, "table": lying}


def odds_body(tray: Tray, *, is_hidden: bool) -> seen.Odds:
    """Return the odds to show, or why there are none."""
    return shown_odds(odds_now(tray), tray.table.system, _why_none(tray, is_hidden=is_hidden), is_hidden=is_hidden)


def shown_odds(odds: Facts, system: str, why_none: Text, *, is_hidden: bool = False) -> seen.Odds:
    """Return title and rows of the odds to show, a push's rather than the pool's, or why there are none."""
    pool, lying = odds["pool"], odds["table"]
    if is_hidden and pool is not None:
        # Odds of a push would reveal what the dice show.
        lying = None
    title = None
    if lying is not None:
        title = message("tray.odds.of_push")
    elif isinstance(pool, Mapping):
        title = message("tray.odds.of_pool_pushed" if pool.get("p_success_if_pushed") else "tray.odds.of_pool")
    rows = cast("list[seen.OddsRow]", odds_rows(find_system(system), pool if lying is None else lying))
    return {"is_of_push": lying is not None, "title": title, "rows": rows, "note": None if rows else why_none}


def _why_none(tray: Tray, *, is_hidden: bool) -> Text:
    """Return why there are no odds; empty if none are expected."""
    match tray.dice:
        case Scored() | Resolved() if is_hidden:
            return message("tray.odds.hidden")
        case Scored(outcome=outcome) | Resolved(outcome=outcome) if outcome.push.eligible:
            return message("tray.odds.unknown")
        case Empty() | Rolling() | Unscored():
            return message("tray.odds.choose" if tray.table.pool is None else "tray.odds.unknown")
        case _:
            return ""  # a finished roll needs none


def _is_before_throw(tray: Tray) -> bool:
    """Return whether the declared pool is still to be thrown: there is no result, or it was declared since."""
    match tray.dice:
        case Scored(number=number) | Resolved(number=number):
            return tray.table.pool_for > number
        case dice:
            return isinstance(dice, Empty | Rolling | Unscored)


def _push_odds(table: Table, result: Scored | Resolved, context: Facts) -> JsonValue:
    dice: list[JsonValue] = [
        {"role": die.role.value, "value": die.value, "sides": die.sides, "face": face_name(die.value)}
        for die in result.roll
    ]
    return _ask(table, {"table": dice, "context": {**context, "pushes": result.pushes}})


def pool_odds(table: Table, pool: Facts, levels: tuple[str, ...], context: Facts) -> JsonValue:
    """Return the odds of a pool before its throw; None if the system cannot tell."""
    system = find_system(table.system)
    counts = {role: count for role, count in pool.items() if isinstance(count, int)}
    return _ask(table, {**system.pool_odds_request(counts, levels, context), "context": dict(context)})


def odds_of_row(tray: Tray, row: LogRow) -> JsonValue:
    """Return the odds that a row's result had before its dice were thrown, by the table's rulings.

    Returns:
        In the contract's form, for a push those of the dice before it; None if the row has no result or the system
        cannot tell.
    """
    if row.outcome is None:
        return None
    result = tray.dice.first if isinstance(tray.dice, AwaitingPush) else tray.dice
    if isinstance(result, Resolved):
        return _push_odds(tray.table, result.push.first, row.context)
    counts: dict[str, JsonValue] = {}
    for die in row.roll:
        if die.level is None:
            counts[die.role.value] = int(str(counts.get(die.role.value, 0))) + 1
    levels = tuple(die.level for die in row.roll if die.level is not None)
    return pool_odds(tray.table, counts, levels, row.context)


def _ask(table: Table, request: Facts) -> JsonValue:
    rulings = dict(table.rulings.get(table.system, {}))
    found = _exact(json.dumps({"system": table.system, "rulings": rulings, **request}, sort_keys=True))
    return None if found is None else dict(found)


@lru_cache(maxsize=64)
def _exact(request: str) -> Facts | None:
    """Return exact odds, cached for display, log and the next snapshots. Read only."""
    question: Facts = json.loads(request)
    try:
        return find_system(str(question["system"])).odds(question)
    except BadRequest:
        return None
