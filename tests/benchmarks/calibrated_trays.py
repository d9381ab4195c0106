"""The reader in drawn hard trays with a profile, each calibrated as by its user; prints the tables for all of them.

    .venv/bin/python tests/benchmarks/calibrated_trays.py FOLDER --trays 16 --seed 301 [--colours red-white-blue]
    .venv/bin/python tests/benchmarks/calibrated_trays.py FOLDER --trays 12 --seed 312 --in-hand
    .venv/bin/python tests/benchmarks/calibrated_trays.py FOLDER --again

Trays are those of `hard_trays.py`; objects other than dice are the same in all pictures of a tray. Each gets a folder
with `empty.jpg`, `calib_CLASS.jpg` of five flat dice of each class, play pictures in changed light with `labels.json`,
and `profile.json`, so that `pushtray evaluate FOLDER/TRAY --profile FOLDER/TRAY/profile.json` prints one tray's
results. With --again nothing is drawn: the trays in FOLDER are calibrated and read again.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests.benchmarks.hard_trays import PARAMS, add_cameras, label_of, some_dice, under_camera, write_jpeg  # noqa: E402
from vision.evaluation.evaluate import Report, Verdict, judge  # noqa: E402
from vision.evaluation.labels import load_labels  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.calibrate import calibrate  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.rendering.scene import DieLook  # noqa: E402
from vision.rendering.synthetic import TrayBackdrop  # noqa: E402
from vision.training.throws import throw  # noqa: E402
from vision.training.trays import BODIES, STANDARD, hard_tray  # noqa: E402
from vision.tray.profile import Profile, load_profile, save_profile  # noqa: E402
from vision.types.errors import VisionError  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402

PLAY = replace(PARAMS, leaning=0.015, stacked=0.006)
FLAT = replace(PLAY, leaning=0.0, stacked=0.0)
CALIBRATION_DICE = 5
DRIFT, TINT_DRIFT = 0.06, 0.02
"""Standard deviations of the changes in brightness between calibration and play, of the picture and of each channel."""


def drifted(rng: np.random.Generator, image_bgr: ImageBgr) -> ImageBgr:
    """Return the picture in changed light."""
    gain = np.exp(rng.normal(0, DRIFT) + rng.normal(0, TINT_DRIFT, 3))
    return np.clip(image_bgr * gain, 0, 255).astype(np.uint8)


def draw_tray(
    folder: Path, rng: np.random.Generator, tray: TrayBackdrop, looks: dict[str, DieLook], pictures: int
) -> None:
    """Write one tray's folder."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    write_jpeg(folder / "empty.jpg", tray.draw(()))
    for label, look in looks.items():
        dice = throw(rng, (look,), CALIBRATION_DICE, tray.scene.tray, FLAT)
        write_jpeg(folder / f"calib_{label}.jpg", tray.draw(dice))
    entries = []
    for number in range(pictures):
        name = f"images/{folder.name}_{number:02d}.jpg"
        dice = some_dice(rng, tray.scene, looks, PLAY)
        write_jpeg(folder / name, drifted(rng, tray.draw(dice)))
        entries.append(label_of(name, dice, tray.scene, looks))
    labels = [entry for entry in entries if entry is not None]
    (folder / "labels.json").write_text(json.dumps(labels), encoding="utf-8")


def draw_trays(args: argparse.Namespace) -> None:
    """Draw the first trays of a seed, with the number and cameras requested."""
    params = under_camera(PLAY, args)
    number = drawn = 0
    while drawn < args.trays:
        number += 2
        rng = np.random.default_rng([args.seed, number])
        found = hard_tray(rng, params, args.colours)
        if found is None:
            continue
        draw_tray(args.folder / f"r{number:04d}", rng, *found, args.pictures)
        drawn += 1
        sys.stderr.write(f"{drawn} of {args.trays} trays drawn\n")


def calibrated(folder: Path) -> Profile:
    """Calibrate one tray, and store its profile.

    Raises:
        VisionError: The pictures make no profile, or one is missing.
    """
    dice = {label: load_image(folder / f"calib_{label}.jpg") for label in BODIES[STANDARD]}
    save_profile(folder / "profile.json", calibrate(load_image(folder / "empty.jpg"), dice))
    return load_profile(folder / "profile.json")


def read_tray(folder: Path) -> tuple[Verdict, ...]:
    """Calibrate one tray, store its profile, and judge the readings of its play pictures.

    Raises:
        VisionError: The pictures make no profile, or one is missing.
    """
    reader = Reader(calibrated(folder))
    return tuple(judge(truth, reader.read(load_image(truth.path))) for truth in load_labels(folder))


def line_of(verdicts: tuple[Verdict, ...]) -> str:
    """Return the results of one tray's pictures."""
    total = Report(verdicts).summary
    return (
        f"plain exact and trusted {total['plain_exact_and_trusted']} of {total['plain']}, "
        f"cocked or stacked not trusted {total['with_cocked_not_trusted']} of {total['with_cocked']}, "
        f"silent {total['silent_errors']}"
    )


def main() -> int:
    """Draw, calibrate, read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trays", type=int, default=16)
    parser.add_argument("--pictures", type=int, default=8, help="play pictures of each tray")
    parser.add_argument("--seed", type=int, default=301)
    parser.add_argument("--colours", choices=list(BODIES), default=STANDARD)
    add_cameras(parser)
    parser.add_argument("--again", action="store_true", help="draw nothing: take the trays in FOLDER")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if not args.again:
        draw_trays(args)
    folders = sorted(path.parent for path in args.folder.glob("*/labels.json"))
    verdicts: list[Verdict] = []
    refused = 0
    for folder in folders:
        try:
            seen = read_tray(folder)
        except VisionError as error:
            refused += 1
            print(f"{folder.name}: {error}")
            continue
        verdicts += seen
        print(f"{folder.name}: {line_of(seen)}")
    print(f"\ncalibrated {len(folders) - refused} of {len(folders)} trays\n\n{Report(tuple(verdicts)).to_text()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
