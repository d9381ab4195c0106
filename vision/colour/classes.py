"""Colours in CIE L*a*b*, and their distances from named and measured colours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.types.errors import VisionError
from vision.types.frame import FloatArray

STANDARD_COLOURS: Mapping[str, str] = {"base": "yellow", "skill": "green", "gear": "black"}
"""The colour classes if neither a profile nor the user names others."""


class UnknownColour(VisionError, ValueError):
    """An unknown colour name."""


@dataclass(frozen=True, slots=True)
class Hue:
    """A chromatic name: hue in degrees, the least chroma, and its lightness on a well lit die."""

    hue_deg: float
    width_deg: float
    lightness: float
    chroma: float


# Typical plastic dice under lamps from warm to cold; lightness counts little, because glare and shade change it.
HUES: Mapping[str, Hue] = {
    "red": Hue(28.0, 26.0, 42.0, 50.0),
    "orange": Hue(58.0, 18.0, 62.0, 60.0),
    "brown": Hue(60.0, 28.0, 32.0, 22.0),
    "yellow": Hue(88.0, 24.0, 84.0, 60.0),
    "green": Hue(150.0, 30.0, 52.0, 40.0),
    "teal": Hue(198.0, 26.0, 50.0, 28.0),
    "blue": Hue(272.0, 34.0, 38.0, 42.0),
    "purple": Hue(314.0, 22.0, 36.0, 38.0),
    "pink": Hue(0.0, 28.0, 68.0, 34.0),
}
_GREYS: Mapping[str, float] = {"black": 20.0, "grey": 55.0, "white": 90.0}

COLOUR_NAMES: tuple[str, ...] = tuple(sorted((*HUES, *_GREYS)))

_MEASURED_UNIT_LAB = 12.0
"""CIE L*a*b* distance from a measured colour that counts as much as 1 from a name."""
_LIGHTNESS_WEIGHT = 0.5
"""Weight of lightness against hue and chroma for a measured colour: glare and shade change it."""


def lab_of(bgr: FloatArray) -> FloatArray:
    """Return colours, shape (N, 3), 0-255, in CIE L*a*b* (L 0-100)."""
    if not len(bgr):
        return np.zeros((0, 3))
    pixels = (np.clip(bgr, 0, 255) / 255.0).astype(np.float32).reshape(1, -1, 3)
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float64)


def tinges_of(labs: FloatArray) -> FloatArray:
    """Return saturation and hue of colours, shape (N, 3) to (N, 2): a* and b* over L* + 16, unchanged by shade."""
    tinges: FloatArray = labs[:, 1:] / (labs[:, :1] + 16.0)
    return tinges


def has_hue(name: str) -> bool:
    """Return whether a name has a hue: not black, grey or white."""
    return name in HUES


def lightness_of(name: str) -> float:
    """Return L* of a well lit die of a named colour."""
    return _GREYS[name] if name in _GREYS else HUES[name].lightness


def name_distances(labs: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return how badly colours fit names, shape (N, 3) and K names to (N, K): below 1 well, above 2 not.

    Raises:
        UnknownColour: A name is unknown.
    """
    lightness, chroma = labs[:, 0], np.hypot(labs[:, 1], labs[:, 2])
    turn = np.degrees(np.arctan2(labs[:, 2], labs[:, 1]))
    columns = []
    for name in names:
        if name in _GREYS:
            # A warm or cold light gives a grey a little chroma, in proportion to its lightness.
            tinge = np.maximum(0.0, chroma - 2.5 - 0.075 * lightness) / (3.5 + 0.07 * lightness)
            # Glare lifts a black die by more than anything darkens a white one.
            off = lightness - _GREYS[name]
            columns.append(np.hypot(tinge, off / np.where(off > 0, 27.0, 22.0)))
        elif name in HUES:
            hue = HUES[name]
            off = np.abs((turn - hue.hue_deg + 180.0) % 360.0 - 180.0) / hue.width_deg
            # With little chroma the hue means little and the name fits badly anyway. A dark colour cannot have much.
            due = 0.55 * hue.chroma * np.clip(lightness / hue.lightness, 0.65, 1.0)
            pale = np.maximum(0.0, 1.0 - chroma / due) * 2.5
            columns.append(np.sqrt(off**2 + pale**2 + ((lightness - hue.lightness) / 60.0) ** 2))
        else:
            raise UnknownColour(f"colour {name!r} is not known: use one of {', '.join(COLOUR_NAMES)}")
    return np.stack(columns, axis=1) if columns else np.zeros((len(labs), 0))


def measured_distances(labs: FloatArray, measured: FloatArray) -> FloatArray:
    """Return how badly colours fit measured ones, (N, 3) and (K, 3) to (N, K), on the scale of `name_distances`."""
    off = labs[:, None] - measured[None]
    off[..., 0] *= _LIGHTNESS_WEIGHT
    distances: FloatArray = np.linalg.norm(off, axis=2) / _MEASURED_UNIT_LAB
    return distances
