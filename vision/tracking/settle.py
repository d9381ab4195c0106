"""Has everything stopped moving? Watches a small gray copy of each frame and costs a millisecond or two.

A frame is compared with the first frame of the present still run, not only with the one before it: whatever creeps adds
up until it is seen. Lamps that flicker or drift are taken out line by line before the comparison, and what counts as a
change is measured against the noise of the very picture.
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


@dataclass(frozen=True, slots=True)
class SettleParams:
    """What the settle detector trades.

    Attributes:
        width_px: About the width of the small copy; the shrink factor is a whole number. Larger sees finer motion and
            costs time with its square.
        cell_px: Edge of a cell of the small copy. A die of 25 px in a 640 px picture is about three cells wide.
        change_floor: Gray levels of mean difference in a cell that count as a change where the picture has no noise.
            JPEG noise at die edges reached 4; the slowest hand in the recordings started at 15.
        change_over_noise: Change of a cell that counts, as a multiple of the picture's own noise. The larger of this
            and `change_floor` applies.
        noise_quantile: Quantile of the cells' differences that is taken as noise; low, so that a hand over most of them
            is not.
        quiet_cells: Greatest number of cells whose change in a single frame, after settling, is forgiven as a glitch.
        quiet_after_s: Seconds for which a run must have been still before glitches are forgiven.
        cut_off_share: Share of a change of light that a pixel need not have followed.
        white_level: Gray level above which a cell is nearly white. Where most of a line is cut off its change of light
            cannot be told, while what is nearly white still follows it.
        white_share: Share of itself by which a cell that is nearly white may change.
        follow_s: Time in which the reference follows slow changes of light during a rest.
    """

    width_px: int = 320
    cell_px: int = 4
    change_floor: float = 5.0
    change_over_noise: float = 5.0
    noise_quantile: float = 0.35
    quiet_cells: int = 3
    quiet_after_s: float = 0.25
    follow_s: float = 4.0
    cut_off_share: float = 0.7
    white_level: float = 232.0
    white_share: float = 0.045


@dataclass(frozen=True, slots=True)
class Stillness:
    """What one frame says.

    Attributes:
        moving: Whether something moves over the floor.
        still_for_s: Seconds for which nothing has moved over the floor; 0 while something moves.
        calm_for_s: Seconds for which nothing has moved anywhere in the picture; 0 while something moves over the floor.
        steady: Whether this frame agrees with the run; False for a forgiven glitch, which should not be read.
        changed_cells: Number of cells that differ from the run's reference.
    """

    moving: bool
    still_for_s: float
    calm_for_s: float
    steady: bool
    changed_cells: int


def shrink(image_bgr: ImageBgr, params: SettleParams) -> ImageBgr:
    """Return a small copy of a picture, shape (h, w, 3), about `width_px` wide, cropped to whole cells.

    The factor is a whole number, so that each small pixel is the mean of a square of large ones.
    """
    factor = max(1, round(image_bgr.shape[1] / params.width_px))
    step = factor * params.cell_px
    height = image_bgr.shape[0] // step * step
    width = image_bgr.shape[1] // step * step
    if height == 0 or width == 0:
        raise ValueError(
            f"picture of {image_bgr.shape[1]}x{image_bgr.shape[0]} px is too small: needs {step} px each way"
        )
    small: ImageBgr = image_bgr[:height, :width]
    while factor > 1:
        # OpenCV halves four times as fast as it divides by anything else.
        divisor = 2 if factor % 2 == 0 else factor
        size = (small.shape[1] // divisor, small.shape[0] // divisor)
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        factor //= divisor
    return np.ascontiguousarray(small)


def small_of(frame: Frame, params: SettleParams) -> ImageBgr:
    """Return the small copy of a frame: the camera's own where it made one of the same size, else a shrunk one."""
    factor = max(1, round(frame.width_px / params.width_px))
    step = factor * params.cell_px
    wanted = (frame.height_px // step * params.cell_px, frame.width_px // step * params.cell_px)
    # A cropped picture shows other cells than the camera's own copy, so that only an uncropped one is replaced.
    is_whole = frame.height_px % step == 0 and frame.width_px % step == 0
    if frame.small_bgr is not None and is_whole and frame.small_bgr.shape[:2] == wanted:
        return frame.small_bgr
    return shrink(frame.image_bgr, params)


def gray_of(small_bgr: ImageBgr) -> SmallGray:
    """Return the gray levels of a small picture as float32."""
    return np.asarray(cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def line_gain(gray: SmallGray, reference: SmallGray, cell_px: int) -> npt.NDArray[np.float32]:
    """Measure how much brighter each line is than in the reference: mains flicker and drifting lamps.

    Returns:
        Shape (h, 1), about 1; the median over sixteen stretches of the line, so that dice and hands do not count.
    """
    rows = gray.shape[0] // cell_px
    # One level more keeps black stretches from dividing by nothing.
    now = cv2.resize(gray, (16, rows), interpolation=cv2.INTER_AREA) + 1.0
    before = cv2.resize(reference, (16, rows), interpolation=cv2.INTER_AREA) + 1.0
    ratio = np.sort(now / before, axis=1)
    gain = np.clip((ratio[:, 7:8] + ratio[:, 8:9]) / 2.0, 0.4, 2.5).astype(np.float32)
    smooth = cv2.blur(gain, (1, 5), borderType=cv2.BORDER_REPLICATE).reshape(-1)
    return np.repeat(smooth.astype(np.float32, copy=False), cell_px)[:, None]


def compare(gray: SmallGray, reference: SmallGray, params: SettleParams) -> tuple[CellMap, CellMap]:
    """Measure how much each cell differs from the reference, light taken out.

    Returns:
        The differences, and by how much more each may differ because the light changed: what is bright enough to be
        cut off does not follow it in full, and what nearly is follows a change that what is cut off does not show.
    """
    gain = line_gain(gray, reference, params.cell_px)
    size = (gray.shape[1] // params.cell_px, gray.shape[0] // params.cell_px)
    cells = cv2.resize(cv2.absdiff(gray, reference * gain), size, interpolation=cv2.INTER_AREA)
    brightness = cv2.resize(reference, size, interpolation=cv2.INTER_AREA)
    allowed = brightness * (params.cut_off_share * np.abs(gain[:: params.cell_px] - 1.0))
    allowed += brightness * (params.white_share * (brightness > params.white_level))
    return np.asarray(cells, dtype=np.float32), np.asarray(allowed, dtype=np.float32)


def noise_of(cells: CellMap, quantile: float) -> float:
    """Return the noise of a comparison: a low quantile of its cells, gray levels."""
    flat = cells.reshape(-1)
    index = min(flat.size - 1, int(quantile * flat.size))
    return float(np.partition(flat, index)[index])


class SettleDetector:
    """Says of each frame whether something moves and since when nothing does. Its memory is two small pictures."""

    def __init__(self, params: SettleParams | None = None) -> None:
        self._params = params or SettleParams()
        self._reference: SmallGray | None = None
        self._noise = 0.0
        self._since_s = 0.0
        self._calm_since_s = 0.0
        self._last_s = 0.0
        self._forgave = False

    @property
    def change_level(self) -> float:
        """Gray levels above which a cell counts as changed, at the noise of the latest frames."""
        return max(self._params.change_floor, self._params.change_over_noise * self._noise)

    def see(self, small_bgr: ImageBgr, t_s: float, watched: CellMask | None = None) -> Stillness:
        """Look at the next frame.

        Args:
            small_bgr: From `shrink`.
            t_s: Capture time; must not run backwards (a jump back starts afresh).
            watched: Cells that count as the floor; None: all do.

        Returns:
            Whether something moves. The first frame ever begins a run of stillness.
        """
        params = self._params
        gray = gray_of(small_bgr)
        reference = self._reference
        if reference is None or reference.shape != gray.shape or t_s < self._last_s:
            self._start_run(gray, t_s)
            return self._stillness(t_s, steady=True, changed=0)
        cells, allowed = compare(gray, reference, params)
        noise = noise_of(cells, params.noise_quantile)
        # Motion over most of the picture must not pass for noise: it may rise by a tenth a frame at most. Nor may one
        # smooth picture make noise pass for motion until it has risen again.
        self._noise = noise if self._noise == 0.0 else min(max(noise, self._noise * 0.7), self._noise * 1.1)
        moved = cells > self.change_level + allowed
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
            weight = min(1.0, elapsed_s / params.follow_s)
            cv2.accumulateWeighted(gray, reference, weight)
            return self._stillness(t_s, steady=True, changed=0)
        settled = t_s - self._since_s >= params.quiet_after_s
        if settled and changed <= params.quiet_cells and not self._forgave:
            self._forgave = True
            return self._stillness(t_s, steady=False, changed=changed)
        self._start_run(gray, t_s)
        return Stillness(moving=True, still_for_s=0.0, calm_for_s=0.0, steady=False, changed_cells=changed)

    def begin_anew(self) -> None:
        """Let the next frame begin a run of stillness, whatever was seen before it."""
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
