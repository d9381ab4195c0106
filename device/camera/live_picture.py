"""The picture for pages: a new one if something changed, the old one if only the camera's noise did.

A camera never gives the same picture twice. The watch decides when a picture is new, from motion to rest. For changes
that the watch ignores, small copies of the last sent and the newest picture are compared, after removing drift of the
lighting as the watch does.
"""

import threading
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.tracking.settle import change_level, compare, gray_of, noise_of, small_of
from vision.types.frame import Frame, ImageBgr


@dataclass(frozen=True, slots=True)
class Picture:
    version: int
    jpeg: bytes
    sequence: int
    frame_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LivePictureParams:
    jpeg_quality: int = 85  # 1 to 100; 85 shows the pips at half the bytes of 95
    step_px: int = 160  # widths are rounded up to multiples of this, so that similar screens share one packed picture
    max_noise: float = 3.0
    # Relative drift of a colour's mean that makes a picture new. Mains flicker stays below a thirtieth.
    light_share: float = 0.05
    # relative change of detail that makes a picture new: turning a lens shows in fine detail long before it shows in
    # the small copies
    sharp_share: float = 0.08


class LivePicture:
    """Stores the newest frame and the last sent one, packed in the requested sizes."""

    def __init__(self, params: LivePictureParams | None = None) -> None:
        self._params = params or LivePictureParams()
        self._newest: Frame | None = None
        self._read: Frame | None = None
        self._read_packed: Picture | None = None
        self._moving = False
        self._stirs = 0
        self._lock = threading.Lock()
        self._shown: Frame | None = None
        self._shown_small: ImageBgr | None = None
        self._shown_detail = 0.0
        self._compared = -1
        self._shown_stirs = 0
        self._version = 0
        self._packed: dict[int, Picture] = {}

    @property
    def newest(self) -> Frame | None:
        """The newest frame; None before the first."""
        return self._newest

    @property
    def read(self) -> Frame | None:
        """The frame that the dice were read from; the newest one before the first reading."""
        return self._read or self._newest

    def keep_read(self, frame: Frame) -> None:
        """Keep a frame that dice were read from, before anyone hears of the reading. From the camera's thread."""
        self._read = frame

    def read_picture(self) -> Picture | None:
        """Return the picture that the dice were read from, as large as the frame. Any thread."""
        with self._lock:
            read, packed = self.read, self._read_packed
            if read is not None and (packed is None or packed.sequence != read.sequence):
                self._read_packed = packed = self._pack(read, read.width_px)
            return packed

    def put(self, frame: Frame) -> None:
        """Store the next frame; returns at once. From the camera's thread."""
        self._newest = frame

    def stir(self, *, moving: bool) -> None:
        """Record that motion begins or ends, which makes the next picture a new one."""
        self._moving = moving
        self._stirs += 1

    def picture(self, width_px: int | None = None) -> Picture | None:
        """Return the picture to show now. Any thread.

        Args:
            width_px: Its width on the screen; rounded up to a few sizes, never larger than the frame. None: the
                frame's.
        """
        with self._lock:
            # Read under the lock, so that a waiting thread does not replace a newer frame by an older one.
            newest = self._newest
            if newest is None:
                return None
            if self._is_news(newest):
                self._shown, self._packed, self._version = newest, {}, self._version + 1
            shown = self._shown or newest
            step = self._params.step_px
            wanted = shown.width_px if width_px is None else min(shown.width_px, -(-width_px // step) * step)
            if wanted not in self._packed:
                self._packed[wanted] = self._pack(shown, wanted)
            return self._packed[wanted]

    def _is_news(self, frame: Frame) -> bool:
        shown = self._shown
        if frame.sequence == self._compared:
            return False
        stirs = self._stirs
        small, detail = small_of(frame), _detail_of(frame.image_bgr)
        self._compared = frame.sequence
        before = self._shown_small
        if (
            stirs != self._shown_stirs
            or self._moving
            or shown is None
            or before is None
            or shown.image_bgr.shape != frame.image_bgr.shape
            or abs(detail - self._shown_detail) > self._params.sharp_share * self._shown_detail
            or self._differs(small, before)
        ):
            self._shown_small, self._shown_detail, self._shown_stirs = small, detail, stirs
            return True
        return False

    def _differs(self, small: ImageBgr, before: ImageBgr) -> bool:
        params = self._params
        mean, mean_before = (np.array(cv2.mean(one)[:3]) for one in (small, before))
        if bool(np.any(np.abs(mean - mean_before) > np.maximum(2.0, params.light_share * mean_before))):
            return True
        cells, allowed = compare(gray_of(small), gray_of(before))
        noise = min(noise_of(cells), params.max_noise)
        return bool(np.any(cells > change_level(noise) + allowed))

    def _pack(self, frame: Frame, width_px: int) -> Picture:
        image: npt.NDArray[np.uint8] = frame.image_bgr
        if width_px < frame.width_px:
            size = width_px, max(1, round(frame.height_px * width_px / frame.width_px))
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self._params.jpeg_quality])
        return Picture(self._version, jpeg.tobytes(), frame.sequence, (frame.width_px, frame.height_px))


def _detail_of(image: ImageBgr) -> float:
    """Return the amount of fine detail in a picture's middle, relative to brightness; noise adds a constant share."""
    height, width = image.shape[:2]
    middle = image[height // 4 : height - height // 4, width // 4 : width - width // 4]
    gray = cv2.cvtColor(middle, cv2.COLOR_BGR2GRAY)
    _, deviation = cv2.meanStdDev(cv2.Laplacian(gray, cv2.CV_16S))
    return float((deviation[0, 0] / (cv2.mean(gray)[0] + 1.0)) ** 2)
