"""The language of a response: `?lang=de` of the request, else English.

Pages name their own: the browser's choice (a cookie), else the one of the settings.
"""

import re
from contextvars import ContextVar
from html import escape
from typing import Any
from urllib.parse import parse_qs

from fastapi import Request
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from device.texts.catalogue import ENGLISH, in_language, languages, translate

COOKIE = "pushtray-language"
_PLACE = re.compile(r"\{\{([\w.]+)\}\}")
_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


class LocalizedJSONResponse(JSONResponse):
    """A JSON response in the request's language."""

    def render(self, content: Any) -> bytes:
        return super().render(localized(content))


class LocaleMiddleware:
    """ASGI middleware that sets the request's language and refuses unknown ones."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            wanted = locale_from_query(scope)
            _language.set(request_locale(scope))
            if wanted is not None and wanted not in languages():
                known = ", ".join(languages())
                text = translate("web.unknown_language", language=repr(wanted[:20]), known=known)
                body = {"error": text, "reason": "unknown_language"}
                await JSONResponse(body, status_code=422)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def locale_from_query(scope: Scope) -> str | None:
    """Return the language in a request's URL, if any."""
    named = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).get("lang")
    return None if named is None else named[-1]


def request_locale(scope: Scope) -> str:
    wanted = locale_from_query(scope)
    return wanted if wanted is not None and wanted in languages() else ENGLISH


def localized(value: Any) -> Any:
    """Return a JSON value in the language of the current request."""
    return in_language(value, _language.get())


def language_of_page(request: Request, usual: str) -> str:
    """Return the language of a page: from its URL, the browser's choice, or the default."""
    for wanted in (locale_from_query(request.scope), request.cookies.get(COOKIE)):
        if wanted is not None and wanted in languages():
            return wanted
    return usual


def render_page(template: str, language: str) -> str:
    """Render a page's HTML: `{{key}}` becomes a text, `{{languages}}` the choice of languages."""
    options = "".join(
        f'<option value="{code}" lang="{code}">{escape(name)}</option>' for code, name in languages().items()
    )
    html = template.replace("{{language}}", language).replace("{{languages}}", options)
    return _PLACE.sub(lambda match: escape(in_language(translate(match[1]), language)), html)
