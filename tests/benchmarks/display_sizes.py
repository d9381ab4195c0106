"""The size of result, meaning, next step and problem at two metres, in every state: `display_sizes.py`.

The heights are those of capitals, in arc minutes (see tests/web/distance.py). `tests/web/test_display_in_browser.py`
requires 12 or more of each.
"""

import shutil
import sys

from playwright.sync_api import sync_playwright

from device.web.app import WebServer
from device.web.core.server import bind_socket
from tests.web.conftest import FakeTray, scenes
from tests.web.distance import PANEL, WALL, Screen, arc_minutes
from tests.web.resting import shows

WHAT = ("result", "meaning", "next", "problem")


def table_of(screen: Screen, browser: str) -> list[str]:
    """Return a line for each state, as a table of Markdown."""
    tray = FakeTray()
    lines = [
        f"| {screen.name}, {screen.width_px}x{screen.height_px} | {' | '.join(WHAT)} |",
        f"|---|{'---|' * len(WHAT)}",
    ]
    with WebServer(tray, bind_socket("127.0.0.1", 0)) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": screen.width_px, "height": screen.height_px})
        page.goto(server.url)
        for name, body in scenes().items():
            tray.show(body)
            shows(page, body["state"])
            page.locator(".problem").nth(len(body["problems"])).wait_for(state="detached")
            sizes = arc_minutes(page, screen)
            reported = [f"{sizes[what]:.1f}" if what in sizes else "" for what in WHAT]
            lines.append(f"| {name} | {' | '.join(reported)} |")
        chromium.close()
    return lines


def main() -> int:
    """Print the tables."""
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    if browser is None:
        print("no Chromium on the PATH: apt install chromium", file=sys.stderr)
        return 2
    for screen in (PANEL, WALL):
        print("\n".join(table_of(screen, browser)), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
