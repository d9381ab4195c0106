"""Clocks: ticked, emptied, linked, undone, stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.clocks import Clocks, add_clock, clocks_to_json, remove_clock, tick, undo_tick
from rules.errors import BadRequest


def rack(*sizes: int) -> Clocks:
    made = Clocks()
    for number, size in enumerate(sizes, start=1):
        made = add_clock(made, f"clock {number}", size, linked_to=number - 1 or None)
    return made


def filled(made: Clocks) -> list[int]:
    return [clock.filled for clock in made.clocks]


def test_a_tug_of_war_goes_both_ways() -> None:
    made = tick(rack(6), 1, 4, carries=False)
    made = tick(made, 1, -6, carries=False)
    assert isinstance(made, Clocks)
    assert made.last is not None
    assert (filled(made), made.last.emptied) == ([0], True)
    assert filled(undo_tick(made)) == [4]


def test_overflow_is_dropped_and_reported_or_carried_along_the_link() -> None:
    dropped = tick(rack(4, 6), 2, 9, carries=False)
    assert dropped.last is not None
    assert (filled(dropped), dropped.last.overflow, dropped.last.full) == ([0, 6], 3, True)
    carried = tick(rack(4, 6), 2, 12, carries=True)
    assert carried.last is not None
    assert (filled(carried), carried.last.overflow) == ([4, 6], 2)
    assert filled(undo_tick(carried)) == [0, 0]


def test_a_linked_clock_is_locked_until_the_other_is_full() -> None:
    made = rack(4, 6)
    assert made.is_locked(made.find(1))
    made = tick(made, 2, 6, carries=False)
    assert not made.is_locked(made.find(1))


def test_a_removed_clock_leaves_no_link_and_its_id_is_not_reused() -> None:
    made = remove_clock(tick(rack(4, 6), 1, 1, carries=False), 1)
    assert made.find(2).linked_to is None
    assert undo_tick(made) == made
    assert add_clock(made, "new", 8).clocks[-1].id == 3


@pytest.mark.parametrize(("clock", "ticks"), [(9, 1), (1, 0), (1, 101), (1, -101)])
def test_ticks_that_make_no_sense(clock: int, ticks: int) -> None:
    with pytest.raises(BadRequest):
        tick(rack(4), clock, ticks, carries=False)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(-8, 8).filter(bool)), max_size=20), st.booleans())
def test_whatever_is_ticked_undoing_it_all_leads_back(ticks: list[tuple[int, int]], carries: bool) -> None:
    made = start = rack(4, 6, 8)
    for clock, number in ticks:
        made = tick(made, clock, number, carries=carries)
        assert all(0 <= one.filled <= one.segments for one in made.clocks)
    for _ in ticks:
        made = undo_tick(made)
    assert made.clocks == start.clocks
    assert clocks_to_json(made)["undo"] is None
