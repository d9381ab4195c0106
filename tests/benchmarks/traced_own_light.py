"""Traces trays' light for `own_light.py read --traced`: of the room, and of each half of the ring as built.

    TRACER/bin/python tests/benchmarks/traced_own_light.py LAYERS --trays 6 --seed 1

TRACER as in `traced_trays.py`. Each tray has calibration scenes in mild light and rests in two kinds of bad light. The
light is traced at half the picture's size and enlarged; scenes of one tray take about eight minutes of one core.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.hard_trays import labels_of  # noqa: E402
from tests.benchmarks.traced_camera import HEIGHT_PX, WIDTH_PX, bent  # noqa: E402
from tests.benchmarks.traced_plays import thrown  # noqa: E402
from tests.benchmarks.traced_recipe import BODIES, Setting, lamp_of, setting  # noqa: E402
from tests.benchmarks.traced_scene import STRIP_MM, Lamp, Rgb, trace  # noqa: E402
from tests.benchmarks.traced_trays import flat_dice  # noqa: E402
from vision.rendering.scene import DiePose  # noqa: E402

WALL_MM, RING_MM, DIE_MM = 30.0, 22.0, 16.0
RING_STRENGTH = 0.9
"""As in `own_light.py`."""
PIECE_MM = 60.0
"""Greatest length of a straight piece of the strip."""
KINDS = ("side", "coloured", "mains", "dim", "glare")
COUNTS = (3, 4, 5, 6, 8, 10)
RESTS = 3

Light = tuple[tuple[Lamp, ...], Rgb]


def ring_of(where: Setting) -> tuple[tuple[Lamp, ...], tuple[Lamp, ...]]:
    """Return the ring's left and right half: strips along the walls that light the floor's middle as said above."""
    corners = np.array(where.tray.inner_mm)
    places: list[tuple[npt.NDArray[np.float64], float, float]] = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        long = float(np.linalg.norm(b - a))
        inwards = np.array([a[1] - b[1], b[0] - a[0]]) / long
        heading = float(np.arctan2(inwards[1], inwards[0]))
        count = int(np.ceil(long / PIECE_MM))
        places += [
            (np.append(a + (b - a) * (k + 0.5) / count + 2.0 * inwards, RING_MM), long / count, heading)
            for k in range(count)
        ]
    given = 0.0
    for at, long, heading in places:
        far, aim = float(np.linalg.norm(at)), np.array([np.cos(heading), np.sin(heading), -1.0]) / np.sqrt(2)
        given += long * STRIP_MM * max(float(-at @ aim) / far, 0.0) * RING_MM / far**3
    level = np.pi * RING_STRENGTH / given
    rgb = (level, level, level)
    strips = [Lamp("strip", (float(at[0]), float(at[1]), RING_MM), size, rgb, turn) for at, size, turn in places]
    return tuple(s for s in strips if s.at_mm[0] < 0), tuple(s for s in strips if s.at_mm[0] >= 0)


def room_of(rng: np.random.Generator, kind: str) -> Light:
    """Return a room's lamps, and its light from all around; `mild` is the one at calibration."""
    turn, near = rng.uniform(0, 2 * np.pi), rng.uniform(200, 420)
    at = np.array([near * np.cos(turn), near * np.sin(turn), rng.uniform(120, 300)])
    warm, strength = rng.normal(0.05, 0.1), rng.uniform(0.7, 1.8)
    tint, size, around = np.array([1 + warm, 1.0, 1 - warm]), float(rng.uniform(15, 60)), float(rng.uniform(0.05, 0.15))
    if kind == "mild":
        at, size, strength, around = np.array([300.0, 250.0, 700.0]), 300.0, rng.uniform(0.15, 0.4), 0.2
    elif kind == "coloured":
        tint = np.roll((1.4, 0.8, 0.35), int(rng.integers(3)))
    elif kind == "dim":
        strength, around = rng.uniform(0.05, 0.2), 0.03
    elif kind == "glare":
        # What level dice mirror into the camera hangs above it.
        at, size = np.array([*(at[:2] * 0.35), rng.uniform(380, 520)]), float(rng.uniform(40, 130))
    return (lamp_of("disc", at, size, strength * tint),), (around, around, around)


def traced(where: Setting, dice: tuple[DiePose, ...], light: Light, samples: int) -> npt.NDArray[np.float16]:
    """Return the light on the sensor, shape (H, W, 3), linear, blue first."""
    camera = where.tray.camera
    k = camera.k.copy()
    k[:2] /= 2
    small = replace(camera, k=k, width_px=WIDTH_PX // 2, height_px=HEIGHT_PX // 2)
    lamps, around = light
    drawn = trace(replace(where.tray, dice=dice, lamps=lamps, room=around, camera=small), samples)
    wide = np.asarray(cv2.resize(drawn, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_CUBIC), np.float32)
    return np.clip(bent(wide, where.camera), 0, 6e4)[:, :, ::-1].astype(np.float16)


def store(path: Path, where: Setting, dice: tuple[DiePose, ...], room: Light, samples: int) -> None:
    """Trace and store one scene's layers."""
    dark = (0.0, 0.0, 0.0)
    left, right = (traced(where, dice, (lamps, dark), samples) for lamps in ring_of(where))
    np.savez_compressed(path, room=traced(where, dice, room, samples), left=left, right=right)


def trace_tray(folder: Path, rng: np.random.Generator, samples: int) -> None:
    """Trace one tray, with 16 mm dice and walls as built."""
    folder.mkdir(parents=True, exist_ok=True)
    where = setting(rng, BODIES["yellow-green-black"])
    while len(where.tray.inner_mm) > 8:
        where = setting(rng, BODIES["yellow-green-black"])
    looks = {label: replace(look, size_mm=DIE_MM) for label, look in where.looks.items()}
    where = replace(where, looks=looks, tray=replace(where.tray, wall_mm=WALL_MM))
    mild = room_of(rng, "mild")
    store(folder / "calib_empty.npz", where, (), mild, samples)
    for label, look in looks.items():
        store(folder / f"calib_{label}.npz", where, flat_dice(rng, where, look), mild, samples)
    labels: list[dict[str, object]] = []
    for kind in rng.choice(KINDS, 2, replace=False):
        room = room_of(rng, str(kind))
        for _ in range(RESTS):
            dice, name = thrown(rng, where, COUNTS), f"rest{len(labels):02d}.npz"
            store(folder / name, where, dice, room, samples)
            labels.append({"image": name, "kind": str(kind), "dice": labels_of(dice, where.camera, looks)})
            # So that a run that is stopped leaves trays that can be read.
            (folder / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
            sys.stderr.write(f"{folder.name}: {len(labels)} rests\n")


def main() -> int:
    """Trace."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trays", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=4, help="paths for each pixel, before the noise is taken out")
    args = parser.parse_args()
    for number in range(args.trays):
        trace_tray(args.folder / f"tray{number:02d}", np.random.default_rng([args.seed, number]), args.samples)
    return 0


if __name__ == "__main__":
    sys.exit(main())
