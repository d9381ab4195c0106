"""Detection of stillness from a small gray copy of each frame, in a millisecond or two.

A frame is compared with the first frame of the present still run, not only with the previous one, so that slow motion
adds up until it counts. Flickering or drifting lamps are removed line by line before the comparison, and the threshold
of a change depends on the noise of the same picture.
"""

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.types.frame import Frame, ImageBgr

SmallGray: TypeAlias = npt.NDArray[np.float32]
"""Shape (h, w), float32, 0-255, h and w multiples of the cell size."""
CellMap: TypeAlias = npt.NDArray[np.float32]
"""Shape (h / cell, w / cell), float32: mean absolute difference in each cell, gray levels."""


CellMask: TypeAlias = npt.NDArray[np.bool_]
"""Shape (h / cell, w / cell), bool."""


_WIDTH_PX = 320
"""About the width of the small copy; the shrink factor is a whole number. A larger copy shows finer motion and costs
time with its square.
"""
DIE_SHARE = 0.04
"""About a die's breadth, as a share of the picture's width."""
CELL_PX = 4
"""Edge of a cell of the small copy. A die of 25 px in a 640 px picture is about three cells wide."""
_CHANGE_FLOOR = 5.0
"""Gray levels of mean difference in a cell that count as a change in a picture without noise. JPEG noise at die edges
reached 4; the slowest hand in the recordings started at 15.
"""
_CHANGE_OVER_NOISE = 5.0
"""Change of a cell that counts, as a multiple of the picture's own noise. The larger of this and `_CHANGE_FLOOR`
applies.
"""
_NOISE_QUANTILE = 0.35
"""Quantile of the cells' differences that counts as noise; low, so that a hand over most of them does not."""
_QUIET_CELLS = 3
"""Greatest number of changed cells in a single frame, after settling, that is ignored as a glitch."""
_QUIET_AFTER_S = 0.25
"""Seconds of stillness before glitches are ignored."""
_FOLLOW_S = 4.0
"""Seconds in which the reference follows slow changes of light during a rest."""
_CUT_OFF_SHARE = 0.7
"""Share of a change of light that a clipped pixel need not follow."""
_WHITE_LEVEL = 232.0
"""Gray level above which a cell is nearly white. If most of a line is clipped its change of light is unknown, while
cells that are nearly white still follow it.
"""
_WHITE_SHARE = 0.045
"""Share of itself by which a nearly white cell may change."""


@dataclass(frozen=True, slots=True)
class Stillness:
    """The result for one frame."""

    moving: bool  # whether something moves over the floor
    still_for_s: float  # seconds for which nothing has moved over the floor; 0 while something moves
    # seconds for which nothing has moved anywhere in the picture; 0 while something moves over the floor
    calm_for_s: float
    steady: bool  # whether this frame agrees with the run; False for an ignored glitch, which should not be read
    changed_cells: int


