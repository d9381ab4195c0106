"""Trays for the path tracer: floors, walls, tables, lamps, dice, and other objects, chosen at random."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tests.benchmarks.traced_camera import camera_over, straight
from tests.benchmarks.traced_scene import Lamp, Rgb, Stuff, Thing, TracedTray
from vision.rendering.materials import f32
from vision.rendering.optics import camera_center_mm
from vision.rendering.scene import Bgr, CameraPose, DieLook, DiePose, TrayLook
from vision.rendering.shadows import opening_of

Floats = npt.NDArray[np.float64]

BODIES: dict[str, dict[str, Bgr]] = {
    "yellow-green-black": {"base": (25, 195, 240), "skill": (70, 135, 30), "gear": (30, 28, 27)},
    "red-white-blue": {"base": (35, 30, 185), "skill": (228, 232, 235), "gear": (165, 70, 25)},
}
_FLOORS: tuple[tuple[str, Rgb], ...] = (
    ("felt", (0.02, 0.08, 0.33)),
    ("felt", (0.03, 0.19, 0.06)),
    ("felt", (0.16, 0.01, 0.03)),
    ("felt", (0.13, 0.14, 0.16)),
    ("velvet", (0.10, 0.02, 0.16)),
    ("velvet", (0.01, 0.07, 0.05)),
    ("leather", (0.17, 0.07, 0.03)),
    ("leather", (0.03, 0.03, 0.03)),
    ("neoprene", (0.012, 0.012, 0.013)),
    ("neoprene", (0.05, 0.06, 0.08)),
    ("cork", (0.38, 0.22, 0.10)),
    ("wood", (0.40, 0.23, 0.10)),
    ("wood", (0.13, 0.06, 0.03)),
)
_WALLS: tuple[Rgb, ...] = ((0.33, 0.17, 0.08), (0.13, 0.06, 0.03), (0.02, 0.02, 0.02), (0.5, 0.36, 0.2))
_TABLES: tuple[tuple[str, Rgb], ...] = (
    ("wood", (0.45, 0.27, 0.12)),
    ("wood", (0.2, 0.09, 0.04)),
    ("plain", (0.6, 0.6, 0.58)),
    ("plain", (0.12, 0.12, 0.13)),
    ("felt", (0.25, 0.2, 0.2)),
    ("felt", (0.1, 0.15, 0.08)),
    ("cork", (0.4, 0.28, 0.17)),
)
_THINGS: dict[str, tuple[float, tuple[Rgb, ...]]] = {
    "coin": (12.0, ((0.8, 0.6, 0.25), (0.75, 0.74, 0.7), (0.7, 0.35, 0.2))),
    "pencil": (66.0, ((0.7, 0.45, 0.02), (0.5, 0.03, 0.02), (0.02, 0.12, 0.05))),
    "chip": (20.0, ((0.5, 0.02, 0.02), (0.02, 0.05, 0.3), (0.6, 0.6, 0.58))),
    "card": (40.0, ((0.7, 0.7, 0.68), (0.1, 0.02, 0.02), (0.03, 0.05, 0.2))),
}
"""Distance of each one's border from its centre, in millimetres, and its colours."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A tray on a table, its camera and lights, and the dice that will be thrown into it.

    Attributes:
        tray: The drawn tray; no dice in it yet.
        look: The floor that dice are thrown on.
        looks: The dice by class.
        camera: The camera, with its lens's distortion.
        dark: Whether there is little light.
        tags: Its special features.
    """

    tray: TracedTray
    look: TrayLook
    looks: dict[str, DieLook]
    camera: CameraPose
    dark: bool
    tags: tuple[str, ...]


def setting(rng: np.random.Generator, bodies: dict[str, Bgr]) -> Setting:
    """Return a tray with everything except dice and objects."""
    shape, floor_mm, inner = _outline(rng)
    looks = _dice_set(rng, bodies)
    wall_mm, rim_mm = float(rng.uniform(20, 34)), float(rng.uniform(6, 14))
    camera = camera_over(rng, floor_mm[1] / 2 + rim_mm + 0.4 * wall_mm)
    light, lamps, room = _lamps(rng, camera_center_mm(camera))
    floor, floor_rgb = _FLOORS[rng.integers(len(_FLOORS))]
    table, table_rgb = _TABLES[rng.integers(len(_TABLES))]
    lined = rng.random() < 0.25
    tray = TracedTray(
        inner_mm=inner,
        wall_mm=wall_mm,
        rim_mm=rim_mm,
        floor=_stuff(rng, floor, floor_rgb),
        wall=_stuff(rng, floor, floor_rgb) if lined else _stuff(rng, "wood", _WALLS[rng.integers(len(_WALLS))]),
        table=_stuff(rng, table, table_rgb),
        dice=(),
        deep_pips=bool(rng.random() < 0.7),
        gloss=float(rng.choice([0.2, 0.5, 0.85])),
        things=(),
        lamps=lamps,
        room=room,
        camera=straight(camera),
    )
    die = next(iter(looks.values()))
    tags = (f"shape:{shape}", f"floor:{floor}", f"light:{light}", f"finish:{die.finish}", f"size:{die.size_mm:g}")
    return Setting(tray, TrayLook(shape=shape, floor_mm=floor_mm), looks, camera, light == "dim", tags)


def _stuff(rng: np.random.Generator, kind: str, rgb: Rgb) -> Stuff:
    r, g, b = (float(v) for v in np.asarray(rgb) * rng.uniform(0.7, 1.35))
    return Stuff(kind, (r, g, b), float(rng.uniform(0, 90)))


def _outline(rng: np.random.Generator) -> tuple[str, tuple[float, float], tuple[tuple[float, float], ...]]:
    """Return a floor's shape, extent and corners, in millimetres, rotated as in `rendering.shadows.opening_of`."""
    shape = str(rng.choice(["rectangle", "rectangle", "rectangle", "round", "hexagon", "octagon"]))
    if shape == "rectangle":
        w, h = float(rng.uniform(235, 285)), float(rng.uniform(185, 215))
        return shape, (w, h), ((-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2))
    across = float(rng.uniform(200, 250))
    sides = {"round": 96, "hexagon": 6, "octagon": 8}[shape]
    radius = across / 2 / np.cos(np.pi / sides)
    angles = (np.arange(sides) + (0.0 if shape == "hexagon" else 0.5)) * 2 * np.pi / sides
    return shape, (across, across), tuple((float(radius * np.cos(a)), float(radius * np.sin(a))) for a in angles)


