"""Drawing of one die: each pixel's ray is cast against a rounded box with pips on its faces and lit where it hits."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vision.rendering.materials import linear
from vision.rendering.optics import Rect, project, rays
from vision.rendering.scene import CameraPose, DieLook, DiePose
from vision.rendering.shadows import clip_rect, corners_mm
from vision.types.frame import F32, FloatArray

_STEPS = 7
"""Sphere-tracing steps from the bounding box to the rounded surface; more moved no pixel by a grey level."""

PIP_SITES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""For each value the places of its pips, in `pip_spread`s from the face's centre."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """What the rays of one die's pixels hit.

    Attributes:
        rect: The section of the picture.
        index: Shape (N,), index of each point's pixel in the section, row by row.
        cover: Shape (N,), share of the pixel that the die covers.
        points_mm: Shape (3, N), positions in the world.
        normals: Shape (3, N), normals in the world, of unit length.
        albedo: Shape (N, 3), linear reflectance.
        hollow: Shape (N,), 1 inside a pip's dent, else 0.
        toward: Shape (3, N), unit vectors to the camera.
    """

    rect: Rect
    index: npt.NDArray[np.intp]
    cover: F32
    points_mm: F32
    normals: F32
    albedo: F32
    hollow: F32
    toward: F32


def value_at(look: DieLook, axis: int, positive: bool) -> int:
    """Return the value of the face whose outward normal is the given axis of the die's own frame."""
    if axis == 2:
        return 1 if positive else 6
    if axis == 1:
        return 2 if positive else 5
    return 3 if positive != look.left_handed else 4


@lru_cache(maxsize=512)
def _pip_centers(seed: int, value: int, spread: float, six_width: float) -> tuple[tuple[float, float], ...]:
    """Return pip centres in half edges; 2, 3 and 6 have two orientations, chosen by the seed."""
    flip = bool((seed >> (value % 3)) & 1)
    reach = 2 * spread
    places = [(reach * x, reach * y) for x, y in PIP_SITES[value]]
    if value == 6:
        places = [(x * six_width, y) for x, y in places]
        return tuple((y, x) for x, y in places) if flip else tuple(places)
    if value in (2, 3) and flip:
        return tuple((-x, y) for x, y in places)
    return tuple(places)


@lru_cache(maxsize=256)
def _ball_radius(seed: int) -> float:
    """Return the radius of the sphere that cuts a die's corners, in half edges; at 1.414 it touches the edges."""
    return float(np.random.default_rng([seed, 7]).uniform(1.28, 1.4))


@lru_cache(maxsize=256)
def _swirl(seed: int) -> F32:
    """Return four wave vectors of a die's marbling, shape (4, 3)."""
    rng = np.random.default_rng([seed, 5])
    return np.asarray(rng.normal(0, 1, (4, 3)) * np.array([[2.2], [3.1], [4.5], [7.0]]), np.float32)


def _body_colour(look: DieLook, local: F32) -> F32:
    """Return the body's reflectance, shape (N, 3), at places of its own frame, shape (3, N) in half edges."""
    body = linear(look.body_bgr)
    if look.finish not in ("marbled", "translucent"):
        return np.broadcast_to(body, (local.shape[1], 3)).astype(np.float32)
    waves = _swirl(look.seed) @ local
    vein = 0.5 + 0.5 * np.sin(waves[0] + 1.7 * np.sin(waves[1]) + 1.1 * np.sin(waves[2]) + 0.5 * np.sin(waves[3]))
    if look.finish == "marbled":
        other = 0.55 * body + 0.45 * (0.25 + 0.5 * np.flip(body)) if body.max() < 0.6 else body * np.float32(0.62)
        amount = np.clip(1.6 * vein - 0.5, 0, 1)[:, None]
        return np.asarray(body * (1 - amount) + other * amount, np.float32)
    return np.asarray(body * (0.75 + 0.5 * vein[:, None]), np.float32)


