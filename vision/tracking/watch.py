"""The watch of a tray: reports when dice begin to move and, once everything lies still, their reading.

settle -> camera moved? -> hand? -> read two or three frames -> agree -> track. A frame costs a millisecond or two; only
the frames of a new rest are read, and of an unclear rest a few more, ever more rarely. Under coloured light nothing is
read: its frames are only searched for motion.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np

from vision.tracking.agree import agree, median_edge_px
from vision.tracking.glance import Glance, Glimpse
from vision.tracking.hand import Hand
from vision.tracking.lifted import LiftedDice
from vision.tracking.settle import SettleDetector, small_of
from vision.tracking.track import Tracker
from vision.tracking.tray_memory import TrayMemory
from vision.tray.floor import Floor
from vision.types.frame import FloatArray, Frame, ImageBgr
from vision.types.reading import DieReading, Problem, TrayReading
from vision.types.sighting import DiceLifted, MotionBegan, MotionEnded, Rest, Sighting, TrackedDie


class ReadsTray(Protocol):
    """The watch's interface to a reader."""

    def read(self, image_bgr: ImageBgr, known_floor: Floor | None, /) -> TrayReading:
        """Read one picture, shape (H, W, 3); the known floor is used if none is found in it."""
        ...


_SETTLE_S = 0.12
"""Seconds of stillness before the first frame is read. Dice on edge pause for less."""
_AGREE_S = 0.19
"""Seconds of stillness before a rest is announced; the frames between are read until enough agree."""
READINGS = 2
"""Number of frames of a rest that must be read before it is announced."""
_GRACE_S = 0.25
"""Seconds of stillness after which even an unclear rest is announced."""
_AGAIN_S = 0.4
"""Seconds before an unclear rest is read again; doubles each time."""
_AGAIN_READINGS = 6
"""Number of times that an unclear rest is read again."""
_KEPT_READINGS = 5
"""Number of the newest readings that vote."""
_HAND_PATIENCE_S = 8.0
"""Seconds after which a still hand, or what looks like one, is announced as a foreign object."""
_NEAR_PATIENCE_S = 1.0
"""Seconds to wait for a hand next to the tray, moving or still."""
_EMPTY_LOOK_S = 0.09
"""Seconds between two looks at a tray that is empty and still: every third picture of thirty a second."""


