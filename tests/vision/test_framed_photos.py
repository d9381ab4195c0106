"""Photographs with a drawn tray around their dice: which are suitable."""

import numpy as np

from tests.benchmarks.framed_photos import framed
from tests.drawing import draw
from vision.pipeline.reader import Reader
from vision.rendering.scene import CameraPose, DieLook, DiePose, Light, Scene, TrayLook

K = np.array([[1200.0, 0, 640.0], [0, 1200.0, 480.0], [0, 0, 1.0]])
CAMERA = CameraPose(1280, 960, K, np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 300.0]), (0.0,) * 5)
DIE = DiePose(DieLook((40, 160, 60), (240, 240, 240), seed=3), np.array([0.0, 0.0, 8.0]), np.eye(3))


def photograph(*dice: DiePose) -> np.ndarray:
    return draw(Scene(TrayLook(shape="none"), dice, CAMERA, (Light((0.0, 0.0, 600.0), 0.6),)))


def test_a_die_gets_its_tray() -> None:
    image = photograph(DIE)
    tray = framed(image, Reader(tray=False).read(image).dice, np.random.default_rng(1))
    assert tray is not None
    assert tray.shape == (960, 1280, 3)


def test_a_photograph_without_dice_gets_none() -> None:
    assert framed(photograph(), (), np.random.default_rng(1)) is None
