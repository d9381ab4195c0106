"""step-dice: every rule id, the worked price of the text, every ruling."""

import itertools

import pytest

from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.facts import JsonValue
from rules.request import read_facts
from rules.sheet import Consequence, Kind
from rules.step_dice import LEVELS, SYSTEM, step_levels
from rules.system import Facts, IllegalPlay, PushReason
from tests.rules.asking import holds, pusher, scorer
from tests.rules.conftest import roll

score = scorer(SYSTEM)
push = pusher(SYSTEM)


class TestPool:
    @pytest.mark.parametrize(
        ("dice", "modifier", "expected"),
        [
            (["C", "D"], 0, ["C", "D"]),
            (["C", "D"], 1, ["C", "C"]),
            (["C", "D"], 3, ["B", "B"]),
            (["C", "D"], -1, ["D", "D"]),
            (["C", "D"], -2, ["D"]),
            (["C", "D"], -9, ["D"]),
            (["A", "C"], -1, ["B", "C"]),
            (["A", "A"], 3, ["A", "A"]),
            (["C"], 1, ["C", "D"]),
            (["A"], 1, ["A", "D"]),
            (["B"], -1, ["C"]),
            (["D"], -2, ["D"]),
            (["D", "B"], 0, ["B", "D"]),
        ],
    )
    def test_modifiers_step_dice(self, dice: list[JsonValue], modifier: int, expected: list[str]) -> None:
        assert SYSTEM.answer("pool", {"context": {"dice": dice, "modifier": modifier}})["dice"] == expected

    def test_three_helpers_help_and_a_fourth_does_not(self) -> None:
        holds(SYSTEM.answer("pool", {"context": {"dice": ["D"], "helpers": 3}}), dice=["C", "C"], warnings=[])
        holds(
            SYSTEM.answer("pool", {"context": {"dice": ["D"], "helpers": 4}}),
            dice=["C", "C"],
            warnings=["too_many_helpers"],
        )

    def test_a_plus_never_weakens_and_a_minus_never_strengthens(self) -> None:
        for pair in [(level,) for level in LEVELS] + list(itertools.product(LEVELS, repeat=2)):
            strengths = [
                sum(LEVELS.index(level) + 1 for level in step_levels(pair, modifier)) for modifier in range(-8, 9)
            ]
            assert strengths == sorted(strengths)
            assert strengths[0] == 1
            assert strengths[-1] == 8

    @pytest.mark.parametrize("dice", [["E"], [], ["D", "D", "D"], "C", [8], None])
    def test_nonsense_is_refused(self, dice: JsonValue) -> None:
        with pytest.raises(BadRequest, match=r"context\.dice"):
            SYSTEM.answer("pool", {"context": {"dice": dice}})


class TestScore:
    @pytest.mark.parametrize(
        ("dice", "successes"),
        [("C:6 D:3", 1), ("C:5 D:4", 0), ("D:6 D:6", 2), ("A:11 B:10", 4), ("A:9 C:8", 2), ("A:12", 2), ("D:1 C:1", 0)],
    )
    def test_successes(self, dice: str, successes: int) -> None:
        facts = score(roll(dice)).facts
        holds(facts, successes=successes, success=successes > 0, extra=max(0, successes - 1))

    def test_ten_plus_counted_once(self) -> None:
        holds(score(roll("A:11 B:10"), rulings={"ten_plus": 1}).facts, successes=2)

    def test_ammo_dice_never_make_the_success(self) -> None:
        facts = score(roll("D:3 C:2 a1 a6 a4")).facts
        holds(facts, successes=0, ammo_ones=1, ammo_sixes=1, ammo_spent=11, locked=["a1", "a2"])

    def test_ones_cost_nothing_on_the_first_throw(self) -> None:
        facts = score(roll("D:1 C:1")).facts
        holds(facts, base_ones=2)
        assert "damage" not in facts

    def test_a_one_on_another_kind_of_die_is_no_locked_one(self) -> None:
        before = (Die("c", Role.BASE, 1, 8, "C"), Die("b", Role.BASE, 4, 10, "B"))
        after = (Die("c", Role.BASE, 4, 8, "C"), Die("b", Role.BASE, 1, 10, "B"))
        wrong = SYSTEM.push(before, after, {}, {})
        assert isinstance(wrong, IllegalPlay)
        assert (wrong.reason, wrong.dice) == ("locked_die_changed", ("c",))

    def test_ones_lock_and_all_else_must_go_success_or_not(self) -> None:
        outcome = score(roll("A:9 C:1"))
        assert (outcome.locked, outcome.must_reroll) == (("b2",), ("b1",))
        assert outcome.push.reason is PushReason.OK

    def test_a_table_may_keep_successes(self) -> None:
        outcome = score(roll("A:9 C:1"), rulings={"keep_success": True})
        assert outcome.locked == ("b1", "b2")
        assert outcome.push.reason is PushReason.NOTHING_TO_REROLL

    def test_a_table_may_reroll_ammo_sixes(self) -> None:
        assert score(roll("D:2 a6 a1"), rulings={"ammo_sixes_locked": False}).locked == ("a2",)

    def test_a_passive_roll_is_not_pushed(self) -> None:
        assert score(roll("C:3 D:3"), passive=True).push.reason is PushReason.PASSIVE_ROLL

    def test_only_ammo_left_is_warned_of(self) -> None:
        holds(score(roll("D:1 a3")).facts, warnings=["only_ammo_left"])
        holds(score(roll("D:2 a3")).facts, warnings=[])

    @pytest.mark.parametrize("dice", ["s3", "a3", "p2", "g1 D:2"])
    def test_dice_of_other_systems_are_refused(self, dice: str) -> None:
        with pytest.raises(BadRequest, match="base"):
            score(roll(dice))

    def test_shapes_that_there_are_not(self) -> None:
        with pytest.raises(BadRequest, match="20 sides"):
            score((Die("b1", Role.BASE, 20, sides=20),))
        with pytest.raises(BadRequest, match="8 sides"):
            score((Die("b1", Role.BASE, 2), Die("a1", Role.AMMO, 8, sides=8)))


