"""The bare floor's colour in any light, and which colours are none of its."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.tray.floor import Floor, Mask
from vision.types.frame import FloatArray, ImageBgr


@dataclass(frozen=True, slots=True)
class BareFloorParams:
    """What is foreign to a floor.

    Attributes:
        levels: Least departure from the floor's colour, in grey levels, from which a colour is foreign; see `spread`.
        spread: Least departure from which a colour is foreign, as a multiple of the median departure of the floor
            itself. The larger of this and `levels` applies.
        dimmest: Least share of the light that a shadow leaves.
        brightest: Greatest factor by which a lamp brightens the floor.
    """

    levels: float = 19.0
    spread: float = 3.2
    dimmest: float = 0.05
    brightest: float = 1.25


@dataclass(frozen=True, slots=True, eq=False)
class BareFloor:
    """The floor in a part of a picture, and how far from its colour, at any strength of light, its own grain is.

    Attributes:
        bgr: Shape (3,), colour of the floor.
        levels: Departure from that colour, in grey levels, above which a colour is foreign.
        params: Parameters of what is foreign.
    """

    bgr: FloatArray
    levels: float
    params: BareFloorParams

    @staticmethod
    def of(part_bgr: ImageBgr, floor: Floor, left_top: FloatArray, params: BareFloorParams) -> "BareFloor":
        """The floor in a part of a picture; most of it is bare.

        Args:
            part_bgr: Shape (h, w, 3).
            floor: In the whole picture's pixels.
            left_top: Shape (2,), the part's corner there.
            params: The tunables.
        """
        height, width = part_bgr.shape[:2]
        inside: Mask = np.zeros((height, width), dtype=np.uint8)
        outline = floor.outline_px - left_top
        cv2.fillPoly(inside, [np.rint(outline).astype(np.int32)], (255,))
        colours = part_bgr[::8, ::8][inside[::8, ::8] > 0].astype(np.float64)
        if not len(colours):
            return BareFloor(np.ones(3), 255.0, params)
        bgr = np.maximum(np.median(colours, axis=0), 1.0)
        grain = float(np.median(_departure(colours, bgr, params)))
        return BareFloor(bgr, max(params.levels, params.spread * grain), params)

    def are_foreign(self, colours_bgr: FloatArray) -> npt.NDArray[np.bool_]:
        """Which of some colours, shape (..., 3), are none of the floor's in any light; shape (...)."""
        foreign: npt.NDArray[np.bool_] = _departure(colours_bgr, self.bgr, self.params) > self.levels
        return foreign


def _departure(colours: FloatArray, floor_bgr: FloatArray, params: BareFloorParams) -> FloatArray:
    """How far colours, shape (..., 3), are from the floor's in the light that suits each best, grey levels."""
    light = np.clip(colours @ floor_bgr / float(floor_bgr @ floor_bgr), params.dimmest, params.brightest)
    return np.asarray(np.abs(colours - light[..., None] * floor_bgr).max(axis=-1), np.float64)
