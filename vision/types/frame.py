"""One picture from a camera, with its capture time."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

ImageBgr: TypeAlias = npt.NDArray[np.uint8]
"""Shape (H, W, 3), uint8, OpenCV's channel order."""
ImageGray: TypeAlias = npt.NDArray[np.uint8]
"""Shape (H, W), uint8."""
FloatArray: TypeAlias = npt.NDArray[np.float64]
F32: TypeAlias = npt.NDArray[np.float32]
MAX_SIDE_PX: Final = 20_000
"""Greatest width or height of a picture that is read."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture."""

    image_bgr: ImageBgr  # Shape (H, W, 3), uint8. Owned by the frame; read only.
    t_s: float  # capture time in seconds on a monotonic clock (or frame number / fps in a recording)
    sequence: int  # number that rises by one with each frame of a source; a gap means dropped frames
    # Shape (h, w, 3), uint8: a small picture of the same moment and field of view, if the camera's hardware makes one,
    # else None. Its colours are a little off, so it serves for motion only.
    small_bgr: ImageBgr | None = None

    @property
    def width_px(self) -> int:
        """Width of the image."""
        return int(self.image_bgr.shape[1])

    @property
    def height_px(self) -> int:
        """Height of the image."""
        return int(self.image_bgr.shape[0])
