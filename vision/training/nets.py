"""The nets in torch: plain convolutions, which any runtime of ONNX runs well on a processor."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.classification.face_reader import FACE_PX, NO_TOP_COLUMN
from vision.standing.close_look import CLOSE_PX, CLOSE_VALUES
from vision.standing.stance import STANCE_PX

FINDER_CHANNELS = 9
"""Heat, offset x and y, logarithm of the edge, cosine and sine of four times the turn, cocked, lean x and y."""

FACE_CHANNELS = 10
"""Eight logits, lean x and y."""

CLOSE_CHANNELS = CLOSE_VALUES + 3
"""Logits of the values and of no top face; of flat, leaning, stacked."""

STANCE_CHANNELS = 5
"""Logits of flat, leaning, stacked; lean x and y, in edges."""

LEAN_CHANNELS = 3
"""Lean x and y, in edges; the logarithm of its error."""


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


class CropNet(nn.Module):
    """A die, cut out and upright, to a few numbers."""

    def __init__(self, planes: int, side_px: int, widths: tuple[int, int, int, int, int], hidden: int, answers: int):
        """Make the layers, untrained.

        Args:
            planes: Of the crop.
            side_px: Of the crop, a multiple of 8.
            widths: Of the five convolutions, the first two at the crop's size and at half of it.
            hidden: Numbers before the last layer.
            answers: Numbers that come out.
        """
        super().__init__()
        first, second, third, fourth, fifth = widths
        self.body = nn.Sequential(
            _block(planes, first),
            nn.MaxPool2d(2),
            _block(first, second),
            nn.MaxPool2d(2),
            _block(second, third),
            _block(third, fourth),
            nn.MaxPool2d(2),
            _block(fourth, fifth),
        )
        # A convolution as wide as what is left is a fully connected layer without a reshape.
        self.head = nn.Sequential(
            nn.Conv2d(fifth, hidden, side_px // 8), nn.ReLU(inplace=True), nn.Conv2d(hidden, answers, 1)
        )
        self.drop = nn.Dropout2d(0.15)

    @staticmethod
    def ways() -> list[tuple[int, int]]:
        """The spaces of channels that each convolution reads and writes, numbered: they are a chain."""
        return [(i, i + 1) for i in range(7)]

    def forward(self, crops: Tensor) -> Tensor:
        """Shape (N, planes, side_px, side_px), to (N, answers, 1, 1)."""
        return self.head(self.drop(self.body(crops)))


def face_net(*, wide: bool = False) -> CropNet:
    """The face reader, for (grey - 128) / 64 in three planes, to eight logits and the lean."""
    widths, hidden = ((12, 24, 40, 48, 48), 64) if wide else ((8, 24, 32, 32, 48), 48)
    return CropNet(3, FACE_PX, widths, hidden, FACE_CHANNELS)


def stance_net(*, wide: bool = False) -> CropNet:
    """The stance net, for what `vision.standing.stance.with_outlines` makes, to three logits and a lean.

    The lean only guides the learning.
    """
    widths, hidden = ((12, 24, 40, 40, 56), 56) if wide else ((8, 24, 32, 32, 48), 48)
    return CropNet(5, STANCE_PX, widths, hidden, STANCE_CHANNELS)


def close_net() -> CropNet:
    """The close net, for what `vision.standing.stance.with_outlines` makes, to two rows of logits."""
    return CropNet(5, CLOSE_PX, (12, 24, 40, 48, 48), 64, CLOSE_CHANNELS)


def lean_net() -> CropNet:
    """The lean net, for what `vision.standing.stance.with_outlines` makes, to a lean and the logarithm of its error.

    The error only guides the learning.
    """
    return CropNet(5, CLOSE_PX, (12, 24, 40, 48, 48), 40, LEAN_CHANNELS)


def folded_of(weights: Path) -> list[tuple[Tensor, Tensor]]:
    """Kernel and bias of each convolution of an exported net, batch norms folded into them."""
    graph = onnx.load(str(weights)).graph
    stored = {part.name: torch.from_numpy(numpy_helper.to_array(part).copy()) for part in graph.initializer}
    return [(stored[node.input[1]], stored[node.input[2]]) for node in graph.node if node.op_type == "Conv"]


def start_close(net: CropNet, weights: Path, samples: Tensor) -> None:
    """Begin with the convolutions of a face reader, which sees the same scale; all else stays a third of chance's.

    Args:
        net: A close net; its weights are changed.
        weights: The face reader's, an ONNX file of as many convolutions, each as wide or narrower.
        samples: Some inputs, see `resume`.

    Raises:
        ValueError: The file holds a net of other layers.
    """
    folded = folded_of(weights)
    convolutions = [part for part in net.modules() if isinstance(part, nn.Conv2d)]
    norms = [part for part in net.modules() if isinstance(part, nn.BatchNorm2d)]
    if len(folded) != len(convolutions):
        raise ValueError(f"{weights} holds a net of other layers: name weights of a face reader")
    columns = [*range(CLOSE_VALUES - 1), NO_TOP_COLUMN]
    kernel, bias = folded[-1]
    folded[-1] = (kernel[columns], bias[columns])
    with torch.no_grad():
        for convolution, (kernel, bias) in zip(convolutions, folded, strict=True):
            # Exported layers are widened by channels that are always 0; those go again.
            if kernel[convolution.out_channels :].any() or kernel[:, convolution.in_channels :].any():
                raise ValueError(f"{weights} holds a net of wider layers: name weights of a face reader")
            kernel = kernel[: convolution.out_channels, : convolution.in_channels]  # noqa: PLW2901
            out, into, side = kernel.shape[:3]
            first = (convolution.kernel_size[0] - side) // 2
            middle = slice(first, first + side)
            convolution.weight.mul_(1 / 3)
            convolution.weight[:out, :into, middle, middle] = kernel
            if convolution.bias is not None:
                convolution.bias[:out] = bias[:out]
        for norm, (_, bias) in zip(norms, folded, strict=False):
            most = min(len(bias), len(norm.bias))
            norm.bias[:most] = bias[:most]
        settle(net, norms, samples)


def settle(net: nn.Module, norms: list[nn.BatchNorm2d], samples: Tensor) -> None:
    """Give batch norms that were folded away the statistics of some inputs, so that they change nothing."""
    for norm in norms:
        norm.weight.fill_(float(np.sqrt(1 + norm.eps)))
    seen: list[tuple[Tensor, Tensor]] = []
    hooks = [n.register_forward_pre_hook(lambda _, given: seen.append(_moments(given[0]))) for n in norms]
    net.eval()(samples)
    for hook in hooks:
        hook.remove()
    for norm, (mean, variance) in zip(norms, seen, strict=True):
        norm.running_mean = mean
        norm.running_var = variance
        norm.weight.copy_(torch.sqrt(variance + norm.eps))
        norm.bias.add_(mean)


def resume(net: nn.Module, weights: Path, samples: Tensor) -> None:
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
    norms = [part for part in net.modules() if isinstance(part, nn.BatchNorm2d)]
    shapes = [tuple(convolution.weight.shape) for convolution in convolutions]
    if isinstance(net, FinderNet | CropNet) and len(shapes) == len(folded):
        folded = thinned(folded, net.ways(), shapes)
    if [tuple(kernel.shape) for kernel, _ in folded] != shapes:
        raise ValueError(f"{weights} holds a net of other layers: name weights of the same kind")
    with torch.no_grad():
        next_norm = iter(norms)
        for convolution, (kernel, bias) in zip(convolutions, folded, strict=True):
            convolution.weight.copy_(kernel)
            if convolution.bias is not None:
                convolution.bias.copy_(bias)
            else:
                next(next_norm).bias.copy_(bias)
        settle(net, norms, samples)


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


def _moments(features: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of each channel."""
    return features.mean(dim=(0, 2, 3)), features.var(dim=(0, 2, 3))


