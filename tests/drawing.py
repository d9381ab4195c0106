"""Drawn trays for tests: what is drawn once in a process is not drawn again."""

import copy
import functools
import pickle
from dataclasses import replace

from vision.rendering.scene import Scene
from vision.rendering.synthetic import TrayBackdrop
from vision.types.frame import ImageBgr


def draw(scene: Scene) -> ImageBgr:
    """Draw a scene as `vision.rendering.synthetic.draw` does, pixel for pixel.

    The tray takes most of the time, and many scenes differ in their dice alone: a tray that was drawn is kept, and so
    is the picture. Trays are large, so only the last few are: who draws many scenes draws those of one tray in turn.
    """
    return _picture(pickle.dumps(scene)).copy()


def backdrop(scene: Scene) -> TrayBackdrop:
    """The tray of a scene, as `TrayBackdrop` draws it, before any dice were put into it."""
    # A copy: each picture of a tray takes other noise than the one before.
    return copy.deepcopy(_tray(pickle.dumps(replace(scene, dice=()))))


@functools.lru_cache(maxsize=32)
def _picture(stored: bytes) -> ImageBgr:
    scene: Scene = pickle.loads(stored)
    return backdrop(scene).draw(scene.dice)


@functools.lru_cache(maxsize=3)
def _tray(stored: bytes) -> TrayBackdrop:
    return TrayBackdrop(pickle.loads(stored))
