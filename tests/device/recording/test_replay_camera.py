from pathlib import Path

import numpy as np
import pytest

from device.errors import DeviceError
from device.recording.replay_camera import ReplayCamera
from device.recording.writer import RecordingWriter
from tests.narrowing import there


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = RecordingWriter(tmp_path / "night", 10.0, "push-pool", {}, {})
    for index in range(3):
        writer.add_frame(np.full((24, 32, 3), 40 * index, np.uint8))
    return writer.finish().folder


class Clock:
    def __init__(self) -> None:
        self.t_s = 100.0

    def now_s(self) -> float:
        return self.t_s

    def pause(self, seconds: float) -> None:
        self.t_s += seconds


def test_frames_come_in_order_and_then_none(folder: Path) -> None:
    camera = ReplayCamera(folder)
    assert camera.name == f"replay:{folder}"
    camera.open()
    assert [there(camera.read(1.0)).sequence for _ in range(3)] == [0, 1, 2]
    assert camera.read(1.0) is None
    assert camera.read(1.0) is None
    camera.close()
    camera.close()


def test_opening_again_begins_again(folder: Path) -> None:
    camera = ReplayCamera(folder)
    camera.open()
    camera.read(1.0)
    camera.close()
    assert camera.recording is None
    camera.open()
    assert there(camera.read(1.0)).sequence == 0


def test_at_the_recordings_pace_frames_come_when_due(folder: Path) -> None:
    clock = Clock()
    camera = ReplayCamera(folder, pause=clock.pause, now_s=clock.now_s)
    camera.open()
    times = []
    while camera.read(1.0) is not None:
        times.append(clock.t_s)
    assert times == pytest.approx([100.0, 100.1, 100.2])


def test_a_frame_not_due_in_time_is_a_fault_and_comes_later(folder: Path) -> None:
    clock = Clock()
    camera = ReplayCamera(folder, pause=clock.pause, now_s=clock.now_s)
    camera.open()
    camera.read(1.0)
    with pytest.raises(DeviceError, match="wait longer"):
        camera.read(0.02)
    assert clock.t_s == pytest.approx(100.02)
    assert there(camera.read(1.0)).sequence == 1


def test_a_closed_or_broken_camera_is_a_fault(folder: Path) -> None:
    camera = ReplayCamera(folder)
    with pytest.raises(DeviceError, match="not open"):
        camera.read(1.0)
    camera.open()
    (folder / "frames" / "000000.jpg").unlink()
    with pytest.raises(DeviceError, match="000000"):
        camera.read(1.0)
    with pytest.raises(DeviceError, match="000000"):
        camera.open()


def test_half_a_clock_is_misuse(folder: Path) -> None:
    with pytest.raises(ValueError, match="belong together"):
        ReplayCamera(folder, pause=Clock().pause)
