"""Every tray of a broker on one page."""

from device.integrations.service import Integrations
from device.web.core.page import Page
from device.web.core.web import Web
from device.web.features.club.routes import add_club

PAGE = Page(
    "club",
    "club",
    "page.club.page_title",
    "page.club.title",
    ("css/layout", "css/controls", "css/bar", "css/panels", "css/pages", "./club"),
    ("settings",),
)


def install(web: Web) -> None:
    web.add_page("/club", PAGE)
    if integrations := web.find(Integrations):
        add_club(web.app, lambda: integrations.broker.club, lambda: integrations.broker.fault, web.door.caller)
