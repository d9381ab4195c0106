"""Order statistics of colours and grey levels, of many small groups at once: numpy's own take far longer for these."""

import numpy as np

from vision.types.frame import FloatArray


def greatest_channel(colours: FloatArray) -> FloatArray:
    """The greatest of three channels, shape (..., 3) to (...)."""
    greatest: FloatArray = np.maximum(np.maximum(colours[..., 0], colours[..., 1]), colours[..., 2])
    return greatest


def medians_of(colours: FloatArray, axis: int = 1) -> FloatArray:
    """Medians of N groups of P colours along an axis, shape (N, C); a fraction of the time of `numpy.median`."""
    ordered = np.sort(colours, axis=axis).swapaxes(0, axis)
    middle: FloatArray = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2.0
    return middle
