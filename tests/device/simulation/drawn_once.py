"""Simulated cameras for tests: what they share is drawn once."""

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
    """Let all cameras that look into the same empty tray, and at the same hand, have them drawn once."""

    def painter(camera: CameraPose, params: HandParams) -> HandPainter:
        return _painter(pickle.dumps((camera, params)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studio, "TrayBackdrop", backdrop)
        patch.setattr(studio, "HandPainter", painter)
        yield


@functools.lru_cache(maxsize=3)
def _painter(stored: bytes) -> HandPainter:
    # It changes nothing of itself when it paints, so that all may share it.
    return HandPainter(*pickle.loads(stored))
