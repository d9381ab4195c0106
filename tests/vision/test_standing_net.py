"""The net that sees how dice stand: what it is given, and what its answers are made into."""

from pathlib import Path

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.classification.standing_net import (
    FLAT,
    STANDING_ANSWERS,
    STANDING_PX,
    STANDING_SPAN,
    Beside,
    StandingReader,
    block,
    with_outlines,
)
from vision.errors import VisionError
from vision.frame import F32
from vision.shrink import Halves
from vision.synthetic import draw, truth_of
from vision.tops import Squares

EDGE = STANDING_PX / STANDING_SPAN
"""An edge in a crop's pixels."""
BLANK = np.zeros((2, STANDING_PX, STANDING_PX, 3), np.uint8)
SCENE = drawn_scene(1)


class Told(StandingReader):
    """Answers as it was told to, and takes down what it was given."""

    def __init__(self, *answers: list[float]) -> None:
        self._answers = np.array(answers, np.float32)
        self.given: list[F32] = []
        self._net = self  # type: ignore[assignment]

    def run(self, planes: F32) -> F32:
        self.given.append(planes)
        return np.repeat(self._answers[:1], len(planes), axis=0)

    def run_on_both(self, planes: F32) -> F32:
        self.given.append(planes)
        return np.repeat(self._answers[:, None], len(planes), axis=1)


def square(x: float, y: float, edge_px: float, turn_rad: float) -> Squares:
    return Squares(np.array([[x, y]]), np.array([edge_px]), np.array([turn_rad]))


def tops() -> Squares:
    quads = np.array([die.top_quad_px for die in truth_of(SCENE)])
    sides = np.roll(quads, -1, axis=1) - quads
    turn = np.arctan2(sides[:, 0, 1], sides[:, 0, 0])
    return Squares(quads.mean(axis=1), np.hypot(sides[..., 0], sides[..., 1]).mean(axis=1), turn)


@pytest.fixture(scope="module")
def reader() -> StandingReader:
    return StandingReader()


@pytest.fixture(scope="module")
def picture() -> Halves:
    return Halves(draw(SCENE))


def test_a_block_is_a_top_and_the_same_face_moved_by_the_lean() -> None:
    (corners,) = block(np.array([[10.0, 20.0]]), np.array([[3.0, 4.0]]), np.array([[1.0, -2.0]]))
    assert corners[:4].tolist() == [[11.0, 13.0], [17.0, 21.0], [9.0, 27.0], [3.0, 19.0]]
    assert (corners[4:] - corners[:4]).tolist() == [[1.0, -2.0]] * 4


def test_a_first_look_is_told_nothing() -> None:
    planes = with_outlines(BLANK + 127, None, Beside.nothing())
    assert planes.shape == (2, 5, STANDING_PX, STANDING_PX)
    assert not planes.any()


@pytest.mark.parametrize("lean", [(0.0, 0.0), (0.3, 0.0), (0.0, -0.25), (0.2, 0.2)])
def test_a_plane_shows_a_flat_dies_outline(lean: tuple[float, float]) -> None:
    own, beside = with_outlines(BLANK[:1], np.array([lean]), Beside.nothing())[0, 3:]
    assert not beside.any()
    ys, xs = np.nonzero(own > 0.5)
    middle, half = (STANDING_PX - 1) / 2, EDGE / 2
    for found, way in ((xs, lean[0]), (ys, lean[1])):
        assert found.min() == pytest.approx(middle - half + min(way, 0.0) * EDGE, abs=1.0)
        assert found.max() == pytest.approx(middle + half + max(way, 0.0) * EDGE, abs=1.0)
    area = (1.0 + np.abs(lean).sum()) * EDGE**2
    assert area < (own > 0.5).sum() < area + 4.0 * EDGE + 5.0, "a rim of half a pixel is part of it"


def test_dice_beside_a_die_show_where_they_are() -> None:
    half = np.array([0.5, 0.0])
    blocks = block(np.array([[0.9, 0.0], [0.0, -0.8], [9.0, 0.0]]), half, np.zeros((3, 2)))
    planes = with_outlines(BLANK, np.zeros((2, 2)), Beside(np.array([1, 1, 0]), blocks))[:, 4] > 0.75
    assert not planes[0].any(), "too far to be seen"
    middle = STANDING_PX // 2
    assert planes[1, middle, -5:].all()
    assert planes[1, :5, middle].all()
    assert not planes[1, middle, :5].any()


@pytest.mark.parametrize("turn_deg", [0.0, 30.0, -40.0])
def test_what_is_known_in_the_picture_is_shown_along_the_crops_axes(turn_deg: float) -> None:
    squares = square(70.0, 60.0, 20.0, np.radians(turn_deg))
    lean = np.array([[0.2, -0.1]])
    there = squares.center_xy + squares.in_picture(np.array([[1.1, -0.4]]))
    axis = squares.in_picture(np.array([[0.5, 0.0]]))
    beside = block(there, axis, squares.in_picture(lean))
    told = Told([0.0] * STANDING_ANSWERS, [0.0] * STANDING_ANSWERS)
    told.look_at(
        Halves(np.zeros((120, 140, 3), np.uint8)), squares, squares.in_picture(lean), Beside(np.array([0]), beside)
    )
    wanted = with_outlines(
        BLANK[:1], lean, Beside(np.array([0]), block(np.array([[1.1, -0.4]]), np.array([[0.5, 0.0]]), lean))
    )
    assert wanted[0, 4].any()
    assert np.abs(told.given[0][:, 3:] - wanted[:, 3:]).max() < 0.2, "a sixteenth of a pixel either way"


