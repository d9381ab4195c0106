"""hits-pool: the rule text's own examples, every rule id, every check and every ruling."""

import itertools

import pytest

from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.hits_checks import CHECKS
from rules.hits_pool import SYSTEM
from rules.sheet import Consequence, Kind
from rules.system import PushReason
from tests.rules.asking import asker, holds, scorer
from tests.rules.conftest import roll

ask = asker(SYSTEM)
score = scorer(SYSTEM)
SIX_DICE = "p5 p6 p1 p2 p3 p4"


class TestPool:
    def test_blind_behind_cover_and_tired_is_still_twenty(self) -> None:
        holds(ask("pool", pool=40, penalties=[6, 8, 6]), dice=20, chance_die=False, hit_on=5, total=20)

    @pytest.mark.parametrize(("pool", "dice"), [(45, 20), (21, 20), (20, 20), (19, 19), (1, 1)])
    def test_cap(self, pool: int, dice: int) -> None:
        holds(ask("pool", pool=pool), dice=dice, chance_die=False)

    @pytest.mark.parametrize("roll", ["dv", "soak", "DV"])
    def test_damage_and_soak_have_no_cap(self, roll: str) -> None:
        holds(ask("pool", pool=45, roll=roll), dice=45)
        holds(ask("pool", pool=45, roll="accuracy"), dice=20)

    @pytest.mark.parametrize("pool", [0, -3])
    def test_nothing_left_is_one_chance_die(self, pool: int) -> None:
        holds(ask("pool", pool=pool), dice=1, chance_die=True, hit_on=6)
        holds(ask("pool", pool=3, penalties=[5]), dice=1, chance_die=True)

    def test_exactly_nothing_where_the_table_reads_the_heading(self) -> None:
        holds(ask("pool", {"chance_die": "below_zero"}, pool=0), dice=0, chance_die=False)
        holds(ask("pool", {"chance_die": "below_zero"}, pool=-1), dice=1, chance_die=True)

    @pytest.mark.parametrize(
        ("agility", "floor", "nearest", "up"), [(5, 2, 2, 2), (6, 2, 2, 3), (7, 2, 3, 3), (8, 3, 3, 3)]
    )
    def test_dodge(self, agility: int, floor: int, nearest: int, up: int) -> None:
        for rounding, dice in (("floor", floor), ("nearest", nearest), ("up", up)):
            holds(ask("pool", {"dodge_rounding": rounding}, roll="dodge", agility=agility), dice=dice)

    def test_what_hits(self) -> None:
        holds(ask("pool", {"hit_on": 4}, pool=5), hit_on=4)
        holds(ask("pool", {"hit_on": 4}, pool=0), hit_on=6)

    @pytest.mark.parametrize("context", [{}, {"pool": 2.5}, {"pool": 4, "penalties": [-1]}, {"pool": 5, "roll": 3}])
    def test_nonsense_is_refused(self, context: dict[str, object]) -> None:
        with pytest.raises(BadRequest):
            ask("pool", **context)


class TestSplit:
    @pytest.mark.parametrize(
        ("pool", "parts", "expected"),
        [(11, 2, [5, 6]), (12, 3, [4, 4, 4]), (11, 3, [3, 4, 4]), (45, 2, [20, 20]), (5, 1, [5]), (1, 2, [0, 1])],
    )
    def test_as_even_as_it_goes(self, pool: int, parts: int, expected: list[int]) -> None:
        holds(ask("split", pool=pool, parts=parts), parts=expected)

    def test_a_part_of_nothing_is_a_chance_die(self) -> None:
        holds(ask("split", pool=1, parts=2), dice=[1, 1], chance_dice=[True, False])

    @pytest.mark.parametrize("rulings", [{}, {"chance_die": "below_zero"}])
    @pytest.mark.parametrize("pool", [-3, 0, 3])
    def test_one_part_is_the_pool(self, pool: int, rulings: dict[str, object]) -> None:
        whole = ask("pool", rulings, pool=pool, penalties=[1])
        parts = ask("split", rulings, pool=pool, penalties=[1], parts=1)
        holds(parts, dice=[whole["dice"]], chance_dice=[whole["chance_die"]])

    def test_parts_of_less_than_nothing(self) -> None:
        holds(ask("split", pool=1, penalties=[3], parts=2), parts=[0, 0], dice=[1, 1], chance_dice=[True, True])
        below = {"chance_die": "below_zero"}
        holds(ask("split", below, pool=1, penalties=[3], parts=2), dice=[1, 1], chance_dice=[True, True])
        holds(ask("split", below, pool=1, penalties=[1], parts=2), dice=[0, 0], chance_dice=[False, False])

    def test_penalties_before_or_for_each_part(self) -> None:
        holds(ask("split", pool=11, parts=2, penalties=[3]), parts=[4, 4])
        holds(ask("split", {"split_penalties": "per_part"}, pool=11, parts=2, penalties=[3]), parts=[2, 3])

    @pytest.mark.parametrize("parts", [0, -1, 101, None])
    def test_nonsense_is_refused(self, parts: object) -> None:
        with pytest.raises(BadRequest):
            ask("split", pool=11, parts=parts)


