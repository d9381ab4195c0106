"""Would a second look by the ring's light alone settle what a calibrated tray doubts under bad light? Prints a table.

    .venv/bin/python tests/benchmarks/own_light.py read READINGS.json --trays 50 --seed 1 [--ring high]
    .venv/bin/python tests/benchmarks/own_light.py read READINGS.json --traced LAYERS
    .venv/bin/python tests/benchmarks/own_light.py judge READINGS.json ...

Light adds up: each rest is drawn as the light of the room, of the ring's left half and of its right half, all linear;
any picture is a sum of these through one camera. The ring is as built (`hardware/parts/tray.scad`), or, `high`, four
soft lights above the walls. Each tray is calibrated in mild light with the ring on; then it is read under lamps from
the side, coloured lamps, patches of sun, bands of a lamp on the mains, without an infrared filter, and in a dim room.
LAYERS come from `traced_own_light.py`. Trays of even numbers are to choose by, those of odd numbers to judge by.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests.benchmarks.calibrated_trays import CALIBRATION_DICE, FLAT, PLAY  # noqa: E402
from tests.benchmarks.gate.gate import mcnemar  # noqa: E402
from tests.benchmarks.hard_trays import label_of, some_dice  # noqa: E402
from vision.evaluation.evaluate import judge  # noqa: E402
from vision.evaluation.labels import TrueDie, TruePicture  # noqa: E402
from vision.pipeline.calibrate import calibrate  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.rendering.scene import Bgr, DieLook, DiePose, Light, Scene  # noqa: E402
from vision.rendering.shadows import opening_of  # noqa: E402
from vision.rendering.synthetic import SyntheticParams, TrayBackdrop  # noqa: E402
from vision.training.throws import throw  # noqa: E402
from vision.training.trays import hard_tray, resized  # noqa: E402
from vision.types.errors import VisionError  # noqa: E402
from vision.types.frame import F32, ImageBgr  # noqa: E402
from vision.types.reading import DieReading, TrayReading, Unread  # noqa: E402

Rng = np.random.Generator

PARAMS = replace(PLAY, clutter=0.0)
RESTS = 3
"""Rests in each kind of room."""
WIDTH_PX = 960
WALL_MM, RING_MM, LARGEST_MM = 30.0, 22.0, 16.0
"""Of the tray as built: its wall, the middle of the strip above the floor, the die that it is made for."""
RING_LIGHTS = 24
RING_STRENGTH = 0.9
"""Light of the ring on the floor's middle; 1 is a well lit table. 56 LEDs of 1.25 cd at brightness 160, held at 45
degrees, give 480 lx there, and 130 lx on the top of a die of 16 mm, for which they stand low.
"""
WALLS_GLOW = 0.06
"""Light of the ring that comes back from walls and floor, from all around."""


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """The light of one scene on the sensor: of the room, and of the ring's halves. Shape (H, W, 3) each, linear."""

    room: F32
    left: F32
    right: F32


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """Dice at rest in bad light."""

    kind: str
    layers: Layers
    label: dict[str, object]
    bands: tuple[float, float] = (0.0, 1.0)  # of the room's lamp: depth, and rows from one to the next


@dataclass(frozen=True, slots=True, eq=False)
class Tray:
    """A tray's scenes: empty and with dice of one class, for its calibration, and in play."""

    calibration: Mapping[str, Layers]
    rests: Iterator[Rest]


# --- The camera ---


def _toned(light: F32) -> F32:
    """Return grey levels, 0 to 1: within 4 of 255 of libcamera's curve for Raspberry Pi's sensors."""
    bent = np.clip(light, 0, 1) ** 1.02
    return np.asarray(1.25 * bent / (bent + 0.25), np.float32)


_STEPS = np.linspace(0, 1, 8192, dtype=np.float32)
_LEVELS = (_toned(_STEPS) * 255 + 0.5).astype(np.uint8)
"""The grey level of each light."""
_LINEAR = np.interp(np.arange(256) / 255, _toned(_STEPS), _STEPS).astype(np.float32)
"""The light of each grey level."""
_SPARE = 61
"""Pixels by which the grain is larger than a picture: each takes another part of it."""
_BURNT = 252
"""Grey level from which a picture does not say how bright a place is."""


