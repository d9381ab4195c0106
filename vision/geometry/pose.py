"""How the camera is held above the tray, computed from how flat dice lean in the picture.

A tray's own camera looks almost straight down; one in a hand seldom does. Every die shows the tilt in the vector from
its top face to its bottom. A tilt shifts all these vectors equally; a wider field of view, whose camera hangs lower,
lengthens them towards the picture's rim.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry.camera import MAX_ASLANT, Held, SizedView
from vision.types.frame import FloatArray

_TO_COMPLEX = np.array([1.0, 1j])


_MIN_DICE = 3
"""Least number of dice from which the pose is fitted; with fewer the camera counts as level, or as a profile gives
it.
"""
_ASLANT = 0.06
"""Usual tilt, as a tangent, of a camera that was mounted with care."""
_IN_HAND = 2.0
"""Degrees of freedom of Student's density for the tilt: the smaller, the likelier are tilts far beyond `_ASLANT`."""
_WIDER = 0.3
"""Usual deviation of a lens's field of view from the usual one, as a share."""
_MAX_WIDER = 2.0
"""Greatest factor by which a field of view may differ from the usual one, in either direction."""
_MOVED = 0.02
"""Replaces `_ASLANT` if a profile gives how the camera is held, since it may have been touched."""
_MISJUDGED = 0.08
"""Replaces `_WIDER` if a profile gives the camera's field of view."""
SEEN_WIDER = 0.79
"""Ratio of the leans that the stance net measures to those that dice have."""
_LEAN_ERROR = 0.08
"""Standard error of a measured lean, in edges."""
_LEAN_OUTLIER = 0.12
"""Deviation of a measured lean, in edges, at which it has half its weight in the fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Leans:
    """How dice lean in a picture: the vectors from the centres of their tops to those of their bottoms, in edges."""

    # shape (N, 2), leans of flat dice at these places under a level camera of the usual field
    level: FloatArray
    seen: FloatArray  # shape (N, 2), leans that were measured

    @staticmethod
    def of(centers_xy: FloatArray, leans_px: FloatArray, view: SizedView) -> "Leans":
        """Return the leans of dice with tops centred at given places, shape (N, 2), in pixels, as measured there."""
        return Leans(_level(centers_xy, view), leans_px / view.edge_px)

    @staticmethod
    def of_all(pictures: Sequence["Leans"]) -> "Leans":
        """Return the leans of the dice of several pictures by the same camera."""
        nothing = np.zeros((0, 2))
        return Leans(
            level=np.concatenate([nothing, *(picture.level for picture in pictures)]),
            seen=np.concatenate([nothing, *(picture.seen for picture in pictures)]),
        )


@dataclass(frozen=True, slots=True)
class Pose:
    """How a camera is held, and the leans that follow."""

    view: SizedView
    held: Held

    def flat_leans(self, centers_xy: FloatArray, seen_wider: float = 1.0) -> FloatArray:
        """Return the vectors from the centres of top faces to those of their bottoms, for flat dice.

        Args:
            centers_xy: Shape (N, 2), centres of the top faces.
            seen_wider: `SEEN_WIDER` for the leans that will be measured there.

        Returns:
            Shape (N, 2), pixels.
        """
        leans = _level(centers_xy, self.view) * self.held.field * seen_wider - np.array(self.held.up) / self.view.steep
        return np.asarray(leans * self.view.edge_px, np.float64)


def pose_of(leans: Leans, view: SizedView, seen_wider: float = SEEN_WIDER) -> Pose:
    """Fit how the camera is held.

    Tilt and field are fitted together (iteratively reweighted least squares): leans that do not fit a flat die count
    less (Cauchy's weights), and so does the usual pose for a camera that is far from it.

    Args:
        leans: Of dice that are certainly on the floor; some may not lie flat.
        seen_wider: Ratio of the leans that were measured to those that dice have.
    """
    known = view.view.held
    usual, aslant, wider = (Held(), _ASLANT, _WIDER) if known is None else (known, _MOVED, _MISJUDGED)
    if len(leans.seen) < _MIN_DICE:
        return Pose(view, usual)
    # All leans as x + iy: a die's lean is the one under a level camera, times the field, less `up` times `steeper`.
    level, seen = seen_wider * leans.level @ _TO_COMPLEX, leans.seen @ _TO_COMPLEX
    terms = np.array([np.ones(len(seen)), level, seen, (level.conj() * level).real, (level.conj() * seen).real])
    steeper, surely, wanted = 1.0 / view.steep, wider**-2, complex(*usual.up)
    up, field = wanted, usual.field
    for _ in range(8):
        off = np.abs(seen - field * level + steeper * up)
        weight = 1.0 / (1.0 + (off / _LEAN_OUTLIER) ** 2) / _LEAN_ERROR**2
        count, levels, seens, squares, products = (terms @ weight).tolist()
        careful = 1.0 / (aslant**2 + abs(up - wanted) ** 2 / _IN_HAND)
        # The normal equation of `up` gives `up` for any field; substituted into that of the field, it gives the field.
        normal = steeper**2 * count.real + careful
        unlevel, by_field = (careful * wanted - steeper * seens) / normal, steeper * levels / normal
        field = (products + surely * usual.field + steeper * levels.conjugate() * unlevel).real
        field /= (squares + surely - steeper * levels.conjugate() * by_field).real
        up = unlevel + field * by_field
    right, down = up.real, up.imag
    too_far = max(math.hypot(right, down) / MAX_ASLANT, 1.0)
    field = min(max(field, 1.0 / _MAX_WIDER), _MAX_WIDER)
    return Pose(view, Held((right / too_far, down / too_far), field))


def _level(centers_xy: FloatArray, view: SizedView) -> FloatArray:
    """Return how flat dice lean under a level camera of the usual field, shape (N, 2), in edges."""
    leans: FloatArray = (np.array(view.view.nadir_px) - centers_xy) / (view.view.focal_px * view.steep)
    return leans