def _dice_set(rng: np.random.Generator, bodies: dict[str, Bgr]) -> dict[str, DieLook]:
    """Return one maker's dice of three classes."""
    mould = DieLook(
        (0, 0, 0),
        (0, 0, 0),
        size_mm=float(rng.choice([12.0, 16.0, 16.0, 19.0])),
        rounding=float(rng.uniform(0.07, 0.16)),
        finish=str(rng.choice(["plastic", "plastic", "plastic", "marbled", "translucent"])),
        left_handed=bool(rng.random() < 0.35),
        ball=bool(rng.random() < 0.3),
        pip_radius=float(rng.uniform(0.08, 0.105)),
        pip_spread=float(rng.uniform(0.23, 0.265)),
        one_scale=float(rng.choice([1.0, 1.0, 1.3])),
        six_width=float(rng.choice([1.0, 1.0, 0.85])),
    )
    looks = {}
    for label, body in bodies.items():
        b, g, r = (int(v) for v in np.clip(np.asarray(body) * rng.uniform(0.85, 1.12) + rng.normal(0, 6, 3), 8, 250))
        pip = (18, 18, 18) if g > 170 else (232, 235, 236)
        looks[label] = replace(mould, body_bgr=(b, g, r), pip_bgr=pip, seed=int(rng.integers(1 << 16)))
    return looks


