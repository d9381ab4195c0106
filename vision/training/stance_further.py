"""Teaches the stance net further, on dice at places that the reader weighed, with what it saw beside them.

python -m vision.training.stance_further OUT/stance.onnx PLACES --stands SETS/7 SETS/8 --start WEIGHTS/stance.onnx
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from vision.standing.stance import STANCE_PX, STANCE_SPAN
from vision.training.close import given_of, jittered, load_both, place_of, view_of
from vision.training.dataset import UNASKED
from vision.training.nets import export, resume, stance_net
from vision.training.stance import judged, load_stands
from vision.training.train import ask_usual, descend, make_ready, running_mean, schedule, vary_crop

SIDE = STANCE_PX, STANCE_SPAN


def train(asked: argparse.Namespace, batch: int = 192) -> None:
    """Train for some passes over all dice; the weights of the running mean are written after each."""
    rng = np.random.default_rng(16)
    torch.manual_seed(16)
    known, held = load_both(asked.folders)
    tried = np.flatnonzero(held.kinds != UNASKED)
    views = [jittered(place_of(held, i), rng, 0.0, SIDE) for i in tried.tolist()]
    held_input = given_of(views, [view.crop for view in views])
    stands = load_stands(asked.stands)
    kinds = np.concatenate([known.kinds, stands.kinds])
    net = stance_net()
    resume(net, asked.start, held_input[:512])
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.997), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=3e-3)
    sys.stderr.write(f"dice by kind {np.bincount(kinds)}, held {np.bincount(held.kinds[tried])}\n")
    sys.stderr.write(f"before, {judged(net, held_input, held.kinds[tried])}\n")
    for done in range(asked.passes):
        order = rng.permutation(np.flatnonzero(kinds != UNASKED))
        losses = []
        net.train()
        for start in range(0, len(order) - batch + 1, batch):
            rows = order[start : start + batch]
            views = [view_of(known, stands, row, rng, SIDE) for row in rows.tolist()]
            given = given_of(views, [vary_crop(view.crop, STANCE_PX / STANCE_SPAN, rng) for view in views])
            schedule(optimiser, (done + start / len(order)) / asked.passes, asked.rate)
            said = net(given).flatten(1)[:, :3]
            loss = functional.cross_entropy(said, torch.from_numpy(kinds[rows]), label_smoothing=0.01)
            losses.append(descend(loss, net, optimiser, mean))
        told = judged(mean, held_input, held.kinds[tried])
        sys.stderr.write(f"pass {done + 1} of {asked.passes}, loss {np.mean(losses):.3f}, {told}\n")
        export(mean.module, (1, 5, STANCE_PX, STANCE_PX), asked.out)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask_usual(parser, "vision.training.places", passes=5, rate=1.5e-3)
    parser.add_argument("--stands", type=Path, nargs="+", required=True, help="drawn by vision.training.dataset")
    parser.add_argument("--start", type=Path, required=True, help="weights (.onnx) of the stance net to go on from")
    asked = parser.parse_args()
    make_ready(asked)
    train(asked)


if __name__ == "__main__":
    main()
