"""Dice at rest in a tray of `vision.training.recipe`: apart, touching, leaning, now and then one on another."""

import numpy as np

from vision.rendering.materials import f32
from vision.rendering.scene import DieLook, DiePose, TrayLook
from vision.rendering.shadows import opening_of
from vision.training.recipe import RecipeParams
from vision.types.frame import FloatArray

_TOUCHING = 0.38
"""Probability that a die is placed against an earlier one."""
_TURNS = (
    np.eye(3),
    np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]),
    np.diag([1.0, -1.0, -1.0]),
)


def _spun(rng: np.random.Generator) -> FloatArray:
    a = rng.uniform(0, 2 * np.pi)
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])


def leaned(rotation: FloatArray, deg: float, heading: float) -> FloatArray:
    """Return a rotation tipped over by `deg` about the level axis at angle `heading`."""
    a, c, s = np.radians(deg), np.cos(heading), np.sin(heading)
    axis = np.array([[0, 0, s], [0, 0, -c], [-s, c, 0]])
    tip = np.eye(3) + np.sin(a) * axis + (1 - np.cos(a)) * (axis @ axis)
    return np.asarray(tip @ rotation, np.float64)


def _tipped_over_edge(rng: np.random.Generator, turn: FloatArray, deg: float) -> FloatArray:
    """Tip a level die over one of its edges, most often with its sides along the walls."""
    if rng.random() < 0.7:
        a = np.radians(rng.normal(0, 15))
        flat = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])
        turn = flat @ _TURNS[int(rng.integers(6))]
    level = [v for v in turn.T if abs(v[2]) < 0.5]
    along = level[int(rng.integers(len(level)))]
    return leaned(turn, deg, float(np.arctan2(along[1], along[0]) + rng.choice([0, np.pi])))


def _footprint_reach(pose: DiePose, heading: FloatArray) -> float:
    """Return how far a die extends from its centre along a level direction."""
    return float(0.5 * pose.look.size_mm * np.abs(heading @ pose.rotation[:2]).sum())


def _overlap(a: DiePose, b: DiePose) -> bool:
    """Return whether two dice's outlines from above overlap; separating axes of the upright sides."""
    offset = (b.center_mm - a.center_mm)[:2]
    if float(np.hypot(*offset)) > 0.87 * (a.look.size_mm + b.look.size_mm):
        return False
    for die in (a, b):
        for axis in die.rotation[:2].T:
            length = float(np.hypot(*axis))
            if length < 0.3:
                continue
            way = axis / length
            if abs(float(way @ offset)) > _footprint_reach(a, way) + _footprint_reach(b, way):
                return False
    return True


def throw(
    rng: np.random.Generator, looks: tuple[DieLook, ...], count: int, tray: TrayLook, params: RecipeParams
) -> tuple[DiePose, ...]:
    """Return dice at rest: apart, touching, leaning, now and then one on another."""
    dice: list[DiePose] = []
    half = np.asarray(tray.floor_mm) / 2
    outline = opening_of(tray)
    cluster = rng.uniform(-0.5, 0.5, 2) * half
    gathered = rng.random() < 0.35
    for _ in range(count):
        look = looks[int(rng.integers(len(looks)))]
        size = look.size_mm
        for _attempt in range(25):
            turn = _spun(rng) @ _TURNS[int(rng.integers(6))]
            z = size / 2
            lean = rng.random() < params.leaning
            if lean:
                tilt = float(rng.uniform(13, 45) if rng.random() < 0.85 else rng.uniform(4, 11))
                if params.edge_lean and rng.random() < params.edge_lean:
                    turn = _tipped_over_edge(rng, turn, tilt)
                else:
                    turn = leaned(turn, tilt, float(rng.uniform(0, 2 * np.pi)))
                z = 0.5 * size * float(np.abs(turn[2]).sum())
            spot = rng.normal(0, 0.25, 2) * half + cluster if gathered else rng.uniform(-0.97, 0.97, 2) * half
            if lean and params.edge_lean and rng.random() < 0.6:
                wall = int(rng.integers(2))
                spot[wall] = rng.choice([-1, 1]) * (half[wall] - 0.51 * size * np.abs(turn[wall]).sum())
            pose = DiePose(look, np.array([*spot, z]), turn)
            if dice and rng.random() < _TOUCHING:
                mate = dice[int(rng.integers(len(dice)))]
                way = rng.normal(0, 1, 2)
                if rng.random() < 0.6:
                    axes = [v[:2] / np.hypot(*v[:2]) for v in mate.rotation.T if np.hypot(*v[:2]) > 0.7]
                    way = axes[int(rng.integers(len(axes)))] * rng.choice([-1, 1])
                    if rng.random() < 0.5 and not lean:
                        flat = np.array([[way[0], -way[1], 0], [way[1], way[0], 0], [0, 0, 1.0]])
                        turn = flat @ _TURNS[int(rng.integers(6))]
                way = way / np.hypot(*way)
                side = np.array([-way[1], way[0]])
                pose = DiePose(look, pose.center_mm, turn)
                gap = (
                    _footprint_reach(mate, way)
                    + _footprint_reach(pose, way)
                    + float(rng.choice([0.02, 0.02, 0.6, 2.0]))
                )
                at = mate.center_mm[:2] + way * gap + side * rng.uniform(-0.7, 0.7) * size
                pose = DiePose(look, np.array([*at, z]), turn)
            if dice and not lean and rng.random() < params.stacked:
                under = dice[int(rng.integers(len(dice)))]
                if under.rotation[2].max() > 0.999 or under.rotation[2].min() < -0.999:
                    at = under.center_mm[:2] + rng.uniform(-0.4, 0.4, 2) * size
                    top = under.center_mm[2] + under.look.size_mm / 2
                    dice.append(DiePose(look, np.array([*at, top + size / 2]), turn))
                    break
            reach = 0.5 * size * np.abs(turn[:2]).sum(axis=1)
            if np.any(np.abs(pose.center_mm[:2]) > half - reach):
                continue
            if float(outline.distance_mm(f32(pose.center_mm[0]), f32(pose.center_mm[1]))) > -0.52 * size:
                continue
            # A leaning die leans on something: it may overlap its neighbour seen from above.
            if any(_overlap(pose, other) for other in dice if not (lean and rng.random() < 0.7)):
                continue
            dice.append(pose)
            break
    return tuple(dice)
