from pathlib import Path

import numpy as np
import pytest

from vision.classification.face_reader import FACE_PX, FaceReader
from vision.detection.squares import Squares


def test_weights_are_small() -> None:
    files = list((Path(__file__).parents[3] / "vision" / "weights").iterdir())
    assert sum(f.stat().st_size for f in files) <= 8_000_000


def test_nothing_to_read_is_nothing_read() -> None:
    nothing = FaceReader().look_at(
        np.zeros((0, FACE_PX, FACE_PX, 3), np.uint8), Squares(np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    )
    assert nothing.probabilities.shape == (0, 8)
    assert nothing.lean_px.shape == (0, 2)


def test_rows_are_probabilities() -> None:
    crops = np.random.default_rng(1).integers(0, 255, (5, FACE_PX, FACE_PX, 3), dtype=np.uint8)
    said = FaceReader().look_at(crops, Squares(np.zeros((5, 2)), np.ones(5), np.zeros(5))).probabilities
    assert said.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-5)
