"""Trains the net that measures the stances of dice.

python -m vision.training.teach_stance FIXTURES OUT.onnx --drawn SETS/a SETS/b --held SETS/c --minutes 90
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from vision.classification.stance_net import FLAT, LEANING, STACKED, STANCE_PX, outlines, stance_input
from vision.nets.onnx_net import OnnxNet, shares_of
from vision.training.augment import relit
from vision.training.backbone import imagenet_weights
from vision.training.dice_nets import StanceNet, export
from vision.training.loop import Learner, LoopParams, learning_device, teach
from vision.training.quantise import quantise
from vision.training.stance_bank import LookParams, Looks, StanceBank, drawn_bank, joined, looks_at, traced_bank

_SHARES = (
    ("drawn", FLAT, 24), ("drawn", LEANING, 18), ("drawn", STACKED, 6),
    ("traced", FLAT, 9), ("traced", LEANING, 5), ("traced", STACKED, 2),
)  # fmt: skip
"""Of every 64 crops of a batch."""
_UNKNOWN = 0.15
"""Share of crops without an outline, as if nothing were known of the camera."""
_SQUARE_WEIGHTS = (3.0, 3.0, 2.0, 1.5)
"""Weights of the errors of the square's centre x and y, its edge and its turn."""
_FALSE_ALARMS = (0.003, 0.01)
"""Shares of flat dice that may be reported as not flat when a net is judged."""
_NEAR = 0.3
"""Departure from a flat die's lean, in edges, below which a leaning die leans little: 17 degrees."""


def stance_losses(output: Tensor, looks: Looks) -> dict[str, Tensor]:
    """Return the cross entropy of the stances; errors of the leans; for flat dice, those of the squares."""
    device = output.device
    kinds = torch.from_numpy(looks.kinds).to(device)
    leans, squares = (torch.from_numpy(part.astype(np.float32)).to(device) for part in (looks.leans, looks.squares))
    off = (output[:, 5:] - squares).abs() @ torch.tensor(_SQUARE_WEIGHTS, device=device)
    return {
        "stance": functional.cross_entropy(output[:, :3], kinds, label_smoothing=0.01),
        "lean": 0.5 * (output[:, 3:5] - leans).abs().sum(1).mean(),
        "square": off[kinds == FLAT].mean(),
    }


