"""The light ring around the tray."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from device.config.settings import Settings
from device.game.lamps import LightPlan
from device.game.state.tray import Tray
from device.ring.geometry import FloorPlan, ring_view
from device.ring.plan import plan_ring
from device.ring.wled import WledRing
from device.runtime.faults import Report
from device.runtime.part import Part
from vision.tray.profile import Profile

_LIVE: Final = ("brightness", "dim", "point_s", "cheer_s")


class RingPart(Part):
    """The ring; without one, nothing is shown and nothing disturbs."""

    def __init__(self, settings: Settings, report: Report, profile: Callable[[], Profile | None]) -> None:
        """Prepare the ring of the settings.

        Args:
            profile: Returns the calibration, by which the ring points to the dice.
        """
        self.live = {f"ring.shape.{name}": partial(self._take, name) for name in _LIVE}
        self._shape = settings.ring.shape
        self._profile = profile
        self.ring = None if settings.ring.kind == "none" else WledRing(settings.ring.port, self._shape, on_fault=report)

    def start(self) -> None:
        if self.ring is not None:
            self.ring.start()

    def stop(self) -> None:
        if self.ring is not None:
            self.ring.close()

    def show(self, tray: Tray, plan: LightPlan) -> None:  # noqa: ARG002
        if self.ring is not None:
            profile = self._profile()
            floor = None if profile is None else FloorPlan(profile)
            self.ring.show(plan_ring(ring_view(tray, floor), self._shape))

    @property
    def reading_light(self) -> Callable[[], str | None] | None:
        """Returns how the ring now lights the tray for reading; None without a ring."""
        return None if self.ring is None else self.ring.reading_light

    def disturbs_reading(self) -> bool:
        return self.ring is not None and self.ring.disturbs_reading()

    def give_way(self) -> None:
        """Turn white as soon as possible, since what moved lies still."""
        if self.ring is not None:
            self.ring.give_way()

    def _take(self, name: str, settings: Settings) -> None:
        self._shape = replace(self._shape, **{name: getattr(settings.ring.shape, name)})
