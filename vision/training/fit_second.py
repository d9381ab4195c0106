"""Fits when the die net's opinion counts on what the tray reader doubts (`vision.decision.second_opinion`).

python -m vision.training.fit_second FIXTURES OUT.json --hard HARD/a HARD/b

Two logistic regressions from `OPINION_FEATURES`: is it a die, and is it one that lies flat and shows the value that the
net reads. Each picture is judged by models that were fitted without its scene (five folds). From these the operating
points are chosen: `denied`, below which a doubtful place is no die, and `trusted`, from which a value is trusted. A die
passed over and a wrong value trusted cost `SILENT_COST` doubts taken away.

The pictures are the traced trays that the project was given, hard ones drawn by tests/benchmarks/hard_trays.py, and
photographs of real trays that are set aside from learning. Reliability tables are printed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.classification.die_net import DieReader
from vision.colour.classes import STANDARD_COLOURS
from vision.decision.association import SAME_SIZE, matched
from vision.decision.model import Logistic
from vision.decision.second_opinion import OPINION_FEATURES, Opinion, Said, ask
from vision.decision.verdict import Verdict
from vision.detection.squares import Squares
from vision.detection.tray_detector import Detector, DetectorParams
from vision.geometry.neighbours import IntArray, squared_distances
from vision.imaging.pyramid import ImagePyramid
from vision.pipeline.recogniser import Recogniser, RecogniserParams
from vision.training.fit_decision import FOLDS, SILENT_COST, evened, fitted
from vision.training.labelled import LabelledPicture, labelled_trays, middles_of, photographs
from vision.tray.stage import StageParams, set_stage
from vision.types.frame import FloatArray
from vision.types.reading import Unread

REAL_TRAYS = {"N3VERS4YDIE_trays", "NikitaMensh_DiceWatcher"}
"""Sources of photographs of trays."""
DENIED = (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)
TRUSTED = (0.5, 0.7, 0.8, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 1.1)
"""Operating points that are tried; the last one trusts nothing."""
_BOXED = 2.3
"""How far the edge of a top may be from what its die's box makes of it."""
_ON_DIE = 0.9
"""A place nearer than so many edges to the middle of a die's top is on that die."""
_IGNORED = -1
"""Of a place: nobody can tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What the die net was asked about, one place in each row.

    Attributes:
        columns: Shape (N, len(OPINION_FEATURES)), features of the places.
        is_die: Shape (N,), 1 where a die lies, 0 where none does, or -1 for what nobody can tell.
        is_right: Shape (N,), 1 where a flat die shows the value that the net reads, 0 where not, or -1 for what nobody
            can tell.
        in_doubt: Shape (N,), whether the reader doubts the place.
        open: Shape (N,), whether the value is all that is in question: nothing was said of how or where the die lies.
        picture: Shape (N,), index of its picture.
    """

    columns: FloatArray
    is_die: IntArray
    is_right: IntArray
    in_doubt: npt.NDArray[np.bool_]
    open: npt.NDArray[np.bool_]
    picture: IntArray


class Noting:
    """Changes no verdict, and keeps what it was asked about."""

    def __init__(self) -> None:
        """Load the die net alone."""
        self._reader = DieReader()
        self.asked: list[tuple[Opinion, Squares, list[Said]]] = []

    def review(self, picture: ImagePyramid, squares: Squares, said: Sequence[Said]) -> list[Verdict | None]:
        """Note, and give back what was said."""
        opinion = ask(self._reader, picture, squares, said)
        self.asked.append((opinion, squares, [said[row] for row in opinion.rows.tolist()]))
        return [one.verdict for one in said]


def rows_of(pictures: Sequence[LabelledPicture]) -> Rows:
    """Read pictures and hold each place that the net was asked about against their labels."""
    noting = Noting()
    detector = Detector(None, DetectorParams())
    recogniser = Recogniser(None, dict(STANDARD_COLOURS), RecogniserParams(), noting)
    parts: list[tuple[npt.NDArray[np.generic], ...]] = []
    for number, picture in enumerate(pictures):
        if number % 50 == 0:
            sys.stderr.write(f"{number} of {len(pictures)} pictures\n")
        stage = set_stage(picture.load(), None, StageParams())
        if stage is None:
            continue
        noting.asked.clear()
        recogniser.recognise(stage, detector.detect(stage, lambda _: None), lambda _: None)
        for opinion, squares, said in noting.asked:
            unread = [one.verdict.unread for one in said]
            is_die, is_right = _labels(picture, squares, stage.left_top, opinion)
            doubt = np.array([reason is not None for reason in unread], np.bool_)
            value_only = np.array([reason in {None, Unread.PIPS_UNCLEAR} for reason in unread], np.bool_)
            number_of = np.full(len(unread), number, np.intp)
            parts.append((opinion.columns, is_die, is_right, doubt, value_only, number_of))
    columns, is_die, is_right, doubt, value_only, number_of = (np.concatenate(p) for p in zip(*parts, strict=True))
    return Rows(columns, is_die, is_right, doubt, value_only, number_of)


