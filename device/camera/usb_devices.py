"""Why a USB camera does not open, as Linux shows it: not there, not a camera, not allowed, or in another's hands."""

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path


def why_not(index: int, root: Path = Path("/")) -> str:
    """What is the matter with a video device that does not open, and its cure.

    Args:
        index: The N of `usb:N`.
        root: Where `dev`, `sys` and `proc` are.

    Returns:
        One line, `what: cure`.
    """
    if not sys.platform.startswith("linux"):
        return "no more is known on this system: plug it in, close other programs that use it, or try another number"
    device = root / f"dev/video{index}"
    cameras = _cameras(root)
    others = " or ".join(f"usb:{one}" for one in cameras if one != index)
    choose = f"choose --camera {others}" if others else "plug the camera in"
    if not device.exists():
        return f"there is no /dev/video{index}: {choose}"
    if cameras and index not in cameras:
        return f"/dev/video{index} is a camera's second device, without pictures: {choose}"
    try:
        os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            return f"this user may not use /dev/video{index}: sudo usermod -aG video $USER, then log in again"
        if error.errno != errno.EBUSY:
            return f"/dev/video{index} does not answer ({error.strerror}): unplug it and plug it in again"
    holders = sorted(_holders(device, root))
    if holders:
        return f"it is in use by {' and '.join(holders)}: stop that program"
    return f"/dev/video{index} gives no pictures: stop other programs that may have it, unplug it and plug it in again"


def _cameras(root: Path) -> list[int]:
    """The video devices that give pictures: the first of each camera; those after it carry its metadata."""
    found = []
    for folder in (root / "sys/class/video4linux").glob("video*"):
        try:
            if int((folder / "index").read_text()) == 0:
                found.append(int(folder.name.removeprefix("video")))
        except (OSError, ValueError):
            continue
    return sorted(found)


def _holders(device: Path, root: Path) -> Iterator[str]:
    """Other programs that have the device open, as far as this user may see."""
    for folder in (root / "proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        try:
            if any(os.path.realpath(one) == str(device) for one in (folder / "fd").iterdir()):
                yield f"{(folder / 'comm').read_text().strip()} (process {folder.name})"
        except OSError:
            continue  # it has ended, or belongs to somebody else
