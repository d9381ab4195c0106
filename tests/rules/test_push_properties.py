"""What holds for every push: order never matters, a locked die never changes."""

from hypothesis import given
from hypothesis import strategies as st

from rules.dice import Die, Role, Roll
from rules.push_pool import SYSTEM
from rules.system import IllegalPlay, Outcome

KINDS = st.tuples(st.sampled_from([Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE]), st.integers(1, 6))
ROLLS = st.lists(KINDS, min_size=1, max_size=20).map(
    lambda kinds: tuple(Die(f"d{number}", role, value) for number, (role, value) in enumerate(kinds))
)
ID_KEYS = ("locked", "must_reroll")


@st.composite
def rolls_and_pushes(draw: st.DrawFn) -> tuple[Roll, Roll]:
    """A roll with something to throw again, and the table after a push played right, its dice knocked about."""
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
    # Every die of the role shows 3 at most 5: whatever was locked with a 6 or a 1 is gone for good.
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
