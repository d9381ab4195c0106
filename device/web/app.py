"""The web application: the core, and the features that stand on it. It keeps no state of its own."""

import socket
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

from fastapi import Depends, FastAPI, Request
from starlette.middleware.gzip import GZipMiddleware

from device.texts.catalogue import ENGLISH
from device.web.core.access import AccessControl
from device.web.core.addresses import AddressNow, is_loopback, named_url, network_url, nowhere
from device.web.core.error_handlers import answer_errors
from device.web.core.guard import Guard, GuardParams, guard_for
from device.web.core.head import HeadAsGet
from device.web.core.language import LocaleMiddleware
from device.web.core.pages import add_pages, assets_version
from device.web.core.pairing import Pairing
from device.web.core.places import PlaceParams, Places
from device.web.core.rights import Role
from device.web.core.server import AppServer
from device.web.core.stream import StreamParams
from device.web.core.tray import TrayService
from device.web.core.turns import GuestTurns
from device.web.core.web import Web, find_part

FEATURES: Final = (
    "table",
    "settings",
    "sheets",
    "phones",
    "archive",
    "bring_up",
    "calibration",
    "dice_sets",
    "integrations",
    "club",
    "overlay",
    "docs",
    "roll_requests",
    "players",
    "foundry",
)
"""Folders of `features`; in this order their pages stand in the menu's sections."""


def create_app(
    tray: TrayService,
    parts: Iterable[object] = (),
    *,
    guard: GuardParams | None = None,
    streams: StreamParams | None = None,
    door: AccessControl | None = None,
    language: str = ENGLISH,
    address: AddressNow = nowhere,
    places: PlaceParams | None = None,
) -> FastAPI:
    """Build the application over a tray.

    Args:
        parts: What features need in addition to the tray, each found by its class.
        door: Who sends a request, and what it may do; None: by the paired phones among the parts.
        places: How many streams may be open at once; the defaults where None.
    """
    parts = tuple(parts)
    pairing = find_part(parts, Pairing)
    door = door or AccessControl(pairing)
    app = FastAPI(
        title="PushTray",
        description="A tray that reads real dice. Every write answers with the new state, or says why not.",
        docs_url=None,
        redoc_url=None,
        responses=_ANYWHERE,
        # App-wide, so that routes added later are authorized as well.
        dependencies=[Depends(door.authorize)],
    )
    app.state.door = door
    app.state.places = Places(places)
    # Pictures are compressed already, and events must not wait for more data to compress: both are excluded by type.
    app.add_middleware(GZipMiddleware, compresslevel=6)
    app.add_middleware(LocaleMiddleware)
    app.add_middleware(HeadAsGet)
    app.state.known_addresses = door.known_addresses
    if pairing is not None:
        app.add_middleware(GuestTurns, is_guest=lambda scope: door.identify(Request(scope)).role is Role.GUEST)
    app.add_middleware(Guard, params=lambda: app.state.guard)
    answer_errors(app)
    web = Web(
        app,
        tray,
        parts,
        door,
        streams or StreamParams(),
        address,
        assets_version(),
    )
    app.state.pages = web.pages
    for name in FEATURES:
        import_module(f"device.web.features.{name}").install(web)
    app.state.guard = replace(guard or guard_for("127.0.0.1"), uploads=web.uploads)
    add_pages(app, web.pages, language, web.version)
    return app


_ANYWHERE: Final[dict[int | str, dict[str, Any]]] = {
    400: {"description": "The body is not JSON, or not a valid request"},
    403: {"description": "Not for this device, page or host; `reason` says why in one word"},
    404: {"description": "Not found"},
    409: {"description": "Not now; `reason` says why in one word"},
    413: {"description": "The body is too large"},
    415: {"description": "The body is of another kind"},
    429: {"description": "Too many tries; `Retry-After` says when the next counts"},
    503: {"description": "A part of the tray does not answer, or it is busy"},
}
"""Responses that every path may give."""


class WebServer(AppServer):
    """The server of the tray's pages and routes."""

    def __init__(
        self,
        tray: TrayService,
        taken: socket.socket,
        name: str | None = None,
        parts: Iterable[object] = (),
        *,
        names: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
        language: str = ENGLISH,
    ) -> None:
        """Prepare to serve `tray`."""

        def guard_on(host: str) -> GuardParams:
            return guard_for(host, socket.gethostname(), names, origins)

        self._guard_on = guard_on
        app = create_app(
            tray,
            parts,
            guard=guard_on(name or taken.getsockname()[0]),
            language=language,
            address=lambda: (network_url(self._host, self._port), named_url(self._host, self._port)),
        )
        super().__init__(app, taken)

    @property
    def is_open(self) -> bool:
        return not is_loopback(self._host)

    def listen_on(self, host: str) -> None:
        super().listen_on(host)
        self._app.state.guard = replace(self._guard_on(host), uploads=self._app.state.guard.uploads)
