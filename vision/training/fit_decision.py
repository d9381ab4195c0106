"""Fits the probabilities of a place, and the thresholds of trust, on pictures that no net was trained on.

python -m vision.training.fit_decision FIXTURES OUT.json [--trays FOLDER...] [--rare FOLDER...] [--known FOLDER...]

Two logistic regressions on the features of `vision.decision.features`: whether a place is a die, and whether its value
is right as well. Each picture is judged by models that were fitted without its scene (five folds). From these the
operating points `shown` and `trusted` are chosen: most pictures all right and trusted, one that is trusted and wrong
costing `SILENT_COST` of them; pictures count by the worth of their source. FIXTURES gives the decision for dice lying
anywhere, including photographs with known values only; no model was trained on those. `--trays` gives that for trays,
from folders with `labels.json`, `--rare` adds kinds that are rare on tables, and `--known` gives that for calibrated
trays, from folders with `profile.json`, together with `--trays`. A cocked, stacked or half-covered die, or one with a
sign instead of pips, is a die of which no value is right; every other picture of a tray gets a copy with an object over
a part of a die, every fourth one a copy with such a sign.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.decision.association import SAME_SIZE, matched
from vision.decision.features import ANYWHERE, IN_TRAY, place_features
from vision.decision.model import Logistic
from vision.geometry.neighbours import IntArray
from vision.nets.onnx_net import WEIGHTS
from vision.pipeline.looker import Looked
from vision.training.labelled import LabelledPicture, middles_of
from vision.training.shown import RARE, Shown, photographs_shown, trays_shown
from vision.tray.profile import load_profile
from vision.types.frame import FloatArray

FOLDS = 5
SILENT_COST = 10
"""Number of pictures right and trusted that one trusted and wrong outweighs: a doubt costs a tap, an error the table's
trust.
"""
SHOWN = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TRUSTED = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
"""Operating points that are tried."""
_BOXED = 2.3
"""Greatest ratio between the edge of a top and its estimate from the die's box."""
_SIDE_FACE = 0.9
"""Nearer than this, in edges, to the top of a die that does not lie flat another of its faces may be visible."""
_IGNORED = -1
"""Label of a place that is neither right nor wrong, as of an unreadable die."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Places of all pictures, one per row."""

    features: FloatArray  # shape (N, K), features of the places
    values: IntArray  # shape (N,), the likeliest value of each
    is_die: IntArray  # shape (N,), 1 if a die lies there, 0 if none does, or `_IGNORED`
    is_right: IntArray  # shape (N,), 1 if a die lies there that shows the likeliest value, 0 if not, or `_IGNORED`
    picture: IntArray  # shape (N,), index of its picture


def rows_of(pictures: Sequence[Shown], names: Sequence[str]) -> Rows:
    """Search pictures and compare each place with their labels."""
    parts: list[tuple[FloatArray, IntArray, IntArray, IntArray, IntArray]] = []
    for number, shown in enumerate(pictures):
        looked = shown.look(shown.label.load() if shown.image_bgr is None else shown.image_bgr)
        if looked is None:
            continue
        features = place_features(looked.found, looked.sights, looked.tray)
        values = looked.sights.values
        centers = looked.found.center_xy + looked.left_top
        is_die, is_right = _labels(shown.label, centers, looked, values)
        columns = np.stack([features[name] for name in names], axis=1)
        parts.append((columns, values, is_die, is_right, np.full(len(values), number, np.intp)))
        if number % 50 == 0:
            sys.stderr.write(f"{number} of {len(pictures)} pictures\n")
    columns, values, is_die, is_right, picture_of = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Rows(columns, values, is_die, is_right, picture_of)


