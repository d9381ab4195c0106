"""A night in a few minutes: rolls with pushes, phones and faults on one tray, and its memory and writes at the end.

The clock of the rows advances between rolls, so that 2,000 rolls take an evening and its night. Only the dice are
simulated: memory is that of the tray with its web.
"""

import gc
import os
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from device.runtime.spare_memory import give_back
from tests.proof.world import a_table, camera_gone, ring_faults, strange_frames


def resident_mb() -> float:
    """Return the memory of this process, MB of 10^6 bytes, without files that are only mapped."""
    fields = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(fields["RssAnon"].split()[0]) * 1024 / 1e6


def written_bytes() -> int:
    """Return the bytes that this process has written to files."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["write_bytes"])


def holds() -> dict[str, float]:
    """Return the resources of a tray at rest."""
    gc.collect()
    give_back()
    return {
        "memory, MB": round(resident_mb(), 1),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
    }


def _at(moment: datetime) -> datetime:
    return moment


def night(folder: Path, rolls: int, early: int = 100) -> dict[str, Any]:
    """Play so many rolls.

    Args:
        folder: Data folder of the tray.
        rolls: Number of rolls, each with a push.
        early: Number of rolls before the first measurement.

    Returns:
        The tray's resources after the first and the last rolls, and the bytes written per roll.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with a_table(folder, tells=False) as table, httpx.Client(verify=False, base_url=table.app.url, timeout=30) as phone:
        history, begun = table.app.log.archive._history, datetime(2026, 1, 30, 19, tzinfo=UTC)
        found: dict[str, Any] = {}
        begin = 0
        for number in range(1, rolls + 1):
            history._clock = partial(_at, begun + timedelta(seconds=15 * number))
            table.score()
            phone.get("api/state"), phone.get("api/rolls")
            if number % 20 == 0:
                for path in ("api/evenings", "api/statistics", "api/story", "api/rolls.csv", "history"):
                    assert phone.get(path).status_code == 200
            if number % 200 == 50:
                camera_gone(table, 3)
                strange_frames(table, 1)
                ring_faults(table, 1)
            if number == early:
                found["early"], begin = holds(), written_bytes()
        found["late"] = holds()
        found["bytes written a roll"] = round((written_bytes() - begin) / max(1, rolls - early))
        found["count"] = Counter({"rolls": rolls, **table.count})
        found["log, bytes a roll"] = round(history.path.stat().st_size / rolls)
        return found
