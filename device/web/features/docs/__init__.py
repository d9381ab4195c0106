"""The paths of the outside contract, described."""

from device.web.core.page import Page
from device.web.core.web import Web


def install(web: Web) -> None:
    sheets = ("css/controls", "css/bar", "css/panels", "./docs")
    web.add_page("/docs", Page("docs", "docs", "page.docs.title", "page.docs.link", sheets, ("settings",)))
