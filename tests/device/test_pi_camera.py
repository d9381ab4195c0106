import ast
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device import pi_camera, pi_settings
from device.camera_kinds import make_camera, real_makers
from device.errors import BadInput, DeviceError
from fake_picamera import FakePicamera2, FakeRequest
from device.pi_camera import Camera, PiCamera, PiCameraParams, Request, mains_exposure_us
from device.pi_memory import MeasuringPiCamera, keep_settings, recall_settings
from device.pi_settings import AutomaticsParams, fix_exposure, measure_settings
from vision.frame import Frame
from vision.settle import SettleParams, small_of

REAL = json.loads((Path(__file__).parent / "data" / "picamera2.json").read_text())["classes"]


def parameters(function: Any) -> list[tuple[str, bool]]:
    return [
        (one.name, one.default is not inspect.Parameter.empty)
        for one in inspect.signature(function).parameters.values()
        if one.name != "self"
    ]


@pytest.mark.parametrize(
    ("fake", "method"),
    [(FakePicamera2, name) for name in REAL["Picamera2"]] + [(FakeRequest, name) for name in REAL["CompletedRequest"]],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_fake_has_the_real_signature(fake: type, method: str) -> None:
    real = REAL["Picamera2" if fake is FakePicamera2 else "CompletedRequest"][method]
    expected = [(one["name"], one["optional"]) for one in real]
    assert parameters(getattr(fake, method)) == expected


@pytest.mark.parametrize(("protocol", "real"), [(Camera, "Picamera2"), (Request, "CompletedRequest")])
def test_adapter_uses_only_what_the_real_class_offers(protocol: type, real: str) -> None:
    for name, function in vars(protocol).items():
        if not name.startswith("_") and callable(function):
            offered = [one["name"] for one in REAL[real][name]]
            used = [parameter for parameter, _ in parameters(function)]
            assert set(used) <= set(offered), name


@pytest.mark.parametrize("module", [pi_camera, pi_settings])
def test_every_call_on_the_camera_binds_to_the_real_signature(module: Any) -> None:
    calls = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name) and node.func.value.id in ("camera", "request")
    ]  # fmt: skip
    assert len(calls) >= 6
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        assert isinstance(call.func.value, ast.Name)
        real = REAL["Picamera2" if call.func.value.id == "camera" else "CompletedRequest"][call.func.attr]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = {True: None, False: inspect.Parameter.empty}
        signature = inspect.Signature(
            [inspect.Parameter(one["name"], kind, default=default[one["optional"]]) for one in real]
        )
        keywords = {keyword.arg: None for keyword in call.keywords if keyword.arg}
        signature.bind(*call.args, **keywords)


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
    assert small_of(frame, SettleParams()) is frame.small_bgr, "motion is seen in the camera's own small stream"
    assert frame.t_s == pytest.approx(5.05), "the sensor's own time"
    assert camera.log.count("configure") == 1
    assert camera.configured["main"] == {"format": "RGB888", "size": (1280, 960)}
    assert camera.configured["lores"] == {"format": "YUV420", "size": (320, 240)}
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
        ({"lores_px": (1920, 1080)}, "pi.lores_px"),
    ],
)
def test_what_no_camera_can_do_is_refused(values: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        PiCameraParams(**values)


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


def test_darkness_is_told() -> None:
    with pytest.raises(DeviceError, match="add a lamp"):
        fix_exposure(400_000, 50, 20, AutomaticsParams())


def test_settings_are_measured_once_and_fixed() -> None:
    camera = FakePicamera2()
    camera.sharp_dioptres = 2.631
    fixed = measure_settings(PiCameraParams(), camera_factory=lambda number: camera)
    assert (fixed.half_periods, fixed.gain, fixed.colour_gains, fixed.lens_dioptres) == (2, 1.5, (1.8, 1.6), 2.63)
    assert camera.log[-2:] == ["stop", "close"]
    assert fixed.controls()["LensPosition"] == 2.63


def test_lens_without_a_motor_has_no_focus_to_fix() -> None:
    camera = FakePicamera2()
    assert measure_settings(PiCameraParams(), camera_factory=lambda number: camera).lens_dioptres is None


def test_no_focus_is_told_and_the_camera_let_go() -> None:
    camera = FakePicamera2()
    camera.sharp_dioptres = 0.0
    with pytest.raises(DeviceError, match="no focus"):
        measure_settings(PiCameraParams(), camera_factory=lambda number: camera)
    assert camera.log[-1] == "close"


def test_cable_pulled_while_measuring() -> None:
    camera = FakePicamera2()
    camera.pulled = True
    with pytest.raises(DeviceError, match="ribbon"):
        measure_settings(PiCameraParams(), camera_factory=lambda number: camera)
    assert "cancel" in camera.log
    assert camera.log[-1] == "close"


def test_automatics_that_never_come_to_an_end_are_given_up() -> None:
    now_s = iter(range(0, 1000, 3))
    with pytest.raises(DeviceError, match="ribbon"):
        measure_settings(PiCameraParams(), camera_factory=lambda number: FakePicamera2(), clock=lambda: next(now_s))


class Fleet:
    """Every camera that was opened, newest last; the sharpest distance changes when somebody moves the arm."""

    def __init__(self) -> None:
        self.cameras: list[FakePicamera2] = []
        self.sharp_dioptres: float | None = 3.65

    def __call__(self, number: int) -> FakePicamera2:
        camera = FakePicamera2(number)
        camera.sharp_dioptres = self.sharp_dioptres
        self.cameras.append(camera)
        return camera

    def lens(self) -> Any:
        return self.cameras[-1].configured["controls"].get("LensPosition")


def test_first_start_measures_and_later_ones_remember(tmp_path: Path) -> None:
    fleet = Fleet()
    for opened in (2, 3):
        source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
        source.open()
        assert source.read(1.0) is not None
        source.close()
        assert len(fleet.cameras) == opened, "one to measure the first time, one to take pictures each time"
        assert fleet.lens() == 3.65
    assert [one.name for one in tmp_path.iterdir()] == ["pi.json"]


def test_measuring_anew_goes_through_a_fault_and_keeps_counting_frames(tmp_path: Path) -> None:
    fleet = Fleet()
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.open()
    before = source.read(1.0)
    fleet.sharp_dioptres = 4.2
    source.measure_anew()
    with pytest.raises(DeviceError, match="keep the tray empty"):
        source.read(1.0)
    source.close()
    source.open()
    after = source.read(1.0)
    assert fleet.lens() == 4.2
    assert before is not None
    assert after is not None
    assert after.sequence > before.sequence
    source.close()


def test_measuring_that_fails_is_tried_again_and_forgets_nothing(tmp_path: Path) -> None:
    fleet = Fleet()
    source = MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json", camera_factory=fleet)
    source.open()
    fleet.sharp_dioptres = 0.0
    source.measure_anew()
    with pytest.raises(DeviceError, match="no focus"):
        source.open()
    assert recall_settings(tmp_path / "pi.json", PiCameraParams()) is not None
    fleet.sharp_dioptres = 5.0
    source.open()
    assert fleet.lens() == 5.0
    source.close()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"format": "other"}', '{"format": "pushtray-pi-camera/1", "fps": 20, "mains_hz": 50}']
)
def test_broken_memory_is_measured_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "pi.json").write_text(text)
    assert recall_settings(tmp_path / "pi.json", PiCameraParams()) is None


