"""Drawn dice that lean or lie on another are told, and flat ones are left in peace."""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from tests.drawing import draw
from vision.detection.squares import Squares
from vision.evaluation.bench import drawn_scene
from vision.pipeline.reader import Reader
from vision.rendering.scene import DiePose, Scene
from vision.rendering.synthetic import truth_of
from vision.standing.judge import StandingParams, contested_dice, far_departures
from vision.standing.stance import STANCE_PX, STANCE_SPAN, Beside, StanceReader, block, with_outlines
from vision.types.reading import DieReading, TrayReading, Unread


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


def beside(pose: DiePose, other: DiePose) -> DiePose:
    """The die lying flat on the floor, half a millimetre from another."""
    away = other.look.size_mm + 0.5
    side = other.rotation[:, int(np.argmin(np.abs(other.rotation[2])))]
    at = other.center_mm - away * np.sign(other.center_mm @ side) * side
    return DiePose(other.look, np.array([at[0], at[1], other.center_mm[2]]), other.rotation @ _quarter())


def _quarter() -> np.ndarray:
    """A quarter turn over an edge, so that the two show other faces."""
    return np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])


Lay = Callable[[Scene], Scene]


def first_laid(lay: Callable[[Scene], DiePose]) -> Lay:
    """Lays a scene's first die in another way."""
    return lambda scene: replace(scene, dice=(lay(scene), *scene.dice[1:]))


def first_tipped(deg: float) -> Lay:
    return first_laid(lambda scene: tipped(scene.dice[0], deg))


Kind = tuple[range, Lay]
"""The seeds of some trays, and how their dice are laid."""
FLAT: Kind = (range(8), lambda scene: scene)
STACKED: Kind = (range(12), first_laid(lambda scene: raised(scene.dice[0], scene.dice[1])))
TOUCHING: Kind = (
    range(8),
    lambda scene: replace(scene, dice=(beside(scene.dice[0], scene.dice[1]), scene.dice[1])),
)
TIPPED: dict[float, Kind] = {
    30.0: (range(8), first_tipped(30.0)),
    38.0: (range(4, 9), first_tipped(38.0)),
    41.0: (range(4, 9), first_tipped(41.0)),
    44.0: (range(4, 9), first_tipped(44.0)),
}


def at_place(reading: TrayReading, scene: Scene, which: int) -> DieReading:
    """What was read nearest to where a die of the scene lies."""
    place = np.array(truth_of(scene)[which].center_px)
    return min(reading.dice, key=lambda die: float(np.hypot(*(np.array(die.center_px) - place))))


ReadTrays = Callable[[Kind], list[tuple[Scene, TrayReading]]]


@pytest.fixture(scope="module")
def read() -> ReadTrays:
    """Gives the trays of a kind with what was read in them.

    What is needed of one seed is drawn in turn: its tray is then drawn once.
    """
    reader = Reader()

    @functools.cache
    def of_seed(seed: int) -> dict[Lay, tuple[Scene, TrayReading]]:
        laid = [lay for seeds, lay in (FLAT, STACKED, TOUCHING, *TIPPED.values()) if seed in seeds]
        scenes = [lay(drawn_scene(seed)) for lay in laid]
        return {lay: (scene, reader.read(draw(scene))) for lay, scene in zip(laid, scenes, strict=True)}

    def of_kind(kind: Kind) -> list[tuple[Scene, TrayReading]]:
        seeds, lay = kind
        return [of_seed(seed)[lay] for seed in seeds]

    return of_kind


def test_most_leaning_dice_are_reported(read: ReadTrays) -> None:
    trays = read(TIPPED[30.0])
    reported = sum(at_place(reading, scene, 0).unread is Unread.COCKED for scene, reading in trays)
    assert reported >= len(trays) - 2


@pytest.mark.parametrize("deg", [38.0, 41.0])
def test_a_die_tipped_so_far_that_either_face_may_be_its_top_is_reported_near_both(read: ReadTrays, deg: float) -> None:
    for scene, reading in read(TIPPED[deg]):
        quad = np.array(truth_of(scene)[0].top_quad_px)
        die = at_place(reading, scene, 0)
        assert die.unread is Unread.COCKED
        assert np.hypot(*(quad.mean(axis=0) - die.center_px)) < 0.6 * np.hypot(*(quad[1] - quad[0]))


