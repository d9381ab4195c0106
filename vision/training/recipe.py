"""Scenes for training: trays, tables, dice, lamps, cameras, all varied and none taken from a photograph."""

from dataclasses import dataclass, replace

import numpy as np

from vision.rendering.clutter import KINDS
from vision.rendering.scene import Bgr, CameraPose, Capture, DieLook, Light, Scene, TrayLook

_BODIES: tuple[Bgr, ...] = (
    (235, 238, 240), (245, 245, 245), (205, 228, 238), (30, 205, 250), (40, 225, 245), (20, 170, 235), (70, 140, 25),
    (60, 170, 50), (120, 200, 90), (45, 90, 20), (25, 25, 25), (40, 38, 36), (12, 12, 12), (40, 35, 200), (25, 20, 140),
    (180, 80, 25), (210, 140, 40), (110, 40, 15), (20, 110, 240), (150, 50, 110), (190, 130, 230), (150, 140, 20),
    (35, 60, 100), (140, 140, 140), (90, 90, 90), (200, 190, 120),
)  # fmt: skip
_FLOORS: tuple[tuple[str, Bgr], ...] = (
    ("felt", (120, 70, 40)), ("felt", (140, 60, 30)), ("felt", (95, 90, 85)), ("felt", (45, 20, 110)),
    ("felt", (55, 100, 25)), ("felt", (35, 75, 15)), ("felt", (40, 40, 150)), ("leather", (50, 70, 115)),
    ("leather", (30, 40, 70)), ("leather", (35, 35, 35)), ("leather", (60, 90, 150)), ("neoprene", (28, 28, 28)),
    ("neoprene", (60, 60, 60)), ("neoprene", (110, 60, 40)), ("wood", (70, 110, 160)), ("wood", (110, 160, 205)),
    ("wood", (35, 55, 90)), ("plain", (190, 200, 205)), ("plain", (90, 90, 90)), ("plain", (230, 232, 235)),
    ("plain", (40, 40, 45)),
)  # fmt: skip
_TABLES: tuple[tuple[str, Bgr], ...] = (
    ("wood", (70, 110, 160)), ("wood", (120, 170, 210)), ("wood", (40, 70, 170)), ("wood", (35, 55, 90)),
    ("wood", (190, 205, 215)), ("carpet", (70, 95, 125)), ("carpet", (60, 60, 60)), ("carpet", (110, 130, 150)),
    ("carpet", (40, 50, 65)), ("carpet", (120, 90, 60)), ("cloth", (120, 60, 50)), ("cloth", (150, 160, 170)),
    ("cloth", (60, 60, 140)), ("marble", (215, 218, 222)), ("marble", (80, 75, 70)), ("plain", (215, 220, 225)),
    ("plain", (240, 240, 240)), ("plain", (100, 110, 120)), ("plain", (150, 170, 190)), ("felt", (50, 95, 30)),
    ("felt", (110, 100, 95)), ("leather", (45, 65, 110)), ("neoprene", (35, 35, 35)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecipeParams:
    """Shares of the kinds of pictures."""

    tableless: float = 0.36  # share of pictures of dice on a bare table, often at an angle
    leaning: float = 0.09  # probability that a die is cocked
    stacked: float = 0.03  # probability that a die lies on another
    clutter: float = 0.4  # probability that a picture has objects in it that are not dice
    # probability that a cocked die is tipped over one of its edges, as dice that lean on a wall or another die, rather
    # than over a corner; three in five of these are at a wall
    edge_lean: float = 0.0
    six_width: float = 1.0  # least distance of the 6's two rows over that of the 4's; the greatest is 1
    # probability that a picture's dice come from a mould of another kind: rounder, their pips nearer to each other,
    # each value with its own layout
    moulded: float = 0.0
    by_hand: float = 0.0  # share of the trays that are seen from near and at an angle, as by a camera in a hand
    # range of the lenses' fields of view along a picture's longer side, in degrees
    field_deg: tuple[float, float] = (44.0, 72.0)
    # range of every camera's tilt, in degrees; None if most look nearly straight down
    aslant_deg: tuple[float, float] | None = None


def varied_bgr(rng: np.random.Generator, bgr: Bgr, by: float) -> Bgr:
    """Return a similar colour: each channel up to that share brighter or darker, and a little noise."""
    b, g, r = (
        int(v) for v in np.clip(np.asarray(bgr) * rng.uniform(1 - by, 1 + by) + rng.normal(0, 40 * by, 3), 4, 250)
    )
    return b, g, r


def _grey(bgr: Bgr) -> float:
    return 0.11 * bgr[0] + 0.59 * bgr[1] + 0.3 * bgr[2]


def _pips(rng: np.random.Generator, body: Bgr) -> Bgr:
    dark = _grey(body) < 135 if rng.random() < 0.85 else _grey(body) < 90
    if rng.random() < 0.75:
        return varied_bgr(rng, (238, 240, 242) if dark else (18, 18, 18), 0.08)
    for _ in range(20):
        other = varied_bgr(rng, _BODIES[int(rng.integers(len(_BODIES)))], 0.3)
        if abs(_grey(other) - _grey(body)) > 85:
            return other
    return (245, 245, 245) if dark else (10, 10, 10)


def dice_look(rng: np.random.Generator, body: Bgr, size_mm: float) -> DieLook:
    """Return a die of that colour and size, otherwise random."""
    finish = str(rng.choice(["matt", "plastic", "plastic", "gloss", "marbled", "translucent"]))
    return DieLook(
        body_bgr=body,
        pip_bgr=_pips(rng, body),
        size_mm=size_mm,
        rounding=float(rng.uniform(0.04, 0.22)),
        finish=finish,
        left_handed=bool(rng.random() < 0.4),
        seed=int(rng.integers(1 << 16)),
        ball=bool(rng.random() < 0.35),
        pip_radius=float(rng.uniform(0.068, 0.122)),
        pip_spread=float(rng.uniform(0.215, 0.29)),
        one_scale=float(rng.choice([1.0, 1.0, 1.2, 1.5, 1.8])),
        dented=bool(rng.random() < 0.6),
    )


def dice_set(rng: np.random.Generator, white_likely: bool) -> tuple[DieLook, ...]:
    """Return the kinds of dice on one table: one to four looks of nearly one size."""
    size = float(rng.choice([12.0, 14.0, 15.0, 16.0, 16.0, 16.0, 18.0, 19.0]))
    pick = rng.random()
    bodies: list[Bgr]
    if white_likely and pick < 0.55:
        bodies = [varied_bgr(rng, (222, 232, 238), 0.1)]
    elif pick < 0.3:
        bodies = [(30, 205, 250), (65, 140, 22), (26, 26, 26)]
    elif pick < 0.38:
        bodies = [(40, 35, 200), (240, 240, 240), (180, 80, 25)]
    else:
        bodies = [_BODIES[int(i)] for i in rng.integers(len(_BODIES), size=int(rng.integers(1, 5)))]
    bodies = [varied_bgr(rng, b, 0.12) for b in bodies]
    base = dice_look(rng, bodies[0], size)
    looks = []
    for body in bodies:
        own = dice_look(rng, body, size)
        # One maker's dice usually share their mould.
        if rng.random() < 0.7:
            own = replace(
                own,
                rounding=base.rounding,
                ball=base.ball,
                pip_radius=base.pip_radius,
                pip_spread=base.pip_spread,
                one_scale=base.one_scale,
                dented=base.dented,
                finish=base.finish,
            )
        elif rng.random() < 0.5:
            own = replace(own, size_mm=size * float(rng.uniform(0.85, 1.15)))
        looks.append(own)
    return tuple(looks)


def moulded(rng: np.random.Generator, looks: tuple[DieLook, ...]) -> tuple[DieLook, ...]:
    """Return dice from a mould of another kind, one for all of them; see `RecipeParams.moulded`."""
    wide = rng.normal(1.0, 0.02, 6)
    wide[[1, 2, 4]] += rng.uniform(0.0, 0.07)
    spread, rounding = float(rng.uniform(0.185, 0.255)), float(rng.uniform(0.08, 0.28))
    ball, radius = bool(rng.random() < 0.6), float(rng.uniform(0.068, 0.105))
    return tuple(
        replace(
            look,
            pip_spread=spread,
            pip_radius=radius,
            rounding=rounding,
            ball=ball,
            steps=tuple(wide.tolist()),
            one_scale=float(rng.uniform(0.9, 1.2)) if rng.random() < 0.5 else look.one_scale,
        )
        for look in looks
    )


def camera_at(
    rng: np.random.Generator, size_px: tuple[int, int], die: tuple[float, float], field_deg: float, tilt_deg: float
) -> CameraPose:
    """Return a camera that looks at the floor's centre; `die` is a die's edge there, in pixels and in millimetres."""
    w, h = size_px
    f = max(w, h) / (2 * np.tan(np.radians(field_deg) / 2))
    die_px, die_mm = die
    away = f * die_mm / die_px + die_mm
    roll = rng.choice([0, 0, 0, 90, 180, 270]) + rng.normal(0, 4) if rng.random() < 0.8 else rng.uniform(0, 360)
    heading = rng.uniform(0, 2 * np.pi)
    t = np.radians(tilt_deg)
    back = np.array([np.sin(t) * np.cos(heading), np.sin(t) * np.sin(heading), np.cos(t)])
    target = np.array([*rng.normal(0, 0.25, 2) * die_mm * 2, 0.0])
    center = target + away * back
    a = np.radians(roll) + (heading if tilt_deg > 15 else 0.0)
    up = np.array([np.cos(a + np.pi / 2), np.sin(a + np.pi / 2), 0.0])
    forward = -back
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    rotation = np.stack([right, down, forward])
    k = np.array([[f, 0, w / 2 + rng.normal(0, 4)], [0, f, h / 2 + rng.normal(0, 4)], [0, 0, 1.0]])
    bend = (float(rng.normal(0, 0.03)), 0.0, 0.0, 0.0, 0.0)
    return CameraPose(w, h, k, rotation, np.asarray(-rotation @ center, np.float64), bend)


def lamps(rng: np.random.Generator) -> tuple[tuple[Light, ...], float]:
    """Return lights and the room's share: ring, lamp, window, mixed, dim, many."""
    lights, ambient = _placed_lamps(rng)
    # From its own stream: it was added later, and the earlier trays must stay the same.
    own = rng.spawn(1)[0]
    shaped = [replace(light, shape=str(own.choice(["disc", "square", "ring"]))) for light in lights]
    # Panels and shaded bulbs: their reflections on a die are broad and pale, not small and burnt.
    return tuple(replace(v, softness_mm=v.softness_mm * float(own.choice([1, 1, 2, 3.5]))) for v in shaped), ambient


def _placed_lamps(rng: np.random.Generator) -> tuple[tuple[Light, ...], float]:
    kind = int(rng.integers(6))
    warm = float(rng.normal(0, 0.09))
    tint = (1 - warm, 1.0, 1 + warm)
    a = float(rng.uniform(0, 2 * np.pi))
    near = float(rng.uniform(120, 420))
    side = (near * float(np.cos(a)), near * float(np.sin(a)), float(rng.uniform(180, 520)))
    if kind == 0:
        x, y = (float(v) for v in rng.normal(0, 25, 2))
        return (Light((x, y, 430.0), 0.9, float(rng.uniform(90, 260)), tint),), 0.35
    if kind == 1:
        return (Light(side, float(rng.uniform(0.8, 1.4)), float(rng.uniform(8, 90)), tint),), float(
            rng.uniform(0.04, 0.3)
        )
    if kind == 2:
        far = (900 * float(np.cos(a)), 900 * float(np.sin(a)), float(rng.uniform(350, 1200)))
        return (Light(far, 0.9, float(rng.uniform(200, 700)), tint),), float(rng.uniform(0.2, 0.5))
    if kind == 3:
        other = (-side[1], side[0] * float(rng.uniform(-1, 1)), float(rng.uniform(250, 600)))
        return (Light(side, 0.6, 70, tint), Light(other, 0.5, 150, (1 + warm, 1.0, 1 - warm))), 0.3
    if kind == 4:
        return (Light(side, float(rng.uniform(0.1, 0.35)), 60, tint),), float(rng.uniform(0.08, 0.2))
    return (), float(rng.uniform(0.8, 1.2))


def capture(rng: np.random.Generator, fine: float) -> Capture:
    """Return the camera's effects on the light; `fine` is the drawing's pixels per pixel of one 640 px wide."""
    hard = rng.random() < 0.3
    return Capture(
        exposure=float(np.exp(rng.normal(-0.22, 0.35 if hard else 0.2))),
        white_balance_bgr=(float(np.exp(rng.normal(0, 0.13))), 1.0, float(np.exp(rng.normal(0, 0.13)))),
        noise=float(rng.choice([0.0, 1.0, 2.0, 3.5, 6.0])),
        defocus_px=float(abs(rng.normal(0, 0.55)) * fine * (1.5 if hard else 0.7)),
        vignette=float(rng.uniform(0, 0.45)),
        haze=float(rng.choice([0.0, 0.0, 0.0, 0.02, 0.06])),
        jpeg_quality=int(rng.choice([0, 92, 80, 60, 40])),
    )


def still_scene(rng: np.random.Generator, params: RecipeParams) -> tuple[Scene, tuple[DieLook, ...]]:
    """Return a tray or table without dice, and the kinds of dice that will lie on it."""
    bare = rng.random() < params.tableless
    looks = dice_set(rng, white_likely=bare)
    if params.six_width < 1:
        width = float(rng.uniform(params.six_width, 1))
        looks = tuple(replace(look, six_width=width) for look in looks)
    if params.moulded and rng.random() < params.moulded:
        looks = moulded(rng, looks)
    fine = float(rng.choice([1.0, 1.0, 1.4, 2.0]))
    shape_px = (640, 480) if rng.random() < 0.75 else (480, 640)
    size_px = (int(shape_px[0] * fine), int(shape_px[1] * fine))
    floor, floor_bgr = _FLOORS[int(rng.integers(len(_FLOORS)))]
    table, table_bgr = _TABLES[int(rng.integers(len(_TABLES)))]
    if rng.random() < 0.15:
        floor_bgr = table_bgr = looks[0].body_bgr
    elif rng.random() < 0.1:
        floor_bgr = _BODIES[int(rng.integers(len(_BODIES)))]
    if rng.random() < 0.15:
        floor = str(rng.choice(["carpet", "cloth", "marble", "wood", "plain"]))
    tilt = abs(float(rng.normal(0, 2.5 if rng.random() < 0.8 else 9.0)))
    die_mm = looks[0].size_mm
    die_px = float(rng.uniform(16, 34)) * fine
    if params.by_hand and rng.random() < params.by_hand:
        tilt, die_px = abs(float(rng.normal(0, 12.0))), float(rng.uniform(26, 46)) * fine
    if bare:
        tilt = float(rng.choice([abs(rng.normal(0, 6)), rng.uniform(0, 45)]))
        die_px = float(np.exp(rng.uniform(np.log(18), np.log(52)))) * fine
    if params.aslant_deg is not None:
        tilt = float(rng.uniform(*params.aslant_deg))
    camera = camera_at(rng, size_px, (die_px, die_mm), float(rng.uniform(*params.field_deg)), tilt)
    seen_mm = np.asarray(size_px) / die_px * die_mm
    shape = "none" if bare else str(rng.choice(["rectangle", "rectangle", "rectangle", "round", "hexagon", "octagon"]))
    fill = float(rng.uniform(0.55, 1.0))
    if shape == "none":
        floor_mm = (float(seen_mm[0] * 0.8), float(seen_mm[0 if tilt > 20 else 1] * 0.8))
    elif shape == "rectangle":
        floor_mm = (float(seen_mm[0] * fill), float(seen_mm[1] * fill))
    else:
        floor_mm = (float(seen_mm.min() * max(fill, 0.75)),) * 2
    things = tuple(str(t) for t in rng.choice(KINDS, int(rng.integers(1, 5)))) if rng.random() < params.clutter else ()
    lights, ambient = lamps(rng)
    tray = TrayLook(
        shape=shape,
        floor_mm=floor_mm,
        wall_mm=float(rng.uniform(12, 45)),
        wall_thickness_mm=float(rng.uniform(3, 18)),
        floor=floor,
        floor_bgr=varied_bgr(rng, floor_bgr, 0.2),
        wall_bgr=varied_bgr(
            rng, ((70, 110, 160), (40, 55, 85), (30, 30, 30), (90, 130, 175))[int(rng.integers(4))], 0.25
        ),
        table_bgr=varied_bgr(rng, table_bgr, 0.2),
        seed=int(rng.integers(6)),
        wall=str(rng.choice(["wood", "wood", "leather", "plain"])),
        table=table,
        gloss=float(rng.choice([0.0, 0.02, 0.05, 0.3])),
        table_gloss=float(rng.choice([0.0, 0.05, 0.15, 0.5])),
        contrast=float(rng.uniform(0.4, 1.5)),
    )
    seed = int(rng.integers(1 << 30))
    scene = Scene(tray, (), camera, lights, ambient, things, seed, capture(rng, fine))
    return scene, looks
