from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.app import TrayApp
from device.camera import pi_camera
from device.camera.base import CameraRequest
from device.camera.pi_camera import PiCamera, PiCameraParams, mains_exposure_us
from device.camera.pi_focus import LENS_MM, dioptres_at
from device.camera.pi_memory import MeasuringPiCamera, keep_settings, recall_focus, recall_light, recall_ring
from device.camera.pi_modes import whole_field_mode
from device.camera.pi_settings import AutomaticsParams, fix_exposure, measure_light
from device.camera.registry import make_camera
from device.config.settings import Settings, read_settings, with_overrides
from device.errors import BadInput, DeviceError, DriverHangs
from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch
from tests.device.conftest import wait_until
from tests.device.fake_picamera import FakePicamera2
from tests.device.ring.wled_emulator import WledEmulator
from vision.tracking.settle import small_of
from vision.types.frame import Frame


def test_one_configuration_with_two_streams_and_everything_fixed() -> None:
    camera = FakePicamera2()
    params = PiCameraParams(mains_hz=60, half_periods=2, gain=3.0, colour_gains=(1.9, 1.5), lens_dioptres=2.5)
    source = PiCamera(params, camera_factory=lambda number: camera)
    source.open()
    frame = source.read(1.0)
    source.close()
    assert frame is not None
    assert frame.image_bgr.shape == (960, 1280, 3)
    assert frame.small_bgr is not None
    assert frame.small_bgr.shape == (240, 320, 3)
    assert small_of(frame) is frame.small_bgr, "motion is seen in the camera's own small stream"
    assert frame.t_s == pytest.approx(5.05), "the sensor's own time"
    assert camera.log.count("configure") == 1
    assert camera.configured["main"] == {"format": "RGB888", "size": (1280, 960)}
    assert camera.configured["lores"] == {"format": "YUV420", "size": (320, 240)}
    assert camera.configured["sensor"] == {"output_size": (2304, 1296), "bit_depth": 10}
    assert camera.configured["controls"] == {
        "FrameDurationLimits": (50_000, 50_000),
        "AeEnable": False,
        "ExposureTime": 16_666,
        "AnalogueGain": 3.0,
        "AwbEnable": False,
        "ColourGains": (1.9, 1.5),
        "AfMode": 0,
        "LensPosition": 2.5,
    }


@pytest.mark.parametrize(
    ("half_periods", "mains_hz", "us"), [(1, 50, 10_000), (2, 50, 20_000), (1, 60, 8_333), (3, 60, 25_000)]
)
def test_exposures_are_whole_half_periods_of_the_mains(half_periods: int, mains_hz: int, us: int) -> None:
    assert mains_exposure_us(half_periods, mains_hz) == us


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"mains_hz": 55}, "pi.mains_hz"),
        ({"half_periods": 0}, "pi.half_periods"),
        ({"half_periods": 6}, "do not fit"),
        ({"fps": 0}, "pi.fps"),
        ({"gain": 0.5}, "pi.gain"),
        ({"lens_dioptres": 40.0}, "pi.lens_dioptres"),
        ({"lens_mm": 29.0}, "pi.lens_mm"),
        ({"lores_px": (1920, 1080)}, "pi.lores_px"),
    ],
)
def test_what_no_camera_can_do_is_refused(values: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        read_settings({"pi": values})


@pytest.mark.parametrize(
    ("wanted_us", "mains_hz", "expected"),
    [
        (10_000, 50, (1, 1.0)),
        (30_000, 50, (2, 1.5)),
        (4_000, 50, (1, 1.0)),
        (19_000, 50, (1, 1.9)),
        (50_000, 60, (2, 3.0)),
    ],
)
def test_light_is_split_into_exposure_and_gain(wanted_us: float, mains_hz: int, expected: tuple[int, float]) -> None:
    assert fix_exposure(wanted_us, mains_hz, 20, AutomaticsParams()) == expected


def test_darkness_is_reported() -> None:
    with pytest.raises(DeviceError, match="add a lamp"):
        fix_exposure(400_000, 50, 20, AutomaticsParams())


def measuring(tmp_path: Path, camera: FakePicamera2) -> MeasuringPiCamera:
    """A camera without stored settings, which measures."""
    return MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=lambda number: camera)