def _developed(light: F32) -> ImageBgr:
    """Return the picture of linear light, shape (H, W, 3), 1 where the sensor is full."""
    steps = np.clip(light, 0, 1) * np.float32(len(_LEVELS) - 1)
    return np.asarray(_LEVELS[steps.astype(np.uint16)], np.uint8)


class Camera:
    """A camera with fixed white balance."""

    def __init__(self, rng: Rng, size: tuple[int, int]) -> None:
        """Choose its lens and its noise; the size is height and width."""
        self._rng, self._blur_px = rng, float(rng.uniform(0.4, 0.9))
        # Each place holds light of its own colour only, and what fills in the others smooths the noise.
        grain = rng.standard_normal((size[0] + _SPARE, size[1] + _SPARE, 3), np.float32)
        smooth = np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.6), np.float32)
        self._grain = np.asarray(smooth / smooth.std(), np.float32)

    def shows(
        self, exposure: float, room: F32, ring: F32 | None, bands: tuple[float, float] = (0.0, 1.0), frames: int = 1
    ) -> ImageBgr:
        """Return a picture, up to half a pixel from any other, its noise and the lamp's bands its own.

        Args:
            ring: Light of the ring; None if it is off.
            frames: Pictures whose mean it is, as of a rest's; each has noise of its own.
        """
        light = room
        if bands[0]:
            phase = np.arange(len(room), dtype=np.float32) / bands[1] + self._rng.uniform()
            light = room * (1 - bands[0] / 2 * (1 + np.cos(2 * np.pi * phase)))[:, None, None].astype(np.float32)
        light = (light if ring is None else light + ring) * np.float32(exposure)
        way = self._rng.uniform(0, 2 * np.pi)
        shift = np.array([[1, 0, 0.25 * np.cos(way)], [0, 1, 0.25 * np.sin(way)]])
        size = (light.shape[1], light.shape[0])
        light = np.asarray(cv2.warpAffine(light, shift, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), self._blur_px), np.float32)
        # A place of the sensor holds 4,000 electrons, and reading it adds some.
        spread = cv2.sqrt(np.clip(light, 0, 1) * np.float32(1 / 4000 / frames) + np.float32(0.0015**2 / frames))
        y, x = (int(v) for v in self._rng.integers(0, _SPARE, 2))
        return _developed(light + spread * self._grain[y : y + size[1], x : x + size[0]])


def by_ring(lit: ImageBgr, dark: ImageBgr, gain: float, field: F32) -> ImageBgr:
    """Return the picture by the light that only the first of two pictures has.

    Args:
        gain: Factor on that light.
        field: Shape (H, W), that light on the empty tray, 1 where it is usual: it is divided by it.
    """
    light = np.clip(_LINEAR[lit] - _LINEAR[dark], 0, 1) * (np.float32(gain) / field)[:, :, None]
    burnt = (lit >= _BURNT).any(axis=2) | (dark >= _BURNT).any(axis=2)
    shown = _developed(light)
    shown[burnt] = lit[burnt]
    return shown


def field_of(lit: ImageBgr, dark: ImageBgr) -> F32:
    """Return the strength of a light on the empty tray, shape (H, W), 1 in the middle of the picture's levels."""
    light = np.clip(_LINEAR[lit] - _LINEAR[dark], 0, 1).mean(axis=2)
    wide = np.asarray(cv2.GaussianBlur(light, (0, 0), light.shape[1] / 40), np.float32)
    usual = float(np.median(wide[wide > 0.2 * np.percentile(wide, 90)]))
    return np.asarray(np.clip(wide / usual, 0.3, 4.0), np.float32)


# --- What is read ---


@dataclass(frozen=True, slots=True)
class Look:
    """All readings of one rest; they are all the first one if that is trusted."""

    tray: int
    kind: str
    burns: bool  # whether the exposure is that of the calibration, at which bad light may burn out
    label: dict[str, object]
    now: TrayReading  # the room and the ring
    again: TrayReading  # a second such picture
    whole: TrayReading  # the ring alone
    left: TrayReading  # its left half alone
    right: TrayReading


