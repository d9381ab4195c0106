from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from vision.rendering.materials import MATERIALS, grain
from vision.rendering.optics import project, rays
from vision.rendering.scene import CameraPose, Capture, DieLook, DiePose, Light, Scene, TrayLook
from vision.rendering.synthetic import TrayBackdrop, draw, truth_of

YELLOW = DieLook(body_bgr=(30, 205, 250), pip_bgr=(20, 20, 20))
FACES_UP = {
    1: np.eye(3),
    2: np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    3: np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]),
    4: np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    5: np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    6: np.diag([1.0, -1, -1]),
}


def turned(deg: float) -> np.ndarray:
    c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def camera(width: int = 640, height: int = 480) -> CameraPose:
    f = 0.966 * width
    k = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1.0]])
    return CameraPose(width, height, k, np.diag([1.0, -1, -1]), np.array([0.0, 0.0, 395.0]))


def die(value: int, x: float = 0.0, y: float = 0.0, deg: float = 20.0, look: DieLook = YELLOW) -> DiePose:
    return DiePose(look, np.array([x, y, look.size_mm / 2]), turned(deg) @ FACES_UP[value])


def scene(*dice: DiePose, **more: Any) -> Scene:
    still = Capture(noise=0.0, vignette=0.0)
    base = Scene(TrayLook(), tuple(dice), camera(), (Light((120, 150, 400), 0.8),), capture=still)
    return replace(base, **more)


@pytest.mark.parametrize("value", FACES_UP)
def test_truth_names_the_face_that_looks_up(value: int) -> None:
    truth = truth_of(scene(die(value)))[0]
    assert truth.value == value
    assert not truth.cocked
    assert truth.tilt_deg == pytest.approx(0.0, abs=1e-6)


def test_left_handed_dice_swap_three_and_four() -> None:
    look = replace(YELLOW, left_handed=True)
    assert truth_of(scene(die(3, look=look)))[0].value == 4


@pytest.mark.parametrize("value", FACES_UP)
def test_a_drawn_top_face_shows_as_many_pips_as_its_truth(value: int) -> None:
    s = scene(die(value), camera=camera(1280, 960))
    quad = np.array(truth_of(s)[0].top_quad_px, np.float32)
    face = np.array([[0, 0], [100, 0], [100, 100], [0, 100]], np.float32)
    flat = cv2.warpPerspective(draw(s), cv2.getPerspectiveTransform(quad, face), (100, 100))
    dark = (flat[10:90, 10:90, 2] < 110).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(dark)
    assert sum(int(stats[i, cv2.CC_STAT_AREA]) > 60 for i in range(1, count)) == value


def test_a_leaning_die_is_cocked_past_twelve_degrees() -> None:
    def leaning(deg: float) -> DiePose:
        c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
        return DiePose(YELLOW, np.array([0, 0, 9.0]), np.array([[1, 0, 0], [0, c, -s], [0, s, c]]))

    truths = truth_of(scene(leaning(11.5), leaning(12.5)))
    assert [t.cocked for t in truths] == [False, True]
    assert [t.tilt_deg for t in truths] == pytest.approx([11.5, 12.5])


def test_the_drawing_covers_the_true_box_and_nothing_far_from_it() -> None:
    lit = (Light((0, 0, 400), 1.0, 20),)
    empty = draw(scene(lights=lit, ambient=0.6)).astype(int)
    with_die = scene(die(5, 30, -20), lights=lit, ambient=0.6)
    changed = np.abs(draw(with_die).astype(int) - empty).max(axis=2) > 40
    ys, xs = np.nonzero(changed)
    x, y, w, h = truth_of(with_die)[0].box_px
    assert xs.min() == pytest.approx(x, abs=2.5)
    assert ys.min() == pytest.approx(y, abs=2.5)
    assert xs.max() == pytest.approx(x + w, abs=2.5)
    assert ys.max() == pytest.approx(y + h, abs=2.5)