class TestScore:
    def test_every_roll_of_up_to_four_dice(self) -> None:
        """Every ordered roll against every threshold, compared with the rules in their simplest form."""
        for size in range(1, 5):
            for faces in itertools.product(range(1, 7), repeat=size):
                dice = tuple(Die(f"d{n}", Role.PLAIN, face) for n, face in enumerate(faces))
                hits = faces.count(5) + faces.count(6)
                for threshold in range(4):
                    facts = score(dice, threshold=threshold).facts
                    assert facts["hits"] == hits
                    assert facts["outcome"] == ("fail", "draw", "success")[(hits >= threshold) + (hits > threshold)]
                    assert (facts["net_hits"], facts["net_misses"]) == (
                        max(hits - threshold, 0),
                        max(threshold - hits, 0),
                    )
                    assert facts["critical_hit"] is (faces.count(6) >= 2 and faces.count(6) >= size / 2)
                    assert facts["critical_miss"] is (faces.count(1) >= size / 2 or (size >= 4 and hits == 0))

    @pytest.mark.parametrize(
        ("threshold", "outcome", "meets", "net"),
        [(3, "fail", False, (0, 1)), (2, "draw", True, (0, 0)), (1, "success", True, (1, 0))],
    )
    def test_the_willpower_save_of_the_text(
        self, threshold: int, outcome: str, meets: bool, net: tuple[int, int]
    ) -> None:
        facts = score(roll(SIX_DICE), threshold=threshold).facts
        holds(facts, hits=2, outcome=outcome, meets_threshold=meets, net_hits=net[0], net_misses=net[1])

    def test_without_a_threshold_only_hits_are_reported(self) -> None:
        outcome = score(roll(SIX_DICE))
        holds(outcome.facts, hits=2, outcome=None, meets_threshold=None)
        assert outcome.success is None
        assert outcome.push.reason is PushReason.SYSTEM_HAS_NO_PUSH

    @pytest.mark.parametrize(("face", "hits"), [(6, 1), (5, 0), (1, 0)])
    def test_a_chance_die_hits_on_six_alone(self, face: int, hits: int) -> None:
        holds(score(roll(f"p{face}"), chance_die=True, threshold=1).facts, hits=hits, critical_hit=False)

    def test_a_chance_dies_one_is_a_critical_miss(self) -> None:
        holds(score(roll("p1"), chance_die=True).facts, critical_miss=True)

    @pytest.mark.parametrize(
        ("dice", "threshold", "hit", "miss"),
        [
            ("p6 p6 p2 p3", 2, True, False),
            ("p6 p6 p2 p3 p4", 1, False, False),
            ("p6 p6 p6 p3 p4", 1, True, False),
            ("p6", 1, False, False),
            ("p6 p2", 1, False, False),
            ("p5 p5 p5 p5 p5 p5 p2", 0, True, False),
            ("p5 p5 p5 p5 p5 p5 p2", 1, False, False),
            ("p2 p3 p4 p2", 1, False, True),
            ("p2 p3 p4", 1, False, False),
            ("p1 p5", 1, False, True),
            ("p1 p5 p5", 1, False, False),
            ("p6 p6 p1 p1", 2, True, True),
            ("p6 p6 p2 p2", 5, True, False),
        ],
    )
    def test_criticals(self, dice: str, threshold: int, hit: bool, miss: bool) -> None:
        holds(score(roll(dice), threshold=threshold).facts, critical_hit=hit, critical_miss=miss)

    def test_rulings_on_criticals(self) -> None:
        holds(score(roll("p6 p6 p2 p3 p4"), {"half": "rounded_down"}).facts, critical_hit=True)
        holds(score(roll("p3"), {"half": "rounded_down"}).facts, critical_miss=False)
        holds(score(roll("p1"), {"critical_miss_dice": 2}).facts, critical_miss=False)
        holds(score(roll("p1 p3"), {"critical_miss_dice": 2}).facts, critical_miss=True)
        cancelled = score(roll("p6 p6 p1 p1"), {"both_criticals": "cancel"}, threshold=2).facts
        holds(cancelled, critical_hit=False, critical_miss=False)
        holds(score(roll("p6 p6 p2 p2"), {"critical_hit_on_fail": False}, threshold=5).facts, critical_hit=False)

    def test_rulings_on_hits_and_draws(self) -> None:
        holds(score(roll(SIX_DICE), {"hit_on": 4}).facts, hits=3)
        holds(score(roll(SIX_DICE), {"hit_on": 6}).facts, hits=1)
        beaten = score(roll(SIX_DICE), {"draw_meets_threshold": False}, threshold=2)
        holds(beaten.facts, outcome="draw", meets_threshold=False)
        assert beaten.success is False

    def test_nonsense_is_refused(self) -> None:
        with pytest.raises(BadRequest, match="threshold is -1"):
            score(roll("p5"), threshold=-1)
        with pytest.raises(BadRequest, match="chance die"):
            score(roll("p5 p5"), chance_die=True)
        with pytest.raises(BadRequest, match="12 sides"):
            score(roll("A:7"))
        with pytest.raises(BadRequest, match="no dice"):
            score(())


