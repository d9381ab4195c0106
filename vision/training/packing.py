"""Stores the weights of nets as whole numbers of 8 bits, from which the runtime makes floats when it loads them.

    python -m vision.training.packing NET.onnx ...

Every row of a matrix, and every filter of a convolution, has a step of its own. Files are half as large as with floats
of 16 bits, and as fast. `quantise` is another thing: its nets compute with 8 bits.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, numpy_helper

_STEPS = 127
_FEW = 2048
"""Matrices of fewer numbers, and arrays of one axis, are stored as floats of 16 bits."""
_SMALL = 64
"""Arrays of fewer numbers stay unchanged."""


def pack(path: Path) -> None:
    """Pack the weights of an ONNX file whose floats have 32 bits; outputs change by a hundredth of their mean size."""
    model = onnx.load(str(path))
    graph = model.graph
    of_quantised = {name for node in graph.node if node.op_type.endswith("uantizeLinear") for name in node.input}
    unpacked: list[NodeProto] = []
    for part in list(graph.initializer):
        values, name = numpy_helper.to_array(part), part.name
        if values.dtype != np.float32 or values.size < _SMALL or name in of_quantised or name.endswith(".step"):
            continue
        if values.ndim == 1 or values.size < _FEW:
            part.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
            unpacked.append(_cast(part.name, name))
            continue
        largest = np.abs(values).max(axis=tuple(range(1, values.ndim)), keepdims=True)
        step = np.where(largest == 0, 1, largest / _STEPS).astype(np.float32)
        part.CopyFrom(numpy_helper.from_array(np.rint(values / step).astype(np.int8), f"{name}.whole"))
        graph.initializer.append(numpy_helper.from_array(step, f"{name}.step"))
        unpacked += [
            _cast(part.name, f"{name}.float"),
            onnx.helper.make_node("Mul", [f"{name}.float", f"{name}.step"], [name]),
        ]
    for k, node in enumerate(unpacked):
        graph.node.insert(k, node)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _cast(name: str, into: str) -> NodeProto:
    return onnx.helper.make_node("Cast", [name], [into], to=TensorProto.FLOAT)


def main() -> None:
    """Pack the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nets", type=Path, nargs="+", metavar="NET.onnx")
    for path in parser.parse_args().nets:
        pack(path)


if __name__ == "__main__":
    main()
