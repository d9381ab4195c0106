"""A game master's requests: targets by the rules' own tiles, their effect on dice, margins, sides, joint rolls."""

import pytest

from rules.asking import Compared, Hand, Pooled, compare_counts
from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.facts import Facts
from rules.system import Outcome, RuleSystem, find_system, systems

PUSH, STEP, HITS, HIGHEST, CODE = (
    find_system(name) for name in ("push-pool", "step-dice", "hits-pool", "highest-die", "die-code")
)
COLOURED = Hand(((Role.BASE, 3), (Role.SKILL, 2), (Role.GEAR, 1)))


def scored(system: RuleSystem, values: tuple[int, ...], context: Facts, role: Role = Role.PLAIN) -> Outcome:
    dice = tuple(Die(str(place), role, value) for place, value in enumerate(values))
    outcome = system.score(dice, context, {})
    assert isinstance(outcome, Outcome)
    return outcome


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.id)
def test_aims_are_tiles_of_the_prepared_roll_so_that_one_word_means_one_thing(system: RuleSystem) -> None:
    assert system.aims
    assert set(system.aims) <= set(system.tiles)
    assert all(tile.optional for tile in system.aims)
    assert system.aim({}, COLOURED, {}).hand == COLOURED
    with pytest.raises(BadRequest, match="is unknown"):
        system.aim({"luck_of_the_draw": 1}, Hand(), {})


@pytest.mark.parametrize(
    ("difficulty", "hand", "taken"),
    [
        (-2, COLOURED, {"base": 3, "skill": 0, "gear": 1, "negative": 0}),
        (-3, COLOURED, {"base": 3, "skill": 0, "gear": 1, "negative": 1}),
        (2, COLOURED, {"base": 3, "skill": 4, "gear": 1, "negative": 0}),
        (-1, Hand(((Role.BASE, 2), (Role.NEGATIVE, 1))), {"base": 2, "skill": 0, "gear": 0, "negative": 2}),
        (-2, Hand(((Role.PLAIN, 5),)), {"plain": 3}),
        (-3, Hand(((Role.PLAIN, 2),)), {"plain": 1}),
    ],
)
def test_a_difficulty_of_push_pool_is_skill_dice(difficulty: int, hand: Hand, taken: dict[str, int]) -> None:
    aimed = PUSH.aim({"difficulty": difficulty}, hand, {})
    assert {role.value: count for role, count in aimed.hand.pool} == taken
    assert aimed.context == {}


def test_a_difficulty_of_no_named_dice_changes_none() -> None:
    assert PUSH.aim({"difficulty": -2}, Hand(), {}).hand == Hand()
    assert STEP.aim({"modifier": 1}, Hand(), {}).hand == Hand()


def test_a_modifier_of_step_dice_steps_them_and_a_passive_roll_says_so() -> None:
    hand = Hand(((Role.BASE, 1), (Role.AMMO, 2)), ((Role.BASE, "B"),))
    up = STEP.aim({"modifier": 1, "passive": True}, hand, {})
    assert up.hand == Hand(((Role.BASE, 0), (Role.AMMO, 2)), ((Role.BASE, "B"), (Role.BASE, "C")))
    assert up.context == {"passive": True}
    three = Hand(((Role.BASE, 2),), ((Role.BASE, "A"),))
    with pytest.raises(BadRequest, match="3 levels"):
        STEP.aim({"modifier": -1}, three, {})
    assert STEP.aim({"passive": True}, three, {}).hand == three


@pytest.mark.parametrize(
    ("system", "aim", "context"),
    [
        (HITS, {"threshold": 2}, {"threshold": 2}),
        (HIGHEST, {"risk": "high"}, {"risk": "high"}),
        (CODE, {"difficulty": 13}, {"difficulty": 13}),
        (CODE, {"band": "Moderate"}, {"difficulty": 11}),
        (CODE, {"band": "Moderate", "difficulty": 14}, {"difficulty": 14}),
    ],
    ids=lambda value: value.id if not isinstance(value, dict) else "",
)
def test_an_aim_is_a_fact_that_the_roll_is_scored_by(system: RuleSystem, aim: Facts, context: Facts) -> None:
    aimed = system.aim(aim, COLOURED, {})
    assert (aimed.hand, aimed.context) == (COLOURED, context)
    scored(system, (4, 2, 3), aimed.context)