def _lamps(rng: np.random.Generator, camera_mm: Floats) -> tuple[str, tuple[Lamp, ...], Rgb]:
    """Return a room's light: its name, its lamps, and the light from all around."""
    kind = str(rng.choice(["ring", "lamp", "window", "mixed", "dim", "glare"]))
    warm = float(np.clip(rng.normal(0.06, 0.1), -0.12, 0.3))
    tint = np.array([1 + warm, 1.0, 1 - 1.4 * warm])
    cold = np.array([1 - warm, 1.0, 1 + 1.2 * warm])
    heading = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(heading), np.sin(heading)])
    side = np.array([*(way * rng.uniform(200, 600)), rng.uniform(350, 800)])
    window = np.array([*(-way * rng.uniform(900, 1600)), rng.uniform(600, 1300)])
    ambient = float(rng.uniform(0.25, 0.8))
    if kind == "ring":
        above = camera_mm + np.array([0.0, 0.0, 8.0])
        lamps: tuple[Lamp, ...] = (lamp_of("ring", above, float(rng.uniform(110, 190)), 1.2 * tint),)
    elif kind == "window":
        lamps = (lamp_of("window", window, float(rng.uniform(500, 1100)), 1.1 * cold),)
    elif kind == "mixed":
        near = lamp_of("disc", side, float(rng.uniform(40, 160)), 0.7 * tint)
        lamps = (near, lamp_of("window", window, float(rng.uniform(500, 1000)), 0.7 * cold))
    elif kind == "glare":
        # What a level die reflects into the camera hangs above it, about twice as far aside as the die.
        over = np.array([*(camera_mm[:2] + way * rng.uniform(60, 190)), camera_mm[2] * rng.uniform(1.1, 1.7)])
        lamps = (lamp_of("disc", over, float(rng.uniform(40, 130)), 1.2 * tint),)
    else:
        lamps = (lamp_of("disc", side, float(rng.uniform(25, 140)), float(rng.uniform(0.9, 2.2)) * tint),)
    r, g, b = (float(v) for v in 0.5 * (cold + tint) * ambient)
    return kind, lamps, (r, g, b)


def lamp_of(kind: str, at_mm: Floats, size_mm: float, strength: Floats) -> Lamp:
    """Return a lamp that lights the floor's centre as a room of that radiance would."""
    far = float(np.linalg.norm(at_mm))
    r, g, b = (float(v) for v in strength * np.pi * far**2 / (size_mm**2 * max(at_mm[2] / far, 0.2)))
    x, y, z = (float(v) for v in at_mm)
    return Lamp(kind, (x, y, z), size_mm, (r, g, b))


def things_among(rng: np.random.Generator, dice: tuple[DiePose, ...], look: TrayLook) -> tuple[Thing, ...]:
    """Return none to two objects, none of them on a die or in a wall."""
    found: list[Thing] = []
    opening = opening_of(look)
    taken = [(pose.center_mm[:2], 0.8 * pose.look.size_mm) for pose in dice]
    for kind in rng.choice(list(_THINGS), int(rng.choice([0, 0, 0, 1, 2]))):
        reach, colours = _THINGS[str(kind)]
        wide = 5.0 if kind == "pencil" else reach
        for _ in range(40):
            at = rng.uniform(-0.5, 0.5, 2) * (np.asarray(look.floor_mm) - 2 * reach)
            turn = float(rng.uniform(0, 2 * np.pi))
            way = np.array([np.sin(turn), -np.cos(turn)])
            spots = np.array([at + way * s for s in np.linspace(-48, 64, 15)] if kind == "pencil" else [at])
            inside = opening.distance_mm(f32(spots[:, 0]), f32(spots[:, 1])).max() < -wide
            if inside and all(np.hypot(*(spot - other)) > wide + room for spot in spots for other, room in taken):
                colour = colours[rng.integers(len(colours))]
                found.append(Thing(str(kind), (float(at[0]), float(at[1])), turn, colour))
                taken += [(spot, wide) for spot in spots]
                break
    return tuple(found)
