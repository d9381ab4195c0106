"""Motion detection under a changing light that nothing is read in: coloured or blinking.

A blinking lamp changes one picture, or two if the shutter's rows were caught by the change, and then holds. A hand
changes every picture while it is there. So a change counts as motion once it has lasted longer than a step of light
can.
"""

from enum import Enum

from vision.tracking.settle import CellMask, SettleDetector
from vision.types.frame import ImageBgr

_JUMP_FRAMES = 2
"""Greatest number of changed frames in a row that count as a step of light: one half exposed and one whole. One more is
motion, so that a hand is reported three frames after it came in. Light that changes more often than every third frame
counts as motion.
"""
_CALM_S = 0.5
"""Seconds of stillness that end a motion; a hand that picks up dice keeps still for less."""


class Glimpse(Enum):
    """The result for a frame."""

    NOTHING = "nothing"
    MOTION = "motion"
    """Something moves; returned for every frame of it."""
    CALM = "calm"
    """Motion has ended; returned once."""


class Glance:
    """Processes the frames of one stretch of such light. Memory: two small pictures."""

    def __init__(self) -> None:
        self._settle = SettleDetector()
        self._changed_frames = 0
        self._moved_s: float | None = None

    def see(self, small_bgr: ImageBgr, t_s: float, watched: CellMask | None = None) -> Glimpse:
        """Process the next frame.

        Args:
            t_s: Capture time; must not run backwards.
        """
        if not self._settle.see(small_bgr, t_s, watched).moving:
            self._changed_frames = 0
        else:
            self._changed_frames += 1
            if self._changed_frames > _JUMP_FRAMES:
                self._moved_s = t_s
                return Glimpse.MOTION
        if self._moved_s is not None and t_s - self._moved_s >= _CALM_S:
            self._moved_s = None
            return Glimpse.CALM
        return Glimpse.NOTHING
