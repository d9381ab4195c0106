"""The reader on dice partly covered by a card, sheet, phone or box: such a die must not be omitted without a doubt.

    .venv/bin/python tests/benchmarks/covered_dice.py FOLDER [--seed 1] [--keep PICTURES]

FOLDER has pictures of trays and labels.json. Into each an object is added, with its shadow, that covers a part of one
flat die: 15 to 60 % of its top remain visible. (Wholly covered dice cannot be known.) Prints how many readings are
trusted though the covered die is omitted or wrong, how many are in doubt, and how many are right; and how many readings
of the same pictures with the object next to all dice are trusted, which must not suffer. Exit status 2 for unusable
arguments.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from vision.pipeline.reader import Reader  # noqa: E402
from vision.training.covered import CoveredPicture, covered  # noqa: E402
from vision.training.labelled import LabelledPicture, labelled_trays  # noqa: E402
from vision.types.reading import TrayReading  # noqa: E402


def outcome(reading: TrayReading, picture: LabelledPicture, shown: CoveredPicture) -> str:
    """Return the result for the covered die."""
    if not reading.trusted:
        return "in doubt"
    if shown.cut is None:
        return "trusted"
    die = picture.dice[shown.cut]
    near = [d for d in reading.dice if np.hypot(*(np.array(d.center_px) - die.center_xy)) < 0.75 * die.edge_px]
    if not near:
        return "left out in trust"
    return "read right" if near[0].value == die.value else "read wrong in trust"


def main() -> int:
    """Cover and read them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder to write the pictures to")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = Reader()
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for folder in args.folders:
        try:
            pictures = labelled_trays(folder, folder.name)
        except OSError as error:
            sys.stderr.write(f"{folder}: {error.strerror}: name a folder with labels.json\n")
            return 2
        for k, picture in enumerate(pictures):
            image = picture.load()
            if not reader.read(image).trusted:
                continue
            for cut in (True, False):
                shown = covered(picture, image, np.random.default_rng([args.seed, k, cut]), cut=cut)
                if shown is None:
                    continue
                became = outcome(reader.read(shown.image_bgr), picture, shown)
                counts[cut][became] += 1
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    name = (
                        f"{folder.name}-{picture.path.stem}-{'cut' if cut else 'clear'}-{became.replace(' ', '_')}.jpg"
                    )
                    cv2.imwrite(str(args.keep / name), shown.image_bgr)
    for cut, what in ((True, "a die cut off"), (False, "no die hidden")):
        print(f"{what}: " + ", ".join(f"{count} {word}" for word, count in counts[cut].most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
