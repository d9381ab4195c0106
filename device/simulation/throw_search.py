"""Search for a throw that turns no die in the tray over: people throw past the dice that must stay."""

import logging

from device.simulation.physics import BodyPose, Motion, ThrowParams, TrayBox, throw_dice

_log = logging.getLogger(__name__)

MAX_AIMS = 40
"""Throws tried before the one that turns the fewest dice over is taken. With eight dice one throw in two turns one
over, with twenty up to seven in eight; each takes 50 to 190 ms, mostly while the hand moves."""


class ThrowSearch:
    """Tries one throw per call, so that pictures can be taken in between."""

    def __init__(
        self,
        box: TrayBox,
        lying: tuple[BodyPose, ...],
        thrown: int,
        *,
        size_mm: float,
        rounding: float,
        seed: tuple[int, ...],
        params: ThrowParams,
    ) -> None:
        self._box = box
        self._lying = lying
        self._thrown = thrown
        self._size_mm = size_mm
        self._rounding = rounding
        self._seed = seed
        self._params = params
        self._aims = 0
        self._best: Motion | None = None
        self._min_turned = len(lying) + 1

    def look(self) -> Motion | None:
        """Try one more throw, unless one was found."""
        if not self._is_over:
            aim = self._aims
            self._aims += 1
            motion = throw_dice(
                self._box,
                self._lying,
                self._thrown,
                size_mm=self._size_mm,
                rounding=self._rounding,
                seed=(*self._seed, aim) if aim else self._seed,
                params=self._params,
            )
            turned = turned_over(motion, self._lying)
            if turned < self._min_turned:
                self._best, self._min_turned = motion, turned
            if self._is_over and self._min_turned:
                _log.info("the simulated throw turns %d of %d lying dice over", self._min_turned, len(self._lying))
        return self._best if self._is_over else None

    @property
    def _is_over(self) -> bool:
        return self._min_turned == 0 or self._aims == MAX_AIMS

    def result(self) -> Motion:
        while (motion := self.look()) is None:
            pass
        return motion


def turned_over(motion: Motion, lying: tuple[BodyPose, ...]) -> int:
    """Count the dice in the tray that show another face after a throw."""
    ends = (motion.pose_at(k, motion.duration_s) for k in range(len(lying)))
    return sum(before.uppermost != end.uppermost for before, end in zip(lying, ends, strict=True))
