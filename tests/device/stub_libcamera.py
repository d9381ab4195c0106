"""The part of libcamera's Python binding that picamera2 needs, over the sensors of pi_sensors.py: no Pi, no camera.

It decides what libcamera decides on a Pi: which modes there are and what part of the sensor each reads, how rows are
padded, which controls a camera offers, that only one program has a camera, and each picture's metadata. Everything else
is the real picamera2 (test_real_picamera2.py). A thread per camera completes the waiting requests, one every few
milliseconds.
"""

import enum
import mmap
import os
import sys
import threading
import types
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from tests.device.pi_sensors import SENSORS, Mode, Sensor, scaler_crop, stride_of

SOCKETS = ("rp1/i2c@88000", "rp1/i2c@80000")
"""A Pi 5's CAM0 and CAM1."""
PADDING = 255
PACE_S = 0.005
SCAN_FRAMES = 40
"""Least number of pictures in an autofocus of a Camera Module 3; picamera2 must see one of them scanning."""


@dataclass
class World:
    """What is attached, and its faults; a single one, as there is one libcamera in a process."""

    sensors: tuple[str, ...] = ("imx708",)
    webcams: tuple[str, ...] = ()
    platform: str = "pisp"
    busy: bool = False
    ignores_sensor: bool = False
    sharp_dioptres: float | None = 3.45
    pulled: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)
    manager: Any = None
    configured: list[Mode] = field(default_factory=list)

    def switch_off_and_on(self) -> None:
        """Reset everything but what is attached; the program restarts libcamera as well."""
        if self.manager is not None:
            os.close(self.manager.event_fd)
            self.manager = None
        sys.modules["picamera2"].Picamera2._cm._cms = None


world = World()


class Size:
    def __init__(self, width: int = 0, height: int = 0) -> None:
        self.width, self.height = width, height


class Rectangle:
    def __init__(self, x: int = 0, y: int = 0, width: int = 0, height: int = 0) -> None:
        self.x, self.y, self.width, self.height = x, y, width, height


class Transform:
    def __init__(self, other: "Transform | None" = None, hflip: int = 0, vflip: int = 0, transpose: int = 0) -> None:
        self.hflip: bool = other.hflip if other else bool(hflip)
        self.vflip: bool = other.vflip if other else bool(vflip)
        self.transpose: bool = other.transpose if other else bool(transpose)

    def __str__(self) -> str:
        return f"hflip={self.hflip} vflip={self.vflip} transpose={self.transpose}"


class ColorSpace:
    YcbcrEncoding = enum.Enum("YcbcrEncoding", "Null Rec601 Rec709")
    Range = enum.Enum("Range", "Full Limited")

    def __init__(self, other: "ColorSpace | None" = None, name: str = "") -> None:
        self.primaries: str = other.primaries if other else name
        self.transferFunction: str = other.transferFunction if other else name
        self.ycbcrEncoding: ColorSpace.YcbcrEncoding = other.ycbcrEncoding if other else ColorSpace.YcbcrEncoding.Rec601
        self.range: ColorSpace.Range = other.range if other else ColorSpace.Range.Full

    def __str__(self) -> str:
        return str(self.primaries)

    @staticmethod
    def Sycc() -> "ColorSpace":  # noqa: N802 - libcamera's own names, here and below
        return ColorSpace(name="sycc")

    @staticmethod
    def Smpte170m() -> "ColorSpace":  # noqa: N802
        return ColorSpace(name="smpte170m")

    @staticmethod
    def Rec709() -> "ColorSpace":  # noqa: N802
        return ColorSpace(name="rec709")

    @staticmethod
    def Raw() -> "ColorSpace":  # noqa: N802
        return ColorSpace(name="raw")


class PixelFormat:
    def __init__(self, name: str) -> None:
        self._name = name

    def __str__(self) -> str:
        return self._name


class SensorConfiguration:
    bit_depth = 0
    output_size = Size()


Orientation = enum.Enum(
    "Orientation",
    "Rotate0 Rotate0Mirror Rotate180 Rotate180Mirror Rotate90 Rotate90Mirror Rotate270 Rotate270Mirror",
)
StreamRole = enum.Enum("StreamRole", "Raw StillCapture VideoRecording Viewfinder")
ControlType = enum.Enum("ControlType", "Null Bool Integer32 Float Rectangle Size")
AfModeEnum = enum.IntEnum("AfModeEnum", {"Manual": 0, "Auto": 1, "Continuous": 2})
AfTriggerEnum = enum.IntEnum("AfTriggerEnum", {"Start": 0, "Cancel": 1})
AfStateEnum = enum.IntEnum("AfStateEnum", {"Idle": 0, "Scanning": 1, "Focused": 2, "Failed": 3})


