"""Finding the tray's floor in a picture when no profile says where it is.

A floor is the one-coloured region around the middle of the picture, fenced by the foot of a wall. It is grown over a
small copy of the picture, closed over the dice, and then replaced by the simplest shape that covers it. Where the
fence has little to do with the middle, the floor's colour alone shows it (`floor_colour`).
"""

import importlib
import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, product, repeat
from operator import sub

import cv2
import numpy as np
import numpy.typing as npt

from vision.imaging.edges import colour_edges
from vision.imaging.pyramid import ImagePyramid
from vision.tray.floor import Floor, Mask, around, fit_shape
from vision.tray.floor_colour import FloorColourParams, regions_of_one_colour
from vision.types.frame import ImageBgr

_Outline = npt.NDArray[np.int32]
"""Shape (N, 1, 2), the corners round a region."""


@dataclass(frozen=True, slots=True)
class FloorParams:
    """How the floor is grown; measured on the drawn and the shared trays.

    Attributes:
        work_px: Long side of the small copy the search runs on; more is slower and no better.
        step_levels: Most change between neighbours of the small copy, in grey levels of each Lab channel, that still
            belongs to the floor. Higher leaks over faint walls, lower stops at shadows.
        edge_levels: Canny's upper threshold on the small copy: the fence.
        blur_px: Blurs of the small copy, tried in turn: the first is fine, the others bear coarse grain.
        bright_level: Level that the brightest twentieth of a darker picture is brightened to, in grey levels; see
            `most_gain`.
        most_gain: Greatest factor by which a picture is brightened.
        min_share: Least share of the picture a floor covers, else there is no tray.
        max_border: Greatest share of the picture's border that the region may touch, else it is the table.
        min_fill: Least share of its own convex hull that a region fills.
        within_fill: Least share of its own convex hull that the floor fills in a tray that was also found from outside.
        from_without: Whether the tray, left over where the table is grown from the picture's border, gives back what
            shadows and dice cut off the floor. On a table of the tray's own wood it takes patches of table along.
        wall_share: Size of the floor over that of the tray with its walls.
        most_odd_deg: Greatest departure of a corner's turn from that of a regular shape, in degrees, at which a floor
            is taken at once. Otherwise the search goes on for one whose corners are more alike.
        most_aspect: Ratio of the sides above which a rectangle may be only a part of a floor.
        most_round_aspect: Ratio of length to width above which a round floor, or one of more than four corners, may be
            only a part of it.
        faint_step_levels: Replaces `step_levels` in a second search where nothing was found, for walls that hardly
            stand out in the dark or in haze. On a table without a tray that search finds chance regions, too: see
            `faint_fill` and `faint_fence`.
        faint_fill: Replaces `min_fill` in the search for faint walls.
        faint_fence: How much more frequent edges must be on the outline than elsewhere, as a share of the places, in
            the search for faint walls. A floor that was also found from outside needs no such edges.
        faint_edge_levels: Replaces `edge_levels` where `faint_fence` counts edges.
        faint_within: Replaces `within_fill` in the search for faint walls: dice and the grain of wood leave gaps.
        gap_px: Widths by which edges are widened, one after another, in a third search where nothing was found yet, so
            that the edges of walls with the floor's own grain meet.
        gap_blur_px: Blurs of the small copy in the search with widened edges, tried one after another.
        gap_edge_px: Least width or height of an edge that is widened: shorter ones are those of dice and of what else
            lies there.
        gap_step_levels: Replaces `step_levels` in the search with widened edges, since their fence is closed.
        gap_along: Least share of the outline with edges in the search with widened edges.
        gap_fence: How much more frequent edges must be on the outline than elsewhere, as a share of the places, in the
            search with widened edges.
        most_off: Share of the picture's border above which a floor that touches it is taken for the table, or a
            strip of it, and the search by `colour` is tried.
        most_covered: Share of the picture above which a floor may be all of a mottled table, into which nothing grows
            from the border, so that the search by `colour` is tried. It is tried, too, where a floor does not hold the
            picture's middle.
        colour: Parameters of the search for the region of the middle's own colour; None where colour must not be used.
        most_left: Greatest area of a floor found by colour, as a share of the sure floor that it replaces: a tray may
            fill the picture. A floor that is not sure is replaced whatever the area.
    """

    work_px: int = 256
    step_levels: int = 3
    edge_levels: float = 60.0
    blur_px: tuple[float, ...] = (1.0, 2.5)
    bright_level: float = 150.0
    most_gain: float = 4.0
    min_share: float = 0.10
    max_border: float = 0.30
    min_fill: float = 0.80
    within_fill: float = 0.80
    from_without: bool = True
    wall_share: float = 0.94
    most_odd_deg: float = 12.0
    most_aspect: float = 1.8
    most_round_aspect: float = 1.35
    faint_step_levels: int = 1
    faint_fill: float = 0.93
    faint_fence: float = 0.3
    faint_edge_levels: float = 30.0
    faint_within: float = 0.72
    gap_px: tuple[int, ...] = (2, 4, 6)
    gap_blur_px: tuple[float, ...] = (2.5, 1.6, 1.0)
    gap_edge_px: int = 40
    gap_step_levels: int = 8
    gap_along: float = 0.9
    gap_fence: float = 0.35
    most_off: float = 0.10
    most_covered: float = 0.75
    colour: FloorColourParams | None = field(default_factory=FloorColourParams)
    most_left: float = 0.75


