"""Blends two nets of one kind, the second trained on from the first: the mean of their weights.

python -m vision.training.blend OUT/stance.onnx BEFORE/stance.onnx AFTER/stance.onnx
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from vision.types.errors import VisionError


def blended(before: onnx.ModelProto, after: onnx.ModelProto, share: float) -> onnx.ModelProto:
    """A net between two others.

    Args:
        before: The first net, whose graph is kept.
        after: The second net, of the same shape.
        share: Share of the second net in each weight, 0 to 1.

    Raises:
        VisionError: The nets differ in shape.
    """
    others = {part.name: numpy_helper.to_array(part) for part in after.graph.initializer}
    mixed = onnx.ModelProto()
    mixed.CopyFrom(before)
    for part in mixed.graph.initializer:
        own = numpy_helper.to_array(part)
        other = others.get(part.name)
        if other is None or other.shape != own.shape:
            raise VisionError(f"the nets differ in {part.name!r}: give two of one kind, trained on from one another")
        if own.dtype == np.float32:
            weights = ((1 - share) * own + share * other).astype(np.float32)
            part.CopyFrom(numpy_helper.from_array(weights, part.name))
    return mixed


def main() -> None:
    """Read the command line and blend."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="ONNX file to write")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the second in each weight")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(blended(onnx.load(asked.before), onnx.load(asked.after), asked.share), asked.out)


if __name__ == "__main__":
    main()
