"""A USB camera through OpenCV: `usb:N` is video device N at first, then the same camera wherever it is plugged in.

OpenCV's `read` blocks as long as the driver does (V4L2: ten seconds), so a thread of this camera reads and keeps the
newest picture, and callers wait only as long as they asked. A driver that hangs even on closing is reported as
`DriverHangs`: only a new process is free of it.
"""

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Protocol

import cv2
from pydantic import Field

from device.camera import names
from device.camera.base import (
    STANDARD_PX,
    CameraDriver,
    CameraKind,
    CameraRequest,
    Cures,
    Fps,
    FrameSource,
    OwnReport,
    SidePx,
    SizePx,
)
from device.camera.usb_devices import UsbIdentity, number_of, usb_cameras, why_not
from device.errors import DeviceError, DriverHangs
from device.kept_files import read_kept, write_whole
from device.section import Positive, section
from vision.types.cures import why
from vision.types.frame import Frame, ImageBgr

_log = logging.getLogger(__name__)

FILE_NAME = "usb_camera.json"
"""File in the data folder that identifies the tray's camera."""


class Capture(Protocol):
    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's own name
        ...

    def read(self) -> tuple[bool, Any]:
        """Wait for a picture; return whether one came, and the picture."""
        ...

    def set(self, prop: int, value: float) -> bool:
        """Set a property of the driver; False if it does not support it."""
        ...

    def get(self, prop: int) -> float: ...

    def release(self) -> None: ...


def open_capture(index: int) -> Capture:
    """Open the N-th video device; on Linux by V4L2 only, since OpenCV's other drivers read from elsewhere."""
    driver = cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY
    return cv2.VideoCapture(index, driver)


@section
class UsbCameraParams:
    """Settings of a USB camera.

    Attributes:
        width_px: Picture width. A camera without that mode uses its nearest; `pushtray doctor` says which.
        height_px: Picture height. A camera without that mode uses its nearest.
        fps: Pictures per second.
        exposure: Fixed, in the driver's own unit (V4L2: 100 microseconds). Without it the camera adjusts itself, and
            changes whenever a hand comes into view.
        white_balance_k: Fixed colour temperature. Without it the camera adjusts itself.
        focus: Fixed, in the driver's own unit. Without it the camera uses autofocus.
        blank_reads: Number of consecutive failed reads after which the camera counts as gone; some cameras miss one or
            two after a change of light.
        close_s: Seconds after which a driver that does not return from closing counts as hung.
    """

    width_px: SidePx = STANDARD_PX[0]
    height_px: SidePx = STANDARD_PX[1]
    fps: Fps = 30
    exposure: float | None = None
    white_balance_k: float | None = None
    focus: float | None = None
    blank_reads: Annotated[int, Field(ge=1, le=20)] = 5
    close_s: Positive = 3.0


_CHOSEN = {
    "exposure": cv2.CAP_PROP_EXPOSURE,
    "white_balance_k": cv2.CAP_PROP_WB_TEMPERATURE,
    "focus": cv2.CAP_PROP_FOCUS,
}
"""What a camera chooses automatically, by the settings key that fixes it."""


class UsbCamera:
    """Frames of one USB camera, always the newest; a gap in `sequence` counts frames that were not read."""

    def __init__(
        self,
        index: int,
        params: UsbCameraParams | None = None,
        *,
        memory: Path | None = None,
        keep: bool = True,
        root: Path = Path("/"),
        capture_factory: Callable[[int], Capture] = open_capture,
        clock: Callable[[], float] = time.monotonic,
        why_not: Callable[[int], str] = why_not,
    ) -> None:
        self._index = index
        self._memory = memory
        self._keep = keep
        self._root = root
        self._known: UsbIdentity | None = None
        self._why_not = why_not
        self._params = params or UsbCameraParams()
        self._capture_factory = capture_factory
        self._clock = clock
        self._news = threading.Condition()
        self._grabber: _Grabber | None = None
        self._sequence = 0
        self._hung = False
        self.chosen: dict[str, float] = {}

    @property
    def name(self) -> str:
        """The requested name, `usb:N`."""
        return f"usb:{self._index}"

    @property
    def number(self) -> int:
        """The camera's current number, which differs from the requested one if it was plugged in elsewhere."""
        known = self._known or self._recall()
        found = None if known is None else number_of(known, self._root)
        return self._index if found is None else found

    def is_automatic(self, key: str) -> bool:
        """Return whether the camera automatically chooses the value of that settings key."""
        return getattr(self._params, key) is None

    def open(self) -> None:
        self.close()
        if self._hung:
            raise DriverHangs(f"camera {self.name}: its driver hangs: start the tray again")
        number = self.number
        here = usb_cameras(self._root).get(number)
        capture = self._capture_factory(number)
        if not capture.isOpened():
            capture.release()
            raise DeviceError(f"camera {self.name} does not open, {self._why_not(number)}")
        self._remember(here)
        self._settle(capture)
        self._grabber = _Grabber(capture, self._params.blank_reads, self._news, self._clock, self._sequence)
        self._grabber.start()

    def read(self, timeout_s: float) -> Frame | None:
        """Wait for the next picture."""
        grabber = self._grabber
        if grabber is None:
            raise DeviceError(f"camera {self.name} is not open: open it first")
        with self._news:
            self._news.wait_for(lambda: grabber.newest is not None or grabber.gone, timeout=timeout_s)
            frame, grabber.newest = grabber.newest, None
        if frame is not None:
            self._sequence = frame.sequence + 1
            return frame
        if grabber.gone:
            raise DeviceError(f"camera {self.name} was disconnected: check its plug")
        raise DeviceError(f"camera {self.name} gave no picture within {timeout_s:g} s: check its plug")

    def close(self) -> None:
        """Release the camera; waits at most `close_s` for its driver."""
        grabber, self._grabber = self._grabber, None
        if grabber is None:
            return
        grabber.stopping.set()
        grabber.join(self._params.close_s)
        self.chosen = grabber.chosen
        self._hung = self._hung or grabber.is_alive()

    def _recall(self) -> UsbIdentity | None:
        if self._memory is None:
            return None

        def read(body: dict[str, Any]) -> UsbIdentity | None:
            known = UsbIdentity(str(body["model"]), str(body["socket"]), bool(body["has_twin"]))
            return known if body["camera"] == self.name else None

        return read_kept(self._memory, read, None, f"{self.name} is found by its number")

    def _remember(self, here: UsbIdentity | None) -> None:
        """Store the camera's identity, also for later starts."""
        if here is None or here == self._known:
            return
        self._known = here
        if self._memory is None or not self._keep or self._recall() == here:
            return
        try:
            write_whole(self._memory, (json.dumps({"camera": self.name} | asdict(here)) + "\n").encode())
        except OSError as error:
            _log.warning("%s cannot be written (%s): %s is found by its number", self._memory, why(error), self.name)

    def _settle(self, capture: Capture) -> None:
        """Set size, rate and fixed light. An unsupported property is skipped: the reader copes, but slower."""
        params = self._params
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, params.width_px)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, params.height_px)
        capture.set(cv2.CAP_PROP_FPS, params.fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if params.exposure is not None:
            capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)
            capture.set(cv2.CAP_PROP_EXPOSURE, params.exposure)
        if params.white_balance_k is not None:
            capture.set(cv2.CAP_PROP_AUTO_WB, 0)
            capture.set(cv2.CAP_PROP_WB_TEMPERATURE, params.white_balance_k)
        if params.focus is not None:
            capture.set(cv2.CAP_PROP_AUTOFOCUS, 0)
            capture.set(cv2.CAP_PROP_FOCUS, params.focus)