def test_light_is_measured_once_and_fixed(tmp_path: Path) -> None:
    camera = FakePicamera2()
    source = measuring(tmp_path, camera)
    source.open()
    source.close()
    free, fixed = (one["controls"] for one in camera.configurations)
    by_height = dioptres_at(LENS_MM["imx708"])
    assert (free["AeEnable"], free["AwbEnable"], free["LensPosition"]) == (True, True, by_height)
    assert (fixed["AeEnable"], fixed["ExposureTime"], fixed["AnalogueGain"]) == (False, 20_000, 1.5)
    assert (fixed["ColourGains"], fixed["LensPosition"]) == ((1.8, 1.6), by_height)
    assert camera.log == ["configure", "start", "stop", "configure", "start", "cancel", "stop", "close"]


def test_cable_pulled_while_measuring(tmp_path: Path) -> None:
    camera = FakePicamera2()
    camera.pulled = True
    with pytest.raises(DeviceError, match="ribbon"):
        measuring(tmp_path, camera).open()
    assert "cancel" in camera.log
    assert camera.log[-1] == "close"


def test_driver_that_hangs_after_measuring_is_left_behind(tmp_path: Path) -> None:
    camera = FakePicamera2()
    camera.pulled = True
    camera.wedge()
    params = PiCameraParams(close_s=0.05)
    source = MeasuringPiCamera(params, tmp_path / "pi.json", camera_factory=lambda number: camera)
    with pytest.raises(DeviceError, match="ribbon"):
        source.open()
    with pytest.raises(DriverHangs):
        source.open()
    camera.unwedge()


def test_automatics_that_never_come_to_an_end_are_given_up() -> None:
    now_s = iter(range(0, 1000, 3))
    camera = FakePicamera2()
    mode = whole_field_mode(camera.sensor_modes, (1280, 960))
    with pytest.raises(DeviceError, match="ribbon"):
        measure_light(camera, PiCameraParams(), mode, clock=lambda: next(now_s))
    camera.stop()
    camera.close()


class Fleet:
    """Every camera that was opened, newest last; the light changes when a lamp is moved."""

    def __init__(self) -> None:
        self.cameras: list[FakePicamera2] = []
        self.exposure_us = 20_000

    def __call__(self, number: int) -> FakePicamera2:
        camera = FakePicamera2(number)
        camera.sees["ExposureTime"] = self.exposure_us
        self.cameras.append(camera)
        return camera

    def gain(self) -> Any:
        return self.cameras[-1].configured["controls"]["AnalogueGain"]


def test_first_start_measures_and_later_ones_remember(tmp_path: Path) -> None:
    fleet = Fleet()
    for configured in (2, 1):
        source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
        source.open()
        assert source.read(1.0) is not None
        source.close()
        assert len(fleet.cameras[-1].configurations) == configured
        assert fleet.gain() == 1.5
    assert [one.name for one in tmp_path.iterdir()] == ["pi.json"]


def test_measuring_again_goes_through_a_fault_and_keeps_counting_frames(tmp_path: Path) -> None:
    fleet = Fleet()
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.open()
    before = source.read(1.0)
    fleet.exposure_us = 40_000
    source.measure_again()
    with pytest.raises(DeviceError, match="keep the tray empty"):
        source.read(1.0)
    source.close()
    source.open()
    after = source.read(1.0)
    assert fleet.gain() == 3.0
    assert before is not None
    assert after is not None
    assert after.sequence > before.sequence
    source.close()


