"""Teaches the face reader further, at places that the reader weighed.

python -m vision.training.face_further OUT/face.onnx PLACES --start WEIGHTS/face.onnx
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from vision.classification.face_reader import FACE_PX, FACE_SPAN
from vision.training.close import Known, jittered, load_both, place_of
from vision.training.dataset import LEANING, NOT_TOP, UNASKED
from vision.training.nets import export, face_net, resume
from vision.training.places import NO_DIE
from vision.training.train import (
    as_input,
    ask_usual,
    descend,
    lean_loss,
    make_ready,
    running_mean,
    said_by,
    schedule,
    taught_by,
    vary_crop,
)

SIDE = FACE_PX, FACE_SPAN
EASY = 0.5
"""For each place that was looked at closely so many others."""
UNKNOWN_LABEL = -1


def labels_of(known: Known) -> npt.NDArray[np.int64]:
    """Columns of the face reader for places, shape (N,); `UNKNOWN_LABEL` for dice that do not lie flat.

    Of those only trays know, and without a tray the reader's own word for cocked counts.
    """
    labels = known.labels.copy()
    labels[known.labels == NO_DIE] = NOT_TOP
    leans = (known.kinds == LEANING) | (known.kinds == UNASKED)
    labels[leans & (known.labels < NO_DIE)] = UNKNOWN_LABEL
    return labels


def table_of(said: torch.Tensor, labels: npt.NDArray[np.int64]) -> str:
    """Shares of values read wrong and of what is no top face but called one."""
    shown = said[:, :8].argmax(dim=1).numpy()
    parts = (("values", labels < NOT_TOP), ("no top", labels == NOT_TOP))
    return ", ".join(f"{name} wrong {float((shown[of] != labels[of]).mean()):.4f}" for name, of in parts)


def train(asked: argparse.Namespace, batch: int = 192) -> None:
    """Train for some passes; the weights of the running mean are written after each."""
    rng = np.random.default_rng(18)
    torch.manual_seed(18)
    known, held = load_both(asked.folders)
    labels, held_labels = labels_of(known), labels_of(held)
    tried = np.flatnonzero(held_labels != UNKNOWN_LABEL)
    held_input = as_input([jittered(place_of(held, i), rng, 0.0, SIDE).crop for i in tried.tolist()])
    held_labels = held_labels[tried]
    net = face_net()
    resume(net, asked.start, held_input[:512])
    teacher = taught_by(face_net(), asked.start, held_input[:512])
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=3e-3)
    hard = np.flatnonzero(known.doubtful & (labels != UNKNOWN_LABEL))
    easy = np.flatnonzero(~known.doubtful & (labels != UNKNOWN_LABEL))
    sys.stderr.write(f"{len(hard)} places in doubt, {len(easy)} others, {len(tried)} held\n")
    sys.stderr.write(f"before, {table_of(said_by(net, held_input), held_labels)}\n")
    for done in range(asked.passes):
        order = rng.permutation(np.concatenate([hard, rng.permutation(easy)[: int(EASY * len(hard))]]))
        losses = []
        net.train()
        for start in range(0, len(order) - batch + 1, batch):
            rows = order[start : start + batch]
            views = [jittered(place_of(known, i), rng, 1.0, SIDE) for i in rows.tolist()]
            given = as_input([vary_crop(view.crop, FACE_PX / FACE_SPAN, rng) for view in views])
            schedule(optimiser, (done + start / len(order)) / asked.passes, asked.rate)
            said = net(given).flatten(1)
            told = torch.from_numpy(labels[rows])
            loss = functional.cross_entropy(said[:, :8], told, label_smoothing=0.02)
            # Places do not know how their dice lean: what the net said before is kept.
            loss = loss + lean_loss(said, teacher(given).flatten(1)[:, 8:], told)
            losses.append(descend(loss, net, optimiser, mean))
        sys.stderr.write(
            f"pass {done + 1} of {asked.passes}, loss {np.mean(losses):.3f}, "
            f"{table_of(said_by(mean, held_input), held_labels)}\n"
        )
        export(mean.module, (1, 3, FACE_PX, FACE_PX), asked.out)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask_usual(parser, "vision.training.places", passes=5, rate=1e-3)
    parser.add_argument("--start", type=Path, required=True, help="weights (.onnx) of the face reader to go on from")
    asked = parser.parse_args()
    make_ready(asked)
    train(asked)


if __name__ == "__main__":
    main()
