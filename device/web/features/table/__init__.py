"""The table page: picture, dice, result, buttons."""

from device.web.core.page import Page
from device.web.core.web import Web
from device.web.features.table.routes import add_reading, add_writing

_PAGE = Page(
    "table",
    "table",
    "page.name",
    "page.menu.roll",
    (
        *("css/layout", "css/controls", "css/bar", "./css/picture", "./css/result", "./css/problems", "./css/dice"),
        *("./css/setup", "./css/actions", "./css/odds", "css/history", "css/notices", "./css/help"),
        *("./css/pad", "css/panels", "./css/doubts", "./css/idle", "./css/display"),
    ),
    sections=("roll",),
    is_app=True,
)


def install(web: Web) -> None:
    web.add_page("/", _PAGE)
    web.add_page("/phone", _PAGE)
    add_reading(web)
    add_writing(web)
