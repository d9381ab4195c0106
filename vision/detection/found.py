"""Places that may be dice, as the detector found them at one or several scales."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.detection.squares import Squares
from vision.geometry.neighbours import IntArray, first_of_place, squared_distances
from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """N places that may be dice, best first."""

    center_xy: FloatArray  # shape (N, 2), centres of the top faces, pixels of the picture as given
    edge_px: FloatArray  # shape (N,), edges of the top faces
    turn_rad: FloatArray  # shape (N,), rotation of the faces' sides, between minus and plus an eighth of a turn
    # Shape (N,), 0 to 1, the net's score for a die. Only the order counts: heat is not a probability.
    heat: FloatArray

    @property
    def squares(self) -> Squares:
        """Their top faces."""
        return Squares(self.center_xy, self.edge_px, self.turn_rad)

    def at(self, squares: Squares) -> "Found":
        """Return the same places with other squares."""
        return Found(squares.center_xy, squares.edge_px, squares.turn_rad, self.heat)

    def some(self, which: IntArray | npt.NDArray[np.bool_]) -> "Found":
        """Return some of them, by index or mask."""
        return Found(self.center_xy[which], self.edge_px[which], self.turn_rad[which], self.heat[which])

    def __len__(self) -> int:
        return len(self.heat)

    @staticmethod
    def nothing() -> "Found":
        """Return an empty set of places."""
        return Found(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(0))


def merged(parts: list[Found], apart: float = 0.35, alike: float = 1.4) -> Found:
    """Merge the places found at several scales: of those with the same centre and size, keep the hottest.

    Args:
        apart: Distance of two centres, in edges of the hotter place, below which the two may be one place; see `alike`.
        alike: Greatest ratio between the edges of two places that are one.
    """
    whole = Found(
        np.concatenate([np.zeros((0, 2)), *(part.center_xy for part in parts)]),
        np.concatenate([np.zeros(0), *(part.edge_px for part in parts)]),
        np.concatenate([np.zeros(0), *(part.turn_rad for part in parts)]),
        np.concatenate([np.zeros(0), *(part.heat for part in parts)]),
    )
    whole = whole.some(np.argsort(-whole.heat, kind="stable"))
    near = squared_distances(whole.center_xy, whole.center_xy) < (apart * whole.edge_px[:, None]) ** 2
    ratio = np.abs(np.log(np.maximum(whole.edge_px, 1e-6)[:, None] / np.maximum(whole.edge_px, 1e-6)[None]))
    return whole.some(first_of_place(near & (ratio < math.log(alike))))
