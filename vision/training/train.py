"""Trains the finder or the reader on drawn pictures and writes its weights after every pass that beats the ones before.

vision/README.md has the commands that made the weights in vision/weights.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from vision.classification.face_reader import FACE_PX, FACE_SPAN
from vision.detection.finder import FINDER_STRIDE, NOMINAL_EDGE_PX
from vision.detection.squares import fill_planes
from vision.training.dataset import CROP_PX, CROP_SPAN, NOT_TOP
from vision.training.nets import FINDER_CHANNELS, FinderNet, export, face_net, resume
from vision.types.frame import F32, FloatArray, ImageBgr

WINDOW_PX = 288
SHADOWED = 0.15
"""Share of the crops that a shadow's edge is drawn across."""
MIRRORED = 0.3
"""Share of the crops whose top face mirrors a light."""
SHARPENED = 0.4
"""Share of the crops that are sharpened, as cameras do."""
MISEXPOSED = 0.15
"""Share of the pictures that are burnt or dark."""
TAUGHT = 2.0
"""Weight of what a teacher says beside what is true, for a net of crops."""
TAUGHT_HEAT = 0.1
"""Weight of what a teacher says, for the finder: its teacher leaves a little heat everywhere."""
LEANS = 1.2
"""Weight of the face reader's leans beside its shares."""
EDGES_PX = (12.5, 60.0)
"""Edges of dice in the windows that the finder learns from."""


def load_rows(folder: Path) -> dict[int, FloatArray]:
    """For each drawn picture its rows of truth; pictures without dice have none but are listed."""
    rows: dict[int, list[FloatArray]] = {int(p.stem): [] for p in sorted(folder.glob("*.jpg"))}
    known: set[int] = set()
    for path in sorted(folder.glob("truth-*.npz")):
        with np.load(path) as data:
            start = int(path.stem.split("-")[1])
            known.update(range(start, start + 40))
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


def cast_shadow(image: ImageBgr, rng: np.random.Generator) -> ImageBgr:
    """Now and then the hard edge of a wall's or another die's shadow across a crop."""
    if rng.random() > SHADOWED:
        return image
    side = image.shape[0]
    turn, depth = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 0.75)
    ys, xs = np.mgrid[0:side, 0:side].astype(np.float32) - (side - 1) / 2
    across = xs * np.cos(turn) + ys * np.sin(turn) - rng.normal(0, 0.22 * side)
    lit = np.clip(across / rng.uniform(0.5, 5.0) + 0.5, 0, 1)
    return np.asarray(image * (depth + (1 - depth) * lit)[..., None], np.uint8)


def mirror_lamp(image: ImageBgr, edge_px: float, rng: np.random.Generator) -> ImageBgr:
    """Now and then the light that a flat top mirrors: an even veil over it that ends where the die rounds off."""
    if rng.random() > MIRRORED:
        return image
    half = 0.5 * edge_px * rng.uniform(0.72, 1.0)
    bend = half * rng.uniform(0.1, 1.0)
    ys, xs = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float32) - (image.shape[0] - 1) / 2
    x, y = np.abs(xs) - (half - bend), np.abs(ys) - (half - bend)
    away = np.hypot(np.maximum(x, 0), np.maximum(y, 0)) + np.minimum(np.maximum(x, y), 0) - bend
    way = rng.uniform(0, 2 * np.pi)
    uneven = 1 + rng.uniform(0, 0.6) * (xs * np.cos(way) + ys * np.sin(way)) / half
    veil = np.clip(0.5 - away / rng.uniform(1.0, 3.0), 0, 1) * uneven * rng.uniform(10, 130)
    return np.asarray(np.clip(image + veil[..., None] * np.exp(rng.normal(0, 0.06, 3)), 0, 255), np.uint8)


def sharpen(image: ImageBgr, rng: np.random.Generator) -> ImageBgr:
    """Now and then what cameras make of a picture: every edge a little too strong (an unsharp mask)."""
    if rng.random() > SHARPENED:
        return image
    amount = float(rng.uniform(0.2, 1.4))
    soft = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.6, 1.3)))
    return np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), np.uint8)


def vary_crop(crop: ImageBgr, edge_px: float, rng: np.random.Generator) -> ImageBgr:
    """A crop round a face of that edge under another light."""
    return vary_light(sharpen(cast_shadow(mirror_lamp(crop, edge_px, rng), rng), rng), rng)


