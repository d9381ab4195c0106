"""Draws dice in all stances with Blender's path tracer, for `vision.training.teach_stance`.

    TRACER/bin/python tests/benchmarks/traced_stances.py FOLDER --pictures 100 --seed 1

`traced_trays.py` describes how to install the tracer. A picture shows 15 to 23 dice, every second of which leans or
lies on another, and takes 40 s of a core or more.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.traced_camera import bent, developed, exposure_of, shot  # noqa: E402
from tests.benchmarks.traced_recipe import BODIES, setting, things_among  # noqa: E402
from tests.benchmarks.traced_scene import trace  # noqa: E402
from vision.rendering.scene import Scene  # noqa: E402
from vision.training.dataset import Shard, add_picture  # noqa: E402
from vision.training.recipe import RecipeParams  # noqa: E402
from vision.training.throws import throw  # noqa: E402

PARAMS = RecipeParams(leaning=0.33, stacked=0.14, edge_lean=0.7)
MIN_DICE, MAX_DICE = 15, 23


def shard_of(seed: int, number: int, samples: int) -> Shard:
    """Return the dice of one picture."""
    rng = np.random.default_rng([seed, number])
    where = setting(rng, list(BODIES.values())[number % len(BODIES)])
    count = int(rng.integers(MIN_DICE, MAX_DICE + 1))
    dice = throw(rng, tuple(where.looks.values()), count, where.look, PARAMS)
    tray = replace(where.tray, dice=dice, things=things_among(rng, dice, where.look))
    light = bent(trace(tray, samples), where.camera)
    picture = developed(rng, light, exposure_of(light), shot(rng, where.dark))
    shard = Shard()
    add_picture(shard, rng, picture, Scene(where.look, dice, where.camera, ()), number)
    return shard


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=6, help="paths for each pixel, before the noise is taken out")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    for number in range(args.pictures):
        path = args.folder / f"truth-{number:06d}.npz"
        if not path.exists():
            shard_of(args.seed, number, args.samples).save(path)
            sys.stderr.write(f"{number + 1} of {args.pictures} pictures\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
