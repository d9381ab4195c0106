"""Make a recording: every frame of a camera into a folder, with the buttons pressed meanwhile."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from device.camera.base import FrameSource
from device.errors import BadInput
from device.game.buttons import BUTTONS
from device.recording.recording import Recording
from device.recording.writer import RecordingWriter
from vision.types.frame import Frame

BUTTON_KEYS = {typed: name for name, button in BUTTONS.items() for typed in (button.key, name)}
"""What to type to note a button."""


@dataclass(frozen=True, slots=True)
class RecordParams:
    frame_s: float = 5.0  # longest wait for a frame, in seconds
    measured_frames: int = 10  # number of frames from which the recording's frame rate is measured; at least 2
    seconds: float | None = None  # length of the recording in seconds; None if it runs until stopped


class Presses:
    """Buttons noted by a person for the next frame. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[str] = []

    def note(self, typed: str) -> bool:
        """Note a typed button; False if it is none."""
        button = BUTTON_KEYS.get(typed.strip().lower())
        if button is None:
            return False
        with self._lock:
            self._waiting.append(button)
        return True

    def take(self) -> list[str]:
        """Return the buttons noted since the last call."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return waiting


def record(
    camera: FrameSource,
    make_writer: Callable[[float], RecordingWriter],
    presses: Presses,
    stopped: threading.Event,
    *,
    params: RecordParams,
    on_start: Callable[[], None],
) -> Recording:
    """Record until the time is over, the camera ends, or it is stopped."""
    writer: RecordingWriter | None = None
    first: list[tuple[list[str], Frame]] = []
    camera.open()
    try:
        on_start()
        while not stopped.is_set():
            frame = camera.read(params.frame_s)
            if frame is None or _is_over(first, frame, params):
                break
            noted = presses.take()
            if writer is not None:
                _add(writer, noted, frame)
                continue
            first.append((noted, frame))
            if len(first) >= params.measured_frames:
                writer = _start(make_writer, first)
        if writer is None:
            writer = _start(make_writer, first)
    except BaseException:
        if writer is not None:
            writer.discard()
        raise
    finally:
        camera.close()
    return writer.finish()


def _is_over(first: list[tuple[list[str], Frame]], frame: Frame, params: RecordParams) -> bool:
    return bool(first) and params.seconds is not None and frame.t_s - first[0][1].t_s >= params.seconds


def _start(make_writer: Callable[[float], RecordingWriter], first: list[tuple[list[str], Frame]]) -> RecordingWriter:
    if not first:
        raise BadInput("the camera sent no frame: check the camera with pushtray doctor")
    length_s = first[-1][1].t_s - first[0][1].t_s
    fps = round((len(first) - 1) / length_s, 2) if length_s > 0.0 else 15.0
    writer = make_writer(fps)
    for noted, frame in first:
        _add(writer, noted, frame)
    return writer


def _add(writer: RecordingWriter, noted: list[str], frame: Frame) -> None:
    for button in noted:
        writer.add_press(button)
    writer.add_frame(frame.image_bgr)
