"""The search for the tray's floor in a picture without a profile.

In a small copy the table is grown from the picture's border up to edges; what is left around the middle is the tray,
and the simplest shape that covers it, shrunk by its walls, is the floor. An empty floor is grown from the middle
itself, which includes neither walls nor table. If edges give the table, or nothing, the floor's colour is used
(`floor_colour`).
"""

import importlib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, product

import cv2
import numpy as np
import numpy.typing as npt

from vision.imaging.pyramid import ImagePyramid
from vision.tray.floor import Floor, Mask, fit_shape
from vision.tray.floor_colour import regions_of_one_colour
from vision.types.frame import ImageBgr

_WORK_PX = 256
"""Longer side of the small copy; more is slower and no better."""
_STEP_LEVELS = 3
"""Greatest step between neighbours of the small copy, in levels of each Lab channel, that still belongs to the
table.
"""
_BLURS_PX = (1.0, 2.5)
"""Blurs of the small copy, tried in turn: the second tolerates coarse grain."""
_EDGE_LEVELS = 60.0
"""Canny's upper threshold on the small copy, for the edges that stop growth."""
_BRIGHT_LEVEL = 150.0
"""Level that the brightest parts of a darker picture are raised to, by `_MAX_GAIN` at most."""
_MAX_GAIN = 4.0
_MIN_SHARE, _MIN_FILL = 0.10, 0.80
"""Least share of the picture that a floor covers, and least share of its own convex hull."""
_MAX_BORDER, _MAX_BESIDE = 0.30, 0.10
"""Shares of the picture's border: a region that touches more than the first is the table, more than the second may
be.
"""
_MAX_COVERED = 0.75
"""A floor that covers more of the picture may be an entire mottled table, into which nothing grows from the border."""
_FLOOR_SHARE = 0.97
"""Size of the floor over that of the tray with its walls."""
_MAX_ODD_DEG = 12.0
"""A corner that turns by so much more or less than a regular shape's is due to a shadow or a wall's end."""
_MAX_ASPECT, _MAX_ROUND_ASPECT = 1.8, 1.35
"""A longer rectangle, or other shape, is a strip of a floor that a cord or a shadow crosses."""

_Outline = npt.NDArray[np.int32]
"""Shape (N, 1, 2), the corners round a region."""
_AROUND = (0.3, 0.4, 0.5, 0.6, 0.7)
"""Starting points of regions, as shares of the picture's sides."""


def prepare() -> None:
    """Initialise what would delay a first picture: OpenCV's tables for Lab, NumPy's module for masked arrays.

    They take some 60 and 10 ms; functions such as `median` load that module of NumPy at their first call.
    """
    cv2.cvtColor(np.zeros((1, 1, 3), dtype=np.uint8), cv2.COLOR_BGR2LAB)
    importlib.import_module("numpy.ma")


def find_floor(image_bgr: ImageBgr, *, is_empty: bool = False) -> Floor | None:
    """Find the tray's floor.

    Args:
        image_bgr: Shape (H, W, 3), seen from above, the middle of the picture inside the tray.

    Returns:
        The floor, or None if nothing in the picture looks like one.
    """
    return find_floor_in(ImagePyramid(image_bgr), is_empty=is_empty)


def find_floor_in(picture: ImagePyramid, *, is_empty: bool = False) -> Floor | None:
    """Find the tray's floor in a picture whose halves are needed later."""
    height, width = picture.whole_bgr.shape[:2]
    scale = min(1.0, _WORK_PX / max(height, width))
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    small = picture.shrunk(*size)
    best = (_by_edges(small, _grown) if is_empty else None) or _by_edges(small, _left_over)
    if best is None or _is_table(best, *size):
        best = _by_colour(small) or best
    if best is None:
        return None
    ratio = np.array([width / size[0], height / size[1]])
    return Floor(best.shape, (best.outline_px + 0.5) * ratio - 0.5, best.sure and _is_whole(best))


