"""Who sends a request, and whether it may."""

from typing import Any

from fastapi import Request

from device.runtime.loop import pressed_by
from device.storage.phones import MAX_PHONES
from device.web.core.addresses import net_of
from device.web.core.errors import ApiError
from device.web.core.pairing import Pairing
from device.web.core.permission import is_local_request
from device.web.core.places import Caller, Standing, caller_by_address
from device.web.core.rights import Access, AccessRequest, Identity, Role, deny_reason
from device.web.core.tray import TrayService

COOKIE = "pushtray-phone"
DISPLAY_COOKIE = "pushtray-display"
COOKIE_S = 400 * 86400
"""The longest time that browsers keep a cookie."""


class AccessControl:
    """Identify callers and authorize their requests."""

    def __init__(self, port: TrayService, pairing: Pairing) -> None:
        self._port = port
        self._pairing = pairing
        self.known_addresses: dict[str, None] = {}
        """Where paired phones sent requests from, the newest last."""

    def identify(self, request: Request) -> Identity:
        if not self._pairing.is_asked or self._is_display(request):
            return Identity(Role.TABLE)
        return self.asker_with(request.cookies.get(COOKIE))

    def caller(self, request: Request) -> Caller:
        asker = self.identify(request)
        if asker.phone is not None:
            standing = Standing.OWN if asker.role is Role.GAME_MASTER else Standing.PAIRED
            return Caller(f"phone {asker.phone.id}", standing)
        return Caller(caller_by_address(request).name, Standing.OWN if self._is_display(request) else Standing.STRANGER)

    def may_change(self, request: Request) -> bool:
        """Return whether a request may change what outlives a roll, as the display and the game master's phone may."""
        return self._is_display(request) or self.identify(request).role is Role.GAME_MASTER

    def may_see_hidden(self, request: Request) -> bool:
        """Return whether a request may see hidden results, as only the game master's phone may."""
        return self.identify(request).role is Role.GAME_MASTER

    def asker_with(self, token: str | None) -> Identity:
        phone = self._pairing.phone_of(token)
        if phone is None:
            return Identity(Role.GUEST)
        return Identity(Role.GAME_MASTER if phone.is_game_master else Role.PLAYER, phone)

    def _is_display(self, request: Request) -> bool:
        shows = self._pairing.is_display(request.cookies.get(DISPLAY_COOKIE))
        return shows or (self._pairing.trusts_machine and is_local_request(request))

    async def authorize(self, request: Request) -> None:
        """Authorize a request; every route depends on it."""
        asker = self.identify(request)
        pressed_by.set(None if asker.phone is None else asker.phone.id)
        if asker.phone is not None and request.client is not None:
            address = net_of(request.client.host)
            self.known_addresses.pop(address, None)
            self.known_addresses[address] = None
            if len(self.known_addresses) > MAX_PHONES:
                del self.known_addresses[next(iter(self.known_addresses))]
        if asker.role in (Role.TABLE, Role.GAME_MASTER):
            return
        who = getattr(getattr(request.scope["route"], "endpoint", None), "access", None)
        is_read = request.method in ("GET", "HEAD")
        body: Any = None
        if asker.phone is not None and not isinstance(who, Access | None) and await request.body():
            # The same object as the route gets, since a request parses its body only once.
            body = await request.json()
        why = deny_reason(asker, AccessRequest(is_read, who, request.path_params, body, self._port.snapshot().body))
        if why is not None:
            raise ApiError(why.reason, why.text, status=403)
