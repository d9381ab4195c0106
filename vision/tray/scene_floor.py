"""The tray's floor as the scene net sees it: the simplest shape that covers where the floor goes on."""

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.imaging.pyramid import ImagePyramid
from vision.tray.floor import Floor, Mask, fit_shape
from vision.tray.scene_net import WITHIN, scene_maps, scene_net
from vision.types.frame import F32, ImageBgr

_FINER = 4
"""Pixels of the mask that a shape is fitted to, on each side of a cell of the maps."""
_MIN_SHARE = 0.06
"""Least share of the picture that a floor covers."""
_MIN_MEAN = 0.87
"""Least mean of the net's shares within a floor's shape: of trays in `real_floors.py` and `floor_overlap.py` it is 0.92
to 0.99 (one of 183 0.875), of tables without walls, where the net cannot tell how far a floor goes, 0.56 to 0.87.
"""
_SURE_FIT = 0.93
"""Overlap of shape and mask from which none of the floor can be missing."""


_MOST = 2.0 / 3.0
"""Share of the pictures that must show the floor in one place: a hand may cross the others."""


@dataclass(frozen=True, slots=True)
class CommonFloor:
    """The floor of several pictures."""

    floor: Floor
    apart_px: float  # greatest distance from it of the floors in most of the pictures; inf if those show none


def prepare() -> None:
    """Initialise what would delay a first picture: the net, OpenCV's tables for Lab, NumPy's module for masked arrays.

    The latter take some 60 and 10 ms; functions such as `median` load that module of NumPy at their first call.
    """
    scene_net()
    cv2.cvtColor(np.zeros((1, 1, 3), dtype=np.uint8), cv2.COLOR_BGR2LAB)
    importlib.import_module("numpy.ma")


def find_floor(image_bgr: ImageBgr) -> Floor | None:
    """Return the tray's floor in a picture, shape (H, W, 3), seen from above; None if there is no tray."""
    return find_floor_in(ImagePyramid(image_bgr))


def find_floor_in(picture: ImagePyramid) -> Floor | None:
    """Return the tray's floor in a picture whose halves are needed later."""
    return _floor_of(scene_maps(picture), picture.whole_bgr)


def find_common_floor(images_bgr: Sequence[ImageBgr]) -> CommonFloor | None:
    """Return the tray's floor in several pictures of one size by a still camera; None if there is no tray."""
    maps = [scene_maps(ImagePyramid(image)) for image in images_bgr]
    floor = _floor_of(np.asarray(np.median(maps, axis=0), np.float32), images_bgr[0])
    if floor is None:
        return None
    seen = [_floor_of(one, images_bgr[0]) for one in maps]
    apart_px = sorted(math.inf if other is None else _apart_px(floor, other) for other in seen)
    return CommonFloor(floor, apart_px[math.ceil(_MOST * len(seen)) - 1])


def _apart_px(one: Floor, other: Floor) -> float:
    """Return the greatest distance of a corner of either floor from the outline of the other."""
    return max(
        abs(from_.distance_px(float(x), float(y)))
        for from_, to in ((one, other), (other, one))
        for x, y in to.outline_px
    )


def _floor_of(maps: F32, image_bgr: ImageBgr) -> Floor | None:
    height, width = maps.shape[1] * _FINER, maps.shape[2] * _FINER
    within = cv2.resize(maps[WITHIN], (width, height), interpolation=cv2.INTER_CUBIC)
    contours, _ = cv2.findContours((within > 0.5).view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    mask: Mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [largest], 0, (1,), -1)
    if cv2.countNonZero(mask) < _MIN_SHARE * mask.size:
        return None
    floor = fit_shape(cv2.convexHull(largest).reshape(-1, 2).astype(np.float64))
    drawn = floor.mask(width, height) > 0
    if within[drawn].mean() < _MIN_MEAN:
        return None
    fit = np.count_nonzero(drawn & (mask > 0)) / np.count_nonzero(drawn | (mask > 0))
    ratio = np.array([image_bgr.shape[1] / width, image_bgr.shape[0] / height])
    return replace(floor, outline_px=(floor.outline_px + 0.5) * ratio - 0.5, sure=bool(fit >= _SURE_FIT))
