"""A softened copy of a picture, in which one pixel speaks for a pip, and the colours found at points of it."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.imaging.pyramid import ImagePyramid
from vision.types.frame import FloatArray, ImageBgr

_ROW = 256


def sample(
    image: npt.NDArray[np.uint8], xy: FloatArray, scale: float = 1.0, *, between: bool = False
) -> npt.NDArray[np.uint8]:
    """Colours at points, the edge repeated.

    Args:
        image: Shape (H, W, C).
        xy: Shape (..., 2), places in pixels of the picture that `image` is a copy of.
        scale: Scale of `image` against that picture.
        between: Whether to interpolate, not to take the nearest pixel: where a pixel is much of a pip.

    Returns:
        Shape (..., C).
    """
    shape, channels = xy.shape[:-1], image.shape[2]
    count = math.prod(shape)
    if count == 0:
        return np.zeros((*shape, channels), dtype=np.uint8)
    # As a picture of its own, so that OpenCV looks the colours up: three times as fast as indexing.
    rows = -(-count // _ROW)
    places = np.zeros((2, rows * _ROW), dtype=np.float32)
    places[0, :count], places[1, :count] = xy[..., 0].reshape(-1), xy[..., 1].reshape(-1)
    if scale != 1.0:
        places *= scale
        places += 0.5 * scale - 0.5
    found = cv2.remap(
        image,
        places[0].reshape(rows, _ROW),
        places[1].reshape(rows, _ROW),
        cv2.INTER_LINEAR if between else cv2.INTER_NEAREST,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(found, np.uint8).reshape(rows * _ROW, channels)[:count].reshape(*shape, channels)


@dataclass(frozen=True, slots=True, eq=False)
class Soft:
    """A softened picture.

    Attributes:
        image_bgr: The picture or a halved copy of it, blurred.
        scale: Scale of `image_bgr` against the picture.
    """

    image_bgr: ImageBgr
    scale: float = 1.0

    def at(self, xy: FloatArray) -> FloatArray:
        """Colours at points of the whole picture, shape (..., 2) to (..., 3)."""
        return self.levels_at(xy).astype(np.float64)

    def levels_at(self, xy: FloatArray) -> npt.NDArray[np.uint8]:
        """Colours at points of the whole picture, shape (..., 2) to (..., 3), as whole grey levels."""
        return sample(self.image_bgr, xy, self.scale, between=self.scale < 1.0)


def soften(picture: ImagePyramid, edge_px: float, sigma: float) -> Soft:
    """Blur a picture.

    Args:
        picture: With its halves.
        edge_px: Of a die in it.
        sigma: Of the Gaussian, in edges.
    """
    image_bgr, scale = picture.at(edge_px)
    if scale == 1.0:
        return Soft(blurred(image_bgr, sigma * edge_px))
    rest = (sigma * edge_px * scale) ** 2 - _HALF_VARIANCE
    if rest >= _BOX_VARIANCE:
        return Soft(blurred(image_bgr, math.sqrt(rest)), scale)
    soft = cv2.GaussianBlur(image_bgr, (3, 3), math.sqrt(max(rest, 0.09)))
    return Soft(np.asarray(soft, dtype=np.uint8), scale)


_HALF_VARIANCE = 0.23
"""How much halving, and interpolating between pixels, blur already: a variance in square pixels of the half."""
_BOX_VARIANCE = 0.5
"""From here on a running mean is as near; its least is two thirds."""


def blurred(image: ImageBgr, sigma_px: float) -> ImageBgr:
    """Blur about as a Gaussian of that width does, by two running means; a new picture of the same shape."""
    # A running mean over n pixels has a variance of (n * n - 1) / 12.
    wide = max(1, round((math.sqrt(6.0 * sigma_px * sigma_px + 1.0) - 1.0) / 2.0)) * 2 + 1
    rest = sigma_px * sigma_px - (wide * wide - 1) / 12.0
    narrow = 1 if rest < 0.3 else max(1, round((math.sqrt(12.0 * rest + 1.0) - 1.0) / 2.0)) * 2 + 1
    soft = cv2.blur(image, (wide, wide))
    if narrow > 1:
        # In place: fresh memory for a whole picture costs as much as blurring it.
        cv2.blur(soft, (narrow, narrow), dst=soft)
    return np.asarray(soft, dtype=np.uint8)
