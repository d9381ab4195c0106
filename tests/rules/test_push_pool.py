"""push-pool: the rule text's own examples by name, every rule id, every ruling."""

import itertools

import pytest

from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.facts import JsonValue
from rules.push_pool import RULINGS, SYSTEM
from rules.system import Facts, IllegalPlay, PushReason
from tests.rules.asking import holds, pusher, scorer
from tests.rules.conftest import roll

score = scorer(SYSTEM)
push = pusher(SYSTEM)
FACES = range(1, 7)


def pool(rulings: dict[str, JsonValue] | None = None, **context: JsonValue) -> Facts:
    return SYSTEM.answer("pool", {"context": context, "rulings": rulings or {}})


class TestPool:
    def test_kay_sneaks_up_to_the_ghouls(self) -> None:
        holds(pool(attribute=5, skill=2), base=5, skill=2, gear=0, negative=0, can_roll=True, warnings=[])

    def test_angus_and_the_trailer_is_hard(self) -> None:
        holds(pool(attribute=5, skill=1, modifiers=[-2]), base=5, skill=0, negative=1)

    def test_modifications_add_up_before_they_touch_skill_dice(self) -> None:
        holds(pool(attribute=3, skill=1, modifiers=[2, -1]), skill=2, negative=0)

    def test_exactly_zero_skill_dice_is_neither_skill_nor_negative(self) -> None:
        holds(pool(attribute=3, skill=2, modifiers=[-2], gear=[1]), base=3, skill=0, negative=0, gear=1)

    def test_kay_climbs_with_help(self) -> None:
        holds(pool(attribute=3, skill=1, helpers=1), skill=2, warnings=[])

    def test_three_helpers_help_and_a_fourth_does_not(self) -> None:
        holds(pool(attribute=3, skill=1, helpers=3), skill=4, warnings=[])
        holds(pool(attribute=3, skill=1, helpers=4), skill=4, warnings=["too_many_helpers"])

    def test_a_specialist_has_no_helpers_but_other_modifications_count(self) -> None:
        holds(
            pool(attribute=3, skill=1, helpers=2, specialist=True, modifiers=[1]),
            skill=2,
            can_roll=True,
            warnings=["help_on_specialist"],
        )

    def test_an_untrained_specialist_cannot_roll(self) -> None:
        holds(pool(attribute=3, skill=0, specialist=True), can_roll=False, reason="specialist_untrained")
        holds(pool(attribute=3, skill=1, specialist=True), can_roll=True, reason=None)

    def test_only_the_best_of_two_objects_counts(self) -> None:
        holds(pool(attribute=3, skill=1, gear=[1, 3]), gear=3, warnings=["one_gear_only"])
        holds(pool(attribute=3, skill=1, gear=[2]), gear=2, warnings=[])

    def test_a_broken_hero_cannot_roll_unless_the_table_lets_him(self) -> None:
        holds(pool(attribute=0, skill=2), can_roll=False, reason="broken")
        holds(pool({"broken_may_roll": True}, attribute=0, skill=2), can_roll=True, reason=None, base=0, skill=2)

    def test_where_no_skill_fits_only_base_dice_are_rolled(self) -> None:
        holds(pool(attribute=4, skill=None), base=4, skill=0, gear=0, negative=0, warnings=[])
        holds(pool(attribute=4, skill=None, gear=[2]), base=4, gear=0, warnings=["base_dice_only"])

    def test_skill_level_zero_still_takes_gear(self) -> None:
        holds(pool(attribute=4, skill=0, gear=[2]), base=4, skill=0, gear=2)

    @pytest.mark.parametrize(
        ("name", "attribute"), [("Stealth", "AGL"), ("Endure", "STR"), ("Lore", "WIT"), ("Sense", "EMP")]
    )
    def test_a_skill_names_its_attribute(self, name: str, attribute: str) -> None:
        holds(pool(attribute=3, skill=1, skill_name=name), attribute_name=attribute)

    def test_difficulty_is_one_more_modification_and_is_named_on_demand(self) -> None:
        holds(pool(attribute=3, skill=1, difficulty=-3), negative=2)
        assert "difficulty" not in pool(attribute=3, skill=1, difficulty=-3)
        holds(pool({"difficulty_names": True}, attribute=3, skill=1, difficulty=-2), difficulty="hard")

    @pytest.mark.parametrize(
        "context",
        [
            {},
            {"attribute": -1},
            {"attribute": 99},
            {"attribute": True},
            {"attribute": "3"},
            {"attribute": 3, "gear": 2},
        ],
    )
    def test_nonsense_is_refused(self, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest, match=r"^context\."):
            SYSTEM.answer("pool", {"context": context})

    def test_a_pool_that_cannot_be_thrown_is_refused(self) -> None:
        with pytest.raises(BadRequest, match="comes to 85 dice"):
            pool(attribute=5, skill=0, modifiers=[-20, -20, -20, -20])


