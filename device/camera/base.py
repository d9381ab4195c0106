"""Where frames come from. Each kind of camera is an adapter with this one shape; simulation is asked for by name.

What the rest of the tray knows of a kind stands in one `CameraKind`; `registry.py` lists them all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import Field

from vision.types.frame import Frame

Params = TypeVar("Params")
"""The section of the settings that a kind of camera has."""

SizePx: TypeAlias = tuple[int, int]
"""Width and height of a picture."""

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

    def open(self) -> None: ...

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next frame and hand it over; its pixels belong to the caller."""
        ...

    def close(self) -> None:
        """Let go of the camera. Safe to call twice and after a failure."""
        ...


@dataclass(frozen=True, slots=True)
class AskedCamera(Generic[Params]):
    """A camera as it is asked for: all that makes one, handed on as one value."""

    name: str
    params: Params
    data: Path | None = None
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Cures:
    """What helps where pictures are not as they should be. The defaults hold for a camera of which no more is known."""

    dark: str = "light the tray, take the lens cap off"
    burnt: str = "dim the light"
    slow: str = "ask it for smaller pictures, or give it more light"
    size: str = "ask for a size that it has, and hang it so that the whole floor shows and a die keeps 45 pixels"


@dataclass(frozen=True, slots=True)
class OwnReport:
    summary: str = ""
    fault: str | None = None  # why its pictures cannot be read, ending in `: ` and the cure; None where they can
    warning: str | None = None
    # lines for the settings file that keep what the camera has chosen by itself; empty where it fixes that, or does not
    # say
    settings: str = ""


def _nothing_to_report(_: FrameSource) -> OwnReport:
    return OwnReport()


@dataclass(frozen=True, slots=True)
class CameraDriver(Generic[Params]):
    """How a kind of camera that sees the world is made, and what `pushtray doctor` knows of it."""

    make: Callable[[AskedCamera[Params]], FrameSource]
    # function that gives the size of the pictures that the camera's settings ask for, or None where they ask for none
    asked_px: Callable[[Params], SizePx | None] = lambda _: None
    cures: Callable[[AskedCamera[Params], SizePx], Cures] = lambda _asked, _size: Cures()
    report: Callable[[FrameSource], OwnReport] = _nothing_to_report
    settle: int = 0


@dataclass(frozen=True, slots=True)
class CameraKind(Generic[Params]):
    id: str
    written: str
    names: re.Pattern[str]
    # driver that makes a camera of this kind and examines it; None for what is no camera: simulation and recordings
    # have theirs in `runtime/source.py` and `diagnostics/doctor.py`
    driver: CameraDriver[Params] | None = None
    suggested: tuple[str, ...] = ()
    section: str = ""
    keys: tuple[str, ...] = ()
    group: str = "camera"
    pins: Literal["gpio", "mock", "none"] = "none"
    keeps_data: bool = False
