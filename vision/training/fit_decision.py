"""Fits what is believed of a place, and how sure a reading must be to be trusted, on pictures that no net has seen.

python -m vision.training.fit_decision anywhere FIXTURES OUT.json
python -m vision.training.fit_decision tray FIXTURES OUT.json --hard HARD/a HARD/b

Logistic regressions from the features of `vision.decision.features`: is it a die, is its value right, too, and, in a
tray, does it lie flat. Each picture is judged by models that were fitted without its scene (five folds). From these the
operating points `shown`, `trusted` and, in a tray, `flat` are chosen: most pictures all right and trusted, one that is
trusted and wrong costing `SILENT_COST` of them; pictures count by the worth of their source.

For pictures of dice lying anywhere these are the photographs and trays that were set aside from learning, and
photographs of which only the values are known. For trays they are the traced ones that the project was given and hard
ones that tests/benchmarks/hard_trays.py drew: of how dice stand no net learned from either. The upper 95 % bound of
trusted-and-wrong pictures and a reliability table are printed.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.classification.die_net import DieReader, read_places
from vision.decision.association import SAME_SIZE, matched
from vision.decision.decide import KINDS, best_places
from vision.decision.features import TRAY_FEATURES, place_features
from vision.decision.model import Logistic
from vision.detection.detector import photo_detector
from vision.detection.found import Found
from vision.detection.scales import ScaleParams, find_anywhere
from vision.frame import FloatArray
from vision.near import IntArray
from vision.onnx_net import WEIGHTS
from vision.shrink import Halves
from vision.stage import StageParams, set_stage
from vision.training.labelled import LabelledPicture, gather, labelled_trays, listed_photographs, middles_of
from vision.tray_reader import TrayObserver, TrayReaderParams, are_outside

FOLDS = 5
SILENT_COST = 10
"""Pictures right and trusted that one trusted and wrong is worth: a doubt costs a tap, an error the table's trust."""
EVERY_PLACE = 1.1
"""No place is denied at first look here: models learn from all of them."""
SHOWN = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TRUSTED = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
FLAT = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
"""Operating points that are tried."""
ASKED = {"anywhere": ("is_die", "is_right"), "tray": ("is_die", "is_right", "is_flat")}
"""What is believed of a place in each kind of picture."""
DRAWN_WORTH = 0.3
"""A drawn hard tray counts so much beside a traced one."""
_BOXED = 2.3
"""How far the edge of a top may be from what its die's box makes of it."""
_IGNORED = -1
"""Of a place: what lies there is neither right nor wrong, a die that nobody can read."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Places of all pictures, one in each row.

    Attributes:
        features: Shape (N, K).
        values: Shape (N,), the likeliest value of each.
        is_die: Shape (N,), 1, 0, or `_IGNORED`.
        is_right: Likewise.
        is_flat: Likewise.
        picture: Shape (N,), index of its picture.
    """

    features: FloatArray
    values: IntArray
    is_die: IntArray
    is_right: IntArray
    is_flat: IntArray
    picture: IntArray


Seen = tuple[Found, FloatArray, IntArray]
"""Places of a picture, their features, and the likeliest value of each."""


def anywhere(weights: Path) -> Callable[[LabelledPicture], Seen]:
    """Looks at pictures of dice lying anywhere."""
    params = ScaleParams()
    detector, reader = photo_detector(params.detector, weights), DieReader(weights / "die.onnx")

    def look(picture: LabelledPicture) -> Seen:
        halves = Halves(picture.load())
        found, sights = read_places(reader, halves, find_anywhere(detector, halves, params), surely_none=EVERY_PLACE)
        kept = best_places(found, sights)
        found = found.some(kept)
        places = place_features(found, sights.some(kept))
        return found, places.columns, places.values

    return look


def in_tray() -> Callable[[LabelledPicture], Seen]:
    """Looks at pictures of trays, as the reader does without a profile."""
    params = TrayReaderParams(surely_none=EVERY_PLACE)
    observer, stage_params = TrayObserver(None, params), StageParams()

    def look(picture: LabelledPicture) -> Seen:
        stage = set_stage(picture.load(), None, stage_params)
        if stage is None:
            return Found.nothing(), np.zeros((0, len(TRAY_FEATURES))), np.zeros(0, np.intp)
        seen = observer.observe(stage, lambda _: None)
        inside = ~are_outside(stage, seen.found)
        found = seen.found.moved(seen.found.center_xy + stage.left_top, seen.found.edge_px, seen.found.turn_rad)
        return found.some(inside), seen.columns[inside], seen.values[inside]

    return look