class _Grabber(threading.Thread):
    """Reads one opened capture until it is stopped or the camera is gone; releases it itself, so that no read races."""

    def __init__(
        self,
        capture: Capture,
        blank_reads: int,
        news: threading.Condition,
        clock: Callable[[], float],
        first_sequence: int,
    ) -> None:
        super().__init__(name="usb-camera", daemon=True)
        self._capture = capture
        self._blank_reads = blank_reads
        self._news = news
        self._clock = clock
        self._sequence = first_sequence
        self.stopping = threading.Event()
        self.chosen: dict[str, float] = {}
        self.newest: Frame | None = None
        self.gone = False

    def run(self) -> None:
        blanks = 0
        try:
            while not self.stopping.is_set() and blanks < self._blank_reads:
                image = self._take()
                if image is None:
                    blanks += 1
                    # A missing camera fails at once; without a pause the few allowed blanks would pass in no time.
                    self.stopping.wait(0.02)
                    continue
                blanks = 0
                frame = Frame(image, self._clock(), self._sequence)
                self._sequence += 1
                with self._news:
                    self.newest = frame
                    self._news.notify_all()
            if self.stopping.is_set():
                self.chosen = {key: self._capture.get(prop) for key, prop in _CHOSEN.items()}
        finally:
            self._capture.release()
            with self._news:
                self.gone = True
                self._news.notify_all()

    def _take(self) -> ImageBgr | None:
        try:
            came, image = self._capture.read()
        except cv2.error:
            return None
        if not came or image is None or image.ndim != 3 or image.size == 0:
            return None
        taken: ImageBgr = image.copy()  # the driver may reuse its own buffer
        return taken


def _make(request: CameraRequest[UsbCameraParams]) -> UsbCamera:
    memory = None if request.data is None else request.data / FILE_NAME
    return UsbCamera(int(request.name.removeprefix("usb:")), request.params, memory=memory, keep=request.keep)


def _cures(request: CameraRequest[UsbCameraParams], got_px: SizePx) -> Cures:
    """Return the cures for a camera with fixed or automatic light, at the nearest size it supports."""
    device = f"/dev/video{_make(request).number}"
    return Cures(
        dark=f"{Cures().dark}, or raise usb.exposure",
        burnt=f"{Cures().burnt}, or lower usb.exposure",
        slow="plug it into a faster USB port, or give it more light: in the dark many cameras take their time",
        size=f"set usb.width_px and usb.height_px to a size that it has (v4l2-ctl -d {device} --list-formats-ext), "
        f"such as {got_px[0]} and {got_px[1]}, and hang it so that the whole floor shows and a die keeps 45 pixels",
    )


def _report(source: FrameSource) -> OwnReport:
    """Report what its automatics chose, to be fixed: they change whenever a hand comes into view."""
    if not isinstance(source, UsbCamera):
        return OwnReport()
    free = {key: value for key, value in source.chosen.items() if value >= 0.0 and source.is_automatic(key)}
    lines = "".join(f"\n{key} = {value:g}" for key, value in free.items())
    return OwnReport(settings=f"[usb]{lines}" if lines else "")


USB = CameraKind(
    id="usb",
    written="usb:N (usb:0 is the first)",
    names=names.USB,
    driver=CameraDriver(_make, lambda params: (params.width_px, params.height_px), _cures, _report, settle=60),
    suggested=("usb:0", "usb:1"),
    section="usb",
    keys=("width_px", "height_px", "fps", "exposure", "white_balance_k", "focus"),
)
