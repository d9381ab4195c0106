"""Trains the net that detects dice.

python -m vision.training.teach_detector FIXTURES STATE OUT.onnx --drawn SETS/20 --steps 3200
"""

import argparse
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from vision.detection.detector import NOMINAL_EDGE_PX, STRIDE
from vision.training.augment import paste, printed_thing, relit
from vision.training.backbone import imagenet_weights
from vision.training.dice_nets import DetectorNet, export
from vision.training.labelled import LabelledPicture, gather
from vision.training.loop import Learner, LoopParams, learning_device, teach
from vision.types.frame import FloatArray, ImageBgr

WINDOW_PX = 256
_KINDS = {"drawn": 0.24, "traced": 0.22, "photograph": 0.54}
"""Shares of windows from each kind of picture."""
_MIN_EDGE_PX, _MAX_EDGE_PX = 9.0, 100.0
"""Edges of the smallest and the largest dice."""
_EMPTY, _TURNED, _PRINTED = 0.12, 0.5, 0.4
"""Shares of windows: placed anywhere instead of around a die; rotated by any angle instead of by quarters; with added
objects.
"""
_MAX_HIDDEN = 0.75
"""Covered share of a die's square from which it need not be detected; with less it must be, so that the die net can
report that it is covered.
"""
_MAX_GROWN = 2.5
"""Greatest factor by which a picture is enlarged."""
_LONGEST_PX = 1280
"""Longer side to which larger pictures are reduced."""


