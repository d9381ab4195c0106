"""Shadows: of the tray's wall, of dice on the floor, of dice on dice."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.rendering.optics import Rect, project
from vision.rendering.scene import CameraPose, DiePose, Light, TrayLook
from vision.types.frame import F32, FloatArray, ImageGray

_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
_FIXED_POINT_BITS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """The floor's outline, which is also the wall's inner outline, since walls are upright.

    Attributes:
        normals: Shape (K, 2), outward normal of each side; empty for a circle.
        reach_mm: Shape (K,), distance from the centre to each side; the radius only for a circle.
    """

    normals: F32
    reach_mm: F32

    def distance_mm(self, x_mm: F32, y_mm: F32) -> F32:
        """Return the signed distance to the outline, negative inside; beyond a corner the farther side counts."""
        if not len(self.normals):
            return np.asarray(np.hypot(x_mm, y_mm) - self.reach_mm[0], np.float32)
        out: F32 | None = None
        for (nx, ny), reach in zip(self.normals, self.reach_mm, strict=True):
            side = np.asarray(nx * x_mm + ny * y_mm - reach, np.float32)
            out = side if out is None else np.asarray(np.maximum(out, side), np.float32)
        if out is None:
            raise ValueError("opening has no sides")
        return out

    def outward(self, x_mm: F32, y_mm: F32) -> tuple[F32, F32]:
        """Return the direction out of the nearest side at each place."""
        if not len(self.normals):
            r = np.hypot(x_mm, y_mm) + 1e-6
            return np.asarray(x_mm / r, np.float32), np.asarray(y_mm / r, np.float32)
        far = np.full(np.shape(x_mm), -np.inf, np.float32)
        out_x, out_y = np.zeros_like(far), np.zeros_like(far)
        for (nx, ny), reach in zip(self.normals, self.reach_mm, strict=True):
            side = nx * x_mm + ny * y_mm - reach
            nearer = side > far
            for kept, value in ((far, side), (out_x, nx), (out_y, ny)):
                np.copyto(kept, value, where=nearer)
        return out_x, out_y


def opening_of(tray: TrayLook) -> Opening:
    """Return the outline of a tray's floor.

    Args:
        tray: The tray.

    Returns:
        Its outline; for a bare table (`none`) one too wide to matter.

    Raises:
        ValueError: The shape is unknown.
    """
    w, h = tray.floor_mm
    if tray.shape == "round":
        return Opening(np.zeros((0, 2), np.float32), np.array([w / 2], np.float32))
    if tray.shape == "rectangle":
        normals = [[1, 0], [0, 1], [-1, 0], [0, -1]]
        return Opening(np.array(normals, np.float32), np.array([w / 2, h / 2, w / 2, h / 2], np.float32))
    if tray.shape in ("hexagon", "octagon"):
        sides = 6 if tray.shape == "hexagon" else 8
        angles = (np.arange(sides) + (0.5 if tray.shape == "hexagon" else 0.0)) * 2 * np.pi / sides
        normals_xy = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
        return Opening(normals_xy, np.full(sides, w / 2, np.float32))
    if tray.shape == "none":
        return Opening(np.zeros((0, 2), np.float32), np.array([1e6], np.float32))
    raise ValueError(f"tray shape is {tray.shape!r}: use rectangle, round, hexagon, octagon or none")


def through_opening(tray: TrayLook, opening: Opening, light: Light, places_mm: tuple[F32, F32, F32]) -> F32:
    """Return how much of a light reaches places inside a tray past its wall.

    Args:
        tray: The tray, for the wall's height.
        opening: Outline of the tray's floor.
        light: The light.
        places_mm: Coordinates x, y and z of the places, each of one shape.

    Returns:
        0 to 1, the same shape. The half shadow's width follows from the light's diameter by similar triangles.
    """
    lx, ly, lz = light.position_mm
    x_mm, y_mm, z_mm = places_mm
    if tray.shape == "none" or lz <= tray.wall_mm:
        return np.ones(np.broadcast(x_mm, z_mm).shape, np.float32)
    drop = np.clip(tray.wall_mm - z_mm, 0, None)
    t = np.minimum(drop / np.maximum(lz - z_mm, 1.0), 1.0).astype(np.float32)
    inside = -opening.distance_mm(
        np.asarray(x_mm + t * (lx - x_mm), np.float32), np.asarray(y_mm + t * (ly - y_mm), np.float32)
    )
    width = np.maximum(light.softness_mm * drop / (lz - tray.wall_mm), 0.7)
    s = np.clip(0.5 + inside / width, 0, 1)
    return np.where(drop > 0, s * s * (3 - 2 * s), 1.0).astype(np.float32)


def light_samples(light: Light, count: int) -> FloatArray:
    """Return points on a light's disc, shape (count, 3): a sunflower's spiral, which covers it evenly."""
    i = np.arange(count) + 0.5
    r = 0.5 * light.softness_mm * np.sqrt(i / count)
    a = i * 2.399963
    out = np.tile(np.asarray(light.position_mm, np.float64), (count, 1))
    out[:, 0] += r * np.cos(a)
    out[:, 1] += r * np.sin(a)
    return out


def corners_mm(pose: DiePose, shrink: float) -> FloatArray:
    """Return a die's corners in the world, shape (8, 3), moved inwards by `shrink` of the half edge."""
    half = 0.5 * pose.look.size_mm * (1 - shrink)
    return np.asarray(pose.center_mm + (_CORNERS * half) @ pose.rotation.T, np.float64)


