"""Shared by the tests of the device: dice at rest, made by hand."""

import functools
import gc
import importlib
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.device import stub_libcamera
from tests.device.fake_picamera import FakePicamera2, plug_in
from vision.types.reading import DieReading, Problem, Unread
from vision.types.sighting import Rest, TrackedDie

EDGE_PX = 40.0
Point = tuple[float, float]


def tracked_die(
    die_id: int,
    colour: str | None,
    value: int | None,
    at: Point | None = None,
    moved: bool | None = None,
    *,
    unread: Unread | None = None,
) -> TrackedDie:
    """Return a die of 40 px, by default a hundred px apart from the next id's."""
    x, y = at if at is not None else (100.0 * die_id, 300.0)
    half = EDGE_PX / 2
    quad = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
    box = (x - half, y - half, EDGE_PX, EDGE_PX)
    return TrackedDie(die_id, DieReading(colour, value, 0.99, unread, (x, y), box, quad), moved)


def seen_rest(*dice: TrackedDie, problems: Collection[Problem] = (), trusted: bool | None = None) -> Rest:
    """Return a rest, trusted unless something contradicts it."""
    clear = not problems and all(die.reading.unread is None for die in dice)
    return Rest(1.0, 15, 1280, 960, tuple(dice), tuple(problems), clear if trusted is None else trusted)


FIRST = (
    tracked_die(1, "base", 5),
    tracked_die(2, "base", 6),
    tracked_die(3, "skill", 1),
    tracked_die(4, "gear", 3),
)
LEFT = (tracked_die(2, "base", 6, moved=False),)
THROWN = (
    tracked_die(1, "base", 1, (700, 500), moved=True),
    tracked_die(2, "base", 6, moved=False),
    tracked_die(3, "skill", 6, (800, 500), moved=True),
    tracked_die(4, "gear", 1, (900, 500), moved=True),
)


class Dice:
    """A roll with its push: `FIRST` must reroll 1, 3, 4; `LEFT` lies there in between; `THROWN` is the result."""

    FIRST, LEFT, THROWN = FIRST, LEFT, THROWN
    die = staticmethod(tracked_die)
    rest = staticmethod(seen_rest)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for another thread, in short steps, at most five seconds."""
    pause = threading.Event()
    for _ in range(500):
        if is_so():
            return
        pause.wait(0.01)
    raise AssertionError("it did not come about in five seconds")


PICAMERA2 = Path(sys.prefix) / "picamera2"
"""The real picamera2, kept apart from the environment's packages, since it does not load without a Pi's."""


@functools.cache
def _loaded_picamera2() -> dict[str, ModuleType]:
    """Return the modules of the real picamera2, loaded over the stub of libcamera and hidden again."""
    stubs = stub_libcamera.modules()
    sys.modules.update(stubs)
    sys.path.insert(0, str(PICAMERA2))
    try:
        importlib.import_module("picamera2")
    finally:
        sys.path.remove(str(PICAMERA2))
        names = [name for name in sys.modules if name in stubs or name.partition(".")[0] in ("picamera2", "videodev2")]
        loaded = {name: sys.modules.pop(name) for name in names}
    return loaded


class _Heap:
    """Memory for frames without a DMA heap: files in memory."""

    def alloc(self, name: str, size: int) -> SimpleNamespace:
        fd = os.memfd_create(name)
        os.ftruncate(fd, size)
        return SimpleNamespace(get=lambda: fd, isValid=lambda: True)

    def close(self) -> None:
        return


@pytest.fixture
def real_picamera2(monkeypatch: pytest.MonkeyPatch) -> Iterator[stub_libcamera.World]:
    """Let `import picamera2` find the real one, over sensors that the test sets up.

    Skipped if it is not installed; fails in CI.
    """
    if not PICAMERA2.is_dir():
        cure = (
            "the real picamera2 is not here: .venv/bin/python -m pip install --no-deps --require-hashes "
            "--target .venv/picamera2 -r tests/device/picamera2.lock"
        )
        if os.environ.get("CI"):
            pytest.fail(cure)
        pytest.skip(cure)
    for name, module in _loaded_picamera2().items():
        monkeypatch.setitem(sys.modules, name, module)
    allocator = sys.modules["picamera2.allocators.dmaallocator"]
    monkeypatch.setattr(allocator, "DmaHeap", _Heap)
    monkeypatch.setattr(allocator, "fcntl", SimpleNamespace(ioctl=lambda *_: 0))
    world = stub_libcamera.world
    vars(world).update(vars(stub_libcamera.World()))
    world.free.set()
    yield world
    world.free.set()
    world.switch_off_and_on()
    gc.collect()  # picamera2's selectors go with the cycles that refer to them


@pytest.fixture
def pi_world(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A Raspberry Pi's cameras, for the real picamera2, or for the fake one where that is not installed.

    Attributes that both have: `sensors`, `webcams`, `platform`, `busy`, `ignores_sensor`, `sharp_dioptres`.
    """
    if PICAMERA2.is_dir() or os.environ.get("CI"):
        return request.getfixturevalue("real_picamera2")
    kind = type("Plugged", (FakePicamera2,), {})
    plug_in(monkeypatch, kind)
    return kind


def count_descriptors() -> int:
    """Count the open files of this process."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))
