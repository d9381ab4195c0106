"""What other programs are sent."""

from device.config.settings_service import SettingsService
from device.integrations.service import Integrations
from device.web.core.page import Page, cards
from device.web.core.web import Web
from device.web.features.integrations.routes import add_integrations


def install(web: Web) -> None:
    sheets = (*cards(), "./integrations", "css/settings")
    web.add_page(
        "/integrations",
        Page(
            "integrations",
            "integrations",
            "page.integrations.page_title",
            "page.integrations.title",
            sheets,
            ("settings",),
        ),
    )
    integrations, desk = web.find(Integrations), web.find(SettingsService)
    if integrations is not None and desk is not None:
        add_integrations(web, integrations, desk)
