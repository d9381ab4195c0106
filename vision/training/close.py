"""Trains the close net on places that the reader weighed: what shows there, and how it stands.

python -m vision.training.close OUT/close.onnx PLACES --stands SETS/3 SETS/4 --face WIDE/face.onnx
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

from vision.standing.close_look import CLOSE_NO_DIE, CLOSE_PX, CLOSE_SPAN, CLOSE_VALUES
from vision.standing.stance import Beside, block, with_outlines
from vision.training.dataset import CROP_SPAN, FLAT, LEANING, STACKED, UNASKED
from vision.training.nets import close_net, export, resume, start_close
from vision.training.places import PLACE_SPAN, UNKNOWN
from vision.training.stance import SEEN, UNSEEN, Stands, load_stands
from vision.training.train import (
    ask_usual,
    channels_last,
    descend,
    make_ready,
    running_mean,
    said_by,
    schedule,
    vary_crop,
)
from vision.types.frame import F32, FloatArray, ImageBgr

HELD = 10
"""Of every so many trays one is only tried on."""
EASY = 0.25
"""How many other places are learned from for each place that was looked at closely."""
MORE = {FLAT: 0.16, LEANING: 0.25, STACKED: 0.25}
"""How many dice of the stance net are learned from for each place that was looked at closely, by kind."""
STANDING = 1.5
"""Weight of how it stands beside what shows."""
ERRS = 0.3
"""Share of the usual error that is added to what is known of a place: the reader that weighed it erred already."""
SIDES_ERR = 0.1
"""Error, in the logarithm, of how far a flat die's sides are said to show."""
FALSE_ALARMS, FALSE_NONE = 0.02, 0.01
"""Shares of flat dice called otherwise, and of dice called none, when a net is judged; among places in doubt."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Places with their truth.

    Attributes:
        crops: Shape (N, PLACE_PX, PLACE_PX, 3), the crops.
        labels: Shape (N,), value less one, `NO_DIE` or `UNKNOWN`.
        kinds: Shape (N,), `FLAT`, `LEANING`, `STACKED` or `UNASKED`.
        flats: Shape (N, 2), lean that a flat die would have at each place, as in `Places`.
        beside: Shape (N, MOST_BESIDE, 8, 2), outlines of the dice beside each, as in `Places`.
        doubtful: Shape (N,), whether the reader looked closely.
    """

    crops: ImageBgr
    labels: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    flats: F32
    beside: F32
    doubtful: npt.NDArray[np.bool_]


def load_places(files: Sequence[Path]) -> Known:
    """All places of some files that something can be learned from."""
    parts: dict[str, list[npt.NDArray[np.generic]]] = {}
    for path in files:
        with np.load(path) as data:
            asked = data["labels"] != UNKNOWN
            for name in data.files:
                parts.setdefault(name, []).append(data[name][asked])
    return Known(**{name: np.concatenate(part) for name, part in parts.items()})


