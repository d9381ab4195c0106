from collections.abc import Iterable
from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import pytest

from vision.tracking.track import Tracker, turn_rad
from vision.types.reading import DieReading
from vision.types.sighting import TrackedDie

EDGE = 25.0


def die(x: float, y: float, value: int | None, colour: str | None = "base", angle: float = 0.0) -> DieReading:
    half = EDGE / 2.0**0.5
    a, b, c, d = ((x + half * cos(angle + k * pi / 2), y + half * sin(angle + k * pi / 2)) for k in range(4))
    return DieReading(colour, value, 0.99, None, (float(x), float(y)), (x - 13.0, y - 13.0, 26.0, 26.0), (a, b, c, d))


def ids(tracked: Iterable[TrackedDie]) -> dict[tuple[int, int], int]:
    return {(round(one.reading.center_px[0]), round(one.reading.center_px[1])): one.id for one in tracked}


def test_a_first_rest_counts_from_one_in_reading_order() -> None:
    first = Tracker().rest([die(300, 200, 2), die(100, 50, 6), die(50, 200, 1)])
    assert ids(first) == {(100, 50): 1, (50, 200): 2, (300, 200): 3}
    assert all(one.moved is None for one in first)


def test_faces_look_alike_every_quarter_turn() -> None:
    assert turn_rad(die(0, 0, 1), die(0, 0, 1, angle=pi / 2)) == pytest.approx(0.0, abs=1e-9)
    assert turn_rad(die(0, 0, 1), die(0, 0, 1, angle=pi / 2 - 0.1)) == pytest.approx(0.1)
    assert turn_rad(die(0, 0, 1), die(0, 0, 1, angle=0.2)) == pytest.approx(0.2)


def test_dice_taken_and_thrown_again_take_the_ids_that_left_by_colour() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(200, 100, 3), die(300, 100, 4, "skill"), die(400, 100, 2, "gear")]))
    between = tracker.rest([die(100, 100, 6)])
    assert [(one.id, one.moved) for one in between] == [(first[100, 100], False)]
    after = tracker.rest([die(100, 100, 6), die(210, 300, 5, "gear"), die(390, 120, 1, "skill"), die(290, 90, 5)])
    assert ids(after) == {
        (100, 100): first[100, 100],
        (290, 90): first[200, 100],
        (390, 120): first[300, 100],
        (210, 300): first[400, 100],
    }
    moved = {one.id: one.moved for one in after}
    assert moved.pop(first[100, 100]) is False
    assert all(moved.values())


def test_a_knocked_die_keeps_its_id_though_another_of_its_colour_lands_near_where_it_lay() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(300, 100, 3)]))
    tracker.rest([die(100, 100, 6)])
    after = ids(tracker.rest([die(130, 125, 6, angle=0.5), die(112, 70, 2)]))
    assert after[130, 125] == first[100, 100]
    assert after[112, 70] == first[300, 100]


def test_a_knocked_die_is_rather_the_one_that_shows_its_face_than_a_nearer_one_that_shows_none() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(300, 100, 3)]))
    tracker.rest([die(100, 100, 6)])
    after = ids(tracker.rest([die(190, 130, 6, angle=0.5), die(150, 70, None)]))
    assert after[190, 130] == first[100, 100]


def test_a_die_that_lay_untouched_is_known_by_its_first_face_whatever_it_was_read_as_since() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(300, 100, 3), die(200, 300, 2)]))
    tracker.rest([die(100, 100, 2)], [True])
    after = ids(tracker.rest([die(150, 140, 6, angle=0.5), die(130, 90, 2)]))
    assert after[150, 140] == first[100, 100]


def test_a_die_knocked_far_is_known_by_its_face() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(300, 100, 3), die(400, 100, 2)]))
    tracker.rest([die(100, 100, 6)])
    after = ids(tracker.rest([die(230, 180, 6, angle=0.5), die(130, 110, 4), die(90, 150, 5)]))
    assert after[230, 180] == first[100, 100]


def test_where_all_were_thrown_without_a_rest_between_the_unmoved_stay() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(140, 100, 3), die(300, 100, 4)]))
    after = ids(tracker.rest([die(100, 100, 6), die(420, 300, 2), die(350, 60, 5)]))
    assert after[100, 100] == first[100, 100]
    assert set(after.values()) == set(first.values())


def test_a_die_of_a_colour_that_did_not_leave_gets_a_new_id() -> None:
    tracker = Tracker()
    tracker.rest([die(100, 100, 6), die(300, 100, 3)])
    tracker.rest([die(100, 100, 6)])
    after = tracker.rest([die(100, 100, 6), die(300, 100, 3, "gear")])
    assert [one.id for one in after] == [1, 3]
    assert after[1].moved is True