@pytest.mark.parametrize("deg", [38.0, 41.0, 44.0])
def test_a_tipped_die_of_which_two_faces_are_seen_is_reported_once(read: ReadTrays, deg: float) -> None:
    for scene, reading in read(TIPPED[deg]):
        assert len(reading.dice) == len(scene.dice)


def test_most_dice_on_another_are_reported(read: ReadTrays) -> None:
    reported = sum(at_place(reading, scene, 0).unread is not None for scene, reading in read(STACKED))
    assert reported >= 8, "a net is not sure of each; vision/README.md says how many it tells"


def test_few_flat_dice_are_doubted(read: ReadTrays) -> None:
    dice = [die for _, reading in read(FLAT) for die in reading.dice]
    doubted = sum(die.unread in {Unread.COCKED, Unread.STACKED} for die in dice)
    assert len(dice) >= 50
    assert doubted <= 1


def test_without_a_tray_nobody_can_say() -> None:
    scene = drawn_scene(1)
    reading = Reader(tray=False).read(draw(scene))
    assert reading.dice
    assert not any(die.unread in {Unread.COCKED, Unread.STACKED} for die in reading.dice)


def test_dice_that_touch_are_not_taken_for_stacked(read: ReadTrays) -> None:
    for scene, reading in read(TOUCHING):
        assert all(at_place(reading, scene, which).unread is not Unread.STACKED for which in (0, 1))


def test_a_plane_shows_a_flat_dies_outline() -> None:
    edge = STANCE_PX / STANCE_SPAN

    def plane(lean: tuple[float, float]) -> npt.NDArray[np.bool_]:
        nobody = Beside(np.zeros(0, np.intp), np.zeros((0, 8, 2)))
        crop = np.zeros((1, STANCE_PX, STANCE_PX, 3), np.uint8)
        own, beside = with_outlines(crop, STANCE_SPAN, np.array([lean]), nobody)[0, 3:]
        assert not beside.any()
        return np.asarray(own > 0.75)

    upright, aslant = plane((0.0, 0.0)), plane((0.3, 0.0))
    assert edge**2 < upright.sum() < (edge + 2.0) ** 2, "the rim is part of it"
    assert aslant.sum() == pytest.approx(1.3 * upright.sum(), rel=0.05)
    assert aslant[:, STANCE_PX // 2 :].sum() > aslant[:, : STANCE_PX // 2].sum()


def test_dice_beside_a_die_show_where_they_are() -> None:
    half = np.array([0.5, 0.0])
    blocks = block(np.array([[0.9, 0.0], [0.0, -0.8], [9.0, 0.0]]), half, np.zeros(2))
    crops = np.zeros((2, STANCE_PX, STANCE_PX, 3), np.uint8)
    planes = with_outlines(crops, STANCE_SPAN, np.zeros((2, 2)), Beside(np.array([1, 1, 0]), blocks))[:, 4] > 0.75
    assert not planes[0].any(), "too far to be seen"
    middle = STANCE_PX // 2
    assert planes[1, middle, -5:].all()
    assert planes[1, :5, middle].all()
    assert not planes[1, middle, :5].any()


def test_one_sure_net_is_outweighed_only_by_another_that_is_surer() -> None:
    shares = np.array([[0.5, 0.01, 0.49], [0.7, 0.01, 0.29], [0.5, 0.25, 0.25]], np.float32)
    worst = np.array([0.12, 0.12, 0.45], np.float32)
    assert contested_dice(shares, worst, StandingParams()).tolist() == [True, False, False]


def test_a_lean_unlike_a_flat_dies_counts_sooner_where_a_net_has_its_doubts_too() -> None:
    shares = np.array([[0.7, 0.25, 0.05], [0.7, 0.05, 0.25], [0.7, 0.25, 0.05], [0.7, 0.05, 0.25]], np.float32)
    departs = np.array([0.22, 0.22, 0.15, 0.4])
    assert far_departures(departs, shares, StandingParams()).tolist() == [True, False, False, True]


def test_no_faces_no_answer() -> None:
    nobody = Beside(np.zeros(0, np.intp), np.zeros((0, 8, 2)))
    nowhere = Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    crops = np.zeros((0, STANCE_PX, STANCE_PX, 3), np.uint8)
    assert StanceReader().look_at(crops, nowhere, np.zeros((0, 2)), nobody).shape == (0, 3)