def prepare() -> None:
    """Have made, once, what a first picture would wait for: OpenCV's tables for Lab, NumPy's module for masked arrays.

    Some 60 and 10 ms; NumPy loads the latter when a function such as `median` first asks whether it was given one.
    """
    cv2.cvtColor(np.zeros((1, 1, 3), dtype=np.uint8), cv2.COLOR_BGR2LAB)
    importlib.import_module("numpy.ma")


def find_floor(image_bgr: ImageBgr, params: FloorParams) -> Floor | None:
    """Find the tray's floor.

    Args:
        image_bgr: Shape (H, W, 3), seen from above, the middle of the picture inside the tray.
        params: The tunables.

    Returns:
        The floor, or None where nothing in the picture looks like one.
    """
    return find_floor_in(ImagePyramid(image_bgr), params)


def find_floor_in(picture: ImagePyramid, params: FloorParams) -> Floor | None:
    """The same in a picture whose halves somebody needs later."""
    height, width = picture.whole_bgr.shape[:2]
    scale = min(1.0, params.work_px / max(height, width))
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    small = picture.shrunk(*size)
    best = _with_like_corners(small, params) or _with_faint_walls(small, params) or _with_gaps(small, params)
    if best is None:
        # Colour is not asked: such a picture's dice are read as a photograph's, which finds more of them.
        return None
    if params.colour is not None and _is_table(best, *size, params):
        best = _with_one_colour(small, params, params.colour, best) or best
    ratio = np.array([width / size[0], height / size[1]])
    return Floor(best.shape, (best.outline_px + 0.5) * ratio - 0.5, best.sure and _is_whole(best, params))


def _with_like_corners(small: ImageBgr, params: FloorParams) -> Floor | None:
    """The floor in a small picture: the first whose corners are alike, else the sure one where they are most so.

    A shadow or a wall's end that counts as floor makes an odd shape of it, seldom in every blur and light.
    """
    odd = []
    for image, blur_px in _evened(small, params):
        floor = _find(image, blur_px, params)
        if floor is None:
            continue
        oddest_deg = _oddest_corner_deg(floor)
        if oddest_deg <= params.most_odd_deg:
            return floor
        odd.append((not floor.sure, oddest_deg, floor))
    return min(odd, key=lambda found: found[:2])[2] if odd else None


def _oddest_corner_deg(floor: Floor) -> float:
    """By how much the turn at some corner differs from that of a shape whose corners are all alike."""
    if floor.shape == "round":
        return 0.0
    corners = floor.outline_px.tolist()
    ways = zip(corners, corners[1:] + corners[:1], strict=True)
    along = [math.atan2(y - from_y, x - from_x) for (from_x, from_y), (x, y) in ways]
    turns = map(math.remainder, map(sub, along[1:] + along[:1], along), repeat(math.tau))
    return math.degrees(max(abs(abs(turn) - math.tau / len(corners)) for turn in turns))


