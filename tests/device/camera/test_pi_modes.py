"""A Pi camera's view of the tray, on the fake picamera2 and on the real one: the whole field, in every picture."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.app import TrayApp
from device.camera.base import CameraRequest
from device.camera.pi_camera import PiCamera, PiCameraParams
from device.camera.pi_driver import ribbon_cameras
from device.camera.pi_focus import LENS_MM, dioptres_at
from device.camera.pi_memory import MeasuringPiCamera, memory_name
from device.camera.pi_modes import SensorMode, wanted_crop, whole_field_mode
from device.camera.pi_settings import AutomaticsParams
from device.camera.registry import make_camera
from device.config.settings import Settings, with_overrides
from device.diagnostics import doctor
from device.errors import DeviceError
from device.runtime.source import CameraSetup
from tests.conftest import BlindWatch
from tests.device.conftest import wait_until
from tests.device.fake_picamera import FakePicamera2
from tests.device.pi_sensors import SENSORS, nearest_mode
from tests.narrowing import a, parts_of

FEW = AutomaticsParams(frames=2)


def listed(model: str) -> list[dict[str, Any]]:
    """Return the modes of a sensor in the form of picamera2's `sensor_modes`."""
    return [
        {"size": mode.size, "bit_depth": mode.bit_depth, "crop_limits": mode.crop, "fps": mode.fps}
        for mode in SENSORS[model].modes
    ]


@pytest.mark.parametrize(
    ("model", "main_px", "size_px", "bit_depth"),
    [
        ("imx708", (1280, 960), (2304, 1296), 10),
        ("imx708_wide", (640, 480), (2304, 1296), 10),
        ("imx708", (2304, 1728), (4608, 2592), 10),
        ("imx219", (1280, 960), (1640, 1232), 10),
        ("imx219", (640, 480), (1640, 1232), 10),
        ("imx219", (1920, 1080), (3280, 2464), 10),
        ("imx477", (1280, 960), (2028, 1520), 12),
        ("imx477", (2028, 1080), (2028, 1520), 12),
        ("ov5647", (1280, 960), (1296, 972), 10),
        ("ov5647", (4000, 3000), (2592, 1944), 10),
    ],
)
def test_smallest_mode_of_the_whole_field_that_is_large_enough(
    model: str, main_px: tuple[int, int], size_px: tuple[int, int], bit_depth: int
) -> None:
    mode = whole_field_mode(listed(model), main_px)
    assert (mode.size_px, mode.bit_depth) == (size_px, bit_depth)
    assert mode.crop == (0, 0, *SENSORS[model].array_px)


def test_mode_whose_crop_hangs_over_the_sensor_is_not_taken() -> None:
    # As one driver of the imx477 names its 4056x2160.
    odd = {"size": (4056, 2160), "bit_depth": 12, "crop_limits": (0, 440, 4056, 3040), "fps": 27.48}
    assert whole_field_mode([odd, *listed("imx477")], (3000, 2000)).size_px == (4056, 3040)


def test_camera_without_modes_is_reported() -> None:
    with pytest.raises(DeviceError, match="no sensor mode"):
        whole_field_mode([{"format": "MJPEG"}], (1280, 960))


def test_left_to_themselves_cameras_would_see_a_part() -> None:
    """The tests below would miss it if fake and stub took the right mode without being told."""
    assert nearest_mode(SENSORS["imx708"], (1280, 960), 10).size == (1536, 864)
    assert nearest_mode(SENSORS["imx477"], (1920, 1080), 12).size == (2028, 1080)
    assert nearest_mode(SENSORS["imx219"], (640, 480), 10).size == (640, 480)


@pytest.mark.parametrize(
    ("main_px", "crop"),
    [
        ((1280, 960), (576, 0, 3456, 2592)),
        ((1280, 720), (0, 0, 4608, 2592)),
        ((640, 160), (0, 720, 4608, 1152)),
    ],
)
def test_field_of_a_picture_is_the_middle_of_the_sensor(main_px: tuple[int, int], crop: tuple[int, ...]) -> None:
    assert wanted_crop(SensorMode((2304, 1296), 10, (0, 0, 4608, 2592)), main_px) == crop


@pytest.mark.parametrize(
    ("model", "platform"), [*((model, "pisp") for model in sorted(SENSORS)), ("imx708", "vc4"), ("imx219", "vc4")]
)
def test_first_picture_shows_the_whole_field(pi_world: Any, model: str, platform: str) -> None:
    pi_world.sensors, pi_world.platform = (model,), platform
    source = PiCamera()
    source.open()
    frame = source.read(5.0)
    source.close()
    assert frame is not None
    assert frame.image_bgr.shape == (960, 1280, 3)
    view = source.view
    assert view is not None
    assert view.shown is not None
    assert view.shown[2:] == pytest.approx(wanted_crop(view.mode, (1280, 960))[2:], abs=4)
    assert view.shown[3] == SENSORS[model].array_px[1] or view.shown[2] == SENSORS[model].array_px[0]
    assert view.field_fault() is None
    assert frame.small_bgr is not None, "motion is seen in the camera's own small stream, whatever its padding"
    assert frame.small_bgr.shape == (240, 320, 3)
    assert np.ptp(frame.small_bgr) <= 2, "nothing of the padding is in it"


