"""Places where dice may be, as the detector saw them at one scale or at several."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.detection.squares import Squares
from vision.geometry.neighbours import IntArray, first_of_place, squared_distances
from vision.types.frame import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where dice may be, N places, best first."""

    center_xy: FloatArray  # shape (N, 2), middles of the top faces, pixels of the picture as given
    edge_px: FloatArray  # shape (N,), edges of the top faces
    turn_rad: FloatArray  # shape (N,), turn of the faces' sides, between minus and plus an eighth of a turn
    # Shape (N,), 0 to 1, how strongly the net sees a die. Only the order counts: heat is no probability.
    heat: FloatArray

    @property
    def squares(self) -> Squares:
        """Their top faces."""
        return Squares(self.center_xy, self.edge_px, self.turn_rad)

    def at(self, squares: Squares) -> "Found":
        """The same places with other squares."""
        return Found(squares.center_xy, squares.edge_px, squares.turn_rad, self.heat)

    def some(self, which: IntArray | npt.NDArray[np.bool_]) -> "Found":
        """Some of them, by index or mask."""
        return Found(self.center_xy[which], self.edge_px[which], self.turn_rad[which], self.heat[which])

    def __len__(self) -> int:
        return len(self.heat)

    @staticmethod
    def nothing() -> "Found":
        """No place."""
        return Found(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(0))


def merged(parts: list[Found], apart: float = 0.35, alike: float = 1.4) -> Found:
    """What was found at several scales, each place once: the hottest of those of one middle and size.

    Args:
        apart: Distance of two middles, in edges of the hotter place, below which the two may be one place; see `alike`.
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
