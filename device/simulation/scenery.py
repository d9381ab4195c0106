"""The look of the simulated tray: dice by colour name, the tray, its lamps and the camera above it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from device.camera.base import STANDARD_PX
from device.errors import BadInput
from device.simulation.physics import TrayBox
from device.simulation.settings import UNLESS_SET
from device.standard_tray import DIE_MM
from vision.rendering.scene import Bgr, CameraPose, Capture, DieLook, Light, Scene, TrayLook
from vision.tray.profile import SHAPES
from vision.types.frame import FloatArray

_DARK: Bgr = (28, 26, 26)
_LIGHT: Bgr = (238, 240, 242)

DICE_COLOURS: Mapping[str, tuple[Bgr, Bgr]] = {
    "white": ((226, 232, 234), _DARK),
    "grey": ((132, 130, 128), _LIGHT),
    "black": ((34, 32, 32), _LIGHT),
    "red": ((34, 30, 184), _LIGHT),
    "orange": ((6, 106, 246), _DARK),
    "yellow": ((40, 205, 242), _DARK),
    "green": ((70, 140, 30), _LIGHT),
    "teal": ((140, 136, 16), _LIGHT),
    "blue": ((168, 74, 24), _LIGHT),
    "purple": ((138, 44, 104), _LIGHT),
    "pink": ((176, 138, 238), _DARK),
    "brown": ((34, 62, 104), _LIGHT),
}
"""Body and pips of a die for each colour name of the settings."""

_FLOORS: tuple[tuple[str, Bgr], ...] = (
    ("felt", (120, 70, 40)),
    ("felt", (48, 30, 112)),
    ("felt", (84, 84, 40)),
    ("leather", (34, 46, 74)),
    ("neoprene", (62, 60, 58)),
    ("felt", (96, 52, 78)),
)
_WOODS: tuple[Bgr, ...] = ((60, 90, 130), (40, 58, 92), (92, 128, 164), (70, 74, 80))


@dataclass(frozen=True, slots=True)
class SceneryParams:
    width_px: int = STANDARD_PX[0]
    height_px: int = STANDARD_PX[1]
    # Height of the lens above the floor. 400 to 500 keeps side faces narrow and the arm short.
    lens_height_mm: float = 450.0
    # width of the floor plane in the picture; the tray with its rim and a hand's breadth
    field_mm: float = 352.0
    lean_deg: float = 2.5  # tilt of the camera from the vertical, since none is mounted exactly
    die_mm: float = DIE_MM
    shape: str = UNLESS_SET.shape
    # seed of floor, wood, lamps and tilt; None for blue felt in a wooden frame under two lamps
    look_seed: int | None = None


def die_look(colour: str, size_mm: float, seed: int) -> DieLook:
    """Return a die of a named colour.

    Args:
        seed: Varies how its 2, 3 and 6 are turned.
    """
    if colour not in DICE_COLOURS:
        raise BadInput(f"no die is called {colour!r}: choose one of {', '.join(DICE_COLOURS)}")
    body, pips = DICE_COLOURS[colour]
    return DieLook(body, pips, size_mm=size_mm, seed=seed)


def scenery(params: SceneryParams) -> Scene:
    lean, way = params.lean_deg, 0.7
    tray = TrayLook(shape=params.shape)
    if params.shape != "rectangle":
        tray = replace(tray, floor_mm=(220.0, 220.0))
    lamps: tuple[Light, ...] = (
        Light((-190.0, 260.0, 620.0), 0.62, 130.0, (0.97, 1.0, 1.02)),
        Light((300.0, 120.0, 520.0), 0.34, 90.0, (0.92, 0.99, 1.05)),
    )
    if params.look_seed is not None:
        chance = np.random.default_rng([params.look_seed, 5])
        floor, colour = _FLOORS[int(chance.integers(len(_FLOORS)))]
        wood = _WOODS[int(chance.integers(len(_WOODS)))]
        tray = replace(tray, floor=floor, floor_bgr=colour, wall_bgr=wood, seed=params.look_seed)
        turn = chance.uniform(0, 2 * math.pi)
        lamps = tuple(
            Light(
                (
                    float(r * math.cos(turn + k * 2.4)),
                    float(r * math.sin(turn + k * 2.4)),
                    float(chance.uniform(430, 700)),
                ),
                strength,
                float(chance.uniform(60, 180)),
                (float(chance.uniform(0.86, 1.02)), 1.0, float(chance.uniform(1.0, 1.1))),
            )
            for k, (r, strength) in enumerate(((chance.uniform(180, 340), 0.62), (chance.uniform(180, 340), 0.34)))
        )
        lean, way = float(chance.uniform(0.5, 6.0)), float(chance.uniform(0, 2 * math.pi))
    camera = _camera(params, lean, way)
    return Scene(tray, (), camera, lamps, seed=params.look_seed or 0, capture=Capture(noise=1.8))


def box_of(tray: TrayLook) -> TrayBox:
    half_x, half_y = tray.floor_mm[0] / 2, tray.floor_mm[1] / 2
    if tray.shape == "rectangle":
        corners = ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))
        return TrayBox(corners, tray.wall_mm)
    sides = {"hexagon": 6, "octagon": 8, "round": 32}.get(tray.shape)
    if sides is None:
        raise BadInput(f"no simulated tray is {tray.shape!r}: choose one of {', '.join(SHAPES)}")
    # A corner is farther out than the flats. An octagon has flats left and right, a hexagon corners.
    reach = half_x / math.cos(math.pi / sides)
    angles = (2 * math.pi * (k + (0.0 if sides == 6 else 0.5)) / sides for k in range(sides))
    return TrayBox(tuple((reach * math.cos(a), reach * math.sin(a)) for a in angles), tray.wall_mm)


def _camera(params: SceneryParams, lean_deg: float, way_rad: float) -> CameraPose:
    lean = math.radians(lean_deg)
    out = np.array([math.cos(way_rad), math.sin(way_rad), 0.0])
    place: FloatArray = params.lens_height_mm * (math.sin(lean) * out + math.cos(lean) * np.array([0.0, 0.0, 1.0]))
    forward = -place / np.linalg.norm(place)
    right = np.cross(forward, np.array([0.0, 1.0, 0.0]))
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(forward, right), forward])
    focal_px = params.width_px * params.lens_height_mm / params.field_mm
    k = np.array(
        [[focal_px, 0.0, (params.width_px - 1) / 2], [0.0, focal_px, (params.height_px - 1) / 2], [0.0, 0.0, 1.0]]
    )
    return CameraPose(params.width_px, params.height_px, k, rotation, -rotation @ place)
