"""Odds and logged outcomes as a page draws them: labelled by the rules that they come from."""

from collections.abc import Mapping

from device.game.result_lines import row_costs
from device.storage.log_rows import Row
from device.texts.catalogue import say
from device.texts.rule_words import odds_rows
from rules.system import JsonValue, find_system


def labelled_odds(odds: Mapping[str, JsonValue], system: str) -> dict[str, JsonValue]:
    """Add the title and the rows that a display shows to the odds of a state."""
    pool, table = odds["pool"], odds["table"]
    title = None
    if table is not None:
        title = say("tray.odds.of_push")
    elif isinstance(pool, Mapping):
        title = say("tray.odds.of_pool_pushed" if pool.get("p_success_if_pushed") else "tray.odds.of_pool")
    return {**odds, "title": title, "rows": odds_rows(find_system(system), pool if table is None else table)}


def with_costs(row: Row) -> Row:
    """Add what a push cost to a row of the log."""
    outcome, context = row.get("outcome"), row.get("context")
    if not isinstance(outcome, Mapping):
        return {**row, "costs": []}
    return {**row, "costs": [*row_costs(str(row["system"]), outcome, context if isinstance(context, Mapping) else {})]}
