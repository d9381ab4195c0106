"""Fits what is believed of a place, and how sure a reading must be to be trusted, on pictures that no net has seen.

python -m vision.training.fit_decision FIXTURES OUT.json --drawn SETS/20 [--rows ROWS.npz]

Two logistic regressions from the features of `vision.decision.features`: is it a die, and is its value right, too. Each
picture is judged by models that were fitted without its scene (five folds). From these the operating points are chosen:
of all pairs of `shown` and `trusted` that keep the upper 95 % bound of trusted-and-wrong pictures under the limit, or
the fewest where none does, the pair with most pictures all right and trusted. A reliability table is printed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from scipy.stats import beta
from sklearn.linear_model import LogisticRegression

from vision.classification.die_net import DieReader, read_places
from vision.decision.association import matched
from vision.decision.decide import best_places
from vision.decision.features import FEATURES, place_features
from vision.decision.model import Logistic
from vision.detection.scales import ScaleParams, find_anywhere, finder_params
from vision.finder import FaceFinder
from vision.frame import FloatArray
from vision.near import IntArray
from vision.shrink import Halves
from vision.training.labelled import LabelledPicture, gather, middles_of

FOLDS = 5
SILENT_LIMIT = 1 / 200
_IGNORED = -1
"""Of a place: what lies there is neither right nor wrong, a die that nobody can read."""


@dataclass(slots=True)
class Rows:
    """Places of all pictures.

    Attributes:
        features: Shape (K,) each.
        is_die: 1, 0, or `_IGNORED`.
        is_right: Likewise.
        picture: Index of its picture.
    """

    features: list[FloatArray]
    is_die: list[int]
    is_right: list[int]
    picture: list[int]


def rows_of(pictures: Sequence[LabelledPicture], weights: Path) -> Rows:
    """Look at pictures and hold each place against their labels."""
    finder, reader = FaceFinder(finder_params(ScaleParams())), DieReader(weights / "die.onnx")
    rows = Rows([], [], [], [])
    for number, picture in enumerate(pictures):
        halves = Halves(picture.load())
        found, sights = read_places(reader, halves, find_anywhere(finder, halves, ScaleParams()))
        kept = best_places(found, sights)
        found, sights = found.some(kept), sights.some(kept)
        places = place_features(found, sights)
        edges = np.array([die.edge_px for die in picture.dice])
        of = matched(found.center_xy, found.edge_px, middles_of(picture.dice), edges)
        for row, die in enumerate(of.tolist()):
            right = is_die = 0
            if die >= 0:
                true = picture.dice[die]
                readable = true.is_seen and true.value > 0
                is_die = 1 if true.is_seen else _IGNORED
                right = int(true.value == places.values[row]) if readable else _IGNORED
            elif not picture.is_complete:
                is_die = right = _IGNORED
            rows.features.append(places.columns[row])
            rows.is_die.append(is_die)
            rows.is_right.append(right)
            rows.picture.append(number)
        if number % 50 == 0:
            sys.stderr.write(f"{number} of {len(pictures)} pictures\n")
    return rows


def fitted(columns: FloatArray, labels: IntArray, weights: FloatArray) -> Logistic:
    """A logistic regression; labels below 0 are left out."""
    asked = labels >= 0
    mean, scale = columns[asked].mean(axis=0), np.maximum(columns[asked].std(axis=0), 1e-3)
    inside = np.clip((columns[asked] - mean) / scale, -4.0, 4.0)
    model = LogisticRegression(C=1.0, max_iter=2000).fit(inside, labels[asked], sample_weight=weights[asked])
    return Logistic(FEATURES, mean, scale, model.coef_[0], float(model.intercept_[0]))


def upper_bound(wrong: int, count: int) -> float:
    """Upper end of the one-sided 95 % interval of a share (Clopper and Pearson, 1934)."""
    return 1.0 if wrong >= count else float(beta.ppf(0.95, wrong + 1, count - wrong))


def judged(
    pictures: Sequence[LabelledPicture],
    rows: Rows,
    is_die: FloatArray,
    is_right: FloatArray,
    points: tuple[float, float],
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Of each picture whether it is trusted, and whether all of it is right."""
    shown, trusted = points
    of, right = np.array(rows.picture), np.array(rows.is_right)
    seen = (is_die >= shown) & (right != _IGNORED)
    doubt = seen & (is_right < trusted)
    count = len(pictures)
    wanted = np.array([sum(die.is_seen and die.value > 0 for die in p.dice) for p in pictures])
    hits = np.bincount(of[seen & (right == 1)], minlength=count)
    bad = np.bincount(of[seen & (right == 0)], minlength=count)
    doubts = np.bincount(of[doubt], minlength=count)
    return doubts == 0, (hits == wanted) & (bad == 0)


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=Path, nargs="*", default=[])
    parser.add_argument("--weights", type=Path, default=Path(__file__).parents[1] / "weights")
    parser.add_argument("--most-drawn", type=int, default=150, help="so many drawn pictures at most")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    held = [p for p in gather(asked.fixtures, asked.drawn) if p.held and not p.is_crop]
    drawn = [p for p in held if p.source.startswith("drawn")][: asked.most_drawn]
    pictures = [p for p in held if not p.source.startswith("drawn")] + drawn
    rows = rows_of(pictures, asked.weights)
    columns = np.array(rows.features)
    of = np.array(rows.picture)
    die, right = np.array(rows.is_die, np.intp), np.array(rows.is_right, np.intp)
    # Each source counts by the square root of its places: pictures of one scene resemble each other.
    sources = np.array([p.source for p in pictures])[of]
    weights = np.ones(len(of))
    for source in np.unique(sources):
        weights[sources == source] = 1 / np.sqrt((sources == source).sum())
    weights *= len(weights) / weights.sum()
    scenes = {name: k for k, name in enumerate(sorted({f"{p.source} {p.scene}" for p in pictures}))}
    folds = np.array([scenes[f"{p.source} {p.scene}"] % FOLDS for p in pictures])
    is_die, is_right = np.zeros(len(of)), np.zeros(len(of))
    for fold in range(FOLDS):
        out = folds[of] == fold
        is_die[out] = fitted(columns[~out], die[~out], weights[~out]).share(columns[out])
        is_right[out] = fitted(columns[~out], right[~out], weights[~out]).share(columns[out])
    # Where not all dice are labelled, nobody knows whether a whole reading is right.
    whole = np.array([p.is_complete for p in pictures])
    best: tuple[tuple[float, ...], tuple[float, float]] | None = None
    for shown in (0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5):
        for trusted in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995):
            sure, exact = judged(pictures, rows, is_die, is_right, (shown, trusted))
            silent, good = int((sure & ~exact & whole).sum()), int((sure & exact & whole).sum())
            over = max(0.0, upper_bound(silent, int(whole.sum())) - SILENT_LIMIT)
            rank = (-round(over * 1000), good)
            if best is None or rank > best[0]:
                best = rank, (shown, trusted)
                print(f"shown {shown} trusted {trusted}: {good} of {whole.sum()} right and trusted, {silent} wrong")
    assert best is not None  # noqa: S101
    sure, exact = judged(pictures, rows, is_die, is_right, best[1])
    for source in sorted({p.source for p in pictures}):
        some = np.array([p.source == source for p in pictures])
        print(
            f"{source:<32}{some.sum():>5} pictures, {int((sure & exact & some).sum())} right and trusted, "
            f"{int((exact & some).sum())} right, {int((sure & ~exact & some).sum())} trusted and wrong"
        )
    print("\nbelief that a value is right, and the share that was")
    asked_rows = right >= 0
    for low, high in (
        (0, 0.1),
        (0.1, 0.3),
        (0.3, 0.5),
        (0.5, 0.7),
        (0.7, 0.9),
        (0.9, 0.97),
        (0.97, 0.99),
        (0.99, 1.01),
    ):
        some = asked_rows & (is_right >= low) & (is_right < high)
        if some.any():
            print(f"{low:>5.2f} to {min(high, 1):.2f}: {some.sum():>6} places, {right[some].mean():.3f} right")
    models = {
        "anywhere": {
            "is_die": fitted(columns, die, weights).to_json(),
            "is_right": fitted(columns, right, weights).to_json(),
            "shown": best[1][0],
            "trusted": best[1][1],
        }
    }
    stored = json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() else {}
    asked.out.write_text(json.dumps({**stored, **models}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
