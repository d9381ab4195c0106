"""Drawn dice that lean or lie on another are told, and flat ones are left in peace."""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from vision.bench import drawn_scene
from vision.classification.standing import STANDING_FEATURES, StandingParams, Stands, judge_standing
from vision.classification.standing_net import FLAT, Beside, StandingReader, StandingSights, block
from vision.frame import FloatArray
from vision.pose import Pose
from vision.reader import Reader
from vision.reading import DieReading, TrayReading, Unread
from vision.scene import DiePose, Scene
from vision.shrink import Halves
from vision.synthetic import draw, truth_of
from vision.tops import Squares
from vision.view import Held, SizedView, View

SEEDS = range(8)
STACKS = range(12)


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


def at_place(reading: TrayReading, scene: Scene, which: int) -> DieReading:
    """What was read nearest to where a die of the scene lies."""
    place = np.array(truth_of(scene)[which].center_px)
    return min(reading.dice, key=lambda die: float(np.hypot(*(np.array(die.center_px) - place))))


def read_at(reader: Reader, scene: Scene, which: int) -> DieReading:
    return at_place(reader.read(draw(scene)), scene, which)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


Tipped = Callable[[int, float], tuple[Scene, TrayReading]]


@pytest.fixture(scope="module")
def read_tipped(reader: Reader) -> Tipped:
    """Draws and reads a tray whose first die is tipped so far, each such tray once."""

    @functools.cache
    def read(seed: int, deg: float) -> tuple[Scene, TrayReading]:
        scene = drawn_scene(seed)
        scene = replace(scene, dice=(tipped(scene.dice[0], deg), *scene.dice[1:]))
        return scene, reader.read(draw(scene))

    return read


def test_most_leaning_dice_are_told(read_tipped: Tipped) -> None:
    told = 0
    for seed in SEEDS:
        scene, reading = read_tipped(seed, 30.0)
        told += at_place(reading, scene, 0).unread is Unread.COCKED
    assert told >= len(SEEDS) - 2


@pytest.mark.parametrize("deg", [38.0, 41.0])
def test_a_die_tipped_so_far_that_either_face_may_be_its_top_is_told_near_both(read_tipped: Tipped, deg: float) -> None:
    for seed in range(4, 9):
        scene, reading = read_tipped(seed, deg)
        quad = np.array(truth_of(scene)[0].top_quad_px)
        die = at_place(reading, scene, 0)
        assert die.unread is Unread.COCKED
        assert np.hypot(*(quad.mean(axis=0) - die.center_px)) < 0.6 * np.hypot(*(quad[1] - quad[0]))


@pytest.mark.parametrize("deg", [38.0, 41.0, 44.0])
def test_a_tipped_die_of_which_two_faces_are_seen_is_told_once(read_tipped: Tipped, deg: float) -> None:
    for seed in range(4, 9):
        scene, reading = read_tipped(seed, deg)
        assert len(reading.dice) == len(scene.dice)


def test_most_dice_on_another_are_told(reader: Reader) -> None:
    told = 0
    for seed in STACKS:
        scene = drawn_scene(seed)
        stacked = (raised(scene.dice[0], scene.dice[1]), *scene.dice[1:])
        told += read_at(reader, replace(scene, dice=stacked), 0).unread is not None
    assert told >= 8, "a net is not sure of each; vision/README.md says how many it tells"


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


def test_dice_that_touch_are_not_taken_for_stacked(reader: Reader) -> None:
    told = 0
    for seed in SEEDS:
        scene = drawn_scene(seed)
        pair = (beside(scene.dice[0], scene.dice[1]), scene.dice[1])
        scene = replace(scene, dice=pair)
        reading = reader.read(draw(scene))
        told += any(at_place(reading, scene, which).unread is Unread.STACKED for which in (0, 1))
    assert told == 0


EDGE = 40.0
VIEW = View((320.0, 240.0), 620.0)
PARAMS = StandingParams()
PICTURE = Halves(np.zeros((480, 640, 3), np.uint8))
LEVEL = Pose(SizedView(VIEW, EDGE), Held())


class SecondLook(StandingReader):
    """Sees the dice where they are, leaning as it is told; it takes down what it was given."""

    def __init__(self, leans_px: FloatArray, flat: FloatArray) -> None:
        self._sights = leans_px, shares_of_flat(flat)
        self.flat_px = np.zeros((0, 2))
        self.beside = Beside.nothing()

    def look_at(
        self, picture: Halves, squares: Squares, flat_px: FloatArray | None = None, beside_px: Beside | None = None
    ) -> StandingSights:
        assert flat_px is not None
        assert beside_px is not None
        self.flat_px, self.beside = flat_px, beside_px
        leans, shares = self._sights
        return StandingSights(shares, leans, squares)


def shares_of_flat(flat: FloatArray) -> np.ndarray:
    """Shares of flat, leaning and stacked, where of the rest two thirds go to leaning."""
    return np.stack([flat, 2 * (1 - flat) / 3, (1 - flat) / 3], axis=1).astype(np.float32)