def judged(net: OnnxNet, bank: StanceBank, repeats: int) -> str:
    """Return a net's results on dice that it was not trained on, each shown that many times, as a text."""
    rng = np.random.default_rng(0)
    which = np.tile(np.arange(len(bank.kinds)), repeats)
    parts = np.array_split(which, len(which) // 200 + 1)
    looks = [looks_at(bank, part, rng, LookParams(0.03, 0.04, 2.5, 0.03)) for part in parts]
    leans, squares = np.concatenate([part.leans for part in looks]), np.concatenate([part.squares for part in looks])
    kinds, near = bank.kinds[which], bank.departures[which] < _NEAR
    groups = {"leaning": kinds == LEANING, "leaning little": (kinds == LEANING) & near, "stacked": kinds == STACKED}
    flat = kinds == FLAT
    text = f"{flat.sum() // repeats} flat dice\n"
    for name, turns, known in (("one look", 1, 1.0), ("two looks", 2, 1.0), ("two, no outline", 2, math.nan)):
        planes = [stance_input(part.crops, part.flats * known) for part in looks]
        output = np.stack(
            [np.concatenate([net.run(np.rot90(p, k, axes=(2, 3))) for p in planes]) for k in range(turns)]
        )
        logs = np.log(np.maximum(shares_of(output[..., :3]), 1e-6)).mean(axis=0)
        wrong = 1 - np.exp(logs[:, FLAT]) / np.exp(logs).sum(axis=1)
        limits = np.quantile(wrong[flat], 1 - np.array(_FALSE_ALARMS))
        caught = [(what, (wrong[of, None] > limits).mean(axis=0), of.sum() // repeats) for what, of in groups.items()]
        text += f"  {name}: " + ", ".join(f"{what} {a:.3f} {b:.3f} of {count}" for what, (a, b), count in caught)
        lean_off = np.abs(output[0, :, 3:5] - leans).mean()
        off = np.abs(output[0, flat, 5:] - squares[flat]).mean(axis=0)
        text += f"; lean off by {lean_off:.3f}, square by {' '.join(f'{part:.3f}' for part in off)}\n"
    return text


def main() -> None:
    """Read the command line; train, write the net and judge it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=Path, nargs="+", required=True, help="sets to learn from")
    parser.add_argument("--traced", type=Path, nargs="+", default=[], help="such sets that a path tracer drew")
    parser.add_argument("--held", type=Path, nargs="+", default=[], help="such sets to judge by")
    parser.add_argument("--minutes", type=float, required=True, help="0 only writes and judges what it begins from")
    parser.add_argument("--begin", type=Path, help="another training's state, or weights")
    parser.add_argument("--state", type=Path, help="where what was learned is kept; OUT with .pt where none is named")
    parser.add_argument("--rate", type=float, default=1.4e-3)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    device = learning_device()
    net = StanceNet(imagenet_weights() if args.begin is None else None)
    if args.begin is not None:
        kept = torch.load(args.begin, map_location="cpu", weights_only=True)
        net.load_state_dict(kept.get("average", kept))
    traced = [traced_bank(args.fixtures, held=False), *map(drawn_bank, args.traced)]
    banks = {"drawn": joined([drawn_bank(folder) for folder in args.drawn]), "traced": joined(traced)}
    for name, bank in banks.items():
        sys.stdout.write(f"{name}: {np.bincount(bank.kinds).tolist()} flat, leaning, stacked\n")
    if args.minutes > 0:
        picks = [(banks[name], banks[name].chances(kind), share) for name, kind, share in _SHARES]
        params = LookParams()

        def loss_of(learner: Learner, step: int) -> dict[str, Tensor]:
            rng = np.random.default_rng([args.seed, step])
            parts = [looks_at(bank, rng.choice(len(often), max(1, share * args.batch // 64), p=often), rng, params)
                     for bank, often, share in picks]  # fmt: skip
            looks = Looks(*(np.concatenate([getattr(part, name) for part in parts]) for name in Looks.__slots__))
            rgb = torch.from_numpy(np.ascontiguousarray(looks.crops[..., ::-1])).to(device).permute(0, 3, 1, 2)
            told = np.where(rng.random((len(looks.kinds), 1)) < _UNKNOWN, np.nan, looks.flats)
            plane = torch.from_numpy(outlines(told)).to(device)[:, None]
            shown = torch.cat([relit(rgb.float() / 255, rng), plane], 1)
            return stance_losses(learner(shown.contiguous(memory_format=torch.channels_last)), looks)

        state = args.state or args.out.with_suffix(".pt")
        loop = LoopParams(10**9, args.minutes, args.rate, backbone_rate=0.5, save_every=200)
        net = teach(net.to(device, memory_format=torch.channels_last), loss_of, state, loop)
    rng = np.random.default_rng(args.seed)
    shown = [looks_at(bank, rng.choice(len(bank.kinds), 300), rng, LookParams()) for bank in banks.values()]
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        export(net, STANCE_PX, whole, {0: "n"}, 4)
        quantise(whole, [stance_input(looks.crops, looks.flats) for looks in shown], args.out)
    taught = OnnxNet(args.out)
    for folder in args.held:
        sys.stdout.write(f"{folder.name}, {judged(taught, drawn_bank(folder), 2)}")
    sys.stdout.write(f"the fixtures' trays, {judged(taught, traced_bank(args.fixtures, held=True), 5)}")


if __name__ == "__main__":
    main()
