"""The floor found by its colour: on a mottled table, in shadow, under a crowd of dice, and never without a tray."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.rendering.optics import project
from vision.rendering.scene import Scene
from vision.tray.agreed_floor import find_agreed_floor
from vision.tray.floor import Floor
from vision.tray.floor_colour import regions_of_one_colour
from vision.tray.floor_search import find_floor
from vision.types.frame import FloatArray, ImageBgr

LEATHER = (60, 110, 20)
"""Green."""
FOLDED_MM = 25.0
"""How far a folded side reaches out."""


def leather_tray() -> Scene:
    """Return a hexagonal tray of one piece, sides and floor alike, with the dice that fit into it."""
    scene = drawn_scene(1)
    look = replace(
        scene.tray,
        shape="hexagon",
        floor_mm=(170.0, 170.0),
        floor="leather",
        wall="leather",
        floor_bgr=LEATHER,
        wall_bgr=LEATHER,
        wall_thickness_mm=FOLDED_MM,
        table="plain",
    )
    return replace(scene, tray=look, dice=tuple(die for die in scene.dice if np.hypot(*die.center_mm[:2]) < 75.0))


def hexagon_px(scene: Scene, inner_radius_mm: float, z_mm: float = 0.0) -> FloatArray:
    """Return a level hexagon around the tray's middle, with the tray's flats, in the picture."""
    turn = np.arange(6) * np.pi / 3.0
    corners = inner_radius_mm / np.cos(np.pi / 6.0) * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return project(scene.camera, np.column_stack([corners, np.full(6, z_mm)]))


def tufts(width_px: int, height_px: int, tuft_px: int = 24) -> ImageBgr:
    """Return a carpet of tufts of four colours, finer than the grain of the small copy."""
    colours = np.array([(150, 140, 150), (90, 130, 80), (110, 80, 150), (200, 205, 210)], np.uint8)
    picked = np.random.default_rng(1).integers(0, 4, (height_px // tuft_px, width_px // tuft_px))
    wide = cv2.resize(colours[picked], (width_px, height_px), interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.GaussianBlur(wide, (0, 0), 0.35 * tuft_px), np.uint8)


def on_carpet(scene: Scene) -> ImageBgr:
    """Return the scene with a mottled carpet around the tray instead of its table."""
    picture = draw(scene)
    rim = hexagon_px(scene, 0.5 * scene.tray.floor_mm[0] + FOLDED_MM, scene.tray.wall_mm)
    tray = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(tray, [np.rint(rim).astype(np.int32)], (255,))
    return np.where(tray[..., None] > 0, picture, tufts(picture.shape[1], picture.shape[0]))


@pytest.fixture(scope="module")
def scene() -> Scene:
    return leather_tray()


@pytest.fixture(scope="module")
def with_dice(scene: Scene) -> ImageBgr:
    return on_carpet(scene)


@pytest.fixture(scope="module")
def empty(scene: Scene) -> ImageBgr:
    return on_carpet(replace(scene, dice=()))


def is_the_trays(floor: Floor, scene: Scene) -> bool:
    """Return whether it includes all of the floor and exceeds the folded sides by less than a die."""
    foot = hexagon_px(scene, 0.47 * scene.tray.floor_mm[0])
    rim = Floor("hexagon", hexagon_px(scene, 0.5 * scene.tray.floor_mm[0] + FOLDED_MM, scene.tray.wall_mm))
    holds_all = min(floor.distance_px(float(x), float(y)) for x, y in foot) > -12.0
    return holds_all and min(rim.distance_px(float(x), float(y)) for x, y in floor.outline_px) > -40.0


def area_px(floor: Floor) -> float:
    return cv2.contourArea(floor.outline_px.astype(np.float32))


def test_a_leather_tray_on_a_mottled_carpet_is_found(scene: Scene, with_dice: ImageBgr) -> None:
    floor = find_floor(with_dice)
    assert floor is not None
    assert is_the_trays(floor, scene)
    assert not floor.sure


def test_an_empty_leather_tray_is_found_for_calibration(scene: Scene, empty: ImageBgr) -> None:
    noise = np.random.default_rng(2).normal(0.0, 2.0, (3, *empty.shape))
    agreed = find_agreed_floor([np.clip(empty + one, 0, 255).astype(np.uint8) for one in noise])
    assert agreed is not None
    assert agreed.is_agreed
    assert is_the_trays(agreed.floor, scene)


def test_a_cloth_that_fills_the_picture_is_no_tray() -> None:
    cloth = np.full((480, 640, 3), (150, 160, 158), np.uint8)
    cloth[:40] = (90, 95, 100)  # a table's rim
    for x in range(120, 560, 80):
        cv2.rectangle(cloth, (x, 220), (x + 24, 244), (40, 30, 170), -1)
    floor = find_floor(cloth)
    assert floor is None or floor.distance_px(320.0, 240.0) < 0.0, "at most the rim's strip"


def test_a_tray_that_fills_the_picture_is_found_whole() -> None:
    scene = drawn_scene(1)
    wide = replace(scene, tray=replace(scene.tray, floor_mm=(345.0, 250.0), wall_mm=10.0))
    floor = find_floor(draw(wide))
    assert floor is not None
    half = 0.47 * np.array(wide.tray.floor_mm)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    for x, y in project(wide.camera, np.column_stack([corners, np.zeros(4)])):
        assert floor.distance_px(float(x), float(y)) > 0.0


def disc_of(colour: tuple[int, int, int]) -> tuple[ImageBgr, ImageBgr]:
    """Return a round floor of that colour on grey, 200x160, and its place."""
    where = np.zeros((160, 200), np.uint8)
    cv2.circle(where, (100, 80), 60, (1,), -1)
    return np.where(where[..., None] > 0, np.array(colour, np.uint8), np.uint8(120)), where


def shares(region: ImageBgr, where: ImageBgr) -> tuple[float, float]:
    """Return a region's share of a place, and its size relative to that."""
    return float((region & where).sum() / where.sum()), float(region.sum() / where.sum())


def test_a_shadow_belongs_to_the_floor_and_is_left_out_in_turn() -> None:
    picture, where = disc_of((150, 50, 95))
    picture[:, 130:] //= 2
    shaded, lit = regions_of_one_colour(picture)
    assert shares(shaded, where) == pytest.approx((0.9, 0.9), abs=0.03), "all but its blurred rim"
    assert shares(lit, where)[0] < 0.8


def test_dice_at_the_rim_are_no_bays() -> None:
    picture, where = disc_of((60, 110, 20))
    for k in range(9):
        x, y = round(100 + 55 * np.cos(0.7 * k)), round(80 + 55 * np.sin(0.7 * k))
        cv2.rectangle(picture, (x - 3, y - 3), (x + 3, y + 3), (40, 30, 200), -1)
    whole = next(regions_of_one_colour(disc_of((60, 110, 20))[0]))
    closed = next(regions_of_one_colour(picture))
    assert shares(closed, whole)[0] > 0.955
    assert not (closed & (1 - where)).any()


def test_a_picture_whose_middle_is_of_one_colour_with_all_else_is_one_region() -> None:
    plain = np.full((160, 200, 3), 120, np.uint8)
    assert all(region.all() for region in regions_of_one_colour(plain))
