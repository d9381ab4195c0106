"""Does something move while the light itself changes? For light under which nothing is read: coloured, or blinking.

A lamp that blinks changes one picture, or two where the shutter's rows were caught by the change, and then holds. A
hand changes every picture while it is there. So a change counts as motion once it has gone on for longer than a jump of
light can.
"""

from dataclasses import dataclass
from enum import Enum

from vision.tracking.settle import CellMask, SettleDetector, SettleParams
from vision.types.frame import ImageBgr


@dataclass(frozen=True, slots=True)
class GlanceParams:
    """What looking past blinking light trades.

    On a drawn tray under a drawn ring at 15 frames a second no rhythm of the ring passed for motion, and a hand was
    known 0.2 to 0.3 s after it set out beside the picture; in a dark room where all light blinks, once it is lit again.

    Attributes:
        jump_frames: Most changed frames in a row that count as a jump of light: one that was half exposed and one that
            is whole. One more is motion, so that a hand is reported three frames after it came in. Light that changes
            more often than every third frame passes for motion.
        calm_s: Seconds of stillness that end a motion; a hand that picks up dice keeps still for less.
    """

    jump_frames: int = 2
    calm_s: float = 0.5


class Glimpse(Enum):
    """What a frame says."""

    NOTHING = "nothing"
    MOTION = "motion"
    """Something moves; reported for every frame of it."""
    CALM = "calm"
    """What moved lies still; reported once."""


class Glance:
    """Looks at the frames of one stretch of such light. Memory: two small pictures."""

    def __init__(self, params: GlanceParams, settle: SettleParams) -> None:
        self._params = params
        self._settle = SettleDetector(settle)
        self._changed_frames = 0
        self._moved_s: float | None = None

    def see(self, small_bgr: ImageBgr, t_s: float, watched: CellMask | None = None) -> Glimpse:
        """Look at the next frame.

        Args:
            small_bgr: The small picture.
            t_s: Capture time; must not run backwards.
            watched: Cells that count as the floor; None: all do.
        """
        if not self._settle.see(small_bgr, t_s, watched).moving:
            self._changed_frames = 0
        else:
            self._changed_frames += 1
            if self._changed_frames > self._params.jump_frames:
                self._moved_s = t_s
                return Glimpse.MOTION
        if self._moved_s is not None and t_s - self._moved_s >= self._params.calm_s:
            self._moved_s = None
            return Glimpse.CALM
        return Glimpse.NOTHING
