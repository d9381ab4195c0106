"""Which of many points lie near one another."""

import numpy as np

from vision.near import first_of_place, squared_distances


def test_distances_are_of_each_from_each() -> None:
    first, second = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[3.0, 4.0], [0.0, 1.0], [-1.0, 0.0]])
    assert squared_distances(first, second).tolist() == [[25.0, 1.0, 1.0], [0.0, 18.0, 32.0]]
    assert squared_distances(np.zeros((0, 2)), second).shape == (0, 3)


def test_a_row_that_is_dropped_drops_no_other() -> None:
    # Each is close to the next alone: the second goes, the third has no kept row before it that it is close to.
    close = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) <= 1
    assert first_of_place(close).tolist() == [0, 2]
    assert first_of_place(np.zeros((0, 0), np.bool_)).tolist() == []
