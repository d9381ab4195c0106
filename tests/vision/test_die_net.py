"""The net that reads dice: what its looks are made into, and rows that are seen anew."""

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.classification.die_net import NO_DIE, DieReader, DieSights, net_input
from vision.detection.found import Found
from vision.shrink import Halves
from vision.synthetic import draw, truth_of
from vision.tops import Squares

SCENE = drawn_scene(1)


@pytest.fixture(scope="module")
def reader() -> DieReader:
    return DieReader()


@pytest.fixture(scope="module")
def picture() -> Halves:
    return Halves(draw(SCENE))


def tops() -> Squares:
    quads = np.array([die.top_quad_px for die in truth_of(SCENE)])
    sides = np.roll(quads, -1, axis=1) - quads
    turn = np.arctan2(sides[:, 0, 1], sides[:, 0, 0])
    return Squares(quads.mean(axis=1), np.hypot(sides[..., 0], sides[..., 1]).mean(axis=1), turn)


def numbered(count: int, first: float = 0.0) -> DieSights:
    """Rows that tell which they are."""
    row = np.arange(count) + first
    embedding = np.repeat(row[:, None], 128, axis=1).astype(np.float32)
    return DieSights(np.repeat(row[:, None], 8, axis=1), row, row + 0.5, embedding)


@pytest.mark.parametrize("rows", [[], [1], [0, 3], [2, 0], [0, 1, 2, 3]])
def test_rows_that_are_seen_anew_are_replaced_and_no_others(rows: list[int]) -> None:
    before = numbered(4)
    after = before.with_some(np.array(rows, np.intp), numbered(len(rows), 10.0))
    wanted = [0.0, 1.0, 2.0, 3.0]
    for k, row in enumerate(rows):
        wanted[row] = 10.0 + k
    assert after.shares[:, 5].tolist() == wanted
    assert after.agreement.tolist() == wanted
    assert (after.seen - 0.5).tolist() == wanted
    assert after.embedding[:, 7].tolist() == wanted
    assert before.agreement.tolist() == [0.0, 1.0, 2.0, 3.0], "what was seen before is left alone"


def test_of_no_place_no_row_can_be_replaced() -> None:
    assert numbered(0).with_some(np.zeros(0, np.intp), numbered(0)).shares.shape == (0, 8)


def test_pictures_become_red_green_blue_about_nought() -> None:
    planes = net_input(np.array([[[[0, 127, 255]]]], np.uint8))
    assert planes[0, :, 0, 0].tolist() == [1.0, 0.0, -127 / 128]


@pytest.mark.parametrize(("turns", "spans"), [(1, 1), (4, 1), (1, 2), (4, 2)])
def test_drawn_dice_are_read_however_often_they_are_looked_at(
    reader: DieReader, picture: Halves, turns: int, spans: int
) -> None:
    truth = truth_of(SCENE)
    sights = reader.look_at(picture, tops(), turns=turns, spans=spans)
    assert sights.shares.sum(axis=1) == pytest.approx(np.ones(len(truth)))
    right = sights.shares.argmax(axis=1) + 1 == [die.value for die in truth]
    assert right.sum() >= len(truth) - 1
    assert np.linalg.norm(sights.embedding, axis=1) == pytest.approx(np.ones(len(truth)), abs=1e-4)
    assert (sights.agreement <= sights.shares[:, :6].max(axis=1) + 1e-6).all()


def test_bare_floor_is_no_die(reader: DieReader, picture: Halves) -> None:
    squares = tops()
    aside = (squares.center_xy[:-1] + squares.center_xy[1:]) / 2
    away = np.hypot(*(aside[:, None] - squares.center_xy[None]).transpose(2, 0, 1)).min(axis=1)
    clear = np.flatnonzero(away > 1.5 * squares.edge_px[0])
    assert len(clear) >= 3
    sights = reader.look_at(picture, Squares(aside[clear], squares.edge_px[clear], squares.turn_rad[clear]))
    assert (sights.shares[:, NO_DIE] > 0.5).mean() >= 0.9


def test_nothing_to_read_is_nothing_read(reader: DieReader, picture: Halves) -> None:
    nothing = reader.look_at(picture, Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0)))
    assert (nothing.shares.shape, nothing.embedding.shape) == ((0, 8), (0, 128))
    assert len(Found.nothing()) == 0


def test_a_picture_smaller_than_a_crop_is_read(reader: DieReader) -> None:
    tiny = Halves(np.full((9, 5, 3), 90, np.uint8))
    sights = reader.look_at(tiny, Squares(np.array([[2.0, 4.0]]), np.array([30.0]), np.zeros(1)))
    assert np.isfinite(sights.shares).all()
