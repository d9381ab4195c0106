"""Responses about the table, as it is or after an event."""

from collections.abc import Callable
from typing import Any, TypeAlias

from device.game.state.table_events import RolesChosen, RulingsChosen
from device.game.state.table_state import Table
from device.game.table.sheet_effects import consequence_text
from device.game.table.view import find_filed, roles_body, rulings_body, sheet_body, sheets_body
from device.texts.rule_words import ask_json, extended_test_json, tile_json
from rules.clocks import clocks_to_json
from rules.request import LEVEL_SIDES
from rules.system import JsonValue, RuleSystem, find_system, systems

Body: TypeAlias = dict[str, JsonValue]
View: TypeAlias = Callable[[Table, Any], Body]
"""A function from a table and an event to a response."""


def rulings(table: Table) -> Body:
    """Return every system with its rulings: name, default, choices, reason, current value."""
    return {"systems": [rulings_body(system, table) for system in systems()]}


def rulings_chosen(table: Table, event: RulingsChosen) -> Body:
    return rulings_body(find_system(event.system), table)


def roles(table: Table) -> Body:
    return {"classes": list(table.colour_classes), "systems": [roles_body(system, table) for system in systems()]}


def roles_chosen(table: Table, event: RolesChosen) -> Body:
    return roles_body(find_system(event.system), table)


def sheets(table: Table, _event: object = None) -> Body:
    return sheets_body(table.campaign)


def sheet(table: Table, event: Any) -> Body:
    return sheet_body(find_filed(table.campaign, event.sheet_id))


def carried(table: Table, event: Any) -> Body:
    """Return the sheet with applied consequences, and those for which it has no counter."""
    latest = table.campaign.carried
    missed: list[JsonValue] = [] if latest is None else [consequence_text(item) for item in latest.missed]
    return {**sheet(table, event), "missed": missed}


def clocks(table: Table, _event: object = None) -> Body:
    """Return the table's clocks, what can be undone, and the latest tick."""
    return clocks_to_json(table.campaign.clocks)


def tiles(system: RuleSystem) -> Body:
    """Return the tiles of a roll, the questions to the rules, and the extended tests."""
    return {
        "system": system.id,
        "tiles": [tile_json(system.id, tile) for tile in system.tiles],
        "aims": [tile_json(system.id, tile) for tile in system.aims],
        "typed_levels": [{"level": level, "sides": LEVEL_SIDES[level]} for level in system.typed_levels],
        "series": [extended_test_json(system.id, kind) for kind in system.extended_tests],
        "asks": [ask_json(system.id, ask) for ask in system.asks],
        "rests": list(system.rests),
        "goes_with": dict(system.goes_with),
    }