def load_both(folders: Sequence[Path]) -> tuple[Known, Known]:
    """The places of some folders to learn from, and those of one tray in `HELD` that are only tried on."""
    files = sorted(path for folder in folders for path in folder.glob("places-*.npz"))
    learned = [path for number, path in enumerate(files) if number % HELD]
    return load_places(learned), load_places(files[::HELD])


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What shows of a place.

    Attributes:
        crop: Shape (S, S, 3), the crop around the place.
        span: Side of the crop, in edges of the face.
        flat: Shape (2,), lean of a flat die at that place, in edges along the crop's axes.
        blocks: Shape (K, 8, 2), outlines of the dice beside it, in edges along the crop's axes from its middle.
    """

    crop: ImageBgr
    span: float
    flat: FloatArray
    blocks: FloatArray


def jittered(
    wide: Seen, rng: np.random.Generator, amount: float, side: tuple[int, float] = (CLOSE_PX, CLOSE_SPAN)
) -> Seen:
    """The net's view of a wider one, turned by quarters, perhaps mirrored, and described with small errors.

    Args:
        wide: The wider view.
        rng: Chance.
        amount: Of the errors; 0 only cuts it out.
        side: Of what the net sees, in pixels and in edges.
    """
    wide_px, (side_px, span) = wide.crop.shape[0], side
    turn = (float(rng.integers(4)) * np.pi / 2 + np.radians(rng.normal(0, 4.0)) * amount) if amount else 0.0
    flip = -1.0 if amount and rng.random() < 0.5 else 1.0
    grown = float(np.exp(rng.normal(0, 0.06) * amount))
    way = np.array([[np.cos(turn) * flip, -np.sin(turn)], [np.sin(turn) * flip, np.cos(turn)]])
    move = way * (wide_px * span / wide.span / side_px * grown)
    off = rng.normal(0, 0.035, 2) * amount
    middle = (wide_px - 1) / 2 + off * wide_px / wide.span
    shift = np.column_stack([move, middle - move @ np.full(2, (side_px - 1) / 2)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpAffine(wide.crop, shift, (side_px, side_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    known = wide.blocks[rng.random(len(wide.blocks)) >= 0.03 * amount]
    moved = (known - off) @ way / grown + rng.normal(0, 0.025, (len(known), 1, 2)) * amount
    flat = wide.flat * (np.exp(rng.normal(0, SIDES_ERR)) if amount else 1.0)
    return Seen(np.asarray(out, np.uint8), span, way.T @ flat + rng.normal(0, 0.04, 2) * amount, moved)


def given_of(views: Sequence[Seen], crops: Sequence[ImageBgr]) -> torch.Tensor:
    """What the net is given for some views, their crops perhaps changed."""
    of = np.repeat(np.arange(len(views)), [len(view.blocks) for view in views])
    beside = Beside(of, np.concatenate([view.blocks for view in views]).reshape(-1, 8, 2))
    planes = with_outlines(np.array(crops), views[0].span, np.array([view.flat for view in views]), beside)
    return torch.from_numpy(planes)


def place_of(known: Known, i: int) -> Seen:
    """One place, wide."""
    blocks = known.beside[i][~np.isnan(known.beside[i][:, 0, 0])].astype(np.float64)
    return Seen(known.crops[i], PLACE_SPAN, known.flats[i].astype(np.float64), blocks)


def stand_of(stands: Stands, i: int, rng: np.random.Generator) -> Seen:
    """One of the stance net's dice likewise."""
    rows = stands.beside[i].astype(np.float64)
    rows = rows[rng.uniform(UNSEEN, SEEN, len(rows)) <= rows[:, 6]]
    blocks = block(rows[:, :2], rows[:, 2:4], rows[:, 4:6])
    return Seen(stands.images[i], CROP_SPAN, stands.flats[i].astype(np.float64), blocks)


def view_of(
    known: Known,
    stands: Stands,
    row: int,
    rng: np.random.Generator,
    side: tuple[int, float] = (CLOSE_PX, CLOSE_SPAN),
) -> Seen:
    """A net's view, of that side, of a place or, from the places' end on, of one of the stance net's dice."""
    i = row - len(known.labels)
    # What is known beside a die of the stance net gets the whole error.
    wide, errs = (place_of(known, row), ERRS) if i < 0 else (stand_of(stands, i, rng), 1.0)
    return jittered(wide, rng, errs, side)


def table_of(values: F32, stances: F32, held: Known) -> str:
    """How many leaning and stacked dice and places that are no dice are recognised at few false alarms."""
    flat = held.kinds == FLAT
    limit = float(np.quantile(stances[flat, 0], FALSE_ALARMS))
    told = [f"{name} {float((stances[held.kinds == kind, 0] < limit).mean()):.3f}" for name, kind in
            (("leaning", LEANING), ("stacked", STACKED))]  # fmt: skip
    none = held.labels == CLOSE_NO_DIE
    least = float(np.quantile(values[~none, CLOSE_NO_DIE], 1 - FALSE_NONE))
    wrong = float((values[flat, :CLOSE_NO_DIE].argmax(axis=1) != held.labels[flat]).mean())
    return (
        f"{', '.join(told)}, no die {float((values[none, CLOSE_NO_DIE] > least).mean()):.3f}, values wrong {wrong:.4f}"
    )


