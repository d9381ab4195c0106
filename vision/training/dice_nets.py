"""The nets that read dice: one detects them in a picture, one reads each crop, one measures its stance."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.classification.die_net import DIE_PX
from vision.classification.stance_net import STANCE_PX
from vision.training.backbone import FEATURES, Backbone
from vision.training.packing import pack

DETECTOR_CHANNELS = 6
"""Heat, offset x and y (in cells), logarithm of the edge over `NOMINAL_EDGE_PX`, cosine and sine of four turns."""
DIE_ANSWERS = 9
"""Logits of the values 1 to 6, of no die, of a die without pips on top; the logit of the visible share of its top."""
STANCE_ANSWERS = 9
"""Logits of flat, leaning and stacked; the lean x and y; the square's correction: centre x and y, log of edge, turn."""
EMBEDDING = 128
"""Number of values before the last layer of the die net, which describe the look of a face."""


def _joined(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU6(inplace=True)
    )


class DetectorNet(nn.Module):
    """Maps a picture to maps at a quarter of its size: place, size and rotation of dice."""

    def __init__(self, weights: Path | None = None) -> None:
        """Create the layers."""
        super().__init__()
        self.backbone = Backbone(weights)
        quarter, eighth, sixteenth = FEATURES
        self.from_sixteenth = nn.Conv2d(sixteenth, 48, 1)
        self.from_eighth = nn.Conv2d(eighth, 48, 1)
        self.join_eighth = _joined(48, 48)
        self.to_quarter = nn.Conv2d(48, 32, 1)
        self.from_quarter = nn.Conv2d(quarter, 32, 1)
        self.join_quarter = _joined(32, 32)
        self.head = nn.Conv2d(32, DETECTOR_CHANNELS, 1)
        self.doubled = nn.Upsample(scale_factor=2.0, mode="nearest")
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -4.0  # centres are rare: begin with low heat

    def forward(self, picture: Tensor) -> Tensor:
        """Map shape (N, 3, H, W), as `Backbone` takes it, to (N, `DETECTOR_CHANNELS`, H / 4, W / 4)."""
        quarter, eighth, sixteenth = self.backbone(picture)
        eighth = self.join_eighth(self.from_eighth(eighth) + self.doubled(self.from_sixteenth(sixteenth)))
        return self.head(self.join_quarter(self.from_quarter(quarter) + self.doubled(self.to_quarter(eighth))))


class _CropNet(nn.Module):
    """Maps a crop to an embedding of its look, and that to outputs."""

    def __init__(self, weights: Path | None, planes: int, side_px: int, embedding: int, answers: int) -> None:
        super().__init__()
        self.backbone = Backbone(weights, planes)
        self.narrow = nn.Sequential(nn.Conv2d(FEATURES[-1], 72, 1, bias=False), nn.BatchNorm2d(72), nn.ReLU6())
        self.embed = nn.Linear(72 * (side_px // 16) ** 2, embedding)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(embedding, answers)

    def embedded(self, crops: Tensor) -> Tensor:
        """Map shape (N, planes, S, S) to (N, embedding)."""
        return functional.relu6(self.embed(self.narrow(self.backbone(crops)[-1]).flatten(1)))


class DieNet(_CropNet):
    """Maps a crop two edges wide, at any rotation, to what its die shows."""

    def __init__(self, weights: Path | None = None) -> None:
        """Create the layers."""
        super().__init__(weights, 3, DIE_PX, EMBEDDING, DIE_ANSWERS)

    def forward(self, crops: Tensor) -> Tensor:
        """Map shape (N, 3, `DIE_PX`, `DIE_PX`), as `Backbone` takes it, to (N, `DIE_ANSWERS` + `EMBEDDING`)."""
        embedding = self.embedded(crops)
        return torch.cat([self.head(self.drop(embedding)), embedding], dim=1)


class StanceNet(_CropNet):
    """Maps a crop and the outline that a flat die would have there to the die's stance."""

    def __init__(self, weights: Path | None = None) -> None:
        """Create the layers."""
        super().__init__(weights, 4, STANCE_PX, 96, STANCE_ANSWERS)

    def forward(self, crops: Tensor) -> Tensor:
        """Map shape (N, 4, `STANCE_PX`, `STANCE_PX`), as `stance_input` makes it, to (N, `STANCE_ANSWERS`)."""
        return self.head(self.drop(self.embedded(crops)))


def export(net: nn.Module, side_px: int, path: Path, free: dict[int, str], planes: int = 3) -> None:
    """Write a net of this module as ONNX, opset 13.

    Args:
        side_px: Of the square pictures that it is traced with.
        free: Names of the dynamic axes of inputs and outputs.
    """
    torch.onnx.export(
        net.eval().to("cpu", memory_format=torch.contiguous_format),
        (torch.zeros(1, planes, side_px, side_px),),
        str(path),
        opset_version=13,
        dynamo=False,
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": free, "y": free},
    )
    pack(path)
