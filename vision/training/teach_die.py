"""Trains the net that reads cropped dice.

python -m vision.training.teach_die cut FIXTURES BANK.npz --drawn SETS/20
python -m vision.training.teach_die teach BANK.npz STATE OUT.onnx --steps 10000
"""

import argparse
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from vision.classification.die_net import DIE_PX, DIE_SPANS, NO_DIE
from vision.detection.detector import Detector
from vision.detection.found import Found
from vision.detection.scales import find_anywhere
from vision.imaging.pyramid import ImagePyramid
from vision.training.augment import relit
from vision.training.backbone import imagenet_weights
from vision.training.crops import (
    CROP_SPAN,
    KINDS,
    UNLABELLED,
    CropBank,
    add_dice,
    add_false_places,
    add_pips,
    add_plain_dice,
    add_printed,
)
from vision.training.dice_nets import DieNet, export
from vision.training.labelled import SIZES_UNKNOWN, LabelledPicture, gather
from vision.training.loop import Learner, LoopParams, learning_device, teach
from vision.types.frame import FloatArray, ImageBgr

SMALL_SIDE_PX = 330
"""Longer side of the copy in which pips of large dice are mistaken for small dice."""
_SHARES = {"drawn": 0.20, "traced": 0.15, "photograph": 0.40, "negative": 0.22, "plain": 0.03}

_SHIFT, _SCALE, _SQUEEZE, _PERSPECTIVE = 0.14, 0.2, 0.22, 0.18
"""Greatest changes of crops: in edges; logarithms of the scale and of the sides' ratio; change of perspective."""
_COVERED = 0.2
"""Share of crops that are partly covered."""


