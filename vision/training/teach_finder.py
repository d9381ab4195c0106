"""Teaches the finder, which looks for the tops of dice in trays, on pictures that `vision.training.dataset` drew.

python -m vision.training.teach_finder OUT/finder.onnx SETS/1 SETS/2 --steps 4500

The weights of a running mean are written every 500 steps and at the end. vision/README.md has the commands that made
the weights in vision/weights.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.detection.detector import NOMINAL_EDGE_PX, STRIDE, centred
from vision.frame import F32, FloatArray, ImageBgr
from vision.training.backbone import folded_of, settle
from vision.training.dataset import SHARD
from vision.training.dice_nets import export

FINDER_CHANNELS = 9
"""Heat, offset x and y, logarithm of the edge, cosine and sine of four times the turn, cocked, lean x and y.

Nothing rests on the last three; they only guide the learning."""
WINDOW_PX = 288
MISEXPOSED = 0.15
"""Share of the pictures that are burnt or dark."""
TAUGHT_HEAT = 0.1
"""Weight of a teacher's heat beside what is true: it leaves a little heat everywhere."""
EDGES_PX = (12.5, 60.0)
"""Edges of dice in the windows."""
BATCH = 8

Teacher = Callable[[Tensor], Tensor]
"""What a net that has learned says of an input."""
Pictures = Sequence[tuple[Path, FloatArray]]
"""Files with their rows of truth."""


def _block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class FinderNet(nn.Module):
    """Picture to maps at a quarter of its size: where top faces are, and for each its size, turn and lean.

    Most of the work is done at an eighth and a sixteenth, where it is cheap and sees far (about 170 px); a quarter is
    only visited on the way out, since centres of touching dice lie 14 px apart.
    """

    def __init__(self, *, wide: bool = False) -> None:
        """Make the layers, untrained.

        Args:
            wide: Of the width that teaches, not of the one that is used.
        """
        super().__init__()
        eighth, sixteenth, joined = (32, 64, 24) if wide else (24, 48, 16)
        self.stem = nn.Sequential(_block(3, 8, 2), _block(8, 16, 2))
        self.eighth = nn.Sequential(_block(16, eighth, 2), _block(eighth, eighth), _block(eighth, eighth))
        self.sixteenth = nn.Sequential(
            _block(eighth, sixteenth, 2), _block(sixteenth, sixteenth), _block(sixteenth, sixteenth)
        )
        self.up_eighth = nn.Conv2d(sixteenth, eighth, 1)
        self.join_eighth = _block(eighth, eighth)
        self.up_quarter = nn.Conv2d(eighth, 16, 1)
        self.join_quarter = _block(16, joined)
        self.head = nn.Conv2d(joined, FINDER_CHANNELS, 1)
        self.doubled = nn.Upsample(scale_factor=2.0, mode="nearest")
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -4.0  # centres are rare: begin with saying no
            self.head.bias[6] = -2.0

    @staticmethod
    def ways() -> list[tuple[int, int]]:
        """The spaces of channels that each convolution reads and writes, numbered; what is added is of one space."""
        stem, eighth, sixteenth = [(0, 1), (1, 2)], [(2, 3), (3, 4), (4, 5)], [(5, 6), (6, 7), (7, 8)]
        return [*stem, *eighth, *sixteenth, (8, 5), (5, 9), (9, 2), (2, 10), (10, 11)]

    def forward(self, picture: Tensor) -> Tensor:
        """Shape (N, 3, H, W), (grey - 128) / 64, H and W multiples of 16, to (N, 9, H/4, W/4)."""
        quarter = self.stem(picture)
        eighth = self.eighth(quarter)
        eighth = self.join_eighth(eighth + self.doubled(self.up_eighth(self.sixteenth(eighth))))
        return self.head(self.join_quarter(quarter + self.doubled(self.up_quarter(eighth))))


def resume(net: FinderNet, weights: Path, samples: Tensor) -> None:
    """Go on from an exported net, whose batch norms were folded into its convolutions.

    Args:
        net: Of the same layers, or of narrower ones, which take the weightiest channels; its weights are replaced.
        weights: The ONNX file.
        samples: Some inputs: their statistics become those of the batch norms, which then change nothing.

    Raises:
        ValueError: The file holds a net of other layers.
    """
    folded = folded_of(weights)
    convolutions = [part for part in net.modules() if isinstance(part, nn.Conv2d)]
    shapes = [tuple(convolution.weight.shape) for convolution in convolutions]
    if len(shapes) == len(folded):
        folded = thinned(folded, net.ways(), shapes)
    if [tuple(kernel.shape) for kernel, _ in folded] != shapes:
        raise ValueError(f"{weights} holds a net of other layers: name the weights of a finder")
    next_norm = (part for part in net.modules() if isinstance(part, nn.BatchNorm2d))
    with torch.no_grad():
        for convolution, (kernel, bias) in zip(convolutions, folded, strict=True):
            convolution.weight.copy_(kernel)
            # A convolution without a bias of its own is followed by a batch norm, which took it.
            owner = convolution if convolution.bias is not None else next(next_norm)
            owner.bias.copy_(bias)
    settle(net, samples)


