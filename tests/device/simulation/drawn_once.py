"""Simulated cameras for tests, which share their drawings."""

import contextlib
import functools
import pickle
from collections.abc import Iterator

import pytest

from device.simulation import studio
from device.simulation.hand import HandPainter, HandParams
from tests.drawing import backdrop
from vision.rendering.scene import CameraPose


@contextlib.contextmanager
def trays_drawn_once() -> Iterator[None]:
    """Let all cameras over the same empty tray, and with the same hand, share one drawing of them."""

    def painter(camera: CameraPose, params: HandParams) -> HandPainter:
        return _painter(pickle.dumps((camera, params)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studio, "TrayBackdrop", backdrop)
        patch.setattr(studio, "HandPainter", painter)
        yield


@functools.lru_cache(maxsize=3)
def _painter(stored: bytes) -> HandPainter:
    # Painting does not change it, so it can be shared.
    return HandPainter(*pickle.loads(stored))