def looks_at(crops: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Return crops as the net sees them: rotated, mirrored, shifted, seen at an angle.

    Args:
        crops: Shape (N, 3, S, S), `CROP_SPAN` edges wide, 0 to 1.

    Returns:
        Shape (N, 3, `DIE_PX`, `DIE_PX`), `DIE_SPANS[0]` edges wide; and the place of the top in it, rows of the half
        axes of a square of an edge, for computing what a cover hides: shape (N, 2, 2), in half sides of the look.
    """
    count = len(crops)
    turn = rng.uniform(0, 2 * np.pi, count)
    size = DIE_SPANS[0] / CROP_SPAN * np.exp(rng.uniform(-_SCALE, _SCALE, count))
    squeeze = np.exp(rng.uniform(-_SQUEEZE, _SQUEEZE, count) / 2)
    c, s = np.cos(turn), np.sin(turn)
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    linear = np.empty((count, 2, 2))
    linear[:, 0, 0], linear[:, 0, 1] = c * mirror * squeeze, -s / squeeze
    linear[:, 1, 0], linear[:, 1, 1] = s * mirror * squeeze, c / squeeze
    # The direction of the squeeze is independent of the rotation.
    again = rng.uniform(0, 2 * np.pi, count)
    ca, sa = np.cos(again), np.sin(again)
    first = np.stack([np.stack([ca, -sa], -1), np.stack([sa, ca], -1)], -2)
    linear = (linear @ first) * size[:, None, None]
    shift = rng.uniform(-_SHIFT, _SHIFT, (count, 2)) * 2 / CROP_SPAN
    slant = rng.uniform(-_PERSPECTIVE, _PERSPECTIVE, (count, 2))
    linear_of, shift_of, slant_of = (
        torch.from_numpy(part.astype(np.float32)).to(crops.device) for part in (linear, shift, slant)
    )
    line = (torch.arange(DIE_PX, device=crops.device) + 0.5) / DIE_PX * 2 - 1
    grid = torch.stack(torch.meshgrid(line, line, indexing="xy"), -1).reshape(1, -1, 2)
    where = grid @ linear_of.mT / (1 + grid @ slant_of[:, :, None]) + shift_of[:, None]
    where = where.reshape(count, DIE_PX, DIE_PX, 2)
    seen = functional.grid_sample(crops, where, mode="bilinear", padding_mode="border", align_corners=False)
    axes = np.linalg.inv(linear) / CROP_SPAN
    return seen, torch.from_numpy(axes.astype(np.float32)).to(crops.device)


def covered(seen: Tensor, axes: Tensor, share: Tensor, rng: np.random.Generator) -> Tensor:
    """Cover some of the looks with a half-plane or a disc of some colour, or of another crop; changes `seen`.

    Args:
        seen: Shape (N, 3, `DIE_PX`, `DIE_PX`).
        share: Visible share of each top so far, shape (N,).

    Returns:
        Remaining visible share of each top, shape (N,).
    """
    count, device = len(seen), seen.device
    line = (torch.arange(DIE_PX, device=device) + 0.5) / DIE_PX * 2 - 1
    grid = torch.stack(torch.meshgrid(line, line, indexing="xy"), -1)

    def each(low: float, high: float, size: tuple[int, ...] = (count, 1, 1)) -> Tensor:
        return torch.tensor(rng.uniform(low, high, size), dtype=torch.float32, device=device)

    def often(part: float) -> Tensor:
        return torch.tensor(rng.random(count) < part, device=device)

    way = each(0, 2 * np.pi)
    along = grid[..., 0] * torch.cos(way) + grid[..., 1] * torch.sin(way)
    far = each(0.3, 1.0)
    off = (grid[..., 0] - far * torch.cos(way)) ** 2 + (grid[..., 1] - far * torch.sin(way)) ** 2
    mask = torch.where(often(0.7)[:, None, None], along > each(-0.3, 0.75), off < each(0.2, 0.7) ** 2)
    mask &= often(_COVERED)[:, None, None]
    plain = each(0, 1, (count, 3, 1, 1))
    others = seen[torch.from_numpy(rng.integers(count, size=count)).to(device)].flip(-1)
    laid = torch.where(often(0.6)[:, None, None, None], plain.expand_as(seen), others)
    seen.copy_(torch.where(mask[:, None], laid, seen))
    inside = (grid.reshape(1, -1, 2) @ torch.linalg.inv(axes).mT).abs().amax(-1).reshape(mask.shape) < 1
    hidden = (mask & inside).sum((1, 2)) / inside.sum((1, 2)).clamp(min=1)
    return share * (1 - hidden)


def die_losses(answers: Tensor, labels: Tensor, share: Tensor) -> dict[str, Tensor]:
    """Return the cross entropies of what a die shows, if it has a label, and of its visible share.

    Args:
        answers: Shape (N, 9 or more).
        labels: Shape (N,), see `CropBank`.
        share: Shape (N,), visible share of its top.
    """
    is_die = labels != NO_DIE
    labelled = (~is_die) | ((share > 0.75) & (labels != UNLABELLED))
    value = functional.cross_entropy(answers[labelled, :8], labels[labelled], label_smoothing=0.03)
    part = functional.binary_cross_entropy_with_logits(answers[is_die, 8], share[is_die])
    return {"value": value, "seen": 0.3 * part}


def cut_bank(pictures: list[LabelledPicture], path: Path, seed: int, workers: int) -> None:
    """Cut crops from pictures, with the detector's mistakes among them, and store them in a file."""
    bank = CropBank()
    with ProcessPoolExecutor(workers) as pool:
        numbered = [(picture, k, seed) for k, picture in enumerate(pictures)]
        for k, part in enumerate(pool.map(_cut_one, numbered, chunksize=4)):
            bank.join(part)
            if k % 100 == 0:
                sys.stderr.write(f"{k} of {len(pictures)} pictures, {len(bank.labels)} crops\n")
    bank.save(path)


@cache
def _detector() -> Detector:
    cv2.setNumThreads(1)
    return Detector()


def _cut_one(job: tuple[LabelledPicture, int, int]) -> CropBank:
    """Return the crops of one picture; `seed` and its number among all select them."""
    picture, k, seed = job
    bank = CropBank()
    detector = _detector()
    rng = np.random.default_rng([seed, k])
    image = picture.load()
    kind = picture.kind
    add_dice(bank, picture, image, kind, rng)
    if picture.is_complete and not (kind == "drawn" and k % 3):
        found = find_anywhere(detector, ImagePyramid(image))
        add_false_places(bank, picture, image, _rows(found), rng)
    if kind != "drawn" and picture.source not in SIZES_UNKNOWN:
        add_pips(bank, picture, image, lambda part: _rows(_found_small(detector, part)), rng)
    if not picture.is_crop and k % 2 == 0:
        add_printed(bank, image, rng, 2)
        add_plain_dice(bank, image, rng, 1)
    return bank


def _found_small(detector: Detector, image: ImageBgr) -> Found:
    """Return what the detector takes for dice in a small copy."""
    return detector.find(ImagePyramid(image), min(1.0, SMALL_SIDE_PX / max(image.shape[:2])))


def _rows(found: Found) -> list[tuple[float, float, float, float, float]]:
    """Return rows of x, y, edge, turn, heat."""
    columns = (*found.center_xy.T.tolist(), found.edge_px.tolist(), found.turn_rad.tolist(), found.heat.tolist())
    return list(zip(*columns, strict=True))


def main() -> None:
    """Read the command line; cut or train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    cutting = steps.add_parser("cut")
    cutting.add_argument("fixtures", type=Path)
    cutting.add_argument("bank", type=Path)
    cutting.add_argument("--drawn", type=Path, nargs="*", default=[])
    cutting.add_argument("--seed", type=int, default=1)
    cutting.add_argument("--workers", type=int, default=1, help="processes that cut")
    teaching = steps.add_parser("teach")
    teaching.add_argument("bank", type=Path)
    teaching.add_argument("state", type=Path)
    teaching.add_argument("out", type=Path)
    teaching.add_argument("--steps", type=int, default=10000)
    teaching.add_argument("--minutes", type=float, default=math.inf, help="stop after so long, with fewer steps")
    teaching.add_argument("--batch", type=int, default=64)
    teaching.add_argument("--rate", type=float, default=2e-3)
    teaching.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.step == "cut":
        pictures = [p for p in gather(args.fixtures, args.drawn) if not p.held]
        cut_bank(pictures, args.bank, args.seed, args.workers)
        return
    device = learning_device()
    with np.load(args.bank) as bank:
        crops, labels, seen = (torch.from_numpy(bank[name]).to(device) for name in ("crops", "labels", "seen"))
        kinds, weights = bank["kinds"], bank["weights"]
    weights = weights * _evened(kinds, bank_sources(args.bank))
    picks = [(np.flatnonzero(kinds == KINDS.index(kind)), share) for kind, share in _SHARES.items()]
    sums = [(which, np.cumsum(weights[which]), share) for which, share in picks if len(which)]
    net = DieNet(imagenet_weights()).to(device, memory_format=torch.channels_last)

    def loss_of(learner: Learner, step: int) -> dict[str, Tensor]:
        rng = np.random.default_rng([args.seed, step])
        shares = np.array([share for _, _, share in sums])
        counts = rng.multinomial(args.batch, shares / shares.sum())
        chosen = torch.from_numpy(np.concatenate([
            which[np.searchsorted(total, rng.random(count) * total[-1])]
            for (which, total, _), count in zip(sums, counts, strict=True)
        ])).to(device)  # fmt: skip
        cut_out = crops[chosen].flip(-1).permute(0, 3, 1, 2).float() / 255
        pictures, axes = looks_at(cut_out, rng)
        share = covered(pictures, axes, seen[chosen], rng)
        shown = relit(pictures, rng).contiguous(memory_format=torch.channels_last)
        return die_losses(learner(shown), labels[chosen], share)

    params = LoopParams(args.steps, args.minutes, args.rate, backbone_rate=0.5, save_every=500)
    export(teach(net, loss_of, args.state, params), DIE_PX, args.out, {0: "n"})


def bank_sources(path: Path) -> FloatArray:
    """Return the source of each crop, as a number."""
    with np.load(path) as bank:
        return np.asarray(np.unique(bank["sources"], return_inverse=True)[1], np.float64)


def _evened(kinds: FloatArray, sources: FloatArray) -> FloatArray:
    """Return weights: within a kind, sources count by the square root of their crops, as similar ones teach little."""
    out = np.ones(len(kinds))
    for kind in np.unique(kinds):
        for source in np.unique(sources[kinds == kind]):
            which = (kinds == kind) & (sources == source)
            out[which] = 1 / np.sqrt(which.sum())
    return out


if __name__ == "__main__":
    main()