def _by_edges(small: ImageBgr, region_of: Callable[[ImageBgr, Mask], Floor | None]) -> Floor | None:
    """Find the floor in a small picture by its edges: the first with regular corners, else the most regular one.

    A shadow or a wall's end that counts as floor makes an irregular shape, but seldom in every blur and light.
    """
    odd = []
    for even, blur_px in product((_brightened, _stretched), _BLURS_PX):
        image = even(small)
        soft = np.asarray(cv2.GaussianBlur(image, (0, 0), blur_px), dtype=np.uint8)
        calm = cv2.medianBlur(image, 5)
        calm = calm if blur_px <= 1.0 else cv2.GaussianBlur(calm, (0, 0), blur_px)
        lab = np.asarray(cv2.cvtColor(calm, cv2.COLOR_BGR2LAB), dtype=np.uint8)
        floor = region_of(lab, np.asarray(cv2.Canny(soft, 0.5 * _EDGE_LEVELS, _EDGE_LEVELS), np.uint8))
        if floor is None:
            continue
        oddest_deg = _oddest_corner_deg(floor)
        if oddest_deg <= _MAX_ODD_DEG:
            return floor
        odd.append((oddest_deg, floor))
    return replace(min(odd, key=lambda found: found[0])[1], sure=False) if odd else None


def _by_colour(small: ImageBgr) -> Floor | None:
    """Find the floor in a small picture by its colour; None if that gives the table as well."""
    for region in regions_of_one_colour(small):
        floor = _fitted(_main_part(region, _MAX_BESIDE))
        if floor is not None and not _is_beside(floor, small.shape[1], small.shape[0]):
            return replace(floor, sure=False)
    return None


def _brightened(small: ImageBgr) -> ImageBgr:
    """Brighten a picture to a common level, since the walls of a dim one contrast as little as its grain."""
    (bright,) = _levels_at(small, 0.95)
    gain = min(max(_BRIGHT_LEVEL / max(bright, 1.0), 1.0), _MAX_GAIN)
    return np.asarray(cv2.convertScaleAbs(small, alpha=gain), dtype=np.uint8)


def _stretched(small: ImageBgr) -> ImageBgr:
    """Stretch a hazy picture's grey levels: the darkest to black, the rest brighter."""
    dark, bright = _levels_at(small, 0.02, 0.98)
    gain = min(max(_BRIGHT_LEVEL / max(bright - dark, 1.0), 1.0), 2.0 * _MAX_GAIN)
    return np.asarray(cv2.convertScaleAbs(small, alpha=gain, beta=-dark * gain), dtype=np.uint8)


def _levels_at(small: ImageBgr, *shares: float) -> tuple[float, ...]:
    """Return the least levels that such shares of a picture do not exceed, 20 times as fast as `numpy.percentile`."""
    counts = cv2.calcHist([small.reshape(len(small), -1)], [0], None, [256], [0.0, 256.0])
    below = list(accumulate(counts.ravel().tolist()))
    return tuple(float(bisect_left(below, share * below[-1])) for share in shares)


def _left_over(lab: ImageBgr, fence: Mask) -> Floor | None:
    """Return what is left in the middle after the table is grown from the border: the tray without its walls."""
    height, width = fence.shape
    left = (_flooded(lab, fence, _rim(width, height)) == 0).view(np.uint8)
    tray = _fitted(_main_part(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8)), _MAX_BORDER))
    if tray is None:
        return None
    middle = tray.outline_px.mean(axis=0)
    return replace(tray, outline_px=middle + (tray.outline_px - middle) * _FLOOR_SHARE)


def _grown(lab: ImageBgr, fence: Mask) -> Floor | None:
    """Return the largest region grown from places around the picture's middle."""
    height, width = fence.shape
    places = [(int(x * width), int(y * height)) for y in _AROUND for x in _AROUND]
    regions = _flooded(lab, fence, places)
    largest = int(np.bincount(regions.ravel(), minlength=2)[1:].argmax()) + 1
    grown = (regions == largest).view(np.uint8)
    return _fitted(_main_part(cv2.morphologyEx(grown, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), _MAX_BORDER))


