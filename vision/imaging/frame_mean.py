"""The mean of a rest's frames: what lies still is seen with less noise in it than in any one of them."""

import cv2
import numpy as np
import numpy.typing as npt

from vision.types.frame import ImageBgr


class FrameMean:
    """Averages frames one by one."""

    def __init__(self) -> None:
        """Begin without a frame."""
        self._mean: npt.NDArray[np.float32] | None = None
        self._count = 0

    def clear(self) -> None:
        """Forget all frames."""
        self._mean = None

    def add(self, image_bgr: ImageBgr) -> ImageBgr:
        """Take one more frame in.

        Args:
            image_bgr: Shape (H, W, 3). One of another size than those before begins anew.

        Returns:
            The mean of all so far; of a first one itself, not copied.
        """
        if self._mean is None or self._mean.shape != image_bgr.shape:
            self._mean, self._count = image_bgr.astype(np.float32), 1
            return image_bgr
        self._count += 1
        cv2.accumulateWeighted(image_bgr, self._mean, 1.0 / self._count)
        return np.asarray(cv2.convertScaleAbs(self._mean), np.uint8)
