"""Errors of the hardware and of user input."""


class PushTrayError(Exception):
    """Base of every error that `device` raises."""


class DeviceError(PushTrayError):
    """A part of the tray does not answer; only the loop catches it and turns it into a fault on screen and lamps."""


class DriverHangs(DeviceError):
    """A library call did not return: retries in this process cannot help, so the process ends with a fault."""


class BadInput(PushTrayError, ValueError):
    """Unusable input from a user: one line with what, the value and the cure. Exit status 2."""
