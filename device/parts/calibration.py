"""The calibration of the tray, by its page or by holding reset."""

import logging
import threading
from collections.abc import Callable

from device.calibration.workflow import CalibrationWorkflow
from device.config.settings import Settings
from device.errors import BadInput, DeviceError
from device.runtime.faults import Faults
from device.runtime.part import Part
from device.runtime.tray_profile import live_colours, profile_path
from vision.tray.profile import Profile
from vision.types.errors import VisionError
from vision.types.frame import Frame

_log = logging.getLogger(__name__)


class CalibrationPart(Part):
    """The calibration that is in use, and the next one."""

    def __init__(
        self,
        settings: Settings,
        known: Profile | None,
        faults: Faults,
        *,
        newest: Callable[[], Frame | None],
        use: Callable[[Profile], object],
        focus: Callable[[], float] | None,
        light: Callable[[], None] | None,
    ) -> None:
        """Start with a known calibration.

        Args:
            newest: Returns the newest picture.
            use: Takes a new calibration.
            focus: Focuses on the calibration card; None if the tray cannot drive the lens.
            light: Measures the camera's light again; None if the camera does not.
        """
        self._faults, self._use, self._measure_light = faults, use, light
        self.workflow = CalibrationWorkflow(
            newest,
            profile_path(settings),
            self._use_new,
            colours=settings.colours,
            known=known,
            focus=focus,
            light=light,
        )
        self.for_pages = (self.workflow,)
        self.live = dict.fromkeys(live_colours(settings), self._take_colours)

    def start_again(self) -> None:
        """Measure the camera's light and the floor again, on a separate thread because it takes seconds."""
        threading.Thread(target=self._measure_again, name="calibrate", daemon=True).start()

    def _measure_again(self) -> None:
        try:
            if self._measure_light is not None:
                self._measure_light()
            path, warnings = self.workflow.calibrate_again()
            _log.info("calibrated again: %s", path)
            for warning in warnings:
                _log.warning("%s", warning)
        except (BadInput, DeviceError, VisionError) as error:
            self._faults.health.report_fault("calibration", str(error))
            _log.error("not calibrated: %s", error)
        else:
            self._faults.health.report_fault("calibration", None)

    def _use_new(self, profile: Profile) -> None:
        self._faults.report("calibration", None)
        self._use(profile)

    def _take_colours(self, settings: Settings) -> None:
        self.workflow.name_colours(settings.colours)
