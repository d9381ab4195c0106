"""Fix a Pi camera's light and focus: let its automatics run once, then store what they chose.

Light is measured on the empty tray, focus on the calibration card. After that nothing is automatic, so that a die looks
the same all evening.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from device.camera.pi_camera import PiCameraParams, focus_controls, mains_exposure_us, video_configuration
from device.camera.pi_driver import Camera
from device.camera.pi_focus import die_dioptres
from device.camera.pi_modes import SensorMode
from device.errors import DeviceError

CARD_CURE = "lay the calibration card flat on the floor, take your hands away, give it light, clean the lens"


@dataclass(frozen=True, slots=True)
class AutomaticsParams:
    frames: int = 40  # number of pictures until exposure and white balance have settled; libcamera's take 10 to 30
    frame_s: float = 2.0  # longest wait for one picture, in seconds
    focus_s: float = 6.0  # longest wait for one focus cycle, in seconds; a Camera Module 3 takes 1 to 2
    # longest time of the whole measurement, in seconds; well below the silence after which the camera's thread counts
    # as stuck
    all_s: float = 20.0
    # longest exposure used to lower the gain: a die at rest looks the same, but the moment of rest is detected later in
    # blurred pictures
    max_blur_us: int = 20_000
    max_gain: float = 8.0  # gain above which pictures are too noisy to read; the cure is more light


def fix_exposure(wanted_us: float, mains_hz: int, fps: int, params: AutomaticsParams) -> tuple[int, float]:
    """Split an amount of light into an exposure without flicker and a gain.

    Args:
        wanted_us: Exposure times gain that the automatics chose, in microseconds at gain 1.
        fps: Pictures per second; the exposure must fit between two.

    Returns:
        Half-periods of the mains, 1 or more, and the gain, 1 to 16. The longest exposure allowed is used, since noise
        grows with gain.
    """
    half_us = mains_exposure_us(1, mains_hz)
    longest_us = min(params.max_blur_us, 1_000_000 // fps)
    half_periods = max(1, min(longest_us // half_us, int(wanted_us // half_us)))
    gain = max(1.0, wanted_us / mains_exposure_us(half_periods, mains_hz))
    if gain > params.max_gain:
        raise DeviceError(f"too little light: the camera needs gain {gain:.1f} of {params.max_gain:g}: add a lamp")
    return half_periods, round(gain, 2)


def measure_light(
    camera: Camera,
    params: PiCameraParams,
    mode: SensorMode,
    *,
    automatics: AutomaticsParams | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> PiCameraParams:
    """Measure the light on the empty tray and fix exposure, gain and colour gains.

    Args:
        camera: Opened, not started; it is stopped afterwards, or must be closed if this raises.
    """
    waits = automatics or AutomaticsParams()
    ends_s = clock() + waits.all_s
    free = {"AeEnable": True, "AwbEnable": True} | focus_controls(params.lens_dioptres)
    camera.configure(video_configuration(camera, params, mode, free))
    camera.start()
    seen: dict[str, Any] = {}
    try:
        for _ in range(waits.frames):
            left_s = min(waits.frame_s, max(0.0, ends_s - clock()))
            seen = camera.wait(camera.capture_metadata(wait=False), timeout=left_s)
    except TimeoutError as error:
        camera.cancel_all_and_flush()
        raise DeviceError("camera pi gave no picture while its light was measured: check its ribbon cable") from error
    camera.stop()
    wanted_us = seen["ExposureTime"] * seen["AnalogueGain"] * seen.get("DigitalGain", 1.0)
    half_periods, gain = fix_exposure(wanted_us, params.hz, params.fps, waits)
    red_gain, blue_gain = seen["ColourGains"]
    return replace(
        params,
        half_periods=half_periods,
        gain=gain,
        colour_gains=(round(float(red_gain), 3), round(float(blue_gain), 3)),
    )


def measure_focus(camera: Camera, lens_mm: float, model: str, automatics: AutomaticsParams | None = None) -> float:
    """Return the focus for dice's top faces, measured on the card on the floor."""
    waits = automatics or AutomaticsParams()
    try:
        is_found = camera.wait(camera.autofocus_cycle(wait=False), timeout=waits.focus_s)
    except TimeoutError as error:
        camera.cancel_all_and_flush()
        raise DeviceError(f"focusing did not finish within {waits.focus_s:g} s: {CARD_CURE}") from error
    if not is_found:
        raise DeviceError(f"nothing sharp was found: {CARD_CURE}")
    try:
        seen = camera.wait(camera.capture_metadata(wait=False), timeout=waits.frame_s)
    except TimeoutError as error:
        camera.cancel_all_and_flush()
        raise DeviceError("camera pi gave no picture while it focused: check its ribbon cable") from error
    dioptres = die_dioptres(float(seen["LensPosition"]), lens_mm, model)
    _, most, _ = camera.camera_controls["LensPosition"]
    if dioptres > most:
        raise DeviceError(
            f"dice are sharp at {dioptres:g} dioptres, and this lens goes to {most:g}: hang it higher and set "
            "pi.lens_mm, or take another camera"
        )
    return dioptres
