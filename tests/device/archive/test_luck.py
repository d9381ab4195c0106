"""Luck and pushes: exact chances combined, and how pushes ended."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from device.archive.luck import PushEnd, luck_of_each, pushes_of_each, successes_of
from device.archive.roll_summaries import roll_summaries
from device.archive.statistics import statistics
from device.texts.catalogue import in_language, translate
from tests.narrowing import parts_of

Row = Callable[..., dict[str, Any]]


def test_chances_of_single_throws_joined_are_those_of_all_their_courses() -> None:
    chances = (0.5, 1 / 3, 1.0, 0.125)
    plain = [0.0] * 5
    for course in product((0, 1), repeat=4):
        weight = 1.0
        for chance, success in zip(chances, course, strict=True):
            weight *= chance if success else 1 - chance
        plain[sum(course)] += weight
    least, known = successes_of(chances)
    assert [*[0.0] * least, *known] == pytest.approx(plain)


def test_what_rounding_would_lose_is_left_out_of_many_throws() -> None:
    chances = [0.25, 0.5, 1 / 3] * 400
    plain = [1.0]
    for chance in chances:
        plain = [lost * (1 - chance) + won * chance for lost, won in zip([*plain, 0.0], [0.0, *plain], strict=True)]
    least, known = successes_of(chances)
    assert known == pytest.approx(plain[least : least + len(known)], abs=1e-15)
    # Four times as many throws spread twice as far.
    assert len(successes_of(chances * 4)[1]) == pytest.approx(2 * len(known), rel=0.1)


def test_luck_is_counted_over_first_throws_alone_and_for_each_player(row: Row) -> None:
    rows = [
        row(1, owner="Mira", success=True),
        row(2, roll=2, owner="Mira", odds={"p_success": "1/4"}),
        row(3, roll=2, owner="Mira", kind="pushed", success=True),
        row(4, roll=3, owner="Ann", odds=None),
        row(5, roll=4, success=True, odds={"p_success": "1/10"}),
    ]
    mira, unowned = luck_of_each(roll_summaries(rows))
    assert (mira.player, mira.rolls, mira.won, mira.expected) == ("Mira", 2, 1, 0.75)
    assert mira.course == (0.5, 0.25)
    assert (mira.p_low, mira.p_high) == pytest.approx((1 - 0.125, 1 - 0.375))
    assert unowned.player is None
    assert unowned.p_high == pytest.approx(0.1)


def test_how_pushes_ended_and_what_they_cost(row: Row) -> None:
    def roll(number: int, before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
        first = row(2 * number, roll=number, owner="Mira", **before)
        push = row(2 * number + 1, roll=number, owner="Mira", kind="pushed", **after)
        return [first, push]

    rows = [
        *roll(1, {}, {"success": True, "odds": {"p_success": "1/3"}}),
        *roll(2, {}, {"odds": {"p_success": "1/3"}}),
        *roll(3, {"success": True}, {"success": True}),
    ]
    better = row(9, roll=4, owner="Mira", success=True), row(10, roll=4, owner="Mira", kind="pushed", success=True)
    better[1]["outcome"] |= {"headline": {"value": 3, "word": "successes"}, "trauma": 2, "damage_or_stress": 1}
    (tally,) = pushes_of_each(roll_summaries([*rows, *better]))
    assert (tally.player, tally.pushes) == ("Mira", 4)
    assert tally.ends == {PushEnd.SAVED: 1, PushEnd.BETTER: 1, PushEnd.NOTHING: 2}
    assert tally.could_save == 2
    assert tally.expected_saved == pytest.approx(2 / 3)
    assert tally.harm == {("push-pool", "trauma"): 2}


def test_the_words(row: Row) -> None:
    def thrown(number: int) -> dict[str, Any]:
        dice = [{"id": one, "colour": "base", "role": "base", "value": 1 + (number + one) % 6} for one in range(6)]
        return row(number, roll=number, owner="Mira", dice=dice, success=True, odds={"p_success": "1/4"})

    reported = parts_of(statistics(list(roll_summaries(thrown(number) for number in range(1, 11))), is_part=False))
    (faces,) = reported["faces"]
    assert (faces["throws"], faces["counts"], faces["p"]) == (60, [10] * 6, 1.0)
    assert faces["text"].startswith("No sign of a loaded die after 60 throws.")
    (luck,) = reported["luck"]
    rolls = translate("memory.luck.rolls", won=10, count=10, expected=2)
    assert luck["text"] == translate("memory.luck.lucky", rolls=rolls, share="1 in 1000000")
    german = in_language(reported, "de")
    assert german["faces"][0]["text"].startswith("Kein Zeichen für einen gezinkten Würfel nach 60 Würfen.")
    assert "1 in 20" in str(reported["faces_note"])
    assert statistics([], is_part=False) == {
        "rolls": 0,
        "faces": [],
        "faces_note": None,
        "luck": [],
        "pushes": [],
        "contests": [],
    }


def test_each_face_is_expected_as_often_as_the_die_has_it(row: Row) -> None:
    def thrown(number: int, values: tuple[int, ...]) -> dict[str, Any]:
        faces = [0, 0, 0, 0, 5, 6]
        dice = [
            {"id": place, "colour": "gear", "role": "gear", "value": value, "faces": faces}
            for place, value in enumerate(values)
        ]
        # Ordinary dice of the same colour, thrown before the others were, are judged by themselves.
        dice += [{"id": 10 + value, "colour": "gear", "role": "gear", "value": value} for value in range(1, 7)]
        return row(number, roll=number, dice=dice)

    def judged(*values: int) -> list[Any]:
        rolls = list(roll_summaries(thrown(number, values) for number in range(1, 31)))
        listed: list[Any] = parts_of(statistics([roll.brief() for roll in rolls], is_part=False))["faces"]
        return listed

    fair, ordinary = judged(0, 5, 0, 0, 6, 0)
    assert (fair["faces"], fair["times"], fair["expected"]) == ([0, 5, 6], [4, 1, 1], [120, 30, 30])
    assert (fair["counts"], fair["verdict"]) == ([120, 30, 30], "no_sign")
    assert (ordinary["faces"], ordinary["counts"]) == ([1, 2, 3, 4, 5, 6], [30] * 6)
    loaded, _ = judged(0, 0, 5, 6, 6, 5)
    assert loaded["verdict"] == "sign"
    assert str(loaded["text"]) == translate(
        "memory.faces.sign", face=translate("word.blank"), often=60, expected=120, count=180
    )


def test_loaded_dice_are_named_with_their_face(row: Row) -> None:
    def thrown(number: int) -> dict[str, Any]:
        dice = [{"id": one, "colour": "gear", "role": "gear", "value": 6 if one % 2 else one + 1} for one in range(6)]
        return row(number, roll=number, dice=dice)

    reported = parts_of(statistics(list(roll_summaries(thrown(number) for number in range(1, 31))), is_part=True))
    (faces,) = reported["faces"]
    assert faces["verdict"] == "sign"
    assert str(faces["text"]) == translate("memory.faces.sign", face=6, often=90, expected=30, count=180)
    assert "only a part" in str(reported["faces_note"])


@pytest.mark.parametrize(
    ("chances", "told"),
    [([0.5] * 4, "too_few"), ([0.5] * 6, "unlucky"), ([0.5] * 5, "too_few"), ([0.1] * 30, "usual")],
)
def test_no_player_is_unlucky_before_the_rolls_show_it(row: Row, chances: list[float], told: str) -> None:
    rows = (
        row(number, roll=number, owner="Mira", success=False, odds={"p_success": str(Fraction(chance))})
        for number, chance in enumerate(chances, 1)
    )
    (luck,) = parts_of(statistics(list(roll_summaries(rows)), is_part=False))["luck"]
    assert str(luck["text"]).split(". ")[1].split(":")[0] in str(translate(f"memory.luck.{told}", rolls="", share=""))
