"""What of a picture has the colour of its middle: the tray's floor where no wall fences it for an eye for edges.

On a mottled carpet there are edges everywhere, and at a fold of leather there may be none. But the floor is of one
colour, and the table is of another: the commonest colour around the middle of the picture, and how that varies, shows
them apart. Dice are holes in it; a shadow on it is the same colour, darker.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from vision.tray.floor import Mask
from vision.types.frame import F32, FloatArray, ImageBgr


@dataclass(frozen=True, slots=True)
class FloorColourParams:
    """What counts as the floor's colour; chosen on half of the real trays by `tests/benchmarks/real_floors.py`.

    Attributes:
        middle_share: Share of the picture's width and height, around its middle, whose commonest colour is taken as the
            floor's.
        like_levels: Distance from the floor's colour, in L*a*b* with lightness weighed by `light_weight`, within which
            colours show how it varies. Less misses the floor's own light and shade, more takes dice along.
        light_weight: Weight of lightness beside hue, since a lamp changes lightness across a floor. More cuts off what
            is lit otherwise, less lets grey floors leak into grey tables.
        most_off: Greatest distance, in standard deviations, from the floor's colour, or from what light or shade makes
            of its hue and chroma, that counts as floor.
        darkest: Least share of the floor's lightness, counted from L* = -16, that counts as floor in shade: 0.5 is an
            eighth of its light.
        lightest: Greatest share of the floor's lightness, counted from L* = -16, that counts as floor in bright light.
        dice_per_span: Longer side of the region over the radius of the disc by which its holes and bays are closed:
            dice and their shadows.
    """

    middle_share: float = 0.6
    like_levels: float = 12.0
    light_weight: float = 0.35
    most_off: float = 3.0
    darkest: float = 0.5
    lightest: float = 1.25
    dice_per_span: float = 16.0


_BIN_LEVELS = 5.0
"""Colours are counted in boxes of this side, and the commonest box's mean is moved to the middle of those like it."""
_ROUNDS = 4
_LEAST_VARIANCE = 1.0
"""In levels of L*a*b* squared: what the picture's own eight bits, and its noise, leave."""
_BLUR_PX = 2.0
_BLACK = 16.0
"""L* + 16, a* and b* of a surface fall together when its light does, as the cube root of it."""


def regions_of_one_colour(small_bgr: ImageBgr, params: FloorColourParams) -> Iterator[Mask]:
    """What has the commonest colour of a picture's middle, its shadows with it, then without.

    Args:
        small_bgr: Shape (H, W, 3), a small copy of the picture, its dice some pixels wide.
        params: The tunables.

    Yields:
        The largest connected part, closed over dice, 1 where it is, shape (H, W). Shadows of a grey floor may be taken
        for a grey table, and the other way round: then the second is the better one.
    """
    soft = cv2.GaussianBlur(cv2.medianBlur(small_bgr, 5), (0, 0), _BLUR_PX)
    lab: F32 = np.asarray(cv2.cvtColor(soft.astype(np.float32) / 255.0, cv2.COLOR_BGR2LAB), np.float32)
    weights = np.array([params.light_weight, 1.0, 1.0], np.float32)
    middle, covariance = _commonest(_middle_of(lab, params.middle_share) * weights, params.like_levels)
    lit = _off(lab * weights - middle.astype(np.float32), covariance) < params.most_off
    share = (lab[..., 0] + _BLACK) / np.float32(middle[0] / params.light_weight + _BLACK)
    hue_off = _off(lab[..., 1:] - share[..., None] * middle[1:].astype(np.float32), covariance[1:, 1:])
    shaded = (hue_off < params.most_off) & (params.darkest < share) & (share < params.lightest)
    alone = _opened(lit)
    for region in (_opened(shaded) | alone, alone):
        part = _closed(region, params.dice_per_span)
        if part is not None:
            yield part


def _middle_of(lab: F32, share: float) -> F32:
    """The pixels around the middle, shape (N, 3)."""
    height, width = lab.shape[:2]
    top, left = round(0.5 * (1.0 - share) * height), round(0.5 * (1.0 - share) * width)
    return np.asarray(lab[top : height - top, left : width - left].reshape(-1, 3), np.float32)


def _commonest(colours: F32, like_levels: float) -> tuple[FloatArray, FloatArray]:
    """The commonest of some colours, shape (N, 3), and the covariance of those like it, shape (3, 3)."""
    boxes = np.floor(colours / _BIN_LEVELS).astype(np.int32)
    boxes -= boxes.min(axis=0)
    sides = boxes.max(axis=0) + 1
    numbers = (boxes[:, 0] * sides[1] + boxes[:, 1]) * sides[2] + boxes[:, 2]
    like = colours[numbers == np.bincount(numbers).argmax()]
    for _ in range(_ROUNDS):
        like = colours[((colours - like.mean(axis=0)) ** 2).sum(axis=1) < like_levels**2]
    return like.mean(axis=0, dtype=np.float64), np.cov(like.T) + _LEAST_VARIANCE * np.eye(3)


def _off(differences: F32, covariance: FloatArray) -> F32:
    """How far differences, shape (H, W, N), lie from none, in standard deviations (Mahalanobis)."""
    inverse = np.linalg.inv(covariance).astype(np.float32)
    return np.asarray(np.sqrt(((differences @ inverse) * differences).sum(axis=2)), np.float32)


def _opened(region: np.typing.NDArray[np.bool_]) -> Mask:
    """A mask without specks and threads."""
    return np.asarray(cv2.morphologyEx(region.view(np.uint8), cv2.MORPH_OPEN, _disc(2)), np.uint8)


def _closed(region: Mask, dice_per_span: float) -> Mask | None:
    """A region's largest part, closed over dice; None where there is none."""
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    radius = max(2, round(max(cv2.minAreaRect(largest)[1]) / dice_per_span))
    # Beyond the picture there is no floor, or closing would reach along its border.
    part = np.zeros((region.shape[0] + 2 * radius, region.shape[1] + 2 * radius), np.uint8)
    cv2.drawContours(part, [largest], 0, (1,), -1, offset=(radius, radius))
    closed = cv2.morphologyEx(part, cv2.MORPH_CLOSE, _disc(radius))
    return np.ascontiguousarray(closed[radius:-radius, radius:-radius], np.uint8)


def _disc(radius_px: int) -> Mask:
    size = (2 * radius_px + 1, 2 * radius_px + 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size), np.uint8)
