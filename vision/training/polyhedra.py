"""Dice with 8, 10 and 12 faces, drawn into pictures of empty trays: flat shaded, with glyphs, shadow and noise."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.imaging.image_file import load_image
from vision.types.frame import F32, FloatArray, ImageBgr, ImageGray

KINDS = (8, 10, 12)
_WIDTHS_MM = {8: 15.0, 10: 15.0, 12: 18.0}
"""Distances of opposite faces."""
MAX_DICE = 12
_APART_MM = 19.0
"""Least distance of two dice."""
REACH_MM = 26.0
"""Half the side of the patch in which a die and its shadow lie."""
_FINE, _BITS = 3, 4
"""Patches are drawn so many times finer; corners in sixteenths of a pixel."""
_AWAY_MM = 450.0
"""Distance of the camera."""
_ASLANT = 0.08
"""Standard deviation of the shift of a die's points for each unit of their height, beyond that of a camera above."""
_PRINT = 0.6
"""Half the usual side of a glyph, in radii of the circle within its face."""
_THIN, _FLAT = 1e-9, 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A drawn die's top face."""

    sides: int
    face: int  # which of its glyphs lies on top
    center_xy: FloatArray  # shape (2,), centre of its top face, in pixels
    edge_px: float  # twice the radius of the circle within that face, in pixels
    turn_rad: float  # direction from its centre to a corner, for ten faces to the far one


@cache
def _solid(sides: int) -> tuple[FloatArray, list[tuple[list[int], FloatArray]]]:
    """Return the corners, and each face's corners in order and its normal, of a solid with opposite faces 1 apart."""
    golden = (1 + 5**0.5) / 2
    if sides == 8:
        corners = np.array([sign * np.eye(3)[k] for k in range(3) for sign in (1, -1)])
    elif sides == 12:
        rings = [np.roll([0, a / golden, b * golden], k) for a in (1, -1) for b in (1, -1) for k in range(3)]
        corners = np.array([*product((-1.0, 1.0), repeat=3), *rings])
    else:
        turns, rise = np.arange(10) * np.pi / 5, 0.105
        belt = np.column_stack([np.cos(turns), np.sin(turns), np.where(np.arange(10) % 2, rise, -rise)])
        tip = rise * (1 + np.cos(np.pi / 5)) / (1 - np.cos(np.pi / 5))
        corners = np.vstack([belt, [[0, 0, tip], [0, 0, -tip]]])
    planes: dict[tuple[int, ...], FloatArray] = {}
    for a, b, c in combinations(range(len(corners)), 3):
        normal = np.cross(corners[b] - corners[a], corners[c] - corners[a])
        if np.linalg.norm(normal) < _THIN:
            continue
        normal /= np.linalg.norm(normal)
        above = (corners - corners[a]) @ normal
        if (above < _FLAT).all() or (above > -_FLAT).all():
            level = np.flatnonzero(abs(above) < _FLAT).tolist()
            planes[tuple(level)] = normal if normal @ corners[level].mean(axis=0) > 0 else -normal
    faces = []
    for corner_set, normal in planes.items():
        on = list(corner_set)
        center = corners[on].mean(axis=0)
        right = corners[on[0]] - center
        down = np.cross(normal, right / np.linalg.norm(right)) * np.linalg.norm(right)
        ways = (corners[on] - center) @ np.column_stack([right, down])
        faces.append(([on[k] for k in np.argsort(np.arctan2(ways[:, 1], ways[:, 0]))], normal))
    return corners / (2 * abs(corners[faces[0][0][0]] @ faces[0][1])), faces


def _lying(normal: FloatArray, turn: float) -> FloatArray:
    """Return a rotation that takes a face's normal upwards."""
    axis, cosine = np.cross(normal, (0, 0, 1)), float(normal[2])
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    level = np.eye(3) + cross + cross @ cross / (1 + cosine) if cosine > _FLAT - 1 else np.diag([1.0, -1, -1])
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ level, np.float64)


def _radius(outline: FloatArray, center: FloatArray) -> float:
    """Return the distance of a face's nearest edge from its centre."""
    along = np.roll(outline, -1, axis=0) - outline
    away = np.linalg.norm(np.cross(along, center - outline), axis=1) / np.linalg.norm(along, axis=1)
    return float(away.min())


