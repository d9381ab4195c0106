"""Invariants of every push: order never matters, a locked die never changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.dice import Die, Role, Roll
from rules.push_pool import SYSTEM
from rules.system import Facts, IllegalPlay, Outcome, find_system

KINDS = st.tuples(st.sampled_from([Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE]), st.integers(1, 6))
ROLLS = st.lists(KINDS, min_size=1, max_size=20).map(
    lambda kinds: tuple(Die(f"d{number}", role, value) for number, (role, value) in enumerate(kinds))
)
ID_KEYS = ("locked", "must_reroll")


@st.composite
def rolls_and_pushes(draw: st.DrawFn) -> tuple[Roll, Roll]:
    """Return a roll with something to throw again, and the table after a push played right, its dice knocked about."""
    before = draw(ROLLS.filter(lambda dice: bool(score(dice).must_reroll)))
    goes = set(score(before).must_reroll)
    after = [
        Die(die.id, die.role, draw(st.integers(1, 6)), moved=draw(st.sampled_from([None, True])))
        if die.id in goes
        else die
        for die in before
    ]
    return before, tuple(draw(st.permutations(after)))


def score(dice: Roll) -> Outcome:
    outcome = SYSTEM.score(dice, {}, {})
    assert isinstance(outcome, Outcome)
    return outcome


@given(ROLLS.flatmap(lambda dice: st.tuples(st.just(dice), st.permutations(dice))))
def test_the_order_of_a_roll_never_matters(pair: tuple[Roll, list[Die]]) -> None:
    straight, mixed = score(pair[0]), score(tuple(pair[1]))
    assert set(straight.locked) == set(mixed.locked)
    assert {k: v for k, v in straight.facts.items() if k not in ID_KEYS} == {
        k: v for k, v in mixed.facts.items() if k not in ID_KEYS
    }


PLAIN_ROLLS = st.lists(st.integers(1, 6), min_size=2, max_size=20).flatmap(
    lambda faces: st.tuples(st.just(tuple(faces)), st.permutations(faces))
)
CONTEXTS: dict[str, Facts] = {
    "push-pool": {},
    "hits-pool": {"threshold": 2},
    "highest-die": {"risk": "high"},
}


@pytest.mark.parametrize("system_id", CONTEXTS)
@given(PLAIN_ROLLS)
def test_the_order_of_plain_dice_never_matters(system_id: str, pair: tuple[tuple[int, ...], list[int]]) -> None:
    straight, mixed = (
        find_system(system_id).score(
            tuple(Die(f"d{number}", Role.PLAIN, face) for number, face in enumerate(faces)), CONTEXTS[system_id], {}
        )
        for faces in pair
    )
    assert isinstance(straight, Outcome)
    assert isinstance(mixed, Outcome)
    assert {k: v for k, v in straight.facts.items() if k not in ID_KEYS} == {
        k: v for k, v in mixed.facts.items() if k not in ID_KEYS
    }


@given(st.integers(1, 5), PLAIN_ROLLS)
def test_apart_from_the_wild_die_order_never_matters(wild: int, pair: tuple[tuple[int, ...], list[int]]) -> None:
    totals = []
    for faces in pair:
        dice = tuple(Die(f"d{number}", Role.PLAIN, face) for number, face in enumerate(faces))
        outcome = find_system("die-code").score((*dice, Die("w", Role.WILD, wild)), {}, {})
        assert isinstance(outcome, Outcome)
        totals.append(outcome.facts["total"])
    assert totals == [sum(pair[0]) + wild] * 2


@given(rolls_and_pushes())
def test_a_push_played_right_is_legal_in_any_order_and_pays_its_ones(pair: tuple[Roll, Roll]) -> None:
    before, after = pair
    outcome = SYSTEM.push(before, after, {"attribute": 5, "attribute_name": "STR", "gear_bonus": 3}, {})
    assert isinstance(outcome, Outcome)
    assert outcome.facts["trauma"] == sum(die.role is Role.BASE and die.value == 1 for die in after)
    assert outcome.facts["successes"] == score(after).facts["successes"]
    assert not outcome.push.eligible


@given(rolls_and_pushes())
def test_a_push_never_changes_a_locked_die(pair: tuple[Roll, Roll]) -> None:
    before, after = pair
    locked = set(score(before).locked)
    # Every die of the role shows a 3: whatever was locked with a 6 or a 1 is lost.
    spoiled = tuple(Die(die.id, die.role, 3) for die in after)
    answer = SYSTEM.push(before, spoiled, {}, {})
    if locked:
        assert isinstance(answer, IllegalPlay)
        assert answer.reason == "locked_die_changed"
        assert set(answer.dice) == locked
    else:
        assert isinstance(answer, Outcome)


@given(rolls_and_pushes(), st.data())
def test_a_die_that_had_to_go_and_never_left_its_place_is_named(pair: tuple[Roll, Roll], data: st.DataObject) -> None:
    before, after = pair
    lazy = data.draw(st.sampled_from(score(before).must_reroll))
    values = {die.id: die.value for die in before}
    played = tuple(Die(die.id, die.role, values[lazy], moved=False) if die.id == lazy else die for die in after)
    assert SYSTEM.push(before, played, {}, {}) == IllegalPlay("must_reroll_not_rolled", (lazy,))


@given(st.lists(st.sampled_from(["D", "C", "B", "A"]), min_size=1, max_size=2), st.data())
def test_step_dice_keep_their_ones_and_nothing_else(levels: list[str], data: st.DataObject) -> None:
    sides = {"D": 6, "C": 8, "B": 10, "A": 12}
    step_dice = find_system("step-dice")

    def throw(number: int) -> Die:
        level = levels[number]
        return Die(f"d{number}", Role.BASE, data.draw(st.integers(1, sides[level])), sides=sides[level], level=level)

    before = tuple(throw(number) for number in range(len(levels)))
    first = step_dice.score(before, {}, {})
    assert isinstance(first, Outcome)
    assert set(first.locked) == {die.id for die in before if die.value == 1}
    after = tuple(die if die.value == 1 else throw(number) for number, die in enumerate(before))
    answer = step_dice.push(before, after, {"attribute_name": "STR"}, {})
    if first.must_reroll:
        assert isinstance(answer, Outcome)
        assert answer.facts["damage"] == sum(die.value == 1 for die in after)
    else:
        assert answer == IllegalPlay("nothing_to_reroll")