def test_one_die_more_gets_a_new_id() -> None:
    tracker = Tracker()
    tracker.rest([die(100, 100, 6)])
    assert [one.id for one in tracker.rest([die(100, 100, 6), die(200, 200, 6)])] == [1, 2]


@pytest.mark.parametrize(
    ("after", "unchanged", "moved"),
    [
        (die(100.4, 100, 3), False, False),
        (die(102.5, 100, 3), True, False),
        (die(102.5, 100, 3), False, None),
        (die(106, 100, 3), False, True),
        (die(100, 100, 3, angle=0.25), False, True),
        (die(100, 100, 3, angle=0.1), False, None),
        (die(100, 100, 4), False, True),
        (die(100, 100, 4), True, False),
        (die(100, 100, 3, "gear"), True, False),
    ],
)
def test_moved_is_false_only_where_place_turn_and_face_are_the_same(
    after: DieReading, unchanged: bool, moved: bool | None
) -> None:
    tracker = Tracker()
    tracker.rest([die(100, 100, 3)])
    assert [one.moved for one in tracker.rest([after], [unchanged])] == [moved]


def test_a_die_overlooked_once_gets_its_id_back() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 3), die(200, 100, 3), die(300, 100, 3)]))
    tracker.rest([die(100, 100, 3), die(200, 100, 3)])
    assert ids(tracker.rest([die(100, 100, 3), die(200, 100, 3), die(300, 100, 3)])) == first


def test_dice_hidden_all_at_once_get_their_ids_back() -> None:
    tracker = Tracker()
    places = [die(100, 100, 3), die(200, 100, 3), die(300, 100, 3), die(300, 200, 5)]
    first = ids(tracker.rest(places))
    assert tracker.rest([]) == ()
    assert ids(tracker.rest(list(reversed(places)))) == first


def test_an_unknown_colour_matches_every_colour() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 3), die(300, 100, 5, "gear")]))
    after = ids(tracker.rest([die(100, 100, 3, None), die(420, 200, 5, "gear")]))
    assert after[100, 100] == first[100, 100]


def test_ids_restart_after_forget() -> None:
    tracker = Tracker()
    tracker.rest([die(100, 100, 3), die(200, 100, 3)])
    tracker.forget()
    assert tracker.lying == ()
    assert [one.id for one in tracker.rest([die(400, 100, 1)])] == [1]


def test_dice_of_one_colour_take_the_ids_of_their_own_kind() -> None:
    def step_die(x: float, sides: int, value: int) -> DieReading:
        return replace(die(x, 100, value), sides=sides)

    tracker = Tracker()
    first = ids(tracker.rest([step_die(100, 8, 5), step_die(300, 10, 5)]))
    tracker.rest([])
    after = ids(tracker.rest([step_die(110, 10, 2), step_die(310, 8, 3)]))
    assert (after[110, 100], after[310, 100]) == (first[300, 100], first[100, 100])


def test_dice_under_a_moved_camera_keep_their_ids_and_have_not_moved() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(200, 100, 3), die(200, 180, 3, "skill"), die(110, 300, 3)]))
    shift = np.array([[1.0, 0.0, 92.0], [0.0, 1.0, 5.0], [0.0, 0.0, 1.0]])  # known to a third of a die's edge
    now = [die(200, 100, 6), die(300, 100, 3), die(300, 180, 3, "skill"), die(210, 300, 3)]
    carried = tracker.carry(shift, now)
    after = tracker.rest(now, carried)
    assert ids(after) == {(x + 100, y): id_ for (x, y), id_ in first.items()}
    assert [one.moved for one in after] == [False] * 4


def test_a_move_that_dice_contradict_carries_nothing() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(200, 100, 3)]))
    shift = np.array([[1.0, 0.0, 100.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    now = [die(100, 100, 6), die(200, 100, 3)]
    assert tracker.carry(shift, now) == (False, False)
    assert ids(tracker.rest(now)) == first


def test_a_die_thrown_while_the_camera_moved_has_moved() -> None:
    tracker = Tracker()
    first = ids(tracker.rest([die(100, 100, 6), die(200, 100, 3), die(110, 300, 2)]))
    shift = np.array([[1.0, 0.0, 100.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    now = [die(200, 100, 6), die(210, 300, 2), die(400, 200, 5)]
    after = tracker.rest(now, tracker.carry(shift, now))
    assert {one.id: one.moved for one in after} == {
        first[100, 100]: False,
        first[110, 300]: False,
        first[200, 100]: True,
    }