class TestScore:
    def test_every_roll_of_up_to_four_dice(self) -> None:
        """Perft for dice: every role and face is compared with the rules in their simplest form."""
        kinds = [(role, face) for role in (Role.BASE, Role.SKILL, Role.GEAR, Role.NEGATIVE) for face in FACES]
        seen = 0
        for size in range(1, 5):
            for combination in itertools.combinations_with_replacement(kinds, size):
                dice = tuple(Die(f"d{n}", role, face) for n, (role, face) in enumerate(combination))
                outcome = score(dice)
                good = sum(1 for role, face in combination if face == 6 and role is not Role.NEGATIVE)
                bad = sum(1 for role, face in combination if face == 6 and role is Role.NEGATIVE)
                successes = good - bad if good > bad else 0
                stays = [
                    f"d{n}"
                    for n, (role, face) in enumerate(combination)
                    if face == 6 or (face == 1 and role in (Role.BASE, Role.GEAR))
                ]
                goes = [die.id for die in dice if die.id not in stays]
                assert outcome.facts["successes"] == successes
                assert outcome.facts["stunts"] == max(successes - 1, 0)
                assert outcome.success is (successes >= 1)
                assert (list(outcome.locked), list(outcome.must_reroll)) == (stays, goes)
                assert outcome.push.eligible is bool(goes)
                seen += 1
        assert seen == 24 + 300 + 2600 + 17550

    def test_angus_sees_his_six_eaten_by_the_negative_die(self) -> None:
        outcome = score(roll("b6 b2 b3 b4 b5 n6"))
        holds(outcome.facts, sixes=1, negative_sixes=1, successes=0, success=False)
        assert outcome.locked == ("b1", "n1")
        assert outcome.push.eligible

    def test_more_negative_sixes_than_sixes_is_still_zero(self) -> None:
        holds(score(roll("b6 n6 n6")).facts, successes=0, stunts=0)

    def test_ones_cost_nothing_on_the_first_throw(self) -> None:
        facts = score(roll("b1 b1 g1")).facts
        holds(facts, base_ones=2, gear_ones=1, notices=[])
        assert "trauma" not in facts

    def test_a_success_may_be_pushed_too(self) -> None:
        assert score(roll("b6 b2")).push.reason is PushReason.OK

    def test_nothing_to_reroll(self) -> None:
        assert score(roll("b6 b1 g1 s6 n6")).push.reason is PushReason.NOTHING_TO_REROLL

    def test_already_pushed(self) -> None:
        assert score(roll("b2"), pushes=1).push.reason is PushReason.ALREADY_PUSHED

    @pytest.mark.parametrize(
        ("dice", "botch", "severity"),
        [("p1 p1 p3", True, 2), ("p2 p3", False, 0), ("p1 p6", False, 0), ("p1", True, 1), ("b1 b1", False, 0)],
    )
    def test_botch_of_plain_dice(self, dice: str, botch: bool, severity: int) -> None:
        holds(score(roll(dice)).facts, botch=botch, botch_severity=severity)

    def test_roles_and_shapes_of_other_systems_are_refused(self) -> None:
        with pytest.raises(BadRequest, match="role ammo"):
            score(roll("a1"))
        with pytest.raises(BadRequest, match="8 sides"):
            score(roll("C:7"))
        with pytest.raises(BadRequest, match="no dice"):
            score(())


