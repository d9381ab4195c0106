"""Prints how long the table display takes until it can be used: `first_look.py [--loads 9]`.

A Chromium (headless) opens the display of the simulated tray with eight dice at rest at 1280x800. Usable means that
dice and result are shown and that Push may be pressed. The time runs from the navigation's start, by the page's own
clock. Cold: a browser that has never seen the tray. Warm: the same page opened again.
"""

import argparse
import platform
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx
from playwright.sync_api import Page, sync_playwright

from device.app import TrayApp
from device.config.settings import Settings, with_overrides

USABLE = """() => document.body?.dataset.state === "scored" && document.querySelectorAll(".chip").length === 8
  && document.querySelector("[data-testid=push-button]").disabled === false && performance.now()"""


def main() -> int:
    """Open the display, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=9)
    loads = parser.parse_args().loads
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("no Chromium on the PATH: apt install chromium\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = TrayApp(with_overrides(Settings(), camera="simulated", data=Path(folder), port=0))
        app.start()
        try:
            # This seed's throw may be pushed.
            httpx.post(f"{app.url}api/throw", json={"base": 5, "skill": 2, "gear": 1, "seed": 7}, timeout=20)
            while httpx.get(f"{app.url}api/state", timeout=20).json()["state"] != "scored":
                time.sleep(0.2)
            cold: list[float] = []
            warm: list[float] = []
            for _ in range(loads):
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                cold.append(usable_ms(page, app.url))
                warm.append(usable_ms(page, app.url))
                browser.close()
        finally:
            app.stop()
    for name, times in (("cold", cold), ("warm", warm)):
        print(
            f"{name}: usable after {statistics.median(times):.0f} ms, {min(times):.0f} to {max(times):.0f} of {loads}"
        )
    print(f"machine: {platform.machine()}, {platform.system()}")
    return 0


def usable_ms(page: Page, url: str) -> float:
    """Milliseconds from the navigation's start until the display can be used."""
    page.goto(url, wait_until="commit")
    return float(page.wait_for_function(USABLE, polling="raf").json_value())


if __name__ == "__main__":
    sys.exit(main())
