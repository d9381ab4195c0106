"""OpenCV's `VideoCapture` of a Logitech C920: it gives the nearest of its sizes, whatever is requested."""

import threading
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

C920_PX = [
    (160, 90), (160, 120), (176, 144), (320, 180), (320, 240), (352, 288), (432, 240), (640, 360), (640, 480),
    (800, 448), (800, 600), (864, 480), (960, 720), (1024, 576), (1280, 720), (1600, 896), (1920, 1080),
]  # fmt: skip
"""MJPG sizes of a Logitech C920: `v4l2-ctl --list-formats-ext`."""


def nearest_size(wanted: tuple[int, int]) -> tuple[int, int]:
    """Return the size that the kernel's uvcvideo selects: the fewest pixels outside of what both sizes cover."""

    def differs(size: tuple[int, int]) -> int:
        common = min(size[0], wanted[0]) * min(size[1], wanted[1])
        return size[0] * size[1] + wanted[0] * wanted[1] - 2 * common

    return min(C920_PX, key=differs)


@dataclass
class FakeCapture:
    """A `cv2.VideoCapture` of a C920 that takes a picture when the test allows it."""

    opens: bool = True
    flows: threading.Event = field(default_factory=threading.Event)
    pulled: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    settings: dict[int, float] = field(default_factory=dict)
    taken: int = 0
    level: int = 0
    buffer: Any = field(default_factory=lambda: np.zeros((480, 640, 3), np.uint8))

    def __post_init__(self) -> None:
        self.flows.set()

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's own name
        return self.opens

    def read(self) -> tuple[bool, Any]:
        self.pulled.wait(0.002)  # a very fast camera
        self.flows.wait()
        if self.pulled.is_set():
            return False, None
        self.taken += 1
        self.buffer[:] = (
            self.taken & 255,
            self.taken >> 8,
            self.level,
        )  # the driver's only buffer, overwritten each time
        return True, self.buffer

    def set(self, prop: int, value: float) -> bool:
        self.settings[prop] = value
        size = (self.get(cv2.CAP_PROP_FRAME_WIDTH), self.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if prop in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT) and min(size) > 0:
            width_px, height_px = nearest_size((int(size[0]), int(size[1])))
            self.buffer = np.zeros((height_px, width_px, 3), np.uint8)
        return True

    def get(self, prop: int) -> float:
        return self.settings.get(prop, 0.0)

    def release(self) -> None:
        self.released.set()
