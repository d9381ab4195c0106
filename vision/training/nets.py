"""The nets in torch: plain convolutions, which any runtime of ONNX runs well on a processor."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.net import FACE_PX
from vision.stance import STANCE_PX

FINDER_CHANNELS = 9
"""Heat, offset x and y, logarithm of the edge, cosine and sine of four times the turn, cocked, lean x and y."""

FACE_CHANNELS = 10
"""Eight logits, lean x and y."""

STANCE_CHANNELS = 5
"""Logits of flat, leaning, stacked; lean x and y, in edges."""


def _block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class FinderNet(nn.Module):
    """Picture to maps at a quarter of its size: where top faces are, and for each its size, turn and lean.

    Most of the work is done at an eighth and a sixteenth, where it is cheap and sees far (about 170 px); a quarter is
    only visited on the way out, since centres of touching dice lie 14 px apart.
    """

    def __init__(self) -> None:
        """Make the layers, untrained."""
        super().__init__()
        self.stem = nn.Sequential(_block(3, 8, 2), _block(8, 16, 2))
        self.eighth = nn.Sequential(_block(16, 32, 2), _block(32, 32), _block(32, 32))
        self.sixteenth = nn.Sequential(_block(32, 64, 2), _block(64, 64), _block(64, 64))
        self.up_eighth = nn.Conv2d(64, 32, 1)
        self.join_eighth = _block(32, 32)
        self.up_quarter = nn.Conv2d(32, 16, 1)
        self.join_quarter = _block(16, 24)
        self.head = nn.Conv2d(24, FINDER_CHANNELS, 1)
        self.doubled = nn.Upsample(scale_factor=2.0, mode="nearest")
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -4.0  # centres are rare: begin with saying no
            self.head.bias[6] = -2.0

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

    def forward(self, crops: Tensor) -> Tensor:
        """Shape (N, planes, side_px, side_px), to (N, answers, 1, 1)."""
        return self.head(self.drop(self.body(crops)))


def face_net() -> CropNet:
    """The face reader, for (grey - 128) / 64 in three planes, to eight logits and the lean."""
    return CropNet(3, FACE_PX, (12, 24, 40, 48, 48), 64, FACE_CHANNELS)


def stance_net() -> CropNet:
    """The stance net, for what `vision.stance.stance_input` makes, to three logits and a lean.

    The lean only guides the learning.
    """
    return CropNet(5, STANCE_PX, (12, 24, 40, 40, 56), 56, STANCE_CHANNELS)


def resume(net: nn.Module, weights: Path, samples: Tensor) -> None:
    """Go on from an exported net, whose batch norms were folded into its convolutions.

    Args:
        net: Of the same layers; its weights are replaced.
        weights: The ONNX file.
        samples: Some inputs: their statistics become those of the batch norms, which then change nothing.

    Raises:
        ValueError: The file holds a net of other layers.
    """
    graph = onnx.load(str(weights)).graph
    stored = {part.name: torch.from_numpy(numpy_helper.to_array(part).copy()) for part in graph.initializer}
    folded = [[stored[name] for name in node.input[1:3]] for node in graph.node if node.op_type == "Conv"]
    convolutions = [part for part in net.modules() if isinstance(part, nn.Conv2d)]
    norms = [part for part in net.modules() if isinstance(part, nn.BatchNorm2d)]
    if isinstance(net, CropNet):
        shapes = [convolution.weight.shape for convolution in convolutions]
        folded = [
            (kernel[: shape[0], : shape[1]], bias[: shape[0]])
            for (kernel, bias), shape in zip(folded, shapes, strict=False)
        ]
    if [kernel.shape for kernel, _ in folded] != [convolution.weight.shape for convolution in convolutions]:
        raise ValueError(f"{weights} holds a net of other layers: name weights of the same kind")
    with torch.no_grad():
        next_norm = iter(norms)
        for convolution, (kernel, bias) in zip(convolutions, folded, strict=True):
            convolution.weight.copy_(kernel)
            if convolution.bias is not None:
                convolution.bias.copy_(bias)
            else:
                norm = next(next_norm)
                norm.weight.fill_(float(np.sqrt(1 + norm.eps)))
                norm.bias.copy_(bias)
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
