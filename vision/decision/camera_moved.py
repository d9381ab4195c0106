"""Whether a move of the camera that was found is real: other light moves edges, too, and a hand hides them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from vision.decision.model import Logistic, read_fitted
from vision.geometry.camera_move import CameraMove
from vision.nets.onnx_net import WEIGHTS
from vision.tray.landmarks import FoundMove
from vision.types.frame import FloatArray

MIN_DEG = 1.5
"""Least move that counts, in degrees: half a die's edge. Autofocus and a table that shakes stay below it."""
MOVE_FEATURES = ("alike_moved", "alike_unmoved")


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """What `vision.training.fit_camera_moved` fitted."""

    moved: Logistic  # probability that the camera was moved
    certain: float  # probability from which it counts as moved
    located: float  # likeness from which the move is known well enough to find the floor by it


def is_moved(found: FoundMove) -> bool:
    """Return whether the camera was certainly moved, and so far that it matters."""
    if found.move.degrees < MIN_DEG:
        return False
    fitted = _fitted(WEIGHTS)
    return float(fitted.moved.share(features_of(found)[None])[0]) >= fitted.certain


def located_move(found: FoundMove) -> CameraMove | None:
    """Return where a moved camera now looks, if that is certain."""
    return found.move if is_moved(found) and found.alike_moved >= _fitted(WEIGHTS).located else None


def features_of(found: FoundMove) -> FloatArray:
    """Return what the decision goes by, shape (2,), by `MOVE_FEATURES`."""
    return np.array([found.alike_moved, found.alike_unmoved])


@cache
def _fitted(weights: Path) -> _Fitted:
    return read_fitted(
        weights / "camera_moved.json",
        lambda held: _Fitted(
            Logistic.from_json(held["moved"], MOVE_FEATURES), float(held["certain"]), float(held["located"])
        ),
    )
