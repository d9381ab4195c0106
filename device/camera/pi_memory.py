"""A Pi camera that measures its light once and stores it, so that the first start on a new tray just works.

The measurements are in the data folder, including the focus once the calibration card has been used. Light is measured
again if that file is missing or belongs to another camera or other settings, and on request.
"""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import replace
from pathlib import Path
from typing import Any

from device.camera.pi_camera import PiCamera, PiCameraParams, focus_controls, model_of, with_focus
from device.camera.pi_driver import Camera, open_picamera
from device.camera.pi_focus import lens_height_mm, lens_moves
from device.camera.pi_modes import SensorMode
from device.camera.pi_settings import AutomaticsParams, measure_focus, measure_light
from device.errors import DeviceError
from device.kept_files import read_kept, write_whole
from vision.types.cures import cure_of, why
from vision.types.frame import Frame

_FILE_NAME = "pi_camera{}.json"
FORMAT = "pushtray-pi-camera/1"

NO_RING = "none"
"""Stored in place of a ring's light by a tray without a ring."""

BY_CARD = "measured on the calibration card"

MEASURES = "camera pi measures its light: keep the tray empty for a few seconds"

RING_WAIT_S = 6.0
"""The longest wait for the ring to reach its reading light before the light is measured without it; WLED starts up in
two or three seconds, with its own colour."""

FOCUS_WAIT_S = 15.0
"""The longest wait for a camera to focus: one picture, a focus cycle, one more picture."""


def keep_settings(
    path: Path, light: PiCameraParams, model: str, card_dioptres: float | None, ring: str | None = NO_RING
) -> None:
    """Write the measurements to disk, all or nothing, creating the folder if missing."""
    body = {
        "format": FORMAT,
        "model": model,
        "fps": light.fps,
        "mains_hz": light.hz,
        "half_periods": light.half_periods,
        "gain": light.gain,
        "colour_gains": light.colour_gains,
        "lens_dioptres": card_dioptres,
        "ring": ring,
    }
    try:
        write_whole(path, (json.dumps(body) + "\n").encode())
    except OSError as error:
        cure = cure_of(error.errno, "choose another --data folder")
        raise DeviceError(f"what camera pi measured cannot be kept in {path} ({why(error)}): {cure}") from error


