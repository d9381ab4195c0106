"""The focus of a Pi camera: on a die's top face, by the lens's height above the floor.

A bare felt floor has no detail for an autofocus, so none runs at the start. The height gives a focus good enough for
reading; the calibration card, full of sharp edges, measures it.
"""

from device.camera.pi_driver import Camera
from device.errors import DeviceError
from device.standard_tray import DIE_MM

LENS_MM = {"imx708": 310.0, "imx708_wide": 170.0}
"""Height of the lens above the floor by sensor, as in the build guide; a test compares it with hardware/optics.csv."""

PLAUSIBLE = (0.6, 1.6)
"""A measured distance outside this range of heights is not the floor: a hand, the rim, or a wrong height setting."""

OFFSETS = {"imx708_wide": 7.0}
"""How far above its nominal focus a lens of this sensor may be sharp, in dioptres.

Reported of Camera Module 3 Wide: sharp at 4 in place of 0 at infinity, at 10 to 12 in place of 5.7 at 175 mm
(picamera2's issues 1098 and 1105); others are as their maker says. So only the card shows which one this is.
"""


def lens_moves(camera: Camera) -> bool:
    return "AfMode" in camera.camera_controls and "LensPosition" in camera.camera_controls


def motor_fault(model: str) -> str | None:
    """Return why the lens does not move, with the cure; None if this kind has no motor or it works."""
    if model.removesuffix("_noir") not in LENS_MM:
        return None
    return (
        f"camera pi ({model}) is of a kind whose lens moves, but libcamera offers no AfMode for it: run sudo apt "
        "full-upgrade and set camera_auto_detect=1 in /boot/firmware/config.txt; a maker's fixed lens is turned by hand"
    )


def lens_height_mm(model: str, set_mm: float | None) -> float:
    if set_mm is not None:
        return set_mm
    # The same lens is also sold without an infrared filter, as imx708_noir and imx708_wide_noir.
    known = LENS_MM.get(model.removesuffix("_noir"))
    if known is None:
        raise DeviceError(
            f"camera pi ({model}) has a focus motor, but its height is unknown: set pi.lens_mm to the "
            "millimetres from the floor to the lens, or pi.lens_dioptres"
        )
    return known


def offset_fault(model: str) -> str | None:
    """Return why a focus by height may be blurred, with the cure; None if this kind of lens is as its maker says."""
    if model.removesuffix("_noir") not in OFFSETS:
        return None
    return (
        f"camera pi ({model}) may be blurred, since such lenses differ by some dioptres: lay the calibration card on "
        "the floor and measure the focus on /calibrate"
    )


def dioptres_at(lens_mm: float) -> float:
    """Return the focus for a lens at this height: 1 / distance in metres to a die's top face."""
    return round(1000.0 / (lens_mm - DIE_MM), 2)


def die_dioptres(card_dioptres: float, lens_mm: float, model: str) -> float:
    """Return the focus for dice's top faces from one measured on a card on the floor.

    A lens may be off by some dioptres, so what is added for dice is the difference of the two heights in dioptres.
    """
    floor_dioptres = 1000.0 / lens_mm
    nearest, farthest = (floor_dioptres / part for part in PLAUSIBLE)
    nearest = max(nearest, floor_dioptres + OFFSETS.get(model.removesuffix("_noir"), 0.0))
    if not farthest <= card_dioptres <= nearest:
        seen_mm = 1000.0 / max(card_dioptres, 0.01)
        raise DeviceError(
            f"the focus was found {seen_mm:.0f} mm from the lens, the floor lies {lens_mm:.0f} mm away: lay the card "
            "flat on the floor and take your hands away; where the lens hangs otherwise set pi.lens_mm"
        )
    return round(card_dioptres + dioptres_at(lens_mm) - floor_dioptres, 2)
