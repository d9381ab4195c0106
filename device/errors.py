"""Errors of the hardware and of user input."""

import errno
import re
from typing import Final

_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line ends, changes of the direction of writing, and halves of characters."""


class PushTrayError(Exception):
    """Base of every error that `device` raises."""


class DeviceError(PushTrayError):
    """A part of the tray does not answer; only the loop catches it and turns it into a fault on screen and lamps."""


class DriverHangs(DeviceError):
    """A library call did not return: retries in this process cannot help, so the process ends with a fault."""


class BadInput(PushTrayError, ValueError):
    """Unusable input from a user: one line with what, the value and the cure. Exit status 2.

    What cannot be printed is escaped, since messages repeat keys and names of files from outside.
    """

    def __str__(self) -> str:
        text = super().__str__()  # it may be one that is translated later
        if _UNPRINTABLE.search(text) is None:
            return text
        return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


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
