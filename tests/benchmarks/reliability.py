"""How often values of a given confidence are right: a table, and a diagram.

    .venv/bin/python tests/benchmarks/reliability.py FIXTURES [--more FOLDER ...] [--draw vision/reliability.svg]

Photographs that are set aside from training are read without a tray; trays (stills, stills-hard and those of `--more`)
as trays. Each die that was read with a value counts, doubted or not; one far from every labelled die is wrong, one that
no label can judge is left out. Each row has the number of dice in a range of `confidence`, their mean confidence, the
share that was right, and the 95 % interval of that share (Wilson, 1927). Exit status 2 for unusable arguments.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from vision.decision.association import matched  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.training.labelled import LabelledPicture, labelled_trays, middles_of, photographs  # noqa: E402
from vision.types.reading import TrayReading  # noqa: E402

BOUNDS = (0.0, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999, 1.0)
_SLACK = 2.3
"""Greatest ratio between the edge of a top and its estimate from the die's box."""
_SURE = 1.96
"""Standard deviations on either side of the 95 % interval."""
_SIZE, _MARGIN = 420.0, 60.0
_COLOURS = {"photographs": "#b4540a", "trays": "#1c5fa8"}

Judged = tuple[float, bool]
"""Confidence of a value, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Dice with a confidence in one range.

    Attributes:
        low: Least confidence.
        high: Confidence is less than this, or 1.
        count: Number of dice.
        mean: Their mean confidence.
        right: Number of right values.
    """

    low: float
    high: float
    count: int
    mean: float
    right: int

    @property
    def interval(self) -> tuple[float, float]:
        """Return both ends of the 95 % interval of the share that is right."""
        share, n, z2 = self.right / self.count, self.count, _SURE**2
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = _SURE * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return max(0.0, middle - half), min(1.0, middle + half)


def readings_of(reading: TrayReading, picture: LabelledPicture) -> list[Judged]:
    """Return the values of one reading, each with whether it is right."""
    dice = [die for die in reading.dice if die.value is not None]
    placed = [die for die in picture.dice if die.is_placed]
    whole = picture.is_complete and len(placed) == len(picture.dice)
    quads = np.array([die.top_quad_px for die in dice]).reshape(-1, 4, 2)
    edges = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).mean(axis=1)
    centers = np.array([die.center_px for die in dice]).reshape(-1, 2)
    wanted = np.array([die.edge_px for die in placed])
    of = matched(centers, edges, middles_of(placed), wanted, np.full(len(placed), _SLACK))
    readings: list[Judged] = []
    for die, number in zip(dice, of.tolist(), strict=True):
        if number < 0:
            # Nothing was labelled there, though every die is, so it is not a die.
            if whole:
                readings.append((die.confidence, False))
        elif placed[number].is_seen and placed[number].value > 0:
            readings.append((die.confidence, die.value == placed[number].value))
    return readings


def bins_of(readings: Sequence[Judged]) -> list[Bin]:
    """Return the ranges that have dice."""
    bins = []
    for low, high in pairwise(BOUNDS):
        some = [(share, right) for share, right in readings if low <= share and (share < high or high == BOUNDS[-1])]
        if some:
            mean = sum(share for share, _ in some) / len(some)
            bins.append(Bin(low, high, len(some), mean, sum(right for _, right in some)))
    return bins


def diagram(kinds: dict[str, list[Bin]]) -> str:
    """Return a reliability diagram as SVG (Murphy and Winkler, 1977); on the diagonal confidence is accurate."""
    full = _SIZE + 2 * _MARGIN

    def x(share: float) -> float:
        return _MARGIN + share * _SIZE

    def y(share: float) -> float:
        return _MARGIN + (1 - share) * _SIZE

    def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'

    def text(px: float, py: float, words: str, more: str = 'text-anchor="middle"') -> str:
        return f'<text x="{px:.1f}" y="{py:.1f}" {more}>{words}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full:.0f} {full:.0f}" width="{full:.0f}" role="img" '
        'font-family="sans-serif" font-size="14" fill="#222">',
        "<title>Reliability diagram: confidence of a value, and the share of such values that is right</title>",
        f'<rect width="{full:.0f}" height="{full:.0f}" fill="#fff"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        thin = 'stroke="#ddd"'
        parts += [line(x(tick), y(0), x(tick), y(1), thin), line(x(0), y(tick), x(1), y(tick), thin)]
        parts.append(text(x(tick), y(0) + 20, f"{tick:g}"))
        parts.append(text(x(0) - 8, y(tick) + 5, f"{tick:g}", 'text-anchor="end"'))
    parts.append(line(x(0), y(0), x(1), y(1), 'stroke="#888" stroke-dasharray="6 5"'))
    parts.append(text(x(0.5), full - 14, "confidence"))
    parts.append(text(18, y(0.5), "share right", f'text-anchor="middle" transform="rotate(-90 18 {y(0.5):.1f})"'))
    for k, (kind, bins) in enumerate(kinds.items()):
        colour = _COLOURS[kind]
        for one in bins:
            low, high = one.interval
            parts.append(line(x(one.mean), y(low), x(one.mean), y(high), f'stroke="{colour}" stroke-width="2"'))
            radius = 3 + math.log10(one.count)
            middle = f'cx="{x(one.mean):.1f}" cy="{y(one.right / one.count):.1f}"'
            parts.append(f'<circle {middle} r="{radius:.1f}" fill="{colour}" fill-opacity="0.8"/>')
        words = f"{kind}: {sum(one.count for one in bins):,} dice"
        parts.append(text(x(0.04), y(0.96) + 20 * k, words, f'fill="{colour}"'))
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    """Read the command line, read the pictures, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("--more", type=Path, nargs="*", default=[], help="more folders of trays with labels.json")
    parser.add_argument("--draw", type=Path, help="file of the diagram")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    folders = [args.fixtures / "stills", args.fixtures / "stills-hard", *args.more]
    try:
        photos = [p for p in photographs(args.fixtures / "photos-train") if p.held and not p.is_crop]
        trays = [picture for folder in folders for picture in labelled_trays(folder, folder.name)]
    except OSError as error:
        sys.stderr.write(f"{error.filename}: {error.strerror}: name the folder of labelled pictures\n")
        return 2
    if not photos:
        sys.stderr.write(
            f"{args.fixtures / 'photos-train'} holds no photographs set aside: name the folder of labelled pictures\n"
        )
        return 2
    kinds: dict[str, list[Bin]] = {}
    for kind, pictures, reader in (
        ("photographs", photos, Reader(None, tray=False)),
        ("trays", trays, Reader()),
    ):
        readings: list[Judged] = []
        for number, picture in enumerate(pictures, 1):
            readings += readings_of(reader.read(picture.load()), picture)
            if number % 50 == 0:
                sys.stderr.write(f"{kind}: {number} of {len(pictures)} pictures\n")
        kinds[kind] = bins_of(readings)
        print(f"{kind}: {len(pictures)} pictures\n{'confidence':<16}{'dice':>7}{'mean':>9}{'right':>9}   95 % interval")
        for one in kinds[kind]:
            low, high = one.interval
            share = one.right / one.count
            bounds = f"{one.low:g} to {one.high:g}"
            print(f"{bounds:<16}{one.count:>7}{one.mean:>9.4f}{share:>9.4f}   {low:.4f} to {high:.4f}")
    if args.draw:
        args.draw.write_text(diagram(kinds), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
