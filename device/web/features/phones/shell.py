"""Lets a phone install its pages as an app: manifest, service worker, and the files to cache."""

from collections.abc import Iterable
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from device.texts.catalogue import in_language, languages, translate
from device.web.core import joined
from device.web.core.assets import STATIC, static_files
from device.web.core.language import language_of_page
from device.web.core.page import Page
from device.web.core.pages import ALONE

KEPT_PAGES = ("/phone", "/me", "/gm")
"""Pages that open offline once the browser has seen one of them."""
_GROUND = "#efece5"
"""Background colour while the app opens."""


def add_shell(app: FastAPI, version: str) -> None:
    """Add the routes of the app, in the language of the pages."""
    worker = Path(__file__).with_name("service-worker.js").read_text(encoding="utf-8")

    @app.get("/manifest.webmanifest", include_in_schema=False)
    def manifest(request: Request) -> Response:
        body = _manifest(version, language_of_page(request, app.state.language))
        return JSONResponse(body, headers={"cache-control": "no-cache"}, media_type="application/manifest+json")

    # At the root, since a worker's scope is its own folder.
    @app.get("/service-worker.js", include_in_schema=False)
    def service_worker() -> Response:
        return Response(worker, headers={"cache-control": "no-cache"}, media_type="text/javascript")

    @app.get("/shell.json", include_in_schema=False)
    def shell() -> Response:
        files = precache_files([app.state.pages[path] for path in KEPT_PAGES])
        body = {"pages": [*KEPT_PAGES], "files": [f"/static/{version}/{path}" for path in files]}
        return JSONResponse(body, headers={"cache-control": "no-store"})


def precache_files(pages: Iterable[Page]) -> list[str]:
    """Return the files that a phone's pages load, by their paths under `/static/WORD`."""
    drawn = [path.relative_to(STATIC).as_posix() for path in static_files("ui") if path.suffix not in (".js", ".css")]
    own = {f"{joined.FOLDER}/{name}" for page in pages for name in joined.joined_files(page)}
    return sorted([*drawn, *own, *ALONE, *(f"texts/{code}.json" for code in languages())])


def _manifest(version: str, language: str) -> dict[str, object]:
    def icon(name: str, sizes: str, purpose: str = "any") -> dict[str, str]:
        return {
            "src": f"/static/{version}/ui/icons/{name}.png",
            "sizes": sizes,
            "type": "image/png",
            "purpose": purpose,
        }

    return {
        "id": "/phone",
        "name": "PushTray",
        "short_name": "PushTray",
        "description": in_language(translate("web.phone.about"), language),
        "lang": language,
        "start_url": "/phone",
        "scope": "/",
        "display": "standalone",
        "background_color": _GROUND,
        "theme_color": _GROUND,
        "icons": [
            icon("icon-192", "192x192"),
            icon("icon-512", "512x512"),
            icon("icon-512-maskable", "512x512", "maskable"),
        ],
    }