@pytest.mark.parametrize(
    ("system", "values", "context", "success", "margin"),
    [
        (HITS, (5, 6, 6), {"threshold": 2}, True, 1),
        (HITS, (5, 6, 1), {"threshold": 2}, True, 0),
        (HITS, (5, 1, 1), {"threshold": 3}, False, -2),
        (HITS, (5, 1, 1), {}, None, None),
        (CODE, (5, 4, 3), {"difficulty": 10}, True, 2),
        (CODE, (5, 4, 3), {"difficulty": 15}, False, -3),
        (CODE, (6, 4, 3), {"difficulty": 15}, None, None),
        (HIGHEST, (5, 1), {"risk": "high"}, True, None),
    ],
    ids=lambda value: value.id if hasattr(value, "id") else repr(value),
)
def test_the_margin(
    system: RuleSystem, values: tuple[int, ...], context: Facts, success: bool | None, margin: int | None
) -> None:
    outcome = scored(system, values, context)
    assert (outcome.success, system.margin(outcome.facts, context)) == (success, margin)


@pytest.mark.parametrize("system", [PUSH, STEP], ids=["push-pool", "step-dice"])
@pytest.mark.parametrize(("values", "margin"), [((6, 6, 6), 2), ((6, 2, 3), 0), ((2, 3, 4), None)])
def test_where_one_success_is_enough_the_others_are_the_margin(
    system: RuleSystem, values: tuple[int, ...], margin: int | None
) -> None:
    outcome = scored(system, values, {}, Role.BASE)
    assert system.margin(outcome.facts, {}) == margin


@pytest.mark.parametrize(
    ("system", "rulings", "first", "second", "compared"),
    [
        (HITS, {}, 4, 2, Compared("win", 2)),
        (HITS, {}, 2, 2, Compared("draw", 0)),
        (CODE, {}, 8, 10, Compared("lose", 2)),
        (CODE, {}, 9, 9, Compared("draw", 0)),
        (CODE, {"opposed_tie": "reroll"}, 9, 9, Compared("draw", 0, again=True)),
        (CODE, {"opposed_tie": "defender"}, 9, 9, Compared("lose", 0)),
        (PUSH, {}, 3, 1, None),
        (PUSH, {"opposed_rolls": True}, 3, 1, Compared("win", 2)),
        (PUSH, {"opposed_rolls": True}, 1, 1, Compared("lose", 0)),
        (STEP, {}, 2, 1, None),
        (HIGHEST, {}, 6, 1, None),
    ],
    ids=lambda value: value.id if hasattr(value, "id") else repr(value),
)
def test_sides(system: RuleSystem, rulings: Facts, first: int, second: int, compared: Compared | None) -> None:
    assert system.compare(first, second, rulings) == compared


@pytest.mark.parametrize(("first", "second", "result"), [(3, 1, "win"), (1, 3, "lose"), (2, 2, "draw")])
def test_without_a_rule_the_higher_count_wins(first: int, second: int, result: str) -> None:
    assert compare_counts(first, second) == Compared(result, abs(first - second))


def test_hits_of_several_people_add_up_against_the_threshold() -> None:
    assert HITS.pool_counts((2, 1, 0), {"threshold": 4}, {}) == Pooled(3, met=False, margin=-1)
    assert HITS.pool_counts((2, 2), {"threshold": 4}, {}) == Pooled(4, met=True, margin=0)
    assert HITS.pool_counts((2, 2), {"threshold": 4}, {"draw_meets_threshold": False}) == Pooled(4, met=False, margin=0)
    assert HITS.pool_counts((2, 2), {}, {}) == Pooled(4)
    assert all(system.pool_counts((1, 2), {}, {}) is None for system in systems() if system is not HITS)
