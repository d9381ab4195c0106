"""Responses about the table, as it is or after an event."""

from typing import Any

from device.body import Body, BodyValue
from device.game.state.campaign import NoSuchSheet
from device.game.state.table_events import RolesChosen, RulingsChosen
from device.game.state.tray import Tray
from device.game.table.sheet_effects import consequence_text
from device.game.table.view import find_filed, roles_body, rulings_body, sheet_body, sheets_body
from device.rule_messages import refusal_text
from device.texts.catalogue import translate
from device.web.core.errors import ApiError
from device.web.core.table import TableService, refused_as
from rules.errors import RulesError
from rules.sheet import Sheet
from rules.sheet_file import sheet_from_json
from rules.system import Facts, find_system, systems


def rulings(tray: Tray) -> Body:
    """Return every system with its rulings: name, default, choices, reason, current value."""
    return {"systems": [rulings_body(system, tray) for system in systems()]}


def rulings_chosen(tray: Tray, event: RulingsChosen) -> Body:
    return rulings_body(find_system(event.system), tray)


def roles(tray: Tray) -> Body:
    return {"classes": list(tray.table.colour_classes), "systems": [roles_body(system, tray) for system in systems()]}


def roles_chosen(tray: Tray, event: RolesChosen) -> Body:
    return roles_body(find_system(event.system), tray)


def sheets(tray: Tray, _event: object = None) -> Body:
    return sheets_body(tray.campaign)


def sheet(tray: Tray, event: Any) -> Body:
    return sheet_body(find_filed(tray.campaign, event.sheet_id))


def one_sheet(table: TableService, sheet_id: int) -> Body:
    with refused_as("unknown_sheet", NoSuchSheet):
        return sheet_body(find_filed(table.now.campaign, sheet_id))


def sheet_in(content: Facts) -> Sheet:
    """Return the sheet in a file's content; another format version is refused."""
    try:
        return sheet_from_json(content)
    except RulesError as error:
        raise ApiError("bad_sheet", translate("tray.refused.sheet_file", why=refusal_text(error))) from error


def carried(tray: Tray, event: Any) -> Body:
    """Return the sheet with applied consequences, and those for which it has no counter."""
    latest = tray.campaign.carried
    missed: list[BodyValue] = [] if latest is None else [consequence_text(item) for item in latest.missed]
    return {**sheet(tray, event), "missed": missed}
