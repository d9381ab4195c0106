"""One row per roll: the summary of a roll's log rows, and how rolls are divided and found."""

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest

from device.archive.evenings import evenings
from device.archive.roll_summaries import roll_summaries
from device.archive.search import RollFilter, found
from device.game.state.events import DiceSettled, DieCorrected, PushPressed
from device.game.state.table_events import RollRequested
from rules.dice import Role
from tests.device.archive.conftest import Evening
from tests.device.conftest import Dice
from tests.narrowing import parts_of

Row = Callable[..., dict[str, Any]]
HOURS = timedelta(hours=4)


def test_a_roll_with_all_that_belongs_to_it(evening: Evening) -> None:
    evening.play(RollRequested("Mira", "Strength + Fight", {Role.BASE: 2, Role.SKILL: 1, Role.GEAR: 1}))
    evening.play(DiceSettled(Dice.rest(*Dice.FIRST)), DieCorrected(1, 4, None))
    evening.play(PushPressed(), DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN)))
    (roll,) = roll_summaries(evening.history.since())
    assert (roll.id, roll.rows, roll.notes.owner, roll.notes.label) == (1, [1, 2, 3], "Mira", "Strength + Fight")
    first, push = roll.throws
    assert [die["value"] for die in first.dice] == [4, 6, 1, 3]
    assert first.faces == [("base", 4), ("base", 6), ("skill", 1), ("gear", 3)], "corrected faces count"
    assert push.faces == [("base", 1), ("skill", 6), ("gear", 1)], "what stayed was not thrown again"
    assert (first.result, push.result) == ((1, "success"), (2, "successes"))
    assert (push.outcome["trauma"], push.success) == (1, True)
    (stored,) = roll.corrections
    assert (stored["die"], stored["value"], stored["read_value"]) == (1, 4, 5)


def test_a_die_that_stayed_and_is_corrected_after_the_push_counts_in_the_throw_that_moved_it(evening: Evening) -> None:
    evening.play(DiceSettled(Dice.rest(*Dice.FIRST)))
    evening.play(PushPressed(), DiceSettled(Dice.rest(*Dice.LEFT)), DiceSettled(Dice.rest(*Dice.THROWN)))
    evening.play(DieCorrected(2, 5, None))
    (roll,) = roll_summaries(evening.history.since())
    first, push = roll.throws
    assert first.faces == [("base", 5), ("base", 5), ("skill", 1), ("gear", 3)]
    assert push.faces == [("base", 1), ("skill", 6), ("gear", 1)]


def test_each_throw_has_the_exact_odds_that_it_had(evening: Evening) -> None:
    evening.play(DiceSettled(Dice.rest(Dice.die(1, "base", 5), Dice.die(2, "base", 3), Dice.die(3, "skill", 2))))
    evening.play(PushPressed(), DiceSettled(Dice.rest()), DiceSettled(Dice.rest(*Dice.THROWN[::2], Dice.THROWN[3])))
    (roll,) = roll_summaries(evening.history.since())
    assert roll.throws[0].p_success == 1 - Fraction(5, 6) ** 3


def test_a_correction_of_the_colour_changes_the_odds_with_the_dice(evening: Evening) -> None:
    evening.play(DiceSettled(Dice.rest(Dice.die(1, "base", 5), Dice.die(2, "base", 3))))
    evening.play(DieCorrected(2, None, "skill"))
    rows = [parts_of(row) for row in evening.history.since()]
    assert [row["odds"]["p_success"] for row in rows] == ["11/36", "11/36"]
    assert rows[0]["odds"] != rows[1]["odds"], "a one on a skill die stays no more"
    assert [row["kind"] for row in rows] == ["scored", "corrected"]


def test_a_first_result_of_a_number_that_is_taken_is_another_roll(row: Row) -> None:
    rolls = list(roll_summaries([row(1), row(2), row(3, kind="corrected"), row(4, roll=2)]))
    assert [roll.rows for roll in rolls] == [[1], [2, 3], [4]]


