"""Overlap of the floor that is found with the true one.

    .venv/bin/python tests/benchmarks/floor_overlap.py [--fixtures FOLDER] [--traced FOLDER ...]

Prints, for the given trays and for folders of `traced_trays.py`, of how many pictures the floor found shares less than
0.9 with the true one (common over joint area), the median share, and how many have none; for folders of rigs, of their
empty pictures, too. Every second of `stills` and `stills-hard` taught the scene net and is left out.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from vision.imaging.image_file import load_image  # noqa: E402
from vision.tray.floor import Floor  # noqa: E402
from vision.tray.scene_floor import find_floor  # noqa: E402

Case = tuple[Path, list[list[float]]]


def overlap(found: Floor, true_px: list[list[float]], width: int, height: int) -> float:
    """Return the common area over the joint one, in the picture."""
    truth = np.zeros((height, width), np.uint8)
    cv2.fillPoly(truth, [np.rint(np.array(true_px)).astype(np.int32)], 255)
    mask = found.mask(width, height)
    return float(np.count_nonzero(truth & mask) / np.count_nonzero(truth | mask))


def given(fixtures: Path) -> Iterator[tuple[str, list[Case]]]:
    """Yield the given trays that taught nothing."""
    for name in ("stills", "stills-hard"):
        entries = json.loads((fixtures / name / "labels.json").read_text(encoding="utf-8"))[::2]
        yield name, [(fixtures / name / entry["image"], entry["tray_quad_px"]) for entry in entries]
    for rig in sorted((fixtures / "rigs").iterdir()):
        true_px = json.loads((rig / "rig.json").read_text(encoding="utf-8"))["truth"]["tray_quad_px"]
        entries = json.loads((rig / "labels.json").read_text(encoding="utf-8"))
        yield rig.name, [(rig / entry["image"], true_px) for entry in entries]
        yield f"{rig.name}, empty", [(rig / "empty.jpg", true_px)]


def traced(folder: Path) -> Iterator[tuple[str, list[Case]]]:
    """Yield a folder of traced trays, or its rigs."""
    rigs = sorted(path.parent for path in folder.glob("*/labels.json"))
    for one in rigs or [folder]:
        entries = json.loads((one / "labels.json").read_text(encoding="utf-8"))
        yield f"{folder.name} {one.name}", [(one / entry["image"], entry["floor_px"]) for entry in entries]
        if rigs and entries:
            yield f"{folder.name} {one.name}, empty", [(one / "empty.jpg", entries[0]["floor_px"])]


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fixtures", type=Path, default=ROOT.parent / "shared/fixtures", help="folder of pictures")
    parser.add_argument("--traced", type=Path, nargs="*", default=[])
    parser.add_argument("--list", action="store_true", help="print each picture's share, too")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    sets = list(given(args.fixtures)) if args.fixtures.exists() else []
    sets += [pair for folder in args.traced for pair in traced(folder)]
    for name, cases in sets:
        shares = []
        for path, true_px in cases:
            image = load_image(path)
            found = find_floor(image)
            shares.append(0.0 if found is None else overlap(found, true_px, image.shape[1], image.shape[0]))
            if args.list:
                print(f"  {shares[-1]:.3f} {path.name}")
        low = sum(share < 0.9 for share in shares)
        none = sum(share == 0 for share in shares)
        print(f"{name:36}{len(shares):4d}  median {np.median(shares):.3f}  under 0.9: {low}  none: {none}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
