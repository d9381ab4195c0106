"""Trains the stance net on crops of drawn dice: flat, leaning, or on another die.

python -m vision.training.stance OUT/stance.onnx SETS/4 SETS/5 --held SETS/held
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from vision.standing.stance import STANCE_PX, STANCE_SPAN, Beside, block, with_outlines
from vision.training.dataset import CROP_PX, CROP_SPAN, FLAT, LEANING, STACKED, UNASKED
from vision.training.nets import export, stance_net
from vision.training.train import (
    TAUGHT,
    ask_usual,
    begin,
    descend,
    make_ready,
    running_mean,
    said_by,
    schedule,
    share_loss,
    vary_crop,
)
from vision.types.frame import F32, FloatArray, ImageBgr

FALSE_ALARMS = 0.003
"""Share of flat dice that may be called otherwise when a net is judged."""
SEEN = 0.9
"""A die is known to its neighbours where so much of it shows."""
UNSEEN = 0.6
"""A die is not known to its neighbours where less of it shows; between this and `SEEN` chance decides."""
NEAR = 2.6
"""Dice with their middles nearer than this, in edges, can show in a crop."""


@dataclass(frozen=True, slots=True, eq=False)
class Stands:
    """Cut-out top faces with their truth.

    Attributes:
        images: Shape (N, 72, 72, 3), crops of the faces.
        kinds: Shape (N,), `FLAT`, `LEANING`, `STACKED` or `UNASKED`.
        leans: Shape (N, 2), leans in edges along the crop's axes.
        flats: Shape (N, 2), the lean of a die lying flat at that place.
        beside: Dice near each die, shape (K, 7): middle of the top and half an edge along one of its sides in edges
            along the crop's axes, lean, share of it that shows.
    """

    images: ImageBgr
    kinds: npt.NDArray[np.int64]
    leans: F32
    flats: F32
    beside: list[F32]


def load_stands(folders: list[Path]) -> Stands:
    """All top faces of some folders."""
    images, leans, stances = [], [], []
    beside: list[F32] = []
    for path in (p for folder in folders for p in sorted(folder.glob("truth-*.npz"))):
        with np.load(path) as data:
            asked = data["stances"][:, 0] != UNASKED
            images.append(data["crops"][asked])
            leans.append(data["leans"][asked])
            stances.append(data["stances"][asked])
            rows = data["rows"]
            known = zip(data["row_of"][asked], data["turns"][asked], stances[-1][:, 1:], strict=True)
            beside += [near_dice(rows, int(row), float(turn), flat) for row, turn, flat in known]
    kinds = np.concatenate(stances)
    flats = kinds[:, 1:]
    return Stands(np.concatenate(images), kinds[:, 0].astype(np.int64), np.concatenate(leans), flats, beside)


def near_dice(rows: F32, row: int, turn: float, flat: F32) -> F32:
    """The dice near one, as `Stands.beside` has them.

    Args:
        rows: Rows of all dice, as `dataset.add_picture` writes them.
        row: Index of the die that is asked about.
        turn: Turn of the crop's axes in the picture, in radians.
        flat: Shape (2,), lean of a flat die at that place, along the crop's axes. It stands for the lean of cocked dice
            near it, too.
    """
    own = rows[row]
    others = rows[(rows[:, 0] == own[0]) & (np.arange(len(rows)) != row)]
    ways = others[:, 5:7] - own[5:7]
    others, ways = (part[np.hypot(*ways.T) < NEAR * own[7]] for part in (others, ways))
    c, s = np.cos(turn), np.sin(turn)
    into = np.array([[c, -s], [s, c]]) / own[7]
    half = 0.5 * others[:, 7:8] * np.stack([np.cos(others[:, 8]), np.sin(others[:, 8])], axis=1)
    leans = np.where(others[:, 2:3] > 0, flat, others[:, 9:11] * others[:, 7:8] @ into)
    return np.concatenate([ways @ into, half @ into, leans, others[:, 4:5]], axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the net sees of a die: its crop, a flat die's lean there, the blocks beside it; and how it truly leans.

    Attributes:
        crop: Shape (S, S, 3), the crop around the die.
        flat: Shape (2,), lean of a flat die at that place, in edges along the crop's axes.
        beside: Outlines of the dice beside it, each of shape (8, 2), in edges along the crop's axes.
        lean: Shape (2,), true lean of the die, in edges along the crop's axes.
    """

    crop: ImageBgr
    flat: F32
    beside: list[FloatArray]
    lean: F32


