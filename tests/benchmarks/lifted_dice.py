"""Detection of dice that a hand is picking up: `python tests/benchmarks/lifted_dice.py`.

Draws trays of the recipe, lets a drawn hand with one of five skins take some of the dice at 15 frames a second, and
follows every die with `LiftedDice` as the watch does. Prints how many of the taken dice are reported as lifted before
the hand is away, how soon after they were taken, and how often a die that was still there was reported as lifted. Trays
with even numbers chose the numbers of `vision.tracking.lifted`, those with odd numbers confirm them.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from device.simulation.hand import HandPainter, HandParams, center_xy, path_over  # noqa: E402
from vision.rendering.synthetic import truth_of  # noqa: E402
from vision.tracking.lifted import LiftedDice  # noqa: E402
from vision.tracking.settle import shrink  # noqa: E402
from vision.training.recipe import RecipeParams  # noqa: E402
from vision.training.throws import throw  # noqa: E402
from vision.training.trays import COUNTS, hard_tray  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402
from vision.types.reading import DieReading  # noqa: E402
from vision.types.sighting import TrackedDie  # noqa: E402

FPS, WIDTH_PX, NOISE_LEVELS = 15.0, 1280, 2.5
SKINS = ((142, 172, 222), (180, 200, 235), (95, 130, 185), (60, 85, 130), (40, 55, 85))
PARAMS = RecipeParams(tableless=1.0, leaning=0.0, stacked=0.0, clutter=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Pickup:
    """Some dice are taken out of one tray.

    Attributes:
        empty: Small picture of the empty tray, shape (h, w, 3).
        rest: Small picture of the dice at rest, of the same shape.
        dice: The dice.
        scale: Small pixels for each pixel of their readings.
        frames: Small pictures of the frames that follow.
        gone: For each die the first frame without it; past the last one if it stays.
    """

    empty: ImageBgr
    rest: ImageBgr
    dice: tuple[TrackedDie, ...]
    scale: float
    frames: tuple[ImageBgr, ...]
    gone: tuple[int, ...]


def pickup(number: int) -> Pickup | None:
    """Return the tray of that number; None if the recipe gives none, or no die lies in it."""
    rng = np.random.default_rng([number, 7])
    found = hard_tray(rng, PARAMS)
    if found is None:
        return None
    backdrop, looks = found
    scene = backdrop.scene
    poses = throw(rng, tuple(looks.values()), int(rng.choice(COUNTS)), scene.tray, PARAMS)
    if not poses:
        return None
    truths = truth_of(replace(scene, dice=poses))
    readings = [DieReading("base", one.value, 1.0, None, one.center_px, one.box_px, one.top_quad_px) for one in truths]
    dice = tuple(TrackedDie(place, reading, None) for place, reading in enumerate(readings))
    taken = [place for place in range(len(poses)) if rng.random() < 0.5] or [0]
    hand = replace(HandParams(), skin_bgr=SKINS[number % len(SKINS)], grip_s=float(rng.uniform(0.1, 0.5)))
    path = path_over(tuple(center_xy(poses[place].center_mm) for place in taken), hand)
    gone_s = dict(zip(taken, path.gone_s, strict=True))
    painter = HandPainter(scene.camera, hand)
    stages: dict[frozenset[int], ImageBgr] = {}

    def seen(without: frozenset[int], t_s: float) -> ImageBgr:
        if without not in stages:
            stages[without] = backdrop.draw(tuple(pose for place, pose in enumerate(poses) if place not in without))
        picture = stages[without].copy()
        place = path.at(t_s)
        if place is not None:
            painter.paint(picture, place, 0.01)
        return picture

    def small(picture: ImageBgr) -> ImageBgr:
        # Each small pixel is the mean of many, which reduces a camera's noise.
        shrunk = shrink(picture)
        noise = rng.normal(0.0, NOISE_LEVELS / 2, shrunk.shape)
        return np.clip(shrunk + noise, 0, 255).astype(np.uint8)

    steps = np.arange(0.0, path.duration_s, 1.0 / FPS)
    frames = tuple(small(seen(frozenset(k for k, at in gone_s.items() if at <= t), float(t))) for t in steps)
    gone = tuple(int(np.searchsorted(steps, gone_s[k])) if k in gone_s else len(steps) for k in range(len(poses)))
    whole = stages[frozenset()]
    return Pickup(small(backdrop.draw(())), small(whole), dice, frames[0].shape[1] / whole.shape[1], frames, gone)


def outcome(one: Pickup) -> tuple[int, int, int, list[int]]:
    """Return the dice taken, those of them reported as lifted, dice wrongly reported so, and after how many frames."""
    lifted = LiftedDice()
    lifted.follow(one.dice, one.rest, one.empty, one.scale)
    first: dict[int, int] = {}
    wrong: set[int] = set()
    for number, frame in enumerate(one.frames):
        for die in lifted.see(frame, number / FPS) or ():
            if number < one.gone[die]:
                wrong.add(die)
            else:
                first.setdefault(die, number - one.gone[die])
    taken = sum(gone < len(one.frames) for gone in one.gone)
    return taken, len(first), len(wrong), [*first.values()]


def line(name: str, pickups: list[Pickup]) -> str:
    """Return one row of the table."""
    told = [outcome(one) for one in pickups]
    taken, caught = sum(row[0] for row in told), sum(row[1] for row in told)
    wrong = sum(row[2] for row in told)
    waits = [wait / FPS for row in told for wait in row[3]]
    lay = sum(len(one.dice) for one in pickups)
    median = f"{statistics.median(waits):.2f} s" if waits else "-"
    return (
        f"{name:24}{caught:5} of {taken} ({100 * caught / max(1, taken):.0f} %), after {median}; wrong {wrong} of {lay}"
    )


def drawn(trays: int) -> Iterator[tuple[int, Pickup]]:
    """Return the first trays of the recipe that have dice."""
    number = count = 0
    while count < trays:
        one = pickup(number)
        if one is not None:
            yield number, one
            count += 1
        number += 1


def main() -> None:
    """Draw, follow, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trays", type=int, default=80)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    halves: tuple[list[Pickup], list[Pickup]] = ([], [])
    for number, one in drawn(args.trays):
        halves[number % 2].append(one)
    for name, half in (("even trays", halves[0]), ("odd trays", halves[1])):
        print(line(name, half))


if __name__ == "__main__":
    main()
