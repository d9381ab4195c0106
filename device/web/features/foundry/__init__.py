"""The module for Foundry VTT."""

from device.web.core.web import Web
from device.web.features.foundry.routes import add_foundry


def install(web: Web) -> None:
    add_foundry(web.app)
