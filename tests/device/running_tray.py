"""A tray in a separate process, used over its web interface."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.narrowing import there

PATIENCE_S = 90.0


class RunningTray:
    """`pushtray run` with the simulated camera."""

    def __init__(self, folder: Path, *words: str, stdout: int | None = None) -> None:
        command = [sys.executable, "-m", "device", "run", "--camera", "simulated", "--port", "0", "--data", str(folder)]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
        self.process = subprocess.Popen(
            [*command, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment
        )
        first = there(self.process.stderr).readline()
        assert "PushTray is at " in first, first
        self.url = first.split("PushTray is at ")[1].split()[0].rstrip(",")

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}api/{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=15) as answer:
            return json.load(answer)

    def wait_for(self, is_so: Callable[[Any], bool]) -> Any:
        """Follow the event stream until a state matches."""
        until_s, last = time.monotonic() + PATIENCE_S, b"nothing"
        with urllib.request.urlopen(f"{self.url}api/events", timeout=PATIENCE_S) as stream:
            for line in stream:  # the stream has a line every few seconds, whatever happens
                if line.startswith(b"data: ") and is_so(state := json.loads(line[6:])):
                    return state
                last = line if line.startswith(b"data: ") else last
                if time.monotonic() > until_s:
                    break
        raise AssertionError(f"the state did not come; the last one is {last.decode()}")


@contextmanager
def running(folder: Path, *words: str, stdout: int | None = None) -> Iterator[RunningTray]:
    tray = RunningTray(folder, *words, stdout=stdout)
    try:
        yield tray
    finally:
        tray.process.kill()
        tray.process.wait()
        for stream in (tray.process.stdout, tray.process.stderr):
            if stream is not None:
                stream.close()
