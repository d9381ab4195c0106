"""What can go wrong in the world, and what a user can get wrong on the way in."""


class PushTrayError(Exception):
    """Base of every error that `device` raises."""


class DeviceError(PushTrayError):
    """A part of the tray does not answer; only the loop catches it and turns it into a fault on screen and lamps."""


class DriverHangs(DeviceError):
    """A library call did not come back: no retry inside this process can cure it, so the process ends with a fault.

    The service then starts it again; see systemd/pushtray.service.
    """


class BadInput(PushTrayError, ValueError):
    """What a user gave cannot be used: one line that says what, the value, and the cure. Exit status 2."""
