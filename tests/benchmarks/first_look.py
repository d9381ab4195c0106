"""Prints how long the table display takes until it can be used: `first_look.py [--loads 9]`.

A Chromium (headless) opens the display of the simulated tray with eight dice at rest at 1280x800. Usable means that
dice and result are shown and that Push may be pressed. The time runs from the navigation's start, by the page's own
clock. Cold: a browser that has never opened the tray. Warm: the same page opened again.
"""

import argparse
import platform
import statistics
import sys

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.pages_at_rest import FLAGS, NO_CHROMIUM, find_chromium, tray_at_rest

USABLE = """() => document.body?.dataset.state === "scored" && document.querySelectorAll(".chip").length === 8
  && document.querySelector("[data-testid=push-button]").disabled === false && performance.now()"""


def main() -> int:
    """Open the display, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=9)
    loads = parser.parse_args().loads
    chromium = find_chromium("chromium-headless-shell", "chromium")
    if chromium is None:
        sys.stderr.write(NO_CHROMIUM)
        return 2
    cold: list[float] = []
    warm: list[float] = []
    with tray_at_rest() as url, sync_playwright() as playwright:
        for _ in range(loads):
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            cold.append(usable_ms(page, url))
            warm.append(usable_ms(page, url))
            browser.close()
    for name, times in (("cold", cold), ("warm", warm)):
        print(
            f"{name}: usable after {statistics.median(times):.0f} ms, {min(times):.0f} to {max(times):.0f} of {loads}"
        )
    print(f"machine: {platform.machine()}, {platform.system()}")
    return 0


def usable_ms(page: Page, url: str) -> float:
    """Return the milliseconds from the navigation's start until the display can be used."""
    page.goto(url, wait_until="commit")
    return float(page.wait_for_function(USABLE, polling="raf").json_value())


if __name__ == "__main__":
    sys.exit(main())
