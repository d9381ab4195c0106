"""How a camera sees an empty tray: whether all of it is visible, level, sharp and well lit. For setting up a tray."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.tray.floor import Floor
from vision.types.frame import FloatArray, ImageBgr, ImageGray


@dataclass(frozen=True, slots=True)
class Framing:
    """The measurements; each field tells which direction is better."""

    # space between the floor and the picture's nearest edge, as a fraction of the picture's width; negative if the
    # floor is cut off
    margin: float
    width_share: float
    # how much longer one side of the floor looks than the opposite one, as a share, 0 for a level camera; for shapes
    # without four sides how much longer one axis of the outline is than the other
    tilt: float
    # width of the sharpest tenth of the edges along the floor's rim, in pixels: 1 to 3 is sharp, 6 blurred
    edge_px: float
    mean: float  # grey of the floor, 0-255
    burnt: float  # burnt-out share of the picture inside the rim
    evenness: float  # darkest over brightest ninth of the floor


_RIM_SHARE = 0.04
"""Half width of the band along the outline that is searched for edges, as a fraction of the floor's span: both the
wall's foot and its top are in it.
"""
_MIN_STEP = 12.0
"""Least step of an edge that is measured, in grey levels; less is noise."""
_BURNT_LEVEL = 250
"""Grey level from which a pixel counts as burnt out."""


def measure_framing(image_bgr: ImageBgr, floor: Floor) -> Framing:
    """Measure how the camera sees the tray.

    Returns:
        The numbers, without a judgement.
    """
    height, width = image_bgr.shape[:2]
    gray = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    outline = floor.outline_px
    low, high = outline.min(axis=0), outline.max(axis=0)
    margin_px = min(float(low.min()), width - 1.0 - float(high[0]), height - 1.0 - float(high[1]))
    inside = floor.mask(width, height)
    soft = cv2.GaussianBlur(gray, (0, 0), max(1.0, width / 160.0))
    ninths = _ninths(np.asarray(soft, dtype=np.float64), inside, floor)
    seen = gray[inside > 0]
    return Framing(
        margin=margin_px / width,
        width_share=float(high[0] - low[0]) / width,
        tilt=_tilt(floor),
        edge_px=_edge_width_px(gray, floor),
        mean=float(seen.mean()),
        burnt=float((seen >= _BURNT_LEVEL).mean()),
        evenness=float(ninths.min() / max(1.0, float(ninths.max()))),
    )


def _tilt(floor: Floor) -> float:
    """Return by how much opposite sides differ in length, or for round shapes the outline's radii."""
    outline = floor.outline_px
    if len(outline) == 4:
        sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
        return max(_apart(sides[0], sides[2]), _apart(sides[1], sides[3]))
    (_, axes, _) = cv2.fitEllipse(outline.astype(np.float32))
    return _apart(float(axes[0]), float(axes[1]))


def _apart(one: float, other: float) -> float:
    return float(max(one, other) / max(1e-6, min(one, other)) - 1.0)


def _ninths(soft: FloatArray, inside: ImageGray, floor: Floor) -> FloatArray:
    """Return the mean grey of each ninth of the floor's box that is floor."""
    left, top, right, bottom = floor.box_px
    columns = np.linspace(max(0, left), min(soft.shape[1], right), 4).astype(int)
    rows = np.linspace(max(0, top), min(soft.shape[0], bottom), 4).astype(int)
    means = []
    for row in range(3):
        for column in range(3):
            part = np.s_[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
            chosen = soft[part][inside[part] > 0]
            if chosen.size:
                means.append(float(chosen.mean()))
    return np.array(means or [0.0])


def _edge_width_px(gray: ImageGray, floor: Floor) -> float:
    """Return the width of the sharpest edges along the rim: the step's height over its steepest slope."""
    reach = max(4, round(_RIM_SHARE * floor.span_px))
    band = np.zeros(gray.shape, np.uint8)
    cv2.polylines(band, [np.rint(floor.outline_px).astype(np.int32)], True, 255, 2 * reach)
    # The step in a small window over the steepest slope in it; one pixel of smoothing suppresses sensor noise.
    calm = cv2.GaussianBlur(gray, (0, 0), 0.8).astype(np.float32)
    slope = np.hypot(cv2.Sobel(calm, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(calm, cv2.CV_32F, 0, 1, scale=0.125))
    window = np.ones((2 * reach // 2 * 2 + 1,) * 2, np.uint8)
    step = cv2.dilate(calm, window) - cv2.erode(calm, window)
    steepest = cv2.dilate(slope, window)
    chosen = (band > 0) & (step >= _MIN_STEP)
    if not chosen.any():
        return float("inf")
    widths = step[chosen] / np.maximum(steepest[chosen], 1e-3)
    return float(np.percentile(widths, 10.0))
