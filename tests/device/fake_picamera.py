"""A fake of picamera2's `Picamera2`, with its signatures, to test the Pi camera's adapter without a Pi.

It refuses and distorts as the real one does: it takes the sensor's mode from `sensor` or, without it, the one nearest
in size; pads rows like the Pi's scaler; refuses controls that the camera does not offer; gives no picture before
`start`; lacks a buffer that is not returned; lets jobs wait with a limit; a wedged driver never returns from `stop`; a
constructor that fails leaves its pipe open. Tests compare its signatures with the real library's, and the adapter is
also tested on the real library (test_real_picamera2.py).
"""

import os
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.device.pi_sensors import SENSORS, Mode, Sensor, nearest_mode, scaler_crop, stride_of

PADDING = 255
"""Content between the end of a row and its stride: whatever was there before."""


class FakeRequest:
    """One picture, in a buffer that belongs to the camera until `release`."""

    def __init__(self, camera: "FakePicamera2", number: int) -> None:
        self._camera = camera
        self._number = number
        self._held = True

    def make_array(self, name: str) -> npt.NDArray[np.uint8]:
        """Return a copy of the stream's pixels; their grey counts the pictures. YUV keeps its padding, RGB loses it."""
        stream = self._camera.configured[name]
        width_px, height_px = stream["size"]
        grey = self._number % 256
        if stream["format"] != "YUV420":
            return np.full((height_px, width_px, 3), grey, np.uint8)
        stride = stride_of("YUV420", width_px, self._camera.platform)
        luma = np.full((height_px, stride), PADDING, np.uint8)
        luma[:, :width_px] = grey
        chroma = np.full((height_px, stride // 2), PADDING, np.uint8)
        chroma[:, : width_px // 2] = 128
        return np.concatenate([luma, chroma.reshape(height_px // 2, stride)])

    def get_metadata(self) -> dict[str, Any]:
        """Return the part of the metadata that is used."""
        return self._camera.metadata(self._number)

    def release(self) -> None:
        """Return the buffer; calling it twice is the caller's error, as in the real one."""
        if not self._held:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        self._held = False
        self._camera.buffers_out -= 1


class FakePicamera2:
    """A camera with so many pictures.

    Attributes:
        sensors: On the ribbons, by name; a test sets this and the following on its own subclass.
        webcams: USB cameras besides.
        platform: `pisp` for a Pi 5, `vc4` for a Pi 4.
        busy: Whether another program has the camera.
        ignores_sensor: Whether the driver takes the first mode whatever is requested.
        sharp_dioptres: Where its autofocus finds something sharp; 0 if it finds nothing, None if it never ends.
        configured: The active configuration.
        configurations: All of them, in order, except those made by reading `sensor_modes`.
        mode: The active mode of its sensor.
        buffers_out: Number of buffers not returned.
        log: The calls, in order.
        pulled: Whether the cable is out: no more pictures come.
        controls: Those set while it ran.
        sees: The choices of its automatics.
    """

    sensors: tuple[str, ...] = ("imx708",)
    webcams: tuple[str, ...] = ()
    platform = "pisp"
    busy = False
    ignores_sensor = False
    sharp_dioptres: float | None = 3.45

    def __init__(
        self, camera_num: int = 0, verbose_console: Any = None, tuning: Any = None, allocator: Any = None
    ) -> None:
        del verbose_console, tuning, allocator
        self.is_open = False
        self.notifyme_r, self.notifyme_w = os.pipe2(os.O_NONBLOCK)
        self.notifymeread = os.fdopen(self.notifyme_r, "rb")
        if camera_num >= len(self.global_camera_info()):
            raise RuntimeError(f"No camera number {camera_num} found")
        if self.busy:
            cause = RuntimeError("Failed to acquire camera: Device or resource busy")
            raise RuntimeError("Camera __init__ sequence did not complete.") from cause
        self.is_open = True
        self.camera_num = camera_num
        self.sensor: Sensor = SENSORS[self.sensors[camera_num]]
        self.mode: Mode = self.sensor.modes[-1]
        self.configured: dict[str, Any] = {}
        self.configurations: list[dict[str, Any]] = []
        self.buffers_out = 0
        self.log: list[str] = []
        self.pulled = False
        self.lens_dioptres = 1.0
        self.controls: dict[str, Any] = {}
        self.sees = {"ExposureTime": 20_000, "AnalogueGain": 1.5, "DigitalGain": 1.0, "ColourGains": (1.8, 1.6)}
        self._free = threading.Event()
        self._free.set()
        self._number = 0
        self._started = False

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        """Return what is attached; cameras on ribbons first."""
        names = [(model, f"/base/soc/i2c0mux/i2c@1/{model}@1a") for model in cls.sensors]
        names += [(model, f"/base/scb/pcie@7d500000/usb@1/{model}") for model in cls.webcams]
        return [{"Model": model, "Id": path, "Num": number} for number, (model, path) in enumerate(names)]

    @property
    def camera_properties(self) -> dict[str, Any]:
        """The part of the properties that is used."""
        return {"Model": self.sensor.model, "PixelArraySize": self.sensor.array_px, "ColorFilterArrangement": 0}

    @property
    def camera_controls(self) -> dict[str, Any]:
        """The available controls with their ranges; the lens's only if it has a motor."""
        offered: dict[str, Any] = {
            "FrameDurationLimits": (round(1e6 / self.mode.fps), 10_000_000, 33_333),
            "AeEnable": (False, True, True),
            "ExposureTime": (31, 66_512_892, 20_000),
            "AnalogueGain": (1.0, 16.0, 1.0),
            "AwbEnable": (False, True, True),
            "ColourGains": (0.0, 32.0, None),
            "ScalerCrop": ((0, 0, 64, 64), self.mode.crop, self.mode.crop),
        }
        if self.sensor.moves:
            offered |= {"AfMode": (0, 2, 0), "AfTrigger": (0, 1, 0), "LensPosition": (0.0, 15.0, 1.0)}
        return offered

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        """The sensor's modes."""
        if self._started:
            raise RuntimeError("Camera must be stopped before configuring")
        return [
            {
                "format": f"SRGGB{mode.bit_depth}_CSI2P",
                "unpacked": f"SRGGB{mode.bit_depth}",
                "bit_depth": mode.bit_depth,
                "size": mode.size,
                "fps": mode.fps,
                "crop_limits": mode.crop,
                "exposure_limits": (31, 66_512_892),
            }
            for mode in self.sensor.modes
        ]

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
        """Return the arguments as a configuration."""
        del transform, colour_space, display, encode
        return {
            "use_case": use_case,
            "main": main,
            "lores": lores,
            "raw": raw,
            "buffer_count": buffer_count,
            "controls": controls,
            "queue": queue,
            "sensor": sensor,
        }

    def configure(self, camera_config: Any = None) -> None:
        """Run with these streams, in the named mode, or else in the one nearest to the picture's size."""
        if self._started:
            raise RuntimeError("Camera must be stopped before configuring")
        self.log.append("configure")
        sensor = camera_config["sensor"] or {}
        wanted_px = sensor.get("output_size") or camera_config["main"]["size"]
        depth = sensor.get("bit_depth") or max(mode.bit_depth for mode in self.sensor.modes)
        self.mode = self.sensor.modes[0] if self.ignores_sensor else nearest_mode(self.sensor, wanted_px, depth)
        self._refuse_unknown(camera_config["controls"])
        self.configured = dict(camera_config)
        self.configurations.append(self.configured)

    def _refuse_unknown(self, controls: Any) -> None:
        for name in controls or {}:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")

    def metadata(self, number: int) -> dict[str, Any]:
        """Return the driver's metadata of a picture."""
        lens = {"LensPosition": self.lens_dioptres} if self.sensor.moves else {}
        crop = scaler_crop(self.mode, self.configured["main"]["size"])
        return {"SensorTimestamp": 5_000_000_000 + number * 50_000_000, "ScalerCrop": crop} | self.sees | lens

    def start(self, config: Any = None, show_preview: Any = False) -> None:
        """Start."""
        del config, show_preview
        if not self.configured:
            raise RuntimeError("Camera has not been configured")
        self.log.append("start")
        self.lens_dioptres = self.configured["controls"].get("LensPosition", self.lens_dioptres)
        self._started = True

    def capture_request(
        self, wait: Any = None, signal_function: Callable[[Any], None] | None = None, flush: Any = None
    ) -> Any:
        """Return a job, only with `wait` False, which is the only way that cannot hang."""
        del signal_function, flush
        if wait is not False:
            raise AssertionError("capture_request without wait=False hangs for ever once the cable is pulled")
        return self._number

    def wait(self, job: Any, timeout: float | None = None) -> Any:
        """Return the job's result; never after the cable is pulled."""
        if timeout is None:
            raise AssertionError("a wait without a limit hangs for ever once the cable is pulled")
        if self.pulled or not self._started or timeout <= 0.0:
            raise TimeoutError
        if job == "focus":
            if self.sharp_dioptres is None:
                raise TimeoutError
            self.lens_dioptres = self.sharp_dioptres or 1.0
            return self.sharp_dioptres != 0.0
        if job == "metadata":
            self._number += 1
            return self.metadata(self._number)
        if self.buffers_out >= self.configured["buffer_count"]:
            raise TimeoutError
        self.buffers_out += 1
        self._number += 1
        return FakeRequest(self, self._number)

    def capture_metadata(self, wait: Any = None, signal_function: Callable[[Any], None] | None = None) -> Any:
        """Return a job for the metadata of the next picture."""
        del signal_function
        if wait is not False:
            raise AssertionError("capture_metadata without wait=False hangs for ever once the cable is pulled")
        return "metadata"

    def autofocus_cycle(self, wait: Any = None, signal_function: Callable[[Any], None] | None = None) -> Any:
        """Return a job that focuses on `sharp_dioptres`, if the lens moves."""
        del signal_function
        if wait is not False:
            raise AssertionError("autofocus_cycle without wait=False hangs for ever once the cable is pulled")
        self.set_controls({"AfMode": 1, "AfTrigger": 0})
        return "focus"

    def set_controls(self, controls: Any) -> None:
        """Apply them from the next picture on."""
        self._refuse_unknown(controls)
        self.controls.update(controls)
        self.lens_dioptres = controls.get("LensPosition", self.lens_dioptres)

    def cancel_all_and_flush(self) -> None:
        """Cancel every job."""
        self.log.append("cancel")

    def stop(self) -> None:
        """Stop; a wedged driver does not return."""
        self.log.append("stop")
        self._free.wait()
        self._started = False

    def close(self) -> None:
        """Close. Does nothing if the camera is not open, like the real one."""
        if not self.is_open:
            return
        self.log.append("close")
        self.is_open = False
        self._started = False
        self.notifymeread.close()
        os.close(self.notifyme_w)

    def wedge(self) -> None:
        """Make `stop` hang from now on."""
        self._free.clear()

    def unwedge(self) -> None:
        """Let a hanging `stop` return, so that a test can end."""
        self._free.set()


def plug_in(monkeypatch: Any, kind: type[FakePicamera2]) -> None:
    """Let `import picamera2` find this camera."""
    library = types.ModuleType("picamera2")
    library.Picamera2 = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", library)