class TestTestsOfSeveralRolls:
    def test_the_explosive_of_the_text(self) -> None:
        holds(ask("extended", rolls=[4, 5, 3], target=12, limit=5), total=12, checks=3, done=True, failed=False)
        holds(ask("extended", rolls=[2, 2, 2, 2, 2], target=12, limit=5), total=10, done=False, failed=True)
        holds(ask("extended", rolls=[2, 2, 2, 2, 2, 9], target=12, limit=5), total=10, checks=5, failed=True)
        holds(ask("extended", rolls=[4], target=12, limit=5), done=False, failed=False, remaining=8, checks_left=4)

    def test_a_disease_of_three_after_two_hits_is_one(self) -> None:
        holds(ask("extended", rolls=[2], target=3), remaining=1, failed=False, checks_left=None)

    def test_rolls_after_the_end_do_not_count(self) -> None:
        holds(ask("extended", rolls=[4, 4, 4], target=5), total=8, checks=2, done=True)

    def test_a_group_in_an_extended_test(self) -> None:
        holds(ask("extended", rolls=[[1, 2], 3], target=6), total=6, checks=2, done=True)

    def test_two_lift_a_door(self) -> None:
        holds(ask("group", rolls=[3, 4], threshold=6), total=7, outcome="success")
        holds(ask("group", rolls=[3, 3], threshold=6), total=6, outcome="draw")
        holds(ask("group", rolls=[3], threshold=6), total=3, outcome="fail")
        holds(ask("group", rolls=[3]), total=3, outcome=None)

    def test_a_draw_of_a_group_has_to_be_beaten_where_the_table_says_so(self) -> None:
        holds(ask("group", rolls=[3, 3], threshold=6), meets_threshold=True)
        beaten = {"draw_meets_threshold": False}
        holds(ask("group", beaten, rolls=[3, 3], threshold=6), outcome="draw", meets_threshold=False)
        holds(ask("group", beaten, rolls=[3, 4], threshold=6), meets_threshold=True)

    @pytest.mark.parametrize(("side", "other", "result"), [(4, 2, "win"), (2, 2, "draw"), (1, 2, "lose")])
    def test_sneaking_past_a_guard(self, side: int, other: int, result: str) -> None:
        holds(ask("opposed", side=side, other=other), result=result, partial_for_both=result == "draw")

    @pytest.mark.parametrize(
        ("hits", "hit", "dv"), [(5, True, 9), (3, True, 7), (2, False, 0)], ids=["two net hits", "a draw", "a miss"]
    )
    def test_attack(self, hits: int, hit: bool, dv: int) -> None:
        holds(ask("attack", hits=hits, threshold=3, dv=7), hit=hit, dv=dv)

    @pytest.mark.parametrize(
        ("op", "context"),
        [
            ("extended", {"rolls": [1]}),
            ("extended", {"rolls": [-1], "target": 3}),
            ("extended", {"rolls": [[1, "2"]], "target": 3}),
            ("extended", {"rolls": 4, "target": 3}),
            ("group", {"rolls": [1], "threshold": -1}),
            ("opposed", {"side": 1}),
            ("attack", {"hits": 1, "threshold": 1}),
        ],
    )
    def test_nonsense_is_refused(self, op: str, context: dict[str, object]) -> None:
        with pytest.raises(BadRequest, match="context"):
            ask(op, **context)


