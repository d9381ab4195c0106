"""Which places belong to one die; the only module that decides it."""

import numpy as np

from vision.geometry.neighbours import IntArray, first_of_place, squared_distances
from vision.types.frame import FloatArray

APART = 0.65
"""Least distance of two tops' centres, in edges of the larger: dice side by side are 1 apart."""
SAME_DIE = 0.5
"""A place belongs to a given die if its centre is nearer than this, in edges of that die, and `SAME_SIZE` holds."""
SAME_SIZE = 1.6
"""A place belongs to a given die if its edge differs by no more than this factor, and `SAME_DIE` holds."""


def suppress_duplicates(center_xy: FloatArray, edge_px: FloatArray, belief: FloatArray) -> IntArray:
    """Of places too near to each other to be two dice, keep the likeliest.

    A pip of a large die that is found as a small die lies within the large top: the larger edge counts.

    Args:
        center_xy: Shape (N, 2), pixels.
        edge_px: Shape (N,).
        belief: Shape (N,), how likely each is a die.

    Returns:
        The rows kept, likeliest first.
    """
    order = np.argsort(-belief, kind="stable")
    center, edge = center_xy[order], edge_px[order]
    reach = APART * np.maximum(edge[:, None], edge[None])
    return np.asarray(order[first_of_place(squared_distances(center, center) < reach**2)], np.intp)


def matched(
    center_xy: FloatArray,
    edge_px: FloatArray,
    die_xy: FloatArray,
    die_edge_px: FloatArray,
    same_size: float | FloatArray = SAME_SIZE,
) -> IntArray:
    """Return for each place the die that it belongs to, or -1; a die is matched once, with the place nearest to it.

    Args:
        center_xy: Shape (N, 2), of places.
        edge_px: Shape (N,).
        die_xy: Shape (M, 2), of dice.
        die_edge_px: Shape (M,).
        same_size: Greatest ratio of edges, or shape (M,), one for each die, if some sizes are known roughly.
    """
    of = np.full(len(edge_px), -1, np.intp)
    if not len(edge_px) or not len(die_edge_px):
        return of
    away = np.sqrt(squared_distances(center_xy, die_xy)) / die_edge_px[None]
    unlike = np.abs(np.log(edge_px[:, None] / die_edge_px[None])) > np.log(same_size)
    away[unlike | (away > SAME_DIE)] = np.inf
    while True:
        place, die = np.unravel_index(int(np.argmin(away)), away.shape)
        if not np.isfinite(away[place, die]):
            return of
        of[place] = die
        away[place], away[:, die] = np.inf, np.inf
