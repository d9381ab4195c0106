"""Fix a Pi camera's light and focus once: let its automatics look at the empty tray, then write down what they chose.

Calibration calls this; afterwards nothing is automatic any more, so that a die looks the same all evening.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from device.errors import DeviceError
from device.pi_camera import Camera, PiCameraParams, mains_exposure_us, open_picamera


@dataclass(frozen=True, slots=True)
class AutomaticsParams:
    """How long the automatics get.

    Attributes:
        frames: So many pictures until exposure and white balance have settled; libcamera's take 10 to 30.
        frame_s: The longest wait for one picture.
        focus_s: The longest wait for one focus cycle; a Camera Module 3 takes 1 to 2 seconds.
        all_s: The longest that all of it may take; well under the silence after which the camera's thread counts as
            stuck.
        max_blur_us: Exposure is not raised beyond this for the sake of a lower gain: a die at rest does not care, but
            the moment it comes to rest is seen later in blurred pictures.
        max_gain: Above it pictures are too noisy to read; the answer is more light.
    """

    frames: int = 40
    frame_s: float = 2.0
    focus_s: float = 6.0
    all_s: float = 20.0
    max_blur_us: int = 20_000
    max_gain: float = 8.0


def fix_exposure(wanted_us: float, mains_hz: int, fps: int, params: AutomaticsParams) -> tuple[int, float]:
    """Split an amount of light into an exposure that sees no flicker and a gain.

    Args:
        wanted_us: Exposure times gain that the automatics chose, in microseconds at gain 1.
        mains_hz: 50 or 60.
        fps: Pictures a second; the exposure must fit between two.
        params: The longest exposure and the highest gain.

    Returns:
        Half-periods of the mains, 1 or more, and the gain, 1 to 16. The longest exposure allowed is taken, since
        noise grows with gain.

    Raises:
        DeviceError: The gain would be above `max_gain`: there is too little light.
    """
    half_us = mains_exposure_us(1, mains_hz)
    longest_us = min(params.max_blur_us, 1_000_000 // fps)
    half_periods = max(1, min(longest_us // half_us, int(wanted_us // half_us)))
    gain = max(1.0, wanted_us / mains_exposure_us(half_periods, mains_hz))
    if gain > params.max_gain:
        raise DeviceError(f"too little light: the camera needs gain {gain:.1f} of {params.max_gain:g}: add a lamp")
    return half_periods, round(gain, 2)


def measure_settings(
    params: PiCameraParams,
    *,
    number: int = 0,
    automatics: AutomaticsParams | None = None,
    camera_factory: Callable[[int], Camera] = open_picamera,
    clock: Callable[[], float] = time.monotonic,
) -> PiCameraParams:
    """Look at the empty tray and fix focus, exposure, gain and colour gains.

    Args:
        params: Sizes, rate and mains frequency, which stay.
        number: Which of the Pi's cameras.
        automatics: How long they get.
        camera_factory: Opens the camera.
        clock: Monotonic seconds.

    Returns:
        The same with the four values fixed; `lens_dioptres` None where the lens does not move.

    Raises:
        DeviceError: No camera, no picture, no focus, or too little light.
    """
    waits = automatics or AutomaticsParams()
    ends_s = clock() + waits.all_s
    camera = camera_factory(number)
    try:
        camera.configure(
            camera.create_video_configuration(
                main={"format": "RGB888", "size": params.main_px},
                lores={"format": "YUV420", "size": params.lores_px},
                buffer_count=params.buffers,
                controls={"AeEnable": True, "AwbEnable": True},
                queue=False,
            )
        )
        camera.start()
        focused = _focus(camera, waits)
        seen: dict[str, Any] = {}
        for _ in range(waits.frames):
            left_s = min(waits.frame_s, max(0.0, ends_s - clock()))
            seen = camera.wait(camera.capture_metadata(wait=False), timeout=left_s)
    except TimeoutError as error:
        camera.cancel_all_and_flush()
        raise DeviceError("camera pi gave no picture while its light was measured: check its ribbon cable") from error
    finally:
        camera.stop()
        camera.close()
    wanted_us = seen["ExposureTime"] * seen["AnalogueGain"] * seen.get("DigitalGain", 1.0)
    half_periods, gain = fix_exposure(wanted_us, params.mains_hz, params.fps, waits)
    red_gain, blue_gain = seen["ColourGains"]
    return replace(
        params,
        half_periods=half_periods,
        gain=gain,
        colour_gains=(round(float(red_gain), 3), round(float(blue_gain), 3)),
        lens_dioptres=round(float(seen["LensPosition"]), 2) if focused else None,
    )


def _focus(camera: Camera, waits: AutomaticsParams) -> bool:
    """Focus once. False where the lens does not move.

    Raises:
        DeviceError: It moves and found nothing sharp.
    """
    try:
        job = camera.autofocus_cycle(wait=False)
    except RuntimeError:
        return False  # libcamera refuses the control: a lens without a motor
    if not camera.wait(job, timeout=waits.focus_s):
        raise DeviceError("camera pi found no focus: put a die in the tray, give it light, clean the lens")
    return True
