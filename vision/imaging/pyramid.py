"""Smaller copies of pictures, halved repeatedly at a tenth of the cost of averaging at once."""

import math

import cv2
import numpy as np

from vision.types.frame import ImageBgr

_MIN_PX = 20.0


def thinned(image_bgr: ImageBgr, step_px: int) -> ImageBgr:
    """Return about every n-th pixel of every n-th row without averaging, so that burnt-out pixels and noise stay."""
    height, width = image_bgr.shape[:2]
    size = (-(-width // step_px), -(-height // step_px))
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


def _halved(image_bgr: ImageBgr) -> ImageBgr:
    """Return a picture of half the size, each pixel the mean of four; an odd last row or column is dropped."""
    even = image_bgr[: image_bgr.shape[0] // 2 * 2, : image_bgr.shape[1] // 2 * 2]
    half = (even.shape[1] // 2, even.shape[0] // 2)
    return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)


class ImagePyramid:
    """A picture and its halves, made on demand, so that every stage takes one that is not too fine for it."""

    def __init__(self, image_bgr: ImageBgr) -> None:
        """Create it from a picture, shape (H, W, 3)."""
        self._images = [image_bgr]

    @property
    def whole_bgr(self) -> ImageBgr:
        """The picture itself."""
        return self._images[0]

    def at(self, edge_px: float) -> tuple[ImageBgr, float]:
        """Return the smallest copy in which an edge still has `_MIN_PX`.

        Returns:
            The copy and its scale: a place x of the picture lies at (x + 0.5) * scale - 0.5 in it.
        """
        times = max(0, math.floor(math.log2(max(edge_px, 1.0) / _MIN_PX)))
        while times and min(self.whole_bgr.shape[:2]) < 1 << times:
            times -= 1
        return self._half(times), 0.5**times

    def shrunk(self, width_px: int, height_px: int) -> ImageBgr:
        """Return a smaller copy: halved while possible, then interpolated; no step skips a pixel.

        Args:
            width_px: Of the copy, no more than the picture's.
            height_px: Of the copy, no more than the picture's.

        Returns:
            Shape (height_px, width_px, 3). Pixel centres keep their places as shares of the picture, to a quarter pixel
            of the original.
        """
        times = 0
        while self._half(times).shape[1] >= 2 * width_px and self._half(times).shape[0] >= 2 * height_px:
            times += 1
        small = self._half(times)
        if small.shape[:2] == (height_px, width_px):
            return small
        if small.shape[1] > 1.4 * width_px:
            small = np.asarray(cv2.blur(small, (3, 3)), dtype=np.uint8)
        return np.asarray(cv2.resize(small, (width_px, height_px), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)

    def _half(self, times: int) -> ImageBgr:
        while len(self._images) <= times:
            self._images.append(_halved(self._images[-1]))
        return self._images[times]
