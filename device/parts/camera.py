"""The camera of a run: its thread, its light, and what is wrong with it."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from device.camera.pi_camera import PiCamera
from device.camera.pi_memory import MEASURES, MeasuringPiCamera
from device.camera.worker import CameraWorker, RemembersDice
from device.config.settings import Settings
from device.errors import DeviceError
from device.game.state.events import DiceSettled, Event
from device.game.state.tray import Fault
from device.runtime.health import Health
from device.runtime.part import Part
from device.runtime.source import CameraSetup, make_camera_setup
from device.texts.catalogue import translate
from vision.types.frame import Frame
from vision.types.sighting import Rest

_log = logging.getLogger(__name__)

MEASURE_S: Final = 25.0
"""The longest wait for a camera to measure its light again, in seconds."""


class Light(Protocol):
    """A light in the camera's view that is not always for reading."""

    @property
    def reading_light(self) -> Callable[[], str | None] | None:
        """As `MeasuringPiCamera.follow_ring` takes it."""
        ...

    def disturbs_reading(self) -> bool: ...

    def give_way(self) -> None: ...


class CameraPart(Part):
    """The camera with its thread."""

    def __init__(
        self,
        settings: Settings,
        setup: CameraSetup | None,
        watch: Callable[[], RemembersDice],
        light: Light,
        health: Health,
        *,
        post: Callable[[Event], None],
        on_rest: Callable[[Rest, Frame | None], object],
        is_lesson: Callable[[], bool],
        fault: Callable[[], Fault | None],
    ) -> None:
        """Make the camera of the settings unless one is given; nothing is opened yet.

        Args:
            watch: Makes the watch of the pictures, unless the camera has its own.
            post: Takes what was seen; returns at once.
            on_rest: Takes each rest with its picture; returns at once.
            is_lesson: Returns whether dice are shown to be taught.
            fault: Returns the fault of the tray's state.
        """
        setup = make_camera_setup(settings, post) if setup is None else setup
        self._setup, self._health, self._fault = setup, health, fault
        self._post, self._on_rest, self._is_lesson = post, on_rest, is_lesson
        self.simulated = setup.simulated
        self._pi = setup.camera if isinstance(setup.camera, MeasuringPiCamera) else None
        if self._pi is not None:
            self._pi.follow_ring(light.reading_light)
        self._hang: str | None = None
        self.worker = CameraWorker(
            setup.camera,
            setup.watch or watch(),
            self.saw,
            on_frame=self._frame_came,
            on_hang=partial(setattr, self, "_hang"),
            is_coloured_light_on=light.disturbs_reading,
            on_calm=light.give_way,
            on_end=self._on_end,
            pulse=partial(health.heartbeat, "camera"),
            is_live=setup.is_live,
        )

    def start(self) -> None:
        self.worker.start()

    def stop(self) -> None:
        self.worker.stop()

    @property
    def hang(self) -> str | None:
        return self._hang

    @property
    def newest(self) -> Frame | None:
        """The newest frame; None before the first. Any thread."""
        return self.worker.newest

    @property
    def measure_focus(self) -> Callable[[], float] | None:
        """Focuses on the calibration card; None if the tray cannot drive the lens."""
        return None if self._pi is None else self._pi.measure_focus

    @property
    def measure_light(self) -> Callable[[], None] | None:
        """Measures the light again and waits for a picture in it; None for a camera that does not measure."""
        return None if self._pi is None else partial(self._measure_light, self._pi)

    def saw(self, event: Event) -> None:
        """Post what was seen. On the camera's thread."""
        if isinstance(event, DiceSettled):
            # The latest frame is the one of this rest, since the same thread reads and posts.
            self._on_rest(event.rest, self.newest)
            event = replace(event, shown=self._is_lesson())
        self._post(event)

    def _measure_light(self, camera: MeasuringPiCamera) -> None:
        camera.measure_again()
        ends_s = time.monotonic() + MEASURE_S
        before: Frame | None = None
        while camera.is_measuring or self.newest is before:
            if camera.is_measuring:
                before = self.newest
            fault = self._fault()
            if fault is not None and fault.part == "camera" and fault.text != MEASURES:
                raise DeviceError(fault.text)
            if time.monotonic() >= ends_s:
                raise DeviceError(translate("calibration.no_light"))
            time.sleep(0.05)

    def _frame_came(self, frame: Frame) -> None:
        self._health.frame_came()
        camera = self._setup.camera
        if isinstance(camera, PiCamera) and camera.view is not None:
            view = camera.view
            self._health.report_fault("field", view.field_fault())
            # That a lens is turned by hand is no fault of a running tray.
            self._health.report_fault("focus", None if view.lens_dioptres is None else view.focus_fault)
        if self._setup.on_frame is not None:
            self._setup.on_frame(frame)

    def _on_end(self) -> None:
        """Keep the last picture and result of a recording that has ended, and continue to serve pages."""
        text = "the recording has ended: restart the program to play it again"
        self._health.end("camera")
        self._health.report_fault("recording", text)
        _log.warning("%s", text)
