"""Detection of dice that are being picked up, from their places during motion, before everything lies still again.

A die's place is compared with the same place of the empty tray and with the die as it lay, light removed from both. It
counts as lifted once the place has shown the still floor for a few frames, and as put back once it shows the die again.
A hand over it is neither. Dice that look like the floor are skipped: for them only the next rest is certain.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.tracking.agree import edge_px
from vision.types.frame import F32, ImageBgr
from vision.types.sighting import TrackedDie

_GRID = 7
"""Sample points along each axis of a place; those in its disc are used."""


_REACH_EDGES = 0.45
"""Radius of a place, in die edges."""
_LEVELS = 7.0
"""Greatest mean difference of a place from the empty floor, or from the die as it lay, light removed, in grey
levels.
"""
_APART = 2.0
"""A die is followed only if it differs from the floor by more than this many times `_LEVELS`, or its light from
`_MIN_LIGHT` or `_MAX_LIGHT` by more than this factor.
"""
_MIN_LIGHT = 0.6
"""Least share of its former light that a place may have to count as bare, or as put back."""
_MAX_LIGHT = 1.25
"""Greatest share of its former light that a place may have to count as bare, or as put back."""
_STILL_LEVELS = 4.0
"""Greatest mean change from frame to frame of a place that counts as still."""
_HOLD_S = 0.12
"""Seconds for which all frames must show a place bare, or put back; at least two frames."""


class LiftedDice:
    """Follows the places of the dice of one rest. Memory: a few dozen colours per die."""

    def __init__(self) -> None:
        self._ids: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._lifted: frozenset[int] = frozenset()

    def forget(self) -> None:
        """Stop following."""
        self._ids = np.empty(0, np.int64)
        self._lifted = frozenset()

    def follow(self, dice: Sequence[TrackedDie], small_bgr: ImageBgr, empty_bgr: ImageBgr | None, scale: float) -> None:
        """Follow the dice of a rest from now on.

        Args:
            empty_bgr: Small picture of the empty tray, of the shape of `small_bgr`; None, which disables following, if
                it was never seen empty.
            scale: Small pixels for each pixel of the readings.
        """
        self.forget()
        if empty_bgr is None or not dice or empty_bgr.shape != small_bgr.shape:
            return
        line = np.linspace(-1.0, 1.0, _GRID)
        disc = np.array([(x, y) for y in line for x in line if x * x + y * y <= 1.0])
        centers = np.array([die.reading.center_px for die in dice]) * scale
        reach = np.array([edge_px(die.reading) for die in dice]) * (scale * _REACH_EDGES)
        points = np.rint(centers[:, None, :] + disc * reach[:, None, None]).astype(np.intp)
        x = np.clip(points[..., 0], 0, small_bgr.shape[1] - 1)
        y = np.clip(points[..., 1], 0, small_bgr.shape[0] - 1)
        lay, floor = small_bgr[y, x].astype(np.float32), empty_bgr[y, x].astype(np.float32)
        light, off = _departure(lay, floor)
        telling = (off > _APART * _LEVELS) | (light < _MIN_LIGHT / _APART)
        telling |= light > _MAX_LIGHT * _APART
        self._ids = np.array([die.id for die in dice])[telling]
        self._x, self._y = x[telling], y[telling]
        self._lay, self._floor = lay[telling], floor[telling]
        self._before = self._lay
        # Times since which each place has been bare, or as it lay; infinite if it is not.
        self._bare_since = np.full(len(self._ids), np.inf)
        self._back_since = np.full(len(self._ids), np.inf)

    def see(self, small_bgr: ImageBgr, t_s: float) -> frozenset[int] | None:
        """Process the next frame.

        Returns:
            Ids of all dice that are out of their places now, if they have changed; None otherwise.
        """
        if not len(self._ids):
            return None
        now = small_bgr[self._y, self._x].astype(np.float32)
        still = np.abs(now - self._before).mean(axis=(1, 2)) <= _STILL_LEVELS
        self._before = now
        is_bare, is_back = self._is_like(now, self._floor), self._is_like(now, self._lay)
        self._bare_since = np.where(still & is_bare, np.minimum(self._bare_since, t_s), np.inf)
        self._back_since = np.where(still & is_back, np.minimum(self._back_since, t_s), np.inf)
        lifted = self._lifted | {int(one) for one in self._ids[t_s - self._bare_since >= _HOLD_S]}
        lifted -= {int(one) for one in self._ids[t_s - self._back_since >= _HOLD_S]}
        if lifted == self._lifted:
            return None
        self._lifted = lifted
        return lifted

    def _is_like(self, now: F32, before: F32) -> npt.NDArray[np.bool_]:
        light, off = _departure(now, before)
        lit = (light >= _MIN_LIGHT) & (light <= _MAX_LIGHT)
        return np.asarray(lit & (off <= _LEVELS))


def _departure(now: F32, before: F32) -> tuple[F32, F32]:
    """Compare places with what they were, both of shape (n, points, 3).

    Returns:
        The share of its light that each has, and the mean difference without that, each of shape (n,).
    """
    light = (now * before).sum(axis=(1, 2)) / np.maximum((before * before).sum(axis=(1, 2)), 1.0)
    off = np.abs(now - light[:, None, None] * before).max(axis=2).mean(axis=1)
    return np.asarray(light, np.float32), np.asarray(off, np.float32)