def window(image: ImageBgr, rows: FloatArray, rng: np.random.Generator) -> tuple[ImageBgr, FloatArray]:
    """A turned, scaled, perhaps mirrored window of a picture, and its rows of truth in the window's pixels."""
    wanted_px = float(np.exp(rng.uniform(np.log(EDGES_PX[0]), np.log(EDGES_PX[1]))))
    scale = float(np.clip(wanted_px / np.median(rows[:, 7]), 0.5, 1.9)) if len(rows) else float(rng.uniform(0.6, 1.5))
    rows = rows.copy()
    if scale < 1:
        # Averaged down as the finder does it, so that no pixel is skipped.
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
        x, y, edge = ((float(v) + 0.5) / FINDER_STRIDE - 0.5 for v in (row[5], row[6], row[7]))
        edge = float(row[7]) / FINDER_STRIDE
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


def finder_loss(said: torch.Tensor, truth: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
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


def heat_loss(said: torch.Tensor, taught: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Cross entropy of a heat, in logits, to a teacher's; for each face that the teacher sees."""
    heat = torch.sigmoid(taught[:, 0])
    apart = functional.binary_cross_entropy_with_logits(said[:, 0], heat, reduction="none")
    return (apart * weight[:, 0]).sum() / (heat > 0.5).sum().clamp(min=8)


def as_input(images: list[ImageBgr]) -> torch.Tensor:
    """Pictures of one size as the nets take them."""
    pictures = np.stack(images)
    count, height, width = pictures.shape[:3]
    planes = np.empty((count, 3, height, width), np.float32)
    fill_planes(planes, pictures)
    return torch.from_numpy(planes)


def schedule(optimiser: torch.optim.Optimizer, done: float, top: float) -> None:
    """Linear rise over a twentieth, then half a cosine down."""
    rate = top * min(done / 0.05, 1.0) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * min(done, 1.0))))
    for group in optimiser.param_groups:
        group["lr"] = rate


def running_mean(keep: float) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor | int], torch.Tensor]:
    """A running mean of weights that keeps `keep` of itself at each step, at first less, to forget the start."""

    def mixed(mean: torch.Tensor, now: torch.Tensor, steps: torch.Tensor | int) -> torch.Tensor:
        share = 1 - min(keep, (1 + float(steps)) / (10 + float(steps)))
        return mean + (now - mean) * share

    return mixed


def channels_last(net: torch.nn.Module) -> None:
    """Lay a net's kernels out with their channels last: with its input likewise it learns a third faster."""
    for weight in (part for part in net.parameters() if part.dim() == 4):
        weight.data = weight.data.contiguous(memory_format=torch.channels_last)


def descend(
    loss: torch.Tensor,
    net: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    mean: torch.optim.swa_utils.AveragedModel,
) -> float:
    """Take one step down the loss, into the weights and their running mean; gives the loss."""
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    mean.update_parameters(net)
    return float(loss.item())


Teacher = Callable[[torch.Tensor], torch.Tensor]
"""What a net that has learned says of an input."""


