"""What cameras are called. Only the standard library: the installer runs in the system's Python."""

import re
from typing import Final

PI: Final = re.compile(r"pi(:[1-9])?")
USB: Final = re.compile(r"usb:[0-9]{1,2}")
SIMULATED: Final = re.compile("simulated")
INSTALLED: Final = "pi, pi:1, usb:0 or simulated"
"""The cameras that an installed tray may have, as a person writes them."""


def can_be_installed(name: str) -> bool:
    return any(kind.fullmatch(name) for kind in (PI, USB, SIMULATED))