class WindowSource:
    """Crops windows from labelled pictures, with the net's targets for them."""

    def __init__(self, pictures: list[LabelledPicture]) -> None:
        """Load the pictures.

        Args:
            pictures: Training pictures; crops of single dice are left out.
        """
        self._kinds: dict[str, list[LabelledPicture]] = {kind: [] for kind in _KINDS}
        for picture in pictures:
            if not picture.is_crop:
                self._kinds[picture.kind].append(picture)
        self._shares = {
            kind: np.cumsum([_share_of(p, kind) for p in found]) for kind, found in self._kinds.items() if found
        }
        self._images: dict[Path, tuple[ImageBgr, float]] = {}

    def _load(self, picture: LabelledPicture) -> tuple[ImageBgr, float]:
        """Return the stored picture and its scale."""
        if picture.path not in self._images:
            image = picture.load()
            scale = min(1.0, _LONGEST_PX / max(image.shape[:2]))
            if scale < 1:
                image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
            self._images[picture.path] = image, scale
        return self._images[picture.path]

    def load_all(self) -> None:
        """Read every picture now, so that processes forked later share them."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(self._load, (picture for found in self._kinds.values() for picture in found)))

    def window(self, rng: np.random.Generator) -> tuple[ImageBgr, FloatArray, FloatArray]:
        """Return one window.

        Returns:
            Its pixels; the dice in it, rows of x, y, edge, turn (NaN: unknown), 1 if enough of it is visible; and where
            the net may learn that there is no die, 0 or 1 for each cell.
        """
        kinds = list(self._shares)
        odds = np.array([_KINDS[kind] for kind in kinds])
        kind = kinds[int(rng.choice(len(kinds), p=odds / odds.sum()))]
        sums = self._shares[kind]
        picture = self._kinds[kind][int(np.searchsorted(sums, rng.random() * sums[-1]))]
        image, kept = self._load(picture)
        height, width = image.shape[:2]
        wanted = math.exp(rng.uniform(math.log(_MIN_EDGE_PX), math.log(_MAX_EDGE_PX)))
        edges = np.array([die.edge_px for die in picture.dice]) * kept
        usual = float(np.median(edges)) if len(edges) else 45.0 * max(height, width) / 1280
        scale = min(wanted / usual, _MAX_GROWN)
        scale = max(scale, 48 / max(height, width))
        if len(edges) and rng.random() >= _EMPTY:
            die = picture.dice[int(rng.integers(len(picture.dice)))]
            middle = np.array(die.center_xy) * kept + rng.uniform(-0.42, 0.42, 2) * WINDOW_PX / scale
        else:
            middle = rng.uniform(0, 1, 2) * [width, height]
        turn = rng.uniform(-math.pi, math.pi) if rng.random() < _TURNED else rng.integers(4) * math.pi / 2
        mirror = -1.0 if rng.random() < 0.5 else 1.0
        # Shrunk pictures are averaged first, or small pips would fall between the pixels.
        coarse = 1.0
        while scale / coarse < 0.6 and max(image.shape[:2]) * coarse > 64:
            coarse *= 0.5
        if coarse < 1:
            image = np.asarray(cv2.resize(image, None, fx=coarse, fy=coarse, interpolation=cv2.INTER_AREA), np.uint8)
        c, s = math.cos(turn), math.sin(turn)
        linear = (scale / coarse) * np.array([[c * mirror, -s], [s * mirror, c]])
        matrix = np.zeros((2, 3))
        matrix[:, :2] = linear
        matrix[:, 2] = (WINDOW_PX - 1) / 2 - linear @ ((middle + 0.5) * coarse - 0.5)
        rim = cv2.BORDER_REPLICATE if rng.random() < 0.5 else cv2.BORDER_CONSTANT
        shade = [float(v) for v in rng.uniform(0, 255, 3)]
        window = np.asarray(
            cv2.warpAffine(image, matrix, (WINDOW_PX, WINDOW_PX), flags=cv2.INTER_LINEAR, borderMode=rim,
                           borderValue=shade), np.uint8,
        )  # fmt: skip
        rows = np.array([(*d.center_xy, d.edge_px, d.turn_rad, d.is_seen) for d in picture.dice]).reshape(-1, 5)
        at = (rows[:, :2] * kept + 0.5 * kept - 0.5 + 0.5) * coarse - 0.5
        rows[:, :2] = at @ linear.T + matrix[:, 2]
        rows[:, 2] *= kept * scale
        rows[:, 3] = mirror * rows[:, 3] + turn
        side = WINDOW_PX // STRIDE
        if picture.is_complete:
            taught = np.ones((side, side))
        else:
            near = [np.hypot(*(_cells() - row[:2, None, None])) < 1.3 * row[2] for row in rows]
            taught = np.any(near, axis=0).astype(np.float64) if near else np.zeros((side, side))
        if rng.random() < _PRINTED:
            self._lay_things(window, rows, float(usual * scale), rng)
        return window, rows, taught

    def _lay_things(self, window: ImageBgr, rows: FloatArray, edge_px: float, rng: np.random.Generator) -> None:
        """Paste printed objects that are not dice, half of them across a die; a die covered too far is ignored."""
        for _ in range(int(rng.integers(1, 4))):
            thing, cover = printed_thing(rng, float(np.clip(edge_px, 10, 70)))
            middle = rng.uniform(0, WINDOW_PX, 2)
            if len(rows) and rng.random() < 0.5:
                way = rng.uniform(0, 2 * math.pi)
                far = 0.5 * min(thing.shape[:2]) + rng.uniform(-0.3, 0.4) * edge_px
                middle = rows[int(rng.integers(len(rows))), :2] + far * np.array([math.cos(way), math.sin(way)])
            hidden = paste(window, thing, cover, (float(middle[0]), float(middle[1])), rng.uniform(0, 2 * math.pi))
            for row in rows:
                low = np.clip(np.round(row[:2] - row[2] / 2), 0, WINDOW_PX - 1).astype(int)
                high = np.clip(np.round(row[:2] + row[2] / 2), 0, WINDOW_PX - 1).astype(int) + 1
                part = hidden[low[1] : high[1], low[0] : high[0]]
                if part.size and part.mean() > _MAX_HIDDEN:
                    row[4] = 0.0


class Batches(Dataset[tuple[Tensor, Tensor, Tensor]]):
    """A batch of windows for each step, which worker processes can make in advance."""

    def __init__(self, windows: WindowSource, count: int, seed: int) -> None:
        """Set the source.

        Args:
            seed: Selects a batch together with the step.
        """
        self._windows, self._count, self._seed = windows, count, seed

    def __getitem__(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return windows, shape (N, side, side, 3), BGR, 0 to 255, and the `targets_of` each, as half floats."""
        rng = np.random.default_rng([self._seed, step])
        shown, wanted, weights = [], [], []
        for _ in range(self._count):
            window, rows, taught = self._windows.window(rng)
            maps, weight = targets_of(rows, taught)
            shown.append(window)
            wanted.append(maps.astype(np.float16))
            weights.append(weight.astype(np.float16))
        pictures, maps_of, weights_of = (torch.from_numpy(np.stack(part)) for part in (shown, wanted, weights))
        return pictures, maps_of, weights_of


