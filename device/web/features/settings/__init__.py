"""Settings that a table may touch."""

from device.config.settings_service import SettingsService
from device.runtime.update import Updates
from device.web.core.page import Page, cards
from device.web.core.web import Web
from device.web.features.settings.routes import add_settings, add_update


def install(web: Web) -> None:
    sheets = (*cards(), "css/settings")
    web.add_page(
        "/settings", Page("settings", "settings", "page.settings.title", "page.settings.heading", sheets, ("settings",))
    )
    if desk := web.find(SettingsService):
        add_settings(web, desk)
    if updates := web.find(Updates):
        add_update(web, updates)
