"""Trains the lean net on crops of drawn dice: which way the middle of a die's bottom lies from that of its top.

python -m vision.training.lean OUT/lean.onnx SETS/9 --held SETS/lying2 --start WEIGHTS/close.onnx
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from vision.standing.close_look import CLOSE_PX, CLOSE_SPAN
from vision.training.dataset import FLAT, LEANING, STACKED
from vision.training.nets import export, lean_net, resume
from vision.training.stance import Stands, View, given_of, jittered, load_stands
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
from vision.types.frame import F32

SIDE = CLOSE_PX, CLOSE_SPAN
FLAT_SHOWN = 0.7
"""Share of the flat dice that a pass shows; of the others all."""
LEAST_ERROR, MOST_ERROR = -5.0, 1.0
"""Between these, logarithms of edges, lies the error that the net reports of itself."""


def seen_alone(stands: Stands, i: int, rng: np.random.Generator, amount: float) -> View:
    """A die as the net sees it, which is not told what one lying flat would show."""
    return replace(jittered(stands, i, rng, amount, SIDE), flat=np.zeros(2, np.float32))


def loss_of(said: torch.Tensor, leans: torch.Tensor) -> torch.Tensor:
    """Of leans and the logarithms of their errors, shape (N, 3): Laplace's density of the true leans, its logarithm."""
    error = said[:, 2].clamp(LEAST_ERROR, MOST_ERROR)
    return ((said[:, :2] - leans).abs().sum(dim=1) * torch.exp(-error) + 2.0 * error).mean()


def table_of(off: F32, kinds: npt.NDArray[np.int64]) -> str:
    """How far off leans are, in edges, of dice of each kind: half of them, and 95 in a hundred, are nearer."""
    return ", ".join(
        f"{name} {np.median(off[kinds == kind]):.3f} and {np.percentile(off[kinds == kind], 95):.3f}"
        for name, kind in (("flat", FLAT), ("leaning", LEANING), ("stacked", STACKED))
    )


def leans_of(views: Sequence[View]) -> F32:
    """How they truly lean, shape (N, 2)."""
    return np.array([view.lean for view in views])


def train(asked: argparse.Namespace, batch: int = 128) -> None:
    """Train for some passes over all dice; the weights of the running mean are written after each."""
    rng = np.random.default_rng(17)
    torch.manual_seed(17)
    held, still = load_stands([asked.held]), np.random.default_rng(0)
    views = [seen_alone(held, i, still, 0.7) for i in range(len(held.kinds))]
    held_input, held_leans = given_of(views, [view.crop for view in views], CLOSE_SPAN), leans_of(views)
    known = load_stands(asked.folders)
    flat, other = np.flatnonzero(known.kinds == FLAT), np.flatnonzero(known.kinds != FLAT)
    net = lean_net()
    if asked.start:
        resume(net, asked.start, held_input[:512])
    channels_last(net)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=3e-3)
    sys.stderr.write(f"{len(known.kinds)} dice, by kind {np.bincount(known.kinds)}, held {np.bincount(held.kinds)}\n")
    for done in range(asked.passes):
        order = rng.permutation(np.concatenate([other, rng.permutation(flat)[: int(FLAT_SHOWN * len(flat))]]))
        losses = []
        net.train()
        for start in range(0, len(order) - batch + 1, batch):
            views = [seen_alone(known, int(i), rng, 1.0) for i in order[start : start + batch]]
            given = given_of(views, [vary_crop(view.crop, CLOSE_PX / CLOSE_SPAN, rng) for view in views], CLOSE_SPAN)
            schedule(optimiser, (done + start / len(order)) / asked.passes, asked.rate)
            said = net(given.contiguous(memory_format=torch.channels_last)).flatten(1)
            losses.append(descend(loss_of(said, torch.from_numpy(leans_of(views))), net, optimiser, mean))
        off = np.hypot(*(np.asarray(said_by(mean, held_input), np.float32)[:, :2] - held_leans).T)
        told = table_of(off, held.kinds)
        sys.stderr.write(f"pass {done + 1} of {asked.passes}, loss {np.mean(losses):.3f}, off by: {told}\n")
        export(mean.module, (1, 5, CLOSE_PX, CLOSE_PX), asked.out)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask_usual(parser, "vision.training.dataset", passes=13, rate=2.5e-3)
    parser.add_argument("--held", type=Path, required=True, help="drawn likewise, only to be tried on")
    parser.add_argument("--start", type=Path, help="weights (.onnx) of a close net or a lean net to begin with")
    asked = parser.parse_args()
    make_ready(asked)
    train(asked)


if __name__ == "__main__":
    main()
