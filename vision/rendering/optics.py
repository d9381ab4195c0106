"""The camera in a drawing: rays from pixels, points to pixels, light to grey levels."""

import cv2
import numpy as np

from vision.rendering.scene import CameraPose, Capture
from vision.types.frame import F32, FloatArray, ImageBgr

_LUT_SIZE = 4096
_LUT_TOP = 4.0
"""Sensor light beyond which everything is white; the table covers the square root up to here."""
Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two not included."""


def camera_center_mm(camera: CameraPose) -> FloatArray:
    """Return the camera's position in the world, shape (3,)."""
    return np.asarray(-camera.rotation.T @ camera.translation_mm, np.float64)


def project(camera: CameraPose, points_mm: FloatArray) -> FloatArray:
    """Project points of the world into the picture.

    Args:
        camera: The camera.
        points_mm: Shape (..., 3), in front of the camera.

    Returns:
        Shape (..., 2), pixels. Points behind the camera give meaningless numbers.
    """
    cam = points_mm @ camera.rotation.T + camera.translation_mm
    z = np.where(np.abs(cam[..., 2]) < 1e-6, 1e-6, cam[..., 2])
    x, y = cam[..., 0] / z, cam[..., 1] / z
    k1, k2, p1, p2, k3 = camera.distortion
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    xd = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    yd = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    k = camera.k
    return np.stack([k[0, 0] * xd + k[0, 1] * yd + k[0, 2], k[1, 1] * yd + k[1, 2]], axis=-1)


def rays(camera: CameraPose, rect: Rect) -> F32:
    """Return each pixel's direction of view.

    Args:
        camera: The camera.
        rect: Section of the picture.

    Returns:
        Shape (h, w, 3) of the section, directions in the world, not of unit length: their part along the camera's axis
        is 1.
    """
    u = np.arange(rect[0], rect[2], dtype=np.float64)
    v = np.arange(rect[1], rect[3], dtype=np.float64)[:, None]
    k = camera.k
    y0 = (v - k[1, 2]) / k[1, 1]
    x0 = (u - k[0, 2] - k[0, 1] * y0) / k[0, 0]
    k1, k2, p1, p2, k3 = camera.distortion
    x, y = x0, y0
    if any(camera.distortion):
        for _ in range(6):  # fixed point, as OpenCV's undistortPoints; the lenses drawn here take four steps
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            x, y = (
                (x0 - 2 * p1 * x * y - p2 * (r2 + 2 * x * x)) / radial,
                (y0 - p1 * (r2 + 2 * y * y) - 2 * p2 * x * y) / radial,
            )
    r = camera.rotation
    out = np.empty((len(v), len(u), 3), np.float32)
    for i in range(3):
        out[..., i] = r[0, i] * x + r[1, i] * y + r[2, i]
    return out


def vignette(camera: CameraPose, loss: float, rect: Rect) -> F32:
    """Return the share of light that reaches each pixel.

    Args:
        camera: The camera.
        loss: Loss in the corners.
        rect: Section of the picture.

    Returns:
        Shape (h, w) of the section, 1 in the picture's middle.
    """
    y = np.linspace(-1, 1, camera.height_px, dtype=np.float32)[rect[1] : rect[3], None]
    x = np.linspace(-1, 1, camera.width_px, dtype=np.float32)[None, rect[0] : rect[2]]
    return np.asarray(1.0 - np.float32(loss / 2) * (x * x + y * y), np.float32)


class Sensor:
    """Turns light into grey levels, and grey levels into a camera's picture."""

    def __init__(self, capture: Capture, width_px: int, height_px: int, seed: int) -> None:
        """Prepare curve and noise.

        Args:
            capture: Exposure, noise and the like.
            width_px: Of the pictures to come.
            height_px: Of the pictures to come.
            seed: Selects the noise.
        """
        self._capture = capture
        gain = np.asarray(capture.white_balance_bgr, np.float32) * np.float32(capture.exposure)
        # For each number of a row: numpy is slow over an axis as short as the channels'.
        self._row_gain = np.tile(gain, width_px)
        light = (np.linspace(0, np.sqrt(_LUT_TOP), _LUT_SIZE) ** 2) + capture.haze
        knee = 0.72
        over = np.maximum(light - knee, 0)
        # Linear up to the knee, then a shoulder that still distinguishes bright levels, as cameras' curves do.
        toned = np.where(light > knee, knee + (1 - knee) * (1 - np.exp(-over / (1.6 * (1 - knee)))), light)
        self._lut = np.clip(255 * toned ** (1 / 2.2) + 0.5, 0, 255).astype(np.uint8)
        self._rng = np.random.default_rng([seed, 77])
        self._margin = 61
        self._plus: ImageBgr | None = None
        self._minus: ImageBgr | None = None
        if capture.noise > 0:
            shape = (height_px + self._margin, width_px + self._margin)
            grey = 0.8 * self._rng.standard_normal(shape, np.float32)
            noise = 0.6 * self._rng.standard_normal((*shape, 3), np.float32)
            noise += cv2.merge([grey] * 3)
            noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.6), np.float32)
            noise *= np.float32(capture.noise / float(noise.std()))
            self._plus = np.clip(noise + 0.5, 0, 255).astype(np.uint8)
            self._minus = np.clip(-noise + 0.5, 0, 255).astype(np.uint8)

    def develop(self, light: F32) -> ImageBgr:
        """Return the grey levels of a section of the picture, without noise.

        Args:
            light: Shape (H, W, 3), W at most the pictures' width, linear, the lens's losses included.

        Returns:
            Shape (H, W, 3).
        """
        rows = light.reshape(light.shape[0], -1)
        scaled = np.clip(rows * self._row_gain[: rows.shape[1]], 0, _LUT_TOP)
        root = np.asarray(cv2.sqrt(scaled), np.float32)
        index = (root * np.float32((_LUT_SIZE - 1) / np.sqrt(_LUT_TOP))).astype(np.uint16)
        return np.asarray(self._lut[index].reshape(light.shape), np.uint8)

    def hand_over(self, picture: ImageBgr) -> ImageBgr:
        """Add blur, noise and JPEG to a whole picture.

        Args:
            picture: Shape (H, W, 3), as returned by `develop`.

        Returns:
            Shape (H, W, 3); the given picture may be changed and reused.
        """
        out = picture
        if self._capture.defocus_px > 0.05:
            out = np.asarray(cv2.GaussianBlur(out, (0, 0), self._capture.defocus_px), np.uint8)
        if self._plus is not None and self._minus is not None:
            dy, dx = (int(i) for i in self._rng.integers(0, self._margin, 2))
            h, w = out.shape[:2]
            out = np.asarray(cv2.add(out, self._plus[dy : dy + h, dx : dx + w]), np.uint8)
            out = np.asarray(cv2.subtract(out, self._minus[dy : dy + h, dx : dx + w]), np.uint8)
        if self._capture.jpeg_quality:
            done, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, self._capture.jpeg_quality])
            if not done:
                raise ValueError(f"JPEG quality is {self._capture.jpeg_quality}, cannot encode: use 1 to 100")
            out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return out
