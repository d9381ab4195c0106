"""Print the serial port that answers as WLED, for the installer: `python -m device.ring.locate`."""

import sys

from device.errors import DeviceError
from device.ring.plan import RingParams
from device.ring.wled import WledParams, WledRing


def main() -> int:
    """Ask the adapters with the usual chips of ring controllers, and no others."""
    try:
        sys.stdout.write(f"{WledRing(WledParams(), RingParams()).locate()}\n")
    except DeviceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
