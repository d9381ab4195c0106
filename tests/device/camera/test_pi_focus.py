"""The focus of a Pi camera: by its height at a start, on the calibration card on request, otherwise by hand."""

import csv
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.calibration.workflow import CalibrationWorkflow
from device.camera import pi_memory, pi_settings
from device.camera.base import CameraRequest
from device.camera.pi_camera import PiCamera, PiCameraParams
from device.camera.pi_focus import LENS_MM, die_dioptres, dioptres_at, lens_height_mm
from device.camera.pi_memory import MeasuringPiCamera, recall_focus
from device.camera.pi_settings import CARD_CURE, AutomaticsParams
from device.check import CheckStatus
from device.diagnostics.probes import CheckParams, judge_pictures
from device.errors import BadInput, DeviceError
from device.standard_tray import DIE_MM
from device.texts.catalogue import translate
from vision.types.frame import Frame

OPTICS = Path(__file__).parents[3] / "hardware" / "optics.csv"
QUICK = AutomaticsParams(frames=2, focus_s=5.0)
BY_HEIGHT = dioptres_at(LENS_MM["imx708"])
SOLD_AS = {"imx708": "Camera Module 3", "imx708_wide": "Camera Module 3 Wide"}


def test_heights_are_those_of_the_build_guide() -> None:
    rows = {row["camera"]: row for row in csv.DictReader(OPTICS.read_text().splitlines())}
    assert {model: float(rows[SOLD_AS[model]]["lens_above_floor_mm"]) for model in LENS_MM} == LENS_MM
    for model, height_mm in LENS_MM.items():
        assert f"{dioptres_at(height_mm):.2f}" == rows[SOLD_AS[model]]["focus_dioptres"]
    assert lens_height_mm("imx708_wide_noir", None) == LENS_MM["imx708_wide"]
    assert lens_height_mm("imx708", 312.0) == 312.0
    with pytest.raises(DeviceError, match=r"imx519.*set pi.lens_mm"):
        lens_height_mm("imx519", None)


def test_focus_on_the_card_is_brought_up_to_dices_top_faces() -> None:
    assert die_dioptres(1000.0 / 290.0, 290.0, "imx708") == dioptres_at(290.0)
    for card_dioptres in (0.0, 1.0, 9.0):
        with pytest.raises(DeviceError, match="lay the card flat on the floor"):
            die_dioptres(card_dioptres, 290.0, "imx708")


@pytest.mark.parametrize("reported", [6.0, 10.0, 12.0])
def test_a_wide_lens_is_as_the_card_measures_it(pi_world: Any, tmp_path: Path, reported: float) -> None:
    # Reported for 175 mm; its maker says 5.7.
    pi_world.sensors, pi_world.sharp_dioptres = ("imx708_wide",), reported
    stage = Stage(tmp_path).start()
    view = stage.camera.view
    assert view is not None
    assert view.lens_dioptres == dioptres_at(170.0)
    assert "measure the focus" in str(view.focus_fault), "its start by height may be blurred"
    measured = stage.camera.measure_focus()
    assert measured == pytest.approx(reported + 1000.0 / (170.0 - DIE_MM) - 1000.0 / 170.0, abs=0.01)
    assert stage.camera.view is not None
    assert stage.camera.view.focus_fault is None
    stage.expect_lens_at(measured)
    for wrong in (3.0, 14.0):
        with pytest.raises(DeviceError, match="lay the card flat on the floor"):
            die_dioptres(wrong, 170.0, "imx708_wide_noir")
    stage.stop()