def test_a_die_throws_its_shadow_away_from_the_lamp() -> None:
    s = scene(die(1, 0, 0, 0.0), lights=(Light((300, 0, 300), 1.0, 10),))
    change = draw(s).astype(int).sum(axis=2) - draw(replace(s, dice=())).astype(int).sum(axis=2)
    left = project(s.camera, np.array([-13.0, 0, 0]))
    right = project(s.camera, np.array([13.0, 0, 0]))
    assert change[round(left[1]), round(left[0])] < -60
    assert abs(change[round(right[1]), round(right[0])]) < 40


def test_the_same_scene_is_drawn_the_same() -> None:
    s = scene(die(2), die(6, 40, 10), capture=Capture())
    assert np.array_equal(draw(s), draw(s))


def test_a_backdrop_forgets_the_dice_it_drew() -> None:
    s = scene(die(2))
    tray = TrayBackdrop(s)
    before = tray.draw(())
    tray.draw(s.dice)
    assert np.array_equal(tray.draw(()), before)


def test_the_light_of_two_lamps_is_the_sum_of_each_ones() -> None:
    s = scene(die(2), die(6, 40, 10))
    lamps = (Light((200, 150, 600), 0.5, 80), Light((-250, 0, 400), 0.3, 20))

    def light(ambient: float, *lit: Light) -> np.ndarray:
        return TrayBackdrop(replace(s, ambient=ambient, lights=lit)).light(s.dice)

    apart = light(0.2) + light(0.0, lamps[0]) + light(0.0, lamps[1])
    assert np.allclose(light(0.2, *lamps), apart, atol=0.01)
    assert light(0.2, lamps[0]).mean() > light(0.2).mean()


def test_a_moving_die_is_smeared_along_its_way() -> None:
    still = scene(die(1, deg=0.0))
    moving = replace(still, dice=(replace(still.dice[0], travel_mm=(30.0, 0.0, 0.0)),))
    empty = draw(scene()).astype(int)

    def width(s: Scene) -> int:
        xs = np.nonzero(np.abs(draw(s).astype(int) - empty).max(axis=(0, 2)) > 12)[0]
        return int(np.ptp(xs))

    assert width(moving) > width(still) + 25


def test_rays_and_projection_are_inverse_with_a_bent_lens() -> None:
    bent = replace(camera(), distortion=(-0.08, 0.02, 0.001, -0.001, 0.0))
    way = rays(bent, (0, 0, bent.width_px, bent.height_px))
    for u, v in ((5, 5), (320, 240), (600, 20)):
        place = np.array([0, 0, 395.0]) + way[v, u].astype(float) * 395.0
        assert project(bent, place) == pytest.approx([u, v], abs=0.05)
        assert np.array_equal(rays(bent, (u, v, u + 1, v + 1))[0, 0], way[v, u])


@pytest.mark.parametrize("shape", ["rectangle", "round", "hexagon", "octagon", "none"])
def test_every_tray_shape_is_drawn(shape: str) -> None:
    s = scene(tray=TrayLook(shape=shape, floor_mm=(200.0, 200.0), table_bgr=(150, 150, 150)))
    picture = draw(s)
    assert picture.shape == (480, 640, 3)
    blue, _, red = (int(v) for v in picture[240, 320])
    assert (blue - red > 30) == (shape != "none")


def test_unknown_shape_material_and_clutter_are_named() -> None:
    with pytest.raises(ValueError, match="shape is 'heart'"):
        draw(scene(tray=TrayLook(shape="heart")))
    with pytest.raises(ValueError, match="material is 'lava'"):
        draw(scene(tray=TrayLook(floor="lava")))
    with pytest.raises(ValueError, match="clutter is 'cat'"):
        draw(scene(clutter=("cat",)))


@pytest.mark.parametrize("material", MATERIALS)
def test_grain_is_seamless_and_keeps_the_mean(material: str) -> None:
    tile = grain(material, 3)
    for axis in (0, 1):
        steps = np.abs(np.diff(tile, axis=axis)).mean(axis=1 - axis)
        seam = np.abs(np.take(tile, 0, axis) - np.take(tile, -1, axis)).mean()
        assert seam < 1.5 * steps.max() + 0.005
    assert abs(float(tile.mean())) < 0.12
