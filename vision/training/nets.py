"""The two nets in torch: plain convolutions, so that every OpenCV from 4.10 on runs what is exported."""

from pathlib import Path

import torch
from torch import Tensor, nn

from vision.net import FACE_PX

FINDER_CHANNELS = 9
"""Heat, offset x and y, logarithm of the edge, cosine and sine of four times the turn, cocked, lean x and y."""

FACE_CHANNELS = 10
"""Eight logits, lean x and y."""


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


class FaceNet(nn.Module):
    """A face, cut out and upright, to eight logits (the values 1 to 6, cocked, no top face) and its lean in edges."""

    def __init__(self) -> None:
        """Make the layers, untrained."""
        super().__init__()
        self.body = nn.Sequential(
            _block(3, 12),
            nn.MaxPool2d(2),
            _block(12, 24),
            nn.MaxPool2d(2),
            _block(24, 40),
            _block(40, 48),
            nn.MaxPool2d(2),
            _block(48, 48),
        )
        cells = FACE_PX // 8
        # A convolution as wide as what is left is a fully connected layer without a reshape.
        self.head = nn.Sequential(nn.Conv2d(48, 64, cells), nn.ReLU(inplace=True), nn.Conv2d(64, FACE_CHANNELS, 1))
        self.drop = nn.Dropout2d(0.15)

    def forward(self, faces: Tensor) -> Tensor:
        """Shape (N, 3, 40, 40), (grey - 128) / 64, to (N, 10, 1, 1)."""
        return self.head(self.drop(self.body(faces)))


def export(net: nn.Module, shape: tuple[int, int, int, int], path: Path) -> None:
    """Write a net as ONNX, opset 12, its batch and picture size left open; batch norms folded into convolutions."""
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
