"""Where a Pi camera's lens is focused: on a die's top face, by the lens's height above the floor.

A bare floor of felt gives an autofocus nothing to hold on to, so none is run at a start. The height says the focus well
enough to read by; the calibration card, full of sharp edges, measures it.
"""

from device.camera.pi_driver import Camera
from device.errors import DeviceError
from device.standard_tray import DIE_MM

LENS_MM = {"imx708": 310.0, "imx708_wide": 170.0}
"""Height of the lens above the floor by sensor, as the build guide hangs it; a test holds it to hardware/optics.csv."""

PLAUSIBLE = (0.6, 1.6)
"""A measured distance outside of so many heights is no floor: a hand, the rim, or a height that is set wrong."""


def lens_moves(camera: Camera) -> bool:
    return "AfMode" in camera.camera_controls and "LensPosition" in camera.camera_controls


def motor_fault(model: str) -> str | None:
    """Return what is the matter with a lens that does not move, with the cure; None where its kind has no motor."""
    if model.removesuffix("_noir") not in LENS_MM:
        return None
    return (
        f"camera pi ({model}) is of a kind whose lens moves, but libcamera offers no AfMode for it: run sudo apt "
        "full-upgrade and set camera_auto_detect=1 in /boot/firmware/config.txt; a maker's fixed lens is turned by hand"
    )


def lens_height_mm(model: str, set_mm: float | None) -> float:
    if set_mm is not None:
        return set_mm
    # The same lens comes without its infrared filter, too, as imx708_noir and imx708_wide_noir.
    known = LENS_MM.get(model.removesuffix("_noir"))
    if known is None:
        raise DeviceError(
            f"camera pi ({model}) moves its lens, and how high it hangs is not known: set pi.lens_mm to the "
            "millimetres from the floor to the lens, or pi.lens_dioptres"
        )
    return known


def dioptres_at(lens_mm: float) -> float:
    """Return the focus for a lens that hangs so high: 1 / distance in metres to a die's top face."""
    return round(1000.0 / (lens_mm - DIE_MM), 2)


def die_dioptres(card_dioptres: float, lens_mm: float) -> float:
    """Return the focus for dice's top faces, from one that was found on a card that lies on the floor."""
    seen_mm = 1000.0 / max(card_dioptres, 0.01)
    low, high = PLAUSIBLE
    if not low * lens_mm <= seen_mm <= high * lens_mm:
        raise DeviceError(
            f"the focus was found {seen_mm:.0f} mm from the lens, the floor lies {lens_mm:.0f} mm away: lay the card "
            "flat on the floor and take your hands away; where the lens hangs otherwise set pi.lens_mm"
        )
    return dioptres_at(seen_mm)
