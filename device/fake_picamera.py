"""A stand-in for picamera2's `Picamera2`, with its signatures: what the Pi camera's adapter is tried on without a Pi.

It obeys the same rules where they matter: no pictures before `start`, a buffer that is not handed back is missing, jobs
wait with a limit, a wedged driver never comes back from `stop`. Tests hold its signatures against the real library's.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt


class FakeRequest:
    """One taken picture, in a buffer that belongs to the camera until `release`."""

    def __init__(self, camera: "FakePicamera2", number: int) -> None:
        self._camera = camera
        self._number = number
        self._held = True

    def make_array(self, name: str) -> npt.NDArray[np.uint8]:
        """A copy of the stream's pixels; their grey level counts the pictures."""
        stream = self._camera.configured[name]
        width_px, height_px = stream["size"]
        if stream["format"] == "YUV420":
            return np.full((height_px * 3 // 2, width_px), self._number % 256, np.uint8)
        return np.full((height_px, width_px, 3), self._number % 256, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        """As much of the metadata as is used."""
        return {"SensorTimestamp": 5_000_000_000 + self._number * 50_000_000}

    def release(self) -> None:
        """Hand the buffer back; twice is a fault of the caller, as in the real one."""
        if not self._held:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        self._held = False
        self._camera.buffers_out -= 1


class FakePicamera2:
    """A camera of so many pictures.

    Attributes:
        configured: The configuration it runs with.
        buffers_out: Buffers not handed back.
        log: The calls that came, in order.
        pulled: The cable is out: no picture comes any more.
        sharp_dioptres: Where its autofocus finds the floor; 0 where it finds nothing, None for a fixed lens.
        controls: Those set while it ran.
        sees: What its automatics chose.
    """

    def __init__(
        self, camera_num: int = 0, verbose_console: Any = None, tuning: Any = None, allocator: Any = None
    ) -> None:
        del verbose_console, tuning, allocator
        self.camera_num = camera_num
        self.configured: dict[str, Any] = {}
        self.buffers_out = 0
        self.log: list[str] = []
        self.pulled = False
        self.sharp_dioptres: float | None = None
        self.controls: dict[str, Any] = {}
        self.sees = {"ExposureTime": 20_000, "AnalogueGain": 1.5, "DigitalGain": 1.0, "ColourGains": (1.8, 1.6)}
        self._free = threading.Event()
        self._free.set()
        self._number = 0
        self._started = False

    def create_video_configuration(  # noqa: PLR0917 - the real one's signature
        self,
        main: Any = None,
        lores: Any = None,
        raw: Any = None,
        transform: Any = None,
        colour_space: Any = None,
        buffer_count: int = 6,
        controls: Any = None,
        display: str = "main",
        encode: str = "main",
        queue: bool = True,
        sensor: Any = None,
        use_case: str = "video",
    ) -> dict[str, Any]:
        """The same back as a configuration."""
        del transform, colour_space, display, encode, sensor
        return {
            "use_case": use_case,
            "main": main,
            "lores": lores,
            "raw": raw,
            "buffer_count": buffer_count,
            "controls": controls,
            "queue": queue,
        }

    def configure(self, camera_config: Any = None) -> None:
        """Run with these streams."""
        self.log.append("configure")
        self.configured = dict(camera_config)

    def start(self, config: Any = None, show_preview: Any = False) -> None:
        """Begin."""
        del config, show_preview
        if not self.configured:
            raise RuntimeError("Camera has not been configured")
        self.log.append("start")
        self._started = True

    def capture_request(
        self, wait: Any = None, signal_function: Callable[[Any], None] | None = None, flush: Any = None
    ) -> Any:
        """A job where `wait` is False, which is the only way that cannot hang."""
        del signal_function, flush
        if wait is not False:
            raise AssertionError("capture_request without wait=False hangs for ever once the cable is pulled")
        return self._number

    def wait(self, job: Any, timeout: float | None = None) -> Any:
        """What the job asked for; never anything once the cable is pulled."""
        if timeout is None:
            raise AssertionError("a wait without a limit hangs for ever once the cable is pulled")
        if self.pulled or not self._started or timeout <= 0.0:
            raise TimeoutError
        if job == "focus":
            return self.sharp_dioptres != 0.0
        if job == "metadata":
            self._number += 1
            return dict(self.sees, LensPosition=self.sharp_dioptres)
        if self.buffers_out >= self.configured["buffer_count"]:
            raise TimeoutError
        self.buffers_out += 1
        self._number += 1
        return FakeRequest(self, self._number)

    def capture_metadata(self, wait: Any = None, signal_function: Callable[[Any], None] | None = None) -> Any:
        """A job for what the driver says of the next picture."""
        del signal_function
        if wait is not False:
            raise AssertionError("capture_metadata without wait=False hangs for ever once the cable is pulled")
        return "metadata"

    def autofocus_cycle(self, wait: Any = None, signal_function: Callable[[Any], None] | None = None) -> Any:
        """A job that focuses on `sharp_dioptres`, where the lens moves."""
        del signal_function
        if wait is not False:
            raise AssertionError("autofocus_cycle without wait=False hangs for ever once the cable is pulled")
        if self.sharp_dioptres is None:
            raise RuntimeError("Control AfMode is not advertised by libcamera")
        return "focus"

    def set_controls(self, controls: Any) -> None:
        """Remember them."""
        self.controls.update(controls)

    def cancel_all_and_flush(self) -> None:
        """Forget every job."""
        self.log.append("cancel")

    def stop(self) -> None:
        """End; a wedged driver does not come back."""
        self.log.append("stop")
        self._free.wait()
        self._started = False

    def close(self) -> None:
        """Let go."""
        self.log.append("close")
        self._started = False

    def wedge(self) -> None:
        """From now on `stop` hangs."""
        self._free.clear()

    def unwedge(self) -> None:
        """Let a hanging `stop` go, so that a test can end."""
        self._free.set()
