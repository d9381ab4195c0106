"""What lets a phone keep its pages as an app: the manifest, the service worker, and the list of what that keeps."""

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from device.texts.catalogue import in_language, languages, say
from device.web.core.language import language_of_page

KEPT_PAGES = ("/phone", "/me", "/gm")
"""Pages that open without a network, once a browser that may keep them has seen one."""
_SCRIPTS = ("table", "me", "gm")
_GROUND = "#efece5"
"""The pages' own ground, while the app opens."""


def add_shell(app: FastAPI, static: Path, version: str) -> None:
    """Add the paths of the app to the application; its language is that of the pages."""
    worker = (static / "pages/service-worker.js").read_text(encoding="utf-8")
    files = [f"/static/{version}/{path}" for path in precache_files(static)]

    @app.get("/manifest.webmanifest", include_in_schema=False)
    def manifest(request: Request) -> Response:
        body = _manifest(version, language_of_page(request, app.state.language))
        return JSONResponse(body, headers={"cache-control": "no-cache"}, media_type="application/manifest+json")

    # At the root, for a worker looks after what lies beside and below itself.
    @app.get("/service-worker.js", include_in_schema=False)
    def service_worker() -> Response:
        return Response(worker, headers={"cache-control": "no-cache"}, media_type="text/javascript")

    @app.get("/shell.json", include_in_schema=False)
    def shell() -> Response:
        return JSONResponse({"pages": [*KEPT_PAGES], "files": files}, headers={"cache-control": "no-store"})


def precache_files(static: Path) -> list[str]:
    """Return the files that the pages of a phone load, at once or later, by their paths in `static`."""
    parts = [path for folder in ("components", "css", "icons", "lib") for path in (static / folder).rglob("*")]
    named = [path.relative_to(static).as_posix() for path in parts if path.suffix in (".css", ".js", ".png", ".woff2")]
    pages = [f"pages/{name}.js" for name in _SCRIPTS]
    return sorted([*named, *pages, "icon.svg", *(f"texts/{code}.json" for code in languages())])


def _manifest(version: str, language: str) -> dict[str, object]:
    def icon(name: str, sizes: str, purpose: str = "any") -> dict[str, str]:
        return {"src": f"/static/{version}/icons/{name}.png", "sizes": sizes, "type": "image/png", "purpose": purpose}

    return {
        "id": "/phone",
        "name": "PushTray",
        "short_name": "PushTray",
        "description": in_language(say("web.phone.about"), language),
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