def judged(
    centers: list[tuple[float, float]],
    *,
    edges: list[float] | None = None,
    belief: list[float] | None = None,
    first_leans: FloatArray | None = None,
    leans: FloatArray | None = None,
    flat: list[float] | None = None,
    first_flat: list[float] | None = None,
) -> tuple[Stands, SecondLook]:
    """What is made of dice at some places, 40 px large, surely dice, leaning as flat ones do, unless told otherwise."""
    count, xy = len(centers), np.array(centers).reshape(-1, 2)
    squares = Squares(xy, np.array(edges or [EDGE] * count), np.zeros(count))
    usual = LEVEL.flat_leans(xy)
    look = SecondLook(usual if leans is None else leans, np.array(flat or [0.9] * count))
    first = StandingSights(
        shares_of_flat(np.array(first_flat or [0.9] * count)), usual if first_leans is None else first_leans, squares
    )
    stands = judge_standing(look, PICTURE, first, np.array(belief or [0.99] * count), view=VIEW, params=PARAMS)
    return stands, look


def column(stands: Stands, name: str) -> list[float]:
    return list(stands.columns[:, STANDING_FEATURES.index(name)])


APART = [(100.0, 100.0), (320.0, 240.0), (500.0, 400.0)]


def test_the_net_is_told_how_a_flat_die_leans_at_each_place() -> None:
    stands, look = judged(APART[:2])
    wanted = (np.array(VIEW.nadir_px) - np.array(APART[:2])) * EDGE / (VIEW.focal_px + EDGE)
    assert look.flat_px == pytest.approx(wanted)
    assert stands.flat_px == pytest.approx(wanted)
    assert stands.pose.held == Held(), "two dice do not tell how a camera is held"


def test_dice_that_all_lean_alike_show_a_camera_that_is_not_level() -> None:
    places = [(x, y) for x in (90.0, 250.0, 390.0, 560.0) for y in (70.0, 230.0, 410.0)]
    aslant = np.array([0.0, 8.0])
    level = PARAMS.pose.seen_wider * LEVEL.flat_leans(np.array(places))
    _, look = judged(places, first_leans=level + aslant)
    assert np.median(look.flat_px - LEVEL.flat_leans(np.array(places)), axis=0) == pytest.approx(aslant, abs=1.5)
    # What leans at first look, and what may be no die, has no say.
    for doubt in ({"first_flat": [0.3] * 12}, {"belief": [0.7] * 12}):
        assert judged(places, first_leans=level + aslant, **doubt)[1].flat_px == pytest.approx(
            LEVEL.flat_leans(np.array(places))
        )


def test_how_far_a_lean_is_from_a_flat_dies_counts_in_edges() -> None:
    leans = LEVEL.flat_leans(np.array(APART[:2])) + np.array([[0.0, 0.0], [6.0, 8.0]])
    assert column(judged(APART[:2], leans=leans)[0], "departs") == pytest.approx([0.0, 0.25])


def test_both_looks_say_how_likely_a_die_lies_flat() -> None:
    stands, _ = judged(APART[:2], flat=[0.5, 0.8], first_flat=[0.8, 0.5])
    assert column(stands, "flat") == pytest.approx([0.0, np.log(4)], abs=1e-5)
    assert column(stands, "at_first") == pytest.approx([np.log(4), 0.0], abs=1e-5)
    assert column(stands, "stacked")[0] == pytest.approx(np.log((1 / 6) / (5 / 6)), abs=1e-5)
    assert stands.shares[:, FLAT] == pytest.approx([0.5, 0.8])


@pytest.mark.parametrize(
    ("away", "belief", "overlap"), [(40.0, 0.99, 0.0), (28.0, 0.99, 0.23), (28.0, 0.3, 0.0), (0.93 * 40, 0.99, 0.0)]
)
def test_a_likely_die_that_is_too_near_overlaps(away: float, belief: float, overlap: float) -> None:
    stands, _ = judged([(300.0, 200.0), (300.0 + away, 200.0)], belief=[0.99, belief])
    assert column(stands, "overlap")[0] == pytest.approx(overlap, abs=1e-9)


def test_a_larger_top_is_higher_than_the_others() -> None:
    places = [(100.0 * k + 50.0, 200.0) for k in range(5)]
    stands, _ = judged(places, edges=[40.0, 40.0, 44.0, 40.0, 90.0], belief=[0.99] * 4 + [0.2])
    assert column(stands, "higher")[:4] == pytest.approx([0.0, 0.0, np.log(1.1), 0.0]), "what is no die has no say"
    assert column(judged(places[:1])[0], "higher") == [0.0], "one alone is as high as it is"


def test_the_net_is_shown_the_likely_dice_near_each() -> None:
    places = [(100.0, 100.0), (160.0, 100.0), (100.0, 160.0), (300.0, 100.0)]
    _, look = judged(places, belief=[0.99, 0.99, 0.2, 0.99])
    assert sorted(zip(look.beside.of.tolist(), look.beside.blocks[:, :4].mean(axis=1).tolist(), strict=True)) == [
        (0, [160.0, 100.0]),
        (1, [100.0, 100.0]),
        (2, [100.0, 100.0]),
        (2, [160.0, 100.0]),
    ]
    own = block(np.array(places[1]), np.array([EDGE / 2, 0.0]), look.flat_px[1])
    assert look.beside.blocks[look.beside.of == 0][0] == pytest.approx(own)


def test_of_no_die_nothing_is_judged() -> None:
    stands, _ = judged([])
    assert stands.columns.shape == (0, len(STANDING_FEATURES))
    assert stands.shares.shape == (0, 3)


def test_where_nothing_is_surely_a_die_its_size_is_what_was_seen() -> None:
    stands, look = judged(APART, belief=[0.4] * 3)
    assert np.isfinite(stands.columns).all()
    assert look.flat_px == pytest.approx(LEVEL.flat_leans(np.array(APART)))