def rows_of(pictures: Sequence[LabelledPicture], look: Callable[[LabelledPicture], Seen]) -> Rows:
    """Look at pictures and hold each place against their labels."""
    parts: list[tuple[FloatArray, IntArray, IntArray, IntArray, IntArray, IntArray]] = []
    for number, picture in enumerate(pictures):
        found, columns, values = look(picture)
        parts.append((columns, values, *_labels(picture, found, values), np.full(len(found), number, np.intp)))
        if number % 50 == 0:
            sys.stderr.write(f"{number} of {len(pictures)} pictures\n")
    return Rows(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _labels(picture: LabelledPicture, found: Found, values: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Whether a die lies at each place, shows that value, and lies flat."""
    unknown = 0 if picture.is_complete and all(die.is_placed for die in picture.dice) else _IGNORED
    is_die, is_right = np.full(len(found), unknown, np.intp), np.full(len(found), unknown, np.intp)
    is_flat = np.full(len(found), _IGNORED, np.intp)
    placed = [die for die in picture.dice if die.is_placed]
    edges = np.array([die.edge_px for die in placed])
    # A box says roughly how large the top in it is.
    slack = np.array([_BOXED if math.isnan(die.turn_rad) else SAME_SIZE for die in placed])
    of = matched(found.center_xy, found.edge_px, middles_of(placed), edges, slack)
    for row in np.flatnonzero(of >= 0):
        true = placed[of[row]]
        is_die[row] = 1 if true.is_seen or true.is_cut else _IGNORED
        known = true.is_seen and true.value > 0 and true.is_flat
        is_right[row] = int(true.value == values[row]) if known else 0 if true.is_cut else _IGNORED
        is_flat[row] = int(true.is_flat) if true.is_seen else _IGNORED
    return is_die, is_right, is_flat


def fitted(columns: FloatArray, labels: IntArray, weights: FloatArray, names: Sequence[str]) -> Logistic:
    """A logistic regression from features of some names; labels below 0 are left out."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - comes with the extra `training` alone

    asked = labels >= 0
    mean, scale = columns[asked].mean(axis=0), np.maximum(columns[asked].std(axis=0), 1e-3)
    inside = np.clip((columns[asked] - mean) / scale, -4.0, 4.0)
    model = LogisticRegression(C=1.0, max_iter=2000).fit(inside, labels[asked], sample_weight=weights[asked])
    return Logistic(tuple(names), mean, scale, model.coef_[0], float(model.intercept_[0]))


def upper_bound(wrong: int, count: int) -> float:
    """Upper end of the one-sided 95 % interval of a share (Clopper and Pearson, 1934)."""
    if wrong >= count:
        return 1.0
    from scipy.stats import beta  # noqa: PLC0415 - comes with the extra `training` alone

    return float(beta.ppf(0.95, wrong + 1, count - wrong))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Pictures at one pair of operating points; shape (P,) each.

    Attributes:
        trusted: No die shown is in doubt.
        exact: Every die is shown once, its value right, and nothing else is.
    """

    trusted: npt.NDArray[np.bool_]
    exact: npt.NDArray[np.bool_]

    def good(self, which: npt.NDArray[np.bool_]) -> int:
        """How many of some are all right and trusted."""
        return int((self.trusted & self.exact & which).sum())

    def silent(self, which: npt.NDArray[np.bool_]) -> int:
        """How many of some are trusted and wrong."""
        return int((self.trusted & ~self.exact & which).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What models say of each place, shape (N,): it is a die; its value is right, too; it lies flat."""

    is_die: FloatArray
    is_right: FloatArray
    is_flat: FloatArray


@dataclass(frozen=True, slots=True)
class Points:
    """Operating points; `flat` is 0 where nobody asks how dice stand."""

    shown: float
    trusted: float
    flat: float = 0.0


def judged(pictures: Sequence[LabelledPicture], rows: Rows, beliefs: Beliefs, points: Points) -> Judged:
    """Judge pictures at some operating points."""
    count, of = len(pictures), rows.picture
    placed = np.array([all(die.is_placed for die in p.dice) for p in pictures])
    shown = (beliefs.is_die >= points.shown) & ((rows.is_die != _IGNORED) | ~placed[of])
    doubtful = (beliefs.is_right < points.trusted) | (beliefs.is_flat < points.flat)
    doubts = np.bincount(of[shown & doubtful], minlength=count)
    # A die whose value must not be learned from is no part of what is judged, where nobody asks how it stands.
    asked = points.flat > 0
    wanted = np.array(
        [sum(die.is_seen and (die.value > 0 or (asked and not die.is_flat)) for die in p.dice) for p in pictures]
    )
    right = (rows.is_right == 1) & (rows.is_flat != 0)
    hits = np.bincount(of[shown & right], minlength=count)
    bad = np.bincount(of[shown & ((rows.is_right == 0) | (asked & (rows.is_flat == 0)))], minlength=count)
    # Of a die that is cut off nobody knows the value: with one, no trust is right.
    exact = (hits == wanted) & (bad == 0) & ~np.array([any(die.is_cut for die in p.dice) for p in pictures])
    for number in np.flatnonzero(~placed).tolist():
        # Of these only the values are known.
        values = rows.values[shown & (of == number)].tolist()
        exact[number] = sorted(values) == sorted(die.value for die in pictures[number].dice)
    return Judged(doubts == 0, exact)


def by_folds(pictures: Sequence[LabelledPicture], rows: Rows, weights: FloatArray, kind: str) -> Beliefs:
    """What models of a kind say of each place that were fitted without its scene."""
    scenes = {name: k for k, name in enumerate(sorted({f"{p.source} {p.scene}" for p in pictures}))}
    folds = np.array([scenes[f"{p.source} {p.scene}"] % FOLDS for p in pictures])[rows.picture]
    told = {"is_die": np.zeros(len(folds)), "is_right": np.zeros(len(folds)), "is_flat": np.ones(len(folds))}
    for fold in range(FOLDS):
        out = folds == fold
        for name in ASKED[kind]:
            model = fitted(rows.features[~out], getattr(rows, name)[~out], weights[~out], KINDS[kind])
            told[name][out] = model.share(rows.features[out])
    return Beliefs(**told)


def evened(sources: npt.NDArray[np.str_]) -> FloatArray:
    """Weights: each source counts by the square root of its places, since pictures of one scene resemble each other."""
    weights = np.ones(len(sources))
    for source in np.unique(sources):
        weights[sources == source] = 1 / np.sqrt((sources == source).sum())
    return np.asarray(weights * len(weights) / weights.sum(), np.float64)


def best_points(pictures: Sequence[LabelledPicture], rows: Rows, beliefs: Beliefs, flat: Sequence[float]) -> Points:
    """The operating points, each better choice than those before it printed.

    Args:
        pictures: All of them.
        rows: Their places.
        beliefs: What is believed of those.
        flat: What is tried for lying flat.
    """
    # Where not all dice are labelled, nobody knows whether a whole reading is right.
    whole = np.array([p.is_complete for p in pictures])
    worth = np.array([p.weight for p in pictures]) * whole
    best, chosen = -math.inf, Points(0.5, 0.5)
    for points in (Points(*each) for each in product(SHOWN, TRUSTED, flat)):
        result = judged(pictures, rows, beliefs, points)
        good, silent = result.good(whole), result.silent(whole)
        rank = float(worth @ (result.trusted * np.where(result.exact, 1, -SILENT_COST)))
        if rank > best:
            best, chosen = rank, points
            bound = 100 * upper_bound(silent, int(whole.sum()))
            print(
                f"{points}: {good} of {whole.sum()} right and trusted, {silent} wrong, "
                f"at most {bound:.1f} % of pictures like these"
            )
    return chosen


def print_reliability(rows: Rows, is_right: FloatArray) -> None:
    """Print, for ranges of belief that a value is right, the share of them that was."""
    print("\nbelief that a value is right, and the share that was")
    bounds = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.01)
    for low, high in pairwise(bounds):
        some = (rows.is_right >= 0) & (is_right >= low) & (is_right < high)
        if some.any():
            print(f"{low:>5.2f} to {min(high, 1):.2f}: {some.sum():>6} places, {rows.is_right[some].mean():.3f} right")


def pictures_of(kind: str, fixtures: Path, hard: Sequence[Path]) -> list[LabelledPicture]:
    """The pictures that a decision of some kind is fitted on."""
    if kind == "anywhere":
        pictures = [p for p in gather(fixtures, []) if p.held and not p.is_crop]
        return pictures + listed_photographs(fixtures / "photos")
    pictures = [p for name in ("stills", "stills-hard") for p in labelled_trays(fixtures / name, name)]
    drawn = [p for folder in hard for p in labelled_trays(folder, f"hard {folder.name}")]
    return pictures + [replace(p, weight=DRAWN_WORTH) for p in drawn]


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hard", type=Path, nargs="*", default=[], help="folders of hard_trays.py")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    names, is_tray = KINDS[asked.kind], asked.kind == "tray"
    pictures = pictures_of(asked.kind, asked.fixtures, asked.hard)
    rows = rows_of(pictures, in_tray() if is_tray else anywhere(WEIGHTS))
    sources = np.array([p.source for p in pictures])
    weights = evened(sources[rows.picture])
    beliefs = by_folds(pictures, rows, weights, asked.kind)
    points = best_points(pictures, rows, beliefs, FLAT if is_tray else (0.0,))
    result = judged(pictures, rows, beliefs, points)
    for source in np.unique(sources):
        some = sources == source
        print(
            f"{source:<32}{some.sum():>5} pictures, {result.good(some)} right and trusted, "
            f"{int((result.exact & some).sum())} right, {result.silent(some)} trusted and wrong"
        )
    print_reliability(rows, beliefs.is_right)
    models = {name: fitted(rows.features, getattr(rows, name), weights, names).to_json() for name in ASKED[asked.kind]}
    chosen = {"shown": points.shown, "trusted": points.trusted} | ({"flat": points.flat} if is_tray else {})
    stored = json.loads(asked.out.read_text(encoding="utf-8")) if asked.out.exists() else {}
    stored[asked.kind] = models | chosen
    asked.out.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
