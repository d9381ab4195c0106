"""Every state of a roll, a picture per size of screen: `contact_sheets.py FOLDER [SYSTEM DICE LANGUAGE]`."""

import shutil
import sys
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from device.web.app import WebServer
from device.web.core.server import bind_socket
from tests.web.conftest import FakeTray
from tests.web.real_states import bodies_of

SIZES = [(800, 480), (1280, 800), (390, 844), (360, 640)]
WIDE_PX = 3200
"""Largest width of a sheet, in pixels."""
WAIT_MS = 700


def main(folder: Path, system: str = "push-pool", dice: str = "8", language: str = "en") -> None:
    """Write the sheets."""
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
    bodies = bodies_of(system, int(dice))
    tray = FakeTray()
    with WebServer(tray, bind_socket("127.0.0.1", 0)) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for width, height in SIZES:
            tray.show(bodies["empty"])
            page = chromium.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
            page.goto(f"{server.url}?lang={language}")
            shots = []
            for name, body in bodies.items():
                tray.show(body)
                page.wait_for_timeout(WAIT_MS)
                shot = np.asarray(cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR))
                titled = cv2.copyMakeBorder(shot, 26, 6, 3, 3, cv2.BORDER_CONSTANT, value=(255, 255, 255))
                cv2.putText(titled, name, (6, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 1, cv2.LINE_AA)
                shots.append(titled)
            page.close()
            columns = WIDE_PX // shots[0].shape[1]
            shots += [np.full_like(shots[0], 255)] * (-len(shots) % columns)
            rows = [np.hstack(shots[at : at + columns]) for at in range(0, len(shots), columns)]
            cv2.imwrite(str(folder / f"{width}x{height}-{system}-{dice}-{language}.png"), np.vstack(rows))
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
