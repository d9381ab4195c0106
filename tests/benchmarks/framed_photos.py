"""The reader on real dice in drawn trays: photographs without a tray, each with a round wall drawn around its dice.

    .venv/bin/python tests/benchmarks/framed_photos.py FOLDER

FOLDER has photographs and labels.json. Those in which every die is read without a tray, so that the places are known,
are framed if large enough for a tray, and read as a tray. The benchmark is whether the dice, which all lie flat, are
trusted; colour is not judged. The photographers were nearer and at a steeper angle than a tray's camera. Prints the
photographs with a doubted or wrong die, and the number of the others. Exit status 2 for unusable arguments.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from vision.evaluation.evaluate import judge  # noqa: E402
from vision.evaluation.labels import load_labels  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.types.errors import VisionError  # noqa: E402
from vision.types.frame import FloatArray, ImageBgr  # noqa: E402
from vision.types.reading import DieReading, Unread  # noqa: E402

LONG_PX = 1280
MIN_EDGES, BEYOND_EDGES = 5.0, 1.6
"""Least radius of a tray's floor, and how far it extends beyond its dice's centres; edges of a die."""
MAX_ADDED = 0.35
"""A photograph is framed if its border must be moved by no more than this share of the radius."""
WALL, PICTURE = 0.16, 2.9
"""Width of the wall, and of the picture, in radii."""


def framed(image: ImageBgr, dice: Sequence[DieReading], rng: np.random.Generator) -> ImageBgr | None:
    """Return a photograph's dice in a round tray on a table, 1280x960; None if it has none or is too small for it."""
    if not dice:
        return None
    quads = np.array([die.top_quad_px for die in dice])
    edge = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    (x, y), radius = cv2.minEnclosingCircle(np.array([die.center_px for die in dice], np.float32))
    radius = max(radius + BEYOND_EDGES * edge, MIN_EDGES * edge)
    height, width = image.shape[:2]
    if max(radius - x, radius - y, x + radius - width, y + radius - height) > MAX_ADDED * radius:
        return None
    size = round(PICTURE * radius), round(0.75 * PICTURE * radius)
    move = np.array([[1.0, 0.0, size[0] / 2 - x], [0.0, 1.0, size[1] / 2 - y]])
    floor = cv2.warpAffine(image, move, size, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    down, right = np.mgrid[: size[1], : size[0]].astype(np.float64)
    way = (right - size[0] / 2) + 1j * (down - size[1] / 2)
    away = (np.abs(way) / radius)[..., None]
    wall = rng.uniform(30, 110, 3)
    lit = (0.75 + 0.35 * np.cos(np.angle(way) - rng.uniform(0, 2 * np.pi)))[..., None]
    scene = np.where(away < 1.0 + WALL, 1.25 * wall, _table(size, rng))
    scene = np.where(away < 1.0 + 0.6 * WALL, wall * lit, scene)
    scene = np.where(away < 1.0, floor, scene)
    soft = cv2.GaussianBlur(np.clip(scene, 0, 255).astype(np.uint8), (0, 0), 0.8)
    return np.asarray(cv2.resize(soft, (LONG_PX, 3 * LONG_PX // 4), interpolation=cv2.INTER_AREA), np.uint8)


def _table(size: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Draw boards of some colour."""
    grain = cv2.GaussianBlur(rng.normal(0.0, 1.0, (size[1], size[0])), (0, 0), 25, sigmaY=2)
    boards: FloatArray = rng.uniform(60, 200, 3) + (8.0 * grain / grain.std())[..., None]
    return boards + rng.normal(0.0, 3.0, boards.shape)


def main() -> int:
    """Frame and read them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=5, help="of the trays' and tables' colours")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng(args.seed)
    anywhere, in_tray = Reader(tray=False), Reader()
    count = exact = wrong = 0
    try:
        for truth in load_labels(args.folder):
            image = load_image(truth.path)
            scale = LONG_PX / max(image.shape[:2])
            way = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
            image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=way), np.uint8)
            alone = anywhere.read(image)
            if not judge(truth, alone, with_colour=False).exact:
                continue
            tray = framed(image, alone.dice, rng)
            if tray is None:
                continue
            read = in_tray.read(tray)
            doubted = [die for die in read.dice if die.unread not in {None, Unread.COLOUR_UNCLEAR}]
            right = sorted(die.value or 0 for die in read.dice) == sorted(die.value for die in truth.dice)
            count, exact, wrong = count + 1, exact + (right and not doubted), wrong + (not right and not doubted)
            if doubted or not right:
                reported = "; ".join(f"{die.value} ({die.unread or 'read'})" for die in doubted or read.dice)
                print(f"  {truth.path.name}: {reported}")
    except VisionError as error:
        sys.stderr.write(f"framed_photos: {error}\n")
        return 2
    if not count:
        sys.stderr.write(f"framed_photos: no photograph in {args.folder} can be framed: give larger ones\n")
        return 2
    print(f"framed {count}, all dice read and none doubted {exact}, none doubted and wrong {wrong}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
