"""The newest roll over a stream's picture."""

from device.web.core.page import Page
from device.web.core.web import Web


def install(web: Web) -> None:
    overlay = Page(
        "overlay", "overlay", "page.overlay.title", "page.overlay.link", ("./overlay",), ("settings",), has_bar=False
    )
    web.add_page("/overlay", overlay)
