"""Shared by tests of a whole tray: a camera over a tray in which nothing happens, and a watch that sees nothing."""

import contextlib
import gc
import importlib
import inspect
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from device.runtime.loop import LoopParams
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import DieReading
from vision.types.sighting import MotionBegan, MotionEnded, Sighting

# The same examples on every machine, however slow: a red test must mean a faulty program.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")

# Otherwise, if Python may not write bytecode, every program that a test starts compiles the whole tray, and the next
# run compiles all tests, which takes each process some five seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

ROOT = Path(__file__).parents[1]
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
if WORKERS > 1:
    # Parallel processes share the cores; nets use as many threads as OpenCV.
    cv2.setNumThreads(max(1, cv2.getNumThreads() // WORKERS))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that nudges simulated throws: failures then depend on one machine's arithmetic."""
    parser.addoption("--nudge", type=int, default=0, help="throw simulated dice a millionth faster, times this number")


def pytest_configure(config: pytest.Config) -> None:
    """Nudge simulated throws if requested: a millionth gives other faces after a few bounces."""
    if nudge := config.getoption("nudge"):
        from device.simulation.physics import ThrowParams

        usual = {name: one.default for name, one in inspect.signature(ThrowParams).parameters.items()}
        usual["speed_m_s"] *= 1 + 1e-6 * nudge
        vars(ThrowParams)["__init__"].__defaults__ = tuple(usual.values())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import the tests of this run in a different order in each worker, before they are collected.

    All workers collect in the same order at the same time, so in a new clone each would compile every module: 8 s of
    processor time. Here each starts with its own part, and finds the others' parts compiled.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        return
    named = [session.config.invocation_params.dir / name.partition("::")[0] for name in session.config.args]
    files = [file for path in named for file in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
    begin = len(files) * int(worker.removeprefix("gw")) // WORKERS
    for file in (*files[begin:], *files[:begin]):
        # A test that cannot be imported, or skips itself, is reported at collection.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the slowest tests first; started last, one of them would occupy a single process at the end."""
    usual_s = float(config.getini("timeout"))

    def max_s(item: pytest.Item) -> float:
        own = item.get_closest_marker("timeout")
        return max(usual_s, own.args[0]) if own is not None else usual_s

    items.sort(key=max_s, reverse=True)


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection until the run ends: they are most of the objects."""
    gc.collect()
    gc.freeze()


class StillCamera:
    """Shows one picture, first at once and then twenty times a second.

    Attributes:
        went_on: Set once the reader has taken the first picture and asks for the next.
    """

    name = "simulated"

    def __init__(self, image: ImageBgr | None = None) -> None:
        self.image = np.zeros((24, 32, 3), np.uint8) if image is None else image
        self.count = 0
        self.closed = threading.Event()
        self.went_on = threading.Event()

    def open(self) -> None:
        self.closed.clear()

    def read(self, timeout_s: float) -> Frame | None:
        if self.count:
            self.went_on.set()
            self.closed.wait(0.05)
        self.count += 1
        return Frame(self.image, self.count / 20, self.count)

    def close(self) -> None:
        self.closed.set()


class BlindWatch:
    """Sees nothing; the test posts events."""

    def see(self, frame: Frame) -> Sighting | None:
        return None

    def glance(self, frame: Frame) -> MotionBegan | MotionEnded | None:
        return None

    def forget(self) -> None:
        return None

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
        return None


@pytest.fixture(scope="session", autouse=True)
def patient_trays() -> Iterator[None]:
    """Let whole trays of tests answer however slow the disk of a busy machine is: a person would try again."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("device.runtime.loop.LoopParams", partial(LoopParams, answer_s=30.0))
        yield


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Days begin at midnight UTC, whatever the machine's zone."""
    with monkeypatch.context() as here:
        here.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()
