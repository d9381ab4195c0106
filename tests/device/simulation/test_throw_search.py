import logging
from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from device.errors import DeviceError
from device.simulation.physics import BodyPose, Motion, ThrowParams, TrayBox, settle_dice
from device.simulation.throw_search import MAX_AIMS, ThrowSearch, turned_over

BOX = TrayBox(((-130.0, -100.0), (130.0, -100.0), (130.0, 100.0), (-130.0, 100.0)), 30.0)
LYING = tuple(BodyPose(np.array([x, y, 8.0]), np.eye(3)) for x in (-70.0, 0.0, 70.0) for y in (-40.0, 40.0))


def search_of(seed: int) -> ThrowSearch:
    return ThrowSearch(BOX, LYING, 3, size_mm=16.0, rounding=0.12, seed=(seed,), params=ThrowParams())


@pytest.fixture(scope="module")
def undisturbed() -> Motion:
    """Return a throw that leaves the dice in the tray untouched."""
    still = settle_dice(BOX, LYING, size_mm=16.0, rounding=0.12, params=ThrowParams())
    assert turned_over(still, LYING) == 0
    return still


@pytest.mark.parametrize(
    ("turning", "taken"),
    [((0, 0), 0), ((3, 0, 1), 1), ((3, *[2] * (MAX_AIMS - 1)), 1), ((*[4] * (MAX_AIMS - 1), 1), MAX_AIMS - 1)],
)
def test_the_throw_that_turns_fewest_lying_dice_over_is_taken_and_those_are_logged(
    undisturbed: Motion,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    turning: tuple[int, ...],
    taken: int,
) -> None:
    throws = [reduce(Motion.rolled_on, range(turned), replace(undisturbed)) for turned in turning]
    to_come = iter(throws)
    monkeypatch.setattr("device.simulation.throw_search.throw_dice", lambda *_, **__: next(to_come))
    with caplog.at_level(logging.INFO):
        assert search_of(1).result() is throws[taken]
    logged = [f"the simulated throw turns {turning[taken]} of 6 lying dice over"] if turning[taken] else []
    assert [record.getMessage() for record in caplog.records] == logged


def test_looking_bit_by_bit_finds_the_same_throw() -> None:
    bit_by_bit = search_of(3)
    looks = 1
    while (motion := bit_by_bit.look()) is None:
        looks += 1
    assert looks <= MAX_AIMS
    assert np.array_equal(motion.centers_mm, search_of(3).result().centers_mm)
    assert bit_by_bit.look() is motion
    assert bit_by_bit.result() is motion


def test_dice_that_do_not_fit_are_named() -> None:
    narrow = TrayBox(((-12.0, -12.0), (12.0, -12.0), (12.0, 12.0), (-12.0, 12.0)), 30.0)
    search = ThrowSearch(
        narrow, (), 9, size_mm=16.0, rounding=0.12, seed=(1,), params=ThrowParams(tries=2, longest_s=1.0)
    )
    with pytest.raises(DeviceError, match="9 dice of 16 mm do not stay in the simulated tray: throw fewer"):
        search.result()
