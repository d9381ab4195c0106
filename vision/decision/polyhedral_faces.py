"""Taught faces of dice with more than six: which of them a die shows, and how likely that is right."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vision.decision.model import Logistic, read_fitted
from vision.decision.own_faces import FACE_FEATURES, MIN_LEAD, NearFace, TaughtFace, nearness
from vision.nets.onnx_net import WEIGHTS
from vision.types.frame import F32, FloatArray


@dataclass(frozen=True, slots=True)
class PolyhedronPoints:
    """The fitted model and thresholds."""

    is_right: Logistic  # probability that the nearest face is right, if the kind is
    trusted: float  # probability from which a value is trusted if all faces of the die were taught
    trusted_of_some: float  # the same if some were not: a die may show one of these
    shown: float  # probability of being a die from which such a die is reported


class PolyhedralFaces:
    """Taught faces by colour class and number of faces; threads may share one."""

    def __init__(self, faces: Sequence[TaughtFace]) -> None:
        """Set the faces.

        Raises:
            VisionError: The fitted file is missing.
        """
        self.points = load_points()
        self._faces: dict[tuple[str, int], list[TaughtFace]] = defaultdict(list)
        for face in faces:
            self._faces[face.colour, face.sides].append(face)
        self._means = {key: np.stack([face.mean for face in own]) for key, own in self._faces.items()}

    def kinds(self, colour: str | None) -> list[int]:
        """Return the numbers of faces of a class's taught dice."""
        return sorted(sides for own, sides in self._faces if own == colour)

    def near(self, colour: str, sides: int, look: F32) -> tuple[TaughtFace, FloatArray]:
        """Return the face that is nearest to a look, shape (128,), and `FACE_FEATURES`."""
        faces, near = self._faces[colour, sides], self._means[colour, sides] @ look
        return faces[int(near.argmax())], nearness(near[None], [face.value for face in faces])[0]

    def nearest(self, colour: str, sides: int, look: F32, kind: float) -> NearFace:
        """Return the face that is nearest to a look, shape (128,).

        Args:
            kind: Probability that the die has so many faces.
        """
        face, features = self.near(colour, sides, look)
        share = kind * float(self.points.is_right.share(features[None])[0])
        is_complete = len({face.value for face in self._faces[colour, sides]}) == sides
        trusted = self.points.trusted if is_complete else self.points.trusted_of_some
        return NearFace(face, share, bool(share >= trusted and features[1] >= MIN_LEAD))


@cache
def load_points(path: Path = WEIGHTS / "polyhedra.json") -> PolyhedronPoints:
    """Read the fitted file.

    Raises:
        VisionError: It is missing or damaged.
    """
    return read_fitted(path, _points_from)


def _points_from(held: dict[str, Any]) -> PolyhedronPoints:
    points = [float(held["points"][name]) for name in ("trusted", "trusted_of_some", "shown")]
    return PolyhedronPoints(Logistic.from_json(held["is_right"], FACE_FEATURES), *points)
