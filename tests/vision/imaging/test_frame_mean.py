"""A rest's frames as one picture."""

import numpy as np
import pytest

from vision.imaging.frame_mean import FrameMean
from vision.tracking.watch import TrayWatch
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import TrayReading


def grey(level: int, width: int = 64) -> ImageBgr:
    return np.full((48, width, 3), level, np.uint8)


def test_the_mean_of_equal_frames_is_each_of_them() -> None:
    mean = FrameMean()
    first = grey(90)
    assert mean.add(first) is first
    assert (mean.add(grey(90)) == 90).all()


def test_noise_averages_out() -> None:
    rng = np.random.default_rng(3)
    mean = FrameMean()
    frames = [np.clip(rng.normal(120, 12, (48, 64, 3)), 0, 255).astype(np.uint8) for _ in range(9)]
    for frame in frames:
        merged = mean.add(frame)
    assert float(merged.std()) == pytest.approx(float(frames[0].std()) / 3, rel=0.15)
    assert float(merged.mean()) == pytest.approx(120, abs=1)


def test_a_picture_of_another_size_and_a_cleared_mean_begin_anew() -> None:
    mean = FrameMean()
    mean.add(grey(10))
    assert (mean.add(grey(200, width=80)) == 200).all()
    mean.clear()
    assert (mean.add(grey(50, width=80)) == 50).all()


class Watching:
    """Reads nothing, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[ImageBgr] = []

    def read(self, image_bgr: ImageBgr, _known_floor: object) -> TrayReading:
        self.shown.append(image_bgr.copy())
        return TrayReading(image_bgr.shape[1], image_bgr.shape[0], (), (), trusted=True, elapsed_ms=0.0)


def test_the_watch_reads_the_mean_of_a_rest_and_nothing_of_the_rest_before() -> None:
    reader = Watching()
    watch = TrayWatch(reader)
    rng = np.random.default_rng(7)

    def shows(level: int, number: int) -> Frame:
        noisy = np.clip(rng.normal(level, 4, (480, 640, 3)), 0, 255).astype(np.uint8)
        return Frame(image_bgr=noisy, t_s=number * 0.066, sequence=number)

    for number in range(12):
        watch.see(shows(80, number))
    first = len(reader.shown)
    assert first >= 2
    assert reader.shown[1].std() < 0.85 * reader.shown[0].std(), "the second reading is of two frames' mean"
    for number in range(12, 30):
        frame = shows(80, number)
        frame.image_bgr[200:236, 300:336] = 200
        watch.see(frame)
    assert len(reader.shown) > first
    after = reader.shown[first][205:230, 305:330]
    assert (after == 200).all(), "a new rest begins with its own frame"
