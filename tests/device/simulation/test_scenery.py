import numpy as np
import pytest

from device.simulation.scenery import DICE_COLOURS, SceneryParams, die_look, scenery
from vision.colour.classes import COLOUR_NAMES, lab_of, name_distances
from vision.rendering.optics import camera_center_mm, project


def test_the_camera_hangs_at_its_height_and_shows_its_field() -> None:
    params = SceneryParams(lean_deg=0.0)
    camera = scenery(params).camera
    assert camera_center_mm(camera) == pytest.approx((0.0, 0.0, params.lens_height_mm))
    ends = project(camera, np.array([[-params.field_mm / 2, 0.0, 0.0], [params.field_mm / 2, 0.0, 0.0]]))
    assert ends[:, 0] == pytest.approx((-0.5, params.width_px - 0.5))
    assert ends[:, 1] == pytest.approx([(params.height_px - 1) / 2] * 2)


def test_up_in_the_world_is_up_in_the_picture() -> None:
    for look_seed in (None, 1, 2, 3):
        camera = scenery(SceneryParams(look_seed=look_seed)).camera
        middle, right, up = project(camera, np.array([[0.0, 0.0, 0.0], [50.0, 0.0, 0.0], [0.0, 50.0, 0.0]]))
        assert right[0] - middle[0] > 100.0
        assert middle[1] - up[1] > 100.0
        assert middle == pytest.approx((639.5, 479.5), abs=1.0)


@pytest.mark.parametrize("shape", ["rectangle", "round", "hexagon", "octagon"])
def test_the_whole_floor_is_in_every_picture(shape: str) -> None:
    for look_seed in (None, *range(8)):
        scene = scenery(SceneryParams(shape=shape, look_seed=look_seed))
        half_x, half_y = (0.5 * size for size in scene.tray.floor_mm)
        corners = np.array([[x, y, 0.0] for x in (-half_x, half_x) for y in (-half_y, half_y)])
        xy = project(scene.camera, corners)
        assert xy.min() > 0.0
        assert xy[:, 0].max() < 1280.0
        assert xy[:, 1].max() < 960.0


def test_a_look_seed_repeats_its_look() -> None:
    one, again, other = (scenery(SceneryParams(look_seed=seed)) for seed in (4, 4, 5))
    assert one.tray == again.tray
    assert one.lights == again.lights
    assert np.array_equal(one.camera.rotation, again.camera.rotation)
    assert one.lights != other.lights


def test_a_die_of_each_name_is_nearest_to_that_name() -> None:
    assert set(DICE_COLOURS) == set(COLOUR_NAMES)
    for name in DICE_COLOURS:
        lab = lab_of(np.array([die_look(name, 16.0, 0).body_bgr], dtype=np.float64))[0]
        assert COLOUR_NAMES[int(name_distances(lab[None], COLOUR_NAMES).argmin())] == name


def test_pips_stand_out_from_every_body() -> None:
    for body, pips in DICE_COLOURS.values():
        light, dark = lab_of(np.array([body, pips], dtype=np.float64))[:, 0]
        assert abs(light - dark) > 25.0
