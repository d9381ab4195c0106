"""A net from an ONNX file, run by ONNX Runtime on the processor only.

cv2.dnn runs the same files with the same outputs to five decimals, but takes 1.5 to 2 times as long.
"""

from functools import lru_cache
from pathlib import Path
from weakref import WeakSet

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


_USUAL_SIZE = 1_000_000
"""Greatest number of values of an input whose memory is kept for the next run; most readings of a tray need less."""


_SESSIONS: WeakSet[onnxruntime.InferenceSession] = WeakSet()
_MIN_SIDE = 32


def give_back_memory() -> None:
    """Free the memory kept for the next run, which then takes half as long again: for a tray at rest."""
    for session in tuple(_SESSIONS):
        asked = session.get_inputs()[0]
        shape = (1, *(side if isinstance(side, int) else _MIN_SIDE for side in asked.shape[1:]))
        session.run(None, {asked.name: np.zeros(shape, np.float32)}, _giving_back())


def _giving_back() -> onnxruntime.RunOptions:
    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


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
        # The memory of a run is kept for the next one, except for a batch of an unusual size.
        options = _giving_back() if planes.size > _USUAL_SIZE else None
        (said,) = self._session.run(None, {self._input: planes}, options)
        return np.asarray(said, np.float32)


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
    # A memory plan is kept for each shape, but batches come in all sizes.
    options.enable_mem_pattern = False
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _NO_NET as error:
        raise VisionError(f"weights {path.name} in {path.parent} are damaged: install the project again") from error
    _SESSIONS.add(session)
    return session


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
