"""A Raspberry Pi's own camera through picamera2, which comes with Raspberry Pi OS (never from the package index).

One video configuration for the whole session, with a large stream for reading and a small one for motion: a change of
mode would cost frames. The sensor mode is the one with the whole field of view (`pi_modes.py`). Focus, exposure, gain
and colour gains are fixed, so that a die looks the same all evening; an exposure of a whole number of the mains'
half-periods shows no flicker. Each frame has the sensor's own timestamp, and the buffer returns to the driver at once.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from pydantic import Field

from device.camera.base import STANDARD_PX, Fps
from device.camera.pi_driver import Camera, Request, driver_error, open_picamera, pi_name
from device.camera.pi_focus import dioptres_at, lens_height_mm, lens_moves, motor_fault, offset_fault
from device.camera.pi_modes import PiView, SensorMode, crop_of, wanted_crop, whole_field_mode
from device.errors import DeviceError, DriverHangs
from device.section import Positive, section
from vision.types.frame import Frame, ImageBgr

_log = logging.getLogger(__name__)


def mains_exposure_us(half_periods: int, mains_hz: int) -> int:
    """Return an exposure that shows no flicker of mains lamps.

    Args:
        half_periods: Number of half-periods, 1 or more; lamps flicker twice per period.

    Returns:
        Microseconds, rounded down so that it spans no extra frame.
    """
    return half_periods * 1_000_000 // (2 * mains_hz)


@section
class PiCameraParams:
    """Settings of the Pi's own camera, fixed for the session.

    Attributes:
        main_px: Width and height of the stream that is read.
        lores_px: Width and height of the stream that motion is seen in; no larger than main.
        fps: Pictures per second. The exposure must fit between two.
        mains_hz: Mains frequency of your lamps. Default: the one of your time zone.
        half_periods: Exposure in half-periods of the mains: 1 is 10 ms at 50 Hz. More is brighter, but blurs.
        gain: Analogue gain. More is brighter, but noisier.
        colour_gains: Red and blue gain, fixed; without it the camera chooses, which only calibration should.
        lens_mm: Height of the lens above the floor; it sets the focus. Default: the build guide's height for this
            camera.
        lens_dioptres: Focus: 1 / distance in metres to a die's top face; without it by `lens_mm`, or as the calibration
            card measured it. Only for a lens that moves.
        buffers: Number of frame buffers; too few stall the sensor, each takes a picture's memory.
        close_s: Seconds after which a driver that does not return from closing counts as hung.
        measure: Measure exposure, gain and colour gains at the first start, and again when you hold Reset for two
            seconds; measure focus with the calibration card on /calibrate. `false`: use the values here.
    """

    main_px: tuple[int, int] = STANDARD_PX
    lores_px: tuple[int, int] = (320, 240)
    fps: Fps = 20
    mains_hz: Literal[50, 60] | None = None
    half_periods: Annotated[int, Field(ge=1)] = 1
    gain: Annotated[float, Field(ge=1.0, le=16.0)] = 2.0
    colour_gains: tuple[float, float] | None = None
    lens_mm: Annotated[float | None, Field(ge=60.0, le=1000.0)] = None
    lens_dioptres: Annotated[float | None, Field(ge=0.0, le=15.0)] = None
    buffers: Annotated[int, Field(ge=3, le=8)] = 4
    close_s: Positive = 3.0
    measure: bool = True

    def __post_init__(self) -> None:
        if self.exposure_us > 1_000_000 // self.fps:
            raise ValueError(
                f"half_periods is {self.half_periods}: {self.exposure_us} us do not fit between frames at "
                f"{self.fps} fps: lower one of the two"
            )
        if self.lores_px[0] > self.main_px[0] or self.lores_px[1] > self.main_px[1]:
            raise ValueError(f"lores_px is {self.lores_px}, must not be larger than main_px {self.main_px}")

    @property
    def exposure_us(self) -> int:
        return mains_exposure_us(self.half_periods, self.hz)

    @property
    def hz(self) -> int:
        """The mains frequency; a tray's settings have put in that of its time zone."""
        return self.mains_hz or 50

    def controls(self) -> dict[str, Any]:
        frame_us = 1_000_000 // self.fps
        controls: dict[str, Any] = {
            "FrameDurationLimits": (frame_us, frame_us),
            "AeEnable": False,
            "ExposureTime": self.exposure_us,
            "AnalogueGain": self.gain,
        }
        if self.colour_gains is not None:
            controls["AwbEnable"] = False
            controls["ColourGains"] = self.colour_gains
        return controls | focus_controls(self.lens_dioptres)


def focus_controls(dioptres: float | None) -> dict[str, Any]:
    """Return a fixed focus as libcamera's controls; empty for a fixed lens."""
    if dioptres is None:
        return {}
    return {"AfMode": 0, "LensPosition": dioptres}  # libcamera's AfModeEnum.Manual


def video_configuration(
    camera: Camera, params: PiCameraParams, mode: SensorMode, controls: dict[str, Any]
) -> dict[str, Any]:
    """Return the configuration used for a session and for measuring before it.

    Args:
        mode: The sensor mode. Without it picamera2 takes the mode nearest in size, which may crop the field of view.
    """
    return camera.create_video_configuration(
        # libcamera names formats from the last byte to the first: this one is B, G, R in memory.
        main={"format": "RGB888", "size": params.main_px},
        lores={"format": "YUV420", "size": params.lores_px},
        buffer_count=params.buffers,
        controls=controls,
        queue=False,
        sensor=mode.as_sensor(),
    )


def model_of(camera: Camera) -> str:
    return str(camera.camera_properties.get("Model", "unknown"))


