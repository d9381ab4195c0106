"""Writes the detector, and for `teach_stance` its net, with 8-bit integers instead of floats, which halves the time.

python -m vision.training.quantise vision/weights/detector.onnx FIXTURES vision/weights/detector_int8.onnx

Layers get their ranges from photographs that the net was trained on, at the sizes at which it sees pictures. The last
convolution and what follows stay unchanged, since outputs are needed to a hundredth. Weights use 7 of the 8 bits:
processors that add up products in 16 bits (x86 without VNNI) would cut off greater sums, and find other dice than the
rest (ONNX Runtime, "Quantize ONNX models"). Prints the differences between the outputs of both nets.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from vision.nets.onnx_net import OnnxNet, net_input
from vision.training.labelled import photographs
from vision.training.packing import pack
from vision.types.frame import F32

PICTURES = 50
LONG_SIDES = (320, 480, 640)
_MULTIPLE = 16


class _Pictures(CalibrationDataReader):  # type: ignore[misc]
    """Supplies pictures for measuring the ranges."""

    def __init__(self, name: str, planes: list[F32]) -> None:
        self._left: Iterator[dict[str, F32]] = iter([{name: one} for one in planes])

    def get_next(self) -> dict[str, F32] | None:
        return next(self._left, None)


def seen_pictures(fixtures: Path, seed: int) -> list[F32]:
    """Return photographs that are not set aside, as the detector sees them."""
    rng = np.random.default_rng(seed)
    learned = [p for p in photographs(fixtures / "photos-train") if not p.held and not p.is_crop]
    planes = []
    for number in rng.choice(len(learned), min(PICTURES, len(learned)), replace=False):
        image = learned[number].load()
        height, width = image.shape[:2]
        scale = rng.choice(LONG_SIDES) / max(height, width)
        size = [max(2 * _MULTIPLE, round(side * scale / _MULTIPLE) * _MULTIPLE) for side in (width, height)]
        planes.append(net_input(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)[None]))
    return planes


def quantise(net: Path, planes: list[F32], out: Path) -> None:
    """Write the net with 8 bits, and its last layers packed.

    Args:
        planes: Inputs of the net, each of shape (N, C, H, W).
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        quant_pre_process(str(net), str(plain), skip_symbolic_shape=True)
        graph = onnx.load(str(plain)).graph
        last = max(k for k, node in enumerate(graph.node) if node.op_type == "Conv")
        quantize_static(
            str(plain),
            str(out),
            _Pictures(graph.input[0].name, planes),
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=[node.name for node in graph.node[last:]],
            extra_options={"ActivationSymmetric": False, "WeightSymmetric": True},
        )
    pack(out)


def main() -> None:
    """Read the command line and write the net."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", type=Path)
    parser.add_argument("fixtures", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="picks the photographs")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    planes = seen_pictures(args.fixtures, args.seed)
    if not planes:
        parser.error(f"{args.fixtures} holds no photographs to learn from: name the folder of labelled pictures")
    quantise(args.net, planes, args.out)
    before, after = OnnxNet(args.net), OnnxNet(args.out)
    apart = [np.abs(before.run(one)[0, 0] - after.run(one)[0, 0]) for one in planes]
    hot = [before.run(one)[0, 0] > -1 for one in planes]
    mean = np.mean(np.concatenate([d[where] for d, where in zip(apart, hot, strict=True)]))
    sys.stderr.write(f"heat of places, log odds: {mean:.3f} apart in the mean\n")


if __name__ == "__main__":
    main()