SIDES = ("whole", "left", "right")


class Watcher:
    """Reads a calibrated tray as it is now, and by the ring alone."""

    def __init__(self, tray: Tray, rng: Rng) -> None:
        """Calibrate: with all the light, and by the ring alone; where that is refused there is no second look.

        Raises:
            VisionError: The calibration with all the light is refused.
        """
        scenes = tray.calibration
        self._camera = Camera(rng, scenes["empty"].room.shape[:2])
        every = [(scene.room, scene.left + scene.right) for scene in scenes.values()]
        self._exposure = 0.6 / float(np.percentile(np.max([room + ring for room, ring in every], axis=0), 97))
        shown = {
            name: self._camera.shows(self._exposure, scene.room, scene.left + scene.right, frames=4)
            for name, scene in scenes.items()
        }
        now = calibrate(shown["empty"], {name: image for name, image in shown.items() if name != "empty"})
        self._now = Reader(now)
        lit = {side: self._pictures(scenes, side) for side in SIDES}
        self._fields = {side: field_of(*pairs["empty"]) for side, pairs in lit.items()}
        bright = [_LINEAR[on].max(axis=2) - _LINEAR[off].max(axis=2) for on, off in lit["whole"].values()]
        self._gain = 0.6 / float(np.percentile(bright, 97))
        seen = {name: by_ring(on, off, self._gain, self._fields["whole"]) for name, (on, off) in lit["whole"].items()}
        dice = {name: image for name, image in seen.items() if name != "empty"}
        try:
            self._alone: Reader | None = Reader(calibrate(seen["empty"], dice, floor=now.floor))
        except VisionError as error:
            sys.stderr.write(f"not calibrated by the ring: {error}\n")
            self._alone = None

    def _pictures(self, scenes: Mapping[str, Layers], side: str) -> dict[str, tuple[ImageBgr, ImageBgr]]:
        """Return each scene with a part of the ring, and without the ring."""
        return {
            name: (
                self._camera.shows(self._exposure, scene.room, ring_of(scene, side)),
                self._camera.shows(self._exposure, scene.room, None),
            )
            for name, scene in scenes.items()
        }

    def look(self, rest: Rest, number: int, *, burns: bool) -> Look:
        """Read one rest; `burns` is whether the calibration's exposure stays, else one at which nothing burns out."""
        layers = rest.layers
        whole = layers.left + layers.right
        most = float(np.percentile((layers.room + whole).max(axis=2), 99.8))
        exposure = self._exposure if burns else min(self._exposure, 0.9 / most)
        lit = partial(self._camera.shows, exposure, layers.room, bands=rest.bands)
        now = self._now.read(lit(whole, frames=4))
        alone, again = dict.fromkeys(SIDES, now), now
        if not now.trusted:
            again = self._now.read(lit(whole, frames=4))
        if not now.trusted and self._alone is not None:
            dark, gain = lit(None), self._gain * self._exposure / exposure
            for side, field in self._fields.items():
                alone[side] = self._alone.read(by_ring(lit(ring_of(layers, side)), dark, gain, field))
        return Look(number, rest.kind, burns, rest.label, now, again, **alone)


def ring_of(layers: Layers, side: str) -> F32:
    """Return the light of the ring, or of one of its halves."""
    return layers.left + layers.right if side == "whole" else layers.left if side == "left" else layers.right


# --- The ways to decide ---


def _nearest(die: DieReading, others: TrayReading) -> DieReading | None:
    """Return the die that another reading has at a die's place."""
    corners = np.array(die.top_quad_px)
    reach = 0.5 * float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
    away = [(float(np.hypot(*np.subtract(die.center_px, other.center_px))), k) for k, other in enumerate(others.dice)]
    return others.dice[min(away)[1]] if away and min(away)[0] < reach else None


def _merged(look: Look, settled: Callable[[DieReading], DieReading]) -> TrayReading:
    """Return the reading as now with each die settled; in doubt if the looks do not show the same places."""
    dice = tuple(settled(die) for die in look.now.dice)
    sure = not look.now.problems and all(die.unread is None and die.value is not None for die in dice)
    return replace(look.now, dice=dice, trusted=sure)


