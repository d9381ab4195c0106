"""The tray's time zone by its name: every page shows that one, wherever its browser is."""

import os
import time
from pathlib import Path
from zoneinfo import ZoneInfo


def tray_zone(root: Path = Path("/")) -> str:
    """Return the machine's zone, as in `Europe/Berlin`; one without a name by its distance from UTC."""
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
