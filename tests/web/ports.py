"""Where the servers of this process listen: those that follow each other have one address.

A browser keeps files and compiled scripts by address: a page of a new tray whose address it knows
opens in half the time.
"""

import contextlib
import os

from device.errors import BadInput
from device.web.server import bind_socket

_BLOCK = 10
_LOWEST, _BLOCKS = 11_000, 2_000
"""Below the ports that systems give to outgoing connections, and above the last that browsers refuse."""


def free_port() -> int:
    """The first port of this process that nobody listens on now; another process has others."""
    first = _LOWEST + os.getpid() % _BLOCKS * _BLOCK
    for port in range(first, first + _BLOCK):
        with contextlib.suppress(BadInput):
            bind_socket("127.0.0.1", port).close()
            return port
    return 0
