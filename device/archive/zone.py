"""The name of the tray's time zone, which every page uses, wherever its browser is."""

import os
import time
from pathlib import Path
from zoneinfo import ZoneInfo


def tray_zone(root: Path = Path("/")) -> str:
    """Return the machine's time zone, as in `Europe/Berlin`, or its offset from UTC if it has no name."""
    linked = str((root / "etc/localtime").resolve()).partition("zoneinfo/")[2]
    for name in (os.environ["TZ"].removeprefix(":"),) if os.environ.get("TZ") else (linked, _written(root)):
        if _is_zone(name):
            return name
    hours = round(-time.timezone / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def _written(root: Path) -> str:
    try:
        return (root / "etc/timezone").read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return bool(name)
