"""Fits which of the places that the detector sees beside the reported dice are dice that were left out.

python -m vision.training.fit_left_out FIXTURES OUT.json --hard HARD/a HARD/b

A logistic regression from `LEFT_OUT_FEATURES`, on readings that would be trusted: of pictures as they are, of the same
with a thing laid in that hides a part of a die, and with one that hides none (`vision.training.covered`). Each picture
is judged by a model that was fitted without it (five folds). The point `doubted` is the lowest at which no more than
`LOST` of the readings that are right are doubted. Prints what it catches.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vision.decision.left_out import LEFT_OUT_FEATURES, Seeker
from vision.geometry.neighbours import IntArray
from vision.pipeline.reader import Reader, Trace, reported_tops
from vision.training.covered import CoveredPicture, covered
from vision.training.fit_decision import FOLDS, fitted
from vision.training.labelled import LabelledPicture, labelled_trays
from vision.types.frame import FloatArray, ImageBgr

LOST = 0.01
"""Share of the readings that are right and trusted which may be doubted."""
_ON_DIE = 0.8
"""A place nearer than so many edges to the middle of a die's top is on that die."""
_REPORTED = 0.6
"""A die with a reported one nearer than so many of its edges is not left out."""
_LEAST_SEEN = 0.1
"""Of a top; of less nobody can tell."""
_IGNORED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Readings that would be trusted.

    Attributes:
        columns: Shape (N, K), features of the places of all readings.
        is_left_out: Shape (N,), 1 where a left out die lies, 0 where none does, or `_IGNORED`.
        reading: Shape (N,), index of the place's reading.
        picture: Shape (R,), number of each reading's picture.
        lacks: Shape (R,), whether the reading lacks a die of which a part shows.
    """

    columns: FloatArray
    is_left_out: IntArray
    reading: IntArray
    picture: IntArray
    lacks: IntArray


def shown(picture: LabelledPicture, seed: Sequence[int]) -> Iterator[tuple[ImageBgr, CoveredPicture | None]]:
    """A picture as it is, with a die cut off, and with a thing that hides none."""
    image = picture.load()
    yield image, None
    for cut in (True, False):
        laid = covered(picture, image, np.random.default_rng([*seed, cut]), cut=cut)
        if laid is not None:
            yield laid.image_bgr, laid


def readings_of(pictures: Sequence[LabelledPicture], seed: int, workers: int) -> Readings:
    """Read all pictures, and hold what the detector sees beside the reported dice against their labels."""
    columns: list[FloatArray] = []
    labels: list[IntArray] = []
    reading_of: list[IntArray] = []
    picture_of: list[int] = []
    lacks: list[bool] = []
    with ProcessPoolExecutor(workers) as pool:
        numbered = [(picture, number, seed) for number, picture in enumerate(pictures)]
        for number, found in enumerate(pool.map(_read_one, numbered, chunksize=4)):
            if number % 50 == 0:
                sys.stderr.write(f"{number} of {len(pictures)} pictures\n")
            for places, is_left_out, lacks_one in found:
                columns.append(places)
                labels.append(is_left_out)
                reading_of.append(np.full(len(places), len(lacks), np.intp))
                picture_of.append(number)
                lacks.append(lacks_one)
    return Readings(
        np.concatenate(columns), np.concatenate(labels), np.concatenate(reading_of),
        np.array(picture_of, np.intp), np.array(lacks, np.intp),
    )  # fmt: skip


@cache
def _readers() -> tuple[Reader, Seeker]:
    cv2.setNumThreads(1)
    # A reader of today would already doubt what it finds.
    return Reader(seeks_left_out=False), Seeker()


def _read_one(asked: tuple[LabelledPicture, int, int]) -> list[tuple[FloatArray, IntArray, bool]]:
    """Of each reading of a picture that would be trusted: its places, whether these were left out, whether any was."""
    picture, number, seed = asked
    reader, seeker = _readers()
    found = []
    for image, laid in shown(picture, (seed, number)):
        trace = reader.trace(image)
        if not trace.reading.trusted or trace.stage is None:
            continue
        missing = _missing(picture, laid, trace)
        tops, edge = reported_tops(trace.stage, trace.reading.dice)
        unreported = seeker.unreported(trace.stage.part, tops, edge, trace.stage.inside_px)
        labels = _labels(picture, missing, unreported.found.center_xy + trace.stage.left_top)
        found.append((unreported.columns, labels, bool(missing)))
    return found


def _missing(picture: LabelledPicture, laid: CoveredPicture | None, trace: Trace) -> list[int]:
    """Dice of which a part shows, and that are not reported."""
    found = np.array([die.center_px for die in trace.reading.dice], np.float64).reshape(-1, 2)
    gone = () if laid is None else laid.hidden
    return [
        k
        for k, die in enumerate(picture.dice)
        if k not in gone
        and die.seen > _LEAST_SEEN
        and np.hypot(*(found - die.center_xy).T).min(initial=np.inf) > _REPORTED * die.edge_px
    ]


def _labels(picture: LabelledPicture, missing: list[int], places: FloatArray) -> IntArray:
    labels = np.zeros(len(places), np.intp)
    for k, die in enumerate(picture.dice):
        away = np.hypot(*(places - die.center_xy).T) / die.edge_px
        if k in missing:
            labels[away < _ON_DIE] = 1
        else:
            # Of what lies within a reported die's top nobody asks.
            labels[away < _ON_DIE / 2] = _IGNORED
    return labels


def by_folds(readings: Readings) -> FloatArray:
    """How likely each reading lacks a die, by a model that was fitted without its picture; shape (R,)."""
    folds = (readings.picture % FOLDS)[readings.reading]
    most = np.zeros(len(readings.lacks))
    for fold in range(FOLDS):
        inside, out = folds != fold, folds == fold
        model = fitted(readings.columns[inside], readings.is_left_out[inside], np.ones(inside.sum()), LEFT_OUT_FEATURES)
        np.maximum.at(most, readings.reading[out], model.share(readings.columns[out]))
    return most


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hard", type=Path, nargs="*", default=[], help="folders of hard_trays.py")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes that read")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = [p for name in ("stills", "stills-hard") for p in labelled_trays(asked.fixtures / name, name)]
    pictures += [p for folder in asked.hard for p in labelled_trays(folder, f"hard {folder.name}")]
    readings = readings_of(pictures, asked.seed, asked.workers)
    most, lacks = by_folds(readings), readings.lacks == 1
    # The lowest point at which few enough of the right readings are doubted.
    doubted = float(np.quantile(most[~lacks], 1 - LOST))
    print(
        f"doubted from {doubted:.3f}: {(most[lacks] > doubted).sum()} of {lacks.sum()} readings that lack a die, "
        f"{(most[~lacks] > doubted).sum()} of {(~lacks).sum()} that lack none"
    )
    model = fitted(readings.columns, readings.is_left_out, np.ones(len(readings.columns)), LEFT_OUT_FEATURES)
    stored = json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() else {}
    stored["left_out"] = {"is_left_out": model.to_json(), "doubted": round(doubted, 4)}
    asked.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
