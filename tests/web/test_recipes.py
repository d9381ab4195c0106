"""The script for /api/events in device/RECIPES.md receives every roll once."""

import re
import subprocess
import sys
from pathlib import Path

from tests.web.conftest import FakeTray, scene

RECIPES = Path(__file__).resolve().parents[2] / "device" / "RECIPES.md"


def test_the_script_prints_each_result_once(tray: FakeTray, served: str) -> None:
    scripts = re.findall(r"```python\n(.*?)```", RECIPES.read_text(encoding="utf-8"), re.DOTALL)
    (script,) = (one for one in scripts if "http://127.0.0.1:8000/api/events" in one)
    tray.show(scene("scored"))
    script = script.replace("http://127.0.0.1:8000", served)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            first = running.stdout.readline()
            tray.show(scene("scored"))
            tray.show(scene("awaiting_push"))
            tray.show(scene("resolved"))
            second = running.stdout.readline()
        finally:
            running.kill()
    assert first.split()[1] == "scored"
    assert second.split()[1] == "resolved"
