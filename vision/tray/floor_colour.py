"""The part of a picture with the colour of its middle: the tray's floor if edges do not show its walls.

A mottled carpet has edges everywhere, and a fold of leather may have none. But the floor has one colour and the table
another: the commonest colour around the middle of the picture, and its variance, separate them. Dice are holes in it; a
shadow on it is the same colour, darker.
"""

from collections.abc import Iterator

import cv2
import numpy as np

from vision.tray.floor import Mask
from vision.types.frame import F32, FloatArray, ImageBgr

_MIDDLE = 0.6
"""Share of the picture's width and height, around its middle, whose commonest colour counts as the floor's."""
_LIKE_LEVELS = 12.0
"""Colours nearer than this to the floor's, lightness weighted, give its variance: less misses shade, more includes
dice.
"""
_LIGHT_WEIGHT = 0.35
"""Weight of lightness: more cuts off parts in another light, less lets grey floors leak into grey tables."""
_MAX_OFF = 3.0
"""Greatest distance, in standard deviations, from the floor's colour, or from its hue in light or shade, that counts as
floor.
"""
_DARKEST, _LIGHTEST = 0.5, 1.25
"""Shares of the floor's lightness, counted from L* = -16, that count as floor: 0.5 is an eighth of its light."""
_DICE_PER_SPAN = 16.0
"""The region's longer side over the radius of the disc that closes holes and bays: dice and their shadows."""
_BIN_LEVELS = 5.0
"""Side of the boxes in which colours are counted; the commonest box's mean is then moved to the mean of colours like
it.
"""
_ROUNDS = 4
_MIN_VARIANCE = 1.0
"""Variance of the picture's own eight bits and noise, in levels of L*a*b* squared."""
_BLUR_PX = 2.0
_BLACK = 16.0
"""L* + 16, a* and b* of a surface decrease together with its light, as the cube root of it."""


def regions_of_one_colour(small_bgr: ImageBgr) -> Iterator[Mask]:
    """Find the parts with the commonest colour of a picture's middle, first with its shadows, then without.

    Args:
        small_bgr: Shape (H, W, 3), a small copy of the picture, its dice some pixels wide.

    Yields:
        The largest connected part, closed over dice, 1 inside, shape (H, W). A grey table may count as the shadow of a
        grey floor, and the other way round: then the second is better.
    """
    soft = cv2.GaussianBlur(cv2.medianBlur(small_bgr, 5), (0, 0), _BLUR_PX)
    lab: F32 = np.asarray(cv2.cvtColor(soft.astype(np.float32) / 255.0, cv2.COLOR_BGR2LAB), np.float32)
    weights = np.array([_LIGHT_WEIGHT, 1.0, 1.0], np.float32)
    middle, covariance = _commonest(_middle_of(lab) * weights)
    lit = _off(lab * weights - middle.astype(np.float32), covariance) < _MAX_OFF
    share = (lab[..., 0] + _BLACK) / np.float32(middle[0] / _LIGHT_WEIGHT + _BLACK)
    hue_off = _off(lab[..., 1:] - share[..., None] * middle[1:].astype(np.float32), covariance[1:, 1:])
    shaded = (hue_off < _MAX_OFF) & (share > _DARKEST) & (share < _LIGHTEST)
    alone = _opened(lit)
    for region in (_opened(shaded) | alone, alone):
        part = _closed(region)
        if part is not None:
            yield part


def _middle_of(lab: F32) -> F32:
    """Return the pixels around the middle, shape (N, 3)."""
    height, width = lab.shape[:2]
    top, left = round(0.5 * (1.0 - _MIDDLE) * height), round(0.5 * (1.0 - _MIDDLE) * width)
    return np.asarray(lab[top : height - top, left : width - left].reshape(-1, 3), np.float32)


def _commonest(colours: F32) -> tuple[FloatArray, FloatArray]:
    """Return the commonest of some colours, shape (N, 3), and the covariance of those like it, shape (3, 3)."""
    boxes = np.floor(colours / _BIN_LEVELS).astype(np.int32)
    boxes -= boxes.min(axis=0)
    sides = boxes.max(axis=0) + 1
    numbers = (boxes[:, 0] * sides[1] + boxes[:, 1]) * sides[2] + boxes[:, 2]
    like = colours[numbers == np.bincount(numbers).argmax()]
    for _ in range(_ROUNDS):
        like = colours[((colours - like.mean(axis=0)) ** 2).sum(axis=1) < _LIKE_LEVELS**2]
    return like.mean(axis=0, dtype=np.float64), np.cov(like.T) + _MIN_VARIANCE * np.eye(3)


def _off(differences: F32, covariance: FloatArray) -> F32:
    """Return the lengths of differences, shape (H, W, N), in standard deviations (Mahalanobis)."""
    inverse = np.linalg.inv(covariance).astype(np.float32)
    return np.asarray(np.sqrt(((differences @ inverse) * differences).sum(axis=2)), np.float32)


def _opened(region: np.typing.NDArray[np.bool_]) -> Mask:
    """Return a mask without specks and threads."""
    return np.asarray(cv2.morphologyEx(region.view(np.uint8), cv2.MORPH_OPEN, _disc(2)), np.uint8)


def _closed(region: Mask) -> Mask | None:
    """Return a region's largest part, closed over dice; None if there is none."""
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    radius = max(2, round(max(cv2.minAreaRect(largest)[1]) / _DICE_PER_SPAN))
    # No floor beyond the picture, or closing would spread along its border.
    part = np.zeros((region.shape[0] + 2 * radius, region.shape[1] + 2 * radius), np.uint8)
    cv2.drawContours(part, [largest], 0, (1,), -1, offset=(radius, radius))
    closed = cv2.morphologyEx(part, cv2.MORPH_CLOSE, _disc(radius))
    return np.ascontiguousarray(closed[radius:-radius, radius:-radius], np.uint8)


def _disc(radius_px: int) -> Mask:
    size = (2 * radius_px + 1, 2 * radius_px + 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size), np.uint8)
