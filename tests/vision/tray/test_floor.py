"""The tray's floor in clear and in poor pictures, and how certain it is."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from vision.evaluation.bench import drawn_scene
from vision.imaging.image_file import load_image
from vision.pipeline.reader import Reader
from vision.rendering.optics import project
from vision.rendering.scene import Scene, TrayLook
from vision.rendering.synthetic import truth_of
from vision.tray.floor import Floor
from vision.tray.floor_search import find_floor
from vision.types.frame import ImageBgr
from vision.types.reading import Unread

EMPTY = replace(drawn_scene(1), dice=())


def with_cord(picture: np.ndarray) -> np.ndarray:
    """Draw a cord of the table's colour across the tray and out of the picture on both sides."""
    table = tuple(float(v) for v in np.median(picture[:20].reshape(-1, 3), axis=0))
    return np.asarray(cv2.line(picture.copy(), (0, 470), (1279, 470), table, 30), np.uint8)


def outline(scene: Scene, corners: int) -> np.ndarray:
    """Return the true floor's rim, slightly within, in the picture."""
    half = 0.47 * np.array(scene.tray.floor_mm)
    if corners == 4:
        ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    else:
        # A hexagon across flats certainly contains its inner circle.
        turn = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * half
    return project(scene.camera, np.column_stack([ring, np.zeros(len(ring))]))


@pytest.mark.parametrize("shape", ["rectangle", "round", "hexagon", "octagon"])
@pytest.mark.parametrize("haze", [False, True])
def test_finds_all_of_trays_of_every_shape(shape: str, haze: bool) -> None:
    size = (260.0, 200.0) if shape == "rectangle" else (220.0, 220.0)
    scene = replace(EMPTY, tray=replace(EMPTY.tray, shape=shape, floor_mm=size))
    picture = draw(scene)
    if haze:
        picture = np.asarray(picture * 0.16 + 60.0, np.uint8)
    floor = find_floor(picture)
    assert floor is not None
    rim = outline(scene, 4 if shape == "rectangle" else 48)
    assert min(floor.distance_px(float(x), float(y)) for x, y in rim) > -12.0
    true_area = float(cv2.contourArea(rim.astype(np.float32)))
    assert float(cv2.contourArea(floor.outline_px.astype(np.float32))) < 1.75 * true_area


def test_a_strip_of_a_tray_is_not_sure_of_itself() -> None:
    floor = find_floor(with_cord(draw(drawn_scene(1))))
    assert floor is not None
    assert not floor.sure


def test_dice_beyond_an_unsure_floor_are_reported() -> None:
    scene = drawn_scene(1)
    picture = draw(scene)
    reading = Reader().read(with_cord(picture))
    places = np.array([die.center_px for die in truth_of(scene)])
    clear = [p for p in places if abs(p[1] - 470.0) > 60.0]
    found = np.array([die.center_px for die in reading.dice]).reshape(-1, 2)
    missed = [p for p in clear if not len(found) or np.hypot(*(found - p).T).min() > 20.0]
    assert not missed
    assert any(die.unread is Unread.OUTSIDE_FLOOR for die in reading.dice)
    assert not reading.trusted


def test_small_dice_in_a_large_tray_are_all_found() -> None:
    """The tray's width alone implies dice twice as large."""
    scene = drawn_scene(1)
    small: Scene = replace(
        scene,
        dice=tuple(
            replace(
                die,
                look=replace(die.look, size_mm=8.0),
                center_mm=np.array([*die.center_mm[:2], die.center_mm[2] - 4.0]),
            )
            for die in scene.dice
        ),
    )
    reading = Reader().read(draw(small))
    assert len(reading.dice) == len(scene.dice)


def test_a_picture_without_a_tray_has_no_floor() -> None:
    bare = replace(EMPTY, tray=TrayLook(shape="none", floor_mm=(600.0, 600.0)))
    assert find_floor(draw(bare)) is None


def overlap(floor: Floor, true_px: Sequence[Sequence[float]], image: ImageBgr) -> tuple[int, int, int]:
    """Return the areas of a true floor, of the floor found, and of both together."""
    height, width = image.shape[:2]
    truth = np.zeros((height, width), np.uint8)
    cv2.fillPoly(truth, [np.rint(np.array(true_px)).astype(np.int32)], (255,))
    found = floor.mask(width, height)
    return int(np.count_nonzero(truth)), int(np.count_nonzero(truth & found)), int(np.count_nonzero(truth | found))


def test_a_wooden_tray_on_a_table_of_the_same_wood_is_found() -> None:
    # Drawn by traced_trays.py, red, white and blue, seed 3, number 46; the floor's corners are from its geometry.
    image = load_image(Path(__file__).resolve().parents[2] / "golden" / "traced" / "wooden_lamp.jpg")
    floor = find_floor(image)
    assert floor is not None
    true_px = [[190.9, 817.9], [1064.1, 807.9], [1056.5, 161.2], [183.2, 172.0]]
    true, common, either = overlap(floor, true_px, image)
    assert common > 0.98 * true
    assert common > 0.65 * either, "its walls, but not the table"


def cut(corners: list[tuple[float, float]], shape: str = "rectangle") -> Floor:
    return Floor(shape, np.array(corners))


WHOLE = cut([(20, 20), (230, 24), (232, 170), (18, 168)])
LEAKED = cut([(20, 20), (250, 24), (200, 170), (18, 168)])
SHADOWED = cut([(20, 20), (230, 24), (232, 100), (180, 170), (60, 172), (18, 168)], "hexagon")


@pytest.mark.parametrize(
    ("grown", "found", "sure"),
    [
        ([LEAKED, WHOLE, None, None], WHOLE, True),
        ([None, SHADOWED, LEAKED, None], LEAKED, False),
        ([WHOLE, LEAKED, None, None], WHOLE, True),
    ],
    ids=["the second is even", "none is", "the first is even"],
)
def test_a_floor_of_odd_shape_is_looked_for_otherwise(
    monkeypatch: pytest.MonkeyPatch, grown: list[Floor | None], found: Floor, sure: bool
) -> None:
    looks = iter(grown)
    monkeypatch.setattr("vision.tray.floor_search._fitted", lambda _: next(looks))
    monkeypatch.setattr("vision.tray.floor_search._by_colour", lambda *_: None)
    floor = find_floor(np.full((192, 256, 3), 90, np.uint8))
    assert floor is not None
    assert floor.sure == sure
    middle = found.outline_px.mean(axis=0)
    assert floor.outline_px == pytest.approx(middle + 0.97 * (found.outline_px - middle))
