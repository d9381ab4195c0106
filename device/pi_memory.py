"""A Pi camera that measures its light and focus once and remembers them: the first start on a new tray just works.

What was measured lies in the data folder. It is measured anew where that file is missing or was made for other
settings, and whenever somebody asks for it.
"""

import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from device.errors import BadInput, DeviceError
from device.pi_camera import Camera, PiCamera, PiCameraParams, open_picamera
from device.pi_settings import AutomaticsParams, measure_settings
from vision.frame import Frame

FILE_NAME = "pi_camera.json"
FORMAT = "pushtray-pi-camera/1"


def keep_settings(path: Path, params: PiCameraParams) -> None:
    """Write down what was measured, whole or not at all.

    Raises:
        DeviceError: It cannot be written.
    """
    body = {
        "format": FORMAT,
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


def recall_settings(path: Path, params: PiCameraParams) -> PiCameraParams | None:
    """What was measured earlier, over the settings.

    Returns:
        The settings with the measured values; None where nothing was kept, it cannot be read, or it was measured for
        another rate or mains: all of these are cured by measuring.
    """
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        if body["format"] != FORMAT or (body["fps"], body["mains_hz"]) != (params.fps, params.mains_hz):
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


class MeasuringPiCamera:
    """A Pi camera with its light and focus fixed by what it measured."""

    def __init__(
        self,
        params: PiCameraParams,
        memory: Path,
        *,
        camera_factory: Callable[[int], Camera] = open_picamera,
        automatics: AutomaticsParams | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            params: Sizes, rate and mains frequency; the rest is measured.
            memory: File for what was measured.
            camera_factory: Opens the camera.
            automatics: How long measuring may take.
        """
        self._params = params
        self._memory = memory
        self._camera_factory = camera_factory
        self._automatics = automatics
        self._camera = PiCamera(params, camera_factory=camera_factory)
        self._measuring = threading.Event()

    @property
    def name(self) -> str:
        """`pi`."""
        return self._camera.name

    def measure_anew(self) -> None:
        """Measure light and focus again as soon as may be. Any thread."""
        self._measuring.set()

    def open(self) -> None:
        """Measure where nothing is known, fix it, and start taking pictures.

        Raises:
            DeviceError: No camera, no focus, too little light, or it does not start.
        """
        self.close()
        fixed = None if self._measuring.is_set() else recall_settings(self._memory, self._params)
        if fixed is None:
            fixed = measure_settings(self._params, automatics=self._automatics, camera_factory=self._camera_factory)
            keep_settings(self._memory, fixed)
            self._measuring.clear()
        self._camera.params = fixed
        self._camera.open()

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next picture.

        Returns:
            As `PiCamera.read`.

        Raises:
            DeviceError: As `PiCamera.read`; and where it is to measure anew, which the next `open` does.
        """
        if self._measuring.is_set():
            raise DeviceError("camera pi measures its light and focus: keep the tray empty for a few seconds")
        return self._camera.read(timeout_s)

    def close(self) -> None:
        """Let go of the camera. Safe to call twice."""
        self._camera.close()
