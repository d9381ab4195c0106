"""A closer look tells what drawn dice show, how they stand and lean, and what is no die."""

from dataclasses import replace

import numpy as np
import pytest

from tests.drawing import draw
from vision.classification.face_reader import NO_TOP_COLUMN
from vision.detection.squares import Squares, cut_out
from vision.evaluation.bench import drawn_scene
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.reader import Reader
from vision.pipeline.recogniser import RecogniserParams, look_closer
from vision.rendering.optics import project
from vision.rendering.scene import DiePose, Scene
from vision.rendering.synthetic import truth_of
from vision.standing.close_look import CLOSE_NO_DIE, CLOSE_PX, CLOSE_SPAN, CloseReader, CloseSights
from vision.standing.judge import Stand
from vision.standing.lean import LeanParams, LeanReader, odds_of_leaning
from vision.standing.stance import FLAT, Beside
from vision.training.recipe import leaned
from vision.types.frame import FloatArray, ImageBgr
from vision.types.reading import Unread

SEEDS = range(6)
NOBODY = Beside(np.zeros(0, np.intp), np.zeros((0, 8, 2)))


@pytest.fixture(scope="module")
def close() -> CloseReader:
    return CloseReader()


def tops_of(scene: Scene) -> Squares:
    """Where the dice's tops are."""
    quads = np.array([die.top_quad_px for die in truth_of(scene)])
    along = quads[:, 1] - quads[:, 0]
    edges = np.hypot(*np.roll(quads, -1, axis=1).transpose(2, 0, 1) - quads.transpose(2, 0, 1)).mean(axis=1)
    return Squares(quads.mean(axis=1), edges, np.arctan2(along[:, 1], along[:, 0]))


@pytest.fixture(scope="module")
def pictures() -> list[tuple[Scene, ImagePyramid]]:
    return [(scene, ImagePyramid(draw(scene))) for scene in map(drawn_scene, SEEDS)]


def seen(close: CloseReader, picture: tuple[Scene, ImagePyramid], squares: Squares) -> CloseSights:
    scene, halves = picture
    crops = cut_out(halves, squares, CLOSE_PX, CLOSE_SPAN)[0]
    middle = np.array([scene.camera.width_px, scene.camera.height_px]) / 2
    flat = (middle - squares.center_xy) * (squares.edge_px / scene.camera.k[0, 0])[:, None]
    return close.look_at(crops, squares, flat, NOBODY)


def test_it_reads_dice_and_sees_that_they_lie_flat(
    close: CloseReader, pictures: list[tuple[Scene, ImagePyramid]]
) -> None:
    right = flat = asked = 0
    for scene, halves in pictures:
        sights = seen(close, (scene, halves), tops_of(scene))
        truth = np.array([die.value for die in truth_of(scene)])
        right += int((sights.values.argmax(axis=1) + 1 == truth).sum())
        flat += int((sights.stances.argmax(axis=1) == FLAT).sum())
        asked += len(truth)
    assert right >= 0.97 * asked
    assert flat >= 0.97 * asked


def tipped(pose: DiePose, heading: float, deg: float) -> DiePose:
    """The die leaning that way, its lowest corner on the floor."""
    turn = leaned(pose.rotation, deg, heading)
    height = 0.5 * pose.look.size_mm * float(np.abs(turn[2]).sum())
    return replace(pose, center_mm=np.array([*pose.center_mm[:2], height]), rotation=turn)


def true_leans(scene: Scene, tops: Squares) -> FloatArray:
    """From each top's middle to that of the face below it, in edges."""
    ways = []
    for pose in scene.dice:
        axis = int(np.argmax(np.abs(pose.rotation[2])))
        way = 0.5 * pose.look.size_mm * np.sign(pose.rotation[2, axis]) * pose.rotation[:, axis]
        top, bottom = project(scene.camera, np.array([pose.center_mm + way, pose.center_mm - way]))
        ways.append(bottom - top)
    return np.array(ways) / tops.edge_px[:, None]


LEANS_DEG = (0.0, 20.0, 35.0)


@pytest.fixture(scope="module")
def leaning() -> dict[float, list[tuple[Scene, ImageBgr]]]:
    """Trays whose dice lean by so much, each their own way; those of one tray are drawn in turn."""
    drawn: dict[float, list[tuple[Scene, ImageBgr]]] = {deg: [] for deg in LEANS_DEG}
    for flat, seed in ((drawn_scene(seed), seed) for seed in SEEDS):
        headings = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(flat.dice))
        for deg, trays in drawn.items():
            scene = replace(flat, dice=tuple(tipped(*die, deg=deg) for die in zip(flat.dice, headings, strict=True)))
            trays.append((scene, draw(scene)))
    return drawn


