"""Fits the decision of a die's colour class on labelled pictures of trays.

python -m vision.training.fit_colour OUT.json [--trays FOLDER... --red-white-blue FOLDER...] [--known FOLDER...]

Each die is scored for each class by a net with one hidden layer; classes and "none of them" share one softmax. The
training includes copies of every picture in which a class is left out, so that its dice are strangers, and others in
which hues are rotated to those of other names. `trusted` is the probability at which most dice are right, a wrong one
costing `SILENT_COST` of them, each picture judged by nets that were trained without its fifth of the pictures.
`--known` has folders of trays with `profile.json`: their classes were measured. Each of their pictures counts three
times, twice with the edge of a shadow across a die, and a tray's pictures are in one fifth. A kind of classes that no
pictures are given for stays as OUT.json has it.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from vision.colour.classes import HUES, STANDARD_COLOURS, lab_of
from vision.colour.decision import REACH, ColourNet
from vision.colour.features import Classes, class_features, names_of
from vision.colour.top_faces import TopFace
from vision.evaluation.labels import TrueDie, load_labels
from vision.imaging.image_file import load_image
from vision.pipeline.reader import Reader
from vision.training.fit_decision import FOLDS, SILENT_COST
from vision.tray.profile import load_profile
from vision.types.frame import FloatArray, ImageBgr

RED_WHITE_BLUE = {"base": "red", "skill": "white", "gear": "blue"}
STRANGERS = 0.15
"""Weight of a die of no class, which is rare on tables."""
HIDDEN, STEPS, BATCH, RATE, DECAY = 24, 2500, 1024, 4e-3, 2e-3
SHADOWS = 2
"""Copies with a shadow of each picture of a calibrated tray."""
TRUSTED = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Operating points that are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """The dice of one picture."""

    faces: tuple[TopFace, ...]
    light: FloatArray  # shape (3,), the light on them
    classes: Classes
    labels: tuple[str | None, ...]  # the true class of each; None if there is no label
    source: Path  # the picture or tray, of which all must be learned from or none
    is_real: bool = True  # whether it is an original picture, with all its classes


class _Unclassed(Reader):
    """Reads dice without their classes."""

    def classes_of(self, tops: Sequence[TopFace], light: FloatArray) -> Sequence[str | None]:
        """Return None for each."""
        del light
        return (None,) * len(tops)


def pictures_of(folder: Path, reader: Reader, classes: Classes, shadows: int = 0) -> Iterator[Lying]:
    """Return the dice that are read in a folder of labelled pictures, and in copies with a shadow."""
    for number, truth in enumerate(load_labels(folder)):
        placed = [die for die in truth.dice if die.center_px is not None]
        middles = np.array([die.center_px for die in placed]).reshape(-1, 2)
        image = load_image(truth.path)
        source = folder if shadows else truth.path
        for copy in range(1 + shadows if placed else 1):
            rng = np.random.default_rng([copy, number])
            trace = reader.trace(shadowed(image, placed, rng) if copy else image)
            labels: list[str | None] = []
            for top, die in zip(trace.tops, trace.reading.dice, strict=True):
                away = np.linalg.norm(middles - die.center_px, axis=1) if placed else np.full(1, np.inf)
                near = int(away.argmin())
                labels.append(placed[near].colour if away[near] < 0.6 * top.edge_px else None)
            if trace.tops:
                yield Lying(trace.tops, trace.light, classes, tuple(labels), source)
    sys.stderr.write(f"{folder}\n")


def shadowed(image_bgr: ImageBgr, dice: Sequence[TrueDie], rng: np.random.Generator) -> ImageBgr:
    """Return a picture in which a shadow with a straight edge, as of a wall, ends across one of the dice."""
    die = dice[int(rng.integers(len(dice)))]
    along_wall = int(rng.integers(4)) * math.pi / 2 + rng.normal(0.0, 0.15)
    angle = along_wall if rng.random() < 0.5 else rng.uniform(0.0, 2.0 * math.pi)
    across = np.array([math.cos(angle), math.sin(angle)])
    begins = float(np.array(die.center_px) @ across) + rng.uniform(-0.4, 0.4) * die.edge_px
    width = rng.uniform(0.05, 0.5) * die.edge_px
    y, x = np.indices(image_bgr.shape[:2])
    share = np.clip((x * across[0] + y * across[1] - begins) / width + 0.5, 0.0, 1.0)[..., None]
    left = rng.uniform(0.25, 0.7) * np.exp(rng.normal(0.0, 0.05, 3))
    dark = image_bgr * (1.0 - share * (1.0 - left)) + rng.normal(0.0, 1.0, image_bgr.shape)
    return np.asarray(np.clip(dark, 0.0, 255.0), np.uint8)


def copies(lying: Lying, names: Mapping[str, str] | None, rng: np.random.Generator) -> Iterator[Lying]:
    """Return copies of the dice with fewer classes, and with other hues if classes have names."""
    yield _without_one(lying, rng)
    for _ in range(2 if names else 0):
        turned = _with_other_hues(lying, names or {}, rng)
        yield turned
        if rng.random() < 0.4:
            yield _without_one(turned, rng)


def _without_one(lying: Lying, rng: np.random.Generator) -> Lying:
    classes, out = lying.classes, int(rng.integers(len(lying.classes.labels)))
    left = [k for k in range(len(classes.labels)) if k != out]
    kept = Classes(
        tuple(classes.labels[k] for k in left),
        tuple(classes.names[k] for k in left) if classes.names else (),
        classes.measured_lab if classes.names else classes.measured_lab[left],
        classes.dark_pips[left],
    )
    return replace(lying, classes=kept, is_real=False)


def _with_other_hues(lying: Lying, names: Mapping[str, str], rng: np.random.Generator) -> Lying:
    now, faces = dict(names), list(lying.faces)
    for label, name in names.items():
        free = [other for other in HUES if other not in now.values()]
        if name not in HUES or rng.random() < 0.3:
            continue
        now[label] = free[int(rng.integers(len(free)))]
        for k, true in enumerate(lying.labels):
            if true == label:
                body, rim = (
                    _as_hue(bgr, lying.light, name, now[label]) for bgr in (faces[k].body_bgr, faces[k].rim_bgr)
                )
                faces[k] = replace(faces[k], body_bgr=body, rim_bgr=rim)
    return replace(lying, faces=tuple(faces), classes=Classes.named(now), is_real=False)


def _as_hue(bgr: FloatArray, light: FloatArray, was: str, now: str) -> FloatArray:
    """Return a die's colour changed from one hue to another, both in such a light."""
    one, other = HUES[was], HUES[now]
    lightness, a, b = lab_of((bgr / light)[None])[0].tolist()
    turn = math.atan2(b, a) + math.radians(other.hue_deg - one.hue_deg)
    chroma = math.hypot(a, b) * other.chroma / one.chroma
    lightness *= min(other.lightness / one.lightness, 1.0)
    lightness = min(lightness + max(other.lightness - one.lightness, 0.0), 100.0)
    lab = np.array([[[lightness, chroma * math.cos(turn), chroma * math.sin(turn)]]], np.float32)
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR)[0, 0] * 255.0 * light, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Dice of all pictures, one per row; classes that a picture lacks have features of NaN."""

    features: FloatArray  # shape (N, K, F)
    truth: FloatArray  # shape (N,), the class of each; K if it has none
    is_real: FloatArray  # shape (N,), whether its picture is an original
    source: FloatArray  # shape (N,), number of its picture or tray


def rows_of(pictures: Sequence[Lying], names: Sequence[Mapping[str, str] | None], seed: int = 1) -> Rows:
    """Return the features of all dice with a known class, of every picture and its copies."""
    rng = np.random.default_rng(seed)
    kinds = max(len(lying.classes.labels) for lying in pictures)
    parts = []
    numbers: dict[Path, int] = {}
    for picture, of in zip(pictures, names, strict=True):
        number = numbers.setdefault(picture.source, len(numbers))
        for lying in (picture, *copies(picture, of, rng)):
            known = [k for k, label in enumerate(lying.labels) if label is not None]
            labels = lying.classes.labels
            features = np.full((len(known), kinds, len(names_of(lying.classes))), np.nan)
            features[:, : len(labels)] = class_features(lying.faces, lying.light, lying.classes)[known]
            truth = [labels.index(label) if label in labels else kinds for label in (lying.labels[k] for k in known)]
            rest = np.full(len(known), lying.is_real), np.full(len(known), number)
            parts.append((features, np.array(truth, np.float64), *rest))
    return Rows(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def taught(rows: Rows, which: FloatArray) -> ColourNet:
    """Train a net on some rows."""
    torch.manual_seed(1)
    features, truth = rows.features[which], rows.truth[which]
    there = ~np.isnan(features[..., 0])
    mean, scale = features[there].mean(axis=0), features[there].std(axis=0) + 1e-3
    scaled = np.clip(np.nan_to_num((features - mean) / scale), -REACH, REACH)
    inputs, mask = torch.tensor(scaled, dtype=torch.float32), torch.tensor(there)
    answers = torch.tensor(truth, dtype=torch.long)
    stranger = ~rows.is_real[which].astype(bool) & (truth == features.shape[1])
    weights = torch.tensor(np.where(stranger, STRANGERS, 1.0))
    hidden, out = torch.nn.Linear(features.shape[2], HIDDEN), torch.nn.Linear(HIDDEN, 1)
    none = torch.nn.Parameter(torch.zeros(1))
    optimiser = torch.optim.AdamW([*hidden.parameters(), *out.parameters(), none], lr=RATE, weight_decay=DECAY)
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        some = torch.multinomial(weights, BATCH, replacement=True)
        scores = out(torch.relu(hidden(inputs[some])))[..., 0].masked_fill(~mask[some], -1e4)
        scores = torch.cat([scores, none.expand(BATCH, 1)], dim=1)
        loss = functional.cross_entropy(scores, answers[some], label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    layers = [
        np.concatenate([layer.weight.detach().numpy(), layer.bias.detach().numpy()[:, None]], axis=1)
        for layer in (hidden, out)
    ]
    return ColourNet(mean, scale, layers[0].astype(np.float64), layers[1][0].astype(np.float64), none.item(), 0.0)


def shares_of(net: ColourNet, features: FloatArray) -> FloatArray:
    """Return a net's shares for rows with various numbers of classes."""
    there = ~np.isnan(features[..., 0])
    shares = np.zeros((len(features), features.shape[1] + 1))
    for count in np.unique(there.sum(axis=1)):
        rows = np.flatnonzero(there.sum(axis=1) == count)
        told = net.shares(features[rows, :count])
        shares[rows[:, None], [*range(count), features.shape[1]]] = told
    return shares


