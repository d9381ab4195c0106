"""Setting up a new tray."""

from fastapi import Request

from device.runtime.bring_up import BringUp
from device.web.core.page import Page, cards
from device.web.core.rights import Role
from device.web.core.web import Web
from device.web.features.bring_up.routes import add_bring_up

_SEEN = "pushtray-start"
"""The cookie that `/start` sets: from then on a kiosk's `/` is the tray."""


def install(web: Web) -> None:
    sheets = (*cards(with_history=True), "css/settings")
    web.add_page("/start", Page("bring_up", "start", "page.start.title", "page.start.heading", sheets, ("settings",)))
    if parts := web.find(BringUp):
        add_bring_up(web, parts)
        web.detours["/"] = lambda request: "/start" if _is_first_evening(web, request) else None


def _is_first_evening(web: Web, request: Request) -> bool:
    """Return whether a kiosk opens before the first roll and has not shown how to set up."""
    if "kiosk" not in request.query_params or _SEEN in request.cookies:
        return False
    may_set_up = web.door is None or web.door.identify(request).role in (Role.TABLE, Role.GAME_MASTER)
    return may_set_up and not web.tray.rolls(1, None)
