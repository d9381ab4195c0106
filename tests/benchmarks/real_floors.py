"""How the floors of real trays are found in photographs: before, by edges alone, and after, by the floor's colour too.

    .venv/bin/python tests/benchmarks/real_floors.py [--fixtures FOLDER] [--choose]

Prints, for the leather trays and for the walled box of the photographs to learn from, in how many pictures there is no
floor, a wrong one and a right one; in how many of the pictures without a tray a floor is found; and the time a picture.
A floor is right where every labelled die lies inside it, to half an edge, and it covers less than three quarters of the
picture and touches a tenth of its border at most. Dice within an eighth of the picture's longer side from its border
are left out: those of neighbouring trays lie there. Half of the scenes choose the numbers of `FloorColourParams`, the
other half confirms them: `--choose` prints both for the numbers as they are and for each of them changed.

Prints why and ends with status 0 where the photographs are absent.
"""

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from vision.training.labelled import LabelledPicture, listed_photographs, photographs  # noqa: E402
from vision.tray.floor import Floor  # noqa: E402
from vision.tray.floor_colour import FloorColourParams  # noqa: E402
from vision.tray.floor_search import FloorParams, find_floor  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402

LEATHER, BOX = "N3VERS4YDIE_trays", "NikitaMensh_DiceWatcher"
WALLED = tuple(f"20191208_{minute}" for minute in ("1112", "1113", "1114", "1115", "111628", "1128", "1129", "1130"))
"""The box's walls are in view in the pictures of these minutes, as their names tell them."""
BORDER_SHARE, MOST_COVERED, MOST_BORDER, SLACK_EDGES = 0.125, 0.75, 0.10, 0.5
TIMED_PX = (1280, 960)
BY_EDGES = FloorParams(colour=None)
CHANGES: dict[str, tuple[float, ...]] = {
    "middle_share": (0.5, 0.7),
    "like_levels": (8.0, 10.0, 14.0, 16.0),
    "light_weight": (0.25, 0.5),
    "most_off": (2.5, 3.5),
    "darkest": (0.4, 0.6),
    "lightest": (1.1, 1.5),
    "dice_per_span": (10.0, 13.0, 20.0),
}


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture and where its floor is found by edges alone; `half` is 0 where it chooses numbers."""

    picture: LabelledPicture
    half: int
    image: ImageBgr
    before: Floor | None


def shots(pictures: Sequence[LabelledPicture]) -> list[Shot]:
    """Pictures with their halves: every other scene."""
    half = {scene: k % 2 for k, scene in enumerate(sorted({picture.scene for picture in pictures}))}
    found = []
    for picture in pictures:
        image = picture.load()
        found.append(Shot(picture, half[picture.scene], image, find_floor(image, BY_EDGES)))
    return found


def verdict(shot: Shot, floor: Floor | None) -> str:
    """`none`, `wrong` or `right`."""
    if floor is None:
        return "none"
    height, width = shot.image.shape[:2]
    for die in shot.picture.dice:
        x, y = die.center_xy
        is_near_border = min(x, y, width - x, height - y) < BORDER_SHARE * max(width, height)
        if not is_near_border and floor.distance_px(x, y) < -SLACK_EDGES * die.edge_px:
            return "wrong"
    mask = floor.mask(width, height, 256.0 / max(width, height)) > 0
    border = np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])
    return "wrong" if mask.mean() >= MOST_COVERED or border.mean() > MOST_BORDER else "right"


def counted(verdicts: Iterator[str]) -> str:
    """How many of each."""
    counts = Counter(verdicts)
    return f"{counts['none']:4d} none {counts['wrong']:4d} wrong {counts['right']:4d} right"


def print_trays(name: str, trays: Sequence[Shot], params: FloorParams) -> None:
    """A row for each half, before and after."""
    for half, role in enumerate(("choose", "confirm")):
        of_half = [shot for shot in trays if shot.half == half]
        before = counted(verdict(shot, shot.before) for shot in of_half)
        after = counted(verdict(shot, find_floor(shot.image, params)) for shot in of_half)
        print(f"{name:30} {role:8} {before}  -> {after}")


def print_choice(trays: Sequence[Shot]) -> None:
    """A row for the numbers as they are, and for each of them changed."""
    chosen = FloorColourParams()
    rows = [("as it is", chosen)]
    rows += [(f"{name} {v:g}", replace(chosen, **{name: v})) for name, values in CHANGES.items() for v in values]
    for name, colour in rows:
        params = FloorParams(colour=colour)
        verdicts = [(shot.half, verdict(shot, find_floor(shot.image, params))) for shot in trays]
        choose, confirm = (counted(word for half, word in verdicts if half == wanted) for wanted in (0, 1))
        print(f"{name:20} choose {choose}   confirm {confirm}", flush=True)


def print_times(trays: Sequence[Shot], params: FloorParams) -> None:
    """The median time of a picture, before and after, for those that edges are sure of and for the others."""
    for name, sure in (("edges are sure", True), ("edges are not", False)):
        of_kind = [shot for shot in trays if (shot.before is not None and shot.before.sure) == sure]
        images = [cv2.resize(shot.image, TIMED_PX) for shot in of_kind]
        if not images:
            continue
        taken: dict[bool, list[float]] = {False: [], True: []}
        for image in images:
            for is_after in (False, True, True, False):
                start = time.process_time()
                find_floor(np.asarray(image, np.uint8), params if is_after else BY_EDGES)
                taken[is_after].append(1e3 * (time.process_time() - start))
        before, after = statistics.median(taken[False]), statistics.median(taken[True])
        print(f"{name:30} {before:.1f} -> {after:.1f} ms of a core (x {after / before:.2f}), {len(images)} pictures")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures.

    Args:
        arguments: As on the command line.

    Returns:
        Exit status.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fixtures", type=Path, default=ROOT.parent / "shared/fixtures", help="folder of pictures")
    parser.add_argument("--choose", action="store_true", help="print both halves for each number changed")
    options = parser.parse_args(arguments)
    folder = options.fixtures / "photos-train"
    if not (folder / LEATHER / "labels.json").exists():
        print(f"skipped: {folder} has no {LEATHER}: the photographs to learn from are not part of the project")
        return 0
    cv2.setNumThreads(1)
    of_all = [picture for picture in photographs(folder) if not picture.is_crop]
    leather = shots([picture for picture in of_all if picture.source == LEATHER])
    if options.choose:
        print_choice(leather)
        return 0
    params = FloorParams()
    boxes = shots([p for p in of_all if p.source == BOX and any(minute in p.path.name for minute in WALLED)])
    print_trays("leather trays", leather, params)
    print_trays("walled box", boxes, params)
    seen = {picture.path for picture in (shot.picture for shot in leather + boxes)}
    others = [picture for picture in of_all if picture.path not in seen]
    if (options.fixtures / "photos/labels.json").exists():
        others += listed_photographs(options.fixtures / "photos")
    for source in sorted({picture.source for picture in others}):
        found = [(find_floor(p.load(), BY_EDGES), find_floor(p.load(), params)) for p in others if p.source == source]
        before, after = (sum(floor is not None for floor in floors) for floors in zip(*found, strict=True))
        print(f"{source:30} a floor in {before} -> {after} of {len(found)} pictures without a tray")
    print_times(leather + boxes, params)
    return 0


if __name__ == "__main__":
    sys.exit(main())