@pytest.mark.parametrize("deg", LEANS_DEG)
def test_it_sees_which_way_dice_lean(leaning: dict[float, list[tuple[Scene, ImageBgr]]], deg: float) -> None:
    off, asked = [], LeanReader()
    for scene, picture in leaning[deg]:
        tops = tops_of(scene)
        crops = cut_out(ImagePyramid(picture), tops, CLOSE_PX, CLOSE_SPAN)[0]
        leans = asked.look_at(crops, tops, NOBODY) / tops.edge_px[:, None]
        off.extend(np.hypot(*(leans - true_leans(scene, tops)).T).tolist())
    assert np.median(off) <= 0.08
    assert np.percentile(off, 90) <= 0.2


def test_what_leans_as_a_flat_die_does_more_likely_is_one() -> None:
    params = LeanParams()
    odds = odds_of_leaning(np.array([0.0, 0.1, params.even, 0.4]), params)
    assert odds[0] < odds[1] < odds[2] == 1.0 < odds[3]


def test_shares_are_shares(close: CloseReader, pictures: list[tuple[Scene, ImagePyramid]]) -> None:
    scene = pictures[0][0]
    sights = seen(close, pictures[0], tops_of(scene))
    assert sights.values.shape == (len(scene.dice), CLOSE_NO_DIE + 1)
    assert sights.values.sum(axis=1) == pytest.approx(1.0)
    assert sights.stances.sum(axis=1) == pytest.approx(1.0)


def test_between_dice_there_is_no_die(close: CloseReader, pictures: list[tuple[Scene, ImagePyramid]]) -> None:
    reported = asked = 0
    for scene, halves in pictures:
        tops = tops_of(scene)
        gaps = (tops.center_xy[:-1] + tops.center_xy[1:]) / 2
        away = np.hypot(*(gaps[:, None] - tops.center_xy[None]).transpose(2, 0, 1)).min(axis=1)
        clear = np.flatnonzero(away > 0.7 * tops.edge_px[0])
        sights = seen(close, (scene, halves), Squares(gaps[clear], tops.edge_px[clear], tops.turn_rad[clear]))
        reported += int((sights.values.argmax(axis=1) == CLOSE_NO_DIE).sum())
        asked += len(clear)
    assert asked >= 10
    assert reported >= 0.9 * asked


def test_pips_of_cards_are_no_dice() -> None:
    reader = Reader()
    taken = 0
    for seed in SEEDS:
        scene = drawn_scene(seed)
        tray = replace(scene.tray, floor="plain", floor_bgr=(60, 60, 60))
        scene = replace(scene, dice=scene.dice[:4], tray=tray, clutter=("card", "card"), seed=seed)
        dice = reader.read(draw(scene)).dice
        places = np.array([die.center_px for die in truth_of(scene)])
        others = [die for die in dice if np.hypot(*(places - die.center_px).T).min() > 25]
        assert all(die.unread is not None for die in others)
        taken += len(others)
    assert taken <= 1


LYING = Stand(None, np.array([1.0, 0, 0], np.float32), None, np.zeros((8, 2)), ())


def test_what_a_closer_look_shows_counts() -> None:
    shares = np.array([[0.8, 0.1, 0, 0, 0, 0, 0, 0.1], [0.8, 0.1, 0, 0, 0, 0, 0, 0.1]], np.float32)
    shows = np.array([0.1, 0.0, 0, 0, 0, 0, 0.9], np.float32)
    look_closer(shares, [LYING, replace(LYING, standing=Unread.COCKED, shows=shows)], RecogniserParams())
    assert shares[0, 0] == pytest.approx(0.8), "nobody looked closely there"
    assert shares[1, [0, NO_TOP_COLUMN]] == pytest.approx([0.1, 0.9])


@pytest.mark.parametrize(
    ("flat", "own", "least", "most"), [(1.0, 3, 0.8, 0.9), (1.0, 4, 0.2, 0.65), (0.5, 3, 0.7, 0.7)]
)
def test_the_face_reader_seconds_a_closer_look_at_a_flat_die(flat: float, own: int, least: float, most: float) -> None:
    shares = np.full((1, 8), 0.04, np.float32)
    shares[0, own - 1] = 0.72
    shows = np.array([0.05, 0.05, 0.7, 0.1, 0, 0, 0.1], np.float32)
    stand = replace(LYING, shares=np.array([flat, 1.0 - flat, 0], np.float32), shows=shows)
    split = look_closer(shares, [stand], RecogniserParams())
    assert split.tolist() == [int(shares[0, :6].argmax()) + 1 != own]
    assert least - 1e-3 <= shares[0, 2] <= most + 1e-3
    assert shares[0, NO_TOP_COLUMN] == pytest.approx(0.1), "only values are seconded"
    assert shares[0, [0, 1, 2, 3, 4, 5, 7]].sum() == pytest.approx(1.0, abs=1e-5)
