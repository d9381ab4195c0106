"""HEAD requests, answered like GET; the server drops the body."""

from starlette.types import ASGIApp, Receive, Scope, Send

_MARK = "pushtray.head"


class HeadAsGet:
    """ASGI middleware that lets every GET route answer HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET", _MARK: True}
        await self._app(scope, receive, send)


def is_head(scope: Scope) -> bool:
    """Return whether the request is HEAD, for which an endless stream must not start."""
    return _MARK in scope
