"""The camera above a traced tray: its position, its lens's distortion, and its conversion of light to a picture."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.rendering.scene import CameraPose
from vision.types.frame import ImageBgr

WIDTH_PX, HEIGHT_PX = 1280, 960
_ROOM = 1.06
"""Factor by which the drawn light is wider than a straight lens's view, since a distorted one sees beyond its
corners.
"""


@dataclass(frozen=True, slots=True)
class Shot:
    """The camera's conversion of light to a picture.

    Attributes:
        exposure: Relative to the one that makes the picture's mean a middle grey and burns out no more than a few
            hundredths.
        balance: Error of the white balance, each of red, green, blue.
        noise: At a middle grey, in grey levels of 255.
        blur_px: Of the lens, one standard deviation.
        sharpen: How much of the difference to a softer picture is added.
    """

    exposure: float
    balance: tuple[float, float, float]
    noise: float
    blur_px: float
    sharpen: float


def camera_over(rng: np.random.Generator, half_mm: float) -> CameraPose:
    """Return a camera some 40 cm above a tray's centre, tilted by at most five degrees, that sees the whole tray.

    Args:
        rng: Selects it.
        half_mm: From the tray's centre to its rim along the picture's height.
    """
    f = WIDTH_PX / 2 / np.tan(np.radians(rng.uniform(53, 60)) / 2)
    away = rng.uniform(1.06, 1.25) * half_mm * f / (HEIGHT_PX / 2)
    t, heading = np.radians(min(abs(rng.normal(0, 1.6)), 5.0)), rng.uniform(0, 2 * np.pi)
    roll = np.radians(rng.normal(0, 1.5))
    back = np.array([np.sin(t) * np.cos(heading), np.sin(t) * np.sin(heading), np.cos(t)])
    center = np.array([*rng.normal(0, 4, 2), 0.0]) + away * back
    right = np.cross(-back, np.array([-np.sin(roll), np.cos(roll), 0.0]))
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(-back, right), -back])
    k = np.array([[f, 0, WIDTH_PX / 2 + rng.normal(0, 3)], [0, f, HEIGHT_PX / 2 + rng.normal(0, 3)], [0, 0, 1.0]])
    bend = (float(rng.choice([0.0, rng.uniform(-0.06, 0.02)])), 0.0, 0.0, 0.0, 0.0)
    return CameraPose(WIDTH_PX, HEIGHT_PX, k, rotation, np.asarray(-rotation @ center), bend)


def straight(camera: CameraPose) -> CameraPose:
    """Return the pinhole camera that sees all that a distorted lens sees."""
    k = camera.k.copy()
    k[0, 0] = k[1, 1] = camera.k[0, 0] / _ROOM
    return replace(camera, k=k, distortion=(0.0,) * 5)


def bent(light: npt.NDArray[np.float32], camera: CameraPose) -> npt.NDArray[np.float32]:
    """Distort the picture of `straight(camera)`, shape (H, W, 3), as the camera's lens does."""
    k = straight(camera).k
    pixels = np.stack(np.meshgrid(np.arange(WIDTH_PX), np.arange(HEIGHT_PX)), axis=-1).reshape(-1, 1, 2)
    rays = cv2.undistortPoints(pixels.astype(np.float32), camera.k, np.asarray(camera.distortion)).reshape(-1, 2)
    xy = (rays * (k[0, 0], k[1, 1]) + k[:2, 2]).reshape(HEIGHT_PX, WIDTH_PX, 2).astype(np.float32)
    return np.asarray(cv2.remap(light, xy[:, :, 0], xy[:, :, 1], cv2.INTER_CUBIC), np.float32)


def shot(rng: np.random.Generator, dark: bool) -> Shot:
    """Return the conversion of a present-day camera; in the dark it is noisy."""
    r, b = (float(np.exp(rng.normal(0, 0.06))) for _ in range(2))
    return Shot(
        exposure=float(np.exp(rng.normal(-0.1, 0.15))) * (float(rng.uniform(0.3, 0.6)) if dark else 1.0),
        balance=(r, 1.0, b),
        noise=float(rng.uniform(2.0, 4.5) if dark else rng.uniform(0.5, 2.5)),
        blur_px=float(rng.uniform(0.3, 0.9)),
        sharpen=float(rng.choice([0.0, 0.4, 0.8])),
    )


def exposure_of(light: npt.NDArray[np.float32]) -> float:
    """Return the factor that a camera would choose for this light, shape (H, W, 3), linear."""
    bright, mean = float(np.percentile(light.max(axis=2), 97)), float(light.mean())
    return min(0.7 / max(bright, 1e-4), 0.22 / max(mean, 1e-4))


def developed(rng: np.random.Generator, light: npt.NDArray[np.float32], exposure: float, how: Shot) -> ImageBgr:
    """Return a picture of linear light, shape (H, W, 3): exposed, blurred, noisy, sharpened, in sRGB."""
    seen = np.clip(light, 0, None) * exposure * how.exposure * np.asarray(how.balance, np.float32)
    seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), how.blur_px), np.float32)
    seen = seen + rng.normal(0, 1, seen.shape) * how.noise / 255 * np.sqrt(np.clip(seen, 0.01, 1))
    seen = np.clip(seen, 0, 1).astype(np.float32)
    srgb = np.where(seen > 0.0031, 1.055 * seen ** (1 / 2.4) - 0.055, 12.92 * seen)
    if how.sharpen:
        srgb = srgb + how.sharpen * (srgb - np.asarray(cv2.GaussianBlur(srgb, (0, 0), 1.2)))
    return np.asarray(np.clip(srgb[:, :, ::-1] * 255 + 0.5, 0, 255), np.uint8)