def _flooded(lab: ImageBgr, fence: Mask, places: Sequence[tuple[int, int]]) -> Mask:
    """Return each pixel's region, grown from places up to edges: its number from 1 on, 0 for none."""
    height, width = fence.shape
    mask = np.zeros((height + 2, width + 2), dtype=np.uint8)
    mask[1:-1, 1:-1] = fence
    step = (_STEP_LEVELS,) * 3
    reached = mask.data  # Read pixel by pixel, this is three times as fast as the array.
    number = 0
    for x, y in places:
        if not reached[y + 1, x + 1]:
            number = number % 254 + 1
            cv2.floodFill(lab, mask, (x, y), (0, 0, 0), step, step, 4 | (number << 8) | cv2.FLOODFILL_MASK_ONLY)
    return np.where(fence > 0, 0, mask[1:-1, 1:-1]).astype(np.uint8)


@cache
def _rim(width: int, height: int) -> tuple[tuple[int, int], ...]:
    """Return points along the border of a picture of that size."""
    level = [(x, y) for x in range(1, width - 1, 6) for y in (1, height - 2)]
    upright = [(x, y) for y in range(1, height - 1, 6) for x in (1, width - 2)]
    return (*level, *upright)


def _main_part(region: cv2.typing.MatLike, max_border: float) -> _Outline | None:
    """Return the largest connected part's outline without holes; None if it is too small or leaves the picture."""
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    part = np.zeros(region.shape, np.uint8)
    cv2.drawContours(part, [largest], 0, (255,), -1)
    if _on_border(part) > max_border or cv2.countNonZero(part) < _MIN_SHARE * part.size:
        return None
    return np.asarray(largest, np.int32)


def _fitted(outline: _Outline | None) -> Floor | None:
    """Return a region's shape in the small picture, or None if it fills little of its hull and so fits no shape."""
    if outline is None:
        return None
    hull = cv2.convexHull(outline)
    if cv2.contourArea(outline) < _MIN_FILL * cv2.contourArea(hull):
        return None
    return fit_shape(hull.reshape(-1, 2).astype(np.float64))


def _oddest_corner_deg(floor: Floor) -> float:
    """Return by how much the turn at some corner differs from that of a regular shape."""
    if floor.shape == "round":
        return 0.0
    sides = (np.roll(floor.outline_px, -1, axis=0) - floor.outline_px) @ (1.0, 1j)
    turns = np.angle(np.roll(sides, -1) / sides)
    return float(np.degrees(np.abs(np.abs(turns) - 2.0 * np.pi / len(turns)).max()))


def _is_table(floor: Floor, width_px: int, height_px: int) -> bool:
    """Return whether a floor may be the table, or a part of it, in a picture of that size."""
    return _area_px(floor) > _MAX_COVERED * width_px * height_px or _is_beside(floor, width_px, height_px)


def _is_beside(floor: Floor, width_px: int, height_px: int) -> bool:
    """Return whether a floor belongs to the border of a picture of that size rather than to its middle."""
    if floor.distance_px(0.5 * width_px, 0.5 * height_px) < 0.0:
        return True
    return _on_border(floor.mask(width_px, height_px)) > _MAX_BESIDE


def _is_whole(floor: Floor) -> bool:
    """Return whether a shape is no longer than a tray's; a cord or a shadow across a tray leaves a strip of it."""
    (_, (width, height), _) = cv2.minAreaRect(floor.outline_px.astype(np.float32))
    most = _MAX_ASPECT if floor.shape == "rectangle" else _MAX_ROUND_ASPECT
    return bool(max(width, height) <= most * min(width, height))


def _area_px(floor: Floor) -> float:
    return cv2.contourArea(floor.outline_px.astype(np.float32))


def _on_border(region: Mask) -> float:
    """Return the share of a picture's border that a region covers."""
    border = np.concatenate([region[0], region[-1], region[:, 0], region[:, -1]])
    return cv2.countNonZero(border) / border.size
