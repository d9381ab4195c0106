"""Logged outcomes, as pages show them."""

from collections.abc import Mapping

from device.game.result_lines import row_costs
from device.storage.log_rows import Row
from device.texts.catalogue import localizable


def with_costs(row: Row) -> Row:
    outcome, context = row.get("outcome"), row.get("context")
    if not isinstance(outcome, Mapping):
        return {**row, "costs": []}
    costs = row_costs(str(row["system"]), outcome, context if isinstance(context, Mapping) else {})
    return {**row, "costs": [localizable(cost) for cost in costs]}