def jittered(
    stands: Stands, i: int, rng: np.random.Generator, amount: float, side: tuple[int, float] = (STANCE_PX, STANCE_SPAN)
) -> View:
    """The net's view of a wider crop, as if all that is known of the dice had small errors.

    Args:
        stands: The crops.
        i: Which of them.
        rng: Chance.
        amount: Of the errors.
        side: Of what the net sees, in pixels and in edges.
    """
    side_px, span = side
    turn = float(rng.integers(4)) * np.pi / 2 + np.radians(rng.normal(0, 4.0)) * amount
    grown = float(np.exp(rng.normal(0, 0.06) * amount))
    flip = -1.0 if rng.random() < 0.5 else 1.0
    way = np.array([[np.cos(turn) * flip, -np.sin(turn)], [np.sin(turn) * flip, np.cos(turn)]])
    move = way * (CROP_PX * span / CROP_SPAN / side_px * grown)
    off = rng.normal(0, 0.035, 2) * amount
    middle = (CROP_PX - 1) / 2 + off * CROP_PX / CROP_SPAN
    shift = np.column_stack([move, middle - move @ np.full(2, (side_px - 1) / 2)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpAffine(stands.images[i], shift, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    lean = way.T @ stands.leans[i] / grown
    flat = way.T @ stands.flats[i] + rng.normal(0, 0.04, 2) * amount
    blocks = []
    for x, y, half_x, half_y, lean_x, lean_y, visible in stands.beside[i].tolist():
        if rng.uniform(UNSEEN, SEEN) > visible or rng.random() < 0.03 * amount:
            continue
        place = way.T @ (np.array([x, y]) - off) / grown + rng.normal(0, 0.035, 2) * amount
        half = way.T @ np.array([half_x, half_y]) / grown * np.exp(rng.normal(0, 0.05) * amount)
        leans = way.T @ np.array([lean_x, lean_y]) / grown + rng.normal(0, 0.04, 2) * amount
        blocks.append(block(place, half, leans))
    return View(np.asarray(out, np.uint8), np.asarray(flat, np.float32), blocks, np.asarray(lean, np.float32))


def given_of(views: Sequence[View], crops: Sequence[ImageBgr], span: float = STANCE_SPAN) -> torch.Tensor:
    """What the net is given for some views, `span` edges wide, their crops perhaps changed."""
    of = np.repeat(np.arange(len(views)), [len(v.beside) for v in views])
    blocks = np.array([corners for v in views for corners in v.beside]).reshape(-1, 8, 2)
    flats = np.array([v.flat for v in views])
    return torch.from_numpy(with_outlines(np.array(crops), span, flats, Beside(of, blocks)))


def table_of(shares: F32, kinds: npt.NDArray[np.int64]) -> str:
    """How many leaning and stacked dice are recognised at few false alarms."""
    wrong = 1.0 - shares[:, 0]
    limit = float(np.quantile(wrong[kinds == FLAT], 1.0 - FALSE_ALARMS))
    told = [f"{name} {float((wrong[kinds == kind] > limit).mean()):.3f}" for name, kind in
            (("leaning", LEANING), ("stacked", STACKED))]  # fmt: skip
    at_half = float((wrong[kinds == FLAT] > 0.5).mean())
    return f"limit {limit:.3f}: {', '.join(told)}; flat dice above 0.5 {at_half:.4f}"


def judged(net: torch.nn.Module, given: torch.Tensor, kinds: npt.NDArray[np.int64]) -> str:
    """How well a net judges dice of these kinds, by what it says of some input."""
    shares = torch.softmax(said_by(net, given)[:, :3], dim=1)
    return table_of(np.asarray(shares, np.float32), kinds)


def train(asked: argparse.Namespace, batch: int = 192) -> None:
    """Train for some passes over all crops; the weights of the running mean are written after each."""
    rng = np.random.default_rng(13)
    torch.manual_seed(13)
    held, still = load_stands([asked.held]), np.random.default_rng(0)
    views = [jittered(held, i, still, 0.7) for i in range(len(held.kinds))]
    held_input = given_of(views, [view.crop for view in views])
    known = load_stands(asked.folders)

    def some() -> torch.Tensor:
        parts = [jittered(known, int(i), rng, 1.0) for i in rng.permutation(len(known.kinds))[:512]]
        return given_of(parts, [part.crop for part in parts])

    net, teacher = begin(stance_net, asked, some)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=3e-3)
    sys.stderr.write(f"{len(known.kinds)} dice, by kind {np.bincount(known.kinds)}, held {np.bincount(held.kinds)}\n")
    for done in range(asked.passes):
        order = rng.permutation(len(known.kinds))
        losses = []
        net.train()
        for start in range(0, len(order) - batch + 1, batch):
            pick = order[start : start + batch]
            seen = [jittered(known, int(i), rng, 1.0) for i in pick]
            given = given_of(seen, [vary_crop(view.crop, STANCE_PX / STANCE_SPAN, rng) for view in seen])
            schedule(optimiser, (done + start / len(order)) / asked.passes, asked.rate)
            said = net(given).flatten(1)
            kinds = torch.from_numpy(known.kinds[pick])
            leans = torch.from_numpy(np.array([view.lean for view in seen]))
            loss = functional.cross_entropy(said[:, :3], kinds, label_smoothing=0.01)
            loss = loss + 0.5 * (said[:, 3:] - leans).abs().sum(dim=1).mean()
            if teacher:
                loss = loss + TAUGHT * share_loss(said[:, :3], teacher(given).flatten(1)[:, :3])
            losses.append(descend(loss, net, optimiser, mean))
        told = judged(mean, held_input, held.kinds)
        sys.stderr.write(f"pass {done + 1} of {asked.passes}, loss {np.mean(losses):.3f}, {told}\n")
        export(mean.module, (1, 5, STANCE_PX, STANCE_PX), asked.out)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask_usual(parser, "vision.training.dataset", passes=20, rate=3e-3)
    parser.add_argument("--held", type=Path, required=True, help="drawn likewise, only to be tried on")
    parser.add_argument("--start", type=Path, help="weights (.onnx) to go on from")
    parser.add_argument("--wide", action="store_true", help="train the wide net, which can teach the narrow one")
    parser.add_argument("--teacher", type=Path, help="weights (.onnx) of the wide net to learn from")
    asked = parser.parse_args()
    make_ready(asked)
    train(asked)


if __name__ == "__main__":
    main()
