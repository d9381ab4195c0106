"""Dice of 8, 10 and 12 faces as meshes for a path tracer, with rounded edges and glyphs.

A solid has its centre at the origin and opposite faces 1 apart; in its pose it lies on one face.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from tests.benchmarks.traced_die import DieMesh, Floats, OwnFaces, ink_at

ACROSS_MM = {8: 15.0, 10: 16.0, 12: 18.0}
"""Distance between opposite faces, as sold."""
_SHARP = 60.0
"""Power of the norm that rounds edges: the greater, the sharper."""
_STEP = 0.007
"""Distance of a mesh's points."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One face of a solid.

    Attributes:
        normal: Shape (3,), unit vector outwards.
        corners: Shape (K, 3), counter-clockwise seen from outside.
        middle: Shape (3,), where its glyph is.
        right: Shape (3,), unit vector to the right of an upright glyph.
        up: Shape (3,), unit vector up along it.
        width: Diameter of the circle in it; glyphs are measured by it.
    """

    normal: Floats
    corners: Floats
    middle: Floats
    right: Floats
    up: Floats
    width: float


@cache
def sides_of(count: int) -> tuple[Side, ...]:
    """Return the faces of a solid by value from 1; values of opposite ones add up to one more than it has faces."""
    points = _corners(count)
    found: list[Side] = []
    for a, b, c in combinations(range(len(points)), 3):
        normal = np.cross(points[b] - points[a], points[c] - points[a])
        if abs(normal @ points[a]) < 1e-9:
            continue
        normal *= np.sign(normal @ points[a]) / np.linalg.norm(normal)
        away = points @ normal - normal @ points[a]
        if away.max() < 1e-6 and not any(np.allclose(side.normal, normal) for side in found):
            found.append(_side(points[away > -1e-6] * (0.5 / (normal @ points[a])), normal))
    low = [side for side in found if (side.normal @ (0.123, 0.456, 0.789)) > 0]
    high = [next(s for s in found if np.allclose(s.normal, -side.normal)) for side in low]
    # Low and high values alternate around the solid.
    first = [(low, high)[k % 2][k] for k in range(len(low))]
    last = [(high, low)[k % 2][k] for k in range(len(low))]
    return (*first, *reversed(last))


def _corners(count: int) -> Floats:
    if count == 8:
        return np.concatenate([np.eye(3), -np.eye(3)])
    if count == 12:
        golden = (1 + 5**0.5) / 2
        rest = [np.roll([0, a / golden, b * golden], k) for a, b, k in product((1, -1), (1, -1), range(3))]
        return np.array([*product((-1.0, 1.0), repeat=3), *rest])
    turn, low = np.arange(10) * np.pi / 5, 0.105
    tip = low * (1 + np.cos(np.pi / 5)) / (1 - np.cos(np.pi / 5))
    ring = np.stack([np.cos(turn), np.sin(turn), np.where(np.arange(10) % 2, low, -low)], axis=1)
    return np.concatenate([ring, [[0, 0, tip], [0, 0, -tip]]])


def _side(points: Floats, normal: Floats) -> Side:
    mean = points.mean(axis=0)
    far = points[np.linalg.norm(points - mean, axis=1).round(6).argmax()]
    up = (far - mean) / np.linalg.norm(far - mean)
    right = np.cross(up, normal)
    around = points[np.argsort(np.arctan2((points - mean) @ up, (points - mean) @ right))]
    along = np.roll(around, -1, axis=0) - around
    outward = np.cross(along, normal)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    places = mean + np.linspace(-0.2, 0.2, 201)[:, None] * up
    room = ((around[:, None] - places) * outward[:, None]).sum(axis=2).min(axis=0)
    return Side(normal, around, places[room.argmax()], right, up, 2 * float(room.max()))


def solid_mesh(own: OwnFaces) -> DieMesh:
    """Return the mesh of a solid with a glyph on each face."""
    sides = sides_of(len(own.glyphs))
    normals = np.array([side.normal for side in sides])
    points: list[Floats] = []
    inks: list[Floats] = []
    triangles: list[np.ndarray] = []
    for side, glyph in zip(sides, own.glyphs, strict=True):
        for a, b in zip(side.corners, np.roll(side.corners, -1, axis=0), strict=True):
            spread = np.array([a - side.middle, b - side.middle])
            steps = int(np.ceil(np.linalg.norm(spread, axis=1).max() / _STEP))
            shares, rings = _fan(steps)
            flat = side.middle + shares @ spread
            way = flat / np.linalg.norm(flat, axis=1, keepdims=True)
            # A norm of the distances to all faces is that to the nearest one, but round where two are equally near.
            reach = (np.clip(way @ normals.T, 0, None) ** _SHARP).sum(axis=1) ** (1 / _SHARP)
            places = (flat - side.middle) / side.width
            ink = ink_at(glyph, places @ side.right, places @ side.up)
            triangles.append(rings + sum(len(part) for part in points))
            points.append(way * (0.5 / reach)[:, None] - own.depth * side.width * ink[:, None] * side.normal)
            inks.append(ink)
    return DieMesh(np.concatenate(points), np.concatenate(triangles), np.concatenate(inks)).welded()


@cache
def _fan(steps: int) -> tuple[Floats, np.ndarray]:
    """Return the points of a triangle as shares of its two sides from one corner, and its small triangles."""
    index = -np.ones((steps + 2, steps + 2), np.int32)
    rows, columns = np.nonzero(np.add.outer(np.arange(steps + 1), np.arange(steps + 1)) <= steps)
    index[rows, columns] = np.arange(len(rows))
    here, right, down = index[rows, columns], index[rows + 1, columns], index[rows, columns + 1]
    across = index[rows + 1, columns + 1]
    up, back = (right >= 0) & (down >= 0), across >= 0
    small = [np.stack([here, right, down], axis=1)[up], np.stack([right, across, down], axis=1)[back]]
    return np.stack([rows, columns], axis=1) / steps, np.concatenate(small)


def lying_on(count: int, value: int, turn: float) -> Floats:
    """Return the rotation, axes as columns, of a solid that shows a value, rotated about the upright."""
    side = sides_of(count)[value - 1]
    c, s = np.cos(turn), np.sin(turn)
    spun = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    return np.asarray(spun @ np.array([side.right, side.up, side.normal]))
