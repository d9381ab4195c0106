import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.config.settings import read_settings
from device.errors import BadInput
from device.game.lamps import STATES, Pattern
from device.ring.plan import (
    RingDie,
    RingParams,
    RingPlan,
    RingShape,
    RingView,
    Wanted,
    led_positions_mm,
    nearest_led,
    plan_ring,
)

RECTANGLE = RingParams(leds=100, size_mm=(280.0, 220.0))
ROUND = RingParams(leds=60, shape="round", size_mm=(240.0, 240.0))


def leds_lit(plan: RingPlan, rgb: tuple[int, int, int]) -> set[int]:
    return {led for one in plan.stretches if one.rgb == rgb for led in range(one.start, one.stop)}


def test_leds_of_a_rectangle_run_clockwise_from_the_far_left_corner() -> None:
    positions = led_positions_mm(RECTANGLE)
    assert positions[0] == pytest.approx((-140.0, 110.0))
    assert positions[28] == pytest.approx((140.0, 110.0))
    assert positions[50] == pytest.approx((140.0, -110.0))
    assert positions[78] == pytest.approx((-140.0, -110.0))
    gaps = {round(math.dist(*pair), 6) for pair in itertools.pairwise(positions)}
    assert gaps == {10.0}


def test_leds_of_a_circle_run_clockwise_from_the_far_point() -> None:
    positions = led_positions_mm(ROUND)
    assert positions[0] == pytest.approx((0.0, 120.0))
    assert positions[15] == pytest.approx((120.0, 0.0))
    assert positions[45] == pytest.approx((-120.0, 0.0))


@pytest.mark.parametrize("shape", ["rectangle", "round"])
def test_counting_the_other_way_and_starting_elsewhere(shape: RingShape) -> None:
    side_mm = (200.0, 200.0)
    run_mm = 800.0 if shape == "rectangle" else math.pi * 200.0
    there = led_positions_mm(RingParams(leds=40, shape=shape, size_mm=side_mm))
    back = led_positions_mm(RingParams(leds=40, shape=shape, size_mm=side_mm, clockwise=False))
    shifted = led_positions_mm(RingParams(leds=40, shape=shape, size_mm=side_mm, start_mm=run_mm / 4))
    for led in range(40):
        assert back[led] == pytest.approx(there[-led % 40])
        assert shifted[led] == pytest.approx(there[(led + 10) % 40])


def test_ring_points_at_the_nearest_leds() -> None:
    dice = (RingDie((100.0, 0.0), Wanted.PICK), RingDie((-20.0, 80.0), Wanted.KEEP))
    plan = plan_ring(RingView("awaiting_push", dice=dice), RECTANGLE)
    picked = leds_lit(plan, RECTANGLE.pick_rgb)
    kept = leds_lit(plan, RECTANGLE.keep_rgb)
    assert picked == set(range(37, 42)), "50 mm at 10 mm a LED, round LED 39 next to (140, 0)"
    assert kept == {12}
    assert {one.pattern for one in plan.stretches if one.rgb == RECTANGLE.pick_rgb} == {Pattern.SLOW}
    assert {one.pattern for one in plan.stretches if one.rgb == RECTANGLE.keep_rgb} == {Pattern.STEADY}


def test_arc_over_the_strips_end() -> None:
    plan = plan_ring(RingView("awaiting_push", dice=(RingDie((0.0, 100.0), Wanted.PICK),)), ROUND)
    assert leds_lit(plan, ROUND.pick_rgb) == {59, 0, 1}, "50 mm at 12.6 mm a LED"
    assert all(0 <= one.start < one.stop <= 60 for one in plan.stretches)


def test_die_to_pick_up_wins_over_its_kept_neighbour() -> None:
    dice = (RingDie((100.0, 0.0), Wanted.KEEP), RingDie((100.0, 5.0), Wanted.PICK))
    plan = plan_ring(RingView("awaiting_push", dice=dice), RECTANGLE)
    assert leds_lit(plan, RECTANGLE.keep_rgb) == set()


places = st.tuples(st.floats(-130.0, 130.0), st.floats(-100.0, 100.0))
tables = st.lists(st.builds(RingDie, places, st.sampled_from(Wanted)), max_size=40)


