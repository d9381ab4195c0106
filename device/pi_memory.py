"""A Pi camera that measures its light once and remembers it: the first start on a new tray just works.

What was measured lies in the data folder, with the focus once the calibration card has told it. Light is measured anew
where that file is missing or was made by another camera or for other settings, and whenever somebody asks for it.
"""

import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import replace
from pathlib import Path

from device.errors import BadInput, DeviceError
from device.pi_camera import PiCamera, PiCameraParams, focus_controls, model_of, with_focus
from device.pi_driver import Camera, open_picamera
from device.pi_focus import lens_height_mm, lens_moves
from device.pi_modes import SensorMode
from device.pi_settings import AutomaticsParams, measure_focus, measure_light
from vision.frame import Frame

FILE_NAME = "pi_camera.json"
FORMAT = "pushtray-pi-camera/1"

FOCUS_WAIT_S = 15.0
"""The longest wait for a camera that is to focus: one picture, a focus cycle, one more picture."""


def keep_settings(path: Path, params: PiCameraParams, model: str) -> None:
    """Write down what was measured, whole or not at all.

    Args:
        path: The file.
        params: With the values that were measured; `lens_dioptres` None where no card has told the focus.
        model: The camera that they hold for.

    Raises:
        DeviceError: It cannot be written.
    """
    body = {
        "format": FORMAT,
        "model": model,
        "fps": params.fps,
        "mains_hz": params.mains_hz,
        "half_periods": params.half_periods,
        "gain": params.gain,
        "colour_gains": params.colour_gains,
        "lens_dioptres": params.lens_dioptres,
    }
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("w", encoding="utf-8") as out:
            out.write(json.dumps(body) + "\n")
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except OSError as error:
        raise DeviceError(
            f"what camera pi measured cannot be kept in {path} ({error.strerror}): choose another --data folder"
        ) from error


def recall_settings(path: Path, params: PiCameraParams, model: str) -> PiCameraParams | None:
    """What was measured earlier, over the settings.

    Returns:
        The settings with the measured values; None where nothing was kept, it cannot be read, or it was measured for
        another camera, rate or mains: all of these are cured by measuring.
    """
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        made_for = (body["format"], body["model"], body["fps"], body["mains_hz"])
        if made_for != (FORMAT, model, params.fps, params.mains_hz):
            return None
        gains, lens = body["colour_gains"], body["lens_dioptres"]
        return replace(
            params,
            half_periods=int(body["half_periods"]),
            gain=float(body["gain"]),
            colour_gains=(float(gains[0]), float(gains[1])),
            lens_dioptres=None if lens is None else float(lens),
        )
    except (OSError, ValueError, TypeError, KeyError, IndexError, BadInput):
        return None


class MeasuringPiCamera(PiCamera):
    """A Pi camera with its light, and its focus once the card was shown, fixed by what it measured."""

    def __init__(
        self,
        params: PiCameraParams,
        memory: Path,
        *,
        keep: bool = True,
        camera_factory: Callable[[int], Camera] = open_picamera,
        automatics: AutomaticsParams | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            params: Sizes, rate and mains frequency; the rest is measured.
            memory: File for what was measured.
            keep: What is measured is written there. False: a look that changes nothing.
            camera_factory: Opens the camera.
            automatics: How long measuring may take.
        """
        super().__init__(params, camera_factory=camera_factory)
        self._memory = memory
        self._keep = keep
        self._automatics = automatics
        self._measuring = threading.Event()
        self._focus_lock = threading.Lock()
        self._focus_wish: Future[float] | None = None
        self._measured: PiCameraParams | None = None

    def measure_anew(self) -> None:
        """Measure the light again as soon as may be. Any thread."""
        self._measuring.set()

    def measure_focus(self) -> float:
        """Focus on the calibration card, which lies on the floor, and keep that. Any thread but the camera's.

        Returns:
            The focus for dice's top faces, in dioptres.

        Raises:
            DeviceError: Nothing sharp was found, the lens does not move, or the camera gives no pictures now. The
                focus stays as it was.
        """
        with self._focus_lock:
            wish = self._focus_wish = self._focus_wish or Future()
        try:
            return wish.result(FOCUS_WAIT_S)
        except WaitedTooLong as error:
            raise DeviceError("the camera gives no pictures now: see the fault on the table's page") from error
        finally:
            with self._focus_lock:
                if self._focus_wish is wish:
                    self._focus_wish = None

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next picture; where somebody asked for it, focus first.

        Returns:
            As `PiCamera.read`.

        Raises:
            DeviceError: As `PiCamera.read`; and where it is to measure its light anew, which the next `open` does.
        """
        camera = self._opened()
        if self._measuring.is_set():
            raise DeviceError("camera pi measures its light: keep the tray empty for a few seconds")
        with self._focus_lock:
            wish, self._focus_wish = self._focus_wish, None
        if wish is not None:
            try:
                wish.set_result(self._focus_on_card(camera))
            except DeviceError as error:
                wish.set_exception(error)
            except Exception as error:  # noqa: BLE001 - whoever asked must hear of it, and play goes on
                wish.set_exception(DeviceError(f"camera pi does not focus ({error}): restart the Pi"))
        return super().read(timeout_s)

    def _fixed(self, camera: Camera, mode: SensorMode) -> tuple[PiCameraParams, str]:
        """What is remembered of this camera, measured where nothing is, or somebody asked for it.

        Raises:
            DeviceError: No picture, too little light, or what was measured cannot be kept.
        """
        model = model_of(camera)
        known = recall_settings(self._memory, self.params, model)
        on_card = known is not None and known.lens_dioptres is not None and self.params.lens_dioptres is None
        if known is not None and not on_card:
            known = replace(known, lens_dioptres=self.params.lens_dioptres)
        if known is None or self._measuring.is_set():
            base = with_focus(camera, known or self.params)[0]
            light = measure_light(camera, base, mode, automatics=self._automatics)
            known = replace(light, lens_dioptres=(known or self.params).lens_dioptres)
            if self._keep:
                keep_settings(self._memory, known if on_card else replace(known, lens_dioptres=None), model)
            self._measuring.clear()
        fixed, focus_from = with_focus(camera, known)
        self._measured = known
        return fixed, "measured on the calibration card" if on_card else focus_from

    def _focus_on_card(self, camera: Camera) -> float:
        """Measure the focus, keep it and use it; where that fails, the one before.

        Raises:
            DeviceError: As `measure_focus`.
        """
        before = self.view
        if before is None or self._measured is None or not lens_moves(camera):
            raise DeviceError("the lens of this camera does not move: turn it with its key until the card is sharp")
        if self.params.lens_dioptres is not None:
            raise DeviceError(
                f"pi.lens_dioptres is set to {self.params.lens_dioptres:g} and holds: take it out of the settings"
            )
        dioptres = before.lens_dioptres
        try:
            dioptres = measure_focus(camera, lens_height_mm(before.model, self.params.lens_mm), self._automatics)
            known = replace(self._measured, lens_dioptres=dioptres)
            keep_settings(self._memory, known, before.model)
        finally:
            camera.set_controls(focus_controls(dioptres))
        self._measured = known
        self.view = replace(before, lens_dioptres=dioptres, focus_from="measured on the calibration card")
        return dioptres
