"""USB cameras on Linux: list them, recognise one, and explain why one does not open."""

import errno
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    model: str
    socket: str  # socket it is plugged into, with its interface, as `1-1.2:1.0`
    has_twin: bool = False


def usb_cameras(root: Path = Path("/")) -> dict[int, UsbIdentity]:
    """Return the video devices of USB cameras that give pictures, by number.

    A camera's other devices carry metadata; codecs and other parts of a Pi are video devices without USB.
    """
    found = {}
    for folder in (root / "sys/class/video4linux").glob("video*"):
        interface = (folder / "device").resolve()
        usb = interface.parent
        try:
            if int((folder / "index").read_text()) != 0:
                continue
            vendor, product = ((usb / name).read_text().strip() for name in ("idVendor", "idProduct"))
            serial = (usb / "serial").read_text().strip() if (usb / "serial").exists() else ""
            part = interface.name.rpartition(":")[2]
            found[int(folder.name.removeprefix("video"))] = UsbIdentity(
                f"{vendor}:{product}:{serial}:{part}", interface.name
            )
        except (OSError, ValueError):
            continue
    models = Counter(one.model for one in found.values())
    return {number: replace(one, has_twin=models[one.model] > 1) for number, one in sorted(found.items())}


def number_of(known: UsbIdentity, root: Path = Path("/")) -> int | None:
    """Return a camera's current number; None if it is unplugged or cannot be told from others of its model."""
    found = usb_cameras(root)
    same = [number for number, one in found.items() if one.model == known.model]
    here = [number for number in same if found[number].socket == known.socket]
    return here[0] if here else same[0] if len(same) == 1 and not known.has_twin else None


def first_usb(root: Path = Path("/")) -> str:
    """Return the name of the first USB camera; `usb:0` if there is none."""
    return f"usb:{min(usb_cameras(root), default=0)}"


def why_not(index: int, root: Path = Path("/")) -> str:
    """Return why a video device does not open, and the cure."""
    if not sys.platform.startswith("linux"):
        return "reason unknown on this system: plug it in, close other programs that use it, or try another number"
    device = root / f"dev/video{index}"
    cameras = usb_cameras(root)
    others = " or ".join(f"usb:{one}" for one in cameras if one != index)
    choose = f"choose --camera {others}" if others else "plug the camera in"
    if not device.exists():
        return f"there is no /dev/video{index}: {choose}"
    if index not in cameras and (root / f"sys/class/video4linux/video{index}").exists():
        return f"/dev/video{index} is {_what_else(index, root)}: {choose}"
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


def _what_else(index: int, root: Path) -> str:
    folder = root / f"sys/class/video4linux/video{index}"
    if ((folder / "device").resolve().parent / "idVendor").exists():
        return "a camera's second device, without pictures"
    try:
        return f"no USB camera ({(folder / 'name').read_text().strip()})"
    except OSError:
        return "no USB camera"


def _holders(device: Path, root: Path) -> Iterator[str]:
    for folder in (root / "proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        try:
            if any(os.path.realpath(one) == str(device) for one in (folder / "fd").iterdir()):
                yield f"{(folder / 'comm').read_text().strip()} (process {folder.name})"
        except OSError:
            continue  # it has ended or belongs to another user
