"""HEAD requests: answered as the GET would be; the server sends the answer's head and leaves its body away."""

from starlette.types import ASGIApp, Receive, Scope, Send

_MARK = "pushtray.head"


class HeadAsGet:
    """ASGI middleware under which a route for GET answers HEAD too, whether it was made for it or not."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET", _MARK: True}
        await self._app(scope, receive, send)


def is_head(scope: Scope) -> bool:
    """Return whether only the head of the answer is wanted: what would not end by itself must not begin."""
    return _MARK in scope
