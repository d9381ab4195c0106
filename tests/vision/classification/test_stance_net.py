"""The stances of drawn dice, the directions of their leans, and the errors of their squares."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.drawing import draw
from vision.classification.stance_net import FLAT, LEANING, StanceReader, outlines
from vision.detection.squares import Squares
from vision.evaluation.bench import drawn_scene
from vision.imaging.pyramid import ImagePyramid
from vision.rendering.optics import project
from vision.rendering.scene import DiePose, Scene
from vision.rendering.synthetic import truth_of
from vision.types.errors import VisionError
from vision.types.frame import FloatArray, ImageBgr

SEED = 3
TIPPED_DEG = 28.0


def tipped(pose: DiePose) -> DiePose:
    """Return the die tipped over a level axis, its lowest corner on the floor."""
    c, s = np.cos(np.radians(TIPPED_DEG)), np.sin(np.radians(TIPPED_DEG))
    turn = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]) @ pose.rotation
    height = 0.5 * pose.look.size_mm * float(np.abs(turn[2]).sum())
    return DiePose(pose.look, np.array([*pose.center_mm[:2], height]), turn)


@pytest.fixture(scope="module")
def scene() -> Scene:
    """Return a tray whose first die leans."""
    flat = drawn_scene(SEED)
    return replace(flat, dice=(tipped(flat.dice[0]), *flat.dice[1:]))


def tops(scene: Scene) -> tuple[Squares, FloatArray, FloatArray]:
    """Return the top faces, and the vectors from their centres to the bottoms', actual and of flat dice, in edges."""
    quads = np.array([die.top_quad_px for die in truth_of(scene)])
    diagonals = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    area = np.abs(diagonals[0][:, 0] * diagonals[1][:, 1] - diagonals[0][:, 1] * diagonals[1][:, 0]) / 2
    side = quads[:, 1] - quads[:, 0]
    squares = Squares(quads.mean(axis=1), np.sqrt(area), np.arctan2(side[:, 1], side[:, 0]))
    leans, flat_leans = [], []
    for pose in scene.dice:
        up = pose.rotation[2]
        axis = int(np.argmax(np.abs(up)))
        half = 0.5 * pose.look.size_mm * np.sign(up[axis]) * pose.rotation[:, axis]
        below = np.array([0.0, 0.0, pose.look.size_mm])
        top, bottom, flat = project(scene.camera, pose.center_mm + np.array([half, -half, half - below]))
        leans.append(bottom - top)
        flat_leans.append(flat - top)
    edges = squares.edge_px[:, None]
    return squares, np.array(leans) / edges, np.array(flat_leans) / edges


def seen_turned(picture: ImageBgr, squares: Squares) -> tuple[ImageBgr, Squares]:
    """Return a picture and the squares in it, rotated by a quarter counter-clockwise."""
    x, y = squares.center_xy.T
    there = np.stack([y, picture.shape[1] - 1 - x], axis=1)
    return np.ascontiguousarray(np.rot90(picture)), Squares(there, squares.edge_px, squares.turn_rad - np.pi / 2)


def quarter(ways: FloatArray) -> FloatArray:
    """Return vectors of a picture rotated in the same way."""
    return np.stack([ways[:, 1], -ways[:, 0]], axis=1)


def test_flat_dice_are_told_from_one_that_leans(scene: Scene) -> None:
    squares, leans, flat_leans = tops(scene)
    seen = StanceReader().look_at(ImagePyramid(draw(scene)), squares, flat_leans)
    assert seen.shares.sum(axis=1) == pytest.approx(np.ones(len(leans)))
    assert seen.shares[0, LEANING] > 0.8
    assert (seen.shares[1:, FLAT] > 0.9).all()
    assert np.abs(seen.lean_edges - leans).max() < 0.25


@pytest.mark.parametrize("unknown", [None, np.nan])
def test_a_camera_that_is_not_known_is_accepted(scene: Scene, unknown: float | None) -> None:
    squares, leans, _ = tops(scene)
    given = None if unknown is None else np.full_like(leans, unknown)
    seen = StanceReader().look_at(ImagePyramid(draw(scene)), squares, given)
    assert np.isfinite(seen.shares).all()
    assert not outlines(np.full((1, 2), np.nan)).any()


@pytest.mark.parametrize("looks", [1, 2])
def test_squares_that_are_off_are_put_right(scene: Scene, looks: int) -> None:
    true, _, flat_leans = tops(scene)
    rng = np.random.default_rng(1)
    count = len(true.edge_px)
    shift = 0.07 * true.edge_px[:, None] * rng.choice([-1.0, 1.0], (count, 2))
    off = Squares(
        true.center_xy + shift,
        true.edge_px * np.exp(rng.choice([-0.08, 0.08], count)),
        true.turn_rad + rng.choice([-0.08, 0.08], count),
    )
    seen = StanceReader().look_at(ImagePyramid(draw(scene)), off, flat_leans, looks=looks)
    right = seen.corrected(off)

    def errors(squares: Squares) -> tuple[float, float, float]:
        away = np.hypot(*(squares.center_xy - true.center_xy).T) / true.edge_px
        grown, turn = np.log(squares.edge_px / true.edge_px), squares.turn_rad - true.turn_rad
        return float(away[1:].mean()), float(np.abs(grown[1:]).mean()), float(np.abs(turn[1:]).mean())

    assert all(now < 0.4 * before for now, before in zip(errors(right), errors(off), strict=True))


def test_what_is_seen_turns_with_the_picture(scene: Scene) -> None:
    squares, _, flat_leans = tops(scene)
    squares = Squares(squares.center_xy + 2.0, squares.edge_px, squares.turn_rad)
    picture = draw(scene)
    seen = StanceReader().look_at(ImagePyramid(picture), squares, flat_leans)
    rotated, there = seen_turned(picture, squares)
    again = StanceReader().look_at(ImagePyramid(rotated), there, quarter(flat_leans))
    assert again.lean_edges == pytest.approx(quarter(seen.lean_edges), abs=0.02)
    assert again.shift_edges == pytest.approx(quarter(seen.shift_edges), abs=0.01)
    assert again.shares == pytest.approx(seen.shares, abs=0.02)


def test_no_dice_no_answer() -> None:
    nowhere = Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    picture: npt.NDArray[np.uint8] = np.zeros((90, 90, 3), np.uint8)
    seen = StanceReader().look_at(ImagePyramid(picture), nowhere, None)
    assert seen.shares.shape == (0, 3)
    assert len(seen.corrected(nowhere).edge_px) == 0


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"weights standing\.onnx are missing"):
        StanceReader(tmp_path / "standing.onnx")
