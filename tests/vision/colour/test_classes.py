"""Names of colours, and the distances of measured ones."""

import numpy as np
import pytest

from vision.colour.classes import COLOUR_NAMES, UnknownColour, lab_of, measured_distances, name_distances


def test_an_unknown_name_says_which_are_known() -> None:
    with pytest.raises(UnknownColour, match=r"mauve.*yellow"):
        name_distances(np.zeros((1, 3)), ["mauve"])
    assert len(COLOUR_NAMES) == 12


def test_against_measured_colours_lightness_counts_half() -> None:
    labs = np.array([[50.0, 10.0, 10.0], [62.0, 10.0, 10.0], [50.0, 16.0, 10.0]])
    assert measured_distances(labs, labs[:1])[:, 0].tolist() == [0.0, 0.5, 0.5]
    assert lab_of(np.zeros((0, 3))).shape == (0, 3)
