"""How well pips that were read without doubt are told from untaught symbols and numerals.

    python tests/benchmarks/pips_or_symbols.py --icons game-icons.json --fonts FOLDER --trays HARD/a HARD/b
    python tests/benchmarks/pips_or_symbols.py --icons game-icons.json --fonts FOLDER --photographs PHOTOS
    python tests/benchmarks/pips_or_symbols.py --icons fa-solid-900.ttf --fonts FOLDER --trays HARD/c --fit
    python tests/benchmarks/pips_or_symbols.py --icons game-icons.json --fonts FOLDER --trays HARD/d --fit-company

Other faces are painted on the dice of labelled trays, or of the photographs that are set aside. `--fit` writes weights
to `vision/weights/faces.json`, on icons, fonts and trays that nothing is judged on, or on the other photographs, and
`--fit-company`, on further trays, those of a tray's dice together. Needs
the extra `training`.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import and_
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.own_dice import keep_points  # noqa: E402
from tests.benchmarks.own_sets import digits, icons_of  # noqa: E402
from vision.classification.face_net import FaceReader  # noqa: E402
from vision.decision.own_faces import OwnFaces, TaughtFace, in_company, load_points  # noqa: E402
from vision.imaging.image_file import load_image  # noqa: E402
from vision.pipeline.own_dice import faces_of, squares_of  # noqa: E402
from vision.pipeline.reader import Reader  # noqa: E402
from vision.training import painted_faces as paint  # noqa: E402
from vision.training.labelled import LabelledPicture, labelled_trays, photographs  # noqa: E402
from vision.types.frame import F32, FloatArray, ImageBgr, ImageGray  # noqa: E402
from vision.types.reading import DieReading, Unread  # noqa: E402

SOFTNESS = 5.0
"""Regularisation of the weights: the greater, the larger they may grow."""
OTHER = 6
"""What shows no pips; 0 to 5 show one more pip each."""

SETS = {"pips": 0.5, "others": 0.3, "mixed": 0.2}
"""How often dice of a class show these in `in_sets`; mixed: others on 1 and 6, pips between."""
OF_ONE_MAKER = 0.7
"""Share of classes that show what the tray's other ones show."""
THROWS = 8
"""How often a picture is thrown again."""

REAL_FACES = Path(__file__).with_name("real_faces.json")
"""Dice of photographs with symbols and numerals, found by eye: centre and edge in pixels, and what they show."""
UNNAMED = frozenset({"numeral", "polyhedron"})
"""What cannot be made out."""

Dice: TypeAlias = Callable[[LabelledPicture, ImageBgr, Sequence[DieReading]], Sequence[paint.BareDie]]


class _Believing(OwnFaces):
    """No taught faces; whatever is read as pips counts as pips."""

    def pips_lead(self, look: F32, embedding: F32, value: int | None, *, in_tray: bool) -> float:
        return np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Sights:
    """Dice as a reader sees them, once with their pips and some times with other faces painted on."""

    seen: F32  # shape (N, 256), look and embedding
    shows: np.ndarray  # shape (N,), pips - 1, or `OTHER`
    read: np.ndarray  # shape (N,), pips that were read without doubt - 1, or -1
    scene: np.ndarray  # shape (N,), number of the scene
    die: np.ndarray  # shape (N,), number of the die, as it lies in one picture
    value: np.ndarray  # shape (N,), pips - 1 before other faces were painted on
    unclear: np.ndarray  # shape (N,), 1 if its pips are in doubt
    role: np.ndarray  # shape (N,), number of the colour class that was read


def labelled_dice(picture: LabelledPicture, *_: object) -> list[paint.BareDie]:
    """Return the dice of a tray."""
    return paint.bare_dice([picture])


def right_dice(picture: LabelledPicture, image: ImageBgr, read: Sequence[DieReading]) -> list[paint.BareDie]:
    """Return the dice of a photograph, of whose tops no place is labelled, that are read rightly."""
    dice, squares = [], squares_of(read)
    for k, die in enumerate(read):
        square = squares.some(np.array([k]))
        near = [
            label
            for label in picture.dice
            if np.hypot(*(label.center_xy - square.center_xy[0])) < label.edge_px / 2 and label.value == die.value
        ]
        if near and square.edge_px[0] >= paint.MIN_EDGE_PX:
            dice.append(paint.bare_die(image, square, near[0].value))
    return dice


