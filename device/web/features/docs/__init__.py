"""The paths of the outside contract, described."""

from device.web.core.page import Page, cards
from device.web.core.web import Web


def install(web: Web) -> None:
    sheets = (*cards(), "./docs")
    web.add_page("/docs", Page("docs", "docs", "page.docs.title", "page.docs.link", sheets, ("settings",)))
