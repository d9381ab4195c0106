"""Pairs of near points: the same as measuring all of them, in the same order."""

import numpy as np
import pytest

from vision.geometry.neighbours import pairs_within, squared_distances


@pytest.mark.parametrize("count", [0, 1, 2, 90])
@pytest.mark.parametrize("reach_px", [0.0, 3.0, 40.0, 500.0])
def test_finds_the_pairs_that_measuring_all_of_them_finds(count: int, reach_px: float) -> None:
    xy = np.random.default_rng(count).integers(0, 200, (count, 2)).astype(np.float64)
    all_pairs = squared_distances(xy, xy)
    wanted = np.nonzero(np.triu(all_pairs <= reach_px * reach_px, 1))
    first, second, square = pairs_within(xy, reach_px)
    assert (first == wanted[0]).all()
    assert (second == wanted[1]).all()
    assert (square == all_pairs[wanted]).all()
