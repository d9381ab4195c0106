"""The tray's floor, whatever its shape, its light and what lies in it; and none where there is no tray."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.imaging.image_file import load_image
from vision.rendering.scene import Light, Scene, TrayLook
from vision.training.scenes import outline_px, tray_truth
from vision.tray.floor import Floor
from vision.tray.scene_floor import find_common_floor, find_floor
from vision.types.frame import ImageBgr, ImageGray

SCENE = drawn_scene(1)
EMPTY = replace(SCENE, dice=())


def overlap(floor: Floor | None, truth: ImageGray) -> float:
    """Return the common area of a floor and the true one over the joint area; 0 without a floor."""
    if floor is None:
        return 0.0
    mask = floor.mask(truth.shape[1], truth.shape[0])
    return float(np.count_nonzero(truth & mask) / np.count_nonzero(truth | mask))


def true_floor(scene: Scene) -> ImageGray:
    """Return where a drawn tray's floor goes on, 255."""
    return np.where(tray_truth(scene.camera, scene.tray) >= 8, 255, 0).astype(np.uint8)


def filled(corners: list[list[float]], image: ImageBgr) -> ImageGray:
    truth: ImageGray = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(truth, [np.rint(np.array(corners)).astype(np.int32)], (255,))
    return truth


@pytest.mark.parametrize("shape", ["rectangle", "round", "hexagon", "octagon"])
@pytest.mark.parametrize("haze", [False, True])
def test_finds_the_floor_of_trays_of_every_shape(shape: str, haze: bool) -> None:
    size = (260.0, 200.0) if shape == "rectangle" else (220.0, 220.0)
    scene = replace(EMPTY, tray=replace(EMPTY.tray, shape=shape, floor_mm=size))
    picture = draw(scene)
    if haze:
        picture = np.asarray(picture * 0.3 + 60.0, np.uint8)
    assert overlap(find_floor(picture), true_floor(scene)) > 0.9


def test_the_shadow_of_a_wall_is_floor() -> None:
    low = Light((420.0, 90.0, 190.0), 1.0, softness_mm=5.0)
    scene = replace(EMPTY, lights=(low,), ambient=0.25)
    assert overlap(find_floor(draw(scene)), true_floor(scene)) > 0.92


def test_dice_and_a_sheet_lie_on_a_floor_that_goes_on_below() -> None:
    picture = draw(SCENE)
    sheet = cv2.boxPoints(((640.0, 700.0), (300.0, 200.0), 20.0))
    cv2.fillPoly(picture, [np.rint(sheet).astype(np.int32)], (225, 230, 228))
    assert overlap(find_floor(picture), true_floor(SCENE)) > 0.9


def test_a_bare_table_has_no_floor() -> None:
    bare = replace(SCENE, tray=TrayLook(shape="none", floor_mm=(600.0, 600.0)))
    assert find_floor(draw(bare)) is None
    assert find_floor(draw(replace(bare, dice=()))) is None


def test_pictures_of_one_colour_have_no_floor() -> None:
    for level in (0, 120, 255):
        assert find_floor(np.full((480, 640, 3), level, np.uint8)) is None


def test_a_wooden_tray_on_a_table_of_the_same_wood_is_found() -> None:
    # Drawn by traced_trays.py, red, white and blue, seed 3, number 46; the floor's corners are from its geometry.
    image = load_image(Path(__file__).resolve().parents[2] / "golden" / "traced" / "wooden_lamp.jpg")
    true_px = [[190.9, 817.9], [1064.1, 807.9], [1056.5, 161.2], [183.2, 172.0]]
    assert overlap(find_floor(image), filled(true_px, image)) > 0.9


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (500, 500), (1280, 720), (20, 16)])
def test_a_picture_may_have_any_proportions(size: tuple[int, int]) -> None:
    picture = cv2.resize(draw(SCENE)[:, 160:1120], size, interpolation=cv2.INTER_AREA)
    truth = cv2.resize(true_floor(SCENE)[:, 160:1120], size, interpolation=cv2.INTER_AREA)
    floor = find_floor(np.asarray(picture, np.uint8))
    if min(size) > 100:
        assert overlap(floor, np.where(truth > 127, 255, 0).astype(np.uint8)) > 0.8


def test_several_pictures_show_the_floor_that_most_of_them_show() -> None:
    picture = draw(EMPTY)
    black = np.zeros_like(picture)
    common = find_common_floor([picture, picture, picture, black])
    assert common is not None
    assert common.apart_px < 10.0
    assert overlap(common.floor, true_floor(EMPTY)) > 0.9
    assert find_common_floor([picture, black, black]) is None


def test_truth_of_a_drawn_die_lies_where_it_is_drawn() -> None:
    x, y = outline_px(SCENE.dice[0], SCENE.camera).mean(axis=0)
    changed = np.abs(draw(SCENE).astype(int) - draw(EMPTY)).sum(axis=2)
    assert changed[round(float(y)), round(float(x))] > 60