class TestPush:
    def test_angus_pushes_on(self) -> None:
        outcome = push(roll("b6 b2 b3 b4 b5 n6"), roll("b6 b6 b3 b1 b4 n6"), {"attribute": 5, "attribute_name": "STR"})
        holds(outcome.facts, successes=1, stunts=0, trauma=1, trauma_type="damage", attribute_after=4, broken=False)
        assert outcome.push.reason is PushReason.ALREADY_PUSHED

    @pytest.mark.parametrize(
        ("name", "trauma_type"), [("STR", "damage"), ("AGL", "fatigue"), ("WIT", "confusion"), ("EMP", "doubt")]
    )
    def test_trauma_by_attribute(self, name: str, trauma_type: str) -> None:
        facts = push(roll("b2 b3"), roll("b1 b4"), {"attribute": 2, "attribute_name": name}).facts
        holds(facts, trauma=1, trauma_type=trauma_type, attribute_after=1)

    def test_ones_of_the_first_throw_are_paid_with_the_push(self) -> None:
        holds(push(roll("b1 b3 g1"), roll("b1 b6 g1")).facts, trauma=1, gear_damage=1, success=True)

    def test_an_attribute_at_zero_is_broken_and_never_lower(self) -> None:
        holds(
            push(roll("b2 b2 b2"), roll("b1 b1 b1"), {"attribute": 2}).facts, attribute_after=0, broken=True, trauma=3
        )

    def test_without_a_context_the_dice_report_attribute_and_bonus(self) -> None:
        holds(
            push(roll("b2 b2 g3"), roll("b1 b4 g1")).facts,
            attribute_after=1,
            broken=False,
            gear_bonus_after=0,
            gear_broken=True,
            trauma_type=None,
        )

    def test_gear_loses_a_point_for_each_one_down_to_nothing(self) -> None:
        holds(
            push(roll("b5 g1 g6 g3"), roll("b2 g1 g6 g1"), {"gear_bonus": 3}).facts,
            gear_damage=2,
            gear_bonus_after=1,
            gear_broken=False,
        )
        holds(push(roll("b5 g3 g3"), roll("b5 g1 g1"), {"gear_bonus": 1}).facts, gear_bonus_after=0, gear_broken=True)

    def test_full_auto_is_pushed_again_and_pays_only_new_ones(self) -> None:
        first = {"attribute": 4, "gear_bonus": 2, "full_auto": True}
        outcome = push(roll("b2 b3 b4 b5 g2 g3"), roll("b1 b3 b4 b6 g1 g3"), first)
        holds(outcome.facts, trauma=1, attribute_after=3, gear_damage=1, gear_bonus_after=1)
        assert outcome.push.eligible
        second = {"attribute": 3, "gear_bonus": 1, "full_auto": True, "pushes": 1, "trauma_already": 1}
        outcome = push(roll("b1 b3 b4 b6 g1 g3"), roll("b1 b1 b6 b6 g1 g2"), second)
        holds(outcome.facts, trauma=1, attribute_after=2, gear_damage=0, gear_bonus_after=1, trauma_total=2)

    def test_full_auto_knows_what_is_paid_by_what_lies_locked(self) -> None:
        facts = push(roll("b1 b3"), roll("b1 b1"), {"full_auto": True, "pushes": 3, "attribute": 1}).facts
        holds(facts, trauma=1, attribute_after=0, broken=True)

    def test_full_auto_stops_at_its_guard(self) -> None:
        context = {"full_auto": True, "pushes": 9}
        assert push(roll("b2"), roll("b3"), context).push.reason is PushReason.ALREADY_PUSHED
        illegal = SYSTEM.push(roll("b2"), roll("b3"), {"full_auto": True, "pushes": 10}, {})
        assert illegal == IllegalPlay("already_pushed")
        assert SYSTEM.push(roll("b2"), roll("b3"), {"full_auto": True, "pushes": 2}, {"full_auto_pushes": 2}) == illegal

    def test_a_locked_die_that_moved_to_another_place_is_no_offence(self) -> None:
        holds(push(roll("b6 b2 b3"), roll("b2 b6 b4")).facts, successes=1)

    @pytest.mark.parametrize(
        ("before", "after", "reason", "dice"),
        [
            ("b6 b1", "b6 b1", "nothing_to_reroll", ()),
            ("b6 b2 b3", "b6 b2", "wrong_dice_count", ("b3",)),
            ("b6 b2", "b6 b2 b3", "wrong_dice_count", ("b3",)),
            ("b2 s3", "b2 b3", "wrong_role_count", ("b2",)),
            ("b6 b2 g3", "b5 b2 g6", "locked_die_changed", ("b1",)),
            ("b1 b2", "b3 b4", "locked_die_changed", ("b1",)),
            ("g1 g6 b2", "g1 g5 b2", "locked_die_changed", ("g2",)),
            ("n6 b2", "n5 b2", "locked_die_changed", ("n1",)),
            ("b6 b6 b2", "b6 b4 b2", "locked_die_changed", ("b2",)),
            ("b6 b2 g4", "b6 b3 g4!", "must_reroll_not_rolled", ("g1",)),
            ("b6 b2 s1", "b6! b2! s1!", "must_reroll_not_rolled", ("b2", "s1")),
        ],
    )
    def test_wrong_play_is_named_with_its_dice(
        self, before: str, after: str, reason: str, dice: tuple[str, ...]
    ) -> None:
        illegal = SYSTEM.push(roll(before), roll(after), {}, {})
        assert isinstance(illegal, IllegalPlay)
        assert illegal.reason == reason
        assert illegal.dice == dice

    def test_the_answer_carries_the_reason_and_the_dice(self) -> None:
        request: dict[str, JsonValue] = {
            "dice": [{"id": "x", "role": "base", "value": 6}, {"id": "y", "role": "base", "value": 3}],
            "after_push": [{"id": "x", "role": "base", "value": 2}, {"id": "y", "role": "base", "value": 3}],
        }
        assert SYSTEM.answer("push", request) == {"illegal": "locked_die_changed", "dice": ["x"]}

    def test_a_tracker_that_calls_a_still_die_by_a_new_name_is_believed(self) -> None:
        before = (Die("old", Role.BASE, 4), Die("other", Role.BASE, 2))
        after = (Die("new", Role.BASE, 4, moved=False), Die("other", Role.BASE, 2, moved=True))
        assert SYSTEM.push(before, after, {}, {}) == IllegalPlay("must_reroll_not_rolled", ("new",))


