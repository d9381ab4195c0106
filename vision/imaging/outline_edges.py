"""How clearly an outline shows in a picture: the step of colour across each of its sides."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.types.frame import FloatArray, ImageBgr


@dataclass(frozen=True, slots=True)
class OutlineEdgeParams:
    """How steps are measured.

    Attributes:
        width_px: Width of the copy in which steps are measured. All other lengths in pixels are in pixels of that copy.
        blur_px: Blur that takes grain away.
        apart_px: Half the distance over which a step is taken.
        off_px: Greatest distance of the step from the outline, to either side.
        ends: Share of a side at each end that is passed over: corners are round.
        places: Number of places along a side.
    """

    width_px: int = 640
    blur_px: float = 1.5
    apart_px: float = 3.0
    off_px: int = 4
    ends: float = 0.08
    places: int = 60


def steps_across(image_bgr: ImageBgr, outline_px: FloatArray, params: OutlineEdgeParams | None = None) -> FloatArray:
    """The step of colour across each side of an outline.

    Args:
        image_bgr: Shape (H, W, 3).
        outline_px: Shape (N, 2), its corners in order.
        params: The tunables.

    Returns:
        Shape (N,), distances in OpenCV's eight-bit L*a*b*: the median of a side's places, so that neither grain nor
        what lies there in places makes a step, at the offset from the side where it is largest.
    """
    settings = params or OutlineEdgeParams()
    scale = settings.width_px / image_bgr.shape[1]
    small = cv2.resize(image_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), settings.blur_px)
    lab = cv2.cvtColor(soft, cv2.COLOR_BGR2LAB).astype(np.float32)
    corners = outline_px * scale
    ways = np.roll(corners, -1, axis=0) - corners
    across = np.stack([ways[:, 1], -ways[:, 0]], axis=1)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    along = np.linspace(settings.ends, 1.0 - settings.ends, settings.places)
    sides = corners[:, None] + ways[:, None] * along[:, None]

    def seen(off: float) -> FloatArray:
        xy = (sides + across[:, None] * off).astype(np.float32)
        colours = cv2.remap(lab, xy[..., 0], xy[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(colours, np.float64)

    offs = range(-settings.off_px, settings.off_px + 1)
    steps = [np.median(seen(off + settings.apart_px) - seen(off - settings.apart_px), axis=1) for off in offs]
    largest: FloatArray = np.linalg.norm(steps, axis=2).max(axis=0)
    return largest
