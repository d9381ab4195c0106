"""How the camera is held above the tray: known from how dice that lie flat lean in the picture.

A tray's own camera looks straight down, nearly; one in a hand seldom does. Every die shows what it does: the way from
its top face to its bottom. That of a camera that is not level is shifted alike for all, a wider field, which hangs
lower, makes it longer towards the picture's rim.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry.camera import MOST_ASLANT, Held, SizedView
from vision.types.frame import FloatArray

_TO_COMPLEX = np.array([1.0, 1j])


_LEAST_DICE = 3
"""Least number of dice from which the pose is fitted; with fewer the camera is taken to be level, or as a profile
has it."""
_ASLANT = 0.06
"""Usual tilt, as a tangent, of a camera that was put up with care."""
_IN_HAND = 2.0
"""Degrees of freedom of Student's density for the tilt: the smaller, the likelier are tilts far beyond `_ASLANT`."""
_WIDER = 0.3
"""Usual deviation of a lens's field of view from the usual one, as a share."""
_MOST_WIDER = 2.0
"""Greatest factor by which a field of view may differ from the usual one, either way."""
_MOVED = 0.02
"""Replaces `_ASLANT` where a profile knows how the camera is held: somebody may have touched it."""
_MISJUDGED = 0.08
"""Replaces `_WIDER` where a profile knows the camera's field of view."""
SEEN_WIDER = 0.79
"""Factor between the leans that the stance net sees and those that dice have."""
_LEAN_ERROR = 0.08
"""Standard error of a measured lean, in edges."""
_LEAN_OUTLIER = 0.12
"""Deviation of a measured lean, in edges, at which it has half its weight in the fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Leans:
    """How dice lean in a picture: the ways from the middles of their tops to those of their bottoms, in edges."""

    # shape (N, 2), leans of dice that lie flat at their places under a level camera of the usual field
    level: FloatArray
    seen: FloatArray  # shape (N, 2), leans that were seen

    @staticmethod
    def of(centers_xy: FloatArray, leans_px: FloatArray, view: SizedView) -> "Leans":
        """Of dice with the middles of their tops at some places, shape (N, 2), in pixels, as the leans seen there."""
        return Leans(_level(centers_xy, view), leans_px / view.edge_px)

    @staticmethod
    def of_all(pictures: Sequence["Leans"]) -> "Leans":
        """The dice of several pictures by the same camera."""
        nothing = np.zeros((0, 2))
        return Leans(
            level=np.concatenate([nothing, *(picture.level for picture in pictures)]),
            seen=np.concatenate([nothing, *(picture.seen for picture in pictures)]),
        )


@dataclass(frozen=True, slots=True)
class Pose:
    """How a camera is held, and what it sees then."""

    view: SizedView
    held: Held

    def flat_leans(self, centers_xy: FloatArray, seen_wider: float = 1.0) -> FloatArray:
        """From the middles of top faces to those of their bottoms, if the dice lie flat.

        Args:
            centers_xy: Shape (N, 2), middles of the top faces.
            seen_wider: `SEEN_WIDER` for the leans that will be seen there.

        Returns:
            Shape (N, 2), pixels.
        """
        leans = _level(centers_xy, self.view) * self.held.field * seen_wider - np.array(self.held.up) / self.view.steep
        return np.asarray(leans * self.view.edge_px, np.float64)


def pose_of(leans: Leans, view: SizedView, seen_wider: float = SEEN_WIDER) -> Pose:
    """Find how the camera is held.

    How far it is from level and its field are fitted at once (iteratively reweighted least squares): leans that are
    none of a flat die count less (Cauchy's weights), and so does what is usual of a camera that is far from it.

    Args:
        leans: Of what is surely dice on the floor; some may not lie flat.
        seen_wider: Factor between the leans that were seen and those that dice have.
    """
    known = view.view.held
    usual, aslant, wider = (Held(), _ASLANT, _WIDER) if known is None else (known, _MOVED, _MISJUDGED)
    if len(leans.seen) < _LEAST_DICE:
        return Pose(view, usual)
    # All leans as x + iy: a die's is what it would be under a level camera, by the field, less `up` by `steeper`.
    level, seen = seen_wider * leans.level @ _TO_COMPLEX, leans.seen @ _TO_COMPLEX
    terms = np.array([np.ones(len(seen)), level, seen, (level.conj() * level).real, (level.conj() * seen).real])
    steeper, surely, wanted = 1.0 / view.steep, wider**-2, complex(*usual.up)
    up, field = wanted, usual.field
    for _ in range(8):
        off = np.abs(seen - field * level + steeper * up)
        weight = 1.0 / (1.0 + (off / _LEAN_OUTLIER) ** 2) / _LEAN_ERROR**2
        count, levels, seens, squares, products = (terms @ weight).tolist()
        careful = 1.0 / (aslant**2 + abs(up - wanted) ** 2 / _IN_HAND)
        # The normal equation of `up` gives it for any field; put into that of the field it gives that.
        normal = steeper**2 * count.real + careful
        unlevel, by_field = (careful * wanted - steeper * seens) / normal, steeper * levels / normal
        field = (products + surely * usual.field + steeper * levels.conjugate() * unlevel).real
        field /= (squares + surely - steeper * levels.conjugate() * by_field).real
        up = unlevel + field * by_field
    right, down = up.real, up.imag
    too_far = max(math.hypot(right, down) / MOST_ASLANT, 1.0)
    field = min(max(field, 1.0 / _MOST_WIDER), _MOST_WIDER)
    return Pose(view, Held((right / too_far, down / too_far), field))


def _level(centers_xy: FloatArray, view: SizedView) -> FloatArray:
    """How flat dice lean under a level camera of the usual field, shape (N, 2), in edges."""
    leans: FloatArray = (np.array(view.view.nadir_px) - centers_xy) / (view.view.focal_px * view.steep)
    return leans