def thinned(
    folded: list[tuple[Tensor, Tensor]], ways: list[tuple[int, int]], shapes: list[tuple[int, ...]]
) -> list[tuple[Tensor, Tensor]]:
    """The weightiest channels of a net's convolutions.

    A channel weighs as much as the norm of the weights that make it times the norm of those that use it.

    Args:
        folded: Kernel and bias of each convolution.
        ways: Of each the space of channels that it reads and the one that it writes; those of one space go together.
        shapes: Of the kernels wanted.

    Returns:
        Kernels and biases with as many channels as wanted, or with all where there are no more.
    """
    made: dict[int, Tensor] = {}
    used: dict[int, Tensor] = {}
    wanted: dict[int, int] = {}
    for (kernel, _), (into, out), shape in zip(folded, ways, shapes, strict=True):
        used[into] = used.get(into, 0) + kernel.square().sum(dim=(0, 2, 3))
        made[out] = made.get(out, 0) + kernel.square().sum(dim=(1, 2, 3))
        wanted |= {into: shape[1], out: shape[0]}
    kept = {
        space: torch.argsort(made.get(space, 1) * used.get(space, 1), descending=True, stable=True)[:count]
        .sort()
        .values
        for space, count in wanted.items()
    }
    return [
        (kernel[kept[out]][:, kept[into]], bias[kept[out]])
        for (kernel, bias), (into, out) in zip(folded, ways, strict=True)
    ]


def load_rows(folder: Path) -> dict[int, FloatArray]:
    """For each drawn picture its rows of truth; pictures without dice have none but are listed."""
    rows: dict[int, list[FloatArray]] = {int(p.stem): [] for p in sorted(folder.glob("*.jpg"))}
    known: set[int] = set()
    for path in sorted(folder.glob("truth-*.npz")):
        with np.load(path) as data:
            start = int(path.stem.split("-")[1])
            known.update(range(start, start + SHARD))
            for row in data["rows"]:
                rows[int(row[0])].append(row)
    return {k: np.asarray(v, np.float64).reshape(-1, 11) for k, v in rows.items() if k in known}


def vary_light(image: ImageBgr, rng: np.random.Generator) -> ImageBgr:
    """Another exposure, colour, gamma, now and then a burnt or dark picture, blur, noise or no colour at all."""
    exposure = rng.uniform(-0.9, 0.6) if rng.random() < MISEXPOSED else rng.normal(0, 0.16)
    gain = np.exp(exposure + rng.normal(0, 0.08, 3))
    gamma = float(np.exp(rng.normal(0, 0.15)))
    ramp = np.linspace(0, 1, 256)[:, None] ** gamma * gain * 255 + rng.normal(0, 5)
    out = cv2.LUT(image, np.clip(ramp, 0, 255).astype(np.uint8).reshape(1, 256, 3))
    kind = rng.random()
    if kind < 0.12:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.4, 1.1)))
    elif kind < 0.24:
        out = np.clip(out + rng.normal(0, rng.uniform(2, 9), out.shape), 0, 255).astype(np.uint8)
    elif kind < 0.29:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return np.asarray(out, np.uint8)


