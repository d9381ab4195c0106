"""The web of `pushtray club`: one page with every tray of a broker, without a tray of its own."""

from collections.abc import Callable

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from device.integrations.club import ClubTrays
from device.texts.catalogue import ENGLISH, LazyText
from device.web.core.error_handlers import answer_errors
from device.web.core.guard import Guard, GuardParams
from device.web.core.head import HeadAsGet
from device.web.core.language import LocaleMiddleware
from device.web.core.pages import add_pages, assets_version
from device.web.core.places import Places
from device.web.features.club import PAGE
from device.web.features.club.routes import add_club

PAGES = {"/": PAGE, "/club": PAGE}


def create_club_app(
    club: ClubTrays, guard: GuardParams, fault: Callable[[], LazyText | None], *, language: str = ENGLISH
) -> FastAPI:
    app = FastAPI(title="PushTray", description="Every tray of a club on one page.", docs_url=None, redoc_url=None)
    app.add_middleware(GZipMiddleware, compresslevel=6)
    app.add_middleware(LocaleMiddleware)
    app.add_middleware(HeadAsGet)
    app.add_middleware(Guard, params=lambda: guard)
    app.state.places = Places()
    answer_errors(app)
    add_club(app, lambda: club, fault)
    add_pages(app, PAGES, language, assets_version())
    return app