def clip_rect(xy: FloatArray, margin: float, width: int, height: int) -> Rect | None:
    """Return the section of a picture that contains points, shape (..., 2), and a margin; None if it is outside."""
    flat = xy.reshape(-1, 2)
    low, high = flat.min(axis=0) - margin, flat.max(axis=0) + margin
    if not np.all(np.isfinite(low + high)):
        return None
    x0, y0 = max(int(low[0]), 0), max(int(low[1]), 0)
    x1, y1 = min(int(high[0]) + 2, width), min(int(high[1]) + 2, height)
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _fill(canvas: ImageGray, xy: FloatArray, rect: Rect, value: int) -> None:
    hull = cv2.convexHull(((xy - [rect[0], rect[1]]) * (1 << _FIXED_POINT_BITS)).astype(np.int32))
    cv2.fillConvexPoly(canvas, hull, (value,), cv2.LINE_AA, _FIXED_POINT_BITS)


def cast_on_floor(pose: DiePose, light: Light, camera: CameraPose, seen: ImageGray, samples: int) -> Rect | None:
    """Darken what a light reaches of the floor by one die's shadow.

    Args:
        pose: The die.
        light: The light.
        camera: The camera.
        seen: Shape (H, W), 255 where the floor gets all of this light; changed in place.
        samples: Points of the light; each gives one hard shadow, their mean the soft one.

    Returns:
        The changed section of the picture; None if the shadow falls outside it.
    """
    tip = corners_mm(pose, 0.3 * pose.look.rounding + (0.12 if pose.look.ball else 0.0))
    tip[:, 2] = np.maximum(tip[:, 2], 0.0)
    lamps = light_samples(light, samples)
    if lamps[0, 2] <= tip[:, 2].max() + 5:
        return None
    t = tip[None, :, 2] / (lamps[:, None, 2] - tip[None, :, 2])
    spots = tip[None] + t[..., None] * (tip[None] - lamps[:, None])
    spots[..., 2] = 0.0
    xy = project(camera, spots)
    rect = clip_rect(xy, 1.0, camera.width_px, camera.height_px)
    if rect is None or (rect[2] - rect[0]) * (rect[3] - rect[1]) > 0.5 * camera.width_px * camera.height_px:
        return None
    shape = (rect[3] - rect[1], rect[2] - rect[0])
    dark = np.zeros(shape, np.uint8)
    one = np.zeros(shape, np.uint8)
    for spot in xy:
        one[:] = 0
        _fill(one, spot, rect, 255 // samples)
        cv2.add(dark, one, dark)
    if samples > 1:
        cv2.blur(dark, (3, 3), dark)
    if pose.look.finish == "translucent":
        dark = np.asarray(dark * 0.7, np.uint8)
    part = seen[rect[1] : rect[3], rect[0] : rect[2]]
    cv2.multiply(part, 255 - dark, part, 1 / 255)
    return rect


def close_to_floor(pose: DiePose, camera: CameraPose, open_sky: ImageGray) -> Rect | None:
    """Darken the floor around a die's foot, which gets less light from the room.

    Args:
        pose: The die.
        camera: The camera.
        open_sky: Shape (H, W), 255 where the floor gets the light of the whole room; changed in place.

    Returns:
        The changed section of the picture; None if there is none.
    """
    foot = corners_mm(pose, 0.05)
    lift = float(foot[:, 2].min()) / pose.look.size_mm
    strength = 0.75 * max(0.0, 1.0 - lift / 0.8)
    if strength <= 0.02:
        return None
    foot[:, 2] = 0.0
    xy = project(camera, foot)
    span = float(np.ptp(xy, axis=0).max())
    rect = clip_rect(xy, 0.55 * span, camera.width_px, camera.height_px)
    if rect is None:
        return None
    dark = np.zeros((rect[3] - rect[1], rect[2] - rect[0]), np.uint8)
    _fill(dark, xy, rect, int(255 * strength))
    radius = max(int(0.22 * span), 1)
    for _ in range(2):  # two boxes approximate a bell curve in a third of its time
        cv2.blur(dark, (2 * radius + 1, 2 * radius + 1), dark)
    part = open_sky[rect[1] : rect[3], rect[0] : rect[2]]
    cv2.multiply(part, 255 - dark, part, 1 / 255)
    return rect


def past_die(points_mm: F32, lamp_mm: FloatArray, blocker: DiePose) -> F32:
    """Return whether the ray from each place to one point of a light misses a die.

    Args:
        points_mm: Shape (3, N).
        lamp_mm: Shape (3,).
        blocker: The die in between.

    Returns:
        Shape (N,), 1 if the ray is free, 0 if not.

    Source: slab test of a ray against a box in the box's own frame.
    """
    half = 0.5 * blocker.look.size_mm * (1 - 0.3 * blocker.look.rounding)
    turn = (blocker.rotation.T / half).astype(np.float32)
    o = turn @ (points_mm - blocker.center_mm.astype(np.float32)[:, None])
    lamp = turn @ (lamp_mm - blocker.center_mm).astype(np.float32)
    way = lamp[:, None] - o
    way = np.where(np.abs(way) < 1e-6, np.float32(1e-6), way)
    a, b = (-1 - o) / way, (1 - o) / way
    near = np.minimum(a, b).max(axis=0)
    far = np.maximum(a, b).min(axis=0)
    return np.where((near < far) & (far > 0.0) & (near < 1.0), 0.0, 1.0).astype(np.float32)


def distance_to_die_mm(points_mm: F32, other: DiePose) -> F32:
    """Return the distance of places, shape (3, N), from a die taken as a sharp box; 0 inside; shape (N,)."""
    o = other.rotation.T.astype(np.float32) @ (points_mm - other.center_mm.astype(np.float32)[:, None])
    q = np.maximum(np.abs(o) - 0.5 * other.look.size_mm, 0)
    return np.asarray(np.sqrt((q * q).sum(axis=0)), np.float32)
