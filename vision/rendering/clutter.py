"""Objects that are not dice, drawn flat on floor and table, as negative examples for a reader."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.rendering.materials import linear
from vision.rendering.optics import Rect, project
from vision.rendering.scene import Scene
from vision.types.frame import F32, FloatArray

KINDS = ("pencil", "coin", "card", "phone", "cable", "token", "chip", "marble_ball")
_FINE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """One colour of one object, as visible in the picture.

    Attributes:
        rect: The section of the picture.
        cover: Share of each pixel that the patch covers, shape (h, w).
        colour: Linear reflectance, shape (3,).
        shine: How much of the lamps it reflects, 0 to 1.
    """

    rect: Rect
    cover: F32
    colour: F32
    shine: float


def lay_out(scene: Scene) -> tuple[Patch, ...]:
    """Place a scene's clutter on its floor, at positions and angles chosen by its seed.

    Args:
        scene: Scene that names the clutter.

    Returns:
        Its visible patches, each above those before it.

    Raises:
        ValueError: An object that cannot be drawn.
    """
    patches: list[Patch] = []
    for i, (thing, place, angle) in enumerate(spots_mm(scene)):
        if thing not in KINDS:
            raise ValueError(f"clutter is {thing!r}, knows {', '.join(KINDS)}: use one of these")
        _DRAWERS[thing](_Spot(scene, patches, place, angle), np.random.default_rng([scene.seed, 32, i]))
    return tuple(patches)


def cover_with(patches: tuple[Patch, ...], rect: Rect, colour: F32, gloss: F32) -> None:
    """Put patches over a section of a picture.

    Args:
        patches: Patches, the lowest first.
        rect: The section; nothing outside it is changed.
        colour: Reflectance of the whole picture, shape (H, W, 3); changed in place.
        gloss: Shape (H, W); changed in place.
    """
    for patch in patches:
        left, top = patch.rect[:2]
        x0, y0, x1, y1 = max(left, rect[0]), max(top, rect[1]), min(patch.rect[2], rect[2]), min(patch.rect[3], rect[3])
        if x0 < x1 and y0 < y1:
            part = np.s_[y0:y1, x0:x1]
            a = patch.cover[y0 - top : y1 - top, x0 - left : x1 - left]
            colour[part] += a[..., None] * (patch.colour - colour[part])
            gloss[part] += a * (patch.shine - gloss[part])


def spots_mm(scene: Scene) -> tuple[tuple[str, FloatArray, float], ...]:
    """Return each object with its centre on the floor, shape (2,), and its angle in radians."""
    rng = np.random.default_rng([scene.seed, 31])
    spread = 0.42 if scene.tray.shape != "none" else 0.55
    reach = spread * np.asarray(scene.tray.floor_mm)
    return tuple((thing, rng.uniform(-1, 1, 2) * reach, float(rng.uniform(0, 2 * np.pi))) for thing in scene.clutter)


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """A place on the ground and the patches so far; `paint` adds one."""

    scene: Scene
    patches: list[Patch]
    place_mm: FloatArray
    angle: float

    def paint(self, outline_mm: FloatArray, bgr: tuple[int, int, int], shine: float) -> None:
        """Fill a polygon, shape (K, 2), given relative to the spot and its angle."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        ground = outline_mm @ np.array([[c, s], [-s, c]]) + self.place_mm
        xy = project(self.scene.camera, np.column_stack([ground, np.zeros(len(ground))]))
        if not np.all(np.isfinite(xy)) or np.abs(xy).max() > 1e5:
            return
        mask = np.zeros((self.scene.camera.height_px, self.scene.camera.width_px), np.uint8)
        cv2.fillPoly(mask, [(xy * (1 << _FINE)).astype(np.int32)], (255,), cv2.LINE_AA, _FINE)
        x, y, w, h = cv2.boundingRect(mask)
        if w == 0 or h == 0:
            return
        cover = np.asarray(mask[y : y + h, x : x + w].astype(np.float32) / 255, np.float32)
        self.patches.append(Patch((x, y, x + w, y + h), cover, linear(bgr), shine))


def _box(width: float, height: float, at: tuple[float, float] = (0.0, 0.0)) -> FloatArray:
    w, h = width / 2, height / 2
    return np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) + at


def _disc(radius: float, at: tuple[float, float] = (0.0, 0.0)) -> FloatArray:
    a = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    return radius * np.column_stack([np.cos(a), np.sin(a)]) + at


def _any_colour(rng: np.random.Generator) -> tuple[int, int, int]:
    b, g, r = (int(v) for v in rng.integers(10, 250, 3))
    return b, g, r


def _pencil(spot: _Spot, rng: np.random.Generator) -> None:
    body = _any_colour(rng)
    spot.paint(_box(150, 8.5, (3, -2)), (15, 15, 15), 0.0)
    spot.paint(_box(150, 7), body, 0.2)
    b, g, r = (min(int(c * 1.35) + 12, 255) for c in body)
    spot.paint(_box(150, 2.2), (b, g, r), 0.3)
    spot.paint(np.array([[75, -3.5], [93, 0], [75, 3.5]]), (120, 175, 215), 0.0)
    spot.paint(np.array([[88, -1], [93, 0], [88, 1]]), (30, 30, 30), 0.1)


