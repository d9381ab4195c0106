"""The camera above the tray, as far as it determines the visible sides of dice."""

from dataclasses import dataclass

import numpy as np

from vision.types.frame import FloatArray

MAX_ASLANT = 0.7
"""Greatest length of `Held.up`: 45 degrees."""


@dataclass(frozen=True, slots=True)
class Held:
    """How a camera is held."""

    # the picture's x and y components of the unit vector that points straight up: (0, 0) if the camera is level
    up: tuple[float, float] = (0.0, 0.0)
    field: float = 1.0  # width of its field of view as a multiple of the usual one


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera is, as far as it determines the visible sides of dice."""

    nadir_px: tuple[float, float]  # the point right below the camera if it were level
    focal_px: float
    held: Held | None = None  # how the camera is held, if a profile gives it

    def bottom_quad_px(self, quad_px: FloatArray) -> FloatArray:
        """Return the bottom corners of dice for their top corners, shape (..., 4, 2): nearer the nadir, smaller."""
        side = quad_px[..., 1:2, :] - quad_px[..., 0:1, :]
        height = self.focal_px / np.maximum(np.hypot(side[..., 0:1], side[..., 1:2]), 1.0)
        nadir = np.array(self.nadir_px)
        shrunk: FloatArray = nadir + (quad_px - nadir) * height / (height + 1.0)
        return shrunk


@dataclass(frozen=True, slots=True)
class SizedView:
    """A camera, and the common edge of the top faces that it sees."""

    view: View
    edge_px: float  # common edge of the top faces, in pixels

    @property
    def steep(self) -> float:
        """How much farther away the floor is than the dice's tops."""
        return 1.0 + self.edge_px / self.view.focal_px