def test_light_is_measured_once_the_ring_is_white_and_again_when_it_changes(tmp_path: Path) -> None:
    fleet = Fleet()
    ring: list[str | None] = [None, None, "white 160"]
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.follow_ring(lambda: ring.pop(0) if len(ring) > 1 else ring[0])
    source.open()
    assert ring == ["white 160"], "it has waited while WLED showed its own colour"
    for unknown in (None, "white 160"):
        ring[:] = [unknown]
        assert source.read(1.0) is not None
    ring[:], fleet.exposure_us = ["white 80"], 40_000
    with pytest.raises(DeviceError, match="keep the tray empty"):
        source.read(1.0)
    source.open()
    assert fleet.gain() == 3.0
    assert source.read(1.0) is not None
    source.close()


@pytest.mark.parametrize(
    ("kept", "now", "measures"),
    [
        ("white 160", "white 160", False),
        ("white 160", None, False),
        (None, "white 160", True),
        ("none", "white 160", True),
    ],
)
def test_light_that_was_kept_holds_for_the_ring_that_it_was_measured_under(
    tmp_path: Path, kept: str | None, now: str | None, measures: bool
) -> None:
    light = PiCameraParams(half_periods=1, gain=7.0, colour_gains=(1.0, 1.0))
    keep_settings(tmp_path / "pi.json", light, "imx708", None, kept)
    fleet = Fleet()
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.follow_ring(lambda: now)
    source.open()
    assert source.read(1.0) is not None
    assert (fleet.gain() == 1.5) is measures
    source.close()


def test_where_it_cannot_be_measured_under_another_ring_the_light_that_was_kept_holds(tmp_path: Path) -> None:
    light = PiCameraParams(half_periods=1, gain=7.0, colour_gains=(1.0, 1.0))
    keep_settings(tmp_path / "pi.json", light, "imx708", None, "white 160")
    fleet = Fleet()
    fleet.exposure_us = 900_000
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.follow_ring(lambda: "white 5")
    with pytest.raises(DeviceError, match="add a lamp"):
        source.open()
    source.open()
    assert fleet.gain() == 7.0
    assert source.read(1.0) is not None
    fleet.exposure_us = 20_000
    source.measure_again()
    source.open()
    assert fleet.gain() == 1.5
    source.close()


def test_a_tray_whose_ring_was_taken_away_measures_again(tmp_path: Path) -> None:
    light = PiCameraParams(half_periods=1, gain=7.0, colour_gains=(1.0, 1.0))
    for kept, gain in (("white 160", 1.5), ("none", 7.0)):
        keep_settings(tmp_path / "pi.json", light, "imx708", None, kept)
        fleet = Fleet()
        source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
        source.follow_ring(None)
        source.open()
        assert fleet.gain() == gain
        source.close()


def test_measuring_that_fails_is_tried_again_and_forgets_nothing(tmp_path: Path) -> None:
    fleet = Fleet()
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.open()
    fleet.exposure_us = 900_000
    source.measure_again()
    with pytest.raises(DeviceError, match="add a lamp"):
        source.open()
    assert recall_light(tmp_path / "pi.json", PiCameraParams(), "imx708") is not None
    fleet.exposure_us = 40_000
    source.open()
    assert fleet.gain() == 3.0
    source.close()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"format": "other"}', '{"format": "pushtray-pi-camera/1", "fps": 20, "mains_hz": 50}']
)
def test_broken_memory_is_measured_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "pi.json").write_text(text)
    assert recall_light(tmp_path / "pi.json", PiCameraParams(), "imx708") is None
    assert recall_focus(tmp_path / "pi.json", "imx708") is None


def test_memory_of_another_camera_rate_or_out_of_range_does_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "pi.json"
    light = PiCameraParams(half_periods=2, gain=1.5, colour_gains=(1.8, 1.6))
    keep_settings(path, light, "imx708", 3.0)
    assert recall_light(path, PiCameraParams(), "imx708") == light
    assert recall_focus(path, "imx708") == 3.0
    assert recall_light(path, PiCameraParams(), "imx219") is None
    assert recall_focus(path, "imx219") is None
    assert recall_light(path, PiCameraParams(mains_hz=60), "imx708") is None
    assert recall_focus(path, "imx708") == 3.0, "the lens hangs where it hung"
    path.write_text(path.read_text().replace("1.5", "900.0").replace("3.0", "77.0"))
    assert recall_light(path, PiCameraParams(), "imx708") is None
    assert recall_focus(path, "imx708") is None