def _labels(
    picture: LabelledPicture, squares: Squares, left_top: FloatArray, opinion: Opinion
) -> tuple[IntArray, IntArray]:
    """Whether a die lies at each place that was asked about, and whether it lies flat and shows the net's value.

    Args:
        picture: Picture with its labels.
        squares: All places that the reader took for dice.
        left_top: Shape (2,), of the part of the picture that these are of.
        opinion: What the net says of some.
    """
    placed = [die for die in picture.dice if die.is_placed]
    edges, middles = np.array([die.edge_px for die in placed]), middles_of(placed)
    slack = np.where(np.isnan([die.turn_rad for die in placed]), _BOXED, SAME_SIZE)
    places = squares.center_xy + left_top
    of = matched(places, squares.edge_px, middles, edges, slack)
    away = np.sqrt(squared_distances(places, middles)) / edges[None]
    away[:, of[of >= 0]] = np.inf
    # On a side of a die that nothing else shows: without it that die would go unseen.
    beside = away.min(axis=1, initial=np.inf) < _ON_DIE
    unknown = 0 if picture.is_complete else _IGNORED
    is_die, is_right = np.full(len(opinion.rows), unknown, np.intp), np.full(len(opinion.rows), unknown, np.intp)
    for k, row in enumerate(opinion.rows.tolist()):
        if of[row] < 0:
            is_die[k] = 1 if beside[row] else is_die[k]
            continue
        die = placed[of[row]]
        is_die[k] = 1 if die.is_seen or die.is_cut else _IGNORED
        known = die.is_seen and die.value > 0  # others are blurred
        is_right[k] = int(die.value == opinion.values[k] and die.is_flat) if known else 0 if die.is_cut else _IGNORED
    return is_die, is_right


def by_folds(pictures: Sequence[LabelledPicture], rows: Rows, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What models say of each row that were fitted without its scene: it is a die, the net's value is right."""
    scenes = {name: k for k, name in enumerate(sorted({f"{p.source} {p.scene}" for p in pictures}))}
    folds = np.array([scenes[f"{p.source} {p.scene}"] % FOLDS for p in pictures])[rows.picture]
    said = np.zeros((2, len(folds)))
    for fold in range(FOLDS):
        out = folds == fold
        for k, labels in enumerate((rows.is_die, rows.is_right)):
            model = fitted(rows.columns[~out], labels[~out], weights[~out], OPINION_FEATURES)
            said[k, out] = model.share(rows.columns[out])
    return said[0], said[1]


def best_denied(rows: Rows, is_die: FloatArray) -> float:
    """The point below which a doubtful place is no die: false ones dropped, a die dropped costing `SILENT_COST`."""
    asked = rows.in_doubt & (rows.is_die >= 0)

    def gain(point: float) -> float:
        dropped = asked & (is_die < point)
        return float((dropped * np.where(rows.is_die == 1, -SILENT_COST, 1)).sum())

    best = max(DENIED, key=gain)
    dropped = asked & (is_die < best)
    false = asked & (rows.is_die == 0)
    print(
        f"denied below {best}: {(dropped & false).sum()} of {false.sum()} false places, {(dropped & ~false).sum()} dice"
    )
    return best


def best_trusted(rows: Rows, is_right: FloatArray) -> float:
    """The point from which a value is trusted: right ones trusted, a wrong one costing `SILENT_COST`."""
    asked = rows.open & rows.in_doubt & (rows.is_right >= 0)

    def gain(point: float) -> float:
        trusted = asked & (is_right >= point)
        return float((trusted * np.where(rows.is_right == 1, 1, -SILENT_COST)).sum())

    best = max(TRUSTED, key=gain)
    trusted = asked & (is_right >= best)
    right = rows.is_right == 1
    good, wrong = (trusted & right).sum(), (trusted & ~right).sum()
    print(f"trusted from {best}: {good} of {(asked & right).sum()} right, {wrong} wrong")
    return best


def print_reliability(name: str, labels: IntArray, said: FloatArray) -> None:
    """Print, for ranges of belief, the share that was true."""
    print(f"\nbelief that {name}, and the share that was")
    for low, high in pairwise((0.0, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.01)):
        some = (labels >= 0) & (said >= low) & (said < high)
        if some.any():
            print(f"{low:>5.2f} to {min(high, 1):.2f}: {some.sum():>6} places, {labels[some].mean():.3f}")


def pictures_of(fixtures: Path, hard: Sequence[Path]) -> list[LabelledPicture]:
    """What is fitted on."""
    pictures = [p for name in ("stills", "stills-hard") for p in labelled_trays(fixtures / name, name)]
    pictures += [p for folder in hard for p in labelled_trays(folder, f"hard {folder.name}")]
    real = photographs(fixtures / "photos-train")
    return pictures + [p for p in real if p.held and not p.is_crop and p.source in REAL_TRAYS]


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hard", type=Path, nargs="*", default=[], help="folders of hard_trays.py")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = pictures_of(asked.fixtures, asked.hard)
    rows = rows_of(pictures)
    sources = np.array([p.source for p in pictures])[rows.picture]
    weights = evened(sources)
    is_die, is_right = by_folds(pictures, rows, weights)
    for source in np.unique(sources):
        some = sources == source
        counts = [(labels[some] == 1).sum() for labels in (rows.is_die, rows.is_right)]
        print(f"{source:<28}{some.sum():>5} places, {counts[0]} dice, {counts[1]} flat and read right")
    points = {"denied": best_denied(rows, is_die), "trusted": best_trusted(rows, is_right)}
    print_reliability("a die lies there", rows.is_die, is_die)
    print_reliability("the net's value is right and it lies flat", rows.is_right, is_right)
    models: dict[str, Logistic] = {
        name: fitted(rows.columns, labels, weights, OPINION_FEATURES)
        for name, labels in (("is_die", rows.is_die), ("is_right", rows.is_right))
    }
    stored = json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() else {}
    stored["second"] = {name: model.to_json() for name, model in models.items()} | points
    asked.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
