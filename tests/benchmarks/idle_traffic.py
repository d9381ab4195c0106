"""Prints what one screen downloads from the simulated tray while nothing happens: `idle_traffic.py [--seconds 10]`.

A Chromium (headless) opens the table display over a tray with eight dice at rest, as a telephone and as a large screen,
and counts the bytes that come over the wire, heads included.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import sync_playwright

from device.app import TrayApp
from device.config.settings import Settings, with_overrides

SCREENS = {"large screen": (1600, 900, 1.0), "telephone": (390, 844, 3.0)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    seconds = parser.parse_args().seconds
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.stderr.write("no Chromium on the PATH: apt install chromium\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = TrayApp(with_overrides(Settings(), camera="simulated", data=Path(folder), port=0))
        app.start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        try:
            httpx.post(f"{app.url}api/throw", json={"base": 5, "skill": 2, "gear": 1, "seed": 7}, timeout=20)
            while httpx.get(f"{app.url}api/state", timeout=20).json()["state"] != "scored":
                time.sleep(0.2)
            for name, (width, height, pixels) in SCREENS.items():
                first, idle, asked = downloaded(browser, app.url, (width, height, pixels), seconds)
                reported = (
                    f"{first / 1e3:.0f} kB to load, then {idle / 1e3 / seconds:.2f} kB/s in {asked / seconds:.1f}"
                )
                print(f"{name}: {reported} answers a second")
        finally:
            browser.close()
            app.stop()
    return 0


def downloaded(browser: Any, url: str, screen: tuple[int, int, float], seconds: float) -> tuple[int, int, int]:
    """Bytes to load the page, bytes of the seconds after it came to rest, and how many answers they came in."""
    width, height, pixels = screen
    page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=pixels)
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    # By request: what came of its body so far, and in the end the whole with its head. The event stream has no end.
    came: dict[str, int] = {}

    def add(message: dict[str, Any]) -> None:
        came[message["requestId"]] = came.get(message["requestId"], 0) + message["encodedDataLength"]

    wire.on("Network.dataReceived", add)
    wire.on(
        "Network.loadingFinished", lambda message: came.update({message["requestId"]: message["encodedDataLength"]})
    )
    page.goto(url)
    page.locator("#picture[data-etag]").wait_for()
    page.wait_for_timeout(4000)
    first, answers = sum(came.values()), len(came)
    page.wait_for_timeout(seconds * 1000)
    page.close()
    return first, sum(came.values()) - first, len(came) - answers


if __name__ == "__main__":
    sys.exit(main())