def test_light_is_measured_in_the_mode_that_is_played_in(pi_world: Any, tmp_path: Path) -> None:
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", automatics=FEW)
    source.open()
    assert source.read(5.0) is not None
    camera = source._camera
    source.close()
    if hasattr(pi_world, "configured"):
        played = [mode.size for mode in pi_world.configured[3:]]  # the first three are picamera2's own query
    else:
        played = [one["sensor"]["output_size"] for one in a(FakePicamera2, camera).configurations]
    assert played == [(2304, 1296), (2304, 1296)]


def test_driver_that_takes_another_mode_is_reported_and_fails_in_doctor(
    pi_world: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pi_world.ignores_sensor = True
    source = PiCamera(PiCameraParams(lens_dioptres=3.65))
    source.open()
    for _ in range(3):
        source.read(5.0)
    source.close()
    (reported,) = caplog.messages
    assert "shows 2304x1728 of its sensor's pixels, not the 3456x2592 of the whole field" in reported
    check, size_px = doctor._camera(doctor.Examined(CameraRequest("pi", PiCameraParams(measure=False)), tmp_path))
    assert (check.status.value, size_px) == ("fail", (1280, 960))
    assert "3456x2592" in check.text
    assert check.cure == "run sudo apt full-upgrade and restart the Pi"


def test_running_tray_says_that_its_camera_shows_a_part(pi_world: Any, tmp_path: Path) -> None:
    pi_world.ignores_sensor = True
    settings = with_overrides(Settings(), camera="simulated", data=tmp_path, port=0)
    app = TrayApp(
        settings, CameraSetup(PiCamera(PiCameraParams(main_px=(320, 240), lores_px=(160, 120))), None, BlindWatch())
    )
    app.start()
    try:
        wait_until(lambda: "field" in parts_of(app.tray.health())["faults"])
        assert "whole field" in str(parts_of(app.tray.health())["faults"]["field"])
    finally:
        app.stop()


def test_doctor_names_field_and_focus_and_keeps_nothing(pi_world: Any, tmp_path: Path) -> None:
    out = io.StringIO()
    tray = doctor.Examined(CameraRequest("pi", PiCameraParams(), tmp_path), tmp_path, port=0)
    doctor.report([doctor._camera(tray)[0]], as_json=True, out=out)
    reported = json.loads(out.getvalue())
    # The pictures of both are dark; the field is judged before the light.
    height_mm = LENS_MM["imx708"]
    focus = f"focus {dioptres_at(height_mm):.2f} dioptres (for a lens {height_mm:g} mm above the floor)"
    assert f"imx708 read as 2304x1296, the whole field, {focus}" in reported["text"]
    assert list(tmp_path.iterdir()) == []


def test_only_cameras_on_ribbons_are_taken(pi_world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.camera.pi_driver.usb_cameras", lambda: {3: None})
    monkeypatch.setattr("device.camera.pi_driver.first_usb", lambda: "usb:3")
    pi_world.sensors, pi_world.webcams = (), ("imx219",)
    with pytest.raises(DeviceError, match=r"was not found: .*, or choose --camera usb:3"):
        make_camera(CameraRequest("pi", PiCameraParams())).open()
    pi_world.sensors = ("ov5647",)
    if hasattr(pi_world, "switch_off_and_on"):
        pi_world.switch_off_and_on()
    source = PiCamera()
    source.open()
    source.close()
    assert source.view is not None
    assert source.view.model == "ov5647"


def test_a_setting_chooses_between_two_cameras_on_ribbons(pi_world: Any, tmp_path: Path) -> None:
    pi_world.sensors, pi_world.webcams = ("imx708", "ov5647"), ("imx219",)
    assert ribbon_cameras() == ("imx708", "ov5647")
    for name, model in (("pi", "imx708"), ("pi:1", "ov5647")):
        source = make_camera(CameraRequest(name, PiCameraParams(measure=False), tmp_path))
        assert isinstance(source, PiCamera)
        source.open()
        source.close()
        assert source.view is not None
        assert (source.name, source.view.model) == (name, model)
    with pytest.raises(DeviceError, match=r"camera pi:2 was not found: .*, or choose --camera pi or pi:1"):
        make_camera(CameraRequest("pi:2", PiCameraParams())).open()


def test_each_camera_remembers_its_own_light(tmp_path: Path) -> None:
    names = [memory_name(number) for number in (0, 1)]
    assert names == ["pi_camera.json", "pi_camera-1.json"], "the first one's is that of earlier versions"
