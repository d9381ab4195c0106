"""Prints what one screen downloads from the simulated tray while nothing happens: `idle_traffic.py [--seconds 10]`.

A Chromium (headless) opens the table display over a tray with eight dice at rest, as a phone and as a large screen, and
counts the bytes on the wire, headers included.
"""

import argparse
import sys
from typing import Any

from playwright.sync_api import sync_playwright

from tests.benchmarks.pages_at_rest import FLAGS, NO_CHROMIUM, find_chromium, tray_at_rest

SCREENS = {"large screen": (1600, 900, 1.0), "telephone": (390, 844, 3.0)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    seconds = parser.parse_args().seconds
    chromium = find_chromium("chromium", "google-chrome")
    if chromium is None:
        sys.stderr.write(NO_CHROMIUM)
        return 2
    with tray_at_rest() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, (width, height, pixels) in SCREENS.items():
            (first, files), (idle, answered) = downloaded(browser, url, (width, height, pixels), seconds)
            rest = f"then {idle / 1e3 / seconds:.2f} kB/s in {answered / seconds:.1f} answers a second"
            print(f"{name}: {first / 1e3:.0f} kB in {files} answers to load, {rest}")
        browser.close()
    return 0


def downloaded(
    browser: Any, url: str, screen: tuple[int, int, float], seconds: float
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the bytes and responses to load the page, and those of the seconds after it came to rest."""
    width, height, pixels = screen
    page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=pixels)
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    # Body bytes so far by request, and at the end the total with headers. The event stream has no end.
    came: dict[str, int] = {}

    def add(message: dict[str, Any]) -> None:
        came[message["requestId"]] = came.get(message["requestId"], 0) + message["encodedDataLength"]

    wire.on("Network.dataReceived", add)
    wire.on(
        "Network.loadingFinished", lambda message: came.update({message["requestId"]: message["encodedDataLength"]})
    )
    page.goto(url)
    page.locator("#picture[data-etag]").wait_for()
    page.wait_for_timeout(1000)
    first, answers = sum(came.values()), len(came)
    page.wait_for_timeout(3000)
    still, before = sum(came.values()), len(came)
    page.wait_for_timeout(seconds * 1000)
    page.close()
    return (first, answers), (sum(came.values()) - still, len(came) - before)


if __name__ == "__main__":
    sys.exit(main())
