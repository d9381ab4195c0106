"""Who sends a request, and whether it may."""

from typing import Annotated

from fastapi import Depends, Request

from device.storage.phones import MAX_PHONES
from device.web.core.addresses import net_of
from device.web.core.errors import refused_by
from device.web.core.pairing import Pairing
from device.web.core.permission import is_local_request
from device.web.core.places import Caller, Standing, caller_by_address
from device.web.core.rights import Access, Identity, Role, may_use

COOKIE = "pushtray-phone"
DISPLAY_COOKIE = "pushtray-display"
COOKIE_S = 400 * 86400
"""The longest time that browsers keep a cookie."""


class AccessControl:
    """Identify callers and authorize their requests; without pairing anyone is the display."""

    def __init__(self, pairing: Pairing | None) -> None:
        self._pairing = pairing
        self.known_addresses: dict[str, None] = {}
        """Where paired phones sent requests from, the newest last."""

    def identify(self, request: Request) -> Identity:
        if self._pairing is None or not self._pairing.is_required or self._is_display(request):
            return Identity(Role.TABLE)
        return self.asker_with(request.cookies.get(COOKIE))

    def caller(self, request: Request) -> Caller:
        if self._pairing is None:
            return caller_by_address(request)
        asker = self.identify(request)
        if asker.phone is not None:
            standing = Standing.OWN if asker.role is Role.GAME_MASTER else Standing.PAIRED
            return Caller(f"phone {asker.phone.id}", standing)
        return Caller(caller_by_address(request).name, Standing.OWN if self._is_display(request) else Standing.STRANGER)

    def may_change(self, request: Request) -> bool:
        """Return whether a request may change what outlives a roll, as the display and the game master's phone may."""
        return self._is_display(request) or self.identify(request).role is Role.GAME_MASTER

    def asker_with(self, token: str | None) -> Identity:
        phone = None if self._pairing is None else self._pairing.phone_of(token)
        if phone is None:
            return Identity(Role.GUEST)
        return Identity(Role.GAME_MASTER if phone.is_game_master else Role.PLAYER, phone)

    def _is_display(self, request: Request) -> bool:
        if self._pairing is None:
            return is_local_request(request)
        shows = self._pairing.is_display(request.cookies.get(DISPLAY_COOKIE))
        return shows or (self._pairing.trusts_machine and is_local_request(request))

    async def authorize(self, request: Request) -> None:
        """Authorize a request; every route depends on it."""
        asker = self.identify(request)
        if asker.phone is not None and request.client is not None:
            address = net_of(request.client.host)
            self.known_addresses.pop(address, None)
            self.known_addresses[address] = None
            if len(self.known_addresses) > MAX_PHONES:
                del self.known_addresses[next(iter(self.known_addresses))]
        who = getattr(getattr(request.scope["route"], "endpoint", None), "access", Access.DEFAULT)
        is_owner = who is Access.OWNER and self.may_change(request)
        refused_by(may_use(who, asker, is_read=request.method in ("GET", "HEAD"), is_owner=is_owner))


async def _identity(request: Request) -> Identity:
    door: AccessControl = request.app.state.door
    return door.identify(request)


Asker = Annotated[Identity, Depends(_identity)]
"""Who sends the request, as a parameter of its route."""
