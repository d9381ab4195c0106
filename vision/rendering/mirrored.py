"""Reflections on a polished die: the shapes of the lamps, the room above, the floor below."""

from dataclasses import dataclass

import numpy as np

from vision.rendering.scene import DieLook, Light
from vision.types.frame import F32

_ROUGHNESS = {"matt": 0.4, "plastic": 0.05, "gloss": 0.012, "marbled": 0.025, "translucent": 0.018}
"""For each finish, the standard deviation of reflected rays in radians."""
_HEAD_ON = 0.04
"""Share of the light from straight ahead that a resin with a refractive index of 1.5 reflects (Fresnel's equations)."""
_RING_HOLE = 0.7
"""Inner radius of a ring lamp over its outer one."""


@dataclass(frozen=True, slots=True, eq=False)
class Gleam:
    """Reflection at the visible points of a surface.

    Attributes:
        ways: Shape (3, N), unit vectors: the direction that each point's reflected ray comes from.
        share: Shape (N,), share of the light that is reflected.
        stray: Shape (N,), standard deviation of the rays, radians.
    """

    ways: F32
    share: F32
    stray: F32


def roughness(look: DieLook) -> float:
    """Return the deviation of a die's reflected rays, radians: by finish, times its own polish, up to twice or half."""
    own = float(np.random.default_rng([look.seed, 9]).uniform(-1, 1))
    return float(_ROUGHNESS.get(look.finish, _ROUGHNESS["plastic"]) * 2.0**own)


def gleam_of(look: DieLook, flatness: F32, normals: F32, toward: F32, pixel_mm: float) -> Gleam:
    """Return a die's reflection at places of it.

    Args:
        look: The die.
        flatness: Shape (N,), cosine between the normal there and that of the nearest face.
        normals: Shape (3, N), of unit length.
        toward: Shape (3, N), unit vectors to the camera.
        pixel_mm: Extent of a pixel on the die; around an edge it sees many normals at once.
    """
    stray = roughness(look)
    spread = pixel_mm / max(look.rounding * look.size_mm, 0.5)
    strays = np.sqrt(np.float32(stray**2) + np.where(flatness < 0.9995, np.float32(spread**2), 0))
    cosine = np.clip((normals * toward).sum(axis=0), 0, 1)
    # Schlick's form of Fresnel's equations; rough surfaces gain less at a grazing angle.
    grazing = (1 - cosine) ** 5 * np.float32(max(1 - 2.5 * stray, 0.0))
    share = _HEAD_ON + (1 - _HEAD_ON) * grazing
    ways = np.asarray(2 * cosine * normals - toward, np.float32)
    return Gleam(ways, np.asarray(share, np.float32), np.asarray(strays, np.float32))


def _upright(axis: F32) -> tuple[F32, F32]:
    """Return two unit vectors orthogonal to a unit vector and each other, the second as upright as possible."""
    up = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = np.cross(up, axis)
    right /= np.linalg.norm(right)
    return np.asarray(right, np.float32), np.asarray(np.cross(axis, right), np.float32)


def _within(away: F32, radius: float, stray: F32) -> F32:
    """Return the share of deviating rays that meet a lamp, for their centre's distance from its own, all in radians.

    Exact for a ray at the centre of a disc; its decrease across the rim is that across a straight edge.
    """
    stray = np.maximum(stray, np.float32(0.03 * radius))
    at_middle = 1 - np.exp(-0.5 * (radius / stray) ** 2)
    # A logistic approximates the normal distribution; 1.702 makes the two closest.
    fall = 1 / (1 + np.exp(np.clip(1.702 * (away - radius) / stray, -30, 30)))
    whole = 1 / (1 + np.exp(-1.702 * radius / stray))
    return np.asarray(at_middle * fall / whole, np.float32)


def mirrored_lamp(light: Light, points_mm: F32, gleam: Gleam) -> F32:
    """Return the reflection of one lamp at points of a surface, without obstacles.

    Args:
        light: The lamp.
        points_mm: Shape (3, N).
        gleam: The reflection at the points.

    Returns:
        Shape (N,), in the unit of `Light.strength`.
    """
    lamp = np.asarray(light.position_mm, np.float32)
    home = float(np.linalg.norm(lamp))
    radius_mm = 0.5 * max(light.softness_mm, 4.0)
    offset = lamp[:, None] - points_mm
    length = np.sqrt((offset * offset).sum(axis=0))
    along = (gleam.ways * offset).sum(axis=0)
    right, high = _upright(lamp / np.float32(home))
    # Where the ray passes the lamp's plane, which faces the tray's centre, as angles from the lamp's own centre.
    ahead = np.maximum(along / length, 1e-3)
    aside = gleam.ways - offset / length * ahead
    x, y = (right @ aside) / ahead, (high @ aside) / ahead
    away = np.maximum(np.abs(x), np.abs(y)) if light.shape == "square" else np.sqrt(x * x + y * y)
    angle = radius_mm / home
    met = _within(away, angle, gleam.stray)
    if light.shape == "ring":
        met = np.maximum(met - _within(away, _RING_HOLE * angle, gleam.stray), 0) / np.float32(1 - _RING_HOLE**2)
    if light.shape == "square":
        met *= np.float32(np.pi / 4)
    # A lamp's radiance is its irradiance over its solid angle; pi is in the unit, as a white object's albedo is 1.
    level = max(float(lamp[2]) / home, 0.25)
    radiance = light.strength / level / angle**2
    behind = along <= 0
    return np.asarray(np.where(behind, 0, gleam.share * np.float32(radiance) * met), np.float32)


def floor_light(ambient: float) -> np.float32:
    """Return the light from a lit floor of reflectance 1, by `Scene.ambient`; a fixed part represents the lamps."""
    return np.float32(0.6 * (ambient + 0.4))


def mirrored_room(ambient: float, floor: F32, gleam: Gleam) -> F32:
    """Return the reflection of the room above and of the lit floor below.

    Args:
        ambient: `Scene.ambient`.
        floor: Shape (3,), linear reflectance of what is below.
        gleam: The reflection at the points.

    Returns:
        Shape (N, 3).
    """
    above = np.clip(0.5 + gleam.ways[2] / np.float32(0.1 + 2 * gleam.stray), 0, 1)[:, None]
    light = above * np.float32(ambient) + (1 - above) * floor_light(ambient) * floor
    return np.asarray(gleam.share[:, None] * light, np.float32)