def cast(pose: DiePose, camera: CameraPose, center_mm: FloatArray) -> Surface | None:
    """Find what each pixel sees of a die.

    Args:
        pose: The die.
        camera: The camera.
        center_mm: Position of the camera.

    Returns:
        The visible surface; None if the die is outside the picture or behind the camera.
    """
    look = pose.look
    half = 0.5 * look.size_mm
    depth = float((camera.rotation @ pose.center_mm + camera.translation_mm)[2])
    if depth < 2 * look.size_mm:
        return None
    rect = clip_rect(project(camera, corners_mm(pose, 0.0)), 1.0, camera.width_px, camera.height_px)
    if rect is None:
        return None
    block = rays(camera, rect).reshape(-1, 3)
    turn = pose.rotation.T.astype(np.float32)
    d = turn @ block.T
    d /= np.sqrt((d * d).sum(axis=0))
    d = np.where(np.abs(d) < 1e-7, np.float32(1e-7), d)
    o = (pose.rotation.T @ (center_mm - pose.center_mm) / half).astype(np.float32)[:, None]
    pixel = float(depth / camera.k[0, 0] / half)
    reach = np.float32(1 + 0.6 * pixel)
    a, b = (-reach - o) / d, (reach - o) / d
    near, far = np.minimum(a, b).max(axis=0), np.maximum(a, b).min(axis=0)
    index = np.flatnonzero(near < far)
    if not len(index):
        return None
    # `take` keeps each axis contiguous; d[:, index] would lay it out point by point, and sums took ten times as long.
    d, t = d.take(index, axis=1), near[index]
    # Drawn half a pixel small, its rim then widened by a pixel that fades: an edge as smooth as with four samples.
    edge = np.float32(1 - 0.5 * pixel)
    r = np.float32(min(max(2 * look.rounding, 0.02), 0.95))
    ball = np.float32((_ball_radius(look.seed) if look.ball else 9.0) - 0.5 * pixel)
    closest = np.full(len(index), 9.0, np.float32)
    for _ in range(_STEPS):
        p = o + t * d
        q = np.abs(p) - (edge - r)
        m = np.maximum(q, 0)
        gap = np.sqrt((m * m).sum(axis=0)) + np.minimum(q.max(axis=0), 0) - r
        if look.ball:
            gap = np.maximum(gap, np.sqrt((p * p).sum(axis=0)) - ball)
        np.minimum(closest, gap, out=closest)
        t = t + gap
    cover = np.clip(1 - closest / np.float32(pixel), 0, 1)
    keep = np.flatnonzero(cover > 0.01)
    if not len(keep):
        return None
    index, cover, d = index[keep], cover[keep], d.take(keep, axis=1)
    p = o + t[keep] * d
    m = np.maximum(np.abs(p) - (edge - r), 0) * np.sign(p)
    n = m / (np.sqrt((m * m).sum(axis=0)) + 1e-6)
    if look.ball:
        length = np.sqrt((p * p).sum(axis=0))
        q = np.abs(p) - (edge - r)
        box_gap = np.sqrt((np.maximum(q, 0) ** 2).sum(axis=0)) + np.minimum(q.max(axis=0), 0) - r
        n = np.where(length - ball > box_gap, p / length, n)
    colour, dent, hollow = _paint(look, p, o[:, 0], np.asarray(pixel / np.maximum(np.abs(d), 0.12), np.float32))
    n = n + dent
    n /= np.sqrt((n * n).sum(axis=0)) + 1e-6
    spin = pose.rotation.astype(np.float32)
    return Surface(
        rect=rect,
        index=index,
        cover=cover.astype(np.float32),
        points_mm=np.asarray(spin @ (p * half) + pose.center_mm.astype(np.float32)[:, None], np.float32),
        normals=np.asarray(spin @ n, np.float32),
        albedo=colour,
        hollow=hollow,
        toward=np.asarray(-(spin @ d), np.float32),
    )


def _paint(look: DieLook, p: F32, eye: F32, blur: F32) -> tuple[F32, F32, F32]:
    """Return colour, normal deviation and hollowness at places of a die's surface, shape (3, N) in half edges.

    `blur`, shape (3, N), is a pixel's extent on a face of each axis: large if the face is seen at an angle.
    """
    count = p.shape[1]
    colour = _body_colour(look, p)
    dent = np.zeros((3, count), np.float32)
    hollow = np.zeros(count, np.float32)
    pip = linear(look.pip_bgr)
    main = np.abs(p).argmax(axis=0)
    for axis in range(3):
        if abs(eye[axis]) <= 1:
            continue
        positive = bool(eye[axis] > 0)
        sel = np.flatnonzero((main == axis) & ((p[axis] > 0) == positive))
        if not len(sel):
            continue
        value = value_at(look, axis, positive)
        ua, va = (axis + 1) % 3, (axis + 2) % 3
        u, v = p[ua, sel], p[va, sel]
        radius = 2 * look.pip_radius * (look.one_scale if value == 1 else 1.0)
        best = np.full(len(sel), 9.0, np.float32)
        du, dv = np.zeros_like(best), np.zeros_like(best)
        spread = look.pip_spread * look.steps[value - 1]
        for cu, cv in _pip_centers(look.seed, value, spread, look.six_width):
            eu, ev = u - np.float32(cu), v - np.float32(cv)
            dist = np.sqrt(eu * eu + ev * ev)
            nearer = dist < best
            best = np.where(nearer, dist, best)
            du, dv = np.where(nearer, eu, du), np.where(nearer, ev, dv)
        mask = np.clip((radius - best) / blur[axis, sel] + 0.5, 0, 1).astype(np.float32)
        colour[sel] += mask[:, None] * (pip - colour[sel])
        if look.dented:
            hollow[sel] = mask
            dent[ua, sel] = -0.8 * mask * du / radius
            dent[va, sel] = -0.8 * mask * dv / radius
    return colour, dent, hollow
