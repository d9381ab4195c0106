"""What shows beside a die: floor, shadow and other dice explain themselves, a die below it does not."""

import cv2
import numpy as np
import pytest

from vision.tray.bare_floor import BareFloor, BesideParams, foreign_area
from vision.tray.floor import Floor

EDGE = 40.0
FLOOR_BGR = np.array([120.0, 70.0, 40.0])
OUTLINE = np.array([[100.0, 100.0], [140.0, 100.0], [140.0, 140.0], [100.0, 140.0]])
YELLOW = (40.0, 200.0, 240.0)


BARE = Floor("picture", np.array([(0, 0), (239, 0), (239, 239), (0, 239)], np.float64))
"""All of a picture is floor."""


def bare() -> np.ndarray:
    noise = np.random.default_rng(4).normal(0.0, 3.0, (240, 240, 3))
    picture = np.clip(FLOOR_BGR + noise, 0, 255).astype(np.uint8)
    cv2.fillConvexPoly(picture, OUTLINE.astype(np.int32), (30.0, 30.0, 30.0))
    return picture


def foreign(picture: np.ndarray, others: tuple[np.ndarray, ...] = ()) -> float:
    floor = BareFloor.of(picture, BARE, np.zeros(2), BesideParams())
    return foreign_area(picture, OUTLINE, EDGE, others, floor)


def test_nothing_is_foreign_on_a_bare_floor() -> None:
    assert foreign(bare()) == 0.0


def test_a_shadow_is_the_floor_in_less_light() -> None:
    picture = bare()
    picture[90:150, 141:165] = (picture[90:150, 141:165] * 0.3).astype(np.uint8)
    assert foreign(picture) == 0.0


def test_a_corner_of_another_colour_is_foreign() -> None:
    picture = bare()
    cv2.rectangle(picture, (142, 110), (152, 130), YELLOW, -1)
    assert foreign(picture) == pytest.approx(0.07, abs=0.05), "some 6 by 20 pixels beyond the die's own rim"


def test_what_belongs_to_a_die_beside_it_is_explained() -> None:
    picture = bare()
    beside = OUTLINE + np.array([42.0, 0.0])
    cv2.fillConvexPoly(picture, beside.astype(np.int32), YELLOW)
    assert foreign(picture) > 0.1
    assert foreign(picture, (beside,)) == 0.0


def test_a_wall_beside_a_die_is_no_die() -> None:
    picture = bare()
    picture[:, 148:] = YELLOW
    assert foreign(picture) > 0.1
    fenced = Floor("rectangle", np.array([[0.0, 0.0], [148.0, 0.0], [148.0, 239.0], [0.0, 239.0]]))
    assert foreign_area(picture, OUTLINE, EDGE, (), BareFloor.of(picture, fenced, np.zeros(2), BesideParams())) == 0.0


def test_a_die_at_the_pictures_rim_is_no_trouble() -> None:
    picture = bare()
    floor = BareFloor.of(picture, BARE, np.zeros(2), BesideParams())
    assert foreign_area(picture, OUTLINE + 110.0, EDGE, (), floor) == 0.0
    assert foreign_area(picture, OUTLINE + 900.0, EDGE, (), floor) == 0.0
