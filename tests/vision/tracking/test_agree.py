from dataclasses import replace

import pytest

from vision.tracking.agree import agree
from vision.types.reading import DieReading, Problem, TrayReading, Unread


def die(
    x: float, value: int | None, colour: str | None = "base", unread: Unread | None = None, confidence: float = 0.99
) -> DieReading:
    quad = ((x - 12.0, 90.0), (x + 12.0, 90.0), (x + 12.0, 114.0), (x - 12.0, 114.0))
    return DieReading(colour, value, confidence, unread, (float(x), 102.0), (x - 12.0, 90.0, 24.0, 24.0), quad)


def tray(*dice: DieReading, problems: tuple[Problem, ...] = (), trusted: bool | None = None) -> TrayReading:
    sure = all(one.unread is None for one in dice) and not problems
    return TrayReading(640, 480, dice, problems, sure if trusted is None else trusted, 10.0)


def test_readings_that_agree_are_trusted() -> None:
    merged = agree([tray(die(100, 3), die(200, 5)), tray(die(201, 5), die(100, 3))])
    assert merged.trusted
    assert sorted(one.value or 0 for one in merged.dice) == [3, 5]
    assert merged.elapsed_ms == 20.0


def test_a_disputed_value_is_that_of_the_most_but_not_trusted() -> None:
    merged = agree([tray(die(100, 3)), tray(die(100, 5)), tray(die(100, 3))])
    assert not merged.trusted
    assert merged.dice[0].value == 3
    assert merged.dice[0].unread is Unread.PIPS_UNCLEAR
    assert merged.dice[0].confidence < 0.99


def test_a_disputed_kind_of_die_is_not_trusted() -> None:
    merged = agree([tray(die(100, 3)), tray(replace(die(100, 3), sides=8)), tray(replace(die(100, 3), sides=8))])
    assert (merged.trusted, merged.dice[0].sides) == (False, 8)


def test_a_disputed_colour_is_not_trusted() -> None:
    merged = agree([tray(die(100, 3)), tray(die(100, 3, "skill")), tray(die(100, 3))])
    assert merged.dice[0].unread is Unread.COLOUR_UNCLEAR
    assert not merged.trusted


def test_a_die_doubted_once_in_three_is_trusted_if_nothing_speaks_against_it() -> None:
    doubted = die(100, None, unread=Unread.BLURRED, confidence=0.2)
    merged = agree([tray(doubted), tray(die(100, 4)), tray(die(100, 4))])
    assert merged.trusted
    assert merged.dice[0].value == 4


def test_a_die_doubted_more_often_than_not_keeps_its_reason() -> None:
    doubted = die(100, None, unread=Unread.COCKED, confidence=0.2)
    merged = agree([tray(doubted), tray(die(100, 4)), tray(doubted)])
    assert merged.dice[0].unread is Unread.COCKED
    assert not merged.trusted


def test_a_die_seen_once_in_three_is_dropped_and_doubt_remains() -> None:
    merged = agree([tray(die(100, 4), die(300, 2)), tray(die(100, 4)), tray(die(100, 4))])
    assert [one.value for one in merged.dice] == [4]
    assert not merged.trusted


def test_a_problem_of_most_readings_stays() -> None:
    bad = tray(die(100, 4), problems=(Problem.FOREIGN_OBJECT,))
    assert agree([bad, bad, tray(die(100, 4))]).problems == (Problem.FOREIGN_OBJECT,)
    assert agree([bad, tray(die(100, 4)), tray(die(100, 4))]).problems == ()


def test_dice_without_colour_can_be_trusted_where_the_reader_does() -> None:
    plain = replace(die(100, 4), colour=None)
    assert agree([tray(plain), tray(plain)]).trusted


def test_one_reading_stands_alone_and_none_is_misuse() -> None:
    only = tray(die(100, 4))
    assert agree([only]) is only
    with pytest.raises(ValueError, match="no reading"):
        agree([])
