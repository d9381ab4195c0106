"""Draws labelled pictures of hard trays, for `pushtray evaluate`: any floor, shape, finish, lamp, lens and clutter.

    .venv/bin/python tests/benchmarks/hard_trays.py FOLDER --scenes 900 --seed 79 [--colours red-white-blue]
    .venv/bin/python tests/benchmarks/hard_trays.py FOLDER --scenes 1000 --seed 2001 --dice moulded
    .venv/bin/python tests/benchmarks/hard_trays.py FOLDER --scenes 500 --seed 3001 --dice painted
    .venv/bin/python tests/benchmarks/hard_trays.py FOLDER --scenes 500 --seed 3001 --wide-lens
    .venv/bin/python tests/benchmarks/hard_trays.py FOLDER --scenes 1500 --seed 4001 --in-hand

Of the scenes from the nets' recipe it uses those with the whole tray in a picture that is wider than high, the camera
tilted by at most 7 degrees; each is shown twice at 1280 pixels across, with dice of three colours. Pictures with a die
that is neither flat nor cocked (3 to 12 degrees) have no label. Dice may come from other moulds, rounder, their pips
nearer to each other, their 6s narrow, or have pips of gold or red instead of white; a lens may be as wide as those that
hang low over a tray, and a camera tilted like one in a hand: 8 to 25 degrees.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from vision.rendering.scene import CameraPose, DieLook, DiePose, Scene  # noqa: E402
from vision.rendering.synthetic import die_truth  # noqa: E402
from vision.training.dataset import faces_of  # noqa: E402
from vision.training.recipe import RecipeParams, moulded  # noqa: E402
from vision.training.throws import throw  # noqa: E402
from vision.training.trays import BODIES, COUNTS, STANDARD, hard_tray  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402

PARAMS = RecipeParams(tableless=0.0, leaning=0.02, stacked=0.01, edge_lean=0.5, six_width=0.75)
WIDE_DEG = (74.0, 95.0)
IN_HAND_DEG = (8.0, 25.0)
FLAT_DEG, COCKED_DEG = 3.0, 12.0
DICE = ("usual", "moulded", "painted")
GOLD, RED = (50, 165, 215), (40, 50, 200)


def made_otherwise(rng: np.random.Generator, looks: dict[str, DieLook], dice: str) -> dict[str, DieLook]:
    """Return a set's dice made in one of the ways of `DICE`."""
    if dice == "moulded":
        others = moulded(rng, tuple(looks.values()))
        width = float(rng.uniform(0.55, 0.85))
        return {label: replace(look, six_width=width) for label, look in zip(looks, others, strict=True)}
    if dice == "painted":
        # Pips never have the colour of the die.
        red = rng.random() < 0.5 and all(np.abs(np.subtract(RED, look.body_bgr)).max() > 90 for look in looks.values())
        paint = RED if red else GOLD
        return {
            label: replace(look, pip_bgr=paint) if min(look.pip_bgr) > max(look.body_bgr) else look
            for label, look in looks.items()
        }
    return looks


def some_dice(
    rng: np.random.Generator, scene: Scene, looks: dict[str, DieLook], params: RecipeParams
) -> tuple[DiePose, ...]:
    """Return dice of all classes thrown into a tray."""
    return throw(rng, tuple(looks.values()), int(rng.choice(COUNTS)), scene.tray, params)


def label_of(name: str, dice: tuple[DiePose, ...], scene: Scene, looks: dict[str, DieLook]) -> dict[str, object] | None:
    """Return a picture's label, or None if a die in it is neither flat nor cocked."""
    if any(FLAT_DEG < die_truth(pose, scene.camera).tilt_deg <= COCKED_DEG for pose in dice):
        return None
    tags = [f"shape:{scene.tray.shape}", f"floor:{scene.tray.floor}"]
    return {"image": name, "tags": tags, "dice": labels_of(dice, scene.camera, looks)}


def write_jpeg(path: Path, image_bgr: ImageBgr) -> None:
    """Write a picture as a camera does."""
    cv2.imwrite(str(path), image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 92])


def labels_of(dice: tuple[DiePose, ...], camera: CameraPose, looks: dict[str, DieLook]) -> list[dict[str, object]]:
    """Return the labels of the dice for `pushtray evaluate`, by geometry."""
    entries: list[dict[str, object]] = []
    for pose, (top, _) in zip(dice, faces_of(dice, camera), strict=True):
        truth = die_truth(pose, camera)
        entries.append(
            {
                "role": next(label for label, look in looks.items() if look == pose.look),
                "pips": truth.value,
                "cocked": truth.cocked,
                "tilt_deg": round(truth.tilt_deg, 1),
                "stacked": pose.is_stacked,
                "covered": top is None or top.visible < 0.8,
                "center_px": truth.center_px,
                "top_quad_px": truth.top_quad_px,
                "box_px": truth.box_px,
            }
        )
    return entries


def add_cameras(parser: argparse.ArgumentParser) -> None:
    """Add the options for other cameras."""
    parser.add_argument("--wide-lens", action="store_true", help="74 to 95 degrees across instead of 44 to 72")
    parser.add_argument("--in-hand", action="store_true", help="cameras 8 to 25 degrees aslant instead of 7 at most")


def under_camera(params: RecipeParams, args: argparse.Namespace) -> RecipeParams:
    """Return a recipe's trays under the requested cameras."""
    wide, aslant_deg = WIDE_DEG if args.wide_lens else params.field_deg, IN_HAND_DEG if args.in_hand else None
    return replace(params, field_deg=wide, aslant_deg=aslant_deg)


def main() -> int:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=900, help="scenes looked at; one in nine is taken")
    parser.add_argument("--seed", type=int, default=79)
    parser.add_argument("--colours", choices=list(BODIES), default=STANDARD)
    parser.add_argument("--dice", choices=DICE, default="usual", help="how they are made")
    add_cameras(parser)
    args = parser.parse_args()
    params = under_camera(PARAMS, args)
    cv2.setNumThreads(1)
    (args.folder / "images").mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, object]] = []
    for number in range(0, args.scenes, 2):
        rng = np.random.default_rng([args.seed, number])
        found = hard_tray(rng, params, args.colours)
        if found is None:
            continue
        tray, looks = found[0], made_otherwise(rng, found[1], args.dice)
        for shown in (number, number + 1):
            dice = some_dice(rng, tray.scene, looks, params)
            name = f"images/e{shown:04d}.jpg"
            write_jpeg(args.folder / name, tray.draw(dice))
            label = label_of(name, dice, tray.scene, looks)
            if label is not None:
                entries.append(label)
        sys.stderr.write(f"{number + 2} of {args.scenes} scenes, {len(entries)} pictures\n")
    (args.folder / "labels.json").write_text(json.dumps(entries), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
