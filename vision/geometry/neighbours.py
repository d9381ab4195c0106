"""Which of many points lie near one another."""

import numpy as np
import numpy.typing as npt

from vision.types.frame import FloatArray

IntArray = npt.NDArray[np.intp]


def squared_distances(first_xy: FloatArray, second_xy: FloatArray) -> FloatArray:
    """Squares of the distances of N points from M others, shape (N, M)."""
    dx = first_xy[:, None, 0] - second_xy[None, :, 0]
    dy = first_xy[:, None, 1] - second_xy[None, :, 1]
    dx *= dx
    dy *= dy
    square: FloatArray = dx
    square += dy
    return square


def pairs_within(xy: FloatArray, reach_px: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Pairs of N points that are no farther apart than that.

    Args:
        xy: Shape (N, 2).
        reach_px: Greatest distance.

    Returns:
        Rows of the first and of the second points, each first one less than its second, in order; and the squares of
        their distances. All of shape (K,).
    """
    # Points sorted by x have their neighbours within a short stretch: far fewer to measure than all pairs.
    order = np.argsort(xy[:, 0], kind="stable")
    x, y = xy[order, 0], xy[order, 1]
    places = np.arange(len(x))
    count = np.searchsorted(x, x + reach_px, side="right") - places - 1
    one = np.repeat(places, count)
    other = np.arange(len(one)) + np.repeat(places + 1 - (np.cumsum(count) - count), count)
    dx, dy = x[one] - x[other], y[one] - y[other]
    square = dx * dx + dy * dy
    near = np.flatnonzero(square <= reach_px * reach_px)
    one, other = order[one[near]], order[other[near]]
    first, second = np.minimum(one, other), np.maximum(one, other)
    ordered = np.argsort(first * len(x) + second)
    return first[ordered], second[ordered], square[near][ordered]


def first_of_place(close: npt.NDArray[np.bool_]) -> IntArray:
    """Rows that are close to no kept row before them, shape (K,), in order.

    Args:
        close: Shape (N, N), which rows lie close to which; the likeliest first.
    """
    free = np.ones(len(close), dtype=np.bool_)
    kept = []
    for i, near in enumerate(close):
        if free[i]:
            kept.append(i)
            free &= ~near
    return np.array(kept, dtype=np.intp)
