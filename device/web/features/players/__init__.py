"""Players by name, and whose roll it was."""

from device.web.core.table import TableService
from device.web.core.web import Web
from device.web.features.players.routes import add_players


def install(web: Web) -> None:
    if table := web.find(TableService):
        add_players(web, table)
