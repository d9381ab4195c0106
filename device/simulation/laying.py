"""Dice laid by hand in the simulated tray: flat, with the wanted face up, where there is room."""

import math
from collections.abc import Sequence

import numpy as np

from device.simulation.physics import BodyPose, TrayBox
from vision.rendering.die_patch import value_at
from vision.rendering.scene import DieLook
from vision.types.frame import FloatArray

_FLAT_DEG = 2.0
_FLAT_MM = 0.6
"""A die that leans by more, or whose centre is this much higher than half its edge, is not flat on the floor."""
_APART_EDGES = 1.5
"""Distance between the centres of two dice: arbitrarily turned cubes do not touch from 1.42 on."""
_FROM_WALL_EDGES = 0.8
"""Distance from a die's centre to the wall: from 0.71 on an arbitrarily turned cube does not touch it."""
_NEAREST_MM = 4.0
_STEP_MM = 1.0
_FARTHEST_MM = 400.0
_WAYS = 24
_MIN_TURN_DEG, _MAX_TURN_DEG = 5.0, 20.0
"""No hand returns a die to exactly its old place and turn. Of dice turned over within a millimetre one in eighteen was
taken for an untouched die that reads two ways (measured); from 3 mm on none of 144."""


def lies_flat(pose: BodyPose, size_mm: float) -> bool:
    """Return whether a die rests with one face on the floor and on nothing else."""
    up = float(np.abs(pose.rotation[2]).max())
    return up >= math.cos(math.radians(_FLAT_DEG)) and float(pose.center_mm[2]) <= size_mm / 2 + _FLAT_MM


def laid_down(
    pose: BodyPose,
    look: DieLook,
    value: int | None,
    *,
    others: Sequence[BodyPose],
    box: TrayBox,
    chance: np.random.Generator,
) -> BodyPose:
    """Lay a die flat on the floor, at the nearest place where it touches neither a wall nor another die.

    Args:
        value: The face to show, 1 to 6; None: the current top face.

    Returns:
        The die, flat, at least a few millimetres from its old place; at its old place if the tray is too full.
    """
    axis, positive = pose.uppermost if value is None else _axis_of(look, value)
    face = pose.rotation[:, axis] * (1.0 if positive else -1.0)
    upright = _turned_to_top(face, pose.rotation[:, (axis + 1) % 3]) @ pose.rotation
    angle = math.radians(float(chance.uniform(_MIN_TURN_DEG, _MAX_TURN_DEG) * chance.choice((-1.0, 1.0))))
    cos, sin = math.cos(angle), math.sin(angle)
    about_upright = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    taken_mm = np.array([other.center_mm[:2] for other in others]).reshape(-1, 2)
    x, y = _free_place(pose.center_mm[:2], taken_mm, box, look.size_mm)
    return BodyPose(np.array([x, y, look.size_mm / 2]), about_upright @ upright)


def _axis_of(look: DieLook, value: int) -> tuple[int, bool]:
    ends = ((axis, positive) for axis in range(3) for positive in (False, True))
    return next(end for end in ends if value_at(look, *end) == value)


def _free_place(near_mm: FloatArray, taken_mm: FloatArray, box: TrayBox, size_mm: float) -> FloatArray:
    angles = np.arange(_WAYS) * (2 * math.pi / _WAYS)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for reach_mm in np.arange(_NEAREST_MM, _FARTHEST_MM, _STEP_MM):
        places = near_mm + reach_mm * around
        gaps = np.linalg.norm(places[:, None] - taken_mm[None], axis=2).min(axis=1, initial=np.inf)
        free = (box.depth_mm(places) >= _FROM_WALL_EDGES * size_mm) & (gaps >= _APART_EDGES * size_mm)
        if free.any():
            return np.asarray(places[int(np.argmax(free))])
    return near_mm


def _turned_to_top(face: FloatArray, aside: FloatArray) -> FloatArray:
    """Return the smallest rotation, shape (3, 3), that turns a unit vector upright; half a turn goes about `aside`."""
    top = np.array([0.0, 0.0, 1.0])
    axis = np.cross(face, top)
    sine, cosine = float(np.linalg.norm(axis)), float(face[2])
    if sine < 1e-9:
        return np.eye(3) if cosine > 0 else 2.0 * np.outer(aside, aside) - np.eye(3)
    axis = axis / sine
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.asarray(np.eye(3) + sine * cross + (1.0 - cosine) * cross @ cross)
