"""Taught faces: which of them a die shows, and how likely that is right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vision.decision.model import Logistic, read_fitted
from vision.geometry.neighbours import IntArray
from vision.nets.onnx_net import WEIGHTS
from vision.types.frame import F32, FloatArray

FACE_FEATURES = ("similarity", "margin")
"""Similarity to the nearest taught face, and its lead over the next with another value."""
_UNLIKE = 0.5
"""Similarity of different faces, from which a lead is computed while few faces were taught."""
MIN_LEAD = 0.08
"""Least lead of a distinct face; with less it has a lookalike, such as a 6 and a 9 without their lines."""
UPSIDE_DOWN = {6: 9, 9: 6}
"""Numerals that another one looks like after half a turn; looks are equal at all rotations."""
_MAX_PIPS = 6
SURE_LEAD = 3.0
"""Lead of pips over symbols, log odds, from which a die surely shows pips, and behind which it surely shows none."""
_INNER = (2, 3, 4, 5)
_COMPANY = 3
"""No more than so many of a tray's other dice count."""
CUBE = 6
"""Number of faces of a cube."""
_ORDINARY = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True, eq=False)
class TaughtFace:
    """One face of a colour class."""

    colour: str
    value: int  # its value, 1 to `sides`, or 0 of a blank one
    looks: F32  # shape (K, 128), looks of it that were taught
    shows_pips: bool = False  # whether it shows as many pips as its value
    sides: int = 6  # number of faces of its die: 6, 8, 10 or 12
    times: int | None = None  # how many of them look so; None: one, of a blank one all that show nothing else

    @property
    def mean(self) -> F32:
        """Its mean look, shape (128,), of length 1."""
        mean: F32 = self.looks.sum(axis=0)
        mean /= max(float(np.linalg.norm(mean)), 1e-6)
        return mean


@dataclass(frozen=True, slots=True)
class NearPoints:
    """When the nearest face is right."""

    is_right: Logistic  # probability that it is
    trusted: float  # probability from which a value is trusted
    trusted_of_some: float  # the same if some faces of the die were not taught: it may show one of these

    @staticmethod
    def from_json(held: dict[str, Any]) -> "NearPoints":
        """Read them from the fitted file."""
        trusted = float(held["trusted"])
        is_right = Logistic.from_json(held["is_right"], FACE_FEATURES)
        return NearPoints(is_right, trusted, float(held.get("trusted_of_some", trusted)))


@dataclass(frozen=True, slots=True)
class FacePoints:
    """The fitted models and thresholds."""

    cubes: NearPoints
    polyhedra: NearPoints
    shown: float  # probability of being a die from which a place may be a taught polyhedron
    # shape (7, 257), for the pips 1 to 6 and anything else: weights of a look and of an embedding, and a bias
    pips: F32  # in a tray, from above
    pips_anywhere: F32  # in photographs
    pips_in_company: FloatArray  # shape (4,), in a tray: weights of `in_company`, and a bias
    numerals: F32  # shape (6, 128), the numerals 1 to 6 of common fonts, the 6 underlined


@dataclass(frozen=True, slots=True)
class NearFace:
    """The taught face nearest to a die's."""

    face: TaughtFace
    share: float  # probability that the die shows it
    is_sure: bool  # whether its value may be trusted


