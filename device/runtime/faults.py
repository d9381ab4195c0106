"""Faults of the tray's parts: in its health, on screens, and in the log once until they change."""

import logging
import threading
from collections.abc import Callable
from typing import TypeAlias

from device.game.lamps import LightPlan
from device.game.state.tray import FAULT_PARTS, Tray
from device.runtime.health import Health
from device.runtime.part import Part
from device.runtime.shown_metadata import ShownMetadata

_log = logging.getLogger(__name__)

Report: TypeAlias = Callable[[str | None], None]
"""Takes what is wrong with a part and the cure, or None once it works again. Any thread."""


class Faults(Part):
    """Any thread; each part on its own."""

    def __init__(self, metadata: ShownMetadata) -> None:
        self.health = Health(on_fault=self._show)
        self._metadata = metadata
        self._lock = threading.Lock()
        self._logged: dict[str, str] = {}

    def of(self, part: str) -> Report:
        """Return what reports the faults of one part."""
        return lambda text: self.report(part, text)

    def report(self, part: str, text: str | None) -> None:
        """Record a part's fault, or None, and log it if it has changed."""
        self.health.report_fault(part, text)
        if text is None:
            if self._logged.pop(part, None) is not None:
                _log.info("%s works again", part)
        elif text != self._logged.get(part):
            self._logged[part] = text
            _log.error("FAIL %s: %s", part, text)

    def show(self, tray: Tray, plan: LightPlan) -> None:  # noqa: ARG002
        """Report the fault of the tray's state, and those that are over."""
        fault = tray.fault
        for part in FAULT_PARTS:
            if fault is not None and fault.part == part:
                self.report(part, fault.text)
            elif part in self._logged and fault is not None:
                # Another part's fault hides this one's: whether it works again is unknown.
                self.health.report_fault(part, None)
            elif part in self._logged:
                self.report(part, None)

    def _show(self) -> None:
        with self._lock:
            faults = self.health.faults.items()
            self._metadata.update(faults=tuple((part, text) for part, text in faults if part not in FAULT_PARTS))