def _labels(
    picture: LabelledPicture, centers: FloatArray, looked: Looked, values: IntArray
) -> tuple[IntArray, IntArray]:
    """Return whether each place is a die, and whether it shows that value."""
    unknown = 0 if picture.is_complete and all(die.is_placed for die in picture.dice) else _IGNORED
    is_die, is_right = np.full(len(values), unknown, np.intp), np.full(len(values), unknown, np.intp)
    placed = [die for die in picture.dice if die.is_placed]
    edges = np.array([die.edge_px for die in placed])
    # A box gives only roughly the size of the top in it.
    slack = np.array([_BOXED if math.isnan(die.turn_rad) else SAME_SIZE for die in placed])
    if looked.tray is not None:
        for die in placed:
            if not die.is_flat:
                # Another of its faces may be visible at its side.
                is_die[np.hypot(*(centers - die.center_xy).T) < _SIDE_FACE * die.edge_px] = _IGNORED
    of = matched(centers, looked.found.edge_px, middles_of(placed), edges, slack)
    for row in np.flatnonzero(of >= 0):
        true = placed[of[row]]
        if looked.tray is not None and (true.is_cut or not true.is_flat or not true.value):
            is_die[row], is_right[row] = 1, 0
            continue
        is_die[row] = 1 if true.is_seen else _IGNORED
        is_right[row] = int(true.value == values[row]) if true.is_seen and true.value > 0 else _IGNORED
    return is_die, is_right


def fitted(columns: FloatArray, labels: IntArray, weights: FloatArray, names: Sequence[str]) -> Logistic:
    """Fit a logistic regression on features of some names; labels below 0 are left out."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - comes with the extra `training` alone

    labelled = labels >= 0
    mean, scale = columns[labelled].mean(axis=0), np.maximum(columns[labelled].std(axis=0), 1e-3)
    inside = np.clip((columns[labelled] - mean) / scale, -4.0, 4.0)
    model = LogisticRegression(C=1.0, max_iter=2000).fit(inside, labels[labelled], sample_weight=weights[labelled])
    return Logistic(tuple(names), mean, scale, model.coef_[0], float(model.intercept_[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Pictures at one pair of operating points; shape (P,) each."""

    trusted: npt.NDArray[np.bool_]  # whether no die that is shown is in doubt
    exact: npt.NDArray[np.bool_]  # whether every die is shown once, with its right value, and nothing else is

    def good(self, which: npt.NDArray[np.bool_]) -> int:
        """Count how many of some are all right and trusted."""
        return int((self.trusted & self.exact & which).sum())

    def silent(self, which: npt.NDArray[np.bool_]) -> int:
        """Count how many of some are trusted and wrong."""
        return int((self.trusted & ~self.exact & which).sum())


def judged(
    pictures: Sequence[LabelledPicture],
    rows: Rows,
    is_die: FloatArray,
    is_right: FloatArray,
    *,
    points: tuple[float, float],
) -> Judged:
    """Judge pictures at a pair of operating points, `shown` and `trusted`."""
    shown, trusted = points
    count, of = len(pictures), rows.picture
    placed = np.array([all(die.is_placed for die in p.dice) for p in pictures])
    seen = (is_die >= shown) & ((rows.is_right != _IGNORED) | ~placed[of])
    doubts = np.bincount(of[seen & (is_right < trusted)], minlength=count)
    wanted = np.array([sum(die.is_seen and die.value > 0 and die.is_flat for die in p.dice) for p in pictures])
    hits = np.bincount(of[seen & (rows.is_right == 1)], minlength=count)
    bad = np.bincount(of[seen & (rows.is_right == 0)], minlength=count)
    # A picture with a die that must not be trusted must not be trusted.
    doubtful = np.array([any(die.is_cut or not die.is_flat or not die.value for die in p.dice) for p in pictures])
    exact = (hits == wanted) & (bad == 0) & ~doubtful
    for number in np.flatnonzero(~placed).tolist():
        # Only the values of these are known.
        values = rows.values[seen & (of == number)].tolist()
        exact[number] = sorted(values) == sorted(die.value for die in pictures[number].dice)
    return Judged(doubts == 0, exact)


