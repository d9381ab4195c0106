"""Which camera a name means. There is no fall-back from one to another."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from device.camera.base import FrameSource
from device.camera.pi_camera import PiCamera, PiCameraParams
from device.camera.pi_memory import MeasuringPiCamera
from device.camera.usb_camera import UsbCamera, UsbCameraParams
from device.errors import BadInput

KINDS = "simulated, pi, usb:N (usb:0 is the first), replay:FOLDER"


def camera_kind(name: str) -> str:
    """The first word of a camera's name.

    Returns:
        `simulated`, `pi`, `usb` or `replay`.

    Raises:
        BadInput: The name means no camera; one line that lists those that there are.
    """
    if name in ("simulated", "pi"):
        return name
    if re.fullmatch(r"usb:[0-9]{1,2}", name):
        return "usb"
    if name.startswith("replay:") and name != "replay:":
        return "replay"
    raise BadInput(f"no camera is called {name!r}: choose one of {KINDS}")


def usb_index(name: str) -> int:
    """The N of `usb:N`.

    Raises:
        BadInput: It is no such name.
    """
    if camera_kind(name) != "usb":
        raise BadInput(f"{name!r} is no USB camera: write usb:0 for the first")
    return int(name.removeprefix("usb:"))


def replay_folder(name: str) -> Path:
    """The FOLDER of `replay:FOLDER`.

    Raises:
        BadInput: It is no such name.
    """
    if camera_kind(name) != "replay":
        raise BadInput(f"{name!r} is no recording: write replay:FOLDER")
    return Path(name.removeprefix("replay:"))


def real_makers(
    usb: UsbCameraParams | None = None,
    pi: PiCameraParams | None = None,
    pi_memory: Path | None = None,
    *,
    keep: bool = True,
) -> dict[str, Callable[[str], FrameSource]]:
    """What makes the cameras that see the world, for `make_camera`.

    Args:
        usb: Settings of a USB camera.
        pi: Settings of the Pi's own camera.
        pi_memory: Where that camera keeps what it measured; None: it measures nothing and takes the settings as they
            are.
        keep: What it measures is kept there. False: a look that changes nothing.
    """

    def make_pi(_: str) -> FrameSource:
        params = pi or PiCameraParams()
        if pi_memory is None or not params.measure:
            return PiCamera(params)
        return MeasuringPiCamera(params, pi_memory, keep=keep)

    return {"usb": lambda name: UsbCamera(usb_index(name), usb), "pi": make_pi}


def make_camera(name: str, makers: Mapping[str, Callable[[str], FrameSource]]) -> FrameSource:
    """The camera of a name, not opened yet.

    Args:
        name: As on the command line.
        makers: For each kind that the program offers, what makes one from the whole name: `real_makers` and, since
            simulation and replay need settings of their own, the caller's.

    Raises:
        BadInput: The name means no camera, or a kind that is not offered here.
    """
    maker = makers.get(camera_kind(name))
    if maker is None:
        raise BadInput(f"camera {name!r} cannot be used here: choose one of {', '.join(sorted(makers))}")
    return maker(name)
