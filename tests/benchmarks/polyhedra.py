"""How well dice with 8, 10 and 12 faces are read after being taught: drawn into the pictures of calibrated trays.

    python tests/benchmarks/polyhedra.py --fonts FOLDER --rigs CALIBRATED/a/*
    python tests/benchmarks/polyhedra.py --fonts FOLDER --rigs CALIBRATED/b/* --fit

Each class of a tray has dice of all three kinds, with the numerals of one font, next to cubes with pips. All faces, or
all but two of each kind, are taught in the first pictures, all are read in the others. `--fit` writes
the points of `vision/weights/faces.json`, on fonts and trays that nothing is judged on. Needs the extra `training`.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.own_dice import keep_points, limit  # noqa: E402
from vision.classification.face_net import FaceReader  # noqa: E402
from vision.classification.polyhedron_net import SIDES, TopReader  # noqa: E402
from vision.decision import own_faces as decision  # noqa: E402
from vision.pipeline.own_dice import faces_of, showable  # noqa: E402
from vision.pipeline.polyhedra import look_of  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.training.fit_decision import fitted  # noqa: E402
from vision.training.glyphs import glyph_sets  # noqa: E402
from vision.training.polyhedra import KINDS, drawn_tray, random_faces, random_maker  # noqa: E402
from vision.tray.profile import Profile, load_profile  # noqa: E402
from vision.types.frame import F32, FloatArray, ImageBgr, ImageGray  # noqa: E402

VIEWS, READ = 2, 4
"""How often each face is taught, and the number of pictures that are read then."""
MAX_PICTURES = 8
"""Number of pictures for teaching."""
UNSHOWN = 2
"""Number of faces of each kind that are never shown, in every second tray."""
NEAR = 0.75
"""Greatest distance of a reading from the centre of a die's top face, in edges of a cube."""
SILENT, FOREIGN = 0.002, 0.01
"""Shares that may be trusted and wrong: of taught faces, and of faces never shown."""
REPORTED = 0.01
"""Share of the dice that may be believed too little to be reported."""


Face: TypeAlias = tuple[int, int]
"""Number of faces of a die, and a value."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A drawn die in a picture."""

    face: Face
    center_xy: FloatArray  # shape (2,), centre of its top face, in pixels


@dataclass(frozen=True, slots=True, eq=False)
class Tray:
    """A calibrated tray, one class of which has dice of all three kinds next to its cubes."""

    profile: Profile
    colour: str
    taught: list[tuple[ImageBgr, list[Lying]]]
    read: list[tuple[ImageBgr, list[Lying]]]

    def nearest(self, places: FloatArray, lying: Lying) -> int | None:
        """Return which of some places, shape (N, 2), is nearest to a die."""
        away = np.hypot(*(places - lying.center_xy).T)
        return int(away.argmin()) if len(away) and away.min() < NEAR * self.profile.edge_px else None


def drawn(rng: np.random.Generator, folder: Path, sets: Sequence[Sequence[ImageGray]], unshown: int) -> Tray:
    """Return a tray with dice of one of its colours; so many faces of each kind are not taught."""
    profile = load_profile(folder / "profile.json")
    colour = profile.palette[rng.integers(len(profile.palette))]
    lab = np.array([[colour.body_lab]], np.float32)
    body = np.clip(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR)[0, 0] * 255, 4, 255).astype(np.float64)
    ink = rng.uniform(0, 50, 3) if colour.dark_pips else rng.uniform(200, 255, 3)
    maker = replace(random_maker(rng, sets[int(rng.integers(len(sets)))]), body=body, ink=ink)
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    shown = [(sides, int(face)) for sides in KINDS for face in rng.permutation(sides)[unshown:] for _ in range(VIEWS)]

    def picture(number: int, faces: Iterable[Face]) -> tuple[ImageBgr, list[Lying]]:
        image, dice = drawn_tray(rng, folder, [maker], faces, labels[number % len(labels)])
        return image, [Lying((die.sides, die.face + 1), die.center_xy) for die in dice]

    teaching, left = [], [shown[k] for k in rng.permutation(len(shown))]
    for number in range(MAX_PICTURES):
        teaching.append(picture(number, left))
        left = left[len(teaching[-1][1]) :]
    return Tray(profile, colour.label, teaching, [picture(MAX_PICTURES + k, random_faces(rng)) for k in range(READ)])


def taught(tray: Tray, net: FaceReader) -> tuple[decision.OwnFaces, set[Face]]:
    """Return the faces that can be taught by the first pictures, and which they are."""
    reader, looks = Reader(tray.profile), defaultdict[Face, list[F32]](list)
    for image, dice in tray.taught:
        read = reader.read(image).dice
        for lying in dice:
            seen = showable(read, tray.colour, lying.face[0])
            k = tray.nearest(np.array([die.center_px for die in seen]).reshape(-1, 2), lying)
            if k is not None:
                looks[lying.face].append(net.looks_of(faces_of(image, [seen[k]], lying.face[0]), lying.face[0])[0])
    faces = [
        decision.TaughtFace(tray.colour, value, np.stack(seen), sides=sides) for (sides, value), seen in looks.items()
    ]
    return decision.OwnFaces(faces), set(looks)


