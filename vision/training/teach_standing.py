"""Teaches the standing net on tops that `vision.training.dataset` cut out of drawn pictures.

python -m vision.training.teach_standing STATES/standing.pt OUT/standing.onnx --drawn SETS/a SETS/b --held SETS/held

One net learns both looks: half of a batch is what a first look sees, the square badly told and nothing beside it; the
other half what a second look sees, the square well told and the outlines of a flat die and of those beside it drawn.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.classification.standing_net import (
    FLAT,
    LEANING,
    STACKED,
    STANDING_PX,
    STANDING_SPAN,
    Beside,
    block,
    with_outlines,
)
from vision.frame import F32, FloatArray, ImageBgr
from vision.onnx_net import WEIGHTS
from vision.training.augment import AugmentParams, mirror_lamp, relit, sharpen
from vision.training.backbone import begin_from
from vision.training.dataset import CROP_PX, CROP_SPAN
from vision.training.dice_nets import StandingNet, export
from vision.training.loop import LoopParams, teach
from vision.training.stands import Stands, load_stands

BATCH = 80
SEEN = 0.9
"""A die of which so much shows is known to its neighbours, one of which less than..."""
UNSEEN = 0.6
"""...so much shows is not; between them chance decides."""
FIRST, SECOND = 1.25, 0.6
"""How large the errors are with which a first and a second look are told of places."""
ASTRAY = 0.3
"""Share of first looks at squares that are far off."""
FLAT_SHOWN = 0.55
"""Share of a batch that lies flat: of drawn dice four in five do."""
LIGHT = AugmentParams(swapped=0.25, coarse=0.15, noise=0.1, glare=0.15)
_LEAN, _PLACE, _SIZE, _TURN = 0.8, 3.0, 2.0, 2.0
"""Weights of the losses beside that of how dice stand."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the net sees of a die, and what is true of it, in edges along the crop's axes.

    Attributes:
        crop: Shape (`STANDING_PX`, `STANDING_PX`, 3).
        flat: Shape (2,), the lean that a flat die is said to have there; None for a first look.
        beside: The blocks beside it.
        lean: Shape (2,), how it truly leans.
        place: Shape (4,), its true middle, the logarithm of its edge, its turn.
    """

    crop: ImageBgr
    flat: FloatArray | None
    beside: list[FloatArray]
    lean: FloatArray
    place: FloatArray


def view_of(stands: Stands, i: int, rng: np.random.Generator, amount: float, *, first: bool) -> View:
    """One die as if all that is known had been told with small errors.

    Args:
        stands: Tops that were cut out.
        i: Which of them.
        rng: Chance.
        amount: Of the errors.
        first: Whether it is a first look.
    """
    astray = np.radians(rng.normal(0, 2.2)) * amount
    turn = float(rng.integers(4)) * np.pi / 2 + astray
    grown = float(np.exp(rng.normal(0, 0.05) * amount))
    flip = -1.0 if rng.random() < 0.5 else 1.0
    way = np.array([[np.cos(turn) * flip, -np.sin(turn)], [np.sin(turn) * flip, np.cos(turn)]])
    off = np.clip(rng.normal(0, 0.045, 2) * amount, -0.16, 0.16)
    if first and rng.random() < ASTRAY:
        # A dark side beside a dark top is taken for a part of it now and then.
        off, grown = rng.uniform(-0.32, 0.32, 2), float(np.exp(rng.uniform(-0.18, 0.18)))
    move = way * (CROP_PX * STANDING_SPAN / CROP_SPAN / STANDING_PX * grown)
    middle = (CROP_PX - 1) / 2 + off * CROP_PX / CROP_SPAN
    shift = np.column_stack([move, middle - move @ np.full(2, (STANDING_PX - 1) / 2)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (STANDING_PX, STANDING_PX)
    out = cv2.warpAffine(stands.images[i], shift, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    axis = way.T @ np.array([1.0, 0.0])
    tilt = np.arctan2(axis[1], axis[0])
    tilt = (tilt + np.pi / 4) % (np.pi / 2) - np.pi / 4
    place = np.array([*(way.T @ -off / grown), -np.log(grown), tilt])
    lean = way.T @ stands.leans[i] / grown
    if first:
        return View(np.asarray(out, np.uint8), None, [], lean, place)
    flat = way.T @ stands.flats[i] / grown + rng.normal(0, 0.04, 2) * amount
    blocks = []
    for x, y, half_x, half_y, lean_x, lean_y, visible in stands.beside[i].tolist():
        if rng.uniform(UNSEEN, SEEN) > visible or rng.random() < 0.03:
            continue
        at = way.T @ (np.array([x, y]) - off) / grown + rng.normal(0, 0.03, 2) * amount
        half = way.T @ np.array([half_x, half_y]) / grown * np.exp(rng.normal(0, 0.05) * amount)
        leans = way.T @ np.array([lean_x, lean_y]) / grown + rng.normal(0, 0.04, 2) * amount
        blocks.append(block(at, half, leans))
    return View(np.asarray(out, np.uint8), flat, blocks, lean, place)


def given_of(views: Sequence[View], crops: ImageBgr) -> F32:
    """What the net is given for views of one look, their crops perhaps changed; shape (N, 5, S, S)."""
    if views[0].flat is None:
        return with_outlines(crops, None, Beside.nothing())
    of = np.repeat(np.arange(len(views)), [len(view.beside) for view in views])
    blocks = np.array([corners for view in views for corners in view.beside]).reshape(-1, 8, 2)
    return with_outlines(crops, np.array([view.flat for view in views]), Beside(of, blocks))


def _varied(crop: ImageBgr, rng: np.random.Generator) -> ImageBgr:
    return sharpen(mirror_lamp(crop, STANDING_PX / STANDING_SPAN, rng), rng)


def batch_of(stands: Stands, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """A batch: planes, kinds, leans, places, and which of them are first looks."""
    half = BATCH // 2
    flat = rng.choice(stands.flat_rows, round(FLAT_SHOWN * BATCH))
    rows = rng.permutation(np.concatenate([flat, rng.choice(stands.other_rows, BATCH - len(flat))]))
    looks = []
    for k, chosen in enumerate((rows[:half], rows[half:])):
        views = [view_of(stands, int(i), rng, (FIRST, SECOND)[k], first=k == 0) for i in chosen]
        looks.append((views, given_of(views, np.array([_varied(view.crop, rng) for view in views]))))
    planes = torch.from_numpy(np.concatenate([given for _, given in looks]))
    planes[:, :3] = relit((planes[:, :3] * 128 + 127) / 255, rng, LIGHT)
    views = [view for some, _ in looks for view in some]
    return (
        planes,
        torch.from_numpy(stands.kinds[rows]),
        torch.tensor(np.array([view.lean for view in views]), dtype=torch.float32),
        torch.tensor(np.array([view.place for view in views]), dtype=torch.float32),
        torch.arange(BATCH) < half,
    )


def losses_of(said: Tensor, kinds: Tensor, leans: Tensor, places: Tensor, first: Tensor) -> dict[str, Tensor]:
    """The losses of a batch by name; how a die stands counts little at a first look."""
    stand = functional.cross_entropy(said[:, :3], kinds, label_smoothing=0.01, reduction="none")
    off = (said[:, 3:] - torch.cat([leans, places], dim=1)).abs()
    return {
        "stand": (stand * torch.where(first, 0.25, 1.75)).mean(),
        "lean": _LEAN * off[:, :2].sum(dim=1).mean(),
        "place": _PLACE * off[:, 2:4].sum(dim=1).mean(),
        "size": _SIZE * off[:, 4].mean(),
        "turn": _TURN * off[:, 5].mean(),
    }


def judged(net: nn.Module, held: Stands) -> str:
    """What a net makes of dice that it did not learn from: places after a first look, standing after a second."""
    rng = np.random.default_rng(0)
    words = []
    for first in (True, False):
        views = [view_of(held, i, rng, FIRST if first else SECOND, first=first) for i in range(len(held.kinds))]
        given = torch.from_numpy(given_of(views, np.array([view.crop for view in views])))
        with torch.no_grad():
            said = torch.cat([net.eval()(part) for part in torch.split(given, 256)]).numpy()
        if first:
            off = np.abs(said[:, 5:] - np.array([view.place for view in views]))
            middle = np.median(np.hypot(off[:, 0], off[:, 1]))
            words.append(f"middle {middle:.4f} edges, turn {np.degrees(np.median(off[:, 3])):.2f} degrees")
            continue
        wrong = -(said[:, 0] - np.logaddexp(said[:, 1], said[:, 2]))
        for false in (0.003, 0.01):
            limit = np.quantile(wrong[held.kinds == FLAT], 1 - false)
            seen = [f"{(wrong[held.kinds == kind] > limit).mean():.3f}" for kind in (LEANING, STACKED)]
            words.append(f"beside {false} false alarms {' and '.join(seen)} of leaning and stacked")
        lean = np.hypot(*(said[:, 3:5] - np.array([view.lean for view in views])).T)
        words.append(f"lean off by {np.median(lean[held.kinds == FLAT]):.3f}")
    return ", ".join(words)


def main() -> None:
    """Read the command line and teach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=Path, help="where the training is kept, so that it goes on")
    parser.add_argument("out", type=Path, help="the ONNX file")
    parser.add_argument("--drawn", type=Path, nargs="+", required=True, help="folders of vision.training.dataset")
    parser.add_argument("--held", type=Path, required=True, help="drawn likewise, only to be tried on")
    parser.add_argument("--steps", type=int, default=9000)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start", type=Path, default=WEIGHTS / "die.onnx", help="whose first layers it begins with")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    cv2.setNumThreads(1)
    torch.manual_seed(asked.seed)
    stands, held = load_stands(asked.drawn), load_stands([asked.held])
    sys.stderr.write(f"by kind {np.bincount(stands.kinds).tolist()}, held {np.bincount(held.kinds).tolist()}\n")
    net = StandingNet()
    if not asked.state.exists():
        begin_from(net.backbone, asked.start, batch_of(stands, np.random.default_rng(asked.seed))[0][:, :3])
    net = net.to(memory_format=torch.channels_last)

    def loss_of(taught: nn.Module, rng: np.random.Generator) -> dict[str, Tensor]:
        planes, *truth = batch_of(stands, rng)
        return losses_of(taught(planes.contiguous(memory_format=torch.channels_last)), *truth)

    done = teach(net, loss_of, asked.state, LoopParams(asked.steps, asked.rate), asked.seed)
    sys.stderr.write(judged(done, held) + "\n")
    export(done, STANDING_PX, asked.out, {0: "n"}, planes=5)


if __name__ == "__main__":
    main()
