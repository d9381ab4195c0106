"""Logged outcomes, as pages show them."""

from collections.abc import Mapping

from device.game.result_lines import row_costs
from device.storage.log_rows import Row


def with_costs(row: Row) -> Row:
    outcome, context = row.get("outcome"), row.get("context")
    if not isinstance(outcome, Mapping):
        return {**row, "costs": []}
    return {**row, "costs": [*row_costs(str(row["system"]), outcome, context if isinstance(context, Mapping) else {})]}