def _coin(spot: _Spot, rng: np.random.Generator) -> None:
    radius = float(rng.uniform(8, 13))
    metal = [(60, 120, 190), (70, 170, 200), (165, 170, 175), (90, 100, 110)][int(rng.integers(4))]
    spot.paint(_disc(radius + 0.8, (0.8, -0.8)), (20, 20, 20), 0.0)
    spot.paint(_disc(radius), metal, 0.4)
    b, g, r = (int(c * 0.75) for c in metal)
    spot.paint(_disc(radius * 0.86), (b, g, r), 0.35)
    spot.paint(_disc(radius * 0.8), metal, 0.4)
    for _ in range(int(rng.integers(1, 6))):
        at = rng.uniform(-0.45, 0.45, 2) * radius
        wide, high = (float(v) for v in rng.uniform(1, 6, 2))
        spot.paint(_box(wide, high, (float(at[0]), float(at[1]))), (b, g, r), 0.3)


def _card(spot: _Spot, rng: np.random.Generator) -> None:
    spot.paint(_box(64, 89, (0.7, -0.7)), (25, 25, 25), 0.0)
    spot.paint(_box(63, 88), (232, 236, 238), 0.1)
    ink = (20, 20, 180) if rng.random() < 0.5 else (20, 20, 20)
    for x in (-13, 13):
        for y in (-26, 0, 26):
            if rng.random() < 0.8:
                heart = _disc(float(rng.uniform(3.5, 6)), (x, y))
                spot.paint(heart, ink, 0.1)


def _phone(spot: _Spot, rng: np.random.Generator) -> None:
    # Never entirely in the picture: a phone across a tray is a mistake, one at its edge is usual.
    aside = np.sign(spot.place_mm + 1e-3) * np.asarray(spot.scene.tray.floor_mm) * 0.3
    spot = replace(spot, place_mm=spot.place_mm + aside)
    spot.paint(_box(76, 152, (2, -2)), (10, 10, 10), 0.0)
    spot.paint(_box(74, 150), _any_colour(rng), 0.2)
    spot.paint(_box(68, 142), (18, 16, 14), 0.5)


def _cable(spot: _Spot, rng: np.random.Generator) -> None:
    t = np.linspace(-1, 1, 60)
    bend = rng.uniform(-60, 60, 3)
    mid = np.column_stack([180 * t, bend[0] * t + bend[1] * t**2 + bend[2] * np.sin(3 * t)])
    side = np.gradient(mid, axis=0)
    side = np.column_stack([-side[:, 1], side[:, 0]]) / np.linalg.norm(side, axis=1, keepdims=True)
    width = float(rng.uniform(1.5, 4))
    tint = (25, 25, 25) if rng.random() < 0.6 else _any_colour(rng)
    for wide, shift, bgr in ((width, -1.5, (12, 12, 12)), (width, 0.0, tint)):
        line = np.vstack([mid + wide * side + shift, (mid - wide * side + shift)[::-1]])
        spot.paint(line, bgr, 0.15)
    if rng.random() < 0.5:
        at = mid[int(rng.integers(10, 50))]
        spot.paint(_box(30, 15, (at[0], at[1])), tint, 0.15)


def _token(spot: _Spot, rng: np.random.Generator) -> None:
    size = float(rng.uniform(11, 22))
    tint = _any_colour(rng)
    spot.paint(_box(size + 1.5, size + 1.5, (1, -1)), (18, 18, 18), 0.0)
    spot.paint(_box(size, size), tint, 0.1)
    if rng.random() < 0.4:
        ink = _any_colour(rng)
        spot.paint(_box(size * 0.6, size * 0.15), ink, 0.1)


def _chip(spot: _Spot, rng: np.random.Generator) -> None:
    radius = float(rng.uniform(12, 20))
    tint = _any_colour(rng)
    spot.paint(_disc(radius + 1, (1.2, -1.2)), (18, 18, 18), 0.0)
    spot.paint(_disc(radius), tint, 0.15)
    for k in range(6):
        a = k * np.pi / 3
        at = (float(0.82 * radius * np.cos(a)), float(0.82 * radius * np.sin(a)))
        spot.paint(_box(radius * 0.3, radius * 0.3, at), (235, 235, 235), 0.15)
    spot.paint(_disc(radius * 0.6), _any_colour(rng), 0.15)


def _marble_ball(spot: _Spot, rng: np.random.Generator) -> None:
    radius = float(rng.uniform(5, 9))
    tint = _any_colour(rng)
    spot.paint(_disc(radius, (3, -3)), (12, 12, 12), 0.0)
    for share in np.linspace(1.0, 0.1, 8):
        b, g, r = (int(min(c * (1.5 - 0.8 * share) + 8, 255)) for c in tint)
        shift = 0.3 * radius * (1 - share)
        spot.paint(_disc(radius * share, (-shift, shift)), (b, g, r), 0.3)


_DRAWERS = {
    "pencil": _pencil,
    "coin": _coin,
    "card": _card,
    "phone": _phone,
    "cable": _cable,
    "token": _token,
    "chip": _chip,
    "marble_ball": _marble_ball,
}
