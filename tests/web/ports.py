"""Ports of this process's servers: consecutive servers have the same address.

A browser caches files and compiled scripts by address: a page of a new tray at a known address opens in half the time.
"""

import contextlib
import os

from device.errors import BadInput
from device.web.core.server import bind_socket

_BLOCK = 10
_LOWEST, _BLOCKS = 11_000, 2_000
"""Below the ports that systems use for outgoing connections, and above the last that browsers refuse."""


def free_port() -> int:
    """Return the first port of this process without a listener; other processes have other ports."""
    first = _LOWEST + os.getpid() % _BLOCKS * _BLOCK
    for port in range(first, first + _BLOCK):
        with contextlib.suppress(BadInput):
            bind_socket("127.0.0.1", port).close()
            return port
    return 0
