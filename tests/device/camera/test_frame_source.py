"""The contract of device/camera/base.py, for every adapter of a real camera, on fakes of their libraries.

Each has a rig here. A rig that can `pull` and `plug` its camera, or `stall` its driver, is tested for the consequences.

The Pi camera's adapter is also tested on the real picamera2, over a stub of libcamera, if that is installed.
"""

import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from device.camera.base import CameraRequest, FrameSource
from device.camera.pi_camera import PiCamera, PiCameraParams
from device.camera.registry import KINDS, camera_kind, make_camera, replay_folder
from device.camera.usb_camera import UsbCamera, UsbCameraParams
from device.config.settings import Settings, with_overrides
from device.errors import BadInput, DeviceError, DriverHangs
from tests.device.fake_capture import FakeCapture
from tests.device.fake_picamera import FakePicamera2, plug_in
from tests.narrowing import there


class UsbRig:
    """A USB camera on a fake capture."""

    kind = "usb"
    name = "usb:1"
    lost = "check its"
    missing = "plug it in"

    def __init__(self) -> None:
        self.captures: list[FakeCapture] = []
        self.present = True
        params = UsbCameraParams(width_px=320, height_px=240, close_s=0.2)
        reported = "there is none: plug it in"
        self.source = UsbCamera(1, params, capture_factory=self._plug, why_not=lambda index: reported)

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


PI_PARAMS = PiCameraParams(main_px=(320, 240), lores_px=(160, 120), close_s=0.2)


class PiRig:
    """A Pi camera on a fake library."""

    kind = name = "pi"
    lost = missing = "check its ribbon"

    def __init__(self) -> None:
        self.cameras: list[FakePicamera2] = []
        rig = self

        class Plugged(FakePicamera2):
            def __init__(self, camera_num: int = 0) -> None:
                super().__init__(camera_num)
                rig.cameras.append(self)

        self.library = Plugged
        self.patch = pytest.MonkeyPatch()
        plug_in(self.patch, Plugged)
        self.source = PiCamera(PI_PARAMS)

    def pull(self) -> None:
        self.library.sensors = ()
        self.cameras[-1].pulled = True

    def plug(self) -> None:
        self.library.sensors = ("imx708",)

    def stall(self) -> None:
        self.cameras[-1].pulled = True
        self.cameras[-1].wedge()

    def free(self) -> None:
        for camera in self.cameras:
            camera.unwedge()
        self.patch.undo()


class RealPiRig:
    """A Pi camera on the real picamera2."""

    kind = name = "pi"
    lost = missing = "check its ribbon"

    def __init__(self, world: Any) -> None:
        self.world = world
        # Its two threads check every 0.2 s whether to end.
        self.source = PiCamera(replace(PI_PARAMS, close_s=2.0))

    def pull(self) -> None:
        self.world.pulled.set()
        self.world.manager.cameras.clear()

    def plug(self) -> None:
        self.world.pulled.clear()
        self.world.switch_off_and_on()

    def stall(self) -> None:
        self.world.pulled.set()
        self.world.free.clear()

    def free(self) -> None:
        self.world.free.set()
        for thread in threading.enumerate():
            if thread.name == "pi-camera-close":
                thread.join(10)


def read_until_fault(source: FrameSource, timeout_s: float) -> None:
    for _ in range(5):  # a picture or two may still be on their way
        source.read(timeout_s)


RIGS: dict[str, type[Any]] = {"usb": UsbRig, "pi": PiRig, "real-pi": RealPiRig}
PULLED = [name for name, kind in RIGS.items() if hasattr(kind, "pull")]
STALLED = [name for name, kind in RIGS.items() if hasattr(kind, "stall")]


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest) -> Iterator[Any]:
    kind = RIGS[request.param]
    made = kind(request.getfixturevalue("real_picamera2")) if kind is RealPiRig else kind()
    yield made
    made.free()
    made.source.close()


def test_every_kind_that_sees_the_world_has_a_rig() -> None:
    assert {rig.kind for rig in RIGS.values()} == {kind.id for kind in KINDS if kind.driver}