def read_tray(tray: Tray, net: FaceReader) -> Iterator[tuple[str, str]]:
    """Return what became of each die, by its kind; of those with pips, whether they are read as before."""
    faces, shown = taught(tray, net)
    reader, untaught = Reader(tray.profile, faces=faces), Reader(tray.profile)
    for image, dice in tray.read:
        read = reader.read(image).dice
        places, left = np.array([die.center_px for die in read]).reshape(-1, 2), set(range(len(read)))
        for lying in dice:
            k = tray.nearest(places, lying)
            die, name = None if k is None else read[k], f"d{lying.face[0]}"
            left.discard(-1 if k is None else k)
            is_right = die is not None and (die.sides, die.value) == lying.face
            is_complete = sum(sides == lying.face[0] for sides, _ in shown) == lying.face[0]
            own = "never shown" if lying.face not in shown else "taught" if is_complete else "taught of some"
            sure = "trusted" if die is not None and die.unread is None else "in doubt"
            yield name, own
            yield name, f"{own}, {'right' if is_right else 'wrong'}, {sure}"
            if die is None or die.colour != tray.colour:
                yield name, "not reported" if die is None else "other colour"
        before = untaught.read(image).dice
        for k in left:
            sure = "trusted" if read[k].unread is None else "in doubt"
            yield "pips", "as before" if read[k] in before else f"otherwise than before, {sure}"


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Dice that were read after faces were taught."""

    features: list[FloatArray]  # `FACE_FEATURES`
    kind: list[float]  # probability of the number of faces
    right: list[bool]
    shown: list[bool]  # whether the face was taught
    complete: list[bool]  # whether all faces of that die were
    belief: list[float]  # probability of being a die


def tried(tray: Tray, net: FaceReader, found: Tried) -> None:
    """Add a tray's dice."""
    own, shown = taught(tray, net)
    reader, tops_of = Reader(tray.profile), TopReader()
    for image, dice in tray.read:
        trace = reader.trace(image)
        places = trace.believed.found
        corner = np.zeros(2) if trace.stage is None else trace.stage.left_top
        tops = tops_of.look_at(trace.looked.picture, places.squares)
        for lying in dice:
            k = tray.nearest(places.center_xy + corner, lying)
            if k is None:
                continue
            found.belief.append(float(trace.believed.is_die[k]))
            sides = SIDES[int(tops.shares[k].argmax())]
            if not own.of(tray.colour, sides):
                continue
            face, features = own.near(tray.colour, look_of(net, trace.looked.picture, tops, k, sides), sides)
            found.features.append(features)
            found.kind.append(float(tops.shares[k].max()))
            found.right.append((face.sides, face.value) == lying.face)
            found.shown.append(lying.face in shown)
            found.complete.append(sum(n == sides for n, _ in shown) == sides)


def fitted_points(found: Tried) -> dict[str, object]:
    """Return the model of what is right and the points, as `vision/weights/faces.json` holds them."""
    features, right, shown = np.array(found.features), np.array(found.right), np.array(found.shown)
    model = fitted(features, right.astype(np.intp), np.ones(len(right)), decision.FACE_FEATURES)
    share, complete = model.share(features) * found.kind, np.array(found.complete)
    is_sure = features[:, 1] >= decision.MIN_LEAD

    def point(which: np.ndarray) -> float:
        wrong = share[which & shown & ~right & is_sure]
        unknown = share[which & ~shown & is_sure]
        bounds = (
            limit(wrong, int(SILENT * (which & shown).sum())),
            limit(unknown, int(FOREIGN * (which & ~shown).sum())),
        )
        return round(max(bounds) + 1e-4, 4)

    return {
        "is_right": model.to_json(),
        "trusted": point(complete),
        "trusted_of_some": max(point(complete), point(~complete)),
        "shown": round(float(np.quantile(found.belief, REPORTED)), 3),
    }


def main() -> None:
    """Read the command line; print the table, or write what is fitted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fonts", type=Path, required=True)
    parser.add_argument("--rigs", type=Path, nargs="+", required=True, help="folders with profile.json and labels.json")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    sets, net = glyph_sets(args.fonts), FaceReader()
    counts, found = defaultdict[str, Counter[str]](Counter), Tried([], [], [], [], [], [])
    for k, folder in enumerate(args.rigs):
        tray = drawn(np.random.default_rng([args.seed, k]), folder, sets, k % 2 * UNSHOWN)
        if args.fit:
            tried(tray, net, found)
            continue
        for name, what in read_tray(tray, net):
            counts[name][what] += 1
    if args.fit:
        body = fitted_points(found)
        keep_points({"polyhedra": body})
        sys.stdout.write(f"{len(found.right)} dice: {body}\n")
    for name, count in sorted(counts.items()):
        sys.stdout.write(f"{name}: {', '.join(f'{what} {number}' for what, number in sorted(count.items()))}\n")


if __name__ == "__main__":
    main()