def sights(
    reader: Reader, dice_of: Dice, pictures: Iterable[LabelledPicture], others: Sequence[ImageGray], painted: int
) -> Sights:
    """Read pictures, once with their pips and so many times with other faces."""
    net, rng, rows = FaceReader(), np.random.default_rng(1), list[tuple[F32, int, int, int, int, int, bool, int]]()
    scenes, roles, count = dict[tuple[Path, str], int](), dict[str | None, int](), 0
    for picture in pictures:
        plain, scene = picture.load(), scenes.setdefault((picture.path.parent, picture.scene), len(scenes))
        trace = reader.trace(plain)
        dice = dice_of(picture, plain, trace.reading.dice)
        shown = [(plain, trace, [die.value - 1 for die in dice])]
        for _ in range(painted):
            image = plain
            for die in dice:
                glyph = paint.Glyph(others[int(rng.integers(len(others)))], *paint.printed(rng))
                image = paint.repainted(image, die, paint.painted(rng, die, glyph))
            shown.append((image, reader.trace(image), [OTHER] * len(dice)))
        for view, trace, faces in shown:
            found: Sequence[DieReading] = trace.reading.dice
            if not found:
                continue
            looks = net.looks_of(faces_of(view, found))
            centers = trace.believed.found.center_xy + (0 if trace.stage is None else trace.stage.left_top)
            for number, (die, face) in enumerate(zip(dice, faces, strict=True), count):
                away = [np.hypot(*(one.center_px - die.square.center_xy[0])) for one in found]
                k = int(np.argmin(away))
                if away[k] > die.edge_px / 3:
                    continue
                row = int(np.hypot(*(centers - found[k].center_px).T).argmin())
                seen = np.concatenate([looks[k], trace.believed.sights.embedding[row]])
                sure = found[k].value if found[k].unread is None else None
                unclear, role = found[k].unread == Unread.PIPS_UNCLEAR, roles.setdefault(found[k].colour, len(roles))
                rows.append((seen, face, (sure or 0) - 1, scene, number, die.value - 1, unclear, role))
        count += len(dice)
    return Sights(np.stack([row[0] for row in rows]), *np.array([row[1:] for row in rows]).T)


def fitted(dice: Sights, rows: np.ndarray) -> np.ndarray:
    """Return the weights that distinguish pips from each other and all else, shape (7, 257)."""
    model = LogisticRegression(C=SOFTNESS, max_iter=3000).fit(dice.seen[rows], dice.shows[rows])
    return np.round(np.column_stack([model.coef_, model.intercept_]), 3)


def leads(dice: Sights, weights: np.ndarray) -> np.ndarray:
    """Return by how much the pips that were read lead all else, shape (N,); a die with less than 0 is doubted."""
    scores = dice.seen @ weights[:, :-1].T + weights[:, -1]
    return np.asarray(scores[np.arange(len(scores)), dice.read] - scores[:, OTHER])


def in_sets(dice: Sights, lead: FloatArray, shares: Mapping[str, float]) -> tuple[FloatArray, np.ndarray]:
    """Return features of dice in company, shape (N, 3), and whether each shows the pips that were read, shape (N,).

    Each picture is thrown again some times, with classes of the kinds in `SETS` in these shares.
    """
    rng = np.random.default_rng(2)
    rows, shows_pips = list[FloatArray](), list[np.ndarray]()
    lead = np.where(dice.read >= 0, lead, -np.inf)
    for scene in np.repeat(np.unique(dice.scene), THROWS):
        of_tray = rng.choice(list(shares), p=list(shares.values()))
        sets = rng.choice(list(shares), dice.role.max() + 1, p=list(shares.values()))
        sets[rng.random(len(sets)) < OF_ONE_MAKER] = of_tray
        here = np.flatnonzero(dice.scene == scene)
        kind, outer = sets[dice.role[here]], np.isin(dice.value[here], (0, 5))
        is_other = (kind == "others") | ((kind == "mixed") & outer)
        fits = rng.permutation(here[is_other == (dice.shows[here] == OTHER)])
        there = fits[np.unique(dice.die[fits], return_index=True)[1]]
        there = there[(dice.read[there] >= 0) | (dice.unclear[there] > 0)]
        read = dice.read[there]
        features = in_company(lead[there], read + 1)
        counts = (read == dice.shows[there]) | ((read >= 0) & (dice.shows[there] == OTHER))
        rows.append(features[counts])
        shows_pips.append(dice.shows[there][counts] != OTHER)
    return np.concatenate(rows), np.concatenate(shows_pips)


def in_company_fitted(dice: Sights, lead: FloatArray) -> FloatArray:
    """Return the weights of `in_company`, shape (4,): no more other faces on 1 and 6 are trusted than by the lead."""
    features, shows_pips = in_sets(dice, lead, SETS)
    weights = LogisticRegression(C=1.0).fit(features, shows_pips).coef_[0]
    mixed, is_pips = in_sets(dice, lead, {"mixed": 1.0})
    others = np.sort(mixed[~is_pips] @ weights)
    first_doubted = others[-1 - (mixed[~is_pips, 0] >= 0).sum()]
    weights = np.round(np.append(weights, -first_doubted - 0.001), 3)
    print_company(dice, lead, weights)
    return weights


