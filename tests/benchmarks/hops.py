"""The number of calls between modules for a roll and a press: run `python tests/benchmarks/hops.py [--calls]`.

Two walks through a whole tray, over HTTP: a frame on which dice lie still, from the camera to the text that a page
receives, and a press of Push, from the request to its response. A hop is a call of a function or property whose nearest
caller of ours is in another module. For the event's own `step` it also prints how often the walk changes modules
(stays) and how often it returns to an earlier one (returns). Counted by `threading.setprofile` on every thread of the
walk; libraries between two modules of ours are skipped, as are making and comparing values. The second pair of numbers
leaves out what is not in device.game. The watch is a fake that reports eight dice, since the reader's own calls depend
on the picture. `--calls` lists the hops. There is no pass or fail.
"""

import http.client
import inspect
import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

import numpy as np

from device.app import TrayApp
from device.config.settings import Settings, with_overrides
from device.runtime.source import CameraSetup
from vision.types.frame import Frame
from vision.types.reading import DieReading
from vision.types.sighting import Rest, TrackedDie

DICE = [("base", 6), ("base", 1), ("base", 4), ("base", 3), ("base", 5), ("skill", 1), ("skill", 6), ("gear", 2)]


IDLERS = ("watchdog", "panel", "ring")
"""Threads that run periodically, whatever happens."""
_RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Resuming a coroutine is not a call."""
MAKING = ("__init__", "__post_init__", "__eq__", "__hash__")
"""Making and comparing a value is not a hop."""


class Walk:
    """Calls between modules of ours while `on`."""

    def __init__(self) -> None:
        self.on = False
        self.hops: list[tuple[str, str]] = []
        self.calls = 0
        self.stays: list[str] = []
        self.begun: set[FrameType] = set()

    def see(self, frame: FrameType, event: str, _argument: object) -> None:
        """Record a call; a profile function."""
        module = _module(frame)
        if event == "call" and frame.f_code.co_flags & _RESUMABLE:
            if frame in self.begun:
                return
            self.begun.add(frame)
        if not self.on or module is None or event not in ("call", "return"):
            return
        if threading.current_thread().name in IDLERS or frame.f_code.co_name in MAKING:
            return
        caller = _caller(frame)
        if event == "call":
            self.calls += 1
            if caller is not None and caller != module:
                self.hops.append((caller, f"{module}.{frame.f_code.co_qualname}"))
        if _is_in_step(frame):
            here = module if event == "call" else caller
            if here is not None and (not self.stays or self.stays[-1] != here):
                self.stays.append(here)

    def report(self, name: str, *, calls: bool) -> None:
        """Print the counts and reset them."""
        own = [module for module in self.stays if module.startswith("device.game.")]
        own = [module for place, module in enumerate(own) if place == 0 or own[place - 1] != module]
        counts = ", ".join(f"{len(stays)} stays {_returns(stays)} returns" for stays in (self.stays, own))
        print(f"{name}: {len(self.hops)} hops, {self.calls} calls; step: {counts}")
        if calls:
            for (caller, called), count in Counter(self.hops).most_common():
                print(f"  {count:4} {caller} -> {called}")
        self.hops, self.calls, self.stays = [], 0, []


def _returns(stays: list[str]) -> int:
    return sum(1 for place, module in enumerate(stays) if module in stays[:place])


def _module(frame: FrameType) -> str | None:
    name = frame.f_globals.get("__name__", "")
    return name if name.partition(".")[0] in ("device", "rules", "vision") else None


def _caller(frame: FrameType) -> str | None:
    back = frame.f_back
    while back is not None and _module(back) is None:
        back = back.f_back
    return None if back is None else _module(back)


def _is_in_step(frame: FrameType) -> bool:
    back: FrameType | None = frame
    while back is not None:
        if back.f_code.co_name == "step" and _module(back) == "device.game.machine":
            # The snapshot calls `step` to preview a press; that is not the event's own call.
            return back.f_back is not None and _module(back.f_back) == "device.runtime.loop"
        back = back.f_back
    return False


class OneFrame:
    """A camera that gives a frame on request."""

    name = "simulated"

    def __init__(self) -> None:
        self.wanted: SimpleQueue[bool] = SimpleQueue()
        self.number = 0

    def open(self) -> None:
        """Do nothing."""

    def read(self, timeout_s: float) -> Frame | None:
        """Wait until a frame is requested; None ends the recording."""
        del timeout_s
        if not self.wanted.get():
            return None
        self.number += 1
        return Frame(np.zeros((960, 1280, 3), np.uint8), float(self.number), self.number)

    def close(self) -> None:
        """Do nothing."""


class SeesDice:
    """A watch that reports eight dice with every frame."""

    def see(self, frame: Frame) -> Rest:
        """Report the dice."""
        dice = tuple(_die(number, *die) for number, die in enumerate(DICE, 1))
        return Rest(frame.t_s, frame.sequence, 1280, 960, dice, (), trusted=True)

    def glance(self, frame: Frame) -> None:
        """Report no motion."""

    def forget(self) -> None:
        """Do nothing."""

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
        """Do nothing."""


def _die(number: int, colour: str, value: int) -> TrackedDie:
    x, y = 120.0 * number, 400.0
    quad = ((x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20))
    return TrackedDie(number, DieReading(colour, value, 0.99, None, (x, y), (x - 20, y - 20, 40, 40), quad), moved=None)


def main() -> None:
    """Run both walks and print them."""
    walk, camera = Walk(), OneFrame()
    threading.setprofile(walk.see)
    with tempfile.TemporaryDirectory() as folder:
        settings = with_overrides(Settings(), camera="simulated", data=Path(folder), port=0)
        app = TrayApp(settings, CameraSetup(camera, None, SeesDice()))
        app.start()
        host = app.url.removeprefix("http://").rstrip("/")
        stream = http.client.HTTPConnection(host, timeout=20)
        stream.request("GET", "/api/events")
        lines = stream.getresponse()
        _until(lines, "empty")
        calls = "--calls" in sys.argv
        walk.on = True
        camera.wanted.put(True)
        _until(lines, "scored")
        walk.on = False
        walk.report("a frame", calls=calls)
        ask = http.client.HTTPConnection(host, timeout=20)
        walk.on = True
        ask.request("POST", "/api/push")
        answer = json.loads(ask.getresponse().read())
        walk.on = False
        assert answer["state"] == "awaiting_push"
        walk.report("a press", calls=calls)
        threading.setprofile(None)
        camera.wanted.put(False)
        app.stop()


def _until(lines: Any, state: str) -> None:
    while True:
        line = lines.readline().decode()
        if line.startswith("data: ") and json.loads(line[6:])["state"] == state:
            return


if __name__ == "__main__":
    main()
