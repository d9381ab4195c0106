"""Who may change what outlives a roll: settings, and what is connected to the tray."""

import ipaddress

from fastapi import Request


def is_at_the_tray(request: Request) -> bool:
    """Whether a request comes from the tray's own machine, as those of its display do.

    A proxy on that machine names the client that it speaks for, which the server believes; so who comes through one is
    not taken for the display.
    """
    client = request.client
    if client is None:
        return False
    try:
        return ipaddress.ip_address(client.host).is_loopback
    except ValueError:
        return False
