"""Who may change what outlives a roll: settings, and what is connected to the tray."""

import ipaddress
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias

from fastapi import Request

from device.web.guard import LOOPBACK_NAMES, name_of

Permission: TypeAlias = Callable[[Request], bool]
"""Whether whoever sends a request may change it."""

_PROXIED: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def is_at_the_tray(request: Request) -> bool:
    """Whether a request comes from the tray's own machine, as its display's do, and not through a proxy on it."""
    if request.client is None or any(name in request.headers for name in _PROXIED):
        return False
    with suppress(ValueError):
        address = ipaddress.ip_address(request.client.host)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        is_near = (mapped or address).is_loopback
        return is_near and name_of(request.headers.get("host", "").lower()) in LOOPBACK_NAMES
    return False
