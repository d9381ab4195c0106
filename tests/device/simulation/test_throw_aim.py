import math

import numpy as np

from device.simulation.throw_aim import AimParams, aim_past

HALF = (130.0, 100.0)
NOTHING = np.zeros((0, 2))


def test_a_free_throw_comes_from_both_sides_and_goes_to_the_middle() -> None:
    ways = [aim_past(NOTHING, HALF, np.random.default_rng(seed), AimParams()) for seed in range(60)]
    assert {way.side for way in ways} == {-1.0, 1.0}
    for way in ways:
        assert abs(way.hand_y_mm) <= 35.0
        assert way.forward[0] * way.side < 0
        assert math.isclose(float(np.linalg.norm(way.forward)), 1.0)
        across_mm = way.hand_y_mm + way.forward[1] / abs(way.forward[0]) * HALF[0]
        assert abs(across_mm) < 90.0


def test_the_way_past_lying_dice_is_the_emptier_one() -> None:
    lying = np.array([[-60.0, 45.0], [0.0, 45.0], [60.0, 45.0], [90.0, 40.0]])

    def crossing_mm(looks: int) -> float:
        """Return where throws cross the middle, on average; the dice lie at +45."""
        ways = (aim_past(lying, HALF, np.random.default_rng(seed), AimParams(looks=looks)) for seed in range(40))
        return float(np.mean([way.hand_y_mm + way.forward[1] / abs(way.forward[0]) * HALF[0] for way in ways]))

    assert crossing_mm(12) < crossing_mm(1) - 10.0


def test_a_throw_past_lying_dice_is_gentler() -> None:
    params = AimParams(gentle=0.5)
    free = aim_past(NOTHING, HALF, np.random.default_rng(1), params).haste
    past = aim_past(np.array([[0.0, 0.0]]), HALF, np.random.default_rng(1), params).haste
    assert 0.88 <= free <= 1.12
    assert 0.44 <= past <= 0.56


def test_aims_repeat_with_their_chance() -> None:
    lying = np.array([[10.0, 20.0]])
    assert aim_past(lying, HALF, np.random.default_rng(5), AimParams()) == aim_past(
        lying, HALF, np.random.default_rng(5), AimParams()
    )
