"""What screens show of a tray in addition to its state."""

import numpy as np

from device.config.settings import Settings
from device.runtime.tray_profile import reader_metadata
from vision.decision.own_faces import OwnFaces, TaughtFace


def test_taught_dice_with_more_than_six_sides_are_named_by_class() -> None:
    look = np.eye(1, 128, dtype=np.float32)
    faces = OwnFaces([TaughtFace("base", 3, look), TaughtFace("base", 3, look, sides=8)])
    assert reader_metadata(Settings(), None, faces)["taught"] == {("base", 8)}
    assert reader_metadata(Settings(), None, None)["taught"] == frozenset()
