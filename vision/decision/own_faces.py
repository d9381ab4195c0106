"""Faces that people taught a tray: which of them a die shows, and how likely that is right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from vision.decision.model import Logistic, load_models
from vision.nets.onnx_net import WEIGHTS
from vision.types.errors import VisionError
from vision.types.frame import F32, FloatArray

FACE_FEATURES = ("similarity", "margin")
"""How near the nearest taught face is, and how much nearer than the next that counts otherwise."""
_UNLIKE = 0.5
"""How near faces may be that are not the same: what the lead of one is taken from while few were taught."""
LEAST_LEAD = 0.08
"""A face that leads by less is one of two that look alike, as a 6 and a 9 without their lines."""

_MOST_PIPS = 6


@dataclass(frozen=True, slots=True, eq=False)
class TaughtFace:
    """One face of a colour class.

    Attributes:
        colour: Colour class of the dice that wear it.
        value: What it counts as, 1 to 12.
        looks: Shape (K, 128), looks of it that were shown.
        shows_pips: Whether it shows as many pips as it counts.
    """

    colour: str
    value: int
    looks: F32
    shows_pips: bool = False


@dataclass(frozen=True, slots=True)
class FacePoints:
    """What was fitted: the share of right values for a nearness, and what it takes.

    Attributes:
        is_right: Model of the share that is right.
        trusted: Share from which its value is trusted.
        pips: Shape (7, 129), by the pips 1 to 6 and anything else: weights of a look, and a bias.
        like_pips: Lead over anything else from which a face may show so many pips.
    """

    is_right: Logistic
    trusted: float
    pips: F32
    like_pips: float

    def may_show(self, look: F32, value: int) -> bool:
        """Whether a face of that look, shape (128,), may show so many pips."""
        said = self.pips[:, :-1] @ look + self.pips[:, -1]
        return 1 <= value <= _MOST_PIPS and float(said[value - 1] - said[_MOST_PIPS]) >= self.like_pips


@dataclass(frozen=True, slots=True)
class NearFace:
    """The taught face that is nearest to a die's.

    Attributes:
        face: The face.
        share: Probability that the die shows it.
        is_sure: Whether its value may be trusted.
    """

    face: TaughtFace
    share: float
    is_sure: bool


class OwnFaces:
    """Faces by colour class; threads may share one."""

    def __init__(self, faces: Sequence[TaughtFace], points: FacePoints | None = None) -> None:
        """Hold faces.

        Args:
            faces: Of all sets in use.
            points: What was fitted; None for what is installed.

        Raises:
            VisionError: What was fitted is missing.
        """
        self._points = points or load_points()
        self._faces: dict[str, list[TaughtFace]] = {}
        means: dict[str, list[F32]] = {}
        for face in faces:
            mean = _unit(face.looks.sum(axis=0))
            # A symbol may be taken for pips, and for as many as it counts.
            shows_pips = face.shows_pips and self._points.may_show(mean, face.value)
            self._faces.setdefault(face.colour, []).append(replace(face, shows_pips=shows_pips))
            means.setdefault(face.colour, []).append(mean)
        self._means = {colour: np.stack(looks) for colour, looks in means.items()}

    def __len__(self) -> int:
        return sum(map(len, self._faces.values()))

    def of(self, colour: str | None) -> Sequence[TaughtFace]:
        """The faces of a class."""
        return self._faces.get(colour or "", ())

    def may_show_pips(self, look: F32, value: int | None) -> bool:
        """Whether a face of that look, shape (128,), may show so many pips."""
        return value is not None and self._points.may_show(look, value)

    def nearest(self, colour: str, look: F32) -> NearFace:
        """Return the face that a look is nearest to.

        Args:
            colour: Class of the die, of which faces were taught.
            look: Shape (128,).
        """
        faces, near = self._faces[colour], self._means[colour] @ look
        best = int(near.argmax())
        (features,) = nearness(near[None], [face.value for face in faces])
        share = float(self._points.is_right.share(features[None])[0])
        is_sure = share >= self._points.trusted and features[1] >= LEAST_LEAD
        return NearFace(faces[best], share, bool(is_sure))


def nearness(near: FloatArray | F32, values: Sequence[int]) -> FloatArray:
    """`FACE_FEATURES` of looks, shape (N, 2).

    Args:
        near: Shape (N, K), how near each look is to each of K faces.
        values: What these count as.
    """
    best = near.argmax(axis=1)
    counted = np.array(values)
    others = np.where(counted[None] == counted[best][:, None], _UNLIKE, near)
    rows = np.arange(len(near))
    top = near[rows, best]
    return np.stack([top, top - np.maximum(others.max(axis=1), _UNLIKE)], axis=1).astype(np.float64)


@cache
def load_points(path: Path = WEIGHTS / "faces.json") -> FacePoints:
    """What was fitted.

    Raises:
        VisionError: It is missing or damaged.
    """
    held = load_models(path)
    try:
        own = held["taught"]
        model = Logistic.from_json(dict(own["is_right"]), FACE_FEATURES)  # type: ignore[call-overload]
        pips = np.array(held["pips"], np.float32).reshape(_MOST_PIPS + 1, -1)
        return FacePoints(model, float(str(own["trusted"])), pips, float(str(own["pips"])))
    except (KeyError, TypeError, ValueError) as error:
        raise VisionError(f"{path.name} lacks {error}: install the project again") from error


def numerals(path: Path = WEIGHTS / "faces.json") -> OwnFaces:
    """The numerals 1 to 6 of common fonts, the 6 underlined, of no colour class (an empty one).

    Raises:
        VisionError: What was fitted is missing or damaged.
    """
    means = load_models(path).get("numerals")
    if not isinstance(means, list) or len(means) != 6:
        raise VisionError(f"{path.name} lacks numerals: install the project again")
    return OwnFaces([TaughtFace("", value, np.array([mean], np.float32)) for value, mean in enumerate(means, 1)])


def _unit(vector: F32) -> F32:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-6), np.float32)
