"""Phones: pairing, players, pages that stay."""

from device.web.core.page import Page, cards
from device.web.core.pairing import Pairing
from device.web.core.web import Web
from device.web.features.phones.routes import add_no_phones, add_phones
from device.web.features.phones.shell import add_shell


def install(web: Web) -> None:
    sheets = (*cards(with_history=True), "./phones")
    web.add_page("/me", Page("phones", "me", "page.me.window", "page.me.title", sheets, ("players",), is_app=True))
    web.add_page("/gm", Page("phones", "gm", "page.gm.window", "page.gm.title", sheets, ("players",), is_app=True))
    sheets = (*cards(), "./phones")
    web.add_page(
        "/phones", Page("phones", "phones", "page.phones.window", "page.phones.title", sheets, ("players", "settings"))
    )
    if pairing := web.find(Pairing):
        add_phones(web, pairing, web.door)
    else:
        add_no_phones(web.app)
    add_shell(web.app, web.version)