def taught_by(net: torch.nn.Module, weights: Path, samples: torch.Tensor) -> Teacher:
    """A teacher: a net with exported weights that learns no more.

    Args:
        net: Of the layers that the weights are of.
        weights: The ONNX file.
        samples: Some inputs.

    Raises:
        ValueError: The file holds a net of other layers.
    """
    resume(net, weights, samples)
    net.eval()

    def said(given: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return net(given)

    return said


def begin(
    make: Callable[..., torch.nn.Module], asked: argparse.Namespace, samples: Callable[[], torch.Tensor]
) -> tuple[torch.nn.Module, Teacher | None]:
    """A net to train and its teacher, as the command line asks for them.

    Args:
        make: Gives the net, a wide one where told so by `wide`.
        asked: With `wide`, `start` and `teacher`.
        samples: Gives some inputs, where there are weights to go on from or to learn from.

    Raises:
        ValueError: A file holds a net of other layers.
    """
    net = make(wide=asked.wide)
    if not asked.start and not asked.teacher:
        return net, None
    given = samples()
    if asked.start:
        resume(net, asked.start, given)
    return net, taught_by(make(wide=True), asked.teacher, given) if asked.teacher else None


def share_loss(said: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """Cross entropy of some logits, shape (N, K), to a teacher's."""
    return functional.cross_entropy(said, torch.softmax(taught, dim=1))


def lean_loss(said: torch.Tensor, leans: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """How far the face reader's leans are off, beside the loss of its shares.

    Args:
        said: Shape (N, 10), the face reader's answers.
        leans: Shape (N, 2), what they should be.
        labels: Shape (N,), columns; what is no top face has no lean.
    """
    is_face = (labels != NOT_TOP).float()
    off = (said[:, 8:] - leans).abs().sum(dim=1) * is_face
    return LEANS * off.sum() / is_face.sum().clamp(min=1)


def said_by(net: torch.nn.Module, given: torch.Tensor) -> torch.Tensor:
    """What a net of crops says, shape (N, answers)."""
    net.eval()
    with torch.no_grad():
        return torch.cat([net(part).flatten(1) for part in torch.split(given, 256)])


def _pictures(folders: list[Path]) -> list[tuple[Path, FloatArray]]:
    """All drawn pictures of some folders with their truth."""
    return [(f / f"{number:06d}.jpg", rows) for f in folders for number, rows in load_rows(f).items()]


def train_finder(asked: argparse.Namespace, batch: int = 8) -> None:
    """Train for some steps; the weights of the running mean are written every 500 of them and at the end."""
    out, steps = asked.out, asked.steps
    rng = np.random.default_rng(11)
    torch.manual_seed(11)
    known = _pictures(asked.folders)

    def seen(path: Path, rows: FloatArray) -> tuple[ImageBgr, FloatArray]:
        return window(np.asarray(cv2.imread(str(path)), np.uint8), rows, rng)

    net, teacher = begin(FinderNet, asked, lambda: as_input([seen(path, rows)[0] for path, rows in known[::50]]))
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.997), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4)
    cells = (WINDOW_PX // FINDER_STRIDE, WINDOW_PX // FINDER_STRIDE)
    losses: list[float] = []
    for step in range(steps):
        images, truths, weights = [], [], []
        for _ in range(batch):
            part, part_rows = seen(*known[int(rng.integers(len(known)))])
            images.append(vary_light(part, rng))
            truth, weight = target_maps(part_rows, cells)
            truths.append(truth)
            weights.append(weight)
        schedule(optimiser, step / steps, asked.rate)
        net.train()
        given, weight = as_input(images), torch.from_numpy(np.stack(weights))
        said = net(given)
        loss = finder_loss(said, torch.from_numpy(np.stack(truths)), weight)
        if teacher:
            loss = loss + TAUGHT_HEAT * heat_loss(said, teacher(given), weight)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        mean.update_parameters(net)
        losses.append(loss.item())
        if (step + 1) % 100 == 0:
            sys.stderr.write(f"step {step + 1} of {steps}, loss {np.mean(losses[-100:]):.3f}\n")
        if (step + 1) % 500 == 0:
            export(mean.module, (1, 3, 480, 640), out)
    export(mean.module, (1, 3, 480, 640), out)


@dataclass(frozen=True, slots=True, eq=False)
class Crops:
    """Cut-out faces with their truth.

    Attributes:
        images: Shape (N, 64, 64, 3), crops of the faces.
        labels: Shape (N,), value less one, `COCKED`, or `NOT_TOP`.
        leans: Shape (N, 2), leans in edges along the crop's axes.
    """

    images: ImageBgr
    labels: npt.NDArray[np.int64]
    leans: F32


def load_crops(folders: list[Path]) -> Crops:
    """All cut-out faces of some folders."""
    parts: dict[str, list[F32]] = {"crops": [], "labels": [], "leans": []}
    for path in (p for folder in folders for p in sorted(folder.glob("truth-*.npz"))):
        with np.load(path) as data:
            for name, part in parts.items():
                part.append(data[name])
    images, labels, leans = (np.concatenate(part) for part in parts.values())
    return Crops(images, labels.astype(np.int64), leans)


def jittered(crops: Crops, i: int, rng: np.random.Generator, amount: float) -> tuple[ImageBgr, F32]:
    """The reader's view of a wider crop, and its lean, as if a finder had erred a little in place, size and turn."""
    turn = float(rng.integers(4)) * np.pi / 2 + np.radians(rng.normal(0, 5.0)) * amount
    step = CROP_PX * FACE_SPAN / CROP_SPAN / FACE_PX * float(np.exp(rng.normal(0, 0.055) * amount))
    flip = -1.0 if rng.random() < 0.5 else 1.0
    move = step * np.array([[np.cos(turn) * flip, -np.sin(turn)], [np.sin(turn) * flip, np.cos(turn)]])
    middle = (CROP_PX - 1) / 2 + rng.normal(0, 0.045, 2) * amount * CROP_PX / CROP_SPAN
    way = np.column_stack([move, middle - move @ np.full(2, (FACE_PX - 1) / 2)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpAffine(crops.images[i], way, (FACE_PX, FACE_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    seen = np.linalg.inv(move) @ crops.leans[i] * (CROP_PX / CROP_SPAN) / (FACE_PX / FACE_SPAN)
    return np.asarray(out, np.uint8), np.asarray(seen, np.float32)


def train_reader(asked: argparse.Namespace, batch: int = 192) -> None:
    """Train for some passes over all crops; the weights of the running mean are written after each."""
    out, passes = asked.out, asked.passes
    rng = np.random.default_rng(12)
    torch.manual_seed(12)
    crops = load_crops(asked.folders)

    def some() -> torch.Tensor:
        return as_input([jittered(crops, int(i), rng, 1.0)[0] for i in rng.permutation(len(crops.labels))[:512]])

    net, teacher = begin(face_net, asked, some)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=running_mean(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=3e-3)
    cost = torch.tensor([1.0] * 6 + [1.5, 1.0])
    held, still = load_crops([asked.held]), np.random.default_rng(0)
    held_pairs = [jittered(held, i, still, 0.7) for i in range(len(held.labels))]
    held_input, held_truth = as_input([image for image, _ in held_pairs]), np.array([lean for _, lean in held_pairs])
    for done_passes in range(passes):
        real = np.flatnonzero(crops.labels != NOT_TOP)
        empty = rng.permutation(np.flatnonzero(crops.labels == NOT_TOP))[: int(0.7 * len(real))]
        order = rng.permutation(np.concatenate([real, empty]))
        losses = []
        net.train()
        for start in range(0, len(order) - batch + 1, batch):
            pick = order[start : start + batch]
            pairs = [jittered(crops, int(i), rng, 1.0) for i in pick]
            images = [vary_crop(image, FACE_PX / FACE_SPAN, rng) for image, _ in pairs]
            truth = torch.from_numpy(np.array([lean for _, lean in pairs]))
            schedule(optimiser, (done_passes + start / len(order)) / passes, asked.rate)
            given = as_input(images)
            said = net(given).flatten(1)
            labels = torch.from_numpy(crops.labels[pick])
            loss = functional.cross_entropy(said[:, :8], labels, cost, label_smoothing=0.02)
            loss = loss + lean_loss(said, truth, labels)
            if teacher:
                loss = loss + TAUGHT * share_loss(said[:, :8], teacher(given).flatten(1)[:, :8])
            losses.append(descend(loss, net, optimiser, mean))
        said_held = said_by(mean, held_input).numpy()
        table = np.zeros((8, 8), int)
        np.add.at(table, (held.labels, said_held[:, :8].argmax(axis=1)), 1)
        off_held = np.hypot(*(said_held[:, 8:] - held_truth).T)[held.labels != NOT_TOP]
        sys.stderr.write(
            f"pass {done_passes + 1} of {passes}, {len(order)} crops, loss {np.mean(losses):.3f}, "
            f"lean off by {np.median(off_held):.3f}, 95th percentile {np.percentile(off_held, 95):.3f}\n{table}\n"
        )
        export(mean.module, (1, 3, FACE_PX, FACE_PX), out)


def ask_usual(parser: argparse.ArgumentParser, drawn_by: str, passes: int, rate: float) -> None:
    """Have a command line ask for what every training needs.

    Args:
        parser: The command line.
        drawn_by: Module that draws what it learns from.
        passes: Usual number of passes.
        rate: Usual learning rate.
    """
    parser.add_argument("out", type=Path, help="ONNX file to write")
    parser.add_argument("folders", type=Path, nargs="+", help=f"drawn by {drawn_by}")
    parser.add_argument("--rate", type=float, default=rate, help="highest learning rate")
    parser.add_argument("--passes", type=int, default=passes, help="how often to show everything")
    parser.add_argument("--threads", type=int, default=1, help="processor cores to use")


def make_ready(asked: argparse.Namespace) -> None:
    """Set how many processor cores learn, OpenCV taking none of its own, and make the folder of what is written."""
    cv2.setNumThreads(1)
    torch.set_num_threads(asked.threads)
    asked.out.parent.mkdir(parents=True, exist_ok=True)


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", choices=["finder", "reader"])
    ask_usual(parser, "vision.training.dataset", passes=10, rate=2.5e-3)
    parser.add_argument("--held", type=Path, help="drawn likewise, only to be tried on; the reader needs it")
    parser.add_argument("--start", type=Path, help="weights (.onnx) to go on from")
    parser.add_argument("--steps", type=int, default=3000, help="of the finder instead of passes, eight windows each")
    parser.add_argument("--wide", action="store_true", help="train a wide net, which can teach a narrow one")
    parser.add_argument("--teacher", type=Path, help="weights (.onnx) of a wide net to learn from")
    asked = parser.parse_args()
    make_ready(asked)
    if asked.net == "finder":
        train_finder(asked)
    elif asked.held is None:
        parser.error("the reader is tried after each pass: name a folder with --held")
    else:
        train_reader(asked)


if __name__ == "__main__":
    main()
