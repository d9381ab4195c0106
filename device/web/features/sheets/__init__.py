"""Sheets of characters, and house rulings."""

from device.web.core.page import Page, cards
from device.web.core.table import TableService
from device.web.core.web import Web
from device.web.features.sheets.routes import add_sheets


def install(web: Web) -> None:
    web.add_page("/sheets", Page("sheets", "sheets", "page.sheets_title", "page.table.sheets", cards(), ("players",)))
    web.add_page("/rulings", Page("sheets", "rulings", "page.rulings_title", "page.rulings", cards(), ("settings",)))
    if table := web.find(TableService):
        add_sheets(web, table)