@dataclass(frozen=True)
class ControlId:
    name: str
    type: Any = ControlType.Integer32


@dataclass(frozen=True)
class ControlInfo:
    min: Any
    max: Any
    default: Any


CONTROL = {
    name: ControlId(name, ControlType.Rectangle if name == "ScalerCrop" else ControlType.Integer32)
    for name in [
        "AeEnable",
        "AfMode",
        "AfState",
        "AfTrigger",
        "AnalogueGain",
        "AnalogueGainMode",
        "AwbEnable",
        "ColorFilterArrangement",
        "ColourGains",
        "DigitalGain",
        "ExposureTime",
        "ExposureTimeMode",
        "FrameDurationLimits",
        "LensPosition",
        "Location",
        "Model",
        "NoiseReductionMode",
        "PixelArraySize",
        "Rotation",
        "ScalerCrop",
        "SensorTimestamp",
    ]
}


class FrameBuffer:
    class Plane:
        fd = offset = length = 0

    def __init__(self, planes: list[Any]) -> None:
        self.planes = planes
        self.metadata = types.SimpleNamespace(status=FrameMetadata.Status.Success)


class FrameMetadata:
    Status = enum.Enum("Status", "Success Error Cancelled Startup")


class Request:
    Status = enum.Enum("Status", "Pending Complete Cancelled")

    def __init__(self, cookie: int) -> None:
        self.cookie = cookie
        self.buffers: dict[Any, FrameBuffer] = {}
        self.metadata: dict[ControlId, Any] = {}
        self.requests: dict[ControlId, Any] = {}
        self.status = Request.Status.Pending

    def add_buffer(self, stream: Any, buffer: FrameBuffer) -> None:
        self.buffers[stream] = buffer

    def set_control(self, control: ControlId, value: Any) -> None:
        self.requests[control] = value

    def reuse(self) -> None:
        self.metadata, self.requests = {}, {}


@dataclass(eq=False)
class StreamConfiguration:
    sizes: list[tuple[int, int]]
    size: Size = field(default_factory=Size)
    pixel_format: Any = None
    buffer_count: int = 4
    stride: int = 0
    frame_size: int = 0
    color_space: Any = None
    stream: Any = None

    @property
    def formats(self) -> Any:
        return self.raw_formats  # type: ignore[attr-defined]


class CameraConfiguration:
    Status = enum.Enum("Status", "Valid Adjusted Invalid")

    def __init__(self, camera: "Camera", roles: list[Any]) -> None:
        self.camera = camera
        self.orientation = Orientation.Rotate0
        self.sensor_config: SensorConfiguration | None = None
        self.mode: Mode | None = None
        self._streams = [StreamConfiguration([], stream=object()) for _ in roles]
        for stream, role in zip(self._streams, roles, strict=True):
            stream.raw_formats = RawFormats(camera.sensor) if role is StreamRole.Raw else None  # type: ignore[attr-defined]

    def at(self, index: int) -> StreamConfiguration:
        return self._streams[index]

    def __iter__(self) -> Any:
        return iter(self._streams)

    def validate(self) -> Any:
        """Select the mode, adjust a raw stream to it, and pad every row."""
        wanted = self.sensor_config
        assert wanted is not None, "picamera2 sets up the sensor of every camera on a ribbon"
        modes = [
            mode
            for mode in self.camera.sensor.modes
            if (mode.bit_depth, mode.size) == (wanted.bit_depth, (wanted.output_size.width, wanted.output_size.height))
        ]
        if not modes:
            return CameraConfiguration.Status.Invalid
        self.mode = modes[0]
        if world.ignores_sensor and len(self._streams) == 3:
            self.mode = self.camera.sensor.modes[0]  # its own choice, once it must give a small stream as well
        status = CameraConfiguration.Status.Valid
        for stream in self._streams:
            name = str(stream.pixel_format)
            if name.startswith("S"):
                if (stream.size.width, stream.size.height) != self.mode.size:
                    stream.size, status = Size(*self.mode.size), CameraConfiguration.Status.Adjusted
                stream.pixel_format = PixelFormat(f"SRGGB{self.mode.bit_depth}_CSI2P")
                stream.stride = stream.size.width * self.mode.bit_depth // 8
                stream.frame_size = stream.stride * stream.size.height
                continue
            stream.stride = stride_of(name, stream.size.width, world.platform)
            rows = stream.size.height * 3 // 2 if name == "YUV420" else stream.size.height
            stream.frame_size = stream.stride * rows
        return status


