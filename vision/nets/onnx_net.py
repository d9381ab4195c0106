"""A net from an ONNX file, run by ONNX Runtime on the processor only.

cv2.dnn runs the same files with the same outputs to five decimals, but takes 1.5 to 2 times as long.
"""

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as pybind11_state

from vision.types.errors import VisionError
from vision.types.frame import F32, ImageBgr

WEIGHTS = Path(__file__).parents[1] / "weights"
"""Folder of the reader's weights."""
_NO_NET = (
    pybind11_state.Fail,
    pybind11_state.InvalidArgument,
    pybind11_state.InvalidGraph,
    pybind11_state.InvalidProtobuf,
    pybind11_state.NotImplemented,
    pybind11_state.RuntimeException,
)
"""What ONNX Runtime raises for a file that is cut off, empty or not a net; these have no common base class."""
_ERRORS_ONLY = 3
# It warns of unsupported graphics chips, as on a Raspberry Pi, though none is used.
onnxruntime.set_default_logger_severity(_ERRORS_ONLY)


class OnnxNet:
    """One net with one input and one output."""

    def __init__(self, path: Path) -> None:
        """Load a net; its runs use as many cores as OpenCV is set to use now.

        A file is loaded once and shared by all readers; runs of several threads do not interfere.

        Raises:
            VisionError: The file is missing or is not a net.
        """
        if not path.is_file():
            raise VisionError(f"weights {path.name} are missing from {path.parent}: install the project again")
        status = path.stat()
        self._session = _loaded(path, (status.st_mtime_ns, status.st_size), max(1, cv2.getNumThreads()))
        self._input = self._session.get_inputs()[0].name

    def run(self, planes: F32) -> F32:
        """Run the net on its input.

        Returns:
            Shape (N, K, h, w), as the net returns it.
        """
        (outputs,) = self._session.run(None, {self._input: planes})
        return np.asarray(outputs, np.float32)


@lru_cache(maxsize=16)
def _loaded(path: Path, version: tuple[int, int], threads: int) -> onnxruntime.InferenceSession:
    """Return the net of a file, cached until the file changes.

    Raises:
        VisionError: The file is not a net.
    """
    del version
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Waiting threads would keep cores busy that the display needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Plans and arenas would keep the memory of every size of batch that there ever was.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _NO_NET as error:
        raise VisionError(f"weights {path.name} in {path.parent} are damaged: install the project again") from error


def shares_of(logits: F32) -> F32:
    """Turn a net's logits into shares: rows of the same shape that sum to 1 (softmax)."""
    grown = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=-1, keepdims=True), np.float32)


def net_input(pictures: ImageBgr) -> F32:
    """Return pictures as the input of nets that were pretrained on ImageNet.

    Args:
        pictures: Shape (N, H, W, 3), BGR, uint8.

    Returns:
        Shape (N, 3, H, W), RGB, (level - 127) / 128.
    """
    planes = np.empty((len(pictures), 3, *pictures.shape[1:3]), np.float32)
    for k in range(3):
        planes[:, k] = pictures[..., 2 - k]
    planes -= np.float32(127)
    planes *= np.float32(1 / 128)
    return planes
