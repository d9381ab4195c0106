"""Setting up a new tray."""

from device.runtime.bring_up import BringUp
from device.web.core.page import Page, cards
from device.web.core.web import Web
from device.web.features.bring_up.routes import add_bring_up


def install(web: Web) -> None:
    sheets = (*cards(with_history=True), "css/settings")
    web.add_page("/start", Page("bring_up", "start", "page.start.title", "page.start.heading", sheets, ("settings",)))
    if parts := web.find(BringUp):
        add_bring_up(web, parts)