class RawFormats:
    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor
        self.pixel_formats = [
            PixelFormat(f"SRGGB{depth}_CSI2P") for depth in dict.fromkeys(mode.bit_depth for mode in sensor.modes)
        ]

    def sizes(self, pixel_format: PixelFormat) -> list[Size]:
        return [Size(*mode.size) for mode in self._sensor.modes if f"SRGGB{mode.bit_depth}_" in str(pixel_format)]


class Camera:
    """One camera on a ribbon."""

    def __init__(self, sensor: Sensor, socket: str) -> None:
        self.sensor = sensor
        self.id = f"/base/axi/pcie@1000120000/{socket}/{sensor.model}@1a"
        self._mode = sensor.modes[-1]
        self._main = sensor.modes[-1].size
        self._values: dict[str, Any] = {"LensPosition": 1.0, "AfState": AfStateEnum.Idle}
        self._streams: list[StreamConfiguration] = []
        self._waiting: deque[Request] = deque()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._count = 0
        self._scan = 0
        self._maps: dict[int, mmap.mmap] = {}

    @property
    def properties(self) -> dict[ControlId, Any]:
        return {
            CONTROL["Model"]: self.sensor.model,
            CONTROL["Location"]: 2,
            CONTROL["Rotation"]: 180,
            CONTROL["ColorFilterArrangement"]: 0,
            CONTROL["PixelArraySize"]: Size(*self.sensor.array_px),
        }

    @property
    def controls(self) -> dict[ControlId, ControlInfo]:
        whole = Rectangle(*self._mode.crop)
        offered = {
            "AeEnable": (False, True, True),
            "AnalogueGain": (1.0, 16.0, 1.0),
            "AwbEnable": (False, True, True),
            "ColourGains": (0.0, 32.0, None),
            "ExposureTime": (31, 66_512_892, 20_000),
            "FrameDurationLimits": (round(1e6 / self._mode.fps), 10_000_000, 33_333),
            "NoiseReductionMode": (0, 4, 0),
            "ScalerCrop": (Rectangle(0, 0, 64, 64), whole, whole),
        }
        if self.sensor.moves:
            offered |= {"AfMode": (0, 2, 0), "AfTrigger": (0, 1, 0), "LensPosition": (0.0, 15.0, 1.0)}
        return {CONTROL[name]: ControlInfo(*limits) for name, limits in offered.items()}

    def generate_configuration(self, roles: list[Any]) -> CameraConfiguration:
        return CameraConfiguration(self, roles)

    def acquire(self) -> None:
        if world.busy:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")

    def release(self) -> None:
        self.acquired = False

    def configure(self, configuration: CameraConfiguration) -> int:
        assert configuration.mode is not None
        self._mode = configuration.mode
        self._streams = list(configuration)
        self._main = (self._streams[0].size.width, self._streams[0].size.height)
        world.configured.append(self._mode)
        return 0

    def create_request(self, cookie: int) -> Request:
        return Request(cookie)

    def start(self, controls: dict[ControlId, Any]) -> None:
        self._take(controls)
        self._stopping.clear()
        self._thread = threading.Thread(target=self._expose, daemon=True)
        self._thread.start()

    def queue_request(self, request: Request) -> None:
        request.status = Request.Status.Pending
        self._waiting.append(request)

    def stop(self) -> None:
        world.free.wait()
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._waiting.clear()
        for memory in self._maps.values():
            memory.close()
        self._maps.clear()

    def _expose(self) -> None:
        while not self._stopping.wait(PACE_S):
            if self._waiting and not world.pulled.is_set():
                self._complete(self._waiting.popleft())

    def _complete(self, request: Request) -> None:
        self._count += 1
        self._take(request.requests)
        for stream in self._streams:
            self._fill(stream, request.buffers[stream.stream])
        reported = {
            "SensorTimestamp": 5_000_000_000 + self._count * 50_000_000,
            "ExposureTime": 20_000,
            "AnalogueGain": 1.5,
            "DigitalGain": 1.0,
            "ColourGains": (1.8, 1.6),
            "ScalerCrop": Rectangle(*scaler_crop(self._mode, self._main)),
        }
        if self.sensor.moves:
            reported |= {"LensPosition": self._values["LensPosition"], "AfState": self._values["AfState"]}
        request.metadata = {CONTROL[name]: value for name, value in reported.items()}
        request.status = Request.Status.Complete
        world.manager.complete(request)

    def _take(self, controls: dict[ControlId, Any]) -> None:
        self._values |= {control.name: value for control, value in controls.items()}
        if CONTROL["AfTrigger"] in controls:
            self._scan = SCAN_FRAMES
        elif self._scan > 0 and world.sharp_dioptres is not None:
            self._scan -= 1
            if self._scan == 0:
                self._values["LensPosition"] = world.sharp_dioptres or 1.0
        if self._scan > 0:
            self._values["AfState"] = AfStateEnum.Scanning
        elif self._values["AfState"] == AfStateEnum.Scanning:
            self._values["AfState"] = AfStateEnum.Focused if world.sharp_dioptres else AfStateEnum.Failed

    def _fill(self, stream: StreamConfiguration, buffer: FrameBuffer) -> None:
        """Fill it with a grey that counts the pictures; the bytes beyond a row's end do not belong to the picture."""
        name, width, height = str(stream.pixel_format), stream.size.width, stream.size.height
        if name.startswith("S"):
            return
        fd = buffer.planes[0].fd
        if fd not in self._maps:
            self._maps[fd] = mmap.mmap(fd, stream.frame_size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        pixels = np.frombuffer(self._maps[fd], np.uint8)
        pixels[:] = PADDING
        luma = pixels[: stream.stride * height].reshape(height, stream.stride)
        luma[:, : width if name == "YUV420" else 3 * width] = self._count % 256
        if name == "YUV420":
            pixels[stream.stride * height :].reshape(height, stream.stride // 2)[:, : width // 2] = 128


class CameraManager:
    def __init__(self) -> None:
        # In the order in which their drivers came up, which says nothing of sockets.
        webcams = [Camera(SENSORS[name], f"usb@{number}") for number, name in enumerate(world.webcams)]
        on_ribbons = [Camera(SENSORS[name], socket) for name, socket in zip(world.sensors, SOCKETS, strict=False)]
        self.cameras = webcams + on_ribbons[::-1]
        self.event_fd = os.eventfd(0, os.EFD_NONBLOCK)
        self._ready: deque[Request] = deque()

    @staticmethod
    def singleton() -> "CameraManager":
        if world.manager is None:
            world.manager = CameraManager()
        return world.manager  # type: ignore[no-any-return]

    def complete(self, request: Request) -> None:
        self._ready.append(request)
        os.eventfd_write(self.event_fd, 1)

    def get_ready_requests(self) -> list[Request]:
        with suppress(BlockingIOError):
            os.eventfd_read(self.event_fd)
        ready = []
        while self._ready:
            ready.append(self._ready.popleft())
        return ready


def modules() -> dict[str, types.ModuleType]:
    """Return what `import picamera2` must find: this as libcamera, and what picamera2 loads and the tray never uses."""
    here = sys.modules[__name__]
    libcamera = types.ModuleType("libcamera")
    for name in [
        "Camera",
        "CameraConfiguration",
        "CameraManager",
        "ColorSpace",
        "ControlType",
        "FrameBuffer",
        "FrameMetadata",
        "Orientation",
        "PixelFormat",
        "Rectangle",
        "Request",
        "SensorConfiguration",
        "Size",
        "StreamRole",
        "Transform",
    ]:
        setattr(libcamera, name, getattr(here, name))
    noise = enum.IntEnum(  # type: ignore[misc]
        "NoiseReductionModeEnum", {"Off": 0, "Fast": 1, "HighQuality": 2, "Minimal": 3}
    )
    libcamera.controls = types.SimpleNamespace(  # type: ignore[attr-defined]
        **CONTROL,
        AfModeEnum=AfModeEnum,
        AfTriggerEnum=AfTriggerEnum,
        AfStateEnum=AfStateEnum,
        draft=types.SimpleNamespace(NoiseReductionModeEnum=noise),
    )
    libcamera.properties = types.SimpleNamespace()  # type: ignore[attr-defined]
    libcamera._libcamera = libcamera  # type: ignore[attr-defined]
    made = {"libcamera": libcamera}
    # Loaded by picamera2 but not used here: files, screens, child processes. Any name will do.
    for name in ("PIL", "PIL.Image", "piexif", "pidng", "pidng.camdefs", "pidng.core", "prctl", "pykms"):
        made[name] = _Anything(name)
    made["PIL"].Image = made["PIL.Image"]  # type: ignore[attr-defined]
    return made


class _Anything(types.ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=f"{self.__name__}.{name}")