class TestRepair:
    @pytest.mark.parametrize(
        ("bonus", "success", "expected"),
        [
            (1, True, {"bonus": 3, "max": 3, "destroyed": False}),
            (0, True, {"bonus": 3, "max": 3, "destroyed": False}),
            (1, False, {"bonus": 1, "max": 1, "destroyed": False}),
            (0, False, {"bonus": 0, "max": 0, "destroyed": True}),
        ],
    )
    def test_crafts(self, bonus: int, success: bool, expected: Facts) -> None:
        context: dict[str, JsonValue] = {"bonus": bonus, "max": 3, "crafts_success": success}
        assert SYSTEM.answer("repair", {"context": context}) == expected

    @pytest.mark.parametrize("context", [{"bonus": 4, "max": 3, "crafts_success": True}, {"bonus": 1, "max": 3}])
    def test_nonsense_is_refused(self, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            SYSTEM.answer("repair", {"context": context})


class TestRulings:
    def test_skill_ones_locked(self) -> None:
        assert score(roll("s1 b2")).must_reroll == ("s1", "b1")
        assert score(roll("s1 b2"), rulings={"skill_ones_locked": True}).locked == ("s1",)

    def test_plain_ones_locked(self) -> None:
        assert score(roll("p1 p2")).locked == ("p1",)
        assert score(roll("p1 p2"), rulings={"plain_ones_locked": False}).locked == ()

    def test_trauma_gives_point(self) -> None:
        facts = push(roll("b2 b2"), roll("b1 b1"), rulings={"trauma_gives_point": True}).facts
        holds(facts, trauma=2, resource_points=2)

    def test_unpushed_gear_notice(self) -> None:
        rulings = {"unpushed_gear_notice": True}
        holds(score(roll("g1"), rulings=rulings).facts, notices=["gear_one_on_first_throw"])
        holds(push(roll("g2"), roll("g1"), rulings=rulings).facts, notices=[])

    def test_opposed_rolls(self) -> None:
        context = {"opponent_successes": 1}
        holds(score(roll("b6 b6"), **context).facts, successes=2)
        holds(score(roll("b6 b6"), {"opposed_rolls": True}, **context).facts, successes=1, stunts=0, success=True)
        assert score(roll("b6"), {"opposed_rolls": True}, **context).success is False

    def test_published_odds(self) -> None:
        request: dict[str, JsonValue] = {"pool": {"base": 2, "skill": 1}}
        assert "published_percent_if_pushed" not in SYSTEM.odds(request)
        assert SYSTEM.odds({**request, "rulings": {"published_odds": True}})["published_percent_if_pushed"] == 64
        large: dict[str, JsonValue] = {"pool": {"base": 11}, "rulings": {"published_odds": True}}
        assert SYSTEM.odds(large)["published_percent_if_pushed"] is None

    @pytest.mark.parametrize(
        "rulings",
        [{"skil_ones_locked": True}, {"skill_ones_locked": 1}, {"full_auto_pushes": 0}, {"full_auto_pushes": 11}],
    )
    def test_an_unknown_ruling_or_choice_is_refused(self, rulings: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest, match="ruling"):
            score(roll("b2"), rulings=rulings)

    def test_every_default_is_a_choice(self) -> None:
        for ruling in RULINGS:
            assert ruling.default in ruling.choices or not ruling.choices
