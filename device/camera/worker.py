"""The camera thread: opens the camera, recovers from faults, passes every frame to the watch, posts events."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Protocol

import numpy as np

from device.backoff import Backoff
from device.camera.base import FrameSource
from device.camera.live_picture import LivePicture, Picture
from device.errors import DeviceError, DriverHangs
from device.game.state.events import CameraConnected, CameraFailed, DicePickedUp, DiceSettled, Event, MotionSeen
from vision.types.errors import BadProfile, VisionError
from vision.types.frame import Frame, ImageBgr
from vision.types.reading import DieReading
from vision.types.sighting import DiceLifted, MotionBegan, MotionEnded, Rest, Sighting

_log = logging.getLogger(__name__)


class TrayWatcher(Protocol):
    def see(self, frame: Frame) -> Sighting | None: ...

    def glance(self, frame: Frame) -> MotionBegan | MotionEnded | None:
        """Check the next frame only for motion: it cannot be read."""
        ...

    def forget(self) -> None: ...


class RemembersDice(TrayWatcher, Protocol):
    """A watch whose die ids can be restored."""

    def remember(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading]) -> None: ...


@dataclass(frozen=True, slots=True)
class CameraWorkerParams:
    frame_s: float = 2.0  # longest wait for a frame in seconds before the camera counts as gone
    retry_first_s: float = 0.5  # pause before a failed camera is opened again; doubles each time
    max_retry_s: float = 15.0
    # how long a live camera may repeat the same picture, in seconds; noise makes each one different
    frozen_s: float = 5.0


def _nothing() -> None:
    pass


class FrozenPicture:
    """Detects a camera that repeats one picture forever, as some do after a fault of the bus or the driver."""

    def __init__(self, max_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        """Start without a picture.

        Args:
            max_s: How long one picture may last, in seconds.
        """
        self._max_s, self._now_s = max_s, now_s
        self._image: ImageBgr | None = None
        self._since_s = 0.0

    def check(self, image: ImageBgr) -> None:
        """Check the next picture. One of a single colour, as under a lens cap, may last."""
        now_s, last = self._now_s(), self._image
        # Most pictures differ within their first rows.
        if last is None or not all(np.array_equal(image[rows], last[rows]) for rows in (slice(8), slice(None))):
            self._image, self._since_s = image, now_s
        elif now_s - self._since_s >= self._max_s and image.min() < image.max():
            raise DeviceError("the camera gives the same picture again and again: unplug it and plug it in again")


class CameraWorker:
    """The only thread that uses the camera and the watch. It holds no tray state."""

    def __init__(
        self,
        camera: FrameSource,
        watch: RemembersDice,
        post: Callable[[Event], None],
        *,
        on_frame: Callable[[Frame], None] | None = None,
        on_hang: Callable[[str], None] | None = None,
        is_coloured_light_on: Callable[[], bool] = lambda: False,
        on_calm: Callable[[], None] = _nothing,
        on_end: Callable[[], None] = _nothing,
        pulse: Callable[[], None] = _nothing,
        is_live: bool = False,
        now_s: Callable[[], float] = time.monotonic,
        params: CameraWorkerParams | None = None,
    ) -> None:
        """Prepare; `start` opens the camera.

        Args:
            post: Takes events, returns at once.
            on_end: Called once when the source has ended permanently, as a recording does; the thread then ends.
            pulse: Called after each frame and each failed attempt, as the thread's heartbeat.
        """
        self._camera = camera
        self._watch = watch
        self._post = post
        self._on_frame = on_frame
        self._on_hang = on_hang
        self._is_coloured_light_on = is_coloured_light_on
        self._on_calm = on_calm
        self._on_end = on_end
        self._pulse = pulse
        self._params = params or CameraWorkerParams()
        self._frozen = FrozenPicture(self._params.frozen_s, now_s) if is_live else None
        self._stopping = threading.Event()
        self._orders = SimpleQueue[Callable[[], None]]()
        self._live = LivePicture()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    @property
    def newest(self) -> Frame | None:
        """The newest frame; None before the first. Any thread."""
        return self._live.newest

    @property
    def read(self) -> Frame | None:
        """The frame that the dice were read from, like `LivePicture.read`. Any thread."""
        return self._live.read

    def start(self) -> None:
        self._thread.start()

    def stop(self, wait_s: float = 2.5) -> None:
        """Stop and release the camera. Safe to call twice."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=wait_s)

    def forget(self) -> None:
        """Reset the watch's die ids before its next frame. Any thread."""

        def reset() -> None:
            self._watch.forget()

        self._orders.put(reset)

    def recall(self, lying: Mapping[int, DieReading], gone: Mapping[int, DieReading], *, report_again: bool) -> int:
        """Restore the watch's die ids before its next frame. Any thread.

        Returns:
            The newest frame's number, -1 before the first: frames up to it were read without these ids.
        """

        def restore() -> None:
            if report_again:
                self._watch.forget()
            self._watch.remember(lying, gone)

        self._orders.put(restore)
        return -1 if self.newest is None else self.newest.sequence

    def watch_with(self, watch: RemembersDice) -> None:
        """Use another watch for every later frame, after a calibration. Any thread."""

        def replace() -> None:
            self._watch = watch

        self._orders.put(replace)

    def picture(self, width_px: int | None = None) -> Picture | None:
        """Return the picture to show now, like `LivePicture.picture`. Any thread."""
        return self._live.picture(width_px)

    def read_picture(self) -> Picture | None:
        """Return the picture that the dice were read from, like `LivePicture.read_picture`. Any thread."""
        return self._live.read_picture()

    def _run(self) -> None:
        pauses = Backoff(self._params.retry_first_s, self._params.max_retry_s)
        while not self._stopping.is_set():
            seen = self._live.newest
            try:
                self._camera.open()
                _log.debug("the camera is open")
                self._watch_frames()
            except DriverHangs as error:
                self._post(CameraFailed(str(error), pauses.pause_s))
                if self._on_hang is not None:
                    self._on_hang(str(error))
                return
            except DeviceError as error:
                text = str(error)
            except Exception as error:  # noqa: BLE001 - whatever breaks here, the tray must report it and retry
                _log.error("the camera's pictures cannot be read", exc_info=True)
                text = f"the camera's pictures cannot be read ({type(error).__name__}: {error}): start the tray again"
            else:
                if not self._stopping.is_set():
                    self._on_end()
                return
            finally:
                self._camera.close()
            if self._live.newest is not seen:
                pauses.reset()
            _log.debug("tried again in %g s: %s", pauses.pause_s, text)
            self._post(CameraFailed(text, pauses.pause_s))
            self._pulse()
            self._stopping.wait(pauses.pause_s)
            pauses.grow()

    def _watch_frames(self) -> None:
        """Watch until the source ends or the worker is stopped."""
        first, is_refused = True, False
        while not self._stopping.is_set():
            frame = self._camera.read(self._params.frame_s)
            if frame is None:
                return
            if self._frozen is not None:
                self._frozen.check(frame.image_bgr)
            self._live.put(frame)
            if first:
                self._post(CameraConnected())
                first = False
            if self._on_frame is not None:
                self._on_frame(frame)
            before = self._watch
            while not self._orders.empty():
                self._orders.get()()
            if is_refused and self._watch is not before:
                is_refused = False
                self._post(CameraConnected())
            if is_refused:
                self._pulse()
                continue
            try:
                sighting = self._watch.glance(frame) if self._is_coloured_light_on() else self._watch.see(frame)
            except VisionError as error:
                is_refused = True
                self._post(CameraFailed(str(error), 0.0, "profile" if isinstance(error, BadProfile) else "camera"))
                continue
            if isinstance(sighting, MotionBegan | MotionEnded | Rest):
                self._live.stir(moving=isinstance(sighting, MotionBegan))
            if isinstance(sighting, Rest):
                self._live.keep_read(frame)
            if isinstance(sighting, MotionEnded):
                self._on_calm()
            for event in seen_events(sighting):
                self._post(event)
            self._pulse()


def seen_events(sighting: Sighting | None) -> tuple[Event, ...]:
    match sighting:
        case MotionBegan():
            return (MotionSeen(),)
        case Rest():
            return (DiceSettled(sighting),)
        case DiceLifted():
            return (DicePickedUp(sighting.ids),)
        case MotionEnded() | None:
            return ()
