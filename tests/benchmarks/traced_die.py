"""A die as a mesh for a path tracer: round edges or corners cut by a sphere, and pips as hollows or glyphs."""

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from vision.rendering.die_patch import PIP_SITES, value_at
from vision.rendering.scene import DieLook, DiePose
from vision.training.painted_faces import Glyph

Floats = npt.NDArray[np.float64]

GRID = 72
"""Quads along an edge: finer than the pixels of a die that fills a twentieth of the picture's width."""
FINE = 144
"""Quads along an edge of a die with glyphs, whose strokes are narrower than pips."""
HOLLOW = 0.35
"""Depth of a pip over its radius."""
_FACES = tuple(product((2, 1, 0), (1.0, -1.0)))
"""Each by its axis and side, in the order in which they are rotated at random."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnFaces:
    """Faces of dice that show more than pips.

    Attributes:
        glyphs: One for each value from 1.
        depth: Depth to which glyphs are engraved, in edges; 0 if they are only printed.
        wear: Share of the ink that is lost where it is worn, 0 to 1.
    """

    glyphs: tuple[Glyph, ...]
    depth: float = 0.0
    wear: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class DieMesh:
    """A die of edge 1 about the origin.

    Attributes:
        points: Shape (N, 3).
        quads: Shape (M, 4), or (M, 3) of triangles, indices into `points`, counter-clockwise seen from outside.
        pip: Shape (N,), 1 within a pip or glyph and 0 outside.
    """

    points: Floats
    quads: npt.NDArray[np.int32]
    pip: Floats

    def welded(self) -> "DieMesh":
        """Merge points that faces share, so that edges are shaded smoothly."""
        _, kept, of = np.unique(np.round(self.points, 6), axis=0, return_index=True, return_inverse=True)
        return DieMesh(self.points[kept], np.asarray(of.reshape(-1)[self.quads], np.int32), self.pip[kept])


def die_mesh(look: DieLook, deep: bool, own: OwnFaces | None = None) -> DieMesh:
    """Return the mesh of a die that shows 1 at +z, 2 at +y and 3 at +x (4 if it is left-handed).

    Args:
        look: Gives rounding, ball, pips and handedness.
        deep: Whether its pips are hollows, not just paint.
        own: What its faces show; None: pips.
    """
    turned = turned_faces(look)
    points: list[Floats] = []
    pips: list[Floats] = []
    quads: list[npt.NDArray[np.int32]] = []
    steps = _steps(look.rounding, FINE if own else GRID)
    for axis, sign in _FACES:
        u, v = (part.reshape(-1) for part in np.meshgrid(steps, steps, indexing="ij"))
        cube = np.empty((len(u), 3))
        cube[:, axis], cube[:, (axis + 1) % 3], cube[:, (axis + 2) % 3] = sign * 0.5, u, v
        solid = _rounded(cube, look)
        value = value_at(look, axis, sign > 0)
        glyph = own.glyphs[value - 1] if own else Glyph(None)
        if own and glyph.mask is not None:
            share = ink_at(glyph, sign * u, v)
            depth = own.depth * share
        else:
            share, depth = _pips_at(u, v, value, look, turned[axis, sign])
            depth = depth * deep
        solid[:, axis] -= sign * depth
        points.append(solid)
        pips.append(share)
        quads.append(_quads(len(steps), sign) + sum(len(p) for p in points[:-1]))
    return DieMesh(np.concatenate(points), np.concatenate(quads), np.concatenate(pips)).welded()


def face_up(pose: DiePose) -> tuple[Floats, Floats]:
    """Return a die's top: its centre, and its edges to the right and up of an upright glyph, shape (2, 3), in mm."""
    axis = int(np.argmax(np.abs(pose.rotation[2])))
    sign = 1.0 if pose.rotation[2, axis] > 0 else -1.0
    axes = pose.look.size_mm * pose.rotation[:, [(axis + 1) % 3, (axis + 2) % 3]].T * np.array([[sign], [1.0]])
    return pose.center_mm + pose.look.size_mm / 2 * sign * pose.rotation[:, axis], axes


def ink_at(glyph: Glyph, right: Floats, up: Floats) -> Floats:
    """Return the share of ink at places on a face, seen from outside, each shape (N,), in edges from its centre."""
    assert glyph.mask is not None
    side = len(glyph.mask)
    c, s = np.cos(glyph.turn) / glyph.share, np.sin(glyph.turn) / glyph.share
    column, row = (side * (part + 0.5) - 0.5 for part in (c * right - s * up, -s * right - c * up))
    rows = [part.astype(np.float32)[:, None] for part in (column, row)]
    # OpenCV maps no more than 32,767 rows at a time.
    parts = [
        cv2.remap(glyph.mask, rows[0][k : k + 30000], rows[1][k : k + 30000], cv2.INTER_LINEAR)
        for k in range(0, len(right), 30000)
    ]
    return np.concatenate(parts)[:, 0].astype(np.float64) / 255


def turned_faces(look: DieLook) -> dict[tuple[int, float], bool]:
    """Return for each face, by its axis and side, whether its pips are rotated by a quarter turn."""
    chance = np.random.default_rng(look.seed)
    return {face: bool(chance.random() < 0.5) for face in _FACES}


def pip_places(value: int, look: DieLook, turned: bool) -> list[tuple[float, float]]:
    """Return the centres of a face's pips along its two axes, in edges."""
    places = [
        (look.pip_spread * row * (look.six_width if value == 6 else 1.0), look.pip_spread * column)
        for row, column in PIP_SITES[value]
    ]
    return [(-y, x) for x, y in places] if turned else places


def pip_radius(value: int, look: DieLook) -> float:
    """Return the radius of a pip, in edges."""
    return look.pip_radius * (look.one_scale if value == 1 else 1.0)


def _steps(rounding: float, grid: int) -> Floats:
    """Return places along an edge, denser where it is round."""
    flat = 0.5 - rounding
    bend = rounding * (1 - np.cos(np.linspace(0, np.pi / 2, 8)))
    return np.concatenate([-0.5 + bend[:-1], np.linspace(-flat, flat, grid), 0.5 - bend[-2::-1]])


def _rounded(cube: Floats, look: DieLook) -> Floats:
    inner = np.clip(cube, look.rounding - 0.5, 0.5 - look.rounding)
    out = cube - inner
    solid = inner + look.rounding * out / np.linalg.norm(out, axis=1, keepdims=True)
    if look.ball:
        away = np.linalg.norm(solid, axis=1, keepdims=True)
        solid *= np.minimum(1.0, _ball_radius(look) / away)
    return np.asarray(solid, np.float64)


def _ball_radius(look: DieLook) -> float:
    return 0.62 + 0.08 * (look.seed % 997) / 997


def _pips_at(u: Floats, v: Floats, value: int, look: DieLook, turned: bool) -> tuple[Floats, Floats]:
    """Return each place's share of a pip, and its depth."""
    share, depth = np.zeros(len(u)), np.zeros(len(u))
    radius = pip_radius(value, look)
    for x, y in pip_places(value, look, turned):
        away = np.hypot(u - x, v - y) / radius
        share = np.maximum(share, np.clip((1.06 - away) / 0.12, 0, 1))
        depth = np.maximum(depth, HOLLOW * radius * np.clip(1 - away * away, 0, 1))
    return share, depth


def _quads(side: int, sign: float) -> npt.NDArray[np.int32]:
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)
    ring = np.stack([first, first + side, first + side + 1, first + 1], axis=1)
    return np.asarray(ring if sign > 0 else ring[:, ::-1], np.int32)
