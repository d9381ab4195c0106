"""No missing or odd part of the box keeps the tray from starting: its pages answer and name the fault with its cure.

A screen and sound are the browsers'; the tray has no part of them. Refused on purpose, with a line and exit status 2:
wrong settings, a second tray on the same data folder, a drive without file locks (`tests/device/storage`).
"""

import json
import os
import runpy
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.narrowing import there

PATIENCE_S = 60.0
NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
CAN_MOUNT = shutil.which("unshare") is not None and not subprocess.run([*NAMESPACE, "true"], check=False).returncode
ask_version = runpy.run_path(str(Path(__file__).resolve().parents[2] / "systemd/kiosk.py"))["ask_version"]
FAKE_LGPIO = Path(__file__).parent / "panel/fake_lgpio"

RUN = "import runpy, sys; sys.argv[0] = 'pushtray'; runpy.run_module('device', run_name='__main__')"
"""The command as its users start it, after a line that takes a part away."""
NO_CHIP = f"import sys; sys.path.insert(0, {str(FAKE_LGPIO)!r}); from pathlib import Path"
NO_CHIP += "; import device.panel.pins as p; p.DEVICES = Path(sys.argv[-1]) / 'dev'"
NO_LIBRARY = "import sys; sys.modules['lgpio'] = None"
NO_PICAMERA = "import sys; sys.modules['picamera2'] = None"
NEVER_SET = "from datetime import UTC, datetime; import device.storage.log_rows as r"
NEVER_SET += "; r.now_utc = lambda: datetime(1970, 1, 1, 0, 1, tzinfo=UTC)"
SIMULATED = '[tray]\ncamera = "simulated"\n'


@dataclass(frozen=True, slots=True)
class Lack:
    part: str
    cure: str
    settings: str = SIMULATED
    harm: str = ""
    mount: str = ""
    """A line for a shell with mounts of its own, `$D` the data folder."""


LACKS = {
    "no USB camera": Lack("camera", "plug", '[tray]\ncamera = "usb:63"\n'),
    "no library of the Pi's camera": Lack(
        "camera", "python3-picamera2", '[tray]\ncamera = "pi"\n[panel]\npins = "none"\n', NO_PICAMERA
    ),
    "no GPIO chip": Lack("panel", "panel.pins to none", f'{SIMULATED}[panel]\npins = "gpio"\n', NO_CHIP),
    "no pin library": Lack("panel", "python3-lgpio", f'{SIMULATED}[panel]\npins = "gpio"\n', NO_LIBRARY),
    "no ring": Lack(
        "ring", "plug", f'{SIMULATED}[ring]\nkind = "wled"\n[ring.port]\nport = "/dev/pushtray-none"\nretry_s = 0.1\n'
    ),
    "network not up": Lack("network", "0.0.0.0", f'{SIMULATED}[web]\nhost = "203.0.113.7"\n'),
    "clock never set": Lack("clock", "timedatectl", harm=NEVER_SET),
    "calibration damaged": Lack("calibration", "calibrate again", mount="echo '{' > $D/profile-simulated.json"),
    "card read-only": Lack("history", "make its drive writable", mount="mount -t tmpfs -o ro tmpfs $D"),
    "card read-only, with rolls": Lack(
        "history", "make its drive writable", mount="mount --bind $D $D && mount -o remount,ro,bind $D"
    ),
    "card full": Lack("history", "make room", mount="mount -t tmpfs -o size=16k tmpfs $D; cat /dev/zero > $D/old"),
}


class Tray:
    """`pushtray run` in a process of its own."""

    def __init__(self, folder: Path, lack: Lack) -> None:
        (folder / "settings.toml").write_text(lack.settings)
        self.data = folder / "data"
        self.data.mkdir(exist_ok=True)
        words = [*("run", "--settings", str(folder / "settings.toml"), "--port", "0", "--data", str(self.data))]
        command = [sys.executable, "-c", f"{lack.harm}\n{RUN}", *words]
        if lack.mount:
            command = [*NAMESPACE, "sh", "-c", f'D={self.data}; {lack.mount} 2> /dev/null; exec "$@"', "sh", *command]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "FAKE_GPIO": str(folder), "LG_WD": str(folder)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.url = self.next_url()

    def next_url(self) -> str:
        lines = []
        for line in there(self.process.stderr):
            lines.append(line)
            if "PushTray is at " in line:
                return line.split("PushTray is at ")[1].split()[0].rstrip(",")
        raise AssertionError("".join(lines))

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=15) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def fault(self, part: str) -> str:
        """Wait until the tray names a part's fault on its pages; return its text."""
        with urllib.request.urlopen(f"{self.url}api/events", timeout=PATIENCE_S) as stream:
            late = threading.Timer(PATIENCE_S, stream.close)
            late.start()
            try:
                for line in stream:
                    state: Any = json.loads(line[6:]) if line.startswith(b"data: ") else {}
                    for fault in [state.get("fault"), *state.get("faults", [])]:
                        if fault is not None and fault["part"] == part:
                            return str(fault["text"])
            finally:
                late.cancel()
        raise AssertionError("the stream ended without it")


@contextmanager
def running(folder: Path, lack: Lack) -> Iterator[Tray]:
    tray = Tray(folder, lack)
    try:
        yield tray
    finally:
        tray.process.terminate()
        assert tray.process.wait(PATIENCE_S) == 0
        there(tray.process.stderr).close()


@pytest.mark.parametrize("lack", [pytest.param(lack, id=name) for name, lack in LACKS.items()])
def test_a_tray_that_lacks_a_part_starts_and_names_it(tmp_path: Path, lack: Lack) -> None:
    if lack.mount and not CAN_MOUNT:
        pytest.skip("mounts need unshare and the right to use it: run this there")
    if "--bind" in lack.mount:
        with running(tmp_path, Lack("", "")) as tray:
            assert tray.get("")[0] == 200
    with running(tmp_path, lack) as tray:
        status, page = tray.get("")
        named = page if status == 503 else tray.fault(lack.part)
        assert lack.cure in named
        assert lack.cure in json.loads(tray.get("api/health")[1])["faults"][lack.part]
        assert tray.get("api/state")[0] == status
        assert ask_version(tray.url) is not None, "the kiosk opens the page"


@pytest.mark.skipif(not CAN_MOUNT, reason="mounts need unshare and the right to use it: run this there")
def test_a_drive_that_works_again_is_taken_up(tmp_path: Path) -> None:
    lack = Lack("history", "", mount="mount -t tmpfs -o size=8m tmpfs $D; cat /dev/zero > $D/old")
    with running(tmp_path, lack) as tray:
        assert tray.get("api/state")[0] == 503
        Path(f"/proc/{tray.process.pid}/root{tray.data}/old").unlink()
        tray.url = tray.next_url()
        assert json.loads(tray.get("api/state")[1])["state"] == "empty"
