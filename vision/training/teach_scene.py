"""Trains the net that tells what each part of a picture of a tray is.

python -m vision.training.teach_scene FIXTURES OUT.onnx --drawn SETS/a --traced SETS/b --minutes 60
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from vision.training.augment import relit
from vision.training.backbone import FEATURES, Early, blocks_to_sixteenth, imagenet_weights
from vision.training.dice_nets import export
from vision.training.labelled import photographs
from vision.training.loop import Learner, LoopParams, learning_device, teach
from vision.training.quantise import quantise
from vision.training.scenes import FLOOR, UNKNOWN, UNSEEN, WITHIN, stored
from vision.training.traced_truth import traced_trays_of
from vision.tray.scene_net import STRIDE, scene_input
from vision.types.frame import F32, ImageBgr, ImageGray

KINDS = 5
_SIZES = ((256, 192), (256, 192), (256, 192), (192, 256), (224, 224), (288, 160))
"""Width and height of a batch's pictures."""
_OUTLINES = Path(__file__).with_name("leather_floors.json")
_LEATHER = "N3VERS4YDIE_trays"
_WALLED = ("NikitaMensh_DiceWatcher", _LEATHER)
"""Sources whose pictures may show a tray."""
_SHARES = {"drawn": 9, "traced": 4, "photographs": 2, "leather": 1}
"""Of every 16 pictures of a batch."""


class LateNet(nn.Module):
    """Maps what `Early` returns to maps at a quarter of the picture's size."""

    def __init__(self, weights: Path | None = None) -> None:
        """Create the layers."""
        super().__init__()
        self.backbone = blocks_to_sixteenth(weights)
        quarter, eighth, wide = FEATURES[0], FEATURES[1], 56
        self.from_sixteenth = nn.Conv2d(80, wide, 1)
        self.deep = nn.Sequential(_joined(wide, wide, 2), _joined(wide, wide))
        self.whole = nn.Linear(wide, wide)
        self.join_sixteenth = _joined(wide, wide)
        self.from_eighth = nn.Conv2d(eighth, 40, 1)
        self.to_eighth = nn.Conv2d(wide, 40, 1)
        self.join_eighth = _joined(40, 40)
        self.from_quarter = nn.Conv2d(quarter, 32, 1)
        self.to_quarter = nn.Conv2d(40, 32, 1)
        self.join_quarter = _joined(32, 32)
        self.head = nn.Conv2d(32, KINDS + 1, 1)
        self.doubled = nn.Upsample(scale_factor=2.0, mode="nearest")

    def forward(self, early: Tensor) -> Tensor:
        """Map shape (N, 34, h, w) to (N, `KINDS` + 1, h, w)."""
        with torch.autocast(early.device.type, torch.bfloat16, enabled=self.training):
            quarter, eighth = early[:, : FEATURES[0]], functional.pixel_unshuffle(early[:, FEATURES[0] :], 2)
            sixteenth = self.from_sixteenth(self.backbone(eighth))
            deep = self.deep(sixteenth)
            deep = deep + self.whole(deep.mean((2, 3)))[:, :, None, None]
            sixteenth = self.join_sixteenth(sixteenth + self.doubled(deep))
            eighth = self.join_eighth(self.from_eighth(eighth) + self.doubled(self.to_eighth(sixteenth)))
            quarter = self.join_quarter(self.from_quarter(quarter) + self.doubled(self.to_quarter(eighth)))
            return self.head(quarter)