def train(asked: argparse.Namespace, batch: int = 128) -> None:
    """Train for some passes; the weights of the running mean are written after each."""
    rng = np.random.default_rng(14)
    torch.manual_seed(14)
    known, held = load_both(asked.folders)
    tried = np.flatnonzero(held.doubtful)
    held = Known(**{name: getattr(held, name)[tried] for name in Known.__slots__})
    views = [jittered(place_of(held, i), rng, 0.0) for i in range(len(held.labels))]
    held_input = given_of(views, [view.crop for view in views])
    stands = load_stands(asked.stands)
    hard, easy = np.flatnonzero(known.doubtful), np.flatnonzero(~known.doubtful)
    net = close_net()
    if asked.face:
        start_close(net, asked.face, held_input[:512])
    if asked.start:
        resume(net, asked.start, held_input[:512])
    channels_last(net)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=3e-3)
    sys.stderr.write(f"{len(hard)} places in doubt, {len(easy)} others, {len(stands.kinds)} dice, {len(tried)} held\n")
    for done in range(asked.passes):
        others = rng.permutation(easy)[: int(EASY * len(hard))]
        more = [rng.permutation(np.flatnonzero(stands.kinds == k))[: int(s * len(hard))] for k, s in MORE.items()]
        # Dice of the stance net count on from the places' end.
        order = rng.permutation(np.concatenate([hard, others, *(rows + len(known.labels) for rows in more)]))
        losses = []
        net.train()
        for start in range(0, len(order) - batch + 1, batch):
            views, labels, kinds = [], [], []
            for i in order[start : start + batch].tolist():
                row = i - len(known.labels)
                views.append(view_of(known, stands, i, rng))
                labels.append(int(known.labels[i]) if row < 0 else UNKNOWN)
                kinds.append(int(known.kinds[i] if row < 0 else stands.kinds[row]))
            given = given_of(views, [vary_crop(view.crop, CLOSE_PX / CLOSE_SPAN, rng) for view in views])
            schedule(optimiser, (done + start / len(order)) / asked.passes, asked.rate)
            said = net(given.contiguous(memory_format=torch.channels_last)).flatten(1)
            shown, stood = said[:, :CLOSE_VALUES], said[:, CLOSE_VALUES : CLOSE_VALUES + 3]
            loss = functional.cross_entropy(shown, torch.tensor(labels), ignore_index=UNKNOWN, label_smoothing=0.01)
            standing = functional.cross_entropy(stood, torch.tensor(kinds), ignore_index=UNASKED, label_smoothing=0.01)
            losses.append(descend(loss + STANDING * standing, net, optimiser, mean))
        said = said_by(mean, held_input)
        values = np.asarray(torch.softmax(said[:, :CLOSE_VALUES], dim=1), np.float32)
        stances = np.asarray(torch.softmax(said[:, CLOSE_VALUES : CLOSE_VALUES + 3], dim=1), np.float32)
        told = table_of(values, stances, held)
        sys.stderr.write(f"pass {done + 1} of {asked.passes}, loss {np.mean(losses):.3f}, {told}\n")
        export(mean.module, (1, 5, CLOSE_PX, CLOSE_PX), asked.out)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask_usual(parser, "vision.training.places", passes=22, rate=2.5e-3)
    parser.add_argument("--stands", type=Path, nargs="+", required=True, help="drawn by vision.training.dataset")
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument("--face", type=Path, help="weights (.onnx) of a face reader to begin with")
    begin.add_argument("--start", type=Path, help="weights (.onnx) of a close net to go on from")
    asked = parser.parse_args()
    make_ready(asked)
    train(asked)


if __name__ == "__main__":
    main()
