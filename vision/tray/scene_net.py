"""The net that tells what each part of a picture is: outside, wall, floor, die, another thing."""

import math
from functools import cache

import cv2
import numpy as np

from vision.imaging.pyramid import ImagePyramid
from vision.nets.onnx_net import WEIGHTS, OnnxNet, net_input, shares_of
from vision.types.frame import F32, ImageBgr

OUTSIDE, WALL, FLOOR, DIE, THING, WITHIN = range(6)
"""Planes of the net's maps; the last is the share within the floor's outline, whatever lies or stands before it."""
STRIDE = 4
"""Pixels of the net's picture per cell of its maps."""
_AREA_PX = 256 * 192
_MULTIPLE = 32
"""Sides of the net's picture are multiples of this: it is halved five times."""


def scene_input(image_bgr: ImageBgr) -> F32:
    """Return a picture as the net's input, shape (1, 3, h, w), nearly in its own proportions."""
    return scene_input_of(ImagePyramid(image_bgr))


def scene_input_of(picture: ImagePyramid) -> F32:
    """Return a picture, whose halves are needed later, as the net's input."""
    height, width = picture.whole_bgr.shape[:2]
    scale = math.sqrt(_AREA_PX / (height * width))
    w, h = (max(1, round(side * scale / _MULTIPLE)) * _MULTIPLE for side in (width, height))
    if w <= width and h <= height:
        small = picture.shrunk(w, h)
    else:
        small = np.asarray(cv2.resize(picture.whole_bgr, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
    return net_input(small[None])


@cache
def scene_net() -> OnnxNet:
    """Return the net, loaded at the first call."""
    return OnnxNet(WEIGHTS / "scene.onnx")


def scene_maps(picture: ImagePyramid) -> F32:
    """Return the shares of each kind by cell, and the share within the floor's outline, shape (6, h, w)."""
    answers = scene_net().run(scene_input_of(picture))[0]
    kinds = shares_of(np.moveaxis(answers[:WITHIN], 0, -1))
    within = 1 / (1 + np.exp(-answers[WITHIN]))
    return np.concatenate([np.moveaxis(kinds, -1, 0), within[None]])