def shrink(image_bgr: ImageBgr) -> ImageBgr:
    """Return a small copy of a picture, shape (h, w, 3), about `_WIDTH_PX` wide, cropped to whole cells.

    The factor is a whole number, so that each small pixel is the mean of a square of large ones.
    """
    factor = max(1, round(image_bgr.shape[1] / _WIDTH_PX))
    step = factor * CELL_PX
    height = image_bgr.shape[0] // step * step
    width = image_bgr.shape[1] // step * step
    if height == 0 or width == 0:
        raise ValueError(
            f"picture of {image_bgr.shape[1]}x{image_bgr.shape[0]} px is too small: needs {step} px each way"
        )
    small: ImageBgr = image_bgr[:height, :width]
    while factor > 1:
        # OpenCV halves four times as fast as it divides by any other number.
        divisor = 2 if factor % 2 == 0 else factor
        size = (small.shape[1] // divisor, small.shape[0] // divisor)
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        factor //= divisor
    return np.ascontiguousarray(small)


def small_of(frame: Frame) -> ImageBgr:
    """Return the small copy of a frame: the camera's own if it has the same size, else a shrunk one."""
    factor = max(1, round(frame.width_px / _WIDTH_PX))
    step = factor * CELL_PX
    wanted = (frame.height_px // step * CELL_PX, frame.width_px // step * CELL_PX)
    # A cropped picture shows other cells than the camera's own copy, so that only an uncropped one is replaced.
    is_whole = frame.height_px % step == 0 and frame.width_px % step == 0
    if frame.small_bgr is not None and is_whole and frame.small_bgr.shape[:2] == wanted:
        return frame.small_bgr
    return shrink(frame.image_bgr)


def gray_of(small_bgr: ImageBgr) -> SmallGray:
    """Return the gray levels of a small picture as float32."""
    return np.asarray(cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def line_gain(gray: SmallGray, reference: SmallGray, cell_px: int = CELL_PX) -> npt.NDArray[np.float32]:
    """Measure how much brighter each line is than in the reference: mains flicker and drifting lamps.

    Returns:
        Shape (h, 1), about 1; the median over sixteen stretches of the line, so that dice and hands do not count.
    """
    rows = gray.shape[0] // cell_px
    # One level more avoids a division by zero in black stretches.
    now = cv2.resize(gray, (16, rows), interpolation=cv2.INTER_AREA) + 1.0
    before = cv2.resize(reference, (16, rows), interpolation=cv2.INTER_AREA) + 1.0
    ratio = np.sort(now / before, axis=1)
    gain = np.clip((ratio[:, 7:8] + ratio[:, 8:9]) / 2.0, 0.4, 2.5).astype(np.float32)
    smooth = cv2.blur(gain, (1, 5), borderType=cv2.BORDER_REPLICATE).reshape(-1)
    return np.repeat(smooth.astype(np.float32, copy=False), cell_px)[:, None]


def compare(gray: SmallGray, reference: SmallGray) -> tuple[CellMap, CellMap]:
    """Measure how much each cell differs from the reference, light removed.

    Returns:
        The differences, and by how much more each may differ because the light changed: clipped pixels do not follow it
        in full, and nearly clipped ones follow a change that clipped ones do not show.
    """
    gain = line_gain(gray, reference)
    size = (gray.shape[1] // CELL_PX, gray.shape[0] // CELL_PX)
    cells = cv2.resize(cv2.absdiff(gray, reference * gain), size, interpolation=cv2.INTER_AREA)
    brightness = cv2.resize(reference, size, interpolation=cv2.INTER_AREA)
    allowed = brightness * (_CUT_OFF_SHARE * np.abs(gain[::CELL_PX] - 1.0))
    allowed += brightness * (_WHITE_SHARE * (brightness > _WHITE_LEVEL))
    return np.asarray(cells, dtype=np.float32), np.asarray(allowed, dtype=np.float32)


def noise_of(cells: CellMap) -> float:
    """Return the noise of a comparison: a low quantile of its cells, gray levels."""
    flat = cells.reshape(-1)
    index = min(flat.size - 1, int(_NOISE_QUANTILE * flat.size))
    return float(np.partition(flat, index)[index])


def change_level(noise: float) -> float:
    """Return the gray levels above which a cell counts as changed, in pictures of such a noise."""
    return max(_CHANGE_FLOOR, _CHANGE_OVER_NOISE * noise)


class SettleDetector:
    """Detects for each frame whether something moves, and for how long nothing has. Memory: two small pictures."""

    def __init__(self) -> None:
        self._reference: SmallGray | None = None
        self._noise = 0.0
        self._since_s = 0.0
        self._calm_since_s = 0.0
        self._last_s = 0.0
        self._forgave = False

    def see(self, small_bgr: ImageBgr, t_s: float, watched: CellMask | None = None) -> Stillness:
        """Process the next frame.

        Args:
            t_s: Capture time; must not run backwards (a jump back restarts the detection).

        Returns:
            Whether something moves. The first frame begins a run of stillness.
        """
        gray = gray_of(small_bgr)
        reference = self._reference
        if reference is None or reference.shape != gray.shape or t_s < self._last_s:
            self._start_run(gray, t_s)
            return self._stillness(t_s, steady=True, changed=0)
        cells, allowed = compare(gray, reference)
        noise = noise_of(cells)
        # Motion over most of the picture must not count as noise, so noise rises by at most a tenth a frame. Nor may
        # one smooth picture make noise count as motion until it has risen again.
        self._noise = noise if self._noise == 0.0 else min(max(noise, self._noise * 0.7), self._noise * 1.1)
        moved = cells > change_level(self._noise) + allowed
        elapsed_s = t_s - self._last_s
        self._last_s = t_s
        if watched is not None and watched.shape == moved.shape:
            if np.any(moved & ~watched):
                self._calm_since_s = t_s
                size = (gray.shape[1], gray.shape[0])
                floor = cv2.resize(watched.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
                np.copyto(reference, gray, where=floor == 0)
            moved &= watched
        changed = int(np.count_nonzero(moved))
        if changed == 0:
            self._forgave = False
            weight = min(1.0, elapsed_s / _FOLLOW_S)
            cv2.accumulateWeighted(gray, reference, weight)
            return self._stillness(t_s, steady=True, changed=0)
        settled = t_s - self._since_s >= _QUIET_AFTER_S
        if settled and changed <= _QUIET_CELLS and not self._forgave:
            self._forgave = True
            return self._stillness(t_s, steady=False, changed=changed)
        self._start_run(gray, t_s)
        return Stillness(moving=True, still_for_s=0.0, calm_for_s=0.0, steady=False, changed_cells=changed)

    def restart(self) -> None:
        """Start a run of stillness with the next frame."""
        self._reference = None

    def _stillness(self, t_s: float, *, steady: bool, changed: int) -> Stillness:
        still_s, calm_s = t_s - self._since_s, t_s - max(self._since_s, self._calm_since_s)
        return Stillness(moving=False, still_for_s=still_s, calm_for_s=calm_s, steady=steady, changed_cells=changed)

    def _start_run(self, gray: SmallGray, t_s: float) -> None:
        self._reference = gray
        self._since_s = t_s
        self._calm_since_s = t_s
        self._last_s = t_s
        self._forgave = False