@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """How a maker's dice of one set look."""

    body: FloatArray  # BGR
    ink: FloatArray  # BGR
    glyphs: Sequence[ImageGray]  # one for each face
    size: float = 1.0  # of the die, as a share of the usual one
    print: float = 1.0  # of the glyphs, as a share of the usual one
    edge: float = 1.15  # brightness of the edges, as a share of the body's
    rounded_mm: float = 0.3  # width of the edges


def random_maker(rng: np.random.Generator, glyphs: Sequence[ImageGray]) -> Maker:
    """Return a look."""
    hsv = np.array([[[rng.integers(180), rng.integers(0, 256), rng.integers(35, 245)]]])
    body = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float64)
    light = rng.uniform(200, 255, 3) if rng.random() < 0.7 else rng.uniform(120, 255, 3)
    ink = light if body.mean() < rng.normal(115, 15) else rng.uniform(0, 60, 3)
    edge, rounded = rng.uniform(0.85, 1.4), rng.uniform(0.15, 0.9)
    return Maker(body, ink, glyphs, rng.uniform(0.9, 1.1), rng.uniform(0.75, 1.25), edge, rounded)


def draw(
    rng: np.random.Generator,
    image_bgr: ImageBgr,
    face: tuple[int, int],
    xy: FloatArray,
    maker: Maker,
    *,
    px_mm: float,
    below: FloatArray,
) -> Drawn:
    """Draw a die into a picture, in place.

    Args:
        face: Its number of faces, and which of its glyphs lies on top.
        xy: The point below its centre, shape (2,), in pixels, `REACH_MM` within the picture.
        px_mm: Pixels in a millimetre of the floor.
        below: The point below the camera, shape (2,), in pixels.
    """
    sides, top = face
    corners, faces = _solid(sides)
    turn = _lying(faces[top][1], rng.uniform(0, 2 * np.pi))
    placed = corners @ turn.T * (_WIDTHS_MM[sides] * maker.size)
    placed[:, 2] -= placed[:, 2].min()
    lean = (xy - below) / (_AWAY_MM * px_mm) + rng.normal(0, _ASLANT, 2)
    left_top, side = np.floor(xy - REACH_MM * px_mm), int(2 * REACH_MM * px_mm)
    light = np.array([*rng.normal(0, 0.5, 2), 1.0])
    light /= np.linalg.norm(light)
    eye = np.array([-lean[0], -lean[1], 1.0])

    def seen(points: FloatArray) -> FloatArray:
        scale = px_mm * (1 + points[:, 2:] / _AWAY_MM)
        return np.asarray(xy + scale * points[:, :2] + px_mm * points[:, 2:] * lean - left_top, np.float64)

    die, alpha = np.zeros((side * _FINE, side * _FINE, 3), np.float32), np.zeros((side * _FINE,) * 2, np.float32)
    ambient, gloss, rim = rng.uniform(0.3, 0.6), rng.choice([0.0, 0.6]), round(maker.rounded_mm * px_mm * _FINE)
    for k, (on, normal) in enumerate(faces):
        normal = turn @ normal  # noqa: PLW2901
        if normal @ eye <= 0:
            continue
        facing = max(0.0, float(normal @ light))
        shade = ambient + (1 - ambient) * facing + gloss * facing**30
        outline = np.rint(seen(placed[on]) * (_FINE << _BITS)).astype(np.int32)
        body, edge = ((maker.body * shade * part).tolist() for part in (1.0, maker.edge))
        cv2.fillPoly(die, [outline], body, cv2.LINE_AA, _BITS)
        cv2.fillPoly(alpha, [outline], (1.0,), cv2.LINE_AA, _BITS)
        cv2.polylines(die, [outline], True, edge, max(rim, 1), cv2.LINE_AA, _BITS)
        corner = seen(_print_corners(placed[on], normal, maker.print)).astype(np.float32) * _FINE
        x, y, width, height = cv2.boundingRect(corner)
        ends = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * np.float32(len(maker.glyphs[k]))
        place = cv2.getPerspectiveTransform(ends, corner - np.array((x, y), np.float32))
        ink = cv2.warpPerspective(maker.glyphs[k], place, (width, height))[..., None] / np.float32(255)
        printed = die[y : y + height, x : x + width]
        printed += (maker.ink * min(shade, 1) - printed) * ink
    blur = rng.uniform(0.4, 1.1)
    small: list[F32] = []
    for plane in (die, alpha):
        plain = cv2.resize(plane, (side, side), interpolation=cv2.INTER_AREA)
        small.append(np.asarray(cv2.GaussianBlur(plain, (0, 0), blur), np.float32))
    shown, cover = small[0], small[1][..., None]
    shown *= 1 + rng.choice([0.0, 0.15]) * cv2.GaussianBlur(rng.standard_normal((side, side)), (0, 0), 1.5)[..., None]
    shadow, cast = np.zeros((side, side), np.float32), seen(placed) - light[:2] * px_mm * rng.uniform(2, 8)
    hull = np.rint(cv2.convexHull(cast.astype(np.float32))).astype(np.int32)
    cv2.fillConvexPoly(shadow, hull, (rng.uniform(0.15, 0.6),))
    lit = 1 - np.asarray(cv2.GaussianBlur(shadow, (0, 0), px_mm * rng.uniform(0.7, 2.5)), np.float32)[..., None]
    x, y = left_top.astype(int).tolist()
    part = image_bgr[y : y + side, x : x + side]
    noise = rng.normal(0, rng.uniform(1, 5), shown.shape) * cover
    part[:] = np.clip(part * lit * (1 - cover) + shown + noise, 0, 255)
    face_on = placed[faces[top][0]]
    center = face_on.mean(axis=0)
    ways = seen(np.stack([center, _corner(face_on)])) + left_top
    radius = _radius(face_on, center) * px_mm * (1 + center[2] / _AWAY_MM)
    return Drawn(sides, top, ways[0], 2 * radius, float(np.arctan2(*(ways[1] - ways[0])[::-1])))