def _cells() -> FloatArray:
    """Return the centres of the cells in pixels, shape (2, side, side): x, y."""
    line = np.arange(WINDOW_PX // STRIDE) * STRIDE + (STRIDE - 1) / 2
    return np.stack(np.meshgrid(line, line))


def _share_of(picture: LabelledPicture, kind: str) -> float:
    """Return a photograph's share: sources count equally but for the square root of their number, and their worth."""
    if kind != "photograph":
        return 1.0
    return picture.weight * (3.0 if picture.source == "N3VERS4YDIE_trays" else 1.0)


def targets_of(rows: FloatArray, taught: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the target maps.

    Returns:
        Shape (6, side, side): heat, offset x and y, log edge, cosine and sine of four turns; and the weights of heat,
        of the numbers at a die, of its turn, shape (3, side, side).
    """
    side = WINDOW_PX // STRIDE
    wanted = np.zeros((6, side, side))
    weights = np.zeros((3, side, side))
    weights[0] = taught
    cells = (rows[:, :2] - (STRIDE - 1) / 2) / STRIDE
    ys, xs = np.mgrid[:side, :side]
    for (x, y), (_, _, edge, turn, seen) in zip(cells, rows, strict=True):
        far = (xs - x) ** 2 + (ys - y) ** 2
        if not seen:
            weights[0][far < (0.7 * edge / STRIDE) ** 2] = 0.0
            continue
        if not (-0.5 <= x < side - 0.5 and -0.5 <= y < side - 0.5):
            # Its centre is outside: its visible part is neither.
            weights[0][far < (0.75 * edge / STRIDE) ** 2] = 0.0
            continue
        sigma = max(0.8, 0.13 * edge / STRIDE)
        heat = np.exp(-far / (2 * sigma**2))
        peak = round(float(y)), round(float(x))
        heat[peak] = 1.0
        wanted[0] = np.maximum(wanted[0], heat)
        near = far <= max(2.3, (0.12 * edge / STRIDE) ** 2)
        weights[0][near] = 1.0
        wanted[1][near], wanted[2][near] = (x - xs)[near], (y - ys)[near]
        wanted[3][near] = math.log(edge / NOMINAL_EDGE_PX)
        weights[1][near] = 1.0
        if math.isfinite(turn):
            wanted[4][near], wanted[5][near] = math.cos(4 * turn), math.sin(4 * turn)
            weights[2][near] = 1.0
    return wanted, weights


def detector_losses(answers: Tensor, wanted: Tensor, weights: Tensor) -> dict[str, Tensor]:
    """Return the focal loss of the heat (Zhou et al., "Objects as Points", 2019) and the distances of the other maps.

    Args:
        answers: Shape (N, 6, side, side), output of the net.
        wanted: Shape (N, 6, side, side), see `targets_of`.
        weights: Shape (N, 3, side, side), see `targets_of`.
    """
    logit, heat = answers[:, 0], wanted[:, 0]
    share = torch.sigmoid(logit)
    centers = (heat > 0.999).float() * weights[:, 0]
    found = -functional.logsigmoid(logit) * (1 - share) ** 2 * centers
    none = -functional.logsigmoid(-logit) * share**2 * (1 - heat) ** 4 * weights[:, 0] * (1 - centers)
    count = centers.sum().clamp(min=1)
    at = weights[:, 1].sum().clamp(min=1)
    turned = weights[:, 2].sum().clamp(min=1)
    offsets = ((answers[:, 1:3] - wanted[:, 1:3]).abs() * weights[:, 1:2]).sum() / at
    edges = ((answers[:, 3] - wanted[:, 3]).abs() * weights[:, 1]).sum() / at
    turns = ((answers[:, 4:6] - wanted[:, 4:6]).abs() * weights[:, 2:3]).sum() / turned
    return {"heat": (found.sum() + none.sum()) / count, "offset": 0.3 * offsets, "edge": edges, "turn": 0.25 * turns}


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fixtures", type=Path, help="folder of the project's labelled pictures")
    parser.add_argument("state", type=Path, help="file of the training's state; it goes on from there")
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=Path, nargs="*", default=[], help="folders of vision.training.dataset")
    parser.add_argument("--steps", type=int, default=3200)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long, with fewer steps")
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--workers", type=int, default=0, help="processes that cut windows for the learner")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    device = learning_device()
    windows = WindowSource([p for p in gather(args.fixtures, args.drawn) if not p.held])
    if args.workers:
        windows.load_all()
    net = DetectorNet(imagenet_weights()).to(device, memory_format=torch.channels_last)

    made = Batches(windows, args.batch, args.seed)
    batches: Iterator[list[Tensor]] = iter(())

    def loss_of(learner: Learner, step: int) -> dict[str, Tensor]:
        nonlocal batches
        batch = next(batches, None)
        if batch is None:
            ahead = 4 if args.workers else None
            order = range(step, args.steps)
            batches = iter(DataLoader(made, None, sampler=order, num_workers=args.workers, prefetch_factor=ahead))
            batch = next(batches)
        shown, wanted, weights = (part.to(device) for part in batch)
        rng = np.random.default_rng([args.seed, step, 1])
        pictures = shown.flip(-1).permute(0, 3, 1, 2).float() / 255
        seen = relit(pictures, rng).contiguous(memory_format=torch.channels_last)
        return detector_losses(learner(seen), wanted.float(), weights.float())

    taught = teach(net, loss_of, args.state, LoopParams(args.steps, args.minutes, args.rate))
    export(taught, WINDOW_PX, args.out, {0: "n", 2: "h", 3: "w"})


if __name__ == "__main__":
    main()
