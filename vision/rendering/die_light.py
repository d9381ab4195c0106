"""Light on a die: the room, its lamps less what other dice and the wall block, and reflections."""

from dataclasses import dataclass

import numpy as np

from vision.rendering.backdrop import Backdrop, lobe, strength_at
from vision.rendering.die_patch import Surface
from vision.rendering.materials import linear
from vision.rendering.mirrored import Gleam, floor_light, gleam_of, mirrored_lamp, mirrored_room
from vision.rendering.scene import DiePose, Light, Scene
from vision.rendering.shadows import distance_to_die_mm, light_samples, past_die, through_opening
from vision.types.frame import F32

_SHINE = {
    "matt": (0.012, 8.0),
    "plastic": (0.035, 40.0),
    "gloss": (0.09, 160.0),
    "marbled": (0.06, 90.0),
    "translucent": (0.08, 140.0),
}
"""For each finish, the strength of a reflected glow and its sharpness (Blinn's exponent)."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A die among others in a lit tray.

    Attributes:
        scene: The scene; only lights and tray are used.
        still: The lit tray.
        pose: The pose of the die.
        others: The other dice.
    """

    scene: Scene
    still: Backdrop
    pose: DiePose
    others: tuple[DiePose, ...]


@dataclass(frozen=True, slots=True)
class DieLightParams:
    """Parameters of the light on dice.

    Attributes:
        shadow_samples: Number of points of each light for shadows of dice on dice, 1 to 6; each costs about 0.3 ms a
            pair.
    """

    shadow_samples: int = 2


def _near(pose: DiePose, others: tuple[DiePose, ...], sizes: float) -> list[DiePose]:
    reach = [sizes * max(pose.look.size_mm, other.look.size_mm) for other in others]
    return [o for o, r in zip(others, reach, strict=True) if float(np.linalg.norm(o.center_mm - pose.center_mm)) < r]


def _reached(where: Standing, surface: Surface, close: list[DiePose], light: Light, samples: int) -> F32:
    """Return the share of a light that passes the wall and the other dice."""
    points, pose = surface.points_mm, where.pose
    way = through_opening(where.scene.tray, where.still.opening, light, (points[0], points[1], points[2]))
    lamp = np.asarray(light.position_mm)
    for other in close:
        # Only a die towards the lamp, or taller, can block it.
        offset = other.center_mm - pose.center_mm
        toward = lamp - pose.center_mm
        along = float(offset @ toward) / float(np.linalg.norm(toward))
        aside = float(np.sqrt(max(float(offset @ offset) - along * along, 0)))
        if along < -0.5 * pose.look.size_mm or aside > 0.9 * (pose.look.size_mm + other.look.size_mm):
            continue
        spots = light_samples(light, samples)
        way = np.asarray(way * np.mean([past_die(points, spot, other) for spot in spots], axis=0), np.float32)
    return way


def light_on_die(where: Standing, surface: Surface, params: DieLightParams) -> F32:
    """Return the light from each visible point of a die towards the camera.

    Args:
        where: The die and its surroundings.
        surface: Its visible surface.
        params: Parameters of the light.

    Returns:
        Shape (N, 3), linear.
    """
    scene, still, pose, others = where.scene, where.still, where.pose, where.others
    tray = scene.tray
    points, normals = surface.points_mm, surface.normals
    size = pose.look.size_mm
    foot = np.clip(0.45 + 0.55 * points[2] / (0.7 * size), 0.3, 1.0)
    room = scene.ambient * (0.62 + 0.38 * normals[2]) * foot
    for other in _near(pose, others, 2.2):
        facing = normals.T @ (other.center_mm - pose.center_mm).astype(np.float32) / np.float32(size)
        gap = distance_to_die_mm(points, other)
        room *= 1 - 0.6 * np.clip(facing, 0, 1) * np.exp(-gap / np.float32(0.35 * size))
    if tray.shape != "none":
        wall_gap = -still.opening.distance_mm(points[0], points[1])
        shaded = np.exp(-np.maximum(wall_gap, 0) / np.float32(0.5 * max(tray.wall_mm, 1.0)))
        room *= 1 - 0.35 * shaded * (points[2] < tray.wall_mm)
    room *= 1 - 0.35 * surface.hollow
    light_in = np.repeat(room[:, None], 3, axis=1).astype(np.float32)
    bounce = linear(tray.floor_bgr if tray.shape != "none" else tray.table_bgr)
    light_in += floor_light(scene.ambient) * (0.5 - 0.5 * normals[2])[:, None] * bounce
    mirror: F32 = np.zeros_like(light_in)
    gleam: Gleam | None = None
    if any(light.shape != "glow" for light in scene.lights):
        flatness = np.abs(pose.rotation.T.astype(np.float32) @ normals).max(axis=0)
        away = float(np.linalg.norm(still.center_mm - pose.center_mm))
        gleam = gleam_of(pose.look, flatness, normals, surface.toward, away / float(scene.camera.k[0, 0]))
        mirror += mirrored_room(scene.ambient, bounce, gleam) * foot[:, None]
    strength, polish = _SHINE.get(pose.look.finish, _SHINE["plastic"])
    sheer = 0.35 if pose.look.finish == "translucent" else 0.0
    close = _near(pose, others, 6.0)
    for light in scene.lights:
        tint = np.asarray(light.colour_bgr, np.float32)
        facing3 = (normals[0], normals[1], normals[2])
        given, vx, vy, vz = strength_at(light, points[0], points[1], points[2], facing3)
        way = _reached(where, surface, close, light, params.shadow_samples)
        if sheer:
            # Light enters on one side and leaves on another, so the dark side of a clear die glows.
            given = np.asarray((1 - sheer) * given + sheer * light.strength * 0.7, np.float32)
            way = np.asarray(0.35 + 0.65 * way, np.float32)
        light_in += (given * way * (1 - 0.25 * surface.hollow))[:, None] * tint
        if gleam is not None and light.shape != "glow":
            mirror += (mirrored_lamp(light, points, gleam) * way)[:, None] * tint
            continue
        hx, hy, hz = vx + surface.toward[0], vy + surface.toward[1], vz + surface.toward[2]
        norm = np.sqrt(hx * hx + hy * hy + hz * hz) + 1e-6
        cosine = np.clip((hx * normals[0] + hy * normals[1] + hz * normals[2]) / norm, 0, 1)
        exponent = lobe(light, polish)
        glint = np.float32(strength * light.strength * (exponent + 8) / 25) * cosine ** np.float32(exponent) * way
        mirror += glint[:, None] * tint
    return np.asarray(surface.albedo * light_in + mirror, np.float32)
