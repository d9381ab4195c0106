"""How large the dice are: the edge that clear lattices agree on, and whose word counts."""

import numpy as np
import pytest

from vision.detection.faces import FaceParams, lattice_edge
from vision.detection.lattice import FaceFits
from vision.detection.pips import PipParams

STEP = PipParams().step


def fits_at(places: list[tuple[float, float]], edges_px: list[float]) -> FaceFits:
    """Clear fives with those middles and edges."""
    count = len(places)
    steps = STEP * np.array(edges_px)
    zero, grey = np.zeros(count), np.full((count, 3), 128.0)
    return FaceFits(
        center_xy=np.array(places, np.float64).reshape(-1, 2),
        axis_xy=np.stack([steps, zero], axis=1),
        across_xy=np.stack([zero, steps], axis=1),
        narrow=np.ones((count, 2)),
        value=np.full(count, 5),
        margin=np.full(count, 0.9),
        residual=np.full(count, 0.05),
        contrast=np.full(count, 100.0),
        body_bgr=grey,
        pip_bgr=grey,
        spread=np.full(count, 2.0),
        dark=np.ones(count, np.bool_),
    )


PATTERN = [(60.0 * x, 60.0 * y) for x in range(6) for y in range(4)]
DICE = [(500.0, 100.0), (560.0, 300.0), (500.0, 400.0)]
FITS = fits_at(PATTERN + DICE, [25.0] * len(PATTERN) + [34.0] * len(DICE))


def test_a_floors_pattern_has_no_vote_where_the_finder_saw_dice() -> None:
    seen = np.array(DICE) + 3.0
    assert lattice_edge(FITS, STEP, (31.0, 1.2), FaceParams(), seen=seen) == pytest.approx(34.0)


@pytest.mark.parametrize("seen", [[], [(900.0, 700.0)]])
def test_most_lattices_have_it_where_no_die_of_the_finders_has_one(seen: list[tuple[float, float]]) -> None:
    where = np.array(seen).reshape(-1, 2)
    assert lattice_edge(FITS, STEP, (31.0, 1.2), FaceParams(), seen=where) == pytest.approx(25.0)


def test_no_clear_lattice_shows_no_edge() -> None:
    assert lattice_edge(fits_at([], []), STEP, (31.0, 1.2), FaceParams(), seen=np.zeros((0, 2))) is None
