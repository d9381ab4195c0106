"""Detection of the floors of real trays in photographs.

    .venv/bin/python tests/benchmarks/real_floors.py [--fixtures FOLDER]

Prints, for the leather trays and for the walled box of the training photographs, in how many pictures there is no
floor, a wrong one and a right one; and in how many of the pictures without a tray a floor is found. A floor is right if
every labelled die is inside it, to half an edge, and it covers less than three quarters of the picture and touches at
most a tenth of its border. Dice within an eighth of the picture's longer side from its border are left out, as they are
in neighbouring trays. The scene net learned from every second leather tray, by scene, and from other photographs'
scenes that are not set aside: both are counted apart.

Without the photographs it prints the reason and exits with status 0.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from vision.training.labelled import LabelledPicture, listed_photographs, photographs  # noqa: E402
from vision.tray.scene_floor import find_floor  # noqa: E402

LEATHER, BOX = "N3VERS4YDIE_trays", "NikitaMensh_DiceWatcher"
WALLED = tuple(f"20191208_{minute}" for minute in ("1112", "1113", "1114", "1115", "111628", "1128", "1129", "1130"))
"""Minutes, by their names, of the pictures in which the box's walls are visible."""
BORDER_SHARE, MAX_COVERED, MAX_BORDER, SLACK_EDGES = 0.125, 0.75, 0.10, 0.5


def verdict(picture: LabelledPicture) -> str:
    """Return `none`, `wrong` or `right`."""
    image = picture.load()
    floor = find_floor(image)
    if floor is None:
        return "none"
    height, width = image.shape[:2]
    for die in picture.dice:
        x, y = die.center_xy
        is_near_border = min(x, y, width - x, height - y) < BORDER_SHARE * max(width, height)
        if not is_near_border and floor.distance_px(x, y) < -SLACK_EDGES * die.edge_px:
            return "wrong"
    mask = floor.mask(width, height, 256.0 / max(width, height)) > 0
    border = np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])
    return "wrong" if mask.mean() >= MAX_COVERED or border.mean() > MAX_BORDER else "right"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures.

    Args:
        arguments: As on the command line.

    Returns:
        Exit status.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fixtures", type=Path, default=ROOT.parent / "shared/fixtures", help="folder of pictures")
    options = parser.parse_args(arguments)
    folder = options.fixtures / "photos-train"
    if not (folder / LEATHER / "labels.json").exists():
        print(f"skipped: {folder} has no {LEATHER}: the photographs to learn from are not part of the project")
        return 0
    cv2.setNumThreads(1)
    of_all = [picture for picture in photographs(folder) if not picture.is_crop]
    outlined = json.loads((ROOT / "vision/training/leather_floors.json").read_text(encoding="utf-8"))
    trays = {
        "leather trays, learned": [p for p in of_all if p.source == LEATHER and p.path.stem in outlined],
        "leather trays": [p for p in of_all if p.source == LEATHER and p.path.stem not in outlined],
        "walled box": [p for p in of_all if p.source == BOX and any(minute in p.path.name for minute in WALLED)],
    }
    for name, pictures in trays.items():
        counts = Counter(map(verdict, pictures))
        print(f"{name:36}{counts['none']:4d} none {counts['wrong']:4d} wrong {counts['right']:4d} right")
    seen = {picture.path for pictures in trays.values() for picture in pictures}
    others = [picture for picture in of_all if picture.path not in seen]
    if (options.fixtures / "photos/labels.json").exists():
        others += listed_photographs(options.fixtures / "photos")
    for source, held in sorted({(picture.source, picture.held) for picture in others}):
        of_source = [picture for picture in others if (picture.source, picture.held) == (source, held)]
        found = [find_floor(picture.load()) is not None for picture in of_source]
        name = source if held or source == BOX else f"{source}, learned"
        print(f"{name:36}a floor in {sum(found)} of {len(found)} pictures without a tray")
    return 0


if __name__ == "__main__":
    sys.exit(main())