def export(net: nn.Module, shape: tuple[int, int, int, int], path: Path) -> None:
    """Write a net as ONNX, opset 12, its batch and picture size left open; batch norms folded into convolutions.

    The hidden layers of a `CropNet` are widened, see `widen`.
    """
    free = {0: "n", 2: "h", 3: "w"} if isinstance(net, FinderNet) else {0: "n"}
    torch.onnx.export(
        net.eval(),
        (torch.zeros(shape),),
        str(path),
        opset_version=12,
        dynamo=False,
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": free, "y": free},
    )
    if isinstance(net, CropNet):
        model = onnx.load(str(path))
        widen(model)
        onnx.save(model, str(path))


_LANES = 8
"""ONNX Runtime takes so many channels at once; where their number is no multiple of it, it sorts them anew."""


def widen(model: onnx.ModelProto) -> None:
    """Give the hidden layers of a chain of convolutions channels that are always 0, up to a multiple of eight.

    Args:
        model: Changed in place; what it answers stays the same.
    """
    stored = {part.name: part for part in model.graph.initializer}
    convolutions = [node for node in model.graph.node if node.op_type == "Conv"]
    more = 0
    for node in convolutions:
        kernel, bias = (numpy_helper.to_array(stored[name]) for name in node.input[1:3])
        kernel = np.pad(kernel, ((0, 0), (0, more), (0, 0), (0, 0)))
        more = 0 if node is convolutions[-1] else -len(bias) % _LANES
        kernel = np.pad(kernel, ((0, more), (0, 0), (0, 0), (0, 0)))
        for name, value in zip(node.input[1:3], (kernel, np.pad(bias, (0, more))), strict=True):
            stored[name].CopyFrom(numpy_helper.from_array(value, name))
