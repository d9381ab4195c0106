from collections.abc import Sequence

import numpy as np
import pytest

from device.errors import DeviceError
from device.simulation.physics import BodyPose, Motion, ThrowParams, TrayBox
from device.simulation.throw_search import MOST_AIMS, ThrowSearch

BOX = TrayBox(((-130.0, -100.0), (130.0, -100.0), (130.0, 100.0), (-130.0, 100.0)), 30.0)
LYING = tuple(BodyPose(np.array([x, y, 8.0]), np.eye(3)) for x in (-70.0, 0.0, 70.0) for y in (-40.0, 40.0))


def search_of(seed: int) -> ThrowSearch:
    return ThrowSearch(BOX, LYING, 3, size_mm=16.0, rounding=0.12, seed=(seed,), params=ThrowParams())


def turned_over(motion: Motion) -> int:
    """How many of the lying dice, all with their first face up, show another one."""
    return sum(motion.pose_at(k, motion.duration_s).rotation[2, 2] < 0.9 for k in range(len(LYING)))


def test_a_throw_is_found_that_turns_no_lying_die_over() -> None:
    assert [turned_over(search_of(seed).result()) for seed in range(6)] == [0] * 6


def test_looking_bit_by_bit_finds_the_same_throw() -> None:
    bit_by_bit = search_of(3)
    looks = 1
    while (motion := bit_by_bit.look()) is None:
        looks += 1
    assert looks <= MOST_AIMS
    assert np.array_equal(motion.centers_mm, search_of(3).result().centers_mm)
    assert bit_by_bit.look() is motion
    assert bit_by_bit.result() is motion


def test_a_throw_is_found_that_fits_what_is_wanted() -> None:
    def lies_on_its_side(poses: Sequence[BodyPose]) -> bool:
        # One die of three: two throws in three do, so that a dozen looks find one whatever the machine's arithmetic.
        assert len(poses) == 3
        return bool(abs(poses[0].rotation[2, 2]) < 0.9)

    for seed in range(4):
        search = ThrowSearch(
            BOX, LYING, 3, size_mm=16.0, rounding=0.12, seed=(seed,), params=ThrowParams(), fits=lies_on_its_side
        )
        motion = search.result()
        assert lies_on_its_side([motion.pose_at(k, motion.duration_s) for k in range(len(LYING), len(LYING) + 3)])


def test_dice_that_do_not_fit_are_named() -> None:
    narrow = TrayBox(((-12.0, -12.0), (12.0, -12.0), (12.0, 12.0), (-12.0, 12.0)), 30.0)
    search = ThrowSearch(
        narrow, (), 9, size_mm=16.0, rounding=0.12, seed=(1,), params=ThrowParams(tries=2, longest_s=1.0)
    )
    with pytest.raises(DeviceError, match="9 dice of 16 mm do not stay in the simulated tray: throw fewer"):
        search.result()