def _doubted(die: DieReading) -> DieReading:
    return die if die.unread else replace(die, unread=Unread.PIPS_UNCLEAR)


def in_place(look: Look) -> TrayReading:
    """(a) The ring's picture in place of the doubtful one."""
    return look.whole


def surer(look: Look) -> TrayReading:
    """(b) The surer of both where they agree on the place, and do not both surely say something else."""

    def settled(die: DieReading) -> DieReading:
        other = _nearest(die, look.whole)
        if other is None or other.unread:
            return die if other else _doubted(die)
        if die.unread is None and (die.value, die.colour) != (other.value, other.colour):
            return _doubted(die)
        return other if die.unread else die

    if len(look.now.dice) != len(look.whole.dice):
        return look.now
    return _merged(look, settled)


def stays(look: Look) -> TrayReading:
    """(c) What both halves of the ring show alike; what is sure stays unless both deny it."""

    def settled(die: DieReading) -> DieReading:
        left, right = _nearest(die, look.left), _nearest(die, look.right)
        if left is None or right is None or (left.value, left.colour) != (right.value, right.colour):
            return die
        if die.unread is None:
            return die if (die.value, die.colour) == (left.value, left.colour) else _doubted(die)
        return left if left.unread is None or right.unread is not None else right

    return _merged(look, settled)


def colour_alone(look: Look) -> TrayReading:
    """(d) The colour by the ring alone, the value of the surer."""

    def settled(die: DieReading) -> DieReading:
        other = _nearest(die, look.whole)
        if other is None or other.colour is None:
            return die
        value = die if die.unread in (None, Unread.COLOUR_UNCLEAR) else other
        return replace(value, colour=other.colour, unread=None if value is die else other.unread)

    return _merged(look, settled)


WAYS: dict[str, Callable[[Look], TrayReading]] = {
    "another such picture": lambda look: look.again,
    "(a) ring alone": in_place,
    "(b) surer of both": surer,
    "(c) halves agree": stays,
    "(d) colour by ring": colour_alone,
}


# --- Drawn trays ---


def ring_lights(scene: Scene, ring: str) -> dict[str, tuple[Light, ...]]:
    """Return the lights of the ring's halves: as built along the walls, or high above them."""
    width, depth = scene.tray.floor_mm
    if ring == "high":
        z, wide = WALL_MM + 145.0, 160.0
        spots = [(-width / 2, 1.0), (width / 2, 0.0), (-1.0, -depth / 2), (1.0, depth / 2)]
    else:
        z, wide = RING_MM, 2.0
        opening = opening_of(scene.tray)
        turns = (np.arange(RING_LIGHTS) + 0.5) * 2 * np.pi / RING_LIGHTS
        rays = np.array([np.cos(turns), np.sin(turns)], np.float32)
        near, far = np.zeros(RING_LIGHTS), np.full(RING_LIGHTS, width, np.float64)
        for _ in range(20):
            middle = (near + far) / 2
            inside = opening.distance_mm(*(rays * middle).astype(np.float32)) < -1.5
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        spots = [(float(x), float(y)) for x, y in (rays * near).T]
    level = float(
        np.mean([max(z / np.hypot(z, np.hypot(*spot)), 0.25) / (z / np.hypot(z, np.hypot(*spot))) for spot in spots])
    )
    lights = [Light((x, y, z), RING_STRENGTH * level / len(spots), wide) for x, y in spots]
    return {
        "left": tuple(light for light in lights if light.position_mm[0] < 0),
        "right": tuple(light for light in lights if light.position_mm[0] >= 0),
    }


def side_lamp(rng: Rng, strength: tuple[float, float]) -> Light:
    """Return a hard lamp next to the tray."""
    turn, near = rng.uniform(0, 2 * np.pi), rng.uniform(200, 420)
    warm = float(rng.normal(0.05, 0.1))
    place = (float(near * np.cos(turn)), float(near * np.sin(turn)), float(rng.uniform(120, 300)))
    shape = str(rng.choice(["disc", "square"]))
    return Light(place, float(rng.uniform(*strength)), float(rng.uniform(8, 60)), (1 - warm, 1.0, 1 + warm), shape)


