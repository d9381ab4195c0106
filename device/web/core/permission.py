"""Whether a request comes from the tray's own machine."""

import ipaddress
from contextlib import suppress
from typing import Final

from fastapi import Request

from device.web.core.guard import LOOPBACK_NAMES, strip_port

_PROXIED: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def is_local_request(request: Request) -> bool:
    """Return whether a request seems to come from the tray's own machine and not through a proxy on it.

    A proxy may not reveal itself: if one is possible, the display shows its secret instead.
    """
    if request.client is None or any(name in request.headers for name in _PROXIED):
        return False
    with suppress(ValueError):
        address = ipaddress.ip_address(request.client.host)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        is_near = (mapped or address).is_loopback
        return is_near and strip_port(request.headers.get("host", "").lower()) in LOOPBACK_NAMES
    return False