class TestFallingAndMarching:
    @pytest.mark.parametrize(
        ("metres", "hits", "soft", "dv", "standing"),
        [
            (8, 3, False, 5, False),
            (8, 8, False, 0, True),
            (8, 9, False, 0, True),
            (2, 0, False, 0, True),
            (3, 0, False, 3, False),
            (8, 0, True, 4, False),
            (9, 0, True, 4, False),
            (100, 0, False, 60, False),
            (100, 10, False, 60, False),
            (200, 0, True, 60, False),
            (3, 2, True, 0, True),
        ],
    )
    def test_falling(self, metres: int, hits: int, soft: bool, dv: int, standing: bool) -> None:
        holds(ask("falling", metres=metres, hits=hits, soft=soft), dv=dv, standing=standing)

    def test_half_a_point_of_a_soft_fall(self) -> None:
        holds(ask("falling", {"soft_fall_rounding": "up"}, metres=9, soft=True), dv=5)

    @pytest.mark.parametrize(("units", "thresholds"), [(14, [1, 2, 3, 4]), (11, [1]), (10, []), (0, [])])
    def test_forced_march(self, units: int, thresholds: list[int]) -> None:
        holds(ask("march", units=units), thresholds=thresholds, rider_thresholds=[value - 1 for value in thresholds])

    @pytest.mark.parametrize("units", [-1, 1000, None, "14"])
    def test_nonsense_is_refused(self, units: object) -> None:
        with pytest.raises(BadRequest):
            ask("march", units=units)


