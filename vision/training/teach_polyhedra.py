"""Trains the net that finds the top faces of polyhedra: drawn into empty trays, and the cubes of labelled trays.

python -m vision.training.teach_polyhedra OUT.onnx --fonts FOLDER --rigs RIGS/* --trays FIXTURES/stills --minutes 40
"""

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.classification.face_net import SYMMETRY
from vision.classification.polyhedron_net import SIDES, TOP_PX, TOP_SPAN, top_input
from vision.detection.squares import Squares, upright_crops
from vision.training.dice_nets import export
from vision.training.glyphs import glyph_sets
from vision.training.labelled import labelled_trays
from vision.training.loop import Learner, LoopParams, teach
from vision.training.painted_faces import Glyph, bare_dice, painted, printed, repainted
from vision.training.polyhedra import drawn_tray, random_faces, random_maker
from vision.types.frame import F32, ImageBgr

_WIDE_SPAN, _WIDE_PX = 4.8, 128
"""Width of the crops that are kept, in edges, and their side."""
_WIDTHS = (16, 24, 40, 56, 80, 112)
_STRIDES = (2, 1, 2, 1, 2, 2)
_ANSWERS = 15
"""Logits of the kinds; the shift x and y; the logarithm of the edge; cosines and sines of the turns by kind."""


_NUMERALS = 0.5
"""Share of the cubes that show numerals."""
_SECOND, _OTHER_HUE, _BLURRED = 0.5, 0.3, 0.5
"""Shares of a batch: crops as of the second look, with other hues, blurred."""