def by_folds(
    pictures: Sequence[LabelledPicture], rows: Rows, weights: FloatArray, names: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """Return each place's probabilities, of a die and of a right value, by models fitted without its scene."""
    scenes = {name: k for k, name in enumerate(sorted({f"{p.source} {p.scene}" for p in pictures}))}
    folds = np.array([scenes[f"{p.source} {p.scene}"] % FOLDS for p in pictures])[rows.picture]
    is_die, is_right = np.zeros(len(folds)), np.zeros(len(folds))
    for fold in range(FOLDS):
        out = folds == fold
        for labels, shares in ((rows.is_die, is_die), (rows.is_right, is_right)):
            model = fitted(rows.features[~out], labels[~out], weights[~out], names)
            shares[out] = model.share(rows.features[out])
    return is_die, is_right


def evened(sources: npt.NDArray[np.str_]) -> FloatArray:
    """Return weights: sources count by the square root of their places, as those of one scene are alike."""
    weights = np.ones(len(sources))
    for source in np.unique(sources):
        weights[sources == source] = 1 / np.sqrt((sources == source).sum())
    return np.asarray(weights * len(weights) / weights.sum(), np.float64)


def best_points(
    pictures: Sequence[LabelledPicture], rows: Rows, is_die: FloatArray, is_right: FloatArray
) -> tuple[float, float]:
    """Return the operating points `shown` and `trusted`, and print each pair better than those before it."""
    # If not all dice are labelled, it is unknown whether a whole reading is right.
    whole = np.array([p.is_complete for p in pictures])
    worth = np.array([p.weight for p in pictures]) * whole
    best, points = -math.inf, (0.5, 0.5)
    for shown in SHOWN:
        for trusted in TRUSTED:
            result = judged(pictures, rows, is_die, is_right, points=(shown, trusted))
            good, silent = result.good(whole), result.silent(whole)
            rank = float(worth @ (result.trusted * np.where(result.exact, 1, -SILENT_COST)))
            # Of equals the one that shows and trusts less.
            if rank >= best:
                best, points = rank, (shown, trusted)
                print(f"shown {shown} trusted {trusted}: {good} of {whole.sum()} right and trusted, {silent} wrong")
    return points


def fit(shown: Sequence[Shown], names: Sequence[str]) -> dict[str, object]:
    """Return the models and operating points of one kind of picture, and print their results."""
    pictures = [one.label for one in shown]
    rows = rows_of(shown, names)
    sources = np.array([p.source for p in pictures])
    weights = evened(sources[rows.picture])
    is_die, is_right = by_folds(pictures, rows, weights, names)
    points = best_points(pictures, rows, is_die, is_right)
    result = judged(pictures, rows, is_die, is_right, points=points)
    for source in np.unique(sources):
        some = sources == source
        print(
            f"{source:<32}{some.sum():>5} pictures, {result.good(some)} right and trusted, "
            f"{int((result.exact & some).sum())} right, {result.silent(some)} trusted and wrong"
        )
    fits = {"is_die": rows.is_die, "is_right": rows.is_right}
    models: dict[str, object] = {
        name: fitted(rows.features, labels, weights, names).to_json() for name, labels in fits.items()
    }
    return models | {"shown": points[0], "trusted": points[1]}


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--trays", type=Path, nargs="+", default=[])
    parser.add_argument("--rare", type=Path, nargs="+", default=[])
    parser.add_argument("--known", type=Path, nargs="+", default=[])
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    stored = json.loads(args.out.read_text(encoding="utf-8")) if args.out.exists() else {}
    if not args.trays:
        stored["anywhere"] = fit(photographs_shown(args.fixtures, args.weights), ANYWHERE)
    else:
        folders = [(folder, 1.0) for folder in args.trays] + [(folder, RARE) for folder in args.rare]
        trays = [one for folder, worth in folders for one in trays_shown(folder, None, args.weights, worth)]
        stored["tray"] = fit(trays, IN_TRAY)
        known = [
            one
            for folder in args.known
            for path in sorted(folder.glob("*/profile.json"))
            for one in trays_shown(path.parent, load_profile(path), args.weights)
        ]
        if known:
            stored["known tray"] = fit(known, IN_TRAY)
    args.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