def _joined(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU6(inplace=True)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """Pictures, shape (N, 240, 320, 3), and the kinds of their pixels, shape (N, 240, 320)."""

    pictures: ImageBgr
    kinds: ImageGray


def drawn_bank(folder: Path) -> Bank:
    """Return what `vision.training.scenes` drew."""
    parts = [np.load(path) for path in sorted(folder.glob("*.npz"))]
    return Bank(*(np.concatenate([part[name] for part in parts]) for name in ("pictures", "kinds")))


def photograph_bank(fixtures: Path) -> Bank:
    """Return the photographs without a tray that are not set aside."""
    made = []
    for picture in photographs(fixtures / "photos-train"):
        if picture.held or picture.is_crop or picture.source in _WALLED or "crops" in picture.source:
            continue
        image = picture.load()
        kinds = np.zeros(image.shape[:2], np.uint8)
        for die in picture.dice:
            x, y, r = (round(v) for v in (*die.center_xy, 0.75 * die.edge_px))
            cv2.rectangle(kinds, (x - r, y - r), (x + r, y + r), (UNKNOWN,), -1)
        made.append(stored(image, kinds))
    return _bank(made)


def leather_bank(fixtures: Path) -> Bank:
    """Return the photographs of leather trays whose floors are outlined, without those that are set aside."""
    outlines = json.loads(_OUTLINES.read_text(encoding="utf-8"))
    made = []
    for picture in photographs(fixtures / "photos-train"):
        if picture.source != _LEATHER or picture.path.stem not in outlines:
            continue
        image = picture.load()
        corners = np.array(outlines[picture.path.stem]) * [[image.shape[1] / 100, image.shape[0] / 100]]
        kinds = np.full(image.shape[:2], UNSEEN, np.uint8)
        middle = corners.mean(axis=0)
        # Beyond its walls may lie the next tray.
        near = middle + 1.4 * (corners - middle)
        cv2.fillPoly(kinds, [np.rint(near).astype(np.int32)], (UNKNOWN,))
        cv2.fillPoly(kinds, [np.rint(corners).astype(np.int32)], (WITHIN + FLOOR,))
        for die in picture.dice:
            x, y, r = (round(v) for v in (*die.center_xy, 0.75 * die.edge_px))
            part = kinds[max(y - r, 0) : y + r, max(x - r, 0) : x + r]
            part[part >= WITHIN] = WITHIN + UNKNOWN
        made.append(stored(image, kinds))
    return _bank(made)


def _bank(made: list[tuple[ImageBgr, ImageGray]]) -> Bank:
    return Bank(np.array([picture for picture, _ in made]), np.array([kinds for _, kinds in made]))


def view(
    picture: ImageBgr, kinds: ImageGray, size: tuple[int, int], rng: np.random.Generator
) -> tuple[ImageBgr, F32, F32]:
    """Return a picture as another camera might show it; shares of the kinds, of the known, of the floor by cell."""
    width, height = size
    if (width < height) or (width == height and rng.random() < 0.5):
        picture, kinds = np.rot90(picture), np.rot90(kinds)
    w, h = picture.shape[1], picture.shape[0]
    corners = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64)
    middle = corners.mean(axis=0) + rng.normal(0, 0.06, 2) * (w, h)
    grown = np.exp(rng.normal(0.08, 0.16))
    a = rng.normal(0, 0.12) if rng.random() < 0.8 else rng.uniform(-0.6, 0.6)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    seen = (corners - corners.mean(axis=0)) / grown @ turn.T + middle
    if rng.random() < 0.35:
        seen += rng.normal(0, 0.05, (4, 2)) * (w, h)
    if rng.random() < 0.5:
        seen = seen[[1, 0, 3, 2]]
    if rng.random() < 0.5:
        seen = seen[[3, 2, 1, 0]]
    goal = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(seen.astype(np.float32), goal)
    rim = cv2.BORDER_REFLECT_101 if rng.random() < 0.7 else cv2.BORDER_REPLICATE
    shown = cv2.warpPerspective(np.ascontiguousarray(picture), matrix, size, flags=cv2.INTER_LINEAR, borderMode=rim)
    of = cv2.warpPerspective(np.ascontiguousarray(kinds), matrix, size, flags=cv2.INTER_NEAREST, borderMode=rim)
    beyond = cv2.warpPerspective(
        np.zeros((h, w), np.uint8), matrix, size, borderMode=cv2.BORDER_CONSTANT, borderValue=1
    )
    cells = (width // STRIDE, height // STRIDE)
    kind_of = np.asarray(of, np.uint8) & np.uint8(7)
    planes = [kind_of == kind for kind in range(KINDS)]
    shares = [cv2.resize(p.astype(np.float32), cells, interpolation=cv2.INTER_AREA) for p in (*planes, of >= WITHIN)]
    known = (beyond == 0) & (of != UNSEEN)
    counted = cv2.resize(known.astype(np.float32), cells, interpolation=cv2.INTER_AREA)
    return np.asarray(shown, np.uint8), np.asarray(shares, np.float32), np.asarray(counted, np.float32)


class Views(Dataset[tuple[Tensor, Tensor, Tensor]]):
    """Batches of pictures as the frozen layers see them."""

    def __init__(self, banks: dict[str, Bank], early: nn.Module, count: int, seed: int) -> None:
        """Set what is shown."""
        self._banks, self._early, self._count, self._seed = banks, early, count, seed

    def __getitem__(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return features of `Early`; the shares of kinds and floor, shape (N, 6, h, w); what counts, (N, h, w)."""
        rng = np.random.default_rng([self._seed, step])
        size = _SIZES[int(rng.integers(len(_SIZES)))]
        made = []
        for name, share in _SHARES.items():
            bank = self._banks.get(name)
            if bank is not None:
                picked = rng.integers(len(bank.pictures), size=max(1, share * self._count // 16))
                made += [view(bank.pictures[k], bank.kinds[k], size, rng) for k in picked]
        pictures, shares, counted = (np.stack(part) for part in zip(*made, strict=True))
        rgb = torch.from_numpy(np.ascontiguousarray(pictures[..., ::-1])).permute(0, 3, 1, 2).float() / 255
        shown = relit(rgb, rng).contiguous(memory_format=torch.channels_last)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            early = self._early(shown)
        return early.bfloat16().contiguous(), torch.from_numpy(shares).half(), torch.from_numpy(counted).half()


class Seen:
    """The latest views, so that each teaches several times: making one takes longer than learning from it."""

    def __init__(self, views: Views, workers: int, kept: int) -> None:
        """Begin to make views."""
        self._kept: dict[tuple[int, ...], deque[tuple[Tensor, ...]]] = defaultdict(lambda: deque(maxlen=kept))
        ahead = DataLoader(views, None, sampler=range(10**8), num_workers=workers, prefetch_factor=4)
        self._made, self._first = 0, Event()
        Thread(target=self._gather, args=(iter(ahead),), daemon=True).start()

    def _gather(self, batches: Iterator[list[Tensor]]) -> None:
        for batch in batches:
            rows = [tuple(row.clone() for row in rows) for rows in zip(*batch, strict=True)]
            self._kept[tuple(batch[0].shape[2:])].extend(rows)
            self._made += len(rows)
            if self._made % (len(rows) * 50) == 0:
                sys.stderr.write(f"{self._made} views\n")
            if self._made >= 160:
                self._first.set()

    def some(self, count: int, rng: np.random.Generator) -> list[Tensor]:
        """Return some of one size."""
        self._first.wait()
        sizes = [size for size, rows in list(self._kept.items()) if len(rows) >= count]
        often = np.array([len(self._kept[size]) for size in sizes], np.float64)
        rows = list(self._kept[sizes[int(rng.choice(len(sizes), p=often / often.sum()))]])
        picked = [rows[k] for k in rng.choice(len(rows), count, replace=False)]
        return [torch.stack(part).float() for part in zip(*picked, strict=True)]


def scene_losses(answers: Tensor, shares: Tensor, counted: Tensor) -> dict[str, Tensor]:
    """Return the cross entropies of the kinds where they are known, and of the floor's outline."""
    weights = torch.tensor([1.0, 1.2, 1.0, 2.0, 1.5], device=answers.device)
    kinds = shares[:, :KINDS]
    kind = -(functional.log_softmax(answers[:, :KINDS], 1) * kinds * weights[:, None, None]).sum(1)
    floor = functional.binary_cross_entropy_with_logits(answers[:, KINDS], shares[:, KINDS], reduction="none")
    # As a whole, too: a small floor counts as much as a large one.
    inside = torch.sigmoid(answers[:, KINDS]) * counted
    wanted = shares[:, KINDS] * counted
    both, one = (inside * wanted).sum((1, 2)), (inside + wanted - inside * wanted).sum((1, 2))
    total = counted.sum().clamp(min=1)
    return {
        "kind": 0.5 * (kind * counted).sum() / total,
        "floor": (floor * counted).sum() / total,
        "overlap": 0.3 * (1 - (both + 20) / (one + 20)).mean(),
    }


def main() -> None:
    """Read the command line; train and write the net."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=Path, required=True, help="folder of vision.training.scenes")
    parser.add_argument("--traced", type=Path, help="such a folder that a path tracer drew")
    parser.add_argument("--minutes", type=float, required=True, help="0 only writes what it begins from")
    parser.add_argument("--begin", type=Path, help="another training's state")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes that make views")
    parser.add_argument("--kept", type=int, default=3000, help="views of a size that are kept, of 0.2 MB")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    learning_device()
    torch.set_num_threads(args.threads)
    weights = imagenet_weights()
    early, net = Early(weights), LateNet(weights)
    if args.begin is not None:
        net.load_state_dict(torch.load(args.begin, map_location="cpu", weights_only=True)["average"])
    traced = traced_trays_of(args.fixtures)
    if args.traced:
        more = drawn_bank(args.traced)
        traced += zip(more.pictures, more.kinds, strict=True)
    banks = {
        "drawn": drawn_bank(args.drawn),
        "traced": _bank(traced),
        "photographs": photograph_bank(args.fixtures),
    }
    if _OUTLINES.exists():
        banks["leather"] = leather_bank(args.fixtures)
    counts = ", ".join(f"{len(bank.pictures)} {name}" for name, bank in banks.items())
    sys.stderr.write(f"{counts}; {sum(part.numel() for part in net.parameters())} weights\n")
    if args.minutes > 0:
        seen = Seen(Views(banks, early.to(memory_format=torch.channels_last), 16, args.seed), args.workers, args.kept)

        def loss_of(learner: Learner, step: int) -> dict[str, Tensor]:
            features, shares, counted = seen.some(args.batch, np.random.default_rng([args.seed, step, 1]))
            return scene_losses(learner(features.contiguous(memory_format=torch.channels_last)), shares, counted)

        state = args.out.with_suffix(".pt")
        loop = LoopParams(10**9, args.minutes, args.rate, backbone_rate=0.5, save_every=50)
        net = teach(net.to(memory_format=torch.channels_last), loss_of, state, loop)
    rng = np.random.default_rng(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        export(nn.Sequential(early, net), 256, whole, {0: "n", 2: "h", 3: "w"})
        whole.replace(args.out.with_name("float-" + args.out.name))
        shown = [bank.pictures[k] for bank in banks.values() for k in rng.integers(len(bank.pictures), size=30)]
        quantise(args.out.with_name("float-" + args.out.name), [scene_input(one) for one in shown], args.out)


if __name__ == "__main__":
    main()
