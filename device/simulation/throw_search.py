"""Finding a throw that turns no lying die over: people throw beside the dice that must stay."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from device.simulation.physics import BodyPose, Motion, ThrowParams, TrayBox, throw_dice

MOST_AIMS = 12
"""Throws that are looked at before one is taken that turns a lying die over after all. With eight dice one throw in
three does; a throw takes about 70 ms to work out."""

Fits: TypeAlias = Callable[[Sequence[BodyPose]], bool]
"""Whether the thrown dice may come to rest like this, in the order they were named."""


class ThrowSearch:
    """Looks at one throw after another, at one each time it is asked to, so that pictures can be taken in between.

    The throw found is the same however the looks are spread.
    """

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
        fits: Fits | None = None,
    ) -> None:
        """Nothing looked at yet. See `throw_dice` for what each of these means, but `fits`: what is wanted besides."""
        self._box = box
        self._lying = lying
        self._thrown = thrown
        self._size_mm = size_mm
        self._rounding = rounding
        self._seed = seed
        self._params = params
        self._fits = fits
        self._aims = 0
        self._found: Motion | None = None

    def look(self) -> Motion | None:
        """Look at one more throw, unless one was found.

        Returns:
            The throw to take, or None: it is worth looking on.

        Raises:
            DeviceError: The dice do not fit into the tray.
        """
        if self._found is None:
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
            ends = (motion.pose_at(k, motion.duration_s) for k in range(len(self._lying)))
            keeps = all(before.uppermost == end.uppermost for before, end in zip(self._lying, ends, strict=True))
            thrown = range(len(self._lying), len(self._lying) + self._thrown)
            fits = self._fits is None or self._fits([motion.pose_at(k, motion.duration_s) for k in thrown])
            if (keeps and fits) or self._aims == MOST_AIMS:
                self._found = motion
        return self._found

    def result(self) -> Motion:
        """The throw to take, whatever looks it still needs.

        Raises:
            DeviceError: The dice do not fit into the tray.
        """
        while (motion := self.look()) is None:
            pass
        return motion
