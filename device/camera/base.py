"""The interface of all cameras. Each kind is an adapter; simulation is used only if named.

Everything that the rest of the tray knows about a kind is in one `CameraKind`; `registry.py` lists them all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import Field

from vision.types.frame import Frame

Params = TypeVar("Params")
"""The settings section of a kind of camera."""

SizePx: TypeAlias = tuple[int, int]
"""Width and height of a picture in pixels."""

STANDARD_PX = (1280, 960)
"""Default width and height of pictures."""

SidePx: TypeAlias = Annotated[int, Field(ge=160, le=8192)]
Fps: TypeAlias = Annotated[int, Field(ge=5, le=60)]
"""Pictures per second of a real camera."""


class FrameSource(Protocol):
    """A camera, real or not. Used only by the camera thread, which opens, reads and closes it."""

    @property
    def name(self) -> str:
        """The name given on the command line: `simulated`, `pi`, `usb:0`, `replay:FOLDER`."""
        ...

    def open(self) -> None: ...

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next frame and return it; its pixels belong to the caller."""
        ...

    def close(self) -> None:
        """Release the camera. Safe to call twice and after a failure."""
        ...


@dataclass(frozen=True, slots=True)
class CameraRequest(Generic[Params]):
    """Everything needed to make a camera, as one value."""

    name: str
    params: Params
    data: Path | None = None
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Cures:
    """Cures for bad pictures. The defaults apply to a camera of an unknown kind."""

    dark: str = "light the tray, take the lens cap off"
    burnt: str = "dim the light"
    slow: str = "ask it for smaller pictures, or give it more light"
    size: str = "ask for a size that it has, and hang it so that the whole floor shows and a die keeps 45 pixels"


@dataclass(frozen=True, slots=True)
class OwnReport:
    summary: str = ""
    fault: str | None = None  # why its pictures cannot be read, ending in `: ` and the cure; None if they can
    warning: str | None = None
    # lines for the settings file that fix what the camera chose automatically; empty if that is fixed already or
    # unknown
    settings: str = ""


@dataclass(frozen=True, slots=True)
class CameraDriver(Generic[Params]):
    """How to make a camera of a real kind, and what `pushtray doctor` checks of it."""

    make: Callable[[CameraRequest[Params]], FrameSource]
    # returns the picture size that the camera's settings request, or None if they request none
    requested_px: Callable[[Params], SizePx | None] = lambda _: None
    cures: Callable[[CameraRequest[Params], SizePx], Cures] = lambda _request, _size: Cures()
    report: Callable[[FrameSource], OwnReport] = lambda _: OwnReport()
    settle: int = 0


@dataclass(frozen=True, slots=True)
class CameraKind(Generic[Params]):
    id: str
    written: str
    names: re.Pattern[str]
    # makes and examines a camera of this kind; None for simulation and recordings, which are made in
    # `runtime/source.py` and checked in `diagnostics/doctor.py`
    driver: CameraDriver[Params] | None = None
    suggested: tuple[str, ...] = ()
    section: str = ""
    keys: tuple[str, ...] = ()
    group: str = "camera"
    pins: Literal["gpio", "mock", "none"] = "none"
    keeps_data: bool = False
