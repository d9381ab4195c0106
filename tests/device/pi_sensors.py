"""Raspberry Pi's sensors as in their public drivers, and libcamera's handling of a configuration.

Modes from drivers/media/i2c/{imx708,imx219,imx477,ov5647}.c of raspberrypi/linux, in the order of `rpicam-hello
--list-cameras`. Strides from libcamera's handlers: the scaler of a Pi 5 (PiSP) begins each row of each plane at a
multiple of 64 bytes, that of a Pi 4 (VC4) at one of 32.
"""

from dataclasses import dataclass

Rect = tuple[int, int, int, int]


@dataclass(frozen=True)
class Mode:
    """One mode of a sensor: size, bits, the part that is read, the highest rate."""

    size: tuple[int, int]
    bit_depth: int
    crop: Rect
    fps: float


@dataclass(frozen=True)
class Sensor:
    """A sensor with its modes, and whether its lens has a motor."""

    model: str
    modes: tuple[Mode, ...]
    moves: bool = False

    @property
    def array_px(self) -> tuple[int, int]:
        """Width and height of all its pixels."""
        return max(mode.crop[2] for mode in self.modes), max(mode.crop[3] for mode in self.modes)


_IMX708 = (
    Mode((1536, 864), 10, (768, 432, 3072, 1728), 120.13),
    Mode((2304, 1296), 10, (0, 0, 4608, 2592), 56.03),
    Mode((4608, 2592), 10, (0, 0, 4608, 2592), 14.35),
)
_IMX219 = tuple(
    Mode(size, depth, crop, fps)
    for depth in (10, 8)
    for size, crop, fps in (
        ((640, 480), (1000, 752, 1280, 960), 103.33),
        ((1640, 1232), (0, 0, 3280, 2464), 41.85),
        ((1920, 1080), (680, 692, 1920, 1080), 47.57),
        ((3280, 2464), (0, 0, 3280, 2464), 21.19),
    )
)
_IMX477 = (
    Mode((1332, 990), 10, (696, 528, 2664, 1980), 120.05),
    Mode((2028, 1080), 12, (0, 440, 4056, 2160), 50.03),
    Mode((2028, 1520), 12, (0, 0, 4056, 3040), 40.01),
    Mode((4056, 3040), 12, (0, 0, 4056, 3040), 10.0),
)
_OV5647 = (
    Mode((640, 480), 10, (16, 0, 2560, 1920), 58.92),
    Mode((1296, 972), 10, (0, 0, 2592, 1944), 46.34),
    Mode((1920, 1080), 10, (348, 434, 1928, 1080), 32.81),
    Mode((2592, 1944), 10, (0, 0, 2592, 1944), 15.63),
)

SENSORS = {
    sensor.model: sensor
    for sensor in (
        Sensor("imx708", _IMX708, moves=True),
        Sensor("imx708_wide", _IMX708, moves=True),
        Sensor("imx708_noir", _IMX708),  # as it appears if its lens's driver did not load
        Sensor("imx219", _IMX219),
        Sensor("imx477", _IMX477),
        Sensor("ov5647", _OV5647),
    )
}


def nearest_mode(sensor: Sensor, size: tuple[int, int], bit_depth: int) -> Mode:
    """Return the mode for a requested size and depth, by libcamera's score, which picamera2 repeats."""

    def differs(wanted: float, has: float) -> float:
        return (has - wanted) / 4 if has > wanted else (wanted - has) * 2

    def score(mode: Mode) -> float:
        shape = differs(size[0] / size[1], mode.size[0] / mode.size[1])
        return (
            differs(size[0], mode.size[0])
            + differs(size[1], mode.size[1])
            + 1500 * shape
            + 500 * abs(bit_depth - mode.bit_depth)
        )

    return min(sensor.modes, key=score)


def scaler_crop(mode: Mode, main: tuple[int, int]) -> Rect:
    """Return the crop of a picture of that size: the largest part of its shape in the mode's middle, in even pixels."""
    left, top, width, height = mode.crop
    if width * main[1] > height * main[0]:
        used = (height * main[0] // main[1] // 2 * 2, height)
    else:
        used = (width, width * main[1] // main[0] // 2 * 2)
    return (left + (width - used[0]) // 2, top + (height - used[1]) // 2, *used)


def stride_of(pixel_format: str, width: int, platform: str) -> int:
    """Return the bytes of one row of the first plane, padding included."""
    align = {"pisp": 64, "vc4": 32}[platform]
    if pixel_format == "YUV420":
        # The chroma planes have half of the stride and must fit as well.
        return -(-width // (2 * align)) * 2 * align
    return -(-width * {"RGB888": 3, "BGR888": 3, "XBGR8888": 4, "XRGB8888": 4}[pixel_format] // align) * align