def test_words_before_the_first_result_belong_to_it(row: Row) -> None:
    corrected = row(1, kind="corrected", outcome=None, odds=None, correction={"die": 1, "value": 4, "colour": None})
    (roll,) = roll_summaries([corrected, row(2)])
    assert (roll.rows, len(roll.throws), len(roll.corrections)) == ([1, 2], 1, 1)


def test_a_die_that_goes_on_counts_with_what_it_showed_at_first(row: Row) -> None:
    six = [{"id": 1, "colour": "base", "role": "wild", "value": 6}]
    two = [{"id": 1, "colour": "base", "role": "wild", "value": 2}]
    (roll,) = roll_summaries([row(1, dice=six), row(2, kind="continued", dice=two)])
    assert roll.throws[0].faces == [("base", 6)]
    assert roll.throws[0].dice == two


def test_typed_dice_are_none_that_a_camera_counts(row: Row) -> None:
    typed = [{"id": 900_001, "colour": None, "role": "base", "value": 6, "level": "C", "sides": 8, "typed": True}]
    (roll,) = roll_summaries([row(1, dice=typed)])
    assert roll.throws[0].faces == []


def test_a_long_pause_or_the_table_ends_an_evening(row: Row) -> None:
    late = row(9, roll=4, at="2026-01-31T03:30:00.000+00:00")
    rolls = list(roll_summaries([row(1), row(2, roll=2), row(3, roll=2, kind="pushed"), row(5, roll=3), late]))
    divided = list(evenings(rolls, HOURS, frozenset({2}), {}))
    assert [[roll.id for roll in one.rolls] for one in divided] == [[1, 2], [5], [9]]
    assert [one.is_over for one in divided] == [True, False, False], "an end in the midst of a roll is behind it"


def test_the_table_ends_the_evening_that_is(row: Row) -> None:
    rolls = list(roll_summaries([row(1), row(2, roll=2)]))
    (one,) = evenings(rolls, HOURS, frozenset({2}), {})
    assert one.is_over


@pytest.mark.parametrize(("first", "named"), [(3, "Mill"), (4, "Mill"), (2, None)])
def test_a_name_stays_with_its_evening_where_its_first_roll_is_deleted(row: Row, first: int, named: str | None) -> None:
    rows = [row(1), row(2, roll=2), *[row(number, roll=number) for number in (3, 4, 5) if number >= first]]
    divided = list(evenings(list(roll_summaries(rows)), HOURS, frozenset({2}), {first if first > 2 else 9: "Mill"}))
    assert divided[-1].name == named


def test_a_clock_that_is_set_back_ends_no_evening(row: Row) -> None:
    rolls = list(roll_summaries([row(1), row(2, roll=2, at="2020-01-01T00:00:00.000+00:00")]))
    assert len(list(evenings(rolls, HOURS, frozenset(), {}))) == 1


def test_searching(row: Row) -> None:
    rolls = list(
        roll_summaries(
            [
                row(1, owner="Mira", label="Strength + Fight", success=True),
                row(2, roll=2, owner="Ann", label="Notice", at="2026-02-03T12:00:00.000+00:00"),
                row(3, roll=3, system="hits-pool"),
            ]
        )
    )

    def ids(**wanted: Any) -> list[int]:
        return [roll.id for roll in found(rolls, RollFilter(**wanted))]

    assert ids() == [1, 2, 3]
    assert ids(player="mira") == [1]
    assert ids(player="mir") == []
    assert ids(label="fight") == [1]
    assert ids(text="MIRA strength 1") == [1]
    assert ids(text="mira notice") == []
    assert ids(first_day=date(2026, 2, 3)) == [2]
    assert ids(last_day=date(2026, 2, 1)) == [1, 3]
    assert ids(system="hits-pool") == [3]
