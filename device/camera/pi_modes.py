"""The sensor modes of a Pi camera, and the choice of one that sees the whole field.

By default picamera2 takes the mode whose size is nearest to the picture's, which often crops the sensor: a Camera
Module 3 to two thirds of the width. So the mode is named in every configuration, and the first picture shows whether it
was used.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from device.camera.usb_devices import first_usb
from device.errors import DeviceError

Rect: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height in the sensor's own pixels."""

FIELD_SLACK = 0.02
"""Share of the field that may be missing on a side: drivers round a crop to what their scaler supports."""


@dataclass(frozen=True, slots=True)
class SensorMode:
    size_px: tuple[int, int]
    bit_depth: int
    crop: Rect

    def as_sensor(self) -> dict[str, Any]:
        return {"output_size": self.size_px, "bit_depth": self.bit_depth}


def whole_field_mode(modes: Iterable[Mapping[str, Any]], main_px: tuple[int, int]) -> SensorMode:
    """Return the smallest mode that reads the whole field and is at least as large as the picture.

    Returns:
        The mode; if none with the whole field is as large as the picture, the largest. Of two equal sizes the one with
        more bits.
    """
    known = [
        SensorMode(_pair(mode["size"]), int(mode["bit_depth"]), _rect(mode["crop_limits"]))
        for mode in modes
        if "crop_limits" in mode
    ]
    if not known:
        raise DeviceError(f"camera pi reports no sensor mode: sudo apt full-upgrade, or choose --camera {first_usb()}")
    # Of equal crops the one at the sensor's corner: a driver is known to list one that exceeds the sensor.
    whole = max((mode.crop for mode in known), key=lambda crop: (crop[2] * crop[3], -crop[0] - crop[1]))
    seeing = [mode for mode in known if mode.crop == whole]
    enough = [mode for mode in seeing if mode.size_px[0] >= main_px[0] and mode.size_px[1] >= main_px[1]]
    if not enough:
        return max(seeing, key=lambda mode: (_area(mode.size_px), mode.bit_depth))
    return min(enough, key=lambda mode: (_area(mode.size_px), -mode.bit_depth))


def wanted_crop(mode: SensorMode, main_px: tuple[int, int]) -> Rect:
    """Return the part of the sensor that a picture of that shape should show: the largest centred one that fits."""
    left, top, width, height = mode.crop
    if width * main_px[1] > height * main_px[0]:
        used = (height * main_px[0] // main_px[1], height)
    else:
        used = (width, width * main_px[1] // main_px[0])
    return (left + (width - used[0]) // 2, top + (height - used[1]) // 2, *used)


@dataclass(frozen=True, slots=True)
class PiView:
    model: str
    mode: SensorMode
    wanted: Rect
    shown: Rect | None = None
    lens_dioptres: float | None = None
    focus_from: str = "turned by hand"
    focus_fault: str | None = None

    def field_fault(self) -> str | None:
        """Return what part of the field is missing, with the cure; None if the picture shows all that it should."""
        if self.shown is None:
            return None
        slack = (self.wanted[2] * FIELD_SLACK, self.wanted[3] * FIELD_SLACK)
        missing = (
            self.shown[0] > self.wanted[0] + slack[0]
            or self.shown[1] > self.wanted[1] + slack[1]
            or self.shown[0] + self.shown[2] < self.wanted[0] + self.wanted[2] - slack[0]
            or self.shown[1] + self.shown[3] < self.wanted[1] + self.wanted[3] - slack[1]
        )
        if not missing:
            return None
        return (
            f"camera pi ({self.model}) shows {self.shown[2]}x{self.shown[3]} of its sensor's pixels, not the "
            f"{self.wanted[2]}x{self.wanted[3]} of the whole field: run sudo apt full-upgrade and restart the Pi"
        )

    def summary(self) -> str:
        read = f"{self.model} read as {self.mode.size_px[0]}x{self.mode.size_px[1]}"
        field = "the whole field" if self.shown is not None else "its driver does not report which part"
        if self.lens_dioptres is None:
            return f"{read}, {field}"
        return f"{read}, {field}, focus {self.lens_dioptres:.2f} dioptres ({self.focus_from})"


def _pair(size: Any) -> tuple[int, int]:
    width, height = size
    return int(width), int(height)


def _rect(crop: Any) -> Rect:
    left, top, width, height = crop
    return int(left), int(top), int(width), int(height)


def crop_of(metadata: Mapping[str, Any]) -> Rect | None:
    """Return the part of the sensor that a picture shows, by its metadata; None if that is missing."""
    crop = metadata.get("ScalerCrop")
    return None if crop is None else _rect(crop)


def _area(size_px: tuple[int, int]) -> int:
    return size_px[0] * size_px[1]
