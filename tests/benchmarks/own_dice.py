"""How well dice with symbols and numerals are read after being taught: painted on dice of labelled trays.

    python tests/benchmarks/own_dice.py --icons game-icons.json --fonts FOLDER --trays HARD/a HARD/b
    python tests/benchmarks/own_dice.py --icons game-icons.json --fonts FOLDER --rigs CALIBRATED/a/*
    python tests/benchmarks/own_dice.py --drawn TRACED/*
    python tests/benchmarks/own_dice.py --icons fa-solid-900.ttf --fonts FOLDER --trays HARD/c --fit

`--rigs` are calibrated trays (`calibrated_trays.py`): each class of dice gets a set, taught on the first half of the
pictures and read in the others, including detection, colour, the reader's own squares and stances; its dice have one
ink, and those that lean or lie on others count apart: they are to be doubted. `--drawn` are trays of `traced_trays.py
--faces`, whose dice have such sets. Icons, fonts and trays must differ from those that the net was trained on. `--fit`
writes `vision/weights/faces.json` from its trials, on icons, fonts and trays that nothing is judged on. Needs the extra
`training`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.calibrated_trays import calibrated  # noqa: E402
from tests.benchmarks.own_sets import KINDS, digits, icons_of, set_faces  # noqa: E402
from vision.classification.face_net import FaceReader  # noqa: E402
from vision.decision import own_faces as decision  # noqa: E402
from vision.decision.model import Logistic  # noqa: E402
from vision.detection.squares import Squares  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.nets.onnx_net import WEIGHTS  # noqa: E402
from vision.pipeline.own_dice import faces_of, showable  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.training import painted_faces as paint  # noqa: E402
from vision.training.fit_decision import fitted  # noqa: E402
from vision.training.labelled import labelled_trays  # noqa: E402
from vision.tray.profile import Profile, load_profile  # noqa: E402
from vision.types.frame import F32, FloatArray, ImageBgr, ImageGray  # noqa: E402
from vision.types.reading import DieReading, Unread  # noqa: E402

READS, FOREIGN = 12, 12
"""Number of views that are read of each face, and of faces outside a set."""
SILENT = 0.002
"""Share of all reads that may be wrong and trusted."""


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Looks that were read after faces were taught."""

    features: FloatArray  # shape (N, 2), as `nearness` returns them
    right: np.ndarray  # shape (N,), whether the nearest face was the one shown; False for a face outside the set
    foreign: np.ndarray  # shape (N,), whether the face shown is outside the set


def looks(
    rng: np.random.Generator,
    reader: FaceReader,
    dice: Sequence[paint.BareDie],
    faces: Sequence[tuple[int, paint.Glyph]],
) -> F32:
    """Return looks of faces, each given by value and glyph, on any of the dice."""
    by_value = {value: [die for die in dice if die.value == value] for value in range(1, 7)}
    cuts = []
    for value, glyph in faces:
        pool = dice if glyph.mask is not None else by_value[value]
        die = pool[int(rng.integers(len(pool)))]
        cuts.append(paint.cut_face(rng, paint.painted(rng, die, glyph)))
    return np.concatenate([reader.looks_of(np.stack(cuts[k : k + 256])) for k in range(0, len(cuts), 256)])


def tried_set(
    rng: np.random.Generator,
    reader: FaceReader,
    dice: Sequence[paint.BareDie],
    glyphs: Sequence[paint.Glyph],
    others: Sequence[ImageGray],
    *,
    shown: int,
) -> Tried:
    """Teach a set, with so many views of each face, and read it; other glyphs are outside the set."""
    faces = list(enumerate(glyphs, 1))
    taught = looks(rng, reader, dice, [face for face in faces for _ in range(shown)])
    means = taught.reshape(6, shown, -1).sum(axis=1)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    foreign = [
        (0, paint.Glyph(others[i], *paint.printed(rng))) for i in rng.choice(len(others), FOREIGN, replace=False)
    ]
    near = looks(rng, reader, dice, [face for face in faces for _ in range(READS)] + foreign) @ means.T
    wanted = np.concatenate([np.repeat(np.arange(6), READS), np.full(FOREIGN, -1)])
    return Tried(decision.nearness(near, range(1, 7)), near.argmax(axis=1) == wanted, wanted < 0)


def joined(parts: Sequence[Tried]) -> Tried:
    """Join all trials."""
    return Tried(*(np.concatenate([getattr(part, name) for part in parts]) for name in Tried.__slots__))


def limit(shares: np.ndarray, allowed: int) -> float:
    """Return the share that at most so many of some exceed."""
    return float(np.sort(shares)[::-1][allowed]) if allowed < len(shares) else 0.0


def keep_points(points: dict[str, Any]) -> None:
    """Write some of the fitted points of taught faces."""
    file = WEIGHTS / "faces.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | points) + "\n", encoding="utf-8")


