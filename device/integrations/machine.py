"""Distinguish this machine and data folder from a copy of its card."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path


def machine_word(folder: Path, root: Path = Path("/")) -> str:
    """Return a hash that differs for a copy of the data folder in another place or on another machine."""
    words = next((found for found in _ids(root) if found), "")
    return sha256(f"{words}\n{folder.resolve()}".encode()).hexdigest()[:16]


def _ids(root: Path) -> Iterator[str]:
    """Yield the hardware's ids, best first; a machine id is copied with the card."""
    yield _read(root / "sys/firmware/devicetree/base/serial-number")
    yield " ".join(_read(one / "address") for one in sorted((root / "sys/class/net").glob("*")) if _is_built_in(one))
    yield _read(root / "etc/machine-id")


def _is_built_in(network: Path) -> bool:
    """Return whether a network card has a permanent address: a radio may take another each time."""
    is_radio = (network / "wireless").exists() or (network / "phy80211").exists()
    device = network / "device"
    is_wired = device.exists() and "usb" not in str(device.resolve())
    return is_wired and not is_radio and _read(network / "addr_assign_type") == "0"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip("\0\n ")
    except OSError:
        return ""
