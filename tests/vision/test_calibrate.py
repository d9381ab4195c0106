"""A profile from drawn photographs of one tray: floor, size of the dice, colours; then read with it."""

from dataclasses import replace

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.calibrate import calibrate
from vision.errors import BadProfile
from vision.reader import Reader
from vision.synthetic import draw, truth_of

SCENE = drawn_scene(3)
LABELS = {(46, 201, 238): "base", (65, 124, 28): "skill", (42, 38, 37): "gear"}


@pytest.fixture(scope="module")
def empty() -> np.ndarray:
    return draw(replace(SCENE, dice=()))


@pytest.fixture(scope="module")
def classes() -> dict[str, np.ndarray]:
    return {
        label: draw(replace(SCENE, dice=tuple(die for die in SCENE.dice if die.look.body_bgr == body)[:4]))
        for body, label in LABELS.items()
    }


def test_measures_size_and_colours_and_reads_with_them(empty: np.ndarray, classes: dict[str, np.ndarray]) -> None:
    profile = calibrate(empty, classes)
    truth = truth_of(SCENE)
    corners = np.array([die.top_quad_px for die in truth])
    edge = np.median(np.hypot(*(corners[:, 1] - corners[:, 0]).T))
    assert profile.edge_px == pytest.approx(edge, rel=0.04)
    assert [colour.label for colour in profile.palette] == ["base", "skill", "gear"]
    reading = Reader(profile).read(draw(SCENE))
    wanted = sorted((LABELS[die.look.body_bgr], seen.value) for die, seen in zip(SCENE.dice, truth, strict=True))
    read = sorted((die.colour or "", die.value or 0) for die in reading.dice)
    wrong = [pair for pair in read if pair not in wanted]
    assert len(wrong) <= 1, (wanted, read)
    assert not (reading.trusted and read != wanted)


def test_a_smaller_picture_of_the_same_tray_fits_the_profile(empty: np.ndarray, classes: dict[str, np.ndarray]) -> None:
    profile = calibrate(empty, classes)
    half = draw(SCENE)[::2, ::2]
    assert len(Reader(profile).read(np.ascontiguousarray(half)).dice) == len(SCENE.dice)


def test_refuses_pictures_that_make_no_profile(empty: np.ndarray, classes: dict[str, np.ndarray]) -> None:
    with pytest.raises(BadProfile, match="no tray"):
        calibrate(np.zeros((480, 640, 3), np.uint8), {})
    with pytest.raises(BadProfile, match="take them out"):
        calibrate(classes["base"], {})
    with pytest.raises(BadProfile, match="no dice are read in the base picture"):
        calibrate(empty, {"base": empty})
    with pytest.raises(BadProfile, match="take both alike"):
        calibrate(empty, {"base": classes["base"][::2]})
    with pytest.raises(BadProfile, match="floor shape"):
        calibrate(empty, {}, floor_shape="star")
