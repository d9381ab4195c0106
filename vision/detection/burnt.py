"""Tops that a lamp burnt white: polished dice mirror it into the camera, and of the pips there nothing is left."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.finder import FaceCandidate
from vision.imaging.pyramid import ImagePyramid
from vision.tray.floor import Mask
from vision.types.frame import F32, ImageBgr

BURNT_LEVEL = 245
"""All channels of a burnt pixel have at least this, 0-255."""


@dataclass(frozen=True, slots=True)
class BurntParams:
    """Which burnt spots are tops of dice; sizes in edges of a die.

    Attributes:
        least_area: Least area of a spot, in square edges; a smaller one leaves enough of the top for the die to be
            found.
        most_area: Greatest area of a spot, in square edges; a larger one is no die's.
        most_aspect: Greatest ratio of the sides of a spot's smallest enclosing rectangle.
        least_fill: Least share of that rectangle that the spot fills: reflections of lamps in coins and tokens break
            up.
        darker: A spot stands out if what lies around it is darker by at least this, grey levels 0-255: on a white floor
            light makes spots of its own.
        around: Width of the ring around a spot that `darker` compares it with, in edges.
    """

    least_area: float = 0.2
    most_area: float = 1.1
    most_aspect: float = 1.6
    least_fill: float = 0.72
    darker: int = 40
    around: float = 0.15


def burnt_shares(crops: ImageBgr, span: float) -> F32:
    """How much of each top is burnt, its rim left out.

    Args:
        crops: Shape (N, S, S, 3).
        span: Side of the crops, in edges of the face.

    Returns:
        Shape (N,), 0 to 1.
    """
    side_px = crops.shape[1]
    rim_px = round(side_px * (1.0 - 0.8 / span) / 2.0)
    blue, green, red = np.moveaxis(crops[:, rim_px : side_px - rim_px, rim_px : side_px - rim_px] >= BURNT_LEVEL, 3, 0)
    return np.asarray((blue & green & red).mean(axis=(1, 2)), np.float32)


def _burnt_mask(image_bgr: ImageBgr) -> Mask:
    """255 where a picture, shape (H, W, 3), is burnt, shape (H, W); `cv2.inRange` takes twice as long."""
    blue, green, red = cv2.split(image_bgr)
    least = cv2.min(cv2.min(blue, green, dst=blue), red, dst=blue)
    return np.asarray(cv2.threshold(least, BURNT_LEVEL - 1, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)


def burnt_tops(picture: ImagePyramid, edge_px: float, params: BurntParams) -> tuple[FaceCandidate, ...]:
    """Spots that may be tops of dice burnt white.

    Args:
        picture: With its halves.
        edge_px: Edge of the dice.
        params: The tunables.

    Returns:
        One for each, with a score of 0; where their sides are is known roughly.
    """
    small, scale = picture.at(edge_px)
    mask = _burnt_mask(small)
    square = (edge_px * scale) ** 2
    around_px = 1 + math.ceil(params.around * edge_px * scale)
    box = _box_of_large(mask, params.least_area * square, around_px)
    if box is None:
        return ()
    small, mask = small[box], mask[box]
    count, labels, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    corner = np.array([box[1].start, box[0].start])
    tops = []
    for spot in range(1, count):
        left, top, width, height, area = stats[spot].tolist()
        if not params.least_area <= area / square <= params.most_area:
            continue
        rows = slice(max(0, top - around_px), top + height + around_px)
        columns = slice(max(0, left - around_px), left + width + around_px)
        own = (labels[rows, columns] == spot).astype(np.uint8)
        turn_deg = _turn_of_square(own, area, params)
        if turn_deg is not None and _stands_out(small[rows, columns], own, around_px, params):
            x, y = ((middles[spot] + corner + 0.5) / scale - 0.5).tolist()
            tops.append(FaceCandidate((x, y), edge_px, turn_deg, score=0.0, lean_px=(0.0, 0.0)))
    return tuple(tops)


def _box_of_large(mask: Mask, least_px: float, around_px: int) -> tuple[slice, slice] | None:
    """Rows and columns that hold all spots that may have so many pixels, and what is round them; None without any.

    Glints are many, and measuring how large each spot is takes five times as long as following their outlines.
    """
    if cv2.countNonZero(mask) < least_px:
        return None
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = [(x, y, x + w, y + h) for x, y, w, h in map(cv2.boundingRect, outlines) if w * h >= least_px]
    if not boxes:
        return None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (
        slice(max(0, min(tops) - around_px), max(bottoms) + around_px),
        slice(max(0, min(lefts) - around_px), max(rights) + around_px),
    )


def _turn_of_square(spot: Mask, area: float, params: BurntParams) -> float | None:
    """How a spot is turned, -45 to 45 degrees; None where it is not compact."""
    _, (width, height), turn_deg = cv2.minAreaRect(cv2.findNonZero(spot))
    sides = width + 1.0, height + 1.0  # between the middles of the outermost pixels
    if max(sides) > params.most_aspect * min(sides) or area < params.least_fill * sides[0] * sides[1]:
        return None
    return (turn_deg + 45.0) % 90.0 - 45.0


def _stands_out(image_bgr: ImageBgr, spot: Mask, around_px: int, params: BurntParams) -> bool:
    """Whether most of what is round a spot, in some channel, is much darker."""
    side = 2 * around_px + 1
    wider = cv2.dilate(spot, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
    beside = image_bgr[(wider > 0) & (spot == 0)].min(axis=1)
    return bool(len(beside)) and float(np.median(beside)) <= BURNT_LEVEL - params.darker
