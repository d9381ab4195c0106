"""A recording as a camera: the same tray and dice, as often as needed."""

from collections.abc import Callable
from pathlib import Path

from device.errors import BadInput, DeviceError
from device.recording.recording import Recording, load_recording
from vision.types.frame import Frame


class ReplayCamera:
    """A `FrameSource` over a recording folder."""

    def __init__(
        self, folder: Path, pause: Callable[[float], None] | None = None, now_s: Callable[[], float] | None = None
    ) -> None:
        """Set the folder; nothing is read before `open`."""
        if (pause is None) != (now_s is None):
            raise ValueError("pause and now_s belong together: give both or none")
        self._folder = folder
        self._pause = pause
        self._now_s = now_s
        self._recording: Recording | None = None
        self._next = 0
        self._started_s = 0.0

    @property
    def name(self) -> str:
        """`replay:FOLDER`."""
        return f"replay:{self._folder}"

    @property
    def recording(self) -> Recording | None:
        """The recording while open."""
        return self._recording

    def open(self) -> None:
        try:
            self._recording = load_recording(self._folder)
        except BadInput as error:
            raise DeviceError(str(error)) from error
        self._next = 0
        if self._now_s is not None:
            self._started_s = self._now_s()

    def read(self, timeout_s: float) -> Frame | None:
        recording = self._recording
        if recording is None:
            raise DeviceError(f"{self.name} is not open: open it before reading")
        if self._next >= len(recording.frames):
            return None
        if self._pause is not None and self._now_s is not None:
            wait_s = self._started_s + self._next / recording.fps - self._now_s()
            if wait_s > timeout_s:
                self._pause(timeout_s)
                raise DeviceError(f"{self.name} has no frame for another {wait_s - timeout_s:.1f} s: wait longer")
            if wait_s > 0.0:
                self._pause(wait_s)
        try:
            frame = recording.load_frame(self._next)
        except (BadInput, OSError) as error:
            raise DeviceError(str(error)) from error
        self._next += 1
        return frame

    def close(self) -> None:
        """Release the recording. Safe to call twice and after a failure."""
        self._recording = None
