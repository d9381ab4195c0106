"""The plug is pulled in the middle of a push: the tray comes back with the roll, once, and the push still waiting."""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 40.0


class RunningTray:
    """A tray in a process of its own, asked over its web."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "device", "run", "--camera", "simulated", "--port", "0", "--data", str(folder)]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        first = self.process.stderr.readline()
        assert "PushTray is at " in first, first
        self.url = first.split("PushTray is at ")[1].split()[0]

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}api/{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=15) as answer:
            return json.load(answer)

    def wait_for(self, is_so: Callable[[Any], bool]) -> Any:
        """Follow the event stream until a state fits."""
        with urllib.request.urlopen(f"{self.url}api/events", timeout=PATIENCE_S) as stream:
            late = threading.Timer(PATIENCE_S, stream.close)
            late.start()
            try:
                for line in stream:
                    if line.startswith(b"data: ") and is_so(state := json.loads(line[6:])):
                        return state
            finally:
                late.cancel()
        raise AssertionError("the stream ended before the state came")


@contextmanager
def running(folder: Path) -> Iterator[RunningTray]:
    tray = RunningTray(folder)
    try:
        yield tray
    finally:
        tray.process.kill()
        tray.process.wait()
        assert tray.process.stderr is not None
        tray.process.stderr.close()


@pytest.mark.timeout(180)
def test_a_killed_tray_comes_back_with_every_roll_once_and_the_push_waiting(tmp_path: Path) -> None:
    with running(tmp_path) as tray:
        tray.ask("throw", {"base": 3, "skill": 1, "seed": 7})
        tray.wait_for(lambda state: state["state"] == "scored")
        pushed = tray.ask("push", {})
        assert pushed["state"] == "awaiting_push"
        tray.process.kill()
        tray.process.wait()
    with running(tmp_path) as again:
        back = again.ask("state")
        for key in ("state", "outcome", "push", "roll"):
            assert back[key] == pushed[key]
        assert [(die["id"], die["value"], die["must_reroll"]) for die in back["dice"]] == [
            (die["id"], die["value"], die["must_reroll"]) for die in pushed["dice"]
        ]
        assert [(row["kind"], row["roll"]) for row in again.ask("rolls")["rolls"]] == [("scored", 1)]
        again.ask("throw", {"seed": 8})
        resolved = again.wait_for(lambda state: state["state"] == "resolved")
        assert {die["id"] for die in resolved["dice"]} == {die["id"] for die in pushed["dice"]}
        assert [(row["kind"], row["roll"]) for row in again.ask("rolls")["rolls"]] == [("pushed", 1), ("scored", 1)]
