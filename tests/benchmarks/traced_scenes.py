"""Draws small trays with Blender's path tracer, with the kind of each pixel, for `vision.training.teach_scene`.

    TRACER/bin/python tests/benchmarks/traced_scenes.py FOLDER --pictures 400 --seed 1

`traced_trays.py` describes how to install the tracer. Half of the lamps are low, so that walls cast long shadows.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.traced_camera import developed, exposure_of, shot  # noqa: E402
from tests.benchmarks.traced_recipe import BODIES, Setting, setting  # noqa: E402
from tests.benchmarks.traced_scene import Lamp, trace  # noqa: E402
from vision.rendering.scene import CameraPose, DieLook, Scene  # noqa: E402
from vision.training.recipe import RecipeParams, camera_at, dice_set  # noqa: E402
from vision.training.scenes import SIZE_PX, stored, truth_of  # noqa: E402
from vision.training.throws import throw  # noqa: E402
from vision.types.frame import ImageBgr, ImageGray  # noqa: E402

PARAMS = RecipeParams(leaning=0.1, stacked=0.1, edge_lean=0.7)
_SHARD = 20


def low_lamp(rng: np.random.Generator, where: Setting) -> tuple[Lamp, ...]:
    """Return one small lamp whose walls cast shadows up to three times as wide as they are high."""
    reach = 0.5 * max(where.look.floor_mm)
    away, a = float(rng.uniform(2, 6)) * reach, float(rng.uniform(0, 2 * np.pi))
    at = np.array([away * np.cos(a), away * np.sin(a), away / float(rng.uniform(0.5, 3.0))])
    size, far = float(rng.uniform(10, 120)), float(np.linalg.norm(at))
    warm = float(rng.normal(0.05, 0.1))
    strength = float(rng.uniform(0.8, 2.2)) * np.pi * far**2 / (size**2 * max(at[2] / far, 0.2))
    rgb = (strength * (1 + warm), strength, strength * (1 - 1.3 * warm))
    return (Lamp("disc", (float(at[0]), float(at[1]), float(at[2])), size, rgb),)


def camera_of(rng: np.random.Generator, where: Setting) -> CameraPose:
    """Return the setting's camera in small; three in ten look aslant or from elsewhere."""
    camera = where.tray.camera
    if rng.random() < 0.3:
        tilt = float(rng.uniform(3, 36))
        die_px = 16.0 / max(where.look.floor_mm) * camera.width_px * float(rng.uniform(0.5, 1.0))
        camera = camera_at(rng, (camera.width_px, camera.height_px), (die_px, 16.0), float(rng.uniform(46, 72)), tilt)
    k = camera.k.copy()
    k[:2] *= SIZE_PX[0] / camera.width_px
    return replace(camera, width_px=SIZE_PX[0], height_px=SIZE_PX[1], k=k, distortion=(0.0,) * 5)


def picture_of(rng: np.random.Generator, samples: int) -> tuple[ImageBgr, ImageGray]:
    """Return one picture and its truth."""
    where = setting(rng, list(BODIES.values())[int(rng.integers(len(BODIES)))])
    if rng.random() < 0.5:
        where = replace(where, tray=replace(where.tray, lamps=low_lamp(rng, where)))
    looks: tuple[DieLook, ...] = (
        tuple(where.looks.values()) if rng.random() < 0.5 else dice_set(rng, white_likely=False)
    )
    count = int(rng.choice([0, 0, 2, 4, 6, 9]))
    dice = throw(rng, looks, count, where.look, PARAMS) if count else ()
    camera = camera_of(rng, where)
    light = trace(replace(where.tray, dice=dice, camera=camera), samples)
    picture = developed(rng, light, exposure_of(light), shot(rng, where.dark))
    look = replace(where.look, wall_mm=where.tray.wall_mm, wall_thickness_mm=where.tray.rim_mm)
    return stored(picture, truth_of(Scene(look, dice, camera, ()), dice))


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=6, help="paths for each pixel, before the noise is taken out")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, args.pictures, _SHARD):
        path = args.folder / f"{args.seed}-{first:06d}.npz"
        if path.exists():
            continue
        numbers = range(first, min(first + _SHARD, args.pictures))
        made = [picture_of(np.random.default_rng([args.seed, number]), args.samples) for number in numbers]
        np.savez_compressed(path, pictures=np.array([p for p, _ in made]), kinds=np.array([k for _, k in made]))
        sys.stderr.write(f"{first + len(made)} of {args.pictures}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
