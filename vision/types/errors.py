"""Misuse of vision by a caller, and bad files. An unreadable die is a reading, not one of these errors."""


class VisionError(Exception):
    """Base of all errors that vision raises."""


class BadImage(VisionError, ValueError):
    """An image that cannot be read; the message names what, the value, and the cure."""


class BadProfile(VisionError, ValueError):
    """A tray profile that cannot be used; the message names what, the value, and the cure."""
