"""Errors of the hardware and of user input."""

import errno
from typing import Final


class PushTrayError(Exception):
    """Base of every error that `device` raises."""


class DeviceError(PushTrayError):
    """A part of the tray does not answer; only the loop catches it and turns it into a fault on screen and lamps."""


class DriverHangs(DeviceError):
    """A library call did not return: retries in this process cannot help, so the process ends with a fault."""


class BadInput(PushTrayError, ValueError):
    """Unusable input from a user: one line with what, the value and the cure. Exit status 2."""


class StorageFault(BadInput):
    """The drive of the data folder does not work now: a tray shows it and tries again."""


_FAULTS_OF_DRIVES: Final = frozenset(
    {
        *(errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENXIO, errno.ENODEV, errno.ESTALE, errno.ETIMEDOUT),
        *(errno.EHOSTDOWN, errno.EHOSTUNREACH, errno.ENOTCONN, errno.ENOMEM, errno.EMFILE, errno.ENFILE),
    }
)


def storage_refused(number: int | None, text: str) -> BadInput:
    """Return the error of a folder or file that the system refuses with this `errno`."""
    return (StorageFault if number in _FAULTS_OF_DRIVES else BadInput)(text)
