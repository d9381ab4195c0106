"""Which of many points are close to one another."""

import numpy as np
import numpy.typing as npt

from vision.types.frame import FloatArray

IntArray = npt.NDArray[np.intp]


def squared_distances(first_xy: FloatArray, second_xy: FloatArray) -> FloatArray:
    """Return the squared distances of N points from M others, shape (N, M)."""
    dx = first_xy[:, None, 0] - second_xy[None, :, 0]
    dy = first_xy[:, None, 1] - second_xy[None, :, 1]
    dx *= dx
    dy *= dy
    square: FloatArray = dx
    square += dy
    return square


def first_of_place(close: npt.NDArray[np.bool_]) -> IntArray:
    """Return the rows, shape (K,), in order, that are not close to an earlier kept row.

    Args:
        close: Shape (N, N), which rows are close to which; the likeliest first.
    """
    free = np.ones(len(close), dtype=np.bool_)
    kept = []
    for i, near in enumerate(close):
        if free[i]:
            kept.append(i)
            free &= ~near
    return np.array(kept, dtype=np.intp)