def grey_in_infrared(rng: Rng, bgr: Bgr) -> Bgr:
    """Return how a body reflects infrared: dyes hardly take any of it, soot does."""
    level = int(rng.uniform(60, 110) if max(bgr) < 60 else rng.uniform(150, 220))
    return level, level, level


class Room:
    """The light of a room in one tray."""

    def __init__(self, rng: Rng, scene: Scene, kind: str) -> None:
        """Choose it; `mild` is the room at calibration."""
        self.kind, self._rng, self._mask = kind, rng, None
        self.bands = (0.0, 1.0)
        ambient, lamp = float(rng.uniform(0.05, 0.15)), side_lamp(rng, (0.7, 1.8))
        if kind == "mild":
            ambient, lamp = 0.2, Light((300, 250, 700), float(rng.uniform(0.15, 0.4)), 300)
        elif kind == "coloured":
            lamp = replace(lamp, colour_bgr=tuple(np.roll((0.35, 0.8, 1.4), int(rng.integers(3))).tolist()))
        elif kind == "sun":
            x, y, z = (3.0 * v for v in lamp.position_mm)
            lamp = replace(lamp, position_mm=(x, y, z), softness_mm=9.0, strength=float(rng.uniform(2, 6)))
            self._mask = self._patch(scene)
        elif kind == "mains":
            self.bands = float(rng.uniform(0.3, 0.8)), float(rng.uniform(150, 500))
        elif kind == "dim":
            ambient, lamp = 0.03, replace(lamp, strength=float(rng.uniform(0.05, 0.2)))
        self._seen = TrayBackdrop(replace(scene, lights=(lamp,), ambient=ambient))
        self._infrared: TrayBackdrop | None = None
        self._greys: dict[DieLook, DieLook] = {}
        self._scene = scene

    def add_infrared(self, greys: dict[DieLook, DieLook], tray: Scene, share: float) -> None:
        """Let the camera see the infrared of this room's lamp."""
        lit = self._seen.scene
        lights = tuple(replace(light, strength=share * light.strength, colour_bgr=(1, 1, 1)) for light in lit.lights)
        self._greys = greys
        self._infrared = TrayBackdrop(replace(tray, lights=lights, ambient=share * lit.ambient))

    def _patch(self, scene: Scene) -> F32:
        """Return where the sun comes through a window, shape (H, W)."""
        h, w = scene.camera.height_px, scene.camera.width_px
        turn = self._rng.uniform(0, np.pi)
        along, middle = np.array([np.cos(turn), np.sin(turn)]), np.array([w, h]) * self._rng.uniform(0.3, 0.7, 2)
        across, long, wide = (
            np.array([-along[1], along[0]]),
            h * self._rng.uniform(0.3, 1),
            h * self._rng.uniform(0.1, 0.3),
        )
        corners = [middle + a * long * along + b * wide * across for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        mask = np.zeros((h, w), np.float32)
        cv2.fillConvexPoly(mask, np.array(corners).astype(np.int32), (1.0,))
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), 2.5), np.float32)[:, :, None]

    def light(self, dice: tuple[DiePose, ...]) -> F32:
        """Return its light from the tray with dice in it."""
        light = self._seen.light(dice)
        if self._mask is not None:
            light = light * (0.12 + 0.88 * self._mask)
        if self._infrared is not None:
            grey = tuple(replace(pose, look=self._greys[pose.look]) for pose in dice)
            light = light + self._infrared.light(grey) * np.array([0.9, 0.75, 1.0], np.float32)
        return light


BAD = ("side", "coloured", "sun", "mains", "infrared", "dim")