def test_what_a_camera_measured_is_kept_in_a_new_folder_or_refused_in_one_line(tmp_path: Path) -> None:
    light = PiCameraParams(half_periods=2, gain=1.5, colour_gains=(1.8, 1.6))
    path = tmp_path / "evening" / "data" / "pi.json"
    keep_settings(path, light, "imx708", None)
    assert recall_light(path, PiCameraParams(), "imx708") == light
    with pytest.raises(DeviceError, match="--data"):
        keep_settings(path / "pi.json", light, "imx708", None)


def test_settings_hold_where_measuring_is_switched_off(tmp_path: Path) -> None:
    assert type(make_camera(CameraRequest("pi", PiCameraParams(measure=False), tmp_path))) is PiCamera
    assert isinstance(make_camera(CameraRequest("pi", PiCameraParams(), tmp_path)), MeasuringPiCamera)


@pytest.mark.parametrize("stride", [320, 384])
def test_padding_of_the_small_stream_is_cut_off_once_it_is_a_picture(stride: int) -> None:
    """Left half blue, right half red: chroma that was read with the wrong stride would smear one into the other."""
    image = np.zeros((240, 320, 3), np.uint8)
    image[:, :160], image[:, 160:] = (255, 0, 0), (0, 0, 255)
    tight = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)
    luma = np.full((240, stride), 77, np.uint8)
    luma[:, :320] = tight[:240]
    chroma = np.full((240, stride // 2), 33, np.uint8)
    chroma[:, :160] = tight[240:].reshape(240, 160)
    small = pi_camera._small_picture(np.concatenate([luma, chroma.reshape(120, stride)]), (320, 240))
    assert small is not None
    assert small.shape == (240, 320, 3)
    assert np.abs(small.astype(int) - image).max() <= 8


@pytest.mark.parametrize("shape", [(360, 256), (240, 320), (360, 320, 3)])
def test_planes_of_another_shape_are_no_small_picture(shape: tuple[int, ...]) -> None:
    assert pi_camera._small_picture(np.zeros(shape, np.uint8), (320, 240)) is None


def test_small_stream_of_another_size_is_shrunk_from_the_picture() -> None:
    image = np.zeros((960, 1280, 3), np.uint8)
    other = Frame(image, 0.0, 0, np.zeros((120, 160, 3), np.uint8))
    assert small_of(other).shape == (240, 320, 3)
    odd = Frame(image[:950], 0.0, 0, np.zeros((236, 320, 3), np.uint8))
    assert small_of(odd) is not odd.small_bgr
    assert small_of(odd).shape == (236, 320, 3)


def test_a_tray_measures_under_its_white_ring_and_again_from_the_page(tmp_path: Path) -> None:
    fleet = Fleet()
    camera = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    settings = with_overrides(Settings(), camera="simulated", data=tmp_path / "data", port=0)
    emulator = WledEmulator(tmp_path / "ring")
    emulator.plug()
    ring = replace(settings.ring, kind="wled", port=replace(settings.ring.port, port=str(tmp_path / "ring")))
    app = TrayApp(replace(settings, ring=ring), CameraSetup(camera, None, BlindWatch()))
    app.start()
    try:
        wait_until(lambda: app.camera.worker.newest is not None)
        assert recall_ring(tmp_path / "pi.json", "imx708") == "255,255,255 at 160", "not WLED's own orange"
        fleet.exposure_us = 40_000
        app.calibration.workflow.measure_light()
        assert fleet.gain() == 3.0
        fleet.exposure_us = 900_000
        with pytest.raises(BadInput, match=r"too little light: .*: add a lamp"):
            app.calibration.workflow.measure_light()
    finally:
        app.stop()
        emulator.unplug()
