"""Trains the net that distinguishes faces: icons and characters painted on the dice of labelled trays.

python -m vision.training.teach_faces OUT.onnx --icons ICONS.ttf --fonts FOLDER --trays FIXTURES/stills --minutes 57
"""

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.classification.face_net import FACE_PX, LOOK_SIZE, face_planes
from vision.training.dice_nets import export
from vision.training.glyphs import LETTERS, character, fonts, icons, numeral, unlike
from vision.training.labelled import labelled_trays
from vision.training.loop import Learner, LoopParams, teach
from vision.training.painted_faces import BareDie, Glyph, bare_dice, cut_face, painted, printed
from vision.types.frame import ImageGray

_WIDTHS = (24, 40, 48, 72, 96)
_STRIDES = (1, 2, 1, 2, 2)
_SHARPNESS, _MARGIN = 26.0, 0.15
_BLANK, _CHARACTERS = 0.01, 0.1
"""Shares of a batch that are blank, and that are characters; except for pips (below 0) the rest are icons."""


class FaceNet(nn.Module):
    """Maps the planes of a face to its look."""

    def __init__(self) -> None:
        """Create the layers."""
        super().__init__()
        layers, inputs = [], 2
        for outputs, stride in zip(_WIDTHS, _STRIDES, strict=True):
            layers += [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
            inputs = outputs
        self.layers = nn.Sequential(*layers)
        self.look = nn.Linear(inputs * (FACE_PX // 8) ** 2, LOOK_SIZE)

    def forward(self, planes: Tensor) -> Tensor:
        """Map shape (N, 2, `FACE_PX`, `FACE_PX`) to (N, `LOOK_SIZE`), rows of length 1."""
        return functional.normalize(self.look(self.layers(planes).flatten(1)), dim=1)


class _Learner(nn.Module):
    """The net, and the target look of each class."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.backbone = FaceNet()
        self.classes = nn.Parameter(torch.randn(classes, LOOK_SIZE) * 0.1)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the similarity of each face to each class."""
        with torch.autocast("cpu", torch.bfloat16):
            looks = self.backbone(planes)
        return looks.float() @ functional.normalize(self.classes, dim=1).T


def glyph_classes(file: Path, folder: Path) -> tuple[list[list[ImageGray]], int]:
    """Return masks by class, and how many of the first classes are characters.

    A mirrored icon is a separate class, unless it looks like an existing one.
    """
    texts = fonts(folder)
    drawn = [[character(font, letter) for font in texts] for letter in LETTERS]
    drawn += [[numeral(font, digit, underlined=True) for font in texts] for digit in (6, 9)]
    characters = [[mask for mask in masks if mask is not None] for masks in drawn]
    plain = icons(file)
    both = unlike([*plain, *(np.ascontiguousarray(mask[:, ::-1]) for mask in plain)])
    return characters + [[mask] for mask in both], len(characters)


def batch(
    rng: np.random.Generator, kinds: np.ndarray, glyphs: list[list[ImageGray]], characters: int, dice: list[BareDie]
) -> tuple[np.ndarray, np.ndarray]:
    """Return planes of faces, and the class of each: glyphs, then the pips 1 to 6, then blank."""
    cuts, classes = [], []
    for kind in kinds:
        die = dice[rng.integers(len(dice))]
        share, turn = printed(rng)
        if kind < 0:
            which, mask = len(glyphs) + die.value - 1, None
        elif kind < _BLANK:
            which, mask = len(glyphs) + 6, np.zeros((1, 1), np.uint8)
        else:
            which = int(rng.integers(characters if kind < _BLANK + _CHARACTERS else len(glyphs)))
            mask = glyphs[which][rng.integers(len(glyphs[which]))]
        cuts.append(cut_face(rng, painted(rng, die, Glyph(mask, share, turn)), (0.07, 0.05, 0.04)))
        classes.append(which)
    return face_planes(np.stack(cuts)), np.array(classes)


def main() -> None:
    """Read the command line; train and write the net."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--icons", type=Path, required=True, help="an icon font")
    parser.add_argument("--fonts", type=Path, required=True, help="folder of text fonts")
    parser.add_argument("--trays", type=Path, nargs="+", required=True, help="folders with labels.json")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--begin", type=Path, help="another training's state")
    parser.add_argument("--pips", type=float, default=0.08, help="share of a batch that shows the die's own pips")
    parser.add_argument("--rate", type=float, default=0.015)
    parser.add_argument("--batch", type=int, default=192)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    dice = bare_dice([picture for folder in args.trays for picture in labelled_trays(folder, "traced")])
    glyphs, characters = glyph_classes(args.icons, args.fonts)
    sys.stdout.write(f"{len(glyphs)} glyphs, {characters} of them characters, on {len(dice)} dice\n")
    net = _Learner(len(glyphs) + 7)
    if args.begin is not None:
        net.load_state_dict(torch.load(args.begin, weights_only=True)["average"])

    def loss_of(learner: Learner, step: int) -> dict[str, Tensor]:
        rng = np.random.default_rng([args.seed, step])
        planes, classes = batch(rng, rng.random(args.batch) - args.pips, glyphs, characters, dice)
        right = torch.from_numpy(classes)
        near = learner(torch.from_numpy(planes).contiguous(memory_format=torch.channels_last))
        near = near - _MARGIN * functional.one_hot(right, near.shape[1])
        return {"class": functional.cross_entropy(near * _SHARPNESS, right)}

    loop = LoopParams(10**9, args.minutes, args.rate, backbone_rate=0.2, decay=0.005, averaged=0.998, save_every=100)
    taught = teach(net.to(memory_format=torch.channels_last), loss_of, args.out.with_suffix(".pt"), loop)
    export(taught.backbone, FACE_PX, args.out, {0: "n"}, 2)


if __name__ == "__main__":
    main()