def _evened(small: ImageBgr, params: FloorParams) -> Iterator[tuple[ImageBgr, float]]:
    """The small picture as it is searched, in turn, and how it is blurred then."""
    for even in (_brightened, _stretched):
        for blur_px in params.blur_px:
            yield even(small, params), blur_px


def _with_faint_walls(small: ImageBgr, params: FloorParams) -> Floor | None:
    """The floor in a small picture whose walls hardly stand out: one along which edges go."""
    careful = replace(
        params, step_levels=params.faint_step_levels, min_fill=params.faint_fill, within_fill=params.faint_within
    )
    for image, blur_px in _evened(small, params):
        floor = _find(image, blur_px, careful)
        if floor is None:
            continue
        if floor.sure:
            return floor  # grown from within and left over from without: grain's edges everywhere say nothing
        soft = np.asarray(cv2.GaussianBlur(image, (0, 0), blur_px), dtype=np.uint8)
        here, elsewhere = _edges_along(floor, colour_edges(soft, params.faint_edge_levels))
        if here - elsewhere >= params.faint_fence:
            return floor
    return None


def _edges_along(floor: Floor, edges: Mask) -> tuple[float, float]:
    """On how large a share of a floor's outline there are edges, to two pixels, and of the whole picture."""
    near = cv2.dilate(edges, _FIVE)
    along = cv2.polylines(np.zeros_like(near), [np.rint(floor.outline_px).astype(np.int32)], True, (255,))
    return cv2.mean(near, along)[0] / 255.0, cv2.mean(near)[0] / 255.0


def _with_gaps(small: ImageBgr, params: FloorParams) -> Floor | None:
    """The floor in a small picture whose walls' edges have gaps: they are of the floor's grain, or of the table's."""
    wide = replace(params, step_levels=params.gap_step_levels)
    for blur_px, even in product(params.gap_blur_px, (_brightened, _stretched)):
        soft = np.asarray(cv2.GaussianBlur(even(small, params), (0, 0), blur_px), dtype=np.uint8)
        edges = colour_edges(soft, params.edge_levels)
        fence, lab = _long_ones(edges, params.gap_edge_px), np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2LAB), np.uint8)
        for gap_px in params.gap_px:
            size = (2 * gap_px + 1, 2 * gap_px + 1)
            disc = np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size), dtype=np.uint8)
            floor = _fitted(_grow(lab, np.asarray(cv2.dilate(fence, disc), np.uint8), wide, disc), params.min_fill)
            if floor is None or not _is_whole(floor, params):
                continue
            here, elsewhere = _edges_along(floor, edges)
            if here >= params.gap_along and here - elsewhere >= params.gap_fence:
                return replace(floor, sure=False)
    return None


def _long_ones(edges: Mask, least_px: int) -> Mask:
    """The edges that are as long, across or down."""
    _, labels, boxes, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    long = boxes[:, cv2.CC_STAT_WIDTH : cv2.CC_STAT_HEIGHT + 1].max(axis=1) >= least_px
    long[0] = False  # what is no edge
    return np.asarray(long[labels] * 255, dtype=np.uint8)


def _with_one_colour(
    small: ImageBgr, params: FloorParams, colour: FloorColourParams, instead_of: Floor
) -> Floor | None:
    """The floor in a small picture by its colour, where edges gave the table; None where that is the better one."""
    height, width = small.shape[:2]
    inside = replace(params, max_border=params.most_off)
    most_px = params.most_left * _area_px(instead_of) if instead_of.sure else math.inf
    for region in regions_of_one_colour(small, colour):
        floor = _fitted(_main_part(region, inside), params.min_fill)
        if floor is not None and _area_px(floor) <= most_px and not _is_beside(floor, width, height, params):
            return replace(floor, sure=False)
    return None


