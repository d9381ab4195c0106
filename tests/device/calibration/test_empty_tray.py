"""The floor of an empty tray on the calibration page: at the same place in every picture, whatever tray and light."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.calibration.empty_tray import CalibrationParams, look_at_empty
from device.calibration.workflow import CalibrationWorkflow
from device.simulation.camera import SimulatedCamera, SimulatedCameraParams
from device.simulation.scenery import SceneryParams, box_of
from device.texts.catalogue import translate
from tests.device.simulation.drawn_once import trays_drawn_once
from tests.stepped_clock import SteppedClock
from vision.rendering.optics import project
from vision.tray.floor import Floor
from vision.types.frame import FloatArray

LOOKS = 6
COLOURS = {"base": "yellow", "skill": "green", "gear": "black"}


@pytest.fixture(scope="module", autouse=True)
def _trays_drawn_once() -> Iterator[None]:
    with trays_drawn_once():
        yield


def simulated(look_seed: int | None) -> SimulatedCamera:
    params = SimulatedCameraParams(seed=1, scenery=SceneryParams(look_seed=look_seed))
    camera = SimulatedCamera(params, SteppedClock())
    camera.open()
    return camera


def true_floor(camera: SimulatedCamera) -> Floor:
    corners = [(x, y, 0.0) for x, y in box_of(camera.scene.tray).inner_mm]
    places: FloatArray = np.asarray(project(camera.scene.camera, np.array(corners)), dtype=np.float64)
    return Floor("rectangle", places)


# The usual tray comes last: the tests after this one use it too, and it stays cached for them.
@pytest.mark.parametrize("look_seed", [0, 3, None])
def test_floor_is_in_one_place_at_every_look(look_seed: int | None, tmp_path: Path) -> None:
    camera = simulated(look_seed)
    workflow = CalibrationWorkflow(lambda: camera.read(1.0), tmp_path / "tray.json", lambda made: None, colours=COLOURS)
    floors = []
    for _ in range(LOOKS):
        reported: Any = workflow.look()
        assert {check["verdict"] for check in reported["checks"]} <= {"ok", "warn"}, reported["checks"]
        floors.append(Floor(reported["floor"]["shape"], np.array(reported["floor"]["outline_px"])))
    assert max(outlines_apart_px(floor, floors[0]) for floor in floors) <= 70.0
    assert max(outlines_apart_px(floor, true_floor(camera)) for floor in floors) <= 60.0


def outlines_apart_px(one: Floor, other: Floor) -> float:
    """Return the greatest distance of a corner of either floor from the outline of the other."""
    return max(
        abs(from_.distance_px(float(x), float(y)))
        for from_, to in ((one, other), (other, one))
        for x, y in to.outline_px
    )


def test_camera_that_stands_still_is_judged_by_the_picture_it_gave() -> None:
    frame = simulated(None).read(1.0)
    assert frame is not None
    look = look_at_empty(lambda: replace(frame), None, CalibrationParams(frame_s=0.0))
    assert look.floor is not None
    assert look.floor.shape == "rectangle"


def test_tray_that_most_pictures_do_not_show_has_no_floor() -> None:
    camera = simulated(None)
    taken = iter(range(100))

    def newest() -> Any:
        frame = camera.read(1.0)
        assert frame is not None
        return frame if next(taken) % 2 else replace(frame, image_bgr=np.zeros_like(frame.image_bgr))

    look = look_at_empty(newest, None, CalibrationParams())
    assert look.floor is None
    assert look.checks[0].text == translate("calibration.no_floor")