class TestPush:
    def test_a_success_can_be_lost_and_the_old_one_is_paid(self) -> None:
        facts = push(roll("A:9 C:1"), roll("A:3 C:1"), {"attribute_name": "STR", "hp": 4}).facts
        holds(facts, successes=0, damage=1, stress=0, hp_after=3, incapacitated_after_action=False)

    @pytest.mark.parametrize(("name", "damage", "stress"), [("STR", 2, 0), ("AGL", 2, 0), ("INT", 0, 2), ("EMP", 0, 2)])
    def test_ones_hurt_body_or_mind(self, name: str, damage: int, stress: int) -> None:
        facts = push(roll("D:2 C:3"), roll("D:1 C:1"), {"attribute_name": name, "hp": 5}).facts
        holds(facts, damage=damage, stress=stress, hp_after=5 - damage, reliability_loss=0)

    def test_who_falls_falls_after_the_action(self) -> None:
        facts = push(roll("D:2 C:3"), roll("D:1 C:7"), {"attribute_name": "STR", "hp": 1}).facts
        holds(facts, success=True, hp_after=0, incapacitated_after_action=True)

    def test_a_tool_suffers_in_its_users_place(self) -> None:
        context = {"attribute_name": "AGL", "gear": True, "reliability": 4, "hp": 3}
        facts = push(roll("D:2 C:4"), roll("D:1 C:7"), context).facts
        holds(facts, damage=0, reliability_loss=1, reliability_after=3, hp_after=3)

    def test_a_tool_saves_no_mind(self) -> None:
        context = {"attribute_name": "INT", "gear": True, "reliability": 4}
        holds(push(roll("D:2"), roll("D:1"), context).facts, stress=1, reliability_loss=0, reliability_after=4)

    def test_ammo_ones_wear_the_weapon_along_with_base_ones(self) -> None:
        context = {"attribute_name": "AGL", "gear": True, "reliability": 2}
        facts = push(roll("D:2 C:4 a1 a3"), roll("D:1 C:7 a1 a1"), context).facts
        holds(facts, reliability_loss=3, reliability_after=0, damage=0, ammo_ones=2)

    def test_without_an_attribute_the_kind_of_harm_is_unknown(self) -> None:
        facts = push(roll("D:2"), roll("D:1"), {"hp": 3}).facts
        holds(facts, damage=None, stress=None, damage_or_stress=1, hp_after=None)
        holds(push(roll("D:2"), roll("D:3")).facts, damage=0, stress=0, damage_or_stress=0)
        facts = push(roll("D:2 a3"), roll("D:1 a1"), {"gear": True, "reliability": 4}).facts
        holds(facts, stress_or_reliability=1, damage_or_stress=0, reliability_loss=1, reliability_after=None)

    def test_the_first_throw_knows_the_least_that_a_push_will_cost(self) -> None:
        def costs(context: Facts, rulings: Facts) -> Facts:
            return read_facts(score(roll("D:1 C:2 a1"), rulings=rulings, **context).facts["push_costs"], "push_costs")

        holds(costs({"attribute_name": "STR"}, {}), damage=1, stress=0, reliability_loss=1, damage_or_stress=0)
        holds(costs({}, {}), damage=None, damage_or_stress=1)
        holds(costs({}, {"pay_old_ones": False}), damage=0, damage_or_stress=0, reliability_loss=0)
        assert "push_costs" not in score(roll("D:1")).facts, "there is no push"

    def test_a_table_may_forget_old_ones(self) -> None:
        context = {"attribute_name": "STR"}
        facts = push(roll("D:1 C:3 a1"), roll("D:1 C:1 a1"), context, {"pay_old_ones": False}).facts
        holds(facts, damage=1, reliability_loss=0)

    def test_a_second_push_pays_its_new_ones(self) -> None:
        context = {"attribute_name": "STR", "pushes": 1}
        outcome = push(roll("D:1 C:3"), roll("D:1 C:1"), context, {"max_pushes": 3})
        holds(outcome.facts, damage=1)
        assert outcome.push.reason is PushReason.NOTHING_TO_REROLL

    def test_a_jam_is_reported_on_demand(self) -> None:
        before, after = roll("D:2 a3"), roll("D:1 a1")
        holds(push(before, after, rulings={"jam_notice": True}).facts, notices=["possible_jam"])
        holds(push(before, after).facts, notices=[])

    @pytest.mark.parametrize(
        ("before", "after", "context", "reason"),
        [
            ("C:3 D:3", "C:6 D:3", {"passive": True}, "passive_roll"),
            ("C:3 D:3", "C:6 D:3", {"pushes": 1}, "already_pushed"),
            ("C:1 D:1", "C:1 D:1", {}, "nothing_to_reroll"),
            ("C:1 D:3", "C:2 D:3", {}, "locked_die_changed"),
            ("C:3 D:3", "C:3", {}, "wrong_dice_count"),
            ("C:3 D:3", "C:3 a3", {}, "wrong_role_count"),
            ("C:3 D:3", "B:3 D:3", {}, "wrong_role_count"),
            ("C:3 a3", "C:4 a3!", {}, "must_reroll_not_rolled"),
            ("C:7 a3", "C:7! a4", {}, "must_reroll_not_rolled"),
            ("C:3 a6", "C:3 a5", {}, "locked_die_changed"),
        ],
    )
    def test_wrong_play(self, before: str, after: str, context: dict[str, JsonValue], reason: str) -> None:
        illegal = SYSTEM.push(roll(before), roll(after), context, {})
        assert isinstance(illegal, IllegalPlay)
        assert illegal.reason == reason