def drawn_tray(rng: Rng, ring: str) -> Tray | None:
    """Return the next drawn tray in three kinds of bad light; None if the recipe's next scene has none."""
    found = hard_tray(rng, PARAMS)
    if found is None:
        return None
    scene, looks = resized(found[0].scene, WIDTH_PX), found[1]
    size = min(next(iter(looks.values())).size_mm, LARGEST_MM)
    looks = {label: replace(look, size_mm=size) for label, look in looks.items()}
    capture = replace(scene.capture, noise=0.0, defocus_px=0.0, haze=0.0, vignette=0.2)
    tray = replace(scene.tray, wall_mm=WALL_MM)
    scene = replace(scene, tray=tray, capture=capture, clutter=())
    fast = SyntheticParams(floor_shadow_samples=1 if ring == "built" else 7)
    sides = {
        side: TrayBackdrop(replace(scene, lights=lights, ambient=WALLS_GLOW / 2), fast)
        for side, lights in ring_lights(scene, ring).items()
    }

    # The drawing lets lights below the rim through the walls.
    within = cv2.dilate(sides["left"].still.inside, np.ones((9, 9), np.uint8))[:, :, None]

    def layers(room: Room, dice: tuple[DiePose, ...]) -> Layers:
        left, right = (sides[side].light(dice) * within for side in ("left", "right"))
        return Layers(room.light(dice), left, right)

    kinds = rng.choice(BAD, 3, replace=False)
    rooms = {kind: Room(rng, scene, kind) for kind in ("mild", *kinds)}
    if "infrared" in kinds:
        # A camera without the filter lacks it at calibration, too.
        bodies = {look: replace(look, body_bgr=grey_in_infrared(rng, look.body_bgr)) for look in looks.values()}
        pale = replace(
            scene.tray,
            floor_bgr=grey_in_infrared(rng, scene.tray.floor_bgr),
            wall_bgr=grey_in_infrared(rng, scene.tray.wall_bgr),
        )
        for kind, room in rooms.items():
            share = float(rng.uniform(0.1, 0.3) if kind == "mild" else rng.uniform(0.4, 1.2))
            room.add_infrared(bodies, replace(scene, tray=pale), share)

    def rests() -> Iterator[Rest]:
        for kind in kinds:
            for _ in range(RESTS):
                dice = some_dice(rng, scene, looks, PARAMS)
                label = label_of("", dice, scene, looks) if dice else None
                if label is not None:
                    yield Rest(kind, layers(rooms[kind], dice), label, rooms[kind].bands)

    shown = {"empty": layers(rooms["mild"], ())}
    for label, look in looks.items():
        shown[label] = layers(rooms["mild"], throw(rng, (look,), CALIBRATION_DICE, scene.tray, FLAT))
    return Tray(shown, rests())


def drawn_trays(seed: int, ring: str) -> Iterator[tuple[int, Tray]]:
    """Yield drawn trays without end, each with its number."""
    number = -1
    while True:
        number += 1
        tray = drawn_tray(np.random.default_rng([seed, number]), ring)
        if tray is not None:
            yield number, tray


# --- Traced trays ---


def traced_trays(folder: Path) -> Iterator[tuple[int, Tray]]:
    """Yield the trays whose light `traced_own_light.py` stored."""

    def layers(path: Path) -> Layers:
        stored = np.load(path)
        return Layers(*(stored[name].astype(np.float32) for name in ("room", "left", "right")))

    def rests(labels: list[dict[str, object]], where: Path) -> Iterator[Rest]:
        for label in labels:
            bands = (0.6, 300.0) if label["kind"] == "mains" else (0.0, 1.0)
            yield Rest(str(label["kind"]), layers(where / str(label["image"])), label, bands)

    for number, file in enumerate(sorted(folder.glob("*/labels.json"))):
        labels = json.loads(file.read_text(encoding="utf-8"))
        shown = {path.stem.removeprefix("calib_"): layers(path) for path in file.parent.glob("calib_*.npz")}
        yield number, Tray(shown, rests(labels, file.parent))


# --- Figures ---


def truth_of(label: dict[str, object]) -> TruePicture:
    """Return a label as the evaluation takes it."""
    dice = []
    for die in json.loads(json.dumps(label["dice"])):
        corners = np.array(die["top_quad_px"])
        edge = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max())
        x, y = die["center_px"]
        flagged = die["cocked"] or die["stacked"]
        dice.append(TrueDie(die["pips"], die["role"], (x, y), edge, flagged, die["covered"]))
    return TruePicture(Path(), (), tuple(dice))


