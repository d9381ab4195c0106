"""A Raspberry Pi's own camera through picamera2, which comes with Raspberry Pi OS (never from the package index).

One video configuration for the whole session, with a large stream for reading and a small one for motion: no change of
mode, which would cost frames. Focus, exposure, gain and colour gains are fixed, so that the same die looks the same all
evening; an exposure that is a whole number of the mains' half-periods sees no flicker. Each frame carries the sensor's
own time, and the buffer goes back to the driver at once.
"""

import concurrent.futures
import importlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import cv2
import numpy as np

from device.errors import BadInput, DeviceError, DriverHangs
from vision.frame import Frame, ImageBgr

MAINS_HZ = (50, 60)


class Request(Protocol):
    """As much of picamera2's `CompletedRequest` as is used."""

    def make_array(self, name: str) -> Any:
        """A copy of a stream's pixels."""
        ...

    def get_metadata(self) -> dict[str, Any]:
        """What the driver says of this picture."""
        ...

    def release(self) -> None:
        """Hand the buffer back."""
        ...


class Camera(Protocol):
    """As much of picamera2's `Picamera2` as is used; tests hold it against the real class."""

    def create_video_configuration(
        self,
        main: Any = ...,
        lores: Any = ...,
        raw: Any = ...,
        *,
        buffer_count: int = ...,
        controls: Any = ...,
        queue: bool = ...,
    ) -> dict[str, Any]:
        """A configuration for `configure`."""
        ...

    def configure(self, camera_config: Any = ...) -> None:
        """Set the streams up."""
        ...

    def start(self, config: Any = ..., show_preview: Any = ...) -> None:
        """Begin taking pictures."""
        ...

    def capture_request(self, wait: Any = ..., signal_function: Any = ..., flush: Any = ...) -> Any:
        """Ask for the next picture; with `wait` False a job."""
        ...

    def wait(self, job: Any, timeout: Any = ...) -> Any:
        """What a job asked for."""
        ...

    def capture_metadata(self, wait: Any = ..., signal_function: Any = ...) -> Any:
        """What the driver says of the next picture; with `wait` False a job."""
        ...

    def autofocus_cycle(self, wait: Any = ..., signal_function: Any = ...) -> Any:
        """Focus once: whether it was found; with `wait` False a job."""
        ...

    def set_controls(self, controls: Any) -> None:
        """Change controls from the next picture on."""
        ...

    def cancel_all_and_flush(self) -> None:
        """Forget every job."""
        ...

    def stop(self) -> None:
        """Take no more pictures."""
        ...

    def close(self) -> None:
        """Let go of the camera."""
        ...


def mains_exposure_us(half_periods: int, mains_hz: int) -> int:
    """An exposure that sees no flicker of lamps on the mains.

    Args:
        half_periods: So many; lamps flicker twice in each period.
        mains_hz: 50 or 60.

    Returns:
        Microseconds, rounded down so that it never spans a frame more than it must.

    Raises:
        BadInput: Under one half-period, or mains of another frequency.
    """
    if mains_hz not in MAINS_HZ:
        raise BadInput(f"pi.mains_hz is {mains_hz}, must be 50 or 60")
    if half_periods < 1:
        raise BadInput(f"pi.half_periods is {half_periods}, must be 1 or more")
    return half_periods * 1_000_000 // (2 * mains_hz)


@dataclass(frozen=True, slots=True)
class PiCameraParams:
    """What is asked of the camera, fixed for the session.

    Attributes:
        main_px: Width and height of the stream that is read.
        lores_px: Width and height of the stream that motion is seen in; no larger than main.
        fps: Pictures a second, 5 to 60; the exposure must fit between two.
        mains_hz: Frequency of the mains that the lamps hang on, 50 or 60.
        half_periods: Exposure in half-periods of the mains: 1 is 10 ms at 50 Hz. More is brighter and blurs more.
        gain: Analogue gain, 1 to 16; more is brighter and noisier.
        colour_gains: Red and blue gain, fixed; None lets the camera choose, which only calibration should.
        lens_dioptres: Focus: 1 / distance in metres, as calibration found it; None where the lens is fixed.
        buffers: Frame buffers, 3 to 8; too few stall the sensor, each costs a picture's memory.
        close_s: How long the driver gets to come back from closing before it counts as hung.
        measure: Exposure, gain, colour gains and focus are measured at the first start, kept in the data folder and
            measured anew when reset is held for two seconds. False: the values here hold.
    """

    main_px: tuple[int, int] = (1280, 960)
    lores_px: tuple[int, int] = (320, 240)
    fps: int = 20
    mains_hz: int = 50
    half_periods: int = 1
    gain: float = 2.0
    colour_gains: tuple[float, float] | None = None
    lens_dioptres: float | None = None
    buffers: int = 4
    close_s: float = 3.0
    measure: bool = True
    exposure_us: int = field(init=False)

    def __post_init__(self) -> None:
        """Work the exposure out and refuse what no camera can do.

        Raises:
            BadInput: A value is out of its range; the message names the setting.
        """
        exposure_us = mains_exposure_us(self.half_periods, self.mains_hz)
        if not 5 <= self.fps <= 60:
            raise BadInput(f"pi.fps is {self.fps}, must be 5 to 60")
        if exposure_us > 1_000_000 // self.fps:
            raise BadInput(
                f"pi.half_periods is {self.half_periods}: {exposure_us} us do not fit between frames at "
                f"{self.fps} fps: lower one of the two"
            )
        if not 1.0 <= self.gain <= 16.0:
            raise BadInput(f"pi.gain is {self.gain:g}, must be 1 to 16")
        if self.lens_dioptres is not None and not 0.0 <= self.lens_dioptres <= 15.0:
            raise BadInput(f"pi.lens_dioptres is {self.lens_dioptres:g}, must be 0 (far) to 15 (7 cm)")
        if not 3 <= self.buffers <= 8:
            raise BadInput(f"pi.buffers is {self.buffers}, must be 3 to 8")
        if self.lores_px[0] > self.main_px[0] or self.lores_px[1] > self.main_px[1]:
            raise BadInput(f"pi.lores_px is {self.lores_px}, must not be larger than main_px {self.main_px}")
        object.__setattr__(self, "exposure_us", exposure_us)

    def controls(self) -> dict[str, Any]:
        """The same as libcamera's controls."""
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
        if self.lens_dioptres is not None:
            controls["AfMode"] = 0  # libcamera's AfModeEnum.Manual
            controls["LensPosition"] = self.lens_dioptres
        return controls


