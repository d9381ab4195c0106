"""Evenings, rolls found again, statistics, stories, copies."""

from device.web.core.page import Page, cards
from device.web.core.web import Web
from device.web.features.archive.routes import UPLOADS, add_archive
from device.web.features.archive.service import ArchiveService


def install(web: Web) -> None:
    sheets = (*cards(with_history=True), "./remembered")
    web.add_page(
        "/history", Page("archive", "history", "page.history.title", "page.menu.history", sheets, ("history",))
    )
    sheets = (*sheets, "lib/vendor/uplot/uPlot.min")
    web.add_page(
        "/statistics",
        Page("archive", "statistics", "page.statistics.title", "page.menu.statistics", sheets, ("statistics",)),
    )
    web.uploads.update(UPLOADS)
    if memory := web.find(ArchiveService):
        add_archive(web, memory)