def test_memory_of_another_rate_or_out_of_range_does_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "pi.json"
    fixed = PiCameraParams(half_periods=2, gain=1.5, colour_gains=(1.8, 1.6), lens_dioptres=3.0)
    keep_settings(path, fixed)
    assert recall_settings(path, PiCameraParams()) == fixed
    assert recall_settings(path, PiCameraParams(mains_hz=60)) is None
    path.write_text(path.read_text().replace("1.5", "900.0"))
    assert recall_settings(path, PiCameraParams()) is None
    with pytest.raises(DeviceError, match="--data"):
        keep_settings(tmp_path / "nowhere" / "pi.json", fixed)


def test_settings_hold_where_measuring_is_switched_off(tmp_path: Path) -> None:
    makers = real_makers(pi=PiCameraParams(measure=False), pi_memory=tmp_path / "pi.json")
    assert isinstance(make_camera("pi", makers), PiCamera)
    assert isinstance(make_camera("pi", real_makers(pi_memory=tmp_path / "pi.json")), MeasuringPiCamera)


def test_padded_small_stream_is_not_used() -> None:
    assert pi_camera._small_picture(np.zeros((360, 384), np.uint8), (320, 240)) is None
    grey = np.full((360, 320), 128, np.uint8)
    small = pi_camera._small_picture(grey, (320, 240))
    assert small is not None
    assert np.ptp(small) <= 2, "grey stays grey"


def test_small_stream_of_another_size_is_shrunk_from_the_picture() -> None:
    image = np.zeros((960, 1280, 3), np.uint8)
    other = Frame(image, 0.0, 0, np.zeros((120, 160, 3), np.uint8))
    assert small_of(other, SettleParams()).shape == (240, 320, 3)
    odd = Frame(image[:950], 0.0, 0, np.zeros((236, 320, 3), np.uint8))
    assert small_of(odd, SettleParams()) is not odd.small_bgr
    assert small_of(odd, SettleParams()).shape == (236, 320, 3)
