"""Memory and processor time of a tray at rest with its display open: `pushtray bench --idle`.

The tray is a process of its own and its figures are the kernel's, so that a busy machine changes them little.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.error import HTTPError

import numpy as np

from device.errors import BadInput
from vision.evaluation.bench import drawn_scene
from vision.rendering.synthetic import draw

REST_S, STEP_S = 75.0, 5.0
"""Seconds without a change before the measurement, and between two looks for one: after a minute a tray returns the
memory of its first reading (`SpareMemory`).
"""
MEASURE_S = 20.0
_POLL_S = 1.0
"""Pause of a display between two requests for its picture (`device/web/ui/components/picture.js`)."""
_PICTURES, _NOISE = 3, 1.5
"""Pictures in turn, and their noise in grey levels."""
_UNCHANGED, _NONE_YET = 304, 404


@dataclass(frozen=True, slots=True)
class TrayAtRest:
    camera: str
    proportional_mb: float  # resident memory, in which a page shared by N processes counts 1/N
    resident_mb: float
    core_percent: float


def trays_at_rest(wait: Callable[[float], object] = time.sleep) -> tuple[TrayAtRest, ...]:
    """Measure a tray with pictures from memory, 1280x960 and 30 a second, then one with simulated dice."""
    return tuple(_measured(camera, wait) for camera in ("recorded", "simulated"))


def idle_text(trays: Sequence[TrayAtRest]) -> str:
    """Return the figures as a table."""
    rows = [f"{'camera':<12}{'proportional MB':>17}{'resident MB':>13}{'% of a core':>13}"]
    rows += [
        f"{one.camera:<12}{one.proportional_mb:>17.0f}{one.resident_mb:>13.0f}{one.core_percent:>13.1f}"
        for one in trays
    ]
    return "\n".join(rows)


def _measured(camera: str, wait: Callable[[float], object]) -> TrayAtRest:
    with tempfile.TemporaryDirectory() as folder, _tray(Path(folder), camera) as (pid, url), _display(url):
        _rest(url, wait)
        began_s, spent_s = time.monotonic(), _spent_s(pid)
        wait(MEASURE_S)
        share = (_spent_s(pid) - spent_s) / (time.monotonic() - began_s)
        pages = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        held = {words[0]: int(words[1]) * 1024 / 1e6 for words in map(str.split, pages.splitlines()[1:])}
        return TrayAtRest(camera, round(held["Pss:"], 1), round(held["Rss:"], 1), round(100 * share, 1))


def _rest(url: str, wait: Callable[[float], object]) -> None:
    version, rests_s = None, 0.0
    while rests_s < REST_S:
        with urllib.request.urlopen(f"{url}api/state", timeout=30) as answer:  # noqa: S310 - http only
            now = json.load(answer)["version"]
        rests_s = rests_s + STEP_S if now == version else 0.0
        version = now
        wait(STEP_S)


def _spent_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _tray(folder: Path, camera: str) -> Iterator[tuple[int, str]]:
    words = ["-m", "device", "run", "--camera", camera, "--port", "0", "--data", str(folder)]
    if camera == "recorded":
        still = draw(replace(drawn_scene(0), dice=())).astype(np.float32)
        noise = np.random.default_rng(0).normal(0, _NOISE, (_PICTURES, *still.shape)).astype(np.float32)
        np.save(folder / "pictures.npy", np.clip(still + noise, 0, 255).astype(np.uint8))
        words = ["-m", "device.cli.still_tray", str(folder / "pictures.npy")]
    environment = os.environ | {"XDG_CONFIG_HOME": str(folder)}
    tray = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True, env=environment)  # noqa: S603 - this program
    with tray:
        try:
            first = "" if tray.stderr is None else tray.stderr.readline()
            if " is at " not in first:
                raise BadInput(f"no tray to measure: {first.strip()}")
            yield tray.pid, first.split(" is at ")[1].split()[0]
        finally:
            tray.terminate()


@contextmanager
def _display(url: str) -> Iterator[None]:
    """Keep an event stream open and ask for the picture, as a display does."""
    closed = threading.Event()

    def ask() -> None:
        tag = ""
        while not closed.wait(_POLL_S):
            request = urllib.request.Request(f"{url}api/picture?width=1280", headers={"If-None-Match": tag})  # noqa: S310 - http only
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - http only
                    tag = answer.headers["ETag"]
            except HTTPError as error:
                if error.code not in (_UNCHANGED, _NONE_YET):
                    raise

    # What it sends in two minutes fits into the socket's buffer.
    with urllib.request.urlopen(f"{url}api/events", timeout=30):  # noqa: S310 - http only
        asking = threading.Thread(target=ask)
        asking.start()
        try:
            yield
        finally:
            closed.set()
            asking.join()
