"""Whether a person can read a die in a picture, decided by the geometry of its pips or glyph and not by a reader."""

import cv2
import numpy as np

from tests.benchmarks.traced_die import ink_at, pip_places, pip_radius, turned_faces
from vision.rendering.die_patch import PIP_SITES, value_at
from vision.rendering.optics import project
from vision.rendering.scene import CameraPose, DiePose
from vision.training.painted_faces import Glyph
from vision.types.frame import FloatArray, ImageBgr

MIN_CONTRAST = 8.0
"""Grey levels of a channel by which a pip or stroke must differ from the body around it to be visible to a person."""
MIN_INK = 0.7
"""Share of a glyph's ink that must be visible."""
WITHIN, ROUND = (0.3, 0.6, 0.85, 1.0, 1.15), 1.5
"""Radii, in a pip's own, at which its colours are taken, since the rim of a burnt-out one may be visible, and the
body's.
"""


def is_legible(picture_bgr: ImageBgr, pose: DiePose, camera: CameraPose) -> bool:
    """Return whether the visible pips of a die's top fit no smaller value's pattern.

    Args:
        picture_bgr: Shape (H, W, 3), uint8.
        pose: A die with an uncovered top.
        camera: The picture's camera.

    Returns:
        True even for a 6 with one pip washed out; False for a 5 without the one in its centre.
    """
    size_mm, axis = pose.look.size_mm, int(np.argmax(np.abs(pose.rotation[2])))
    sign = 1.0 if pose.rotation[2, axis] > 0 else -1.0
    value = value_at(pose.look, axis, sign > 0)
    top = pose.center_mm + size_mm / 2 * sign * pose.rotation[:, axis]
    along = size_mm * pose.rotation[:, [(axis + 1) % 3, (axis + 2) % 3]].T
    turn = np.arange(24) * (np.pi / 12)
    circle_mm = pip_radius(value, pose.look) * np.stack([np.cos(turn), np.sin(turn)], axis=1) @ along
    places = pip_places(value, pose.look, turned_faces(pose.look)[axis, sign])
    seen = {
        site
        for site, place in zip(PIP_SITES[value], places, strict=True)
        if _contrast(picture_bgr, camera, top + np.array(place) @ along, circle_mm) >= MIN_CONTRAST
    }
    fits = [other for other, sites in PIP_SITES.items() if any(seen <= turn for turn in _turns(sites))]
    return bool(seen) and min(fits) == value


def shows_glyph(
    picture_bgr: ImageBgr, camera: CameraPose, middle_mm: FloatArray, axes_mm: FloatArray, glyph: Glyph
) -> bool:
    """Return whether most of a glyph's ink is visible.

    Args:
        picture_bgr: Shape (H, W, 3), uint8.
        camera: The picture's camera.
        middle_mm: Shape (3,), centre of the face.
        axes_mm: Shape (2, 3), its edges to the right and up, seen from outside.
        glyph: What it shows.
    """
    cells = np.linspace(-0.5, 0.5, 64)
    right, up = (part.ravel() for part in np.meshgrid(cells, cells))
    ink = ink_at(glyph, right, up).reshape(64, 64)
    at = project(camera, middle_mm + np.stack([right, up], axis=1) @ axes_mm).astype(np.float32).reshape(64, 64, 2)
    seen = cv2.GaussianBlur(
        cv2.remap(picture_bgr, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float32), (0, 0), 1.0
    )
    clear = (ink < 0.05).astype(np.float32)
    weight = cv2.GaussianBlur(clear, (0, 0), 6.0)[..., None]
    body = cv2.GaussianBlur(seen * clear[..., None], (0, 0), 6.0) / np.maximum(weight, 1e-3)
    off = (seen - body)[ink > 0.6]
    way = np.median(off, axis=0)
    contrast = off @ way / max(float(way @ way), 1e-6) * np.abs(way).max()
    return bool(np.mean(contrast >= MIN_CONTRAST) >= MIN_INK)


def _turns(sites: tuple[tuple[int, int], ...]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return a pattern, and the same rotated by a quarter."""
    return set(sites), {(-y, x) for x, y in sites}


def _contrast(picture_bgr: ImageBgr, camera: CameraPose, middle_mm: FloatArray, circle_mm: FloatArray) -> float:
    """Return by how much a pip differs from the body around it, in grey levels of the channel that shows it best."""
    body = _colour(picture_bgr, project(camera, middle_mm + ROUND * circle_mm))
    rings = [_colour(picture_bgr, project(camera, middle_mm + share * circle_mm)) for share in WITHIN]
    return float(np.abs(rings - body).max())


def _colour(picture_bgr: ImageBgr, xy: FloatArray) -> FloatArray:
    """Return the median at some places, shape (3,)."""
    at = xy.astype(np.float32)[:, None]
    found = cv2.remap(picture_bgr, at[..., 0], at[..., 1], cv2.INTER_LINEAR).reshape(-1, 3)
    return np.asarray(np.median(found, axis=0), np.float64)
