"""A simulated tray with eight dice at rest, and a Chromium for it, used by benchmarks of pages."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from device.app import TrayApp
from device.config.settings import Settings, with_overrides

NO_CHROMIUM = "no Chromium on the PATH: apt install chromium\n"
FLAGS = ("--no-sandbox", "--disable-gpu")


def find_chromium(*names: str) -> str | None:
    """Return the first of these programs on the PATH; None without any."""
    return next((path for name in names if (path := shutil.which(name)) is not None), None)


@contextmanager
def tray_at_rest() -> Iterator[str]:
    """Yield the address of a tray in which a throw that may be pushed has come to rest."""
    with tempfile.TemporaryDirectory() as folder:
        app = TrayApp(with_overrides(Settings(), camera="simulated", data=Path(folder), port=0))
        app.start()
        try:
            httpx.post(f"{app.url}api/throw", json={"base": 5, "skill": 2, "gear": 1, "seed": 7}, timeout=20)
            while httpx.get(f"{app.url}api/state", timeout=20).json()["state"] != "scored":
                time.sleep(0.2)
            yield app.url
        finally:
            app.stop()