class TestAdvance:
    def test_from_d_to_b_costs_25(self) -> None:
        context: dict[str, JsonValue] = {"from": "D", "to": "B", "costs": {"C": 10, "B": 15}}
        assert SYSTEM.answer("advance", {"context": context})["cost"] == 25

    @pytest.mark.parametrize(
        ("context", "cost"),
        [
            ({"to": "D"}, 5),
            ({"from": None, "to": "C"}, 15),
            ({"from": "B", "to": "A"}, 20),
            ({"from": "B", "to": "A", "costs": {"A": 25}}, 25),
            ({"specialty": True}, 10),
        ],
    )
    def test_prices(self, context: dict[str, JsonValue], cost: int) -> None:
        assert SYSTEM.answer("advance", {"context": context})["cost"] == cost

    def test_experience_has_to_be_there_where_it_is_known_and_is_paid(self) -> None:
        context: dict[str, JsonValue] = {"from": "D", "to": "C"}
        assert SYSTEM.answer("advance", {"context": {**context, "xp": 9}}) == {"illegal": "not_enough_xp", "cost": 10}
        answer = SYSTEM.answer("advance", {"context": {**context, "xp": 10}})
        done = [item for item in SYSTEM.consequences(answer, context) if not item.changes_nothing]
        assert done == [Consequence(Kind.XP, by=-10)]

    @pytest.mark.parametrize("context", [{}, {"from": "B", "to": "B"}, {"from": "A", "to": "D"}, {"to": "E"}])
    def test_nonsense_is_refused(self, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            SYSTEM.answer("advance", {"context": context})


class TestTasks:
    def ask(self, **context: JsonValue) -> Facts:
        return SYSTEM.answer("task", {"context": context})

    def test_season_and_terrain_add_up(self) -> None:
        holds(self.ask(task="foraging", season="winter", terrain="ruins"), modifier=-4, skill="survival", roll=True)
        holds(self.ask(task="scrounging", terrain="ruins", successes=2), modifier=2, amount=2)
        holds(self.ask(task="hunting", terrain="woods"), modifier=1, then=["recon", "ranged_attack"])

    def test_nothing_is_foraged_on_a_lake(self) -> None:
        holds(self.ask(task="foraging", terrain="lake"), roll=False, modifier=None)

    def test_keeping_watch_is_passive(self) -> None:
        holds(self.ask(task="keeping_watch"), passive=True, modifier=0)

    def test_a_grenade_brings_up_a_die_of_rations(self) -> None:
        facts = SYSTEM.answer("task", {"context": {"task": "grenade_fishing"}})
        assert facts == {"task": "grenade_fishing", "roll": False, "rations": "1d6"}

    def test_marching_needs_no_roll(self) -> None:
        holds(self.ask(task="marching", terrain="off_road"), roll=False, hexes=1)
        holds(self.ask(task="marching", terrain="road"), hexes=2)

    @pytest.mark.parametrize("context", [{}, {"task": "juggling"}, {"task": "foraging", "season": "monsoon"}])
    def test_nonsense_is_refused(self, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            SYSTEM.answer("task", {"context": context})