class TrayWatch:
    """Turns a stream of frames into sightings. Memory: a few small pictures, the votes of one rest, the dice's ids."""

    def __init__(self, reader: ReadsTray) -> None:
        self._reader = reader
        self._settle = SettleDetector()
        self._glance: Glance | None = None
        self._tracker = Tracker()
        self._memory = TrayMemory()
        self._lifted = LiftedDice()
        self._votes: deque[TrayReading] = deque(maxlen=_KEPT_READINGS)
        self._mean: ImageBgr | None = None
        self._averaged = 0
        self._moving = False
        self._announced: Rest | None = None
        self._rereads = 0
        self._next_read_s = 0.0
        self._hand = Hand.NONE
        # From places of the latest announced rest to places now, shape (3, 3), once the camera was moved.
        self._camera_moved: FloatArray | None = None
        self._sought_move = False
        self._size_px: tuple[int, int] | None = None
        self._looks_empty = False
        self._reader_trusts = False
        self._looked_s = 0.0

    @property
    def hand_in_view(self) -> bool:
        """Whether a hand, or something as large, was in the picture when motion last stopped."""
        return self._hand is not Hand.NONE

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None:
        """Restore what an earlier watch announced, so that dice keep their ids after a restart."""
        self._tracker.remember(lying, gone)

    def forget(self) -> None:
        """Reset the dice's ids; the dice in the tray are announced again as a first rest."""
        self._tracker.forget()
        self._camera_moved = None
        self._lifted.forget()
        self._clear_votes()
        self._announced = None
        self._rereads = 0

    def see(self, frame: Frame) -> Sighting | None:
        """Process the next frame.

        Returns:
            `MotionBegan` once when something begins to move; `DiceLifted` when dice are picked up during motion; `Rest`
            once when everything lies still and enough frames agree, and again if an unclear rest became readable; None
            otherwise. While a hand is in view no rest is announced, however still it keeps, until `_HAND_PATIENCE_S`
            have passed.

        Raises:
            ValueError: The picture is smaller than a cell of the settle detector.
        """
        if self._rests_empty and 0.0 <= frame.t_s - self._looked_s < _EMPTY_LOOK_S:
            return None
        small = self._small_of(frame)
        self._glance = None
        sighting = self._look(frame, small)
        if sighting is None and self._moving:
            lifted = self._lifted.see(small, frame.t_s)
            return None if lifted is None else DiceLifted(frame.t_s, frame.sequence, lifted)
        return sighting

    @property
    def _rests_empty(self) -> bool:
        """Whether nothing needs a closer look than whether motion begins."""
        rest = self._announced
        return rest is not None and rest.trusted and not rest.dice

    def _look(self, frame: Frame, small: ImageBgr) -> MotionBegan | Rest | None:
        stillness = self._settle.see(small, frame.t_s, self._memory.near_floor)
        if stillness.steady:
            self._looked_s = frame.t_s
        if stillness.moving:
            return self._see_motion(frame)
        if not stillness.steady or stillness.still_for_s < _SETTLE_S:
            return None
        if stillness.calm_for_s < _SETTLE_S and stillness.still_for_s < _NEAR_PATIENCE_S:
            return None
        if self._announced is not None and not self._worth_reading(frame.t_s):
            return self._go_on(frame, small, stillness.still_for_s)
        if self._announced is None and not self._votes:
            self._hand = Hand.NONE if self._follows_camera(frame, small) else self._memory.find_hand(small)
        if stillness.still_for_s < self._patience_s():
            return None
        if len(self._votes) < READINGS or self._announced is not None or not self._votes[-1].trusted:
            self._votes.append(self._read(frame, small))
        if self._announced is not None:
            return self._improve(frame, small)
        return self._settle_down(frame, small, stillness.still_for_s)

    def glance(self, frame: Frame) -> MotionBegan | MotionEnded | None:
        """Process the next frame under blinking or coloured light: for motion only, nothing is read.

        Returns:
            `MotionBegan` once when something begins to move, `MotionEnded` once when it lies still again; None
            otherwise. `see` then reports the dice, as after any motion.

        Raises:
            ValueError: The picture is smaller than a cell of the settle detector.
        """
        small = self._small_of(frame)
        if self._glance is None:
            self._glance = Glance()
        match self._glance.see(small, frame.t_s, self._memory.near_floor):
            case Glimpse.MOTION:
                self._settle.restart()
                return self._see_motion(frame)
            case Glimpse.CALM:
                return MotionEnded(t_s=frame.t_s, sequence=frame.sequence)
            case Glimpse.NOTHING:
                return None

    def _small_of(self, frame: Frame) -> ImageBgr:
        size_px = (frame.width_px, frame.height_px)
        if self._size_px not in (None, size_px):
            self._start_afresh()
        self._size_px = size_px
        return small_of(frame)

    def _start_afresh(self) -> None:
        """Reset everything measured in pixels, as the camera's pictures have a new size."""
        self.forget()
        self._settle = SettleDetector()
        self._glance = None
        self._memory = TrayMemory()
        self._hand = Hand.NONE

    def _patience_s(self) -> float:
        """Return how long to wait for a hand to leave before it counts as an object."""
        return {Hand.NONE: 0.0, Hand.NEAR: _NEAR_PATIENCE_S, Hand.OVER: _HAND_PATIENCE_S}[self._hand]

    def _clear_votes(self) -> None:
        self._votes.clear()
        self._mean = None

    def _read(self, frame: Frame, small: ImageBgr) -> TrayReading:
        """Read the mean of a rest's frames, and doubt the reading if the floor shows more than it includes."""
        if self._mean is None:
            self._mean, self._averaged = frame.image_bgr, 1
        else:
            self._averaged += 1
            share = 1.0 / self._averaged
            self._mean = np.asarray(cv2.addWeighted(self._mean, 1.0 - share, frame.image_bgr, share, 0.0), np.uint8)
        reading = self._reader.read(self._mean, self._memory.known_floor(small))
        self._reader_trusts = reading.trusted
        if not reading.trusted or not self._memory.holds_unexplained(
            small, reading.dice, small.shape[1] / frame.width_px
        ):
            return reading
        self._looks_empty = not reading.dice
        return replace(reading, problems=(*reading.problems, Problem.FOREIGN_OBJECT), trusted=False)

    def _follows_camera(self, frame: Frame, small: ImageBgr) -> bool:
        """Return whether the camera was just moved; what is remembered of the latest rest is carried along."""
        move = None if self._sought_move else self._memory.find_move(small)
        self._sought_move = True
        if move is None:
            return False
        self._memory.carry(move)
        before = np.eye(3) if self._camera_moved is None else self._camera_moved
        self._camera_moved = move.homography((frame.width_px, frame.height_px)) @ before
        return True

    def _see_motion(self, frame: Frame) -> MotionBegan | None:
        self._clear_votes()
        self._announced = None
        self._rereads = 0
        self._looks_empty = False
        self._sought_move = False
        if self._moving:
            return None
        self._moving = True
        return MotionBegan(t_s=frame.t_s, sequence=frame.sequence)

    def _worth_reading(self, t_s: float) -> bool:
        rest = self._announced
        return rest is not None and not rest.trusted and self._rereads < _AGAIN_READINGS and t_s >= self._next_read_s

    def _go_on(self, frame: Frame, small: ImageBgr, still_for_s: float) -> Rest | None:
        """Continue an announced rest."""
        if self._looks_empty and still_for_s >= _HAND_PATIENCE_S:
            # No dice, yet not the earlier empty tray: camera or tray was pushed, or something was put there
            # permanently.
            self._looks_empty = False
            self._memory.keep(frame, small, as_rest=True, as_empty=True, again=False)
            self._clear_votes()
            self._votes.append(self._read(frame, small))
            return self._improve(frame, small)
        self._memory.refresh(frame, small)
        return None

    def _settle_down(self, frame: Frame, small: ImageBgr, still_for_s: float) -> Rest | None:
        """Announce the rest if enough frames of it have been read."""
        if len(self._votes) < READINGS or still_for_s < _AGREE_S:
            return None
        reading = agree(tuple(self._votes))
        if not reading.trusted and still_for_s < _GRACE_S:
            return None
        self._next_read_s = frame.t_s + _AGAIN_S
        return self._announce(frame, small, reading)

    def _improve(self, frame: Frame, small: ImageBgr) -> Rest | None:
        """Check whether an unclear rest has become readable: the newest readings must trust it and agree."""
        self._rereads += 1
        self._next_read_s = frame.t_s + _AGAIN_S * 2.0**self._rereads
        reading = agree(tuple(self._votes)[-READINGS:])
        if not reading.trusted or self._hand is Hand.OVER:
            return None
        return self._announce(frame, small, reading)

    def _announce(self, frame: Frame, small: ImageBgr, reading: TrayReading) -> Rest:
        problems = reading.problems
        trusted = reading.trusted
        if self._hand is Hand.OVER:
            trusted = False
            if Problem.FOREIGN_OBJECT not in problems:
                problems = (*problems, Problem.FOREIGN_OBJECT)
        die_edge_px = median_edge_px(reading.dice, 0.0)
        if die_edge_px > 0.0:
            self._memory.measure(die_edge_px * small.shape[1] / frame.width_px)
        if self._hand is Hand.OVER:
            # The dice under it probably stayed: keep the ids unchanged.
            dice = self._tracker.lying
            if self._reader_trusts:
                # It is likelier that the tray was pushed aside than that a hand has kept still for so long.
                self._memory.keep(frame, small, as_rest=True, as_empty=False, again=False)
        else:
            unchanged = self._memory.untouched(frame, reading.dice)
            if self._camera_moved is not None:
                carried = self._tracker.carry(self._camera_moved, reading.dice)
                unchanged = tuple(one or other for one, other in zip(unchanged, carried, strict=True))
                self._camera_moved = None
            dice = self._tracker.rest(reading.dice, unchanged)
            if self._announced is not None:
                dice = _as_first_reported(dice, self._announced)
            self._memory.keep(
                frame,
                small,
                as_rest=Problem.FOREIGN_OBJECT not in problems and Problem.NO_TRAY not in problems,
                as_empty=trusted and not dice,
                again=self._announced is not None,
            )
            self._lifted.follow(dice, small, self._memory.empty, small.shape[1] / frame.width_px)
        rest = Rest(
            t_s=frame.t_s,
            sequence=frame.sequence,
            width_px=reading.width_px,
            height_px=reading.height_px,
            dice=dice,
            problems=problems,
            trusted=trusted,
        )
        self._announced = rest
        self._moving = False
        if trusted:
            self._mean = None  # as large as a frame, and not read again
        return rest


def _as_first_reported(dice: tuple[TrackedDie, ...], before: Rest) -> tuple[TrackedDie, ...]:
    """Return the dice with the motion of the first report, since a rest reported again is the same rest."""
    moved_before = {die.id: die.moved for die in before.dice}
    return tuple(replace(die, moved=moved_before.get(die.id, die.moved)) for die in dice)
