"""The contract of device/camera.py, held against every adapter that sees the world, on fakes of their libraries."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import pytest

from device.camera import FrameSource
from device.camera_kinds import camera_kind, make_camera, real_makers, replay_folder, usb_index
from device.errors import BadInput, DeviceError, DriverHangs
from device.fake_picamera import FakePicamera2
from device.pi_camera import PiCamera, PiCameraParams
from device.usb_camera import UsbCamera, UsbCameraParams


@dataclass
class FakeCapture:
    """A `cv2.VideoCapture` that takes a picture whenever the test lets it."""

    opens: bool = True
    flows: threading.Event = field(default_factory=threading.Event)
    pulled: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    settings: dict[int, float] = field(default_factory=dict)
    taken: int = 0
    buffer: Any = field(default_factory=lambda: np.zeros((96, 128, 3), np.uint8))

    def __post_init__(self) -> None:
        self.flows.set()

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's own name
        return self.opens

    def read(self) -> tuple[bool, Any]:
        self.pulled.wait(0.002)  # a very fast camera
        self.flows.wait()
        if self.pulled.is_set():
            return False, None
        self.taken += 1
        self.buffer[:] = (self.taken & 255, self.taken >> 8, 0)  # the driver's one buffer, written again and again
        return True, self.buffer

    def set(self, prop: int, value: float) -> bool:
        self.settings[prop] = value
        return True

    def get(self, prop: int) -> float:
        return self.settings.get(prop, 0.0)

    def release(self) -> None:
        self.released.set()


class UsbRig:
    """A USB camera on a fake capture."""

    name = "usb:1"

    def __init__(self) -> None:
        self.captures: list[FakeCapture] = []
        self.present = True
        self.source = UsbCamera(1, UsbCameraParams(close_s=0.2), capture_factory=self._plug)

    def _plug(self, index: int) -> FakeCapture:
        assert index == 1
        self.captures.append(FakeCapture(opens=self.present))
        return self.captures[-1]

    def pull(self) -> None:
        self.present = False
        self.captures[-1].pulled.set()

    def plug(self) -> None:
        self.present = True

    def stall(self) -> None:
        self.captures[-1].flows.clear()

    def free(self) -> None:
        for capture in self.captures:
            capture.pulled.set()
            capture.flows.set()


class PiRig:
    """A Pi camera on a fake library."""

    name = "pi"

    def __init__(self) -> None:
        self.cameras: list[FakePicamera2] = []
        self.present = True
        self.source = PiCamera(
            PiCameraParams(main_px=(128, 96), lores_px=(64, 48), close_s=0.2), camera_factory=self._plug
        )

    def _plug(self, number: int) -> FakePicamera2:
        if not self.present:
            raise DeviceError("camera pi does not open (IndexError): check its ribbon cable")
        self.cameras.append(FakePicamera2(number))
        return self.cameras[-1]

    def pull(self) -> None:
        self.present = False
        self.cameras[-1].pulled = True

    def plug(self) -> None:
        self.present = True

    def stall(self) -> None:
        self.cameras[-1].pulled = True
        self.cameras[-1].wedge()

    def free(self) -> None:
        for camera in self.cameras:
            camera.unwedge()


def read_until_fault(source: FrameSource, timeout_s: float) -> None:
    for _ in range(5):  # a picture or two may be on their way still
        source.read(timeout_s)


@pytest.fixture(params=[UsbRig, PiRig], ids=["usb", "pi"])
def rig(request: pytest.FixtureRequest) -> Iterator[Any]:
    made = request.param()
    yield made
    made.free()
    made.source.close()


def test_frames_come_in_order_and_belong_to_the_reader(rig: Any) -> None:
    source: FrameSource = rig.source
    assert source.name == rig.name
    source.open()
    frames = [source.read(5.0) for _ in range(8)]
    source.close()
    assert all(frame is not None for frame in frames)
    assert [frame.sequence for frame in frames] == sorted({frame.sequence for frame in frames})
    times_s = [frame.t_s for frame in frames]
    assert times_s == sorted(times_s)
    first = frames[0].image_bgr.copy()
    assert first.shape == (96, 128, 3)
    assert first.dtype == np.uint8
    assert len({tuple(frame.image_bgr[0, 0]) for frame in frames}) == 8, "each frame has pixels of its own"


def test_reading_before_opening_is_a_fault(rig: Any) -> None:
    with pytest.raises(DeviceError, match="open"):
        rig.source.read(0.01)


def test_closing_is_safe_at_any_time(rig: Any) -> None:
    rig.source.close()
    rig.source.open()
    rig.source.close()
    rig.source.close()
    with pytest.raises(DeviceError, match="open"):
        rig.source.read(0.01)


def test_pulled_and_plugged_again(rig: Any) -> None:
    source = rig.source
    source.open()
    before = source.read(5.0)
    rig.pull()
    with pytest.raises(DeviceError, match="check its"):
        read_until_fault(source, 0.2)
    source.close()
    with pytest.raises(DeviceError, match=r"check its ribbon|plug it in"):
        source.open()
    rig.plug()
    source.open()
    after = source.read(5.0)
    assert after.sequence > before.sequence, "a frame number never comes twice, also after a fault"


def test_driver_that_hangs_is_told_apart(rig: Any) -> None:
    rig.source.open()
    rig.stall()
    with pytest.raises(DeviceError, match="no picture within"):
        read_until_fault(rig.source, 0.05)
    rig.source.close()
    with pytest.raises(DriverHangs, match="start again"):
        rig.source.open()


def test_missing_camera_says_its_cure(rig: Any) -> None:
    rig.present = False
    with pytest.raises(DeviceError, match=r"check its ribbon|plug it in"):
        rig.source.open()


def test_usb_asks_for_fixed_light_where_told() -> None:
    rig = UsbRig()
    rig.source._params = UsbCameraParams(exposure=100.0, white_balance_k=4600.0, focus=30.0)
    rig.source.open()
    settings = dict(rig.captures[0].settings)
    rig.free()
    rig.source.close()
    assert rig.captures[0].released.is_set()
    assert settings[cv2.CAP_PROP_FRAME_WIDTH] == 1280
    assert settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert settings[cv2.CAP_PROP_EXPOSURE] == 100.0
    assert settings[cv2.CAP_PROP_AUTO_WB] == 0
    assert settings[cv2.CAP_PROP_AUTOFOCUS] == 0


def test_usb_skips_what_is_no_picture() -> None:
    class Odd(FakeCapture):
        answers = iter([(False, None), (True, None), (True, np.zeros((4, 4), np.uint8)), "error"])

        def read(self) -> tuple[bool, Any]:
            answer: Any = next(self.answers, None)
            if answer == "error":
                raise cv2.error("bad frame")
            return answer if answer is not None else super().read()

    source = UsbCamera(0, capture_factory=lambda index: Odd())
    source.open()
    assert source.read(5.0).image_bgr.shape == (96, 128, 3)
    source.close()


def test_pi_hands_every_buffer_back() -> None:
    rig = PiRig()
    rig.source.open()
    for _ in range(50):
        rig.source.read(1.0)
    assert rig.cameras[0].buffers_out == 0
    rig.source.close()
    assert rig.cameras[0].log == ["configure", "start", "cancel", "stop", "close"]


def test_pi_camera_without_its_library() -> None:
    with pytest.raises(DeviceError, match=r"python3-picamera2.*usb:0"):
        PiCamera().open()


def test_name_of_each_kind() -> None:
    assert [camera_kind(name) for name in ("simulated", "pi", "usb:0", "replay:a/b")] == [
        "simulated",
        "pi",
        "usb",
        "replay",
    ]
    assert usb_index("usb:12") == 12
    assert str(replay_folder("replay:a:b/c")) == "a:b/c"


@pytest.mark.parametrize(
    "name", ["", "usb", "usb:", "usb:-1", "usb:x", "usb:\uff11", "replay:", "replay", "Pi", "pi:0", "webcam", "usb:0\n"]
)
def test_unknown_camera_lists_the_kinds_in_one_line(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        camera_kind(name)
    assert "simulated, pi, usb:N" in str(caught.value)
    assert "replay:FOLDER" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_makers_make_their_kind() -> None:
    makers: dict[str, Callable[[str], FrameSource]] = real_makers()
    assert isinstance(make_camera("usb:3", makers), UsbCamera)
    assert make_camera("usb:3", makers).name == "usb:3"
    assert isinstance(make_camera("pi", makers), PiCamera)
    with pytest.raises(BadInput, match="choose one of pi, usb"):
        make_camera("simulated", makers)
