"""The reader on labelled pictures that were mirrored, rotated, or changed as by another light and camera.

    .venv/bin/python tests/benchmarks/changed_pictures.py FOLDER [--no-tray] [--colours base=red,...]

FOLDER has pictures and labels.json. Each picture is changed twelve ways, read and judged; if FOLDER has calibration
pictures as well (empty.jpg, calib_base.jpg...), these are changed in the same way and used to calibrate the tray.
Prints a line for each change, and which pictures are not read exactly. Exit status 2 for unusable arguments.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from device.cli.read import parse_colours  # noqa: E402
from device.errors import BadInput  # noqa: E402
from vision.colour.classes import STANDARD_COLOURS  # noqa: E402
from vision.evaluation.evaluate import Report, judge  # noqa: E402
from vision.evaluation.labels import TruePicture, load_labels  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.calibrate import calibrate  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.types.errors import VisionError  # noqa: E402
from vision.types.frame import ImageBgr  # noqa: E402


@dataclass(frozen=True, slots=True)
class Change:
    """One way to change a picture.

    Attributes:
        picture: Changes the picture.
        mirrored: Whether left and right are swapped, and top and bottom.
    """

    picture: Callable[[ImageBgr], ImageBgr]
    mirrored: tuple[bool, bool] = (False, False)

    def truth(self, truth: TruePicture, width_px: int, height_px: int) -> TruePicture:
        """Return the label of the changed picture."""
        across, down = self.mirrored
        dice = []
        for die in truth.dice:
            at = die.center_px
            if at is not None:
                at = (width_px - 1 - at[0] if across else at[0], height_px - 1 - at[1] if down else at[1])
            dice.append(replace(die, center_px=at))
        return replace(truth, dice=tuple(dice))


def _flipped(code: int) -> Callable[[ImageBgr], ImageBgr]:
    return lambda image: np.ascontiguousarray(cv2.flip(image, code))


def _gamma(power: float) -> Callable[[ImageBgr], ImageBgr]:
    table = np.rint(255 * (np.arange(256) / 255) ** power).astype(np.uint8)
    return lambda image: np.asarray(cv2.LUT(image, table), np.uint8)


def _lit(blue: float, green: float, red: float) -> Callable[[ImageBgr], ImageBgr]:
    gain = np.array([blue, green, red])
    return lambda image: np.clip(image * gain + 0.5, 0, 255).astype(np.uint8)


def _soft(image: ImageBgr) -> ImageBgr:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.9), np.uint8)


def _noisy(image: ImageBgr) -> ImageBgr:
    noise = np.random.default_rng(1).normal(0.0, 5.0, image.shape)
    return np.clip(image + noise + 0.5, 0, 255).astype(np.uint8)


def _squeezed(image: ImageBgr) -> ImageBgr:
    coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 60])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


CHANGES = {
    "left and right mirrored": Change(_flipped(1), (True, False)),
    "up and down mirrored": Change(_flipped(0), (False, True)),
    "turned by half": Change(_flipped(-1), (True, True)),
    "darker middle tones": Change(_gamma(1.3)),
    "lighter middle tones": Change(_gamma(0.78)),
    "three fifths of the light": Change(_lit(0.6, 0.6, 0.6)),
    "a quarter more light": Change(_lit(1.25, 1.25, 1.25)),
    "warmer light": Change(_lit(0.88, 1.0, 1.08)),
    "colder light": Change(_lit(1.1, 1.0, 0.9)),
    "softer": Change(_soft),
    "noisier": Change(_noisy),
    "JPEG of quality 60": Change(_squeezed),
}


def reader_for(folder: Path, change: Change, colours: dict[str, str] | None, *, tray: bool) -> Reader:
    """Return the reader for a folder's pictures, calibrated if the folder has calibration pictures.

    Raises:
        VisionError: These make no profile, or one is missing.
    """
    if not (folder / "empty.jpg").exists():
        return Reader(None, colours, tray)
    dice = {label: change.picture(load_image(folder / f"calib_{label}.jpg")) for label in STANDARD_COLOURS}
    return Reader(calibrate(change.picture(load_image(folder / "empty.jpg")), dice), colours)


def main() -> int:
    """Read them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-tray", action="store_true", help="dice lying anywhere: pips only")
    parser.add_argument("--colours", metavar="LABEL=COLOUR,...")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        colours = parse_colours(args.colours) if args.colours else None
        truths = load_labels(args.folder)
        for name, change in CHANGES.items():
            reader = reader_for(args.folder, change, colours, tray=not args.no_tray)
            verdicts = []
            for truth in truths:
                image = change.picture(load_image(truth.path))
                changed = change.truth(truth, image.shape[1], image.shape[0])
                verdicts.append(judge(changed, reader.read(image), with_colour=not args.no_tray))
            total = Report(tuple(verdicts)).summary
            print(
                f"{name:26}plain exact and trusted {total['plain_exact_and_trusted']} of {total['plain']}, "
                f"cocked or stacked dice flagged {total['cocked_dice_flagged']} of {total['cocked_dice']}, "
                f"silent {total['silent_errors']} of {len(verdicts)}"
            )
            for verdict in verdicts:
                if verdict.silent or (verdict.plain and not (verdict.exact and verdict.trusted)):
                    print(f"  {verdict.image}: " + "; ".join(miss.text for miss in verdict.misses))
    except (BadInput, VisionError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