def open_picamera(number: int) -> Camera:
    """The real camera.

    Raises:
        DeviceError: picamera2 is not installed, or there is no such camera.
    """
    try:
        library = importlib.import_module("picamera2")
    except ImportError as error:
        raise DeviceError(
            f"camera pi needs picamera2 ({error}): run sudo apt install python3-picamera2 and make the virtual "
            "environment with --system-site-packages, or choose --camera usb:0"
        ) from error
    try:
        camera: Camera = library.Picamera2(number)
    except Exception as error:
        raise DeviceError(
            f"camera pi does not open ({error}): check its ribbon cable, see it in rpicam-hello --list-cameras"
        ) from error
    return camera


class PiCamera:
    """Frames of a Raspberry Pi camera.

    Attributes:
        params: What is asked of it from the next `open` on.
    """

    def __init__(
        self,
        params: PiCameraParams | None = None,
        *,
        number: int = 0,
        camera_factory: Callable[[int], Camera] = open_picamera,
    ) -> None:
        self.params = params or PiCameraParams()
        self._number = number
        self._camera_factory = camera_factory
        self._camera: Camera | None = None
        self._sequence = 0
        self._hung = False

    @property
    def name(self) -> str:
        """`pi`."""
        return "pi"

    def open(self) -> None:
        """Configure the streams, fix the controls and start.

        Raises:
            DeviceError: No library, no camera, or it does not start.
            DriverHangs: It never came back from an earlier closing.
        """
        self.close()
        if self._hung:
            raise DriverHangs("camera pi: libcamera hangs: the tray must start again")
        camera = self._camera_factory(self._number)
        self._camera = camera
        params = self.params
        try:
            camera.configure(
                camera.create_video_configuration(
                    # libcamera names formats from the last byte to the first: this one is B, G, R in memory.
                    main={"format": "RGB888", "size": params.main_px},
                    lores={"format": "YUV420", "size": params.lores_px},
                    buffer_count=params.buffers,
                    controls=params.controls(),
                    queue=False,
                )
            )
            camera.start()
        except Exception as error:
            self.close()
            raise DeviceError(
                f"camera pi does not start ({error}): check its ribbon cable, close other programs that use it"
            ) from error

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next picture.

        Returns:
            The next one taken after the call, stamped with the sensor's time; never None, for a camera has no end.

        Raises:
            DeviceError: None came within `timeout_s`, or the driver gave up.
        """
        camera = self._camera
        if camera is None:
            raise DeviceError("camera pi is not open: open it first")
        try:
            job = camera.capture_request(wait=False)
            request: Request = camera.wait(job, timeout=timeout_s)
        except (TimeoutError, concurrent.futures.TimeoutError) as error:
            # The job stays in picamera2's list otherwise, and would take the first frame after a restart.
            camera.cancel_all_and_flush()
            raise DeviceError(f"camera pi gave no picture within {timeout_s:g} s: check its ribbon cable") from error
        except Exception as error:
            raise DeviceError(f"camera pi stopped ({error}): check its ribbon cable") from error
        try:
            image = request.make_array("main")
            small_bgr = _small_picture(request.make_array("lores"), self.params.lores_px)
            sensor_ns = int(request.get_metadata()["SensorTimestamp"])
        except Exception as error:
            raise DeviceError(
                f"camera pi gave a picture that cannot be used ({error}): check its ribbon cable"
            ) from error
        finally:
            request.release()
        frame = Frame(image, sensor_ns / 1e9, self._sequence, small_bgr)
        self._sequence += 1
        return frame

    def close(self) -> None:
        """Stop and let go. A driver that does not come back within `close_s` is left behind and counts as hung."""
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


def _small_picture(planes: Any, size_px: tuple[int, int]) -> ImageBgr | None:
    """The small stream as a picture.

    Args:
        planes: Planar YUV 4:2:0, shape (3 / 2 * h, w): luma, then the two chroma planes.
        size_px: Width and height of the picture.

    Returns:
        The picture; None where the driver has padded its rows: the main stream is then shrunk instead.
    """
    if planes.shape != (size_px[1] * 3 // 2, size_px[0]):
        return None
    return np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), dtype=np.uint8)


def _swallow(action: Callable[[], None]) -> Callable[[], None]:
    """The action, with its failure forgotten: a camera that is being given up has nothing left to say."""

    def run() -> None:
        try:
            action()
        except Exception:  # noqa: BLE001 - see above
            return

    return run
