from itertools import pairwise

import numpy as np
import pytest

from device.simulation.hand import HandParams, path_over

PARAMS = HandParams()


def test_the_hand_is_over_each_die_when_it_takes_it() -> None:
    dice = ((-100.0, 60.0), (90.0, -70.0), (0.0, 0.0), (100.0, 80.0))
    path = path_over(dice, PARAMS)
    for place, gone_s in zip(dice, path.gone_s, strict=True):
        hand = path.at(gone_s)
        assert hand is not None
        assert np.hypot(*np.subtract(hand.xy_mm, place)) <= PARAMS.cover_mm
        assert hand.velocity_mm_s == pytest.approx((0.0, 0.0), abs=1e-6)


def test_near_dice_are_taken_together() -> None:
    path = path_over(((10.0, 10.0), (25.0, 10.0), (100.0, -50.0)), PARAMS)
    assert path.gone_s[0] == path.gone_s[1] != path.gone_s[2]


def test_the_hand_comes_from_outside_goes_out_again_and_leaves_time() -> None:
    path = path_over(((40.0, 30.0),), PARAMS)
    assert path.at(0.0) is None
    assert path.at(path.duration_s - 0.5 * PARAMS.away_s) is None
    first, last = path.at(0.02), path.at(path.times_s[-1] - 0.02)
    assert first is not None
    assert last is not None
    assert max(first.xy_mm[1], last.xy_mm[1]) < -250.0
    assert first.velocity_mm_s[1] > 0 > last.velocity_mm_s[1]


def test_the_hand_never_jumps() -> None:
    path = path_over(((-110.0, 80.0), (110.0, -80.0), (110.0, 80.0)), PARAMS)
    times = np.arange(0.01, path.times_s[-1] - 0.01, 0.01)
    hands = [path.at(float(t)) for t in times]
    steps = [
        np.subtract(after.xy_mm, before.xy_mm)
        for before, after in pairwise(hands)
        if before is not None and after is not None
    ]
    assert len(steps) == len(times) - 1
    assert max(float(np.hypot(*step)) for step in steps) < 25.0


def test_where_nothing_lies_no_hand_comes() -> None:
    path = path_over((), PARAMS)
    assert path.duration_s == 0.0
    assert path.at(0.0) is None
