"""Dice that something cuts off are not left out in silence."""

import json
from pathlib import Path

import numpy as np
import pytest

from vision.decision.left_out import LEFT_OUT_FEATURES, LeftOut, Seeker
from vision.detection.squares import Squares
from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS
from vision.pipeline.reader import Reader
from vision.training.covered import SHOWS, CoveredPicture, covered
from vision.training.labelled import LabelledPicture, labelled_trays
from vision.types.errors import VisionError
from vision.types.reading import TrayReading, Unread

GOLDEN = Path(__file__).parents[2] / "golden"
PICTURES = [picture for name in ("stills", "traced") for picture in labelled_trays(GOLDEN / name, name)]
NOTHING = Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def laid_in(picture: LabelledPicture, seed: int, *, cut: bool) -> CoveredPicture | None:
    return covered(picture, picture.load(), np.random.default_rng(seed), cut=cut)


def is_reported(reading: TrayReading, picture: LabelledPicture, which: int) -> bool:
    die = picture.dice[which]
    return any(np.hypot(*(np.array(seen.center_px) - die.center_xy)) < 0.75 * die.edge_px for seen in reading.dice)


def test_a_thing_is_laid_so_that_it_cuts_one_die_off() -> None:
    found = 0
    for picture in PICTURES:
        laid = laid_in(picture, 3, cut=True)
        if laid is None:
            continue  # its dice lie too near to each other, or there are none
        found += 1
        assert laid.cut is not None
        assert SHOWS[0] <= laid.shows <= SHOWS[1]
        assert laid.cut not in laid.hidden
        assert (laid.image_bgr != picture.load()).any()
    assert found >= len(PICTURES) / 2


def test_a_thing_is_laid_where_it_hides_none() -> None:
    picture = PICTURES[0]
    laid = laid_in(picture, 3, cut=False)
    assert laid is not None
    assert laid.cut is None
    assert laid.hidden == ()
    for die in picture.dice:
        x, y = (round(v) for v in die.center_xy)
        assert np.abs(laid.image_bgr[y, x].astype(int) - picture.load()[y, x]).max() < 90


def test_most_dice_that_are_cut_off_are_reported(reader: Reader) -> None:
    laid = [(picture, laid_in(picture, seed, cut=True)) for picture in PICTURES for seed in (5, 6)]
    silent = occluded = count = 0
    for picture, one in laid:
        if one is None or one.cut is None:
            continue
        count += 1
        reading = reader.read(one.image_bgr)
        silent += reading.trusted and not is_reported(reading, picture, one.cut)
        hidden = [die for die in reading.dice if die.unread is Unread.OCCLUDED]
        occluded += bool(hidden)
        for die in hidden:
            assert (die.value, die.colour) == (None, None)
            assert not reading.trusted
            assert is_reported(reading, picture, one.cut)
    assert count >= 20
    assert silent <= count / 4
    assert occluded >= 3


def test_whole_dice_are_not_looked_for_again(reader: Reader) -> None:
    for picture in PICTURES:
        assert not any(die.unread is Unread.OCCLUDED for die in reader.read(picture.load()).dice)


def test_places_outside_the_floor_are_not_in_the_tray() -> None:
    picture = PICTURES[0]
    image, edge = ImagePyramid(picture.load()), picture.dice[0].edge_px
    seen = Seeker().unreported(image, NOTHING, edge, lambda _x, _y: 100.0)
    assert len(seen.found) >= len(picture.dice) / 2
    assert seen.columns.shape == (len(seen.found), len(LEFT_OUT_FEATURES))
    assert not len(Seeker().unreported(image, NOTHING, edge, lambda _x, _y: -100.0).found)


def test_reported_dice_are_no_places() -> None:
    picture = PICTURES[0]
    image = ImagePyramid(picture.load())
    edges = np.array([die.edge_px for die in picture.dice])
    tops = Squares(np.array([die.center_xy for die in picture.dice]), edges, np.zeros(len(edges)))
    beside = Seeker().unreported(image, tops, float(np.median(edges)), lambda _x, _y: 100.0).found
    whole = Seeker().unreported(image, NOTHING, float(np.median(edges)), lambda _x, _y: 100.0).found
    assert len(beside) < len(whole)
    for x, y in beside.center_xy.tolist():
        assert (np.hypot(*(tops.center_xy - [x, y]).T) > 0.4 * edges).all()


def test_a_decision_that_was_fitted_on_other_features_is_refused(tmp_path: Path) -> None:
    fitted = json.loads((WEIGHTS / "decision.json").read_text(encoding="utf-8"))
    fitted["left_out"]["is_left_out"]["names"] = ["heat"]
    other = tmp_path / "decision.json"
    other.write_text(json.dumps(fitted), encoding="utf-8")
    with pytest.raises(VisionError, match="fit it again"):
        LeftOut(other)


def test_a_decision_without_it_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "decision.json"
    other.write_text("{}", encoding="utf-8")
    with pytest.raises(VisionError, match="lacks 'left_out': install"):
        LeftOut(other)