def test_frames_come_in_order_and_belong_to_the_reader(rig: Any) -> None:
    source: FrameSource = rig.source
    assert source.name == rig.name
    source.open()
    frames = [there(source.read(5.0)) for _ in range(8)]
    source.close()
    assert [frame.sequence for frame in frames] == sorted({frame.sequence for frame in frames})
    times_s = [frame.t_s for frame in frames]
    assert times_s == sorted(times_s)
    first = frames[0].image_bgr.copy()
    assert first.shape == (240, 320, 3)
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


@pytest.mark.parametrize("rig", PULLED, indirect=True)
def test_pulled_and_plugged_again(rig: Any) -> None:
    source = rig.source
    source.open()
    before = source.read(5.0)
    rig.pull()
    with pytest.raises(DeviceError, match=rig.lost):
        read_until_fault(source, 0.2)
    source.close()
    with pytest.raises(DeviceError, match=rig.missing):
        source.open()
    rig.plug()
    source.open()
    after = source.read(5.0)
    assert after.sequence > before.sequence, "a frame number never comes twice, also after a fault"


@pytest.mark.parametrize("rig", STALLED, indirect=True)
def test_driver_that_hangs_is_distinguished(rig: Any) -> None:
    rig.source.open()
    rig.stall()
    with pytest.raises(DeviceError, match="no picture within"):
        read_until_fault(rig.source, 0.05)
    rig.source.close()
    with pytest.raises(DriverHangs, match="start the tray again"):
        rig.source.open()


@pytest.mark.parametrize("rig", PULLED, indirect=True)
def test_missing_camera_says_its_cure(rig: Any) -> None:
    rig.source.open()
    rig.pull()
    rig.source.close()
    with pytest.raises(DeviceError, match=rig.missing):
        rig.source.open()


def test_usb_asks_for_fixed_light_where_it_is_set() -> None:
    rig = UsbRig()
    rig.source._params = UsbCameraParams(640, 480, exposure=100.0, white_balance_k=4600.0, focus=30.0)
    rig.source.open()
    settings = dict(rig.captures[0].settings)
    rig.free()
    rig.source.close()
    assert rig.captures[0].released.is_set()
    assert settings[cv2.CAP_PROP_FRAME_WIDTH] == 640
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
    assert there(source.read(5.0)).image_bgr.shape == (720, 1280, 3)
    source.close()


def test_pi_hands_every_buffer_back() -> None:
    rig = PiRig()
    rig.source.open()
    for _ in range(50):
        rig.source.read(1.0)
    assert rig.cameras[0].buffers_out == 0
    rig.source.close()
    rig.free()
    assert rig.cameras[0].log == ["configure", "start", "cancel", "stop", "close"]


def test_pi_camera_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(DeviceError, match=r"python3-picamera2.*usb:0"):
        PiCamera().open()


def test_name_of_each_kind() -> None:
    assert [camera_kind(name).id for name in ("simulated", "pi", "usb:0", "replay:a/b")] == [
        "simulated",
        "pi",
        "usb",
        "replay",
    ]
    assert str(replay_folder("replay:a:b/c")) == "a:b/c"


@pytest.mark.parametrize(
    "name", ["", "usb", "usb:", "usb:-1", "usb:x", "usb:\uff11", "replay:", "replay", "Pi", "pi:0", "webcam", "usb:0\n"]
)
def test_unknown_camera_lists_the_kinds_in_one_line(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        camera_kind(name)
    assert "simulated, pi, pi:1, usb:N" in str(caught.value)
    assert "replay:FOLDER" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_each_kind_is_made_from_its_section_of_the_settings() -> None:
    settings = replace(Settings(), usb=UsbCameraParams(fps=7), pi=PiCameraParams(fps=8, mains_hz=60, measure=False))
    usb, pi, simulated = (request_of(settings, camera) for camera in ("usb:12", "pi", "simulated"))
    assert (usb.params, pi.params, simulated.params) == (settings.usb, settings.pi, settings.simulation)
    made = make_camera(usb)
    assert isinstance(made, UsbCamera)
    assert (made.name, made._params) == ("usb:12", settings.usb)
    made_pi = make_camera(pi)
    assert isinstance(made_pi, PiCamera)
    assert made_pi.params == settings.pi
    with pytest.raises(BadInput, match=r"cannot be used here: choose one of .*usb"):
        make_camera(simulated)


def request_of(settings: Settings, camera: str) -> CameraRequest[Any]:
    return with_overrides(settings, camera=camera).camera_request