@given(tables)
def test_every_die_to_pick_up_has_its_arc_and_arcs_never_overlap(dice: list[RingDie]) -> None:
    params = RingParams(leds=100, max_stretches=32)
    plan = plan_ring(RingView("awaiting_push", dice=tuple(dice)), params)
    picked = leds_lit(plan, params.pick_rgb)
    for die in dice:
        if die.wanted is Wanted.PICK:
            assert nearest_led(die.at_mm, params) in picked
    arcs = plan.stretches[1:]
    assert sum(arc.stop - arc.start for arc in arcs) == len({led for arc in arcs for led in range(arc.start, arc.stop)})
    assert len(plan.stretches) <= params.max_stretches


def test_where_arcs_are_too_many_kept_dice_go_first() -> None:
    params = RingParams(leds=100, max_stretches=6, pick_arc_mm=10.0, keep_arc_mm=10.0)
    dice = [RingDie((x_mm, 105.0), Wanted.KEEP) for x_mm in range(-120, 121, 40)]
    dice += [RingDie((x_mm, -105.0), Wanted.PICK) for x_mm in (-100, -50, 0, 50, 100)]
    plan = plan_ring(RingView("awaiting_push", dice=tuple(dice)), params)
    assert len(leds_lit(plan, params.pick_rgb)) == 5
    assert leds_lit(plan, params.keep_rgb) == set()


@pytest.mark.parametrize("state", ["empty", "rolling", "unclear", "scored", "resolved"])
def test_light_for_reading_is_one_steady_white(state: str) -> None:
    plan = plan_ring(RingView(state), RECTANGLE)
    assert not plan.disturbs_reading
    assert leds_lit(plan, (255, 255, 255)) == set(range(100))
    assert plan.passes_s is None


def test_once_nothing_is_left_to_pick_up_the_light_is_for_reading() -> None:
    kept = RingDie((100.0, 0.0), Wanted.KEEP)
    for dice in ((kept,), ()):
        assert plan_ring(RingView("awaiting_push", dice=dice), RECTANGLE) == plan_ring(RingView("empty"), RECTANGLE)


def test_what_is_reported_differs_without_colour() -> None:
    views = {
        "reading": RingView("empty"),
        "pointing": RingView("awaiting_push", dice=(RingDie((100.0, 0.0), Wanted.PICK),)),
        "success": RingView("resolved", success=True),
        "trauma": RingView("resolved", success=True, harm=True),
        "fault": RingView("fault"),
    }
    colourless = {
        name: tuple((one.start, one.stop, one.pattern, one is plan.stretches[0]) for one in plan.stretches)
        for name, view in views.items()
        for plan in [plan_ring(view, RECTANGLE)]
    }
    assert len(set(colourless.values())) == len(views)


def test_what_disturbs_reading_passes_except_a_fault() -> None:
    for state in STATES:
        for success, harm in itertools.product((False, True), repeat=2):
            plan = plan_ring(RingView(state, success, harm, (RingDie((0.0, 0.0), Wanted.PICK),)), RECTANGLE)
            assert not plan.disturbs_reading or plan.passes_s or state == "fault"


def test_unknown_state_is_refused() -> None:
    with pytest.raises(ValueError, match="'lost'"):
        plan_ring(RingView("lost"), RECTANGLE)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"leds": 4}, "ring.shape.leds"),
        ({"shape": "star"}, "ring.shape.shape"),
        ({"size_mm": (10.0, 200.0)}, "ring.shape.size_mm"),
        ({"brightness": 0}, "ring.shape.brightness"),
        ({"dim": 2.0}, "ring.shape.dim"),
        ({"start_mm": float("nan")}, "ring.shape.start_mm"),
        ({"pick_rgb": (0, 256, 0)}, "ring.shape.pick_rgb"),
    ],
)
def test_ring_that_cannot_be_is_refused(values: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        read_settings({"ring": {"shape": values}})


def test_a_kept_die_that_costs_has_two_points_with_a_gap() -> None:
    plain, costly = (
        plan_ring(
            RingView(
                "awaiting_push",
                dice=(RingDie((100.0, 0.0), Wanted.KEEP, costs=costs), RingDie((-100.0, 0.0), Wanted.PICK)),
            ),
            ROUND,
        )
        for costs in (False, True)
    )
    kept = [[one for one in plan.stretches if one.rgb == ROUND.keep_rgb] for plan in (plain, costly)]
    assert [len(points) for points in kept] == [1, 2]
    first, second = kept[1]
    assert second.start > first.stop
