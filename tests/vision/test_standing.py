"""Drawn dice that lean or lie on another are told, and flat ones are left in peace."""

from dataclasses import replace

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.reader import Reader
from vision.reading import DieReading, Unread
from vision.scene import DiePose, Scene
from vision.shrink import Halves
from vision.stance import STANCE_PX, STANCE_SPAN, StanceReader, outline_plane
from vision.synthetic import draw, truth_of

SEEDS = range(4)


def tipped(pose: DiePose, deg: float) -> DiePose:
    """The die tipped over a level axis, its lowest corner on the floor."""
    c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
    turn = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]) @ pose.rotation
    height = 0.5 * pose.look.size_mm * float(np.abs(turn[2]).sum())
    return DiePose(pose.look, np.array([*pose.center_mm[:2], height]), turn)


def raised(pose: DiePose, under: DiePose) -> DiePose:
    """The die on top of another, a third of an edge off its middle both ways."""
    size = under.look.size_mm
    at = under.center_mm + np.array([0.33 * size, 0.33 * size, size])
    return DiePose(pose.look, at, pose.rotation)


def read_at(reader: Reader, scene: Scene, which: int) -> DieReading:
    place = np.array(truth_of(scene)[which].center_px)
    dice = reader.read(draw(scene)).dice
    return min(dice, key=lambda die: float(np.hypot(*(np.array(die.center_px) - place))))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def test_most_leaning_dice_are_told(reader: Reader) -> None:
    told = 0
    for seed in SEEDS:
        scene = drawn_scene(seed)
        leaning = (tipped(scene.dice[0], 30.0), *scene.dice[1:])
        told += read_at(reader, replace(scene, dice=leaning), 0).unread is Unread.COCKED
    assert told >= len(SEEDS) - 1


def test_most_dice_on_another_are_told(reader: Reader) -> None:
    told = 0
    for seed in SEEDS:
        scene = drawn_scene(seed)
        stacked = (raised(scene.dice[0], scene.dice[1]), *scene.dice[1:])
        told += read_at(reader, replace(scene, dice=stacked), 0).unread is not None
    assert told >= len(SEEDS) - 1


def test_few_flat_dice_are_doubted(reader: Reader) -> None:
    dice = [die for seed in SEEDS for die in reader.read(draw(drawn_scene(seed))).dice]
    doubted = sum(die.unread in {Unread.COCKED, Unread.STACKED} for die in dice)
    assert len(dice) >= 50
    assert doubted <= 1


def test_without_a_tray_nobody_can_tell() -> None:
    scene = drawn_scene(1)
    reading = Reader(tray=False).read(draw(scene))
    assert reading.dice
    assert not any(die.unread in {Unread.COCKED, Unread.STACKED} for die in reading.dice)


def test_a_plane_shows_a_flat_dies_outline() -> None:
    edge = STANCE_PX / STANCE_SPAN
    upright = outline_plane(np.zeros(2)) > 0.75
    assert edge**2 < upright.sum() < (edge + 2.0) ** 2, "the rim is part of it"
    aslant = outline_plane(np.array([0.3, 0.0])) > 0.75
    assert aslant.sum() == pytest.approx(1.3 * upright.sum(), rel=0.05)
    assert aslant[:, STANCE_PX // 2 :].sum() > aslant[:, : STANCE_PX // 2].sum()


def test_no_faces_no_answer() -> None:
    assert StanceReader().look_at(Halves(np.zeros((50, 50, 3), np.uint8)), ()).shape == (0, 3)