def fitted_points(kinds: Sequence[Tried]) -> tuple[Logistic, float]:
    """Return the model of what is right, and the point `trusted`, which holds for each kind of set."""
    tried = joined(kinds)
    right = tried.right.astype(np.intp)
    model = fitted(tried.features, right, np.ones(len(right)), decision.FACE_FEATURES)
    foreign = model.share(tried.features[tried.foreign])
    bounds = [limit(foreign, len(foreign) // 200)]
    for kind in kinds:
        wrong = model.share(kind.features[~kind.foreign & ~kind.right])
        bounds.append(limit(wrong, int(SILENT * (~kind.foreign).sum())))
    return model, max(bounds)


def mean_numerals(
    reader: FaceReader, dice: Sequence[paint.BareDie], numerals: Sequence[Sequence[ImageGray]]
) -> list[list[float]]:
    """Return the mean look of each of the numerals 1 to 6."""
    rng, found = np.random.default_rng(0), []
    for value in range(1, 7):
        shown = [(value, paint.Glyph(masks[value - 1], *paint.printed(rng))) for masks in numerals for _ in range(6)]
        mean = looks(rng, reader, dice, shown).mean(axis=0)
        found.append([round(float(part), 4) for part in mean / np.linalg.norm(mean)])
    return found


def row(kind: str, tried: Tried, points: decision.FacePoints) -> str:
    """Return one line of the table."""
    own = ~tried.foreign
    share = points.cubes.is_right.share(tried.features)
    sure = (share >= points.cubes.trusted) & (tried.features[:, 1] >= decision.MIN_LEAD)
    shares = (tried.right[own], (sure & tried.right)[own], (sure & ~tried.right)[own], sure[~own])
    return " | ".join([f"| {kind} | {own.sum()}", *(f"{part.mean():.2%}" for part in shares)]) + " |\n"


Picture = tuple[ImageBgr, list[dict[str, Any]]]


def drawn_rig(folder: Path) -> Iterator[Picture]:
    """Return a tray's pictures, and the labels of the dice that a person could read."""
    for entry in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        seen = [die for die in entry["dice"] if not die["covered"] and die.get("legible", True)]
        yield load_image(folder / entry["image"]), seen


def painted_rig(rng: np.random.Generator, folder: Path, sets: Mapping[str, Sequence[paint.Glyph]]) -> Iterator[Picture]:
    """Return a tray's pictures with the faces of some sets on its dice, and the labels of the visible dice."""
    inks: dict[str, tuple[paint.BareDie, FloatArray]] = {}
    for drawn, seen in drawn_rig(folder):
        image = drawn
        for die in seen:
            quad = np.array(die["top_quad_px"])
            turn = np.arctan2(*(quad[1] - quad[0])[::-1])
            edge = np.sqrt(cv2.contourArea(quad.astype(np.float32)))
            square = Squares(quad.mean(axis=0)[None], np.array([edge]), np.array([turn]))
            glyph = sets[die["role"]][die["pips"] - 1]
            die["glyph"] = glyph.mask is not None
            if die["glyph"]:
                bare = paint.bare_die(image, square, die["pips"])
                first, ink = inks.setdefault(die["role"], (bare, paint.random_ink(rng, bare)))
                ink = ink * bare.body.mean() / first.body.mean()
                image = paint.repainted(image, bare, paint.painted(rng, bare, glyph, ink))
        yield image, seen


def read_as(reader: Reader, picture: Picture) -> Iterator[tuple[dict[str, Any], DieReading | None]]:
    """Return a picture's labels, each with the die that the reader found there."""
    dice = reader.read(picture[0]).dice
    for label in picture[1]:
        x, y = np.mean(label["top_quad_px"], axis=0)
        near = [die for die in dice if np.hypot(die.center_px[0] - x, die.center_px[1] - y) < 12]
        yield label, near[0] if near else None


def read_rig(pictures: Sequence[Picture], profile: Profile, net: FaceReader) -> Counter[str]:
    """Return the results for a tray's dice, taught on half of its pictures and read on the others."""
    half = len(pictures) // 2
    shown: dict[tuple[str, int], list[tuple[ImageBgr, bool]]] = {}
    counts: Counter[str] = Counter()
    untaught = Reader(profile, suggests_numerals=True)
    for picture in pictures[:half]:
        for label, die in read_as(untaught, picture):
            if die is not None and showable([die], label["role"]):
                is_pips = die.unread is None and die.value == label["pips"]
                key = label["role"], label["pips"]
                shown.setdefault(key, []).append((faces_of(picture[0], [die])[0], is_pips))
            counts["untaught symbols"] += label["glyph"]
            counts["untaught symbols, trusted"] += label["glyph"] and die is not None and die.unread is None
            if label["glyph"] and die is not None and die.unread == Unread.FACE_UNKNOWN:
                counts["suggested"] += 1
                counts["suggested and right"] += die.value == label["pips"]
    faces = [
        decision.TaughtFace(
            colour, value, net.looks_of(np.stack([face for face, _ in seen])), 2 * sum(p for _, p in seen) > len(seen)
        )
        for (colour, value), seen in shown.items()
    ]
    taught = Reader(profile, faces=decision.OwnFaces(faces))
    for picture in pictures[half:]:
        for label, die in read_as(taught, picture):
            own = (label["role"], label["pips"]) in shown
            is_right = die is not None and (die.value, die.colour) == (label["pips"], label["role"])
            is_sure = die is not None and die.unread is None and die.value is not None
            if label["cocked"] or label["stacked"]:
                counts["leaning"] += 1
                counts["leaning, trusted"] += is_sure
                continue
            counts["taught" if own else "never shown"] += 1
            if own:
                counts["right" if is_right else "unfound" if die is None else "other colour"
                       if die.colour != label["role"] else "wrong or none"] += 1  # fmt: skip
                counts["trusted and right"] += is_right and is_sure
            counts["trusted and wrong" if own else "never shown, trusted and wrong"] += is_sure and not is_right
    return counts


def read_rigs(args: argparse.Namespace, net: FaceReader) -> Iterator[tuple[str, Counter[str]]]:
    """Return the kind of set in each tray, and the results for its dice."""
    for folder in args.drawn or ():
        tags = json.loads((folder / "labels.json").read_text(encoding="utf-8"))[0]["tags"]
        (kind,) = (tag.removeprefix("faces:") for tag in tags if tag.startswith("faces:"))
        yield kind, read_rig(list(drawn_rig(folder)), calibrated(folder), net)
    if args.rigs:
        glyphs, numerals = icons_of(args.icons), digits(args.fonts)
    for k, folder in enumerate(args.rigs or ()):
        rng = np.random.default_rng([args.seed, k])
        kind, of_font = KINDS[k % 3], numerals[k % len(numerals)]
        sets = {role: set_faces(rng, kind, glyphs, of_font) for role in ("base", "skill", "gear")}
        pictures = list(painted_rig(np.random.default_rng(args.seed + k), folder, sets))
        yield kind, read_rig(pictures, load_profile(folder / "profile.json"), net)


def main() -> None:
    """Read the command line; print the table, or write what is fitted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--icons", type=Path, nargs="+", help="required unless dice are drawn with their faces")
    parser.add_argument("--fonts", type=Path, help="likewise")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--trays", type=Path, nargs="+", help="folders with labels.json")
    what.add_argument("--rigs", type=Path, nargs="+", help="folders with profile.json, too")
    what.add_argument("--drawn", type=Path, nargs="+", help="folders of `traced_trays.py --faces`")
    parser.add_argument("--sets", type=int, default=60, help="of each kind")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader, seed = FaceReader(), args.seed
    if not args.drawn and not (args.icons and args.fonts):
        parser.error("--trays and --rigs need --icons and --fonts")
    if not args.trays:
        counts = {kind: Counter[str]() for kind in KINDS}
        for kind, count in read_rigs(args, reader):
            counts[kind] += count
        for kind, count in counts.items():
            sys.stdout.write(f"{kind}: {', '.join(f'{name} {number}' for name, number in count.items())}\n")
        return
    glyphs, numerals = icons_of(args.icons), digits(args.fonts)
    dice = paint.bare_dice([picture for folder in args.trays for picture in labelled_trays(folder, "traced")])
    pools = [[die for die in dice if _kind(die.body) == kind] for kind in ("dark", "warm", "cold")]

    def tried_sets(kind: str) -> Iterator[Tried]:
        for k in range(args.sets):
            rng = np.random.default_rng([seed, KINDS.index(kind), k])
            faces = set_faces(rng, kind, glyphs, numerals[k % len(numerals)])
            yield tried_set(rng, reader, pools[k % len(pools)], faces, glyphs, shown=1 + k % 6)

    tried = {kind: joined(list(tried_sets(kind))) for kind in KINDS}
    if args.fit:
        model, trusted = fitted_points(list(tried.values()))
        body: dict[str, Any] = {
            "cubes": {"is_right": model.to_json(), "trusted": round(trusted, 4)},
            "numerals": mean_numerals(reader, dice, numerals),
        }
        keep_points(body)
    points = decision.load_points()
    sys.stdout.write(
        f"{len(glyphs)} icons, {len(numerals)} fonts, {len(dice)} dice\n"
        "| | read | nearest is right | trusted and right | trusted and wrong | never shown, trusted |\n"
        "|---|---|---|---|---|---|\n"
    )
    for kind, part in tried.items():
        sys.stdout.write(row(kind, part, points))


def _kind(body: np.ndarray) -> str:
    """Return whether a die is dark, reddish or of another colour: dice of one set are of one kind."""
    if body.max() < 75:
        return "dark"
    return "warm" if body[2] >= 0.95 * body[1] else "cold"


if __name__ == "__main__":
    main()