def counted(looks: list[Look], way: Callable[[Look], TrayReading] | None) -> tuple[list[str], list[bool]]:
    """Return each rest's result, `good`, `doubt` or `wrong`, and whether it can be read."""
    results, plain = [], []
    for look in looks:
        reading = look.now if way is None or look.now.trusted else way(look)
        verdict = judge(truth_of(look.label), reading)
        is_wrong = verdict.silent or (verdict.trusted and not verdict.plain)
        results.append("wrong" if is_wrong else "good" if verdict.trusted else "doubt")
        plain.append(verdict.plain)
    return results, plain


def table(looks: list[Look]) -> str:
    """Return the counts as now, and by each way that is args where now is in doubt."""
    now, plain = counted(looks, None)
    lines = [
        f"{len(looks)} rests of {len({look.tray for look in looks})} trays, {sum(plain)} of them without a leaning die"
    ]
    lines.append(f"{'':<24}{'good':>6}{'doubt':>7}{'wrong':>7}{'leaning, told':>15}   p of doubts, of wrong")
    for name, way in (("as now", None), *WAYS.items()):
        then = counted(looks, way)[0]
        rows = [result for result, flat in zip(then, plain, strict=True) if flat]
        told = [result == "doubt" for result, flat in zip(then, plain, strict=True) if not flat]
        p = []
        for what in ("doubt", "wrong"):
            pairs = [
                (a == what, b == what) for a, b, flat in zip(now, then, plain, strict=True) if flat or what == "wrong"
            ]
            p.append(mcnemar(sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)))
        wrong = then.count("wrong")
        lines.append(
            f"{name:<24}{rows.count('good'):>6}{rows.count('doubt'):>7}{wrong:>7}{f'{sum(told)} of {len(told)}':>15}"
            f"   {p[0]:.4f}  {p[1]:.3f}"
        )
    return "\n".join(lines)


def stored(look: Look) -> dict[str, object]:
    """Return a rest's readings as JSON."""
    return asdict(look)


def loaded(entry: dict[str, dict[str, list[dict[str, object]]]]) -> Look:
    """Return a rest's readings from JSON."""

    def reading(name: str) -> TrayReading:
        found = dict(entry[name])
        dice = [
            DieReading(**{**die, "unread": None if die["unread"] is None else Unread(str(die["unread"]))})  # type: ignore[arg-type]
            for die in found.pop("dice")
        ]
        return TrayReading(**{**found, "dice": tuple(dice)})  # type: ignore[arg-type]

    readings = {name: reading(name) for name in ("now", "again", "whole", "left", "right")}
    return Look(**{**entry, **readings})  # type: ignore[arg-type]


def read(args: argparse.Namespace) -> None:
    """Draw trays, or take traced ones, and store their readings."""
    found = traced_trays(args.traced) if args.traced else drawn_trays(args.seed, args.ring)
    looks: list[Look] = []
    refused = 0
    for trays, (number, tray) in enumerate(found, 1):
        rng = np.random.default_rng([args.seed, number, 1])
        try:
            watcher = Watcher(tray, rng)
            looks += [watcher.look(rest, number, burns=k % 2 == 0) for k, rest in enumerate(tray.rests)]
        except VisionError as error:
            refused += 1
            sys.stderr.write(f"tray {number}: {error}\n")
        sys.stderr.write(f"{trays} trays, {refused} not calibrated, {len(looks)} rests\n")
        args.readings[0].write_text(json.dumps([stored(look) for look in looks]), encoding="utf-8")
        if trays == args.trays:
            break


def main() -> int:
    """Draw and read, or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=["read", "judge"])
    parser.add_argument("readings", type=Path, nargs="+")
    parser.add_argument("--trays", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ring", choices=["built", "high"], default="built")
    parser.add_argument("--traced", type=Path)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.act == "read":
        read(args)
    looks = [loaded(entry) for file in args.readings for entry in json.loads(file.read_text(encoding="utf-8"))]
    for name, half in (("to choose by", 0), ("to judge by", 1)):
        print(f"\n{name}: {table([look for look in looks if look.tray % 2 == half])}")
    kinds = sorted({look.kind for look in looks})
    for kind in kinds:
        print(f"\n{kind}, all trays: {table([look for look in looks if look.kind == kind])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
