"""The reader on labelled pictures as from a camera nudged by a few pixels: how much of a table is luck.

    .venv/bin/python tests/benchmarks/nudged_camera.py FOLDER [--shrink 2] [--colours base=red,...]

FOLDER has pictures and labels.json. A few columns and rows are cut off the left and top of each picture, five ways, and
each is read and judged; with --shrink at a half, a third... of its size. Prints the tables for all together, and which
pictures are not read exactly every time. Exit status 2 for unusable arguments.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from device.cli.read import parse_colours  # noqa: E402
from device.errors import BadInput  # noqa: E402
from vision.evaluation.evaluate import Report, judge  # noqa: E402
from vision.evaluation.labels import TruePicture, load_labels  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.types.errors import VisionError  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402

NUDGES = ((0, 0), (1, 0), (0, 1), (3, 2), (5, 7))
"""Columns and rows cut off, pixels of the picture as it is read."""


def nudged(truth: TruePicture, shrink: int) -> Iterator[tuple[ImageBgr, TruePicture]]:
    """Return the picture nudged five ways, with each one's label."""
    image = load_image(truth.path)
    if shrink > 1:
        size = (image.shape[1] // shrink, image.shape[0] // shrink)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    for right, down in NUDGES:
        dice = []
        for die in truth.dice:
            at = die.center_px
            if at is not None:
                at = ((at[0] + 0.5) / shrink - 0.5 - right, (at[1] + 0.5) / shrink - 0.5 - down)
            dice.append(replace(die, center_px=at, edge_px=die.edge_px / shrink))
        yield np.ascontiguousarray(image[down:, right:]), replace(truth, dice=tuple(dice))


def main() -> int:
    """Read them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shrink", type=int, default=1, metavar="TIMES")
    parser.add_argument("--colours", metavar="LABEL=COLOUR,...")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        reader = Reader(None, parse_colours(args.colours) if args.colours else None)
        verdicts = [
            judge(truth, reader.read(image))
            for picture in load_labels(args.folder)
            for image, truth in nudged(picture, args.shrink)
        ]
    except (BadInput, VisionError) as error:
        print(error, file=sys.stderr)
        return 2
    print(Report(tuple(verdicts)).to_text())
    missed = Counter(v.image for v in verdicts if v.plain and not (v.exact and v.trusted))
    print("\nplain pictures not exact and trusted, of", len(NUDGES), "times each:")
    print("\n".join(f"  {image} {times}" for image, times in sorted(missed.items())) or "  none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
