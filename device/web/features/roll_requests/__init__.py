"""Rolls that are requested or prepared, typed dice, tests over several rolls, clocks."""

from device.web.core.table import TableService
from device.web.core.web import Web
from device.web.features.roll_requests.routes import add_roll_requests


def install(web: Web) -> None:
    if table := web.find(TableService):
        add_roll_requests(web, table)
