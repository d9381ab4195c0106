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
    """One face of a colour class."""

    colour: str
    value: int  # what it counts as, 1 to 6
    looks: F32  # shape (K, 128), looks of it that were shown
    shows_pips: bool = False  # whether it shows as many pips as it counts


@dataclass(frozen=True, slots=True)
class FacePoints:
    """What was fitted."""

    is_right: Logistic  # share of nearest faces that are right
    trusted: float  # share from which a value is trusted
    pips: F32  # shape (7, 129), by the pips 1 to 6 and anything else: weights of a look, and a bias
    like_pips: float  # lead over anything else from which a face may show so many pips
    numerals: F32  # shape (6, 128), the numerals 1 to 6 of common fonts, the 6 underlined

    def may_show(self, look: F32, value: int | None) -> bool:
        """Whether a face of that look, shape (128,), may show so many pips."""
        if value is None or not 1 <= value <= _MOST_PIPS:
            return False
        said = self.pips[:, :-1] @ look + self.pips[:, -1]
        return float(said[value - 1] - said[_MOST_PIPS]) >= self.like_pips


@dataclass(frozen=True, slots=True)
class NearFace:
    """The taught face that is nearest to a die's."""

    face: TaughtFace
    share: float  # probability that the die shows it
    is_sure: bool  # whether its value may be trusted


class OwnFaces:
    """Faces by colour class; threads may share one."""

    def __init__(self, faces: Sequence[TaughtFace]) -> None:
        """Hold faces.

        Raises:
            VisionError: What was fitted is missing.
        """
        self._points = load_points()
        self._faces: dict[str, list[TaughtFace]] = {}
        means: dict[str, list[F32]] = {}
        for face in faces:
            mean = face.looks.sum(axis=0)
            mean /= max(float(np.linalg.norm(mean)), 1e-6)
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
        return self._points.may_show(look, value)

    def nearest(self, colour: str, look: F32) -> NearFace:
        """The face of a class that a look, shape (128,), is nearest to."""
        faces, near = self._faces[colour], self._means[colour] @ look
        (features,) = nearness(near[None], [face.value for face in faces])
        share = float(self._points.is_right.share(features[None])[0])
        is_sure = share >= self._points.trusted and features[1] >= LEAST_LEAD
        return NearFace(faces[int(near.argmax())], share, bool(is_sure))


def nearness(near: FloatArray | F32, values: Sequence[int]) -> FloatArray:
    """`FACE_FEATURES` of looks, shape (N, 2).

    Args:
        near: Shape (N, K), how near each look is to each of K faces.
        values: What these count as.
    """
    counted, top = np.array(values), near.max(axis=1)
    others = np.where(counted == counted[near.argmax(axis=1)][:, None], _UNLIKE, near)
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
        pips, numerals = (np.array(held[name], np.float32) for name in ("pips", "numerals"))
        return FacePoints(model, float(str(own["trusted"])), pips, float(str(own["pips"])), numerals)
    except (KeyError, TypeError, ValueError) as error:
        raise VisionError(f"{path.name} lacks {error}: install the project again") from error


def numerals() -> OwnFaces:
    """The numerals 1 to 6 of common fonts, of no colour class (an empty one)."""
    return OwnFaces([TaughtFace("", value, mean[None]) for value, mean in enumerate(load_points().numerals, 1)])