def test_a_lens_that_does_not_go_so_near_is_not_reported_as_sharp(
    pi_world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi_world.sensors, pi_world.sharp_dioptres = ("imx708_wide",), 12.0
    stage = Stage(tmp_path).start()
    camera = stage.camera._opened()
    monkeypatch.setattr(type(camera), "camera_controls", {**camera.camera_controls, "LensPosition": (0.0, 10.0, 1.0)})
    with pytest.raises(DeviceError, match=r"sharp at 12\.6. dioptres, and this lens goes to 10"):
        stage.camera.measure_focus()
    stage.stop()


class Stage:
    """A measuring camera that is read as by the camera's thread."""

    def __init__(self, folder: Path, params: PiCameraParams | None = None) -> None:
        self.memory = folder / "pi.json"
        self.camera = MeasuringPiCamera(params or PiCameraParams(), self.memory, automatics=QUICK)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> "Stage":
        self.camera.open()
        self._thread.start()
        return self

    def pause(self) -> None:
        """Stop reading; the camera stays open."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(20)

    def expect_lens_at(self, dioptres: float) -> None:
        """Check the metadata of the pictures, once those in progress have come."""
        self.pause()
        camera = self.camera._opened()
        for _ in range(8):
            seen = camera.wait(camera.capture_metadata(wait=False), timeout=5.0)
        assert seen["LensPosition"] == dioptres

    def stop(self) -> None:
        self.pause()
        self.camera.close()

    def _watch(self) -> None:
        while not self._stopping.is_set():
            self.camera.read(5.0)


@pytest.fixture
def stage(pi_world: Any, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.stop()


def test_first_start_takes_the_focus_from_the_height_whatever_lies_on_the_floor(pi_world: Any, stage: Stage) -> None:
    pi_world.sharp_dioptres = None  # nothing to see on bare felt: an autofocus would never end
    stage.start()
    view = stage.camera.view
    assert view is not None
    assert (view.lens_dioptres, view.focus_from) == (BY_HEIGHT, f"for a lens {LENS_MM['imx708']:g} mm above the floor")


def test_height_that_is_set_holds(pi_world: Any, tmp_path: Path) -> None:
    source = PiCamera(PiCameraParams(lens_mm=266.0))
    source.open()
    source.close()
    assert source.view is not None
    assert source.view.lens_dioptres == 4.0


def test_card_measures_the_focus_and_later_starts_remember_it(pi_world: Any, stage: Stage, tmp_path: Path) -> None:
    pi_world.sharp_dioptres = 3.3
    measured = stage.start().camera.measure_focus()
    assert measured == pytest.approx(1000.0 / (1000.0 / 3.3 - DIE_MM), abs=0.02)
    stage.stop()
    again = MeasuringPiCamera(PiCameraParams(), stage.memory, automatics=QUICK)
    again.open()
    again.close()
    assert again.view is not None
    assert (again.view.lens_dioptres, again.view.focus_from) == (measured, "measured on the calibration card")
    assert recall_focus(stage.memory, "imx708") == measured


@pytest.mark.parametrize(
    ("sharp_dioptres", "expected"), [(0.0, "nothing sharp was found"), (9.0, "found 111 mm from the lens")]
)
def test_focus_that_is_not_found_stays_as_it_was(
    pi_world: Any, stage: Stage, sharp_dioptres: float, expected: str
) -> None:
    pi_world.sharp_dioptres = sharp_dioptres
    desk = CalibrationWorkflow(
        lambda: None, stage.memory.with_name("p.json"), lambda _: None, colours={"base": "yellow"},
        focus=stage.start().camera.measure_focus,
    )  # fmt: skip
    with pytest.raises(BadInput) as caught:
        desk.measure_focus()
    assert expected in str(caught.value)
    assert str(caught.value).startswith(translate("calibration.focus_stays", error=""))
    assert "cable" not in str(caught.value)
    assert stage.camera.view is not None
    assert stage.camera.view.lens_dioptres == BY_HEIGHT
    stage.expect_lens_at(BY_HEIGHT)
    assert recall_focus(stage.memory, "imx708") is None


def test_focus_that_comes_to_no_end_is_no_fault_of_the_cable(pi_world: Any, tmp_path: Path) -> None:
    pi_world.sharp_dioptres = None
    source = MeasuringPiCamera(
        PiCameraParams(), tmp_path / "pi.json", automatics=AutomaticsParams(frames=2, focus_s=0.05)
    )
    source.open()
    reported: list[str] = []

    def ask() -> None:
        try:
            source.measure_focus()
        except DeviceError as error:
            reported.append(str(error))

    asker = threading.Thread(target=ask)
    asker.start()
    while asker.is_alive():
        assert source.read(5.0) is not None, "play goes on"
    source.close()
    assert reported == [f"focusing did not finish within 0.05 s: {CARD_CURE}"]


def test_lens_without_a_motor_is_turned_by_hand_and_nothing_is_set(pi_world: Any, tmp_path: Path) -> None:
    pi_world.sensors = ("imx219",)
    stage = Stage(tmp_path).start()
    with pytest.raises(DeviceError, match="turn it with its key"):
        stage.camera.measure_focus()
    stage.stop()
    assert stage.camera.view is not None
    assert stage.camera.view.lens_dioptres is None
    with pytest.raises(DeviceError, match=r"imx219.*does not move.*take pi.lens_dioptres out"):
        PiCamera(PiCameraParams(lens_dioptres=3.65)).open()


def test_lens_that_should_move_and_does_not_is_distinguished(pi_world: Any, tmp_path: Path) -> None:
    pi_world.sensors = ("imx708_noir",)
    stage = Stage(tmp_path).start()
    with pytest.raises(DeviceError, match="offers no AfMode for it: run sudo apt full-upgrade"):
        stage.camera.measure_focus()
    stage.stop()
    with pytest.raises(DeviceError, match="offers no AfMode"):
        PiCamera(PiCameraParams(lens_dioptres=3.65)).open()
    bright = Frame(np.full((960, 1280, 3), 120, np.uint8), 0.0, 0)
    request = CameraRequest("pi", PiCameraParams(), tmp_path)
    check = judge_pictures(request, stage.camera, bright, 20.0, CheckParams())
    assert check.status is CheckStatus.WARN
    assert "offers no AfMode" in check.text
    assert "camera_auto_detect=1" in str(check.cure)


def test_memory_of_another_camera_does_not_hold(pi_world: Any, tmp_path: Path) -> None:
    Stage(tmp_path).start().stop()
    if hasattr(pi_world, "switch_off_and_on"):
        pi_world.switch_off_and_on()
    pi_world.sensors = ("ov5647",)
    other = Stage(tmp_path).start()
    other.stop()
    assert other.camera.view is not None
    assert (other.camera.view.model, other.camera.view.lens_dioptres) == ("ov5647", None)


def test_focus_that_is_set_holds_over_the_card(pi_world: Any, tmp_path: Path) -> None:
    pi_world.sharp_dioptres = 3.3
    first = Stage(tmp_path).start()
    first.camera.measure_focus()
    first.stop()
    stage = Stage(tmp_path, PiCameraParams(lens_dioptres=3.1)).start()
    assert stage.camera.view is not None
    assert (stage.camera.view.lens_dioptres, stage.camera.view.focus_from) == (3.1, "as set")
    with pytest.raises(DeviceError, match=r"pi\.lens_dioptres is set to 3\.1"):
        stage.camera.measure_focus()
    stage.stop()


def test_light_that_is_measured_again_leaves_the_cards_focus(pi_world: Any, tmp_path: Path) -> None:
    pi_world.sharp_dioptres = 3.3
    first = Stage(tmp_path).start()
    measured = first.camera.measure_focus()
    first.stop()
    for params in (PiCameraParams(fps=15), PiCameraParams(fps=15, lens_dioptres=3.1), PiCameraParams(mains_hz=60)):
        Stage(tmp_path, params).start().stop()
        assert recall_focus(first.memory, "imx708") == measured, "measured for another rate, set by hand, other mains"


def test_focus_that_cannot_be_kept_is_not_used(pi_world: Any, stage: Stage) -> None:
    pi_world.sharp_dioptres = 3.3
    stage.start()
    stage.memory.unlink()
    stage.memory.mkdir()
    with pytest.raises(DeviceError, match="cannot be kept"):
        stage.camera.measure_focus()
    assert stage.camera.view is not None
    assert stage.camera.view.lens_dioptres == BY_HEIGHT
    stage.expect_lens_at(BY_HEIGHT)


def test_no_attribute_reads_no_focus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.camera.pi_memory.FOCUS_WAIT_S", 0.01)
    with pytest.raises(DeviceError, match="gives no pictures now"):
        MeasuringPiCamera(PiCameraParams(), tmp_path / "pi.json").measure_focus()


def test_a_focus_that_was_given_up_is_not_measured_later(
    pi_world: Any, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi_world.sharp_dioptres = 3.3
    monkeypatch.setattr("device.camera.pi_memory.FOCUS_WAIT_S", 0.01)
    stage.camera.open()
    with pytest.raises(DeviceError, match="gives no pictures now"):
        stage.camera.measure_focus()
    for _ in range(3):
        assert stage.camera.read(5.0) is not None
    assert recall_focus(stage.memory, "imx708") is None
    stage.expect_lens_at(BY_HEIGHT)


def test_a_focus_that_is_being_measured_counts_however_long_it_takes(
    pi_world: Any, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi_world.sharp_dioptres = 3.3
    taken, given_up = threading.Event(), threading.Event()

    class LateFuture(Future[float]):
        def result(self, timeout: float | None = None) -> float:
            if timeout is None:
                return super().result(5)
            assert taken.wait(5)
            given_up.set()
            raise WaitedTooLong

    def focus_slowly(*args: Any, **options: Any) -> Any:
        taken.set()
        assert given_up.wait(5)
        return focus(*args, **options)

    focus = pi_settings.measure_focus
    monkeypatch.setattr(pi_memory, "Future", LateFuture)
    monkeypatch.setattr(pi_memory, "measure_focus", focus_slowly)
    measured = stage.start().camera.measure_focus()
    assert recall_focus(stage.memory, "imx708") == measured


def test_calibration_of_another_camera_says_who_focuses_it(tmp_path: Path) -> None:
    desk = CalibrationWorkflow(lambda: None, tmp_path / "p.json", lambda _: None, colours={"base": "yellow"})
    with pytest.raises(BadInput, match="turn its lens until the card is sharp"):
        desk.measure_focus()