class TestChecks:
    @pytest.mark.parametrize(
        ("name", "case", "draw", "fail"),
        [
            ("forced_march", None, "temporary", "short"),
            ("suffocation", None, None, "short"),
            ("elements", "freezing", "short", "long"),
            ("radiation", None, "short", "long"),
            ("starvation", None, None, "short"),
            ("dehydration", "hot", None, "long"),
            ("sleep_deprivation", None, "temporary", "short"),
            ("scrapes", None, "temporary", "short"),
            ("pit", None, "short", "long"),
            ("strenuous", None, None, None),
            ("disease_1", None, "temporary", "short"),
            ("disease_4", None, "short", "long"),
        ],
    )
    def test_fatigue(self, name: str, case: str | None, draw: str | None, fail: str | None) -> None:
        for hits, outcome, fatigue in ((3, "success", None), (2, "draw", draw), (1, "fail", fail)):
            facts = ask("check", check=name, case=case, threshold=2, hits=hits)
            holds(facts, outcome=outcome, fatigue=fatigue)

    def test_heat_and_cold_know_their_thresholds(self) -> None:
        holds(ask("check", check="elements", case="sub_zero"), threshold=3, checks_a_day=4)
        holds(ask("check", check="elements", case="hot"), threshold=1, checks_a_day=1)

    def test_rising_checks_start_at_one_and_rise(self) -> None:
        holds(ask("check", check="starvation", hits=0), threshold=1, threshold_next=2, outcome="fail")
        holds(ask("check", check="suffocation", attempt=3, hits=3), threshold=3, outcome="draw", fatigue=None)

    def test_a_mount_pays_in_hit_points(self) -> None:
        for hits, lost in ((2, 0), (1, 1), (0, 2)):
            holds(ask("check", check="forced_march", attempt=1, hits=hits), mount_hp_lost=lost)

    def test_radiation_stays_and_may_kill(self) -> None:
        holds(ask("check", check="radiation", threshold=2, hits=5), irradiated=True, fatigue=None)
        holds(ask("check", check="radiation_damage", threshold=2, hits=1), dies=True, savvy_roll=False)
        holds(ask("check", check="radiation_damage", threshold=2, hits=2), dies=False, savvy_roll=True)

    def test_fear_is_fled_for_net_misses(self) -> None:
        holds(ask("check", check="fear", threshold=3, hits=2), net_misses=1, outcome="fail")

    def test_first_contact_with_a_disease(self) -> None:
        holds(ask("check", check="disease_contact", threshold=2, hits=3), ill=False, threshold_next=2)
        holds(ask("check", check="disease_contact", threshold=2, hits=2), ill=False, threshold_next=3)
        holds(ask("check", check="disease_contact", threshold=2, hits=1), ill=True)

    def test_a_disease_wears_off(self) -> None:
        holds(ask("check", check="disease_3", threshold=3, hits=4), threshold_next=2, cured=False)
        holds(ask("check", check="disease_3", threshold=3, hits=2, medic_hits=2), threshold_next=2, outcome="success")
        holds(ask("check", check="disease_3", threshold=1, hits=2), threshold_next=0, cured=False)
        holds(ask("check", check="disease_3", threshold=0, hits=1), cured=True)
        holds(ask("check", {"disease_cured": "at_zero"}, check="disease_3", threshold=1, hits=2), cured=True)
        holds(ask("check", check="disease_3", threshold=3, hits=3), threshold_next=3, cured=False, fatigue="short")

    def test_rulings_on_checks(self) -> None:
        draw = {"check": "starvation", "threshold": 2, "hits": 2}
        holds(ask("check", **draw), fatigue=None, ability="endurance")
        rulings = {"unstated_draw": "as_fail", "elements_ability": "body"}
        holds(ask("check", rulings, **draw), fatigue="short", ability="body")
        holds(ask("check", rulings, check="scrapes", threshold=2, hits=2), fatigue="temporary", ability="athletics")

    def test_every_check_answers_with_its_ability(self) -> None:
        for name, check in CHECKS.items():
            holds(ask("check", check=name, threshold=2), ability=check.ability, threshold=2)

    @pytest.mark.parametrize(
        "context", [{}, {"check": "boredom"}, {"check": "scrapes"}, {"check": "elements", "case": "x"}]
    )
    def test_nonsense_is_refused(self, context: dict[str, object]) -> None:
        with pytest.raises(BadRequest):
            ask("check", **context)


class TestRecovery:
    def test_a_breather_spends_allocated_dice(self) -> None:
        facts = ask("recovery", rest="breather", rate=2, pool=6, hp_dice=3, power_dice=2, hp_hits=2, power_hits=1)
        holds(facts, hp=2, power=3, pool=1, recovers={"temporary": 1, "short": 0}, breathers_left=2)

    def test_three_breathers_a_day(self) -> None:
        assert ask("recovery", rest="breather", breathers_taken=3) == {"illegal": "no_breather_left"}

    def test_sleep(self) -> None:
        facts = ask("recovery", rest="sleep", rate=4)
        holds(facts, hp=4, power="full", recovers={"temporary": "all", "short": 1})

    def test_sleep_spends_what_is_left_of_the_pool(self) -> None:
        facts = ask("recovery", rest="sleep", rate=2, pool=4, hp_dice=3, hp_hits=2, power_dice=1, power_hits=1)
        assert facts == {"hp": 4, "power": "full", "recovers": {"temporary": "all", "short": 1}, "pool": "full"}

    @pytest.mark.parametrize("rest", ["breather", "sleep"])
    def test_the_most_that_a_rest_gives_back_reaches_a_sheet(self, rest: str) -> None:
        dice = {"hp_dice": 30, "hp_hits": 30, "power_dice": 30, "power_hits": 30}
        facts = ask("recovery", rest=rest, rate=1000, pool=60, **dice)
        assert Consequence(Kind.HP if rest == "sleep" else Kind.POWER, by=1030) in SYSTEM.consequences(facts, {})

    @pytest.mark.parametrize(
        "context",
        [
            {},
            *(
                {"rest": rest, "pool": 2, **spent}
                for rest in ("breather", "sleep")
                for spent in ({"hp_dice": 3}, {"hp_dice": 1, "power_dice": 2}, {"hp_hits": 1})
            ),
        ],
    )
    def test_nonsense_is_refused(self, context: dict[str, object]) -> None:
        with pytest.raises(BadRequest):
            ask("recovery", **context)
