"""The tray's floor as the scene net sees it: the simplest shape that covers where the floor goes on."""

import importlib
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.imaging.pyramid import ImagePyramid
from vision.tray.floor import Floor, Mask, fit_shape
from vision.tray.scene_net import FLOOR, WITHIN, scene_maps, scene_net
from vision.types.frame import F32, ImageBgr

_FINER = 4
"""Pixels of the mask that a shape is fitted to, on each side of a cell of the maps."""
_MIN_SHARE, _MIN_FILL = 0.06, 0.80
"""Least share of the picture that a floor covers, and least share of its own convex hull."""
_MIN_BARE = 0.3
"""Least share of a floor that looks like one, rather than goes on below dice and hands."""
_SURE_FIT = 0.93
"""Overlap of shape and mask from which none of the floor can be missing."""


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


def find_common_floor(images_bgr: Sequence[ImageBgr]) -> Floor | None:
    """Return the tray's floor in several pictures of one size by a camera that stands still, as most of them show it."""
    maps = np.mean([scene_maps(ImagePyramid(image)) for image in images_bgr], axis=0)
    return _floor_of(np.asarray(maps, np.float32), images_bgr[0])


def _floor_of(maps: F32, image_bgr: ImageBgr) -> Floor | None:
    height, width = maps.shape[1] * _FINER, maps.shape[2] * _FINER
    within = cv2.resize(maps[WITHIN], (width, height), interpolation=cv2.INTER_CUBIC)
    contours, _ = cv2.findContours((within > 0.5).view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    hull = cv2.convexHull(largest)
    mask: Mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [largest], 0, (1,), -1)
    area = cv2.countNonZero(mask)
    if area < _MIN_SHARE * mask.size or area < _MIN_FILL * cv2.contourArea(hull):
        return None
    cells = cv2.resize(mask, maps.shape[:0:-1], interpolation=cv2.INTER_AREA)
    if maps[FLOOR][cells > 0].mean() < _MIN_BARE:
        return None
    floor = fit_shape(hull.reshape(-1, 2).astype(np.float64))
    drawn = floor.mask(width, height) > 0
    fit = np.count_nonzero(drawn & (mask > 0)) / np.count_nonzero(drawn | (mask > 0))
    ratio = np.array([image_bgr.shape[1] / width, image_bgr.shape[0] / height])
    return replace(floor, outline_px=(floor.outline_px + 0.5) * ratio - 0.5, sure=bool(fit >= _SURE_FIT))
