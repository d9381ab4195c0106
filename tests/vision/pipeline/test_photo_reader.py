"""Drawn photographs of dice lying anywhere: no tray is looked for."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.drawing import draw
from tests.narrowing import there
from vision.classification import die_net
from vision.classification.die_net import NO_DIE, DieReader, DieSights, read_places
from vision.detection.found import Found
from vision.detection.squares import Squares
from vision.evaluation.bench import drawn_scene
from vision.imaging.image_file import load_image
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.explain import stage_pictures
from vision.pipeline.reader import Reader
from vision.rendering.synthetic import truth_of
from vision.tray.floor import Floor
from vision.types.errors import VisionError
from vision.types.frame import F32
from vision.types.reading import Problem, TrayReading, Unread

SCENE = drawn_scene(1)
GOLDEN = Path(__file__).resolve().parents[2] / "golden"


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    return draw(SCENE)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(tray=False)


@pytest.fixture(scope="module")
def reading(reader: Reader, picture: np.ndarray) -> TrayReading:
    """Return the reading of the unchanged picture."""
    return reader.read(picture)


def test_dice_are_found_and_read_where_no_tray_is_looked_for(reading: TrayReading) -> None:
    truth = truth_of(SCENE)
    for die in truth:
        x, y = die.center_px
        near = [d for d in reading.dice if np.hypot(d.center_px[0] - x, d.center_px[1] - y) < 15.0]
        assert [d.value for d in near if d.unread is None] in ([die.value], [])
    right = sum(d.unread is None for d in reading.dice)
    assert right >= len(truth) - 2


@pytest.mark.parametrize(("name", "values"), [("round-323", [1, 2, 2, 2, 2, 4]), ("round-91", [1, 2, 3, 5, 6])])
def test_a_tray_that_looks_like_a_die_does_not_end_the_search(reader: Reader, name: str, values: list[int]) -> None:
    reading = reader.read(load_image(GOLDEN / "strangers" / f"{name}.jpg"))
    assert sorted(there(die.value) for die in reading.dice) == values


def lying_on(table: np.ndarray, picture: np.ndarray, places: list[tuple[int, int]] | None = None) -> list[int]:
    """Draw the dice on a table without a tray, at their places or at others; return their values."""
    dice = truth_of(SCENE)[: None if places is None else len(places)]
    for k, die in enumerate(dice):
        x, y, width, height = (round(v) for v in die.box_px)
        cut = picture[y - 6 : y + height + 6, x - 6 : x + width + 6]
        left, top = (x - 6, y - 6) if places is None else places[k]
        table[top : top + len(cut), left : left + cut.shape[1]] = cut
    return [die.value for die in dice]


def test_where_no_tray_is_found_dice_are_read_all_the_same(reader: Reader, picture: np.ndarray) -> None:
    table = np.full_like(picture, 110)
    values = lying_on(table, picture)
    reading = Reader().read(table)
    assert reading.problems == (Problem.NO_TRAY,)
    assert not reading.trusted
    assert reading.dice == reader.read(table).dice
    assert len(reading.dice) == len(values)
    assert sum(die.unread is None for die in reading.dice) >= len(values) - 2


@pytest.mark.parametrize("looks_like_a_floor", [False, True])
def test_a_sheet_of_paper_that_no_die_lies_on_is_no_floor(
    looks_like_a_floor: bool, picture: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    patches = np.random.default_rng(3).integers(40, 200, (36, 48, 3)).astype(np.uint8)
    rug = np.asarray(cv2.resize(patches, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
    values = lying_on(rug, picture, [(60 + 230 * k, y) for y in (40, 820) for k in range(5)])
    rug[250:710, 260:1020] = (196, 205, 210)
    if looks_like_a_floor:
        paper = Floor("rectangle", np.array([(260.0, 250.0), (1020, 250), (1020, 710), (260, 710)]), sure=False)
        monkeypatch.setattr("vision.tray.stage.find_floor_in", lambda _: paper)
    reading = Reader().read(rug)
    assert reading.problems == (Problem.NO_TRAY,)
    assert sorted(die.value or 0 for die in reading.dice) == sorted(values)
    assert not any(die.unread is Unread.OUTSIDE_FLOOR for die in reading.dice)


@pytest.mark.parametrize("grown", [0.35, 0.6, 1.6])
def test_dice_of_any_size_are_read(reader: Reader, reading: TrayReading, picture: np.ndarray, grown: float) -> None:
    way = cv2.INTER_AREA if grown < 1 else cv2.INTER_LINEAR
    scaled = np.asarray(cv2.resize(picture, None, fx=grown, fy=grown, interpolation=way), np.uint8)
    before = sorted(d.value or 0 for d in reading.dice if d.unread is None)
    after = sorted(d.value or 0 for d in reader.read(scaled).dice if d.unread is None)
    assert len(after) >= len(before) - 3


def test_a_part_of_a_picture_filled_by_one_die_is_read(reader: Reader) -> None:
    flat = truth_of(SCENE)[0]
    image = draw(SCENE)
    x, y = (round(v) for v in flat.center_px)
    side = 60
    part = image[max(0, y - side) : y + side, max(0, x - side) : x + side]
    values = [d.value for d in reader.read(np.ascontiguousarray(part)).dice]
    assert flat.value in values


def test_a_bare_picture_holds_no_dice(reader: Reader) -> None:
    reading = reader.read(np.full((480, 640, 3), 120, np.uint8))
    assert reading.dice == ()
    assert reading.trusted


def test_confidence_is_the_share_and_doubt_lies_below_the_point_of_trust(reading: TrayReading) -> None:
    sure = [d.confidence for d in reading.dice if d.unread is None]
    doubted = [d.confidence for d in reading.dice if d.unread is not None]
    assert min(sure) >= max(doubted, default=0.0)
    assert all(0.0 <= d.confidence <= 1.0 for d in reading.dice)


def test_what_the_die_net_denies_or_surely_reads_at_first_look_is_not_looked_at_again() -> None:
    class SecondIsNone(DieReader):
        """Rejects the second place at the first look, and surely reads a 4 at the third."""

        def __init__(self) -> None:
            self.calls: list[tuple[int, int]] = []

        def glance(self, picture: ImagePyramid, squares: Squares) -> F32:
            answers = np.zeros((len(squares.edge_px), 137), np.float32)
            answers[1, NO_DIE] = answers[2, 3] = 20.0
            return answers

        def look_at(
            self, picture: ImagePyramid, squares: Squares, first: F32 | None = None, *, turns: int = 4
        ) -> DieSights:
            count = len(squares.edge_px)
            self.calls.append((count, len(there(first))))
            shares = np.full((count, 8), 0.1)
            return DieSights(shares, np.ones(count), np.ones(count), np.zeros((count, 128), np.float32))

    reader, picture = SecondIsNone(), ImagePyramid(np.zeros((20, 90, 3), np.uint8))
    places = Found(np.array([[10.0, 10.0], [40.0, 10.0], [70.0, 10.0]]), np.full(3, 12.0), np.zeros(3), np.ones(3))
    found, sights = read_places(reader, picture, places)
    assert reader.calls == [(2, 2)]
    assert found.center_xy[:, 0].tolist() == [10.0, 70.0]
    assert sights.shares == pytest.approx(np.full((2, 8), 0.1))
    found, sights = read_places(reader, picture, places, surely_read=0.9)
    assert reader.calls == [(2, 2), (1, 1)]
    assert found.center_xy[:, 0].tolist() == [10.0, 70.0]
    assert sights.shares[0] == pytest.approx(np.full(8, 0.1))
    assert sights.values[1] == 4
    assert sights.agreement[1] > 0.99


def test_a_die_that_shows_no_pips_has_no_value(picture: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    true_look = DieReader.look_at

    def blank(
        self: DieReader, picture: ImagePyramid, squares: Squares, first: F32 | None = None, *, turns: int = 4
    ) -> DieSights:
        sights = true_look(self, picture, squares, first, turns=turns)
        # Certainly dice, but without a likely value.
        sights.shares[sights.shares[:, NO_DIE] < 0.1] = [0.004] * NO_DIE + [0.001, 0.975]
        return sights

    monkeypatch.setattr(die_net.DieReader, "look_at", blank)
    reading = Reader(tray=False).read(picture)
    assert not reading.trusted
    assert [d.value for d in reading.dice] == [None] * len(reading.dice)
    assert all(d.unread in {Unread.PIPS_UNCLEAR, Unread.OCCLUDED} for d in reading.dice)


def test_explain_shows_every_place_and_the_reading(reader: Reader, picture: np.ndarray) -> None:
    before = picture.copy()
    pictures = stage_pictures(picture, reader.trace(picture))
    assert [name for name, _ in pictures] == ["1-places", "2-reading"]
    assert all(image.shape == picture.shape for _, image in pictures)
    assert np.array_equal(picture, before)


def test_weights_that_are_missing_name_the_cure(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="install the project again"):
        DieReader(tmp_path / "die.onnx")


def test_a_dark_picture_is_not_trusted(reader: Reader, picture: np.ndarray) -> None:
    reading = reader.read(np.asarray(picture // 40, np.uint8))
    assert reading.problems == (Problem.TOO_DARK,)
    assert not reading.trusted
