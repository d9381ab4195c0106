"""What a tray answers that cannot start: on every path the fault and its cure, until the tray takes over."""

import socket
from html import escape

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from device.game.display import fault_title
from device.runtime.health import Health
from device.texts.catalogue import in_language
from device.web.core.assets import STATIC, Assets
from device.web.core.guard import Guard, GuardParams
from device.web.core.language import LocaleMiddleware, LocalizedJSONResponse, language_of_page
from device.web.core.places import Places
from device.web.core.replies import NO_STORE, error_response
from device.web.core.server import AppServer

_PAGE = """<!doctype html>
<html lang="{language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5"><title>PushTray</title>
<link rel="stylesheet" href="/static/ui/css/base.css"><link rel="stylesheet" href="/static/ui/css/pages.css"></head>
<body class="page"><main><h1>{title}</h1><p role="alert">{text}</p></main></body>
</html>
"""


class FaultPage(AppServer):
    """The server in place of a tray's. Pages load themselves again until the tray is there."""

    def __init__(self, taken: socket.socket, part: str, text: str, guard: GuardParams, language: str) -> None:
        self._part = part
        self._health = Health()
        self.tell(text)
        app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        app.state.places, app.state.language = Places(), language
        app.add_middleware(LocaleMiddleware)
        app.add_middleware(Guard, params=lambda: guard)
        app.mount("/static", Assets("no-cache", directory=STATIC))

        @app.get("/api/health")
        def health() -> Response:
            return LocalizedJSONResponse(self._health.report(), headers=NO_STORE)

        @app.api_route("/api/{_path:path}", methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        def refused() -> Response:
            return error_response(503, "fault", self._text)

        @app.get("/{_path:path}")
        def page(request: Request) -> Response:
            language = language_of_page(request, app.state.language)
            title = in_language(fault_title(self._part), language)
            html = _PAGE.format(language=language, title=escape(title), text=escape(self._text))
            return HTMLResponse(html, status_code=503, headers=NO_STORE)

        super().__init__(app, taken)

    def tell(self, text: str) -> None:
        """Answer with another fault and cure from now on. Any thread."""
        self._text = text
        self._health.report_fault(self._part, text)