class PiCamera:
    """Frames of a Raspberry Pi camera, with fixed settings.

    Attributes:
        view: The field of view since the camera was last opened; None before that. The part of the sensor is known from
            the first frame on.
    """

    def __init__(
        self,
        params: PiCameraParams | None = None,
        *,
        number: int = 0,
        camera_factory: Callable[[int], Camera] = open_picamera,
    ) -> None:
        self.params = params or PiCameraParams()
        self.view: PiView | None = None
        self._number = number
        self._camera_factory = camera_factory
        self._camera: Camera | None = None
        self._sequence = 0
        self._hung = False

    @property
    def name(self) -> str:
        return pi_name(self._number)

    def open(self) -> None:
        self.close()
        self.view = None
        if self._hung:
            raise DriverHangs("camera pi: libcamera hangs: start the tray again")
        camera = self._camera_factory(self._number)
        self._camera = camera
        try:
            mode = whole_field_mode(camera.sensor_modes, self.params.main_px)
            fixed, focus_from, fault = self._fixed(camera, mode)
            camera.configure(video_configuration(camera, fixed, mode, fixed.controls()))
            camera.start()
        except DeviceError:
            self.close()
            raise
        except Exception as error:
            self.close()
            raise driver_error("does not start", error) from error
        model, wanted = model_of(camera), wanted_crop(mode, self.params.main_px)
        self.view = PiView(model, mode, wanted, None, fixed.lens_dioptres, focus_from, fault)

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next picture."""
        camera = self._opened()
        try:
            job = camera.capture_request(wait=False)
            request: Request = camera.wait(job, timeout=timeout_s)
        except TimeoutError as error:
            # Otherwise the job stays in picamera2's list and takes the first frame after a restart.
            camera.cancel_all_and_flush()
            raise DeviceError(f"camera pi gave no picture within {timeout_s:g} s: check its ribbon cable") from error
        except Exception as error:
            raise driver_error("stopped", error) from error
        try:
            image = request.make_array("main")
            small_bgr = _small_picture(request.make_array("lores"), self.params.lores_px)
            metadata = request.get_metadata()
            sensor_ns = int(metadata["SensorTimestamp"])
        except Exception as error:
            raise driver_error("gave a picture that cannot be used", error) from error
        finally:
            request.release()
        self._note_field(metadata)
        frame = Frame(image, sensor_ns / 1e9, self._sequence, small_bgr)
        self._sequence += 1
        return frame

    def close(self) -> None:
        """Stop and release the camera. A driver that takes longer than `close_s` is abandoned and counts as hung."""
        camera, self._camera = self._camera, None
        if camera is None:
            return

        def let_go() -> None:
            try:
                camera.cancel_all_and_flush()
                camera.stop()
            finally:
                camera.close()

        worker = threading.Thread(target=_swallow(let_go), name="pi-camera-close", daemon=True)
        worker.start()
        worker.join(self.params.close_s)
        self._hung = self._hung or worker.is_alive()

    def _opened(self) -> Camera:
        if self._camera is None:
            raise DeviceError("camera pi is not open: open it first")
        return self._camera

    def _fixed(self, camera: Camera, mode: SensorMode) -> tuple[PiCameraParams, str, str | None]:
        del mode
        return with_focus(camera, self.params)

    def _note_field(self, metadata: dict[str, Any]) -> None:
        """Store the visible part of the sensor from a first picture, and warn if it is not the whole field."""
        if self.view is None or self.view.shown is not None:
            return
        shown = crop_of(metadata)
        if shown is None:
            return
        self.view = replace(self.view, shown=shown)
        fault = self.view.field_fault()
        if fault is not None:
            _log.error("%s", fault)


def with_focus(camera: Camera, params: PiCameraParams) -> tuple[PiCameraParams, str, str | None]:
    """Return the settings with a focus, where it is from, and what is wrong with it."""
    model = model_of(camera)
    if not lens_moves(camera):
        if params.lens_dioptres is not None:
            raise DeviceError(
                motor_fault(model)
                or f"camera pi ({model}) has a lens that does not move, and pi.lens_dioptres is "
                f"{params.lens_dioptres:g}: take pi.lens_dioptres out of the settings and turn the lens with its key"
            )
        return params, "turned by hand", motor_fault(model)
    if params.lens_dioptres is not None:
        return params, "as set", None
    height_mm = lens_height_mm(model, params.lens_mm)
    focused = replace(params, lens_dioptres=dioptres_at(height_mm))
    return focused, f"for a lens {height_mm:g} mm above the floor", offset_fault(model)


def _small_picture(planes: Any, size_px: tuple[int, int]) -> ImageBgr | None:
    """Return the small stream as a picture.

    Args:
        planes: Planar YUV 4:2:0, shape (3 / 2 * h, stride): luma, then the two chroma planes, two of their rows in one.
            The stride is w or more: a Pi 5 pads 320 to 384.

    Returns:
        The picture; None if these are no such planes: the main stream is then shrunk instead.
    """
    width, height = size_px
    if planes.ndim != 2 or planes.shape[0] != height * 3 // 2 or planes.shape[1] < width:
        return None
    # The chroma rows are padded as well, so the padding can only be cut off after conversion.
    padded = cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420)
    return np.ascontiguousarray(padded[:, :width], dtype=np.uint8)


def _swallow(action: Callable[[], None]) -> Callable[[], None]:
    """Return the action with errors suppressed, for a camera that is being abandoned."""

    def run() -> None:
        try:
            action()
        except Exception:  # noqa: BLE001 - see above
            return

    return run