def _corner(outline: FloatArray) -> FloatArray:
    """Return a corner of a face, for ten faces the far one."""
    away = np.linalg.norm(outline - outline.mean(axis=0), axis=1)
    return np.asarray(outline[int(away.argmax())] if np.ptp(away) > _FLAT else outline[0], np.float64)


def _print_corners(outline: FloatArray, normal: FloatArray, size: float) -> FloatArray:
    """Return the corners of a glyph that is printed on a face, its top towards a corner of the face."""
    center = outline.mean(axis=0)
    up = _corner(outline) - center
    up /= np.linalg.norm(up)
    right = np.cross(normal, up)
    half = _radius(outline, center) * _PRINT * size
    ends = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)])
    return np.asarray(center + half * (ends[:, :1] * right + ends[:, 1:] * up), np.float64)


def drawn_tray(
    rng: np.random.Generator,
    rig: Path,
    makers: Sequence[Maker],
    faces: Iterable[tuple[int, int]],
    entry: dict[str, Any] | None = None,
) -> tuple[ImageBgr, list[Drawn]]:
    """Return a calibrated tray's picture with up to `MAX_DICE` dice drawn into it, each by any of some makers.

    Args:
        faces: Number of faces of each die, and which of its glyphs lies on top.
        entry: Labels of the picture; None for that of the empty tray.
    """
    image = load_image(rig / (entry["image"] if entry else "empty.jpg"))
    profile = json.loads((rig / "profile.json").read_text(encoding="utf-8"))
    outline, px_mm = np.array(profile["floor_outline_px"], np.float32), profile["edge_px"] / profile["die_mm"]
    taken = [np.mean(die["top_quad_px"], axis=0) for die in entry["dice"]] if entry else []
    places: list[FloatArray] = []
    for _ in range(400):
        at, reach = rng.uniform(outline.min(axis=0), outline.max(axis=0)), REACH_MM * px_mm + 2
        inside = cv2.pointPolygonTest(outline, at.tolist(), True) > 12 * px_mm
        fits = (at > reach).all() and (at < np.array(image.shape[1::-1]) - reach).all()
        if inside and fits and all(np.hypot(*(at - other)) > _APART_MM * px_mm for other in [*taken, *places]):
            places.append(at)
    below = outline.mean(axis=0, dtype=np.float64)
    dice = [
        draw(rng, image, face, at, makers[int(rng.integers(len(makers)))], px_mm=px_mm, below=below)
        for at, face in zip(places[:MAX_DICE], faces, strict=False)
    ]
    return image, dice


def random_faces(rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Return endless faces of dice of all kinds."""
    while True:
        sides = int(rng.choice(KINDS))
        yield sides, int(rng.integers(sides))