class OwnFaces:
    """Taught faces by colour class and number of sides; threads may share one.

    Attributes:
        polyhedra: Colour class and number of sides of the dice with more than six.
    """

    def __init__(self, faces: Sequence[TaughtFace]) -> None:
        """Set the faces.

        Raises:
            VisionError: The fitted file is missing.
        """
        self.points = load_points()
        self._faces: dict[tuple[str | None, int], list[TaughtFace]] = {}
        self._count = len(faces)
        self.polyhedra = frozenset((face.colour, face.sides) for face in faces if face.sides != CUBE)
        for face in faces:
            # Symbols show their class, too: under None are those of all classes.
            for colour in (face.colour,) if face.shows_pips or face.sides != CUBE else (face.colour, None):
                self._faces.setdefault((colour, face.sides), []).append(face)
        self._means = {kind: np.stack([face.mean for face in own]) for kind, own in self._faces.items()}

    def __len__(self) -> int:
        return self._count

    def values_of(self, colour: str | None) -> tuple[int, ...]:
        """Return the values of all faces of a cube of a class, in order; none if they are 1 to 6 or not all known."""
        times: dict[int, int] = {}
        for face in self.of(colour) if colour is not None else ():
            times[face.value] = max(face.times or (face.value > 0), times.get(face.value, 0))
        if times.get(0) == 0:
            times[0] = max(1, CUBE - sum(times.values()))
        values = tuple(value for value in sorted(times) for _ in range(times[value]))
        return values if len(values) == CUBE and values != _ORDINARY else ()

    def of(self, colour: str | None, sides: int = CUBE) -> Sequence[TaughtFace]:
        """Return the faces of a class; of None, the symbols of all classes."""
        return self._faces.get((colour, sides), ())

    def pips_lead(self, look: F32, embedding: F32, value: int | None, *, in_tray: bool) -> float:
        """Return by how much so many pips lead all else, by a face's look and the die net's embedding, shapes (128,).

        Returns:
            Log odds: below 0 it may be a symbol.
        """
        if value is None or not 1 <= value <= _MAX_PIPS:
            return -math.inf
        scores = (self.points.pips if in_tray else self.points.pips_anywhere) @ np.concatenate([look, embedding, [1.0]])
        return float(scores[value - 1] - scores[_MAX_PIPS])

    def leads_in_company(self, leads: FloatArray, values: Sequence[int]) -> FloatArray:
        """Return the leads of a tray's dice, judged together.

        Args:
            leads: Shape (N,), as `pips_lead` returns them; minus infinity for faces that cannot be read.
            values: Their pips, 0 of faces that cannot be read.

        Returns:
            Log odds, shape (N,): below 0 it may be a symbol.
        """
        weights = self.points.pips_in_company
        return np.asarray(in_company(leads, values) @ weights[:-1] + weights[-1])

    def near(self, colour: str | None, look: F32, sides: int = CUBE) -> tuple[TaughtFace, FloatArray]:
        """Return the face of a class, or the symbol of any, nearest to a look, shape (128,), and `FACE_FEATURES`."""
        faces, near = self._faces[colour, sides], self._means[colour, sides] @ look
        return faces[int(near.argmax())], nearness(near[None], [f"{face.value} {face.colour}" for face in faces])[0]

    def nearest(self, colour: str | None, look: F32, sides: int = CUBE, kind: float = 1.0) -> NearFace:
        """Return the face of a class, or the symbol of any, that is nearest to a look, shape (128,).

        Args:
            kind: Probability that the die has so many sides.
        """
        face, features = self.near(colour, look, sides)
        points = self.points.cubes if sides == CUBE else self.points.polyhedra
        share = kind * float(points.is_right.share(features[None])[0])
        values = {known.value: known.times or 1 for known in self._faces[colour, sides]}
        trusted = points.trusted if sum(values.values()) == sides else points.trusted_of_some
        # There is no lead over a lookalike that was not taught.
        lookalike = UPSIDE_DOWN.get(face.value, sides + 1)
        is_told_apart = features[1] >= MIN_LEAD and (lookalike > sides or lookalike in values)
        return NearFace(face, share, bool(share >= trusted and is_told_apart))


def in_company(leads: FloatArray, values: Sequence[int] | IntArray) -> FloatArray:
    """Return features of a tray's dice, shape (N, 3): its lead, and what the others say for pips and against them.

    Symbols are on all faces of a die or, mostly, on its 1 and 6. So others that surely show pips, counted up to three,
    speak for its 2 to 5 alone; others that surely show none speak against all.

    Args:
        leads: Shape (N,), log odds of pips.
        values: Their pips, 0 of faces that cannot be read.
    """
    sure, odd = (np.minimum(_COMPANY, of.sum() - of) for of in (leads >= SURE_LEAD, leads < -SURE_LEAD))
    return np.stack([leads, np.where(np.isin(values, _INNER), sure, 0), odd], axis=1)


def nearness(near: FloatArray | F32, values: Sequence[int | str]) -> FloatArray:
    """Return `FACE_FEATURES` of looks, shape (N, 2).

    Args:
        near: Shape (N, K), similarity of each look to each of K faces.
        values: What these faces mean; those with the same are one.
    """
    counted, top = np.array(values), near.max(axis=1)
    others = np.where(counted == counted[near.argmax(axis=1)][:, None], _UNLIKE, near)
    return np.stack([top, top - np.maximum(others.max(axis=1), _UNLIKE)], axis=1).astype(np.float64)


@cache
def load_points(path: Path = WEIGHTS / "faces.json") -> FacePoints:
    """Read the fitted file.

    Raises:
        VisionError: It is missing or damaged.
    """
    return read_fitted(path, _points_from)


def _points_from(held: dict[str, Any]) -> FacePoints:
    pips, anywhere, numerals = (np.array(held[name], np.float32) for name in ("pips", "pips_anywhere", "numerals"))
    company = np.array(held["pips_in_company"], np.float64)
    cubes, polyhedra = (NearPoints.from_json(held[name]) for name in ("cubes", "polyhedra"))
    return FacePoints(cubes, polyhedra, float(held["polyhedra"]["shown"]), pips, anywhere, company, numerals)


def numerals() -> OwnFaces:
    """Return the numerals 1 to 6 of common fonts, of no colour class (an empty one)."""
    return OwnFaces([TaughtFace("", value, mean[None]) for value, mean in enumerate(load_points().numerals, 1)])