def _is_table(floor: Floor, width_px: int, height_px: int, params: FloorParams) -> bool:
    """Whether a floor may be the table, or a part of it, in a picture of that size."""
    is_wide = _area_px(floor) > params.most_covered * width_px * height_px
    return is_wide or _is_beside(floor, width_px, height_px, params)


def _is_beside(floor: Floor, width_px: int, height_px: int, params: FloorParams) -> bool:
    """Whether a floor has more to do with the border of a picture of that size than with its middle."""
    if floor.distance_px(0.5 * width_px, 0.5 * height_px) < 0.0:
        return True
    return _on_border(floor.mask(width_px, height_px)) > params.most_off


def _area_px(floor: Floor) -> float:
    return cv2.contourArea(floor.outline_px.astype(np.float32))


def _on_border(region: Mask) -> float:
    """On how large a share of a picture's border a region lies."""
    border = np.concatenate([region[0], region[-1], region[:, 0], region[:, -1]])
    return cv2.countNonZero(border) / border.size


def _is_whole(floor: Floor, params: FloorParams) -> bool:
    """Whether a shape is no longer than a tray's: a cord or a shadow across a tray leaves a strip of it."""
    (_, (width, height), _) = cv2.minAreaRect(floor.outline_px.astype(np.float32))
    most = params.most_aspect if floor.shape == "rectangle" else params.most_round_aspect
    return bool(max(width, height) <= most * min(width, height))


def _brightened(small: ImageBgr, params: FloorParams) -> ImageBgr:
    """A dim picture's walls stand out as little as its grain: bring all to one brightness."""
    (bright,) = _levels_at(small, 0.95)
    gain = min(max(params.bright_level / max(bright, 1.0), 1.0), params.most_gain)
    return np.asarray(cv2.convertScaleAbs(small, alpha=gain), dtype=np.uint8)


def _levels_at(small: ImageBgr, *shares: float) -> tuple[float, ...]:
    """The least levels that such shares of a picture do not exceed; `numpy.percentile` takes 20 times as long."""
    counts = cv2.calcHist([small.reshape(len(small), -1)], [0], None, [256], [0.0, 256.0])
    below = list(accumulate(counts.ravel().tolist()))
    return tuple(float(bisect_left(below, share * below[-1])) for share in shares)


def _stretched(small: ImageBgr, params: FloorParams) -> ImageBgr:
    """In haze everything is grey: darkest to black, and brighter still."""
    dark, bright = _levels_at(small, 0.02, 0.98)
    gain = min(max(params.bright_level / max(bright - dark, 1.0), 1.0), 2.0 * params.most_gain)
    return np.asarray(cv2.convertScaleAbs(small, alpha=gain, beta=-dark * gain), dtype=np.uint8)


def _find(small: ImageBgr, blur_px: float, params: FloorParams) -> Floor | None:
    """The floor in the small picture, its grain blurred away."""
    calm = cv2.medianBlur(small, 5) if blur_px <= 1.0 else cv2.GaussianBlur(cv2.medianBlur(small, 5), (0, 0), blur_px)
    soft = np.asarray(cv2.cvtColor(calm, cv2.COLOR_BGR2LAB), dtype=np.uint8)
    fence = colour_edges(np.asarray(cv2.GaussianBlur(small, (0, 0), blur_px), dtype=np.uint8), params.edge_levels)
    outer = _fitted(_tray_on_table(soft, fence, params), params.min_fill) if params.from_without else None
    inner = _fitted(_grow(soft, fence, params), params.min_fill if outer is None else params.within_fill)
    if inner is not None and outer is not None:
        return _reconcile(inner, outer, params)
    alone = inner or outer
    return None if alone is None else replace(alone, sure=False)


def _fitted(outline: _Outline | None, least_fill: float) -> Floor | None:
    """A region's shape in the small picture, or None where it fills less of its hull: it fits none of the shapes."""
    if outline is None:
        return None
    hull = cv2.convexHull(outline)
    if cv2.contourArea(outline) < least_fill * cv2.contourArea(hull):
        return None
    return fit_shape(hull.reshape(-1, 2).astype(np.float64))


