"""The size that a game's dice have in common."""

from dataclasses import replace

import numpy as np
import pytest

from vision.detection.common_size import CommonSizeParams, better_size, seen_too_large
from vision.detection.faces import Face
from vision.detection.finder import FaceCandidate

PARAMS = CommonSizeParams()
EDGE_PX = 50.0
LATTICE = Face(
    center_xy=np.zeros(2),
    axis_xy=np.array([EDGE_PX / 2, 0.0]),
    across_xy=np.array([0.0, EDGE_PX / 2]),
    value=4,
    margin=1.0,
    residual=0.02,
    contrast=60.0,
    body_bgr=np.full(3, 60.0),
    pip_bgr=np.full(3, 200.0),
    dark=False,
    rim_bgr=np.full(3, 60.0),
    rank=9.0,
)
SEEN = FaceCandidate((100.0, 100.0), EDGE_PX, 0.0, 0.8, (0.0, 0.0))
DIE = (LATTICE, SEEN)


def seen_as(times: float) -> FaceCandidate:
    """A candidate so many times as large as the dice are."""
    return replace(SEEN, edge_px=times * EDGE_PX)


@pytest.mark.parametrize(("times", "reported"), [(0.8, False), (1.1, False), (1.3, True), (1.6, True), (2.5, False)])
def test_what_the_finder_alone_sees_with_a_side_is_looked_at_as_one_of_the_dice(times: float, reported: bool) -> None:
    found = seen_too_large([DIE, DIE, (None, seen_as(times))], [True] * 3, EDGE_PX, PARAMS)
    assert found == ({2: SEEN} if reported else {})


def test_a_lattice_knows_its_own_size() -> None:
    assert not seen_too_large([DIE, DIE, (LATTICE, seen_as(1.4))], [True] * 3, EDGE_PX, PARAMS)


@pytest.mark.parametrize(
    ("others", "inside"),
    [([DIE], [True]), ([DIE, DIE], [True, False]), ([DIE, (LATTICE, None)], [True, True])],
    ids=["one die alone", "a cloth beyond the tray", "a lattice alone"],
)
def test_a_size_that_few_dice_vouch_for_corrects_none(
    others: list[tuple[Face | None, FaceCandidate | None]], inside: list[bool]
) -> None:
    assert not seen_too_large([*others, (None, seen_as(1.3))], [*inside, True], EDGE_PX, PARAMS)


def shares(**of: float) -> np.ndarray:
    """Of values, as `v1=0.9`; the rest is shared by none."""
    return np.array([of.get(f"v{value}", 0.0) for value in range(1, 7)], np.float32)


@pytest.mark.parametrize(
    ("own", "common", "better", "split"),
    [
        (shares(v2=0.97), shares(v2=0.99), False, False),
        (shares(v2=0.97), shares(v2=0.32), False, True),
        (shares(v2=0.97), shares(v6=0.99), False, True),
        (shares(v1=0.6), shares(v1=0.98), True, False),
        (shares(v1=0.1), shares(v1=0.9), True, True),
        (shares(v4=0.47), shares(v4=0.37), False, True),
    ],
)
def test_a_value_that_the_other_size_denies_is_in_doubt(
    own: np.ndarray, common: np.ndarray, better: bool, split: bool
) -> None:
    assert better_size(own, common, PARAMS) == (better, split)
