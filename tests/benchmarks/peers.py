"""The reader compared with three common ways of reading dice, on the same pictures in one run.

    .venv/bin/python tests/benchmarks/peers.py FOLDER [--no-tray]

FOLDER has pictures and labels.json. What counts is a picture with every die right: the values as a multiset, without
colour, which the peers do not read. Each peer gets the tuning that is best on these very pictures, which favours it.
Times are medians on one core, and their ratio to the reader's. Exit status 2 if FOLDER has no labelled pictures.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests.benchmarks.peer_readers import Peer, Values, tunings  # noqa: E402
from vision.evaluation.labels import TruePicture, load_labels  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.types.errors import VisionError  # noqa: E402

COLOURS = {"base": "yellow", "skill": "green", "gear": "black"}


def score(read: Peer, pictures: list[tuple[TruePicture, np.ndarray]]) -> tuple[int, float]:
    """Return how many pictures have every die right, and the median time in milliseconds."""
    right, times = 0, []
    for picture, image in pictures:
        begun = time.perf_counter()
        values = read(image)
        times.append((time.perf_counter() - begun) * 1e3)
        right += Counter(values) == Counter(die.value for die in picture.dice if not die.covered)
    return right, float(np.median(times))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="pictures with labels.json")
    parser.add_argument("--no-tray", action="store_true", help="photographs of dice lying anywhere")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        labelled = [picture for picture in load_labels(arguments.folder) if picture.plain]
        pictures = [(picture, load_image(picture.path)) for picture in labelled]
    except VisionError as error:
        print(error, file=sys.stderr)
        return 2
    reader = Reader(None, COLOURS, tray=not arguments.no_tray)

    def ours(image: np.ndarray) -> Values:
        return tuple(die.value for die in reader.read(image).dice if die.value is not None)

    ours(pictures[0][1])  # warm caches: the first reading loads the nets
    right, reader_ms = score(ours, pictures)
    rows = [("PushTray's reader", right, reader_ms)]
    for name, tuned in tunings().items():
        rows.append((name, *max((score(peer, pictures) for peer in tuned), key=lambda result: result[0])))
    print(f"{len(pictures)} pictures without cocked or stacked dice, one core\n")
    print(f"{'program':<24}{'every die right':>18}{'median':>12}{'time / reader':>16}")
    for name, count, elapsed_ms in rows:
        share = f"{count} ({100 * count / len(pictures):.0f} %)"
        print(f"{name:<24}{share:>18}{elapsed_ms:>9.1f} ms{elapsed_ms / reader_ms:>16.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
