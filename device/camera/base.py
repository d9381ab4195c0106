"""Where frames come from. Each kind of camera is an adapter with this one shape; simulation is asked for by name."""

from typing import Annotated, Protocol, TypeAlias

from pydantic import Field

from vision.types.frame import Frame

STANDARD_PX = (1280, 960)
"""Width and height of the pictures that are asked for where nobody says otherwise."""

SidePx: TypeAlias = Annotated[int, Field(ge=160, le=8192)]
Fps: TypeAlias = Annotated[int, Field(ge=5, le=60)]
"""Pictures a second of a real camera."""


class FrameSource(Protocol):
    """A camera, real or not. Used by one thread only: the camera thread opens, reads and closes it."""

    @property
    def name(self) -> str:
        """As asked for on the command line: `simulated`, `pi`, `usb:0`, `replay:FOLDER`."""
        ...

    def open(self) -> None:
        """Start taking frames.

        Raises:
            DeviceError: No such camera, or it does not start; the message says the cure. May be tried again.
        """
        ...

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next frame and hand it over; its pixels belong to the caller.

        Returns:
            The frame, or None where the source has ended for good (a recording's last frame was given out).

        Raises:
            DeviceError: No frame came within `timeout_s`, or the camera went away. `close`, then `open`, may cure it.
        """
        ...

    def close(self) -> None:
        """Let go of the camera. Safe to call twice and after a failure."""
        ...