class TopNet(nn.Module):
    """Maps a crop of a die to its kind and the place of its top face."""

    def __init__(self) -> None:
        """Create the layers."""
        super().__init__()
        layers, inputs = [], 3
        for outputs, stride in zip(_WIDTHS, _STRIDES, strict=True):
            layers += [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
            inputs = outputs
        self.backbone = nn.Sequential(*layers)
        self.hidden = nn.Linear(inputs * (TOP_PX // 16) ** 2, 128)
        self.answers = nn.Linear(128, _ANSWERS)

    def forward(self, planes: Tensor) -> Tensor:
        """Map shape (N, 3, `TOP_PX`, `TOP_PX`) to (N, 15)."""
        return self.answers(functional.relu(self.hidden(self.backbone(planes).flatten(1))))


def drawn_tops(rigs: list[Path], folder: Path, count: int) -> tuple[list[ImageBgr], list[int]]:
    """Return wide crops of drawn dice, and their kinds."""
    sets, wide, kinds, seed = glyph_sets(folder), list[ImageBgr](), list[int](), 0
    while len(wide) < count:
        rng = np.random.default_rng([7, seed])
        makers = [random_maker(rng, sets[rng.integers(len(sets))]) for _ in range(12)]
        image, dice = drawn_tray(rng, rigs[seed % len(rigs)], makers, random_faces(rng))
        seed += 1
        for die in dice:
            square = Squares(die.center_xy[None], np.array([die.edge_px]), np.array([die.turn_rad]))
            wide.append(upright_crops(image, square, _WIDE_PX, _WIDE_SPAN)[0, 0])
            kinds.append(SIDES.index(die.sides))
    return wide, kinds


def cube_tops(trays: list[Path], folder: Path, count: int) -> list[ImageBgr]:
    """Return wide crops of the cubes of labelled trays, half of them with numerals of a folder's fonts."""
    pictures = [picture for tray in trays for picture in labelled_trays(tray, "traced")]
    rng, sets, wide = np.random.default_rng(8), glyph_sets(folder), list[ImageBgr]()
    for k in rng.permutation(len(pictures)):
        image = pictures[k].load()
        for die in bare_dice([pictures[k]]):
            if rng.random() < _NUMERALS:
                glyph = Glyph(sets[rng.integers(len(sets))][rng.integers(6)], *printed(rng))
                image = repainted(image, die, painted(rng, die, glyph))
            wide.append(upright_crops(image, die.square, _WIDE_PX, _WIDE_SPAN)[0, 0])
        if len(wide) >= count:
            break
    return wide


class _Learner(nn.Module):
    """The net, with half as many bits."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = TopNet()

    def forward(self, planes: Tensor) -> Tensor:
        """Return the net's answers."""
        with torch.autocast("cpu", torch.bfloat16):
            return self.backbone(planes).float()


class Tops:
    """Batches of crops, and where the top faces are in them."""

    def __init__(self, wide: ImageBgr, kinds: np.ndarray) -> None:
        """Set the wide crops, upright by their top faces, and their kinds."""
        self._wide, self._kinds = wide, kinds

    def batch(self, rng: np.random.Generator, count: int) -> tuple[F32, F32]:
        """Return planes, and the answers wanted: kind, shift, logarithm of the edge, turn."""
        crops, wanted = np.empty((count, TOP_PX, TOP_PX, 3), np.uint8), np.empty((count, 5), np.float32)
        for k, which in enumerate(rng.integers(len(self._wide), size=count)):
            kind = int(self._kinds[which])
            step = 2 * np.pi / SYMMETRY[SIDES[kind]]
            if rng.random() < _SECOND:
                shift, grow, turn = rng.normal(0, 0.06, 2), rng.normal(0, 0.06), rng.normal(0, 0.12)
                turn += step * int(rng.integers(SYMMETRY[SIDES[kind]]))
            else:
                shift, grow, turn = rng.normal(0, 0.18, 2), rng.normal(0.15, 0.22), rng.uniform(0, 2 * np.pi)
            edge, flip = np.exp(grow), rng.choice([-1, 1])
            c, s = np.cos(turn), np.sin(turn)
            right, down = np.array([c, s]), np.array([-s, c]) * flip
            scale = edge * TOP_SPAN / TOP_PX / (_WIDE_SPAN / _WIDE_PX)
            axes = np.stack([right, down], axis=1) * scale
            middle = (_WIDE_PX - 1) / 2 + shift * edge * _WIDE_PX / _WIDE_SPAN
            place = np.column_stack([axes, middle - axes @ np.full(2, (TOP_PX - 1) / 2)])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            crop = cv2.warpAffine(
                self._wide[which], place, (TOP_PX, TOP_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE
            )
            crops[k] = _lit(rng, np.asarray(crop, np.uint8))
            # Mirrored, the corner lies as far on the other side.
            wanted[k] = kind, -shift @ right, -shift @ down, -grow, -turn * flip
        return top_input(crops), wanted


def _lit(rng: np.random.Generator, crop: ImageBgr) -> ImageBgr:
    """Return a crop in other light, blurred and noisy."""
    part = crop[..., rng.permutation(3)].astype(np.float32) if rng.random() < _OTHER_HUE else crop.astype(np.float32)
    part *= np.exp(rng.normal(0, 0.12, 3)).astype(np.float32)
    if rng.random() < _BLURRED:
        part = np.asarray(cv2.GaussianBlur(part, (0, 0), rng.uniform(0.3, 1.3)), np.float32)
    part += rng.standard_normal(part.shape, np.float32) * np.float32(rng.uniform(0, 6))
    return np.asarray(np.clip(part, 0, 255), np.uint8)


def main() -> None:
    """Read the command line; train and write the net."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--fonts", type=Path, required=True, help="folder of text fonts")
    parser.add_argument("--rigs", type=Path, nargs="+", required=True, help="folders with empty.jpg and profile.json")
    parser.add_argument("--trays", type=Path, nargs="+", required=True, help="folders with labels.json")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--dice", type=int, default=9000)
    parser.add_argument("--batch", type=int, default=128)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    wide, kinds = drawn_tops(args.rigs, args.fonts, args.dice)
    cubes = cube_tops(args.trays, args.fonts, args.dice // 3)
    sys.stdout.write(f"{len(wide)} drawn dice, {len(cubes)} cubes\n")
    tops = Tops(np.stack([*wide, *cubes]), np.array([*kinds, *(0 for _ in cubes)]))
    symmetry = torch.tensor([SYMMETRY[sides] for sides in SIDES])

    def loss_of(learner: Learner, step: int) -> dict[str, Tensor]:
        planes, wanted = map(torch.from_numpy, tops.batch(np.random.default_rng([9, step]), args.batch))
        answers = learner(planes.contiguous(memory_format=torch.channels_last))
        kind = wanted[:, 0].long()
        turn, rows = wanted[:, 4] * symmetry[kind], torch.arange(len(kind))
        ways = torch.stack([answers[rows, 7 + kind], answers[rows, 11 + kind]], dim=1)
        return {
            "kind": functional.cross_entropy(answers[:, :4], kind),
            "place": 8 * functional.smooth_l1_loss(answers[:, 4:7], wanted[:, 1:4], beta=0.05),
            "turn": 2 * functional.smooth_l1_loss(ways, torch.stack([turn.cos(), turn.sin()], dim=1), beta=0.2),
        }

    loop = LoopParams(10**9, args.minutes, 3e-3, backbone_rate=1.0, decay=0.01, averaged=0.995, save_every=200)
    taught = teach(_Learner().to(memory_format=torch.channels_last), loss_of, args.out.with_suffix(".pt"), loop)
    export(taught.backbone, TOP_PX, args.out, {0: "n"}, 3)


if __name__ == "__main__":
    main()
