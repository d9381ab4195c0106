"""Smaller copies of pictures, halved again and again at a tenth of the price of averaging at once."""

import math

import cv2
import numpy as np

from vision.types.frame import ImageBgr


def shrink_to(image_bgr: ImageBgr, width_px: int, height_px: int) -> ImageBgr:
    """A smaller copy: halved while it can be, then interpolated; each step skips no pixel.

    Args:
        image_bgr: Shape (H, W, 3).
        width_px: Of the copy, W or less.
        height_px: Of the copy, H or less.

    Returns:
        Shape (height_px, width_px, 3). Pixel centres keep their places as shares of the picture, to a quarter pixel of
        the given one.
    """
    return ImagePyramid(image_bgr).shrunk(width_px, height_px)


def thinned(image_bgr: ImageBgr, step_px: int) -> ImageBgr:
    """About every so-manieth pixel of every so-manieth row, nothing averaged: what is burnt, or noise, stays so."""
    height, width = image_bgr.shape[:2]
    size = (-(-width // step_px), -(-height // step_px))
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


def _halved(image_bgr: ImageBgr) -> ImageBgr:
    """Half the size, each pixel the mean of four; an odd last row or column is left out."""
    even = image_bgr[: image_bgr.shape[0] // 2 * 2, : image_bgr.shape[1] // 2 * 2]
    half = (even.shape[1] // 2, even.shape[0] // 2)
    return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)


class ImagePyramid:
    """A picture and its halves, made when asked for: every stage takes one that is not too fine for it."""

    def __init__(self, image_bgr: ImageBgr) -> None:
        """Hold a picture, shape (H, W, 3)."""
        self._images = [image_bgr]

    @property
    def whole_bgr(self) -> ImageBgr:
        """The picture itself."""
        return self._images[0]

    def part(self, left: int, top: int, right: int, bottom: int) -> "ImagePyramid":
        """A part of the picture, and of those of its halves that are made and have a pixel begin where the part does.

        Args:
            left: First column of the part.
            top: First row of the part.
            right: Column after the part's last one.
            bottom: Row after the part's last one.

        Returns:
            The same as if its halves were made from it, nothing copied.
        """
        part = ImagePyramid(self._images[0][top:bottom, left:right])
        step = 1
        for half_bgr in self._images[1:]:
            step *= 2
            if left % step or top % step or min(right - left, bottom - top) < step:
                break
            x, y, width, height = (length // step for length in (left, top, right - left, bottom - top))
            part._images.append(half_bgr[y : y + height, x : x + width])
        return part

    def at(self, edge_px: float, least_px: float = 20.0) -> tuple[ImageBgr, float]:
        """The smallest copy in which an edge still has some pixels.

        Args:
            edge_px: An edge in the whole picture.
            least_px: What it must have left; edges of less than twice that are seen in the picture itself.

        Returns:
            The copy and its scale: a place x of the picture lies at (x + 0.5) * scale - 0.5 in it.
        """
        times = max(0, math.floor(math.log2(max(edge_px, 1.0) / least_px)))
        while len(self._images) <= times and min(self._images[-1].shape[:2]) >= 2:
            self._images.append(_halved(self._images[-1]))
        times = min(times, len(self._images) - 1)
        return self._images[times], 0.5**times

    def shrunk(self, width_px: int, height_px: int) -> ImageBgr:
        """A smaller copy, see `shrink_to`."""
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