def window(image: ImageBgr, rows: FloatArray, rng: np.random.Generator) -> tuple[ImageBgr, FloatArray]:
    """A turned, scaled, perhaps mirrored window of a picture, and its rows of truth in the window's pixels."""
    wanted_px = float(np.exp(rng.uniform(np.log(EDGES_PX[0]), np.log(EDGES_PX[1]))))
    scale = float(np.clip(wanted_px / np.median(rows[:, 7]), 0.5, 1.9)) if len(rows) else float(rng.uniform(0.6, 1.5))
    rows = rows.copy()
    if scale < 1:
        # Averaged down as the reader does it, so that no pixel is skipped.
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        rows[:, 5:8] *= scale
        scale = 1.0
    turn = float(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.1)
    flip = -1.0 if rng.random() < 0.5 else 1.0
    move = scale * np.array([[np.cos(turn) * flip, -np.sin(turn)], [np.sin(turn) * flip, np.cos(turn)]])
    if len(rows) and rng.random() < 0.75:
        focus = rows[int(rng.integers(len(rows))), 5:7] + rng.normal(0, 60, 2)
    else:
        focus = rng.uniform(0, 1, 2) * [image.shape[1], image.shape[0]]
    shift = WINDOW_PX / 2 - move @ focus
    way = np.column_stack([move, shift])
    out = cv2.warpAffine(image, way, (WINDOW_PX, WINDOW_PX), borderMode=cv2.BORDER_REFLECT_101)
    new = rows.copy()
    new[:, 5:7] = rows[:, 5:7] @ move.T + shift
    new[:, 7] *= scale
    heading = np.stack([np.cos(rows[:, 8]), np.sin(rows[:, 8])], axis=1) @ move.T
    new[:, 8] = np.arctan2(heading[:, 1], heading[:, 0])
    new[:, 9:11] = rows[:, 9:11] @ (move / scale).T
    # The rim repeats mirrored dice that no row names: black there instead.
    blank = cv2.warpAffine(np.full(image.shape[:2], 255, np.uint8), way, (WINDOW_PX, WINDOW_PX))
    out[blank == 0] = int(rng.integers(0, 200))
    return np.asarray(out, np.uint8), new


def target_maps(rows: FloatArray, cells: tuple[int, int]) -> tuple[F32, F32]:
    """Truth as maps of shape (9, h, w), and (2, h, w): weight of the heat's loss, weight of all others'."""
    h, w = cells
    truth = np.zeros((FINDER_CHANNELS, h, w), np.float32)
    weight = np.zeros((2, h, w), np.float32)
    weight[0] = 1.0
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    nearest = np.full((h, w), 1e9, np.float32)
    for row in rows:
        x, y, edge = ((float(v) + 0.5) / STRIDE - 0.5 for v in (row[5], row[6], row[7]))
        edge = float(row[7]) / STRIDE
        if not (-2 < x < w + 2 and -2 < y < h + 2):
            continue
        far = (xs - x) ** 2 + (ys - y) ** 2
        if row[4] < 0.6 or row[7] < 9 or row[7] > 75:
            weight[0][far < (0.6 * edge) ** 2] = 0.0
            continue
        spread = max(0.11 * edge, 0.55)
        heat = np.exp(-far / (2 * spread * spread))
        cy, cx = round(y), round(x)
        if 0 <= cy < h and 0 <= cx < w:
            heat[cy, cx] = 1.0
        truth[0] = np.maximum(truth[0], heat)
        near = (far < 2.3) & (far < nearest)
        nearest[near] = far[near]
        truth[1][near], truth[2][near] = (x - xs)[near], (y - ys)[near]
        truth[3][near] = np.log(row[7] / NOMINAL_EDGE_PX)
        truth[4][near], truth[5][near] = np.cos(4 * row[8]), np.sin(4 * row[8])
        truth[6][near] = max(row[2], row[3])
        truth[7][near], truth[8][near] = np.clip(row[9:11], -2, 2)
        weight[1][near] = 1.0
    return truth, weight


def finder_loss(said: Tensor, truth: Tensor, weight: Tensor) -> Tensor:
    """Penalty-reduced focal loss on the heat (Law and Deng 2018), L1 on the rest, cross entropy on cocked."""
    heat = torch.sigmoid(said[:, 0]).clamp(1e-4, 1 - 1e-4)
    is_center = (truth[:, 0] > 0.999).float()
    hit = is_center * (1 - heat) ** 2 * heat.log()
    miss = (1 - is_center) * (1 - truth[:, 0]) ** 4 * heat**2 * (1 - heat).log()
    count = is_center.sum().clamp(min=1)
    loss = -((hit + miss) * weight[:, 0]).sum() / count
    near, total = weight[:, 1], weight[:, 1].sum().clamp(min=1)
    parts = torch.tensor([0.6, 0.6, 2.0, 0.8, 0.8, 0.0, 0.5, 0.5]).view(1, 8, 1, 1)
    rest = ((said[:, 1:] - truth[:, 1:]).abs() * parts).sum(dim=1)
    lying = functional.binary_cross_entropy_with_logits(said[:, 6], truth[:, 6], reduction="none")
    return loss + ((rest + 0.7 * lying) * near).sum() / total


def heat_loss(said: Tensor, taught: Tensor, weight: Tensor) -> Tensor:
    """Cross entropy of a heat, in logits, to a teacher's; for each face that the teacher sees."""
    heat = torch.sigmoid(taught[:, 0])
    apart = functional.binary_cross_entropy_with_logits(said[:, 0], heat, reduction="none")
    return (apart * weight[:, 0]).sum() / (heat > 0.5).sum().clamp(min=8)


