"""Currents and voltages of the light ring, for the guide's fuse, wires and second feed; currents of USB sockets.

Only the standard library.
"""

import math

LEDS = 56
LEDS_PER_M = 60.0
LED_A = 0.060
"""One WS2812B at full white, by its data sheet 3 x 20 mA."""

RAIL_OHM_M = 0.0175 / (3.0 * 0.035)
"""One of the strip's two rails, ohms per metre: 3 mm of copper 35 um thick, the thinnest in strips of 10 mm."""

COPPER_OHM_MM2_M = 0.0175

FUSE_USE = 0.75
"""Largest share of its rating that a fuse should carry permanently."""

USB_A = {"screen": 0.7, "ESP32": 0.25, "USB camera": 0.5}
"""Largest current of what a Pi's USB sockets feed, by the makers."""

PI_USB_A = {"27 W supply": 1.6, "any other": 0.6, "Pi 4": 1.2}
"""What all sockets together give: a Pi 5 on its own supply and on another one, and a Pi 4."""


def ring_a(brightness: int) -> float:
    """Return the current of the ring all white, in amperes.

    Args:
        brightness: 1 to 255, as under `[ring.shape]`.
    """
    return LEDS * LED_A * brightness / 255.0


def strip_drop_v(current_a: float, *, both_ends: bool) -> float:
    """Return the voltage lost in the strip's two rails on the way to its darkest LED.

    Args:
        current_a: Of the whole strip; each LED takes its share.
        both_ends: Fed at both ends, else only at its beginning.
    """
    length_m = LEDS / LEDS_PER_M
    return 2.0 * RAIL_OHM_M * length_m * current_a / (8.0 if both_ends else 2.0)


def wire_drop_v(current_a: float, length_m: float, gauge_mm2: float) -> float:
    """Return the voltage lost in a pair of wires, there and back."""
    return 2.0 * COPPER_OHM_MM2_M / gauge_mm2 * length_m * current_a


def channel_bore_mm(depth_mm: float, strip_mm: float) -> float:
    """Return the diameter of the thickest cable that fits under the strip in the frame's channel.

    Args:
        depth_mm: Of the channel, whose section is half a square.
        strip_mm: Height of the strip with its LEDs, measured from the slanted ceiling.
    """
    leg_mm = depth_mm - strip_mm * math.sqrt(2.0)
    return leg_mm * (2.0 - math.sqrt(2.0))
