"""How well dice with symbols and numerals are read after they were shown: painted on dice of labelled trays.

    python tests/benchmarks/own_dice.py --icons game-icons.json --fonts FOLDER --trays HARD/a HARD/b
    python tests/benchmarks/own_dice.py --icons game-icons.json --fonts FOLDER --rigs CALIBRATED/a/*
    python tests/benchmarks/own_dice.py --icons fa-solid-900.ttf --fonts FOLDER --trays HARD/c --fit

`--rigs` are calibrated trays (`calibrated_trays.py`): each class of dice gets a set, taught on the first half of the
pictures and read in the others: finding, colour, the reader's own squares and how dice lie included. Icons, fonts and
trays must be others than those that the net learned from. `--fit` writes `vision/weights/faces.json` from what it
tries, on icons, fonts and trays that nothing is judged on. Needs the extra `training`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from vision.classification.face_net import FaceReader  # noqa: E402
from vision.decision.model import Logistic  # noqa: E402
from vision.decision.own_faces import FACE_FEATURES, LEAST_LEAD, FacePoints, OwnFaces, TaughtFace, load_points  # noqa: E402
from vision.detection.squares import Squares  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.nets.onnx_net import WEIGHTS  # noqa: E402
from vision.pipeline.own_dice import faces_of  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.training.glyphs import icons  # noqa: E402
from vision.training.labelled import labelled_trays  # noqa: E402
from vision.training.painted_faces import BareDie, Glyph, bare_dice, bare_die, painted, printed, repainted  # noqa: E402
from vision.training.taught_sets import KINDS, Tried, digits, looks, set_faces, tried_sets  # noqa: E402
from vision.tray.profile import load_profile  # noqa: E402
from vision.types.frame import ImageBgr, ImageGray  # noqa: E402

SILENT = 0.002
"""Share of all reads that may be wrong and trusted."""
DOUBTED = 0.001
"""Share of dice with pips which may be taken for none."""


def joined(parts: Sequence[Tried]) -> Tried:
    """All that was tried, as one."""
    return Tried(*(np.concatenate([getattr(part, name) for part in parts]) for name in Tried.__slots__))


def limit(shares: np.ndarray, allowed: int) -> float:
    """The share that no more than so many of some exceed."""
    ordered = np.sort(shares)[::-1]
    return float(ordered[allowed]) if allowed < len(ordered) else 0.0


def fitted(kinds: Sequence[Tried]) -> tuple[Logistic, float]:
    """A logistic regression of what is right, and the point `trusted`, which holds for each kind of set."""
    tried = joined(kinds)
    mean, scale = tried.features.mean(axis=0), tried.features.std(axis=0)
    columns = np.column_stack([(tried.features - mean) / scale, np.ones(len(tried.right))])
    weights, right = np.zeros(3), tried.right.astype(np.float64)
    for _ in range(30):
        share = 1 / (1 + np.exp(-columns @ weights))
        curve = (columns * (share * (1 - share))[:, None]).T @ columns + 1e-3 * np.eye(3)
        weights += np.linalg.solve(curve, columns.T @ (right - share))
    model = Logistic(FACE_FEATURES, mean, scale, weights[:2], float(weights[2]))
    shares = model.share(tried.features)
    foreign = shares[tried.foreign]
    trusted = limit(foreign, len(foreign) // 200)
    for kind in kinds:
        wrong = model.share(kind.features[~kind.foreign & ~kind.right])
        trusted = max(trusted, limit(wrong, int(SILENT * (~kind.foreign).sum())))
    return model, trusted


def mean_looks(
    reader: FaceReader, dice: Sequence[BareDie], faces: Sequence[Sequence[tuple[int, ImageGray | None]]]
) -> list[list[float]]:
    """The mean look of each of some faces, each given as values and masks."""
    rng, found = np.random.default_rng(0), []
    for masks in faces:
        shown = [(value, Glyph(mask, *printed(rng))) for value, mask in masks for _ in range(6)]
        mean = looks(rng, reader, dice, shown).mean(axis=0)
        found.append([round(float(part), 4) for part in mean / np.linalg.norm(mean)])
    return found


def like_pips(
    reader: FaceReader, dice: Sequence[BareDie], glyphs: Sequence[ImageGray], numerals: Sequence[Sequence[ImageGray]]
) -> tuple[list[list[float]], float]:
    """Weights that tell pips from each other and from all else, and the lead from which a face may show pips."""
    rng = np.random.default_rng(1)
    others = [*glyphs, *glyphs, *(mask for masks in numerals for mask in masks)]
    faces = [(value, Glyph(None)) for value in range(1, 7) for _ in range(2000)]
    faces += [(7, Glyph(mask, *printed(rng))) for mask in others]
    near = torch.from_numpy(looks(rng, reader, dice, faces))
    right = torch.tensor([value - 1 for value, _ in faces])
    layer = torch.nn.Linear(near.shape[1], 7)
    solver = torch.optim.LBFGS(layer.parameters(), max_iter=300, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        total = torch.nn.functional.cross_entropy(layer(near), right) + 2e-5 * layer.weight.square().sum()
        total.backward()
        return total

    solver.step(loss)
    with torch.no_grad():
        said = layer(near)
        lead = (said.gather(1, right.clamp(max=5)[:, None])[:, 0] - said[:, 6])[right < 6]
        least = float(lead.quantile(DOUBTED))
        alike = (said[right == 6, :6].amax(1) - said[right == 6, 6] >= least).float().mean()
        weights = torch.cat([layer.weight, layer.bias[:, None]], dim=1).tolist()
    sys.stdout.write(f"pips from {least:.2f} on; of all else {alike:.2%} look so\n")
    return [[round(part, 3) for part in row] for row in weights], round(least, 3)


def row(kind: str, tried: Tried, points: FacePoints | None) -> str:
    """One line of the table."""
    own = ~tried.foreign
    cells = [kind, f"{own.sum()}", f"{tried.right[own].mean():.1%}"]
    if points is not None:
        share = points.is_right.share(tried.features)
        sure = (share >= points.trusted) & (tried.features[:, 1] >= LEAST_LEAD)
        free = limit(share[~tried.right], int(SILENT * own.sum()))
        cells += [
            f"{(sure & tried.right)[own].mean():.1%}",
            f"{(sure & ~tried.right)[own].mean():.2%}",
            f"{(sure & tried.foreign)[~own].mean():.2%}",
            f"{(share > free)[own & tried.right].sum() / own.sum():.1%}",
        ]
    return "| " + " | ".join(cells) + " |"


def painted_rig(
    rng: np.random.Generator, folder: Path, sets: Mapping[str, Sequence[Glyph]]
) -> Iterator[tuple[ImageBgr, list[dict[str, Any]]]]:
    """The pictures of a tray whose dice wear the faces of some sets, with the labels of the dice that lie in view."""
    for entry in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        image = load_image(folder / entry["image"])
        seen = [die for die in entry["dice"] if not die["covered"]]
        for die in seen:
            quad = np.array(die["top_quad_px"])
            turn = np.arctan2(*(quad[1] - quad[0])[::-1])
            edge = np.sqrt(cv2.contourArea(quad.astype(np.float32)))
            square = Squares(quad.mean(axis=0)[None], np.array([edge]), np.array([turn]))
            glyph = sets[die["role"]][die["pips"] - 1]
            if glyph.mask is not None:
                bare = bare_die(image, square, die["pips"])
                image = repainted(image, bare, painted(rng, bare, glyph))
        yield image, seen


def read_rig(folder: Path, sets: Mapping[str, Sequence[Glyph]], seed: int, net: FaceReader) -> Counter[str]:
    """What became of the dice of a tray: taught on half of its pictures, read on the others."""
    pictures = list(painted_rig(np.random.default_rng(seed), folder, sets))
    half, profile = len(pictures) // 2, load_profile(folder / "profile.json")
    shown: dict[tuple[str, int], list[tuple[ImageBgr, bool]]] = {}
    counts: Counter[str] = Counter()

    def read(reader: Reader, image: ImageBgr, labels: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Any]]:
        dice = reader.read(image).dice
        for label in labels:
            x, y = np.mean(label["top_quad_px"], axis=0)
            near = [die for die in dice if np.hypot(die.center_px[0] - x, die.center_px[1] - y) < 12]
            yield label, near[0] if near else None

    untaught = Reader(profile)
    for image, labels in pictures[:half]:
        for label, die in read(untaught, image, labels):
            if die is not None and die.colour in (label["role"], None):
                is_pips = die.unread is None and die.value == label["pips"]
                key = label["role"], label["pips"]
                shown.setdefault(key, []).append((faces_of(image, [die])[0], is_pips))
            wears = sets[label["role"]][label["pips"] - 1].mask is not None
            counts["untaught symbols"] += wears
            counts["untaught symbols, trusted"] += wears and die is not None and die.unread is None
    faces = [
        TaughtFace(
            colour, value, net.looks_of(np.stack([face for face, _ in seen])), 2 * sum(p for _, p in seen) > len(seen)
        )
        for (colour, value), seen in shown.items()
    ]
    taught = Reader(profile, faces=OwnFaces(faces))
    for image, labels in pictures[half:]:
        for label, die in read(taught, image, labels):
            own = (label["role"], label["pips"]) in shown
            is_right = die is not None and (die.value, die.colour) == (label["pips"], label["role"])
            is_sure = die is not None and die.unread is None and die.value is not None
            counts["taught" if own else "never shown"] += 1
            if own:
                counts["right" if is_right else "unfound" if die is None else "other colour"
                       if die.colour != label["role"] else "wrong or none"] += 1  # fmt: skip
                counts["trusted and right"] += is_right and is_sure
            counts["trusted and wrong" if own else "never shown, trusted and wrong"] += is_sure and not is_right
    return counts


def print_rigs(
    folders: Sequence[Path],
    glyphs: Sequence[ImageGray],
    fonts: Sequence[Sequence[ImageGray]],
    seed: int,
    net: FaceReader,
) -> None:
    """Teach and read each tray with sets of each kind in turn, and print what became of all dice."""
    counts = {kind: Counter[str]() for kind in KINDS}
    for k, folder in enumerate(folders):
        kind, rng = KINDS[k % 3], np.random.default_rng([seed, k])
        sets = {role: set_faces(rng, kind, glyphs, fonts[k % len(fonts)]) for role in ("base", "skill", "gear")}
        counts[kind] += read_rig(folder, sets, seed + k, net)
    for kind, count in counts.items():
        sys.stdout.write(f"{kind}: {', '.join(f'{name} {number}' for name, number in count.items())}\n")


def main() -> None:
    """Read the command line; print the table, or write what is fitted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--icons", type=Path, nargs="+", required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--trays", type=Path, nargs="+", help="folders with labels.json")
    what.add_argument("--rigs", type=Path, nargs="+", help="folders with profile.json, too")
    parser.add_argument("--weights", type=Path, default=WEIGHTS / "face.onnx")
    parser.add_argument("--sets", type=int, default=60, help="of each kind")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    glyphs = [mask for file in asked.icons for mask in icons(file)]
    numerals = digits(asked.fonts)
    reader = FaceReader(asked.weights)
    if asked.rigs:
        print_rigs(asked.rigs, glyphs, numerals, asked.seed, reader)
        return
    dice = bare_dice([picture for folder in asked.trays for picture in labelled_trays(folder, "traced")])
    pools = [[die for die in dice if _kind(die.body) == kind] for kind in ("dark", "warm", "cold")]
    tried = {
        kind: joined(list(tried_sets(reader, pools, kind, glyphs, numerals, sets=asked.sets, seed=asked.seed)))
        for kind in KINDS
    }
    if asked.fit:
        model, trusted = fitted(list(tried.values()))
        pips, least = like_pips(reader, dice, glyphs, numerals)
        body: dict[str, Any] = {
            "taught": {"is_right": model.to_json(), "trusted": round(trusted, 4), "pips": least},
            "numerals": mean_looks(reader, dice, [[(v, masks[v - 1]) for masks in numerals] for v in range(1, 7)]),
            "pips": pips,
        }
        (WEIGHTS / "faces.json").write_text(json.dumps(body) + "\n", encoding="utf-8")
        load_points.cache_clear()
    points = load_points() if (WEIGHTS / "faces.json").exists() else None
    sys.stdout.write(
        f"{len(glyphs)} icons, {len(numerals)} fonts, {len(dice)} dice\n"
        "| | read | nearest is right | trusted and right | trusted and wrong | foreign and trusted "
        "| right, where 1 in 500 is wrong |\n|---|---|---|---|---|---|---|\n"
    )
    for kind, part in tried.items():
        sys.stdout.write(row(kind, part, points) + "\n")


def _kind(body: np.ndarray) -> str:
    """Dark, reddish or another colour: dice of one set are of one."""
    if body.max() < 75:
        return "dark"
    return "warm" if body[2] >= 0.95 * body[1] else "cold"


if __name__ == "__main__":
    main()
