"""Order statistics of colours and grey levels, of many small groups at once: numpy's own take far longer for these."""

import numpy as np

from vision.frame import FloatArray


def greatest_channel(colours: FloatArray) -> FloatArray:
    """The greatest of three channels, shape (..., 3) to (...)."""
    greatest: FloatArray = np.maximum(np.maximum(colours[..., 0], colours[..., 1]), colours[..., 2])
    return greatest


def medians_of(colours: FloatArray) -> FloatArray:
    """Medians of N groups of P colours, shape (N, P, C) to (N, C); a fraction of the time of `numpy.median`."""
    ordered = np.sort(colours.transpose(0, 2, 1), axis=2)
    count = ordered.shape[2]
    middle: FloatArray = (ordered[:, :, (count - 1) // 2] + ordered[:, :, count // 2]) / 2.0
    return middle


def quantiles_of(values: FloatArray, share: float) -> FloatArray:
    """Quantiles along the second axis, shape (N, P) to (N,), interpolated; faster than `numpy.quantile` for few."""
    ordered = np.sort(values, axis=1)
    at = share * (values.shape[1] - 1)
    low = int(at)
    high = min(low + 1, values.shape[1] - 1)
    quantile: FloatArray = ordered[:, low] + (at - low) * (ordered[:, high] - ordered[:, low])
    return quantile
