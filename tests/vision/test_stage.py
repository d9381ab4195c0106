"""Where to look: the part of a picture that holds the tray, and the camera above it."""

import numpy as np
import pytest

from vision.stage import StageParams, set_stage


@pytest.mark.parametrize(("left", "top"), [(320, 240), (290, 260), (350, 215)])
def test_the_camera_hangs_above_the_pictures_middle_wherever_the_tray_lies_in_it(left: int, top: int) -> None:
    picture = np.full((960, 1280, 3), 60, np.uint8)
    picture[top : top + 480, left : left + 640] = (150, 90, 40)
    stage = set_stage(picture, None, StageParams())
    assert stage is not None
    assert stage.left_top.min() > 0.0, "the part begins where the tray does, or nothing is tried"
    assert np.array(stage.view.nadir_px) + stage.left_top == pytest.approx([640.0, 480.0])
