"""Dice that are partly covered, or that show a sign, are not trusted; and the training pictures for that."""

from pathlib import Path

import numpy as np
import pytest

from vision.pipeline.reader import Reader
from vision.training.covered import SHOWS, CoveredPicture, covered, signed
from vision.training.labelled import LabelledPicture, labelled_trays
from vision.types.reading import TrayReading

GOLDEN = Path(__file__).parents[2] / "golden"
PICTURES = [picture for name in ("stills", "traced") for picture in labelled_trays(GOLDEN / name, name)]


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
            continue  # its dice are too near to each other, or there are none
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


def test_few_dice_that_are_cut_off_pass_in_silence(reader: Reader) -> None:
    silent = count = 0
    for picture in PICTURES:
        for seed in (5, 6):
            one = laid_in(picture, seed, cut=True)
            if one is None or one.cut is None:
                continue
            count += 1
            reading = reader.read(one.image_bgr)
            silent += reading.trusted and not is_reported(reading, picture, one.cut)
    assert count >= 20
    assert silent <= count / 4


def test_a_die_that_shows_a_sign_is_not_read_as_pips(reader: Reader) -> None:
    trusted = count = 0
    for number, picture in enumerate(PICTURES):
        shown = signed(picture, picture.load(), np.random.default_rng(number))
        if shown is None:
            continue
        count += 1
        image, which = shown
        die = picture.dice[which]
        there = np.abs(image.astype(int) - picture.load()).sum(axis=2) > 0
        ys, xs = np.nonzero(there)
        assert (np.hypot(xs - die.center_xy[0], ys - die.center_xy[1]) < 0.75 * die.edge_px).all()
        trusted += reader.read(image).trusted
    assert count >= 10
    assert trusted <= 1