def fit(pictures: Sequence[Lying], names: Sequence[Mapping[str, str] | None]) -> dict[str, object]:
    """Return the net and operating point for one kind of classes, and print their results."""
    rows = rows_of(pictures, names)
    shares = np.zeros((len(rows.truth), rows.features.shape[1] + 1))
    for fold in range(FOLDS):
        out = rows.source % FOLDS == fold
        shares[out] = shares_of(taught(rows, ~out), rows.features[out])
    real, none = rows.is_real.astype(bool), rows.features.shape[1]
    best, ranked = shares.argmax(axis=1), []
    for point in TRUSTED:
        told = np.where(shares.max(axis=1) >= point, best, none)
        right, wrong = (told == rows.truth)[real].sum(), ((told != rows.truth) & (told != none))[real].sum()
        strangers = (~real) & (rows.truth == none)
        print(
            f"trusted from {point}: {right} right and {wrong} wrong of {real.sum()} dice; "
            f"{(told == none)[strangers].sum()} of {strangers.sum()} strangers told"
        )
        ranked.append((right - SILENT_COST * wrong, point))
    net = taught(rows, np.ones(len(rows.truth), np.bool_))
    stored = {name: np.round(getattr(net, name), 4).tolist() for name in ("mean", "scale", "hidden", "out")}
    return (
        {"features": names_of(pictures[0].classes)} | stored | {"none": round(net.none, 4), "trusted": max(ranked)[1]}
    )


def main() -> None:
    """Read the command line and fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--trays", type=Path, nargs="+", default=[])
    parser.add_argument("--red-white-blue", type=Path, nargs="+", default=[])
    parser.add_argument("--known", type=Path, nargs="+", default=[])
    args = parser.parse_args()
    cv2.setNumThreads(1)
    named: list[tuple[Lying, Mapping[str, str]]] = []
    for folders, names in ((args.trays, STANDARD_COLOURS), (args.red_white_blue, RED_WHITE_BLUE)):
        reader = _Unclassed(None, names)
        named += [(one, names) for folder in folders for one in pictures_of(folder, reader, Classes.named(names))]
    measured = [
        one
        for folder in args.known
        for path in sorted(folder.glob("*/profile.json"))
        for profile in [load_profile(path)]
        if profile.palette
        for one in pictures_of(path.parent, _Unclassed(profile), Classes.measured(profile.palette), SHADOWS)
    ]
    fitted = json.loads(args.out.read_text(encoding="utf-8")) if args.out.exists() else {}
    if named:
        fitted["named"] = fit([one for one, _ in named], [names for _, names in named])
    if measured:
        fitted["measured"] = fit(measured, [None] * len(measured))
    args.out.write_text(json.dumps(fitted) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