def recall_light(path: Path, params: PiCameraParams, model: str) -> PiCameraParams | None:
    """Return the light measured earlier, merged into the settings.

    Returns:
        The settings with the measured values; None if nothing is stored, it cannot be read, or it was measured for
        another camera, rate or mains: measuring cures all of these.
    """
    try:
        body = _read(path, model)
        if (body["fps"], body["mains_hz"]) != (params.fps, params.hz):
            return None
        red_gain, blue_gain = body["colour_gains"]
        return replace(
            params,
            half_periods=int(body["half_periods"]),
            gain=float(body["gain"]),
            colour_gains=(float(red_gain), float(blue_gain)),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def recall_ring(path: Path, model: str) -> str | None:
    """Return the ring's light during the measurement; None if unknown."""
    try:
        ring = _read(path, model).get("ring", NO_RING)
        return None if ring is None else str(ring)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def recall_focus(path: Path, model: str) -> float | None:
    """Return the focus measured with the calibration card for this camera; None if there is none."""
    try:
        dioptres = _read(path, model)["lens_dioptres"]
        return None if dioptres is None else PiCameraParams(lens_dioptres=float(dioptres)).lens_dioptres
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _read(path: Path, model: str) -> dict[str, Any]:
    body: dict[str, Any] = read_kept(path, _an_object, {}, "the camera measures again")
    if (body.get("format"), body.get("model")) != (FORMAT, model):
        raise ValueError(f"{path.name} was kept by another camera: measure again")
    return body


def _an_object(body: Any) -> dict[str, Any]:
    return {**body}


def memory_name(number: int) -> str:
    """Return the name of the file in which a camera's measurements are stored; each camera has its own."""
    return _FILE_NAME.format(f"-{number}" if number else "")


class MeasuringPiCamera(PiCamera):
    """A Pi camera with its light, and its focus once measured with the card, fixed to the measurements."""

    def __init__(
        self,
        params: PiCameraParams,
        memory: Path,
        *,
        number: int = 0,
        keep: bool = True,
        camera_factory: Callable[[int], Camera] = open_picamera,
        automatics: AutomaticsParams | None = None,
    ) -> None:
        super().__init__(params, number=number, camera_factory=camera_factory)
        self._memory = memory
        self._keep = keep
        self._automatics = automatics
        self._measuring = threading.Event()
        self._ring_light: Callable[[], str | None] = lambda: None
        self._has_ring = False
        self._measured_under: str | None = None
        self._failed_under: str | None = None
        self._focus_lock = threading.Lock()
        self._focus_request: Future[float] | None = None
        self._light: PiCameraParams | None = None

    def follow_ring(self, ring_light: Callable[[], str | None] | None) -> None:
        """Measure the light again whenever the ring's light differs from then. Before the first `open`.

        Args:
            ring_light: Returns how the ring now lights the tray for reading, or None if it does not or this is unknown;
                None if the tray has no ring.
        """
        self._has_ring = ring_light is not None
        self._ring_light = ring_light or (lambda: NO_RING)

    @property
    def is_measuring(self) -> bool:
        return self._measuring.is_set()

    def measure_again(self) -> None:
        """Measure the light again as soon as possible. Any thread."""
        self._measuring.set()

    def measure_focus(self) -> float:
        """Focus on the calibration card on the floor, and store that. Any thread but the camera's."""
        with self._focus_lock:
            pending = self._focus_request = self._focus_request or Future()
        try:
            return pending.result(FOCUS_WAIT_S)
        except WaitedTooLong:
            with self._focus_lock:
                # Cancelled for all who wait for it, unless the camera has started: then its result counts.
                if self._focus_request is pending:
                    self._focus_request = None
                    text = "the camera gives no pictures now: see the fault on the table's page"
                    pending.set_exception(DeviceError(text))
            return pending.result()

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next picture; focus first if requested."""
        camera = self._opened()
        if self._measuring.is_set() or self._ring_light() not in (None, self._measured_under):
            raise DeviceError(MEASURES)
        with self._focus_lock:
            pending, self._focus_request = self._focus_request, None
        if pending is not None:
            try:
                pending.set_result(self._focus_on_card(camera))
            except DeviceError as error:
                pending.set_exception(error)
            except Exception as error:  # noqa: BLE001 - reported to the caller, and play goes on
                pending.set_exception(DeviceError(f"camera pi does not focus ({error}): restart the Pi"))
        return super().read(timeout_s)

    def _fixed(self, camera: Camera, mode: SensorMode) -> tuple[PiCameraParams, str, str | None]:
        """Return the stored light of this camera; measure it if there is none or on request."""
        model = model_of(camera)
        card_dioptres = recall_focus(self._memory, model)
        focused, focus_from, fault = with_focus(camera, self.params)
        if card_dioptres is not None and self.params.lens_dioptres is None and lens_moves(camera):
            focused, focus_from, fault = replace(focused, lens_dioptres=card_dioptres), BY_CARD, None
        fixed = None if self._measuring.is_set() else recall_light(self._memory, focused, model)
        ring, now = recall_ring(self._memory, model), self._ring_light()
        if fixed is not None and now is not None and now == self._failed_under:
            ring = now  # the stored light is better than no pictures
        elif fixed is None or now not in (None, ring):
            ring = self._failed_under = self._wait_for_ring()
            fixed = measure_light(camera, focused, mode, automatics=self._automatics)
            if self._keep:
                keep_settings(self._memory, fixed, model, card_dioptres, ring)
            self._failed_under = None
            self._measuring.clear()
        self._light, self._measured_under = fixed, ring
        return fixed, focus_from, fault

    def _wait_for_ring(self) -> str | None:
        """Wait for the ring's reading light and return it; None if it is not reached."""
        ends_s = time.monotonic() + (RING_WAIT_S if self._has_ring else 0.0)
        while (ring := self._ring_light()) is None and time.monotonic() < ends_s:
            time.sleep(0.1)
        return ring

    def _focus_on_card(self, camera: Camera) -> float:
        """Measure the focus, store and use it; if that fails, keep the previous one."""
        before = self.view
        if before is None or self._light is None or not lens_moves(camera):
            fault = None if before is None else before.focus_fault
            raise DeviceError(fault or "this camera's lens has no motor: turn it with its key, looking at the card")
        if self.params.lens_dioptres is not None:
            raise DeviceError(
                f"pi.lens_dioptres is set to {self.params.lens_dioptres:g} in the settings: remove it there"
            )
        after = before
        try:
            height_mm = lens_height_mm(before.model, self.params.lens_mm)
            dioptres = measure_focus(camera, height_mm, before.model, self._automatics)
            keep_settings(self._memory, self._light, before.model, dioptres, self._measured_under)
            after = replace(before, lens_dioptres=dioptres, focus_from=BY_CARD, focus_fault=None)
        finally:
            camera.set_controls(focus_controls(after.lens_dioptres))
        self.view = after
        return dioptres