def test_a_first_look_moves_places_as_the_net_says() -> None:
    squares = square(70.0, 60.0, 20.0, np.radians(90.0))
    told = Told([0.0, 0.0, 0.0, 0.3, 0.1, 0.2, -0.1, 0.1, 0.05])
    sights = told.look_at(Halves(np.zeros((120, 140, 3), np.uint8)), squares)
    # A quarter turn: the crop's x is the picture's y, its y the picture's minus x.
    assert sights.refined.center_xy == pytest.approx(np.array([[72.0, 64.0]]))
    assert sights.refined.edge_px == pytest.approx([20.0 * np.exp(0.1)])
    assert sights.refined.turn_rad == pytest.approx([np.pi / 2 + 0.05])
    assert sights.leans_px == pytest.approx(np.array([[-2.0, 6.0]]))
    assert sights.shares == pytest.approx(np.full((1, 3), 1 / 3))


def test_of_a_second_look_the_mirrored_answer_is_mirrored_back() -> None:
    squares, picture = square(70.0, 60.0, 20.0, 0.0), Halves(np.zeros((120, 140, 3), np.uint8))
    plain = [2.0, 0.0, -1.0, 0.3, 0.1, 0.2, -0.1, 0.1, 0.05]
    mirrored = [2.0, 0.0, -1.0, -0.3, 0.1, -0.2, -0.1, 0.1, -0.05]
    once = Told(plain).look_at(picture, squares)
    both = Told(plain, mirrored).look_at(picture, squares, np.zeros((1, 2)))
    assert both.leans_px == pytest.approx(once.leans_px)
    assert both.shares == pytest.approx(once.shares)
    assert both.refined.center_xy == pytest.approx(once.refined.center_xy)
    assert both.refined.turn_rad == pytest.approx(once.refined.turn_rad)
    # Where the two differ the mean counts.
    still = Told(plain, [0.0, 0.0, 3.0] + [0.0] * 6).look_at(picture, squares, np.zeros((1, 2)))
    assert still.leans_px == pytest.approx(once.leans_px / 2)
    assert still.shares.sum() == pytest.approx(1.0)
    assert still.shares[0, FLAT] < once.shares[0, FLAT]


def test_an_answer_beyond_reason_changes_a_size_by_half_at_most() -> None:
    told = Told([0.0] * 7 + [9.0, 0.0])
    sights = told.look_at(Halves(np.zeros((120, 140, 3), np.uint8)), square(70.0, 60.0, 20.0, 0.0))
    assert sights.refined.edge_px == pytest.approx([20.0 * np.exp(0.5)])


def test_places_told_roughly_are_told_more_exactly(reader: StandingReader, picture: Halves) -> None:
    true, rng = tops(), np.random.default_rng(2)
    count = len(true.edge_px)
    off = rng.uniform(-0.1, 0.1, (count, 2)) * true.edge_px[:, None]
    rough = Squares(
        true.center_xy + off,
        true.edge_px * np.exp(rng.uniform(-0.08, 0.08, count)),
        true.turn_rad + rng.uniform(-0.1, 0.1, count),
    )
    told = reader.look_at(picture, rough).refined
    before, after = (np.hypot(*(seen.center_xy - true.center_xy).T) / true.edge_px for seen in (rough, told))
    assert np.median(after) < 0.6 * np.median(before)
    before, after = (np.abs(np.log(seen.edge_px / true.edge_px)) for seen in (rough, told))
    assert np.median(after) < 0.8 * np.median(before)
    before, after = (np.abs(seen.turn_rad - true.turn_rad) for seen in (rough, told))
    assert np.median(after) < 0.6 * np.median(before)


def test_flat_dice_are_seen_to_lean_towards_the_middle_of_the_picture(reader: StandingReader, picture: Halves) -> None:
    squares = tops()
    leans = reader.look_at(picture, squares).leans_px
    ways = np.array([640.0, 480.0]) - squares.center_xy
    outer = np.hypot(*ways.T) > 200
    assert outer.sum() >= 5
    assert ((leans * ways).sum(axis=1)[outer] > 0).mean() >= 0.9


def test_rows_come_in_the_order_of_the_dice(reader: StandingReader, picture: Halves) -> None:
    squares, back = tops(), np.arange(len(tops().edge_px))[::-1]
    plain, turned = reader.look_at(picture, squares), reader.look_at(picture, squares.some(back))
    assert turned.some(back).leans_px == pytest.approx(plain.leans_px, abs=1e-3)
    assert turned.some(back).refined.center_xy == pytest.approx(plain.refined.center_xy, abs=1e-3)


def test_nothing_to_see_is_nothing_seen(reader: StandingReader, picture: Halves) -> None:
    nowhere = Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    for flat in (None, np.zeros((0, 2))):
        nothing = reader.look_at(picture, nowhere, flat, Beside.nothing())
        assert (nothing.shares.shape, nothing.leans_px.shape) == ((0, 3), (0, 2))
        assert len(nothing.refined.edge_px) == 0


@pytest.mark.parametrize("size", [(3, 4), (40, 9), (33, 300)])
def test_a_picture_smaller_than_a_crop_does_no_harm(reader: StandingReader, size: tuple[int, int]) -> None:
    tiny = Halves(np.full((*size, 3), 90, np.uint8))
    sights = reader.look_at(tiny, square(2.0, 2.0, 30.0, 0.4), np.array([[1.0, 1.0]]))
    assert np.isfinite(sights.refined.center_xy).all()
    assert sights.shares.sum() == pytest.approx(1.0, abs=1e-5)


def test_weights_that_are_missing_name_the_cure(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"weights standing\.onnx are missing from .*: install the project again"):
        StandingReader(tmp_path / "standing.onnx")