def print_company(dice: Sights, lead: FloatArray, weights: FloatArray) -> None:
    """Print how well sets of each kind are told by the lead alone and in company."""
    for kind in SETS:
        features, shows_pips = in_sets(dice, lead, {kind: 1.0})
        for name, margin in (("alone", features[:, 0]), ("in company", features @ weights[:-1] + weights[-1])):
            doubted, still = (margin < 0)[shows_pips], (margin >= 0)[~shows_pips]
            sys.stdout.write(
                f"{kind}, judged {name}: {doubted.sum()} of {len(doubted)} dice with pips doubted, {still.sum()} of "
                f"{len(still)} others that were read as pips not\n"
            )


def line(dice: Sights, lead: np.ndarray) -> str:
    """Return how many dice are doubted, and how many other faces are not."""
    still = lead >= 0
    is_sure, is_other = dice.read >= 0, dice.shows == OTHER
    right, other = is_sure & (dice.read == dice.shows), is_sure & is_other
    return (
        f"{right.sum()} dice with pips, {(right & ~still).sum()} doubted; "
        f"of {is_other.sum()} others {other.sum()} read as pips, {(other & still).sum()} still\n"
    )


def real_faces(folder: Path) -> str:
    """Return how real dice without pips are read: before teaching, and after one view of each face was taught."""
    reader, net, seen, trusted = Reader(tray=False), FaceReader(), defaultdict[str, list[F32]](list), 0
    for name, dice in json.loads(REAL_FACES.read_text(encoding="utf-8")).items():
        trace = reader.trace(load_image(folder / name))
        for x, y, edge_px, face in dice:
            near = [die for die in trace.reading.dice if np.hypot(*np.subtract(die.center_px, (x, y))) < edge_px / 2]
            trusted += any(die.unread is None for die in near)
            k = np.hypot(*(trace.believed.found.center_xy - (x, y)).T).argmin()
            seen[face].append(net.look_at(trace.looked.picture, trace.believed.found.some(k[None]).squares)[0])
    named = {face: looks for face, looks in seen.items() if face not in UNNAMED}
    own = OwnFaces([TaughtFace("", number, looks[0][None]) for number, looks in enumerate(named.values())])
    read = [(number, own.nearest("", look)) for number, looks in enumerate(named.values()) for look in looks[1:]]
    right, sure = ([number == near.face.value for number, near in read], [near.is_sure for _, near in read])
    good = sum(map(and_, right, sure))
    return (
        f"{sum(map(len, seen.values()))} real dice without pips, {trusted} trusted as pips; one view of {len(named)} "
        f"faces taught: {sum(right)} of {len(read)} others read right, {good} of them trusted, "
        f"{sum(sure) - good} trusted and wrong\n"
    )


def main() -> None:
    """Read the command line; print how well it is told, or write what is fitted, with how well scenes left out are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--icons", type=Path, nargs="+", required=True)
    parser.add_argument("--fonts", type=Path, required=True)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--trays", type=Path, nargs="+", help="folders with labels.json")
    what.add_argument("--photographs", type=Path, help="folder of sources")
    parser.add_argument("--painted", type=int, default=3, help="number of times that each picture's dice are painted")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--fit-company", action="store_true", help="fit what a tray's other dice say, on other trays")
    parser.add_argument("--doubted", type=float, help="share of the dice with pips that may be doubted; as fitted")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    others = [*icons_of(args.icons), *(mask for masks in digits(args.fonts) for mask in masks)]
    reader = Reader(tray=not args.photographs, faces=_Believing(()))
    dice_of: Dice = right_dice if args.photographs else labelled_dice
    if args.photographs:
        name = "pips_anywhere"
        pictures = [one for one in photographs(args.photographs) if one.held != args.fit and not one.is_crop]
    else:
        name = "pips"
        pictures = [picture for folder in args.trays for picture in labelled_trays(folder, "traced")]
    dice = sights(reader, dice_of, pictures, others, args.painted)
    if not args.fit:
        lead = leads(dice, getattr(load_points(), name))
        sys.stdout.write(line(dice, lead))
        if args.fit_company:
            keep_points({"pips_in_company": in_company_fitted(dice, lead).tolist()})
        elif args.trays:
            print_company(dice, lead, load_points().pips_in_company)
        if args.photographs:
            sys.stdout.write(real_faces(args.photographs))
        return
    is_first = np.random.default_rng(0).random(dice.scene.max() + 1)[dice.scene] < 0.5
    lead = np.where(is_first, leads(dice, fitted(dice, ~is_first)), leads(dice, fitted(dice, is_first)))
    weights = fitted(dice, np.ones(len(is_first), bool))
    if args.doubted is not None:
        allowance = min(0.0, float(np.quantile(lead[(dice.read == dice.shows)], args.doubted)))
        lead -= allowance
        weights[OTHER, -1] += round(allowance, 3)
    sys.stdout.write(line(dice, lead))
    keep_points({name: weights.tolist()})


if __name__ == "__main__":
    main()