def schedule(optimiser: torch.optim.Optimizer, done: float, top: float) -> None:
    """Linear rise over a twentieth, then half a cosine down."""
    rate = top * min(done / 0.05, 1.0) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * min(done, 1.0))))
    for group in optimiser.param_groups:
        group["lr"] = rate


def running_mean(keep: float) -> Callable[[Tensor, Tensor, Tensor | int], Tensor]:
    """A running mean of weights that keeps `keep` of itself at each step, at first less, to forget the start."""

    def mixed(mean: Tensor, now: Tensor, steps: Tensor | int) -> Tensor:
        share = 1 - min(keep, (1 + float(steps)) / (10 + float(steps)))
        return mean + (now - mean) * share

    return mixed


def taught_by(net: FinderNet, weights: Path, samples: Tensor) -> Teacher:
    """A teacher: a net with exported weights that learns no more.

    Args:
        net: Of the layers that the weights are of.
        weights: The ONNX file.
        samples: Some inputs.

    Raises:
        ValueError: The file holds a net of other layers.
    """
    resume(net, weights, samples)

    def said(given: Tensor) -> Tensor:
        with torch.no_grad():
            return net.eval()(given)

    return said


def as_input(images: Sequence[ImageBgr]) -> Tensor:
    """Pictures of one size as the net takes them."""
    return torch.from_numpy(centred(np.stack(images)))


def train(net: FinderNet, teacher: Teacher | None, known: Pictures, asked: argparse.Namespace) -> None:
    """Teach for some steps.

    Args:
        net: Changed.
        teacher: A net that it learns from as well, or None.
        known: Pictures with their truth.
        asked: With `out`, `steps` and `rate`.
    """
    rng = np.random.default_rng(11)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.997), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4)
    cells = (WINDOW_PX // STRIDE, WINDOW_PX // STRIDE)
    losses: list[float] = []
    for step in range(asked.steps):
        images, truths, weights = [], [], []
        for _ in range(BATCH):
            part, rows = _seen(known[int(rng.integers(len(known)))], rng)
            images.append(vary_light(part, rng))
            truth, weight = target_maps(rows, cells)
            truths.append(truth)
            weights.append(weight)
        schedule(optimiser, step / asked.steps, asked.rate)
        net.train()
        given, counts = as_input(images), torch.from_numpy(np.stack(weights))
        said = net(given)
        loss = finder_loss(said, torch.from_numpy(np.stack(truths)), counts)
        if teacher:
            loss = loss + TAUGHT_HEAT * heat_loss(said, teacher(given), counts)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        mean.update_parameters(net)
        losses.append(loss.item())
        if (step + 1) % 100 == 0:
            sys.stderr.write(f"step {step + 1} of {asked.steps}, loss {np.mean(losses[-100:]):.3f}\n")
        if (step + 1) % 500 == 0 or step + 1 == asked.steps:
            export(mean.module, WINDOW_PX, asked.out, {0: "n", 2: "h", 3: "w"})


def _seen(picture: tuple[Path, FloatArray], rng: np.random.Generator) -> tuple[ImageBgr, FloatArray]:
    """A window of a drawn picture, see `window`."""
    path, rows = picture
    return window(np.asarray(cv2.imread(str(path)), np.uint8), rows, rng)


def main() -> None:
    """Read the command line and teach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="ONNX file to write")
    parser.add_argument("folders", type=Path, nargs="+", help="drawn by vision.training.dataset")
    parser.add_argument("--steps", type=int, default=3000, help=f"of {BATCH} windows each")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="highest learning rate")
    parser.add_argument("--threads", type=int, default=1, help="processor cores to use")
    parser.add_argument("--start", type=Path, help="weights (.onnx) to go on from")
    parser.add_argument("--wide", action="store_true", help="teach a wide net, which can teach a narrow one")
    parser.add_argument("--teacher", type=Path, help="weights (.onnx) of a wide net to learn from")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(asked.threads)
    torch.manual_seed(11)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    known = [(f / f"{number:06d}.jpg", rows) for f in asked.folders for number, rows in load_rows(f).items()]
    if not known:
        parser.error(f"no pictures with their truth in {asked.folders}: name folders of vision.training.dataset")
    net, teacher = FinderNet(wide=asked.wide), None
    if asked.start or asked.teacher:
        rng = np.random.default_rng(12)
        samples = as_input([_seen(picture, rng)[0] for picture in known[::50]])
        if asked.start:
            resume(net, asked.start, samples)
        if asked.teacher:
            teacher = taught_by(FinderNet(wide=True), asked.teacher, samples)
    train(net, teacher, known, asked)


if __name__ == "__main__":
    main()
