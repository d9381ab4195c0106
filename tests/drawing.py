"""Drawn trays for tests, each drawn once per process."""

import copy
import functools
import pickle
from dataclasses import replace

from vision.rendering.scene import Scene
from vision.rendering.synthetic import TrayBackdrop
from vision.types.frame import ImageBgr


def draw(scene: Scene) -> ImageBgr:
    """Draw a scene like `vision.rendering.synthetic.draw`, pixel for pixel.

    The tray takes most of the time, and many scenes differ in their dice only, so drawn trays and pictures are cached.
    Trays are large, so only the last few are kept: draw the scenes of one tray together.
    """
    return _picture(pickle.dumps(scene)).copy()


def backdrop(scene: Scene) -> TrayBackdrop:
    """Return the tray of a scene, as `TrayBackdrop` draws it, before any dice were put into it."""
    # A copy, as each picture of a tray has new noise.
    return copy.deepcopy(_tray(pickle.dumps(replace(scene, dice=()))))


@functools.lru_cache(maxsize=32)
def _picture(stored: bytes) -> ImageBgr:
    scene: Scene = pickle.loads(stored)
    return backdrop(scene).draw(scene.dice)


@functools.lru_cache(maxsize=3)
def _tray(stored: bytes) -> TrayBackdrop:
    return TrayBackdrop(pickle.loads(stored))