def _reconcile(inner: Floor, outer: Floor, params: FloorParams) -> Floor:
    """The floor grown from within, and what a shadow or a crowd of dice cut off it but the tray around it shows."""
    center = outer.outline_px.mean(axis=0)
    drawn_in = center + (outer.outline_px - center) * params.wall_share
    return around(np.concatenate([inner.outline_px, drawn_in]).astype(np.float32))


def _tray_on_table(lab: ImageBgr, fence: Mask, params: FloorParams) -> _Outline | None:
    """What is left in the middle when the table is grown from the picture's border: the tray, walls and all."""
    height, width = fence.shape
    mask = np.zeros((height + 2, width + 2), dtype=np.uint8)
    mask[1:-1, 1:-1] = fence
    step = (params.step_levels,) * 3
    reached = mask.data  # Read pixel by pixel: three times as fast as from the array.
    for x, y in _rim(width, height):
        if not reached[y + 1, x + 1]:
            cv2.floodFill(lab, mask, (x, y), (0, 0, 0), step, step, 4 | (128 << 8) | cv2.FLOODFILL_MASK_ONLY)
    left = (mask[1:-1, 1:-1] != 128).view(np.uint8)
    return _main_part(np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, _NINE), dtype=np.uint8), params)


@cache
def _rim(width: int, height: int) -> tuple[tuple[int, int], ...]:
    """Points along the border of a picture of that size."""
    level = [(x, y) for x in range(1, width - 1, 6) for y in (1, height - 2)]
    upright = [(x, y) for y in range(1, height - 1, 6) for x in (1, width - 2)]
    return (*level, *upright)


_FIVE = np.ones((5, 5), dtype=np.uint8)
_NINE = np.ones((9, 9), dtype=np.uint8)


def _main_part(region: Mask, params: FloorParams) -> _Outline | None:
    """The largest connected part's outline; None where it is too small, holes filled, or runs out of the picture."""
    contours, _ = cv2.findContours(region, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    # More pixels than its outline encloses are its own: it need not be drawn where these are enough.
    if _lies_within(largest, region) and cv2.contourArea(largest) >= params.min_share * region.size:
        return np.asarray(largest, np.int32)
    part = np.zeros_like(region)
    cv2.drawContours(part, [largest], 0, (255,), -1)
    if _on_border(part) > params.max_border or cv2.countNonZero(part) < params.min_share * part.size:
        return None
    return np.asarray(largest, np.int32)


def _lies_within(outline: cv2.typing.MatLike, picture: Mask) -> bool:
    """Whether an outline touches nothing of a picture's border."""
    left, top, width, height = cv2.boundingRect(outline)
    return left > 0 and top > 0 and left + width < picture.shape[1] and top + height < picture.shape[0]


def _grow(lab: ImageBgr, edges: Mask, params: FloorParams, widened: Mask | None = None) -> _Outline | None:
    """The floor, grown from seeds around the picture's middle: the largest region of all that they hit.

    Edges that were widened by some element hide a rim of it, which is given back.
    """
    height, width = edges.shape
    mask = np.zeros((height + 2, width + 2), dtype=np.uint8)
    mask[1:-1, 1:-1] = edges
    step = (params.step_levels,) * 3
    best, most, seed = 0, 0, 0
    for fy in (0.5, 0.4, 0.6, 0.3, 0.7):
        for fx in (0.5, 0.4, 0.6, 0.3, 0.7):
            x, y = int(fx * width), int(fy * height)
            if mask[y + 1, x + 1]:
                continue
            # What was grown before is fenced off by its number: two regions that touch would have been one.
            seed += 1
            flags = 4 | (seed << 8) | cv2.FLOODFILL_MASK_ONLY
            area, *_ = cv2.floodFill(lab, mask, (x, y), (0, 0, 0), step, step, flags)
            if area > most:
                best, most = seed, area
    if best == 0:
        return None
    grown = (mask[1:-1, 1:-1] == best).view(np.uint8)
    if widened is not None:
        grown = np.asarray(cv2.dilate(grown, widened), dtype=np.uint8)
    return _main_part(np.asarray(cv2.morphologyEx(grown, cv2.MORPH_OPEN, _FIVE), dtype=np.uint8), params)
