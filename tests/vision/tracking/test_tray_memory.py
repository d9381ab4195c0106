from collections.abc import Iterable

import cv2
import numpy as np

from vision.tracking.settle import shrink
from vision.tracking.tray_memory import TrayMemory
from vision.types.frame import Frame, ImageBgr


def picture(dice: Iterable[tuple[int, int]] = (), gain: float = 1.0, shift: int = 0) -> ImageBgr:
    """Return a round tray on a wooden table, 640x480, moved by so many pixels both ways."""
    rng = np.random.default_rng(1)
    drawn = np.full((480, 640, 3), (70, 85, 90), np.float64)
    middle = (320 + shift, 240 + shift)
    cv2.circle(drawn, middle, 215, (40, 60, 95), -1, cv2.LINE_AA)
    cv2.circle(drawn, middle, 195, (60, 110, 50), -1, cv2.LINE_AA)
    for x, y in dice:
        drawn[y - 12 : y + 12, x - 12 : x + 12] = (30, 200, 230)
    return np.clip(drawn * gain + rng.normal(0.0, 2.0, drawn.shape), 0, 255).astype(np.uint8)


def memory_of_the_empty_tray() -> TrayMemory:
    memory = TrayMemory()
    image = picture()
    memory.keep(Frame(image, 1.0, 1), shrink(image), as_rest=True, as_empty=True, again=False)
    return memory


def test_no_floor_is_known_before_the_tray_was_seen_empty() -> None:
    assert TrayMemory().known_floor(shrink(picture())) is None


def test_the_floor_is_where_it_was_under_dice_and_other_light() -> None:
    memory = memory_of_the_empty_tray()
    floor = memory.known_floor(shrink(picture([(320, 60), (300, 240)], gain=0.7)))
    assert floor is not None
    assert floor.distance_px(320, 240) > 150
    assert floor.distance_px(320, 30) < 0


def test_a_tray_that_was_moved_is_not_where_it_was() -> None:
    memory = memory_of_the_empty_tray()
    assert memory.known_floor(shrink(picture(shift=60))) is None
    assert memory.known_floor(shrink(np.full((480, 640, 3), 90, np.uint8))) is None
