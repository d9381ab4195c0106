"""The kinds of cameras and their names. There is no fallback from one to another."""

import re
from pathlib import Path
from typing import Any

from device.camera import names
from device.camera.base import CameraDriver, CameraKind, CameraRequest, FrameSource
from device.camera.pi_kind import PI
from device.camera.usb_camera import USB
from device.errors import BadInput

SIMULATED: CameraKind[Any] = CameraKind(
    id="simulated",
    written="simulated",
    names=names.SIMULATED,
    suggested=("simulated",),
    section="simulation",
    keys=("seed", "look", "shape"),
    group="simulation",
    pins="mock",
    keeps_data=True,
)

REPLAY: CameraKind[Any] = CameraKind(id="replay", written="replay:FOLDER", names=re.compile(r"replay:.+", re.DOTALL))
"""A recording, replayed as a camera."""

KINDS: tuple[CameraKind[Any], ...] = (SIMULATED, PI, USB, REPLAY)
"""All kinds, in the order in which they are offered. Add new ones here."""

NAMES = ", ".join(kind.written for kind in KINDS)
"""The names of cameras, for messages and `--help`."""


def camera_kind(name: str) -> CameraKind[Any]:
    for kind in KINDS:
        if kind.names.fullmatch(name):
            return kind
    raise BadInput(f"no camera is called {name!r}: choose one of {NAMES}")


def replay_folder(name: str) -> Path:
    """Return the FOLDER of `replay:FOLDER`."""
    if camera_kind(name) is not REPLAY:
        raise BadInput(f"{name!r} is not a recording: use replay:FOLDER")
    return Path(name.removeprefix("replay:"))


def camera_driver(name: str) -> CameraDriver[Any]:
    driver = camera_kind(name).driver
    if driver is None:
        offered = ", ".join(sorted(kind.id for kind in KINDS if kind.driver is not None))
        raise BadInput(f"camera {name!r} cannot be used here: choose one of {offered}")
    return driver


def make_camera(request: CameraRequest[Any]) -> FrameSource:
    return camera_driver(request.name).make(request)
