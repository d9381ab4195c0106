"""What a caller of vision can do wrong, or a file can be. An unreadable die is a reading, never one of these."""


class VisionError(Exception):
    """Base of every error that vision raises."""


class BadImage(VisionError, ValueError):
    """An image that cannot be read; the message says what, the value, and the cure."""


class BadProfile(VisionError, ValueError):
    """A tray profile that cannot be used; the message says what, the value, and the cure."""
