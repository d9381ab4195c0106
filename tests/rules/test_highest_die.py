"""highest-die: every rule id, every kind of harm, every ruling."""

import itertools

import pytest

from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.highest_die import SYSTEM
from rules.sheet import Consequence, Kind
from tests.rules.asking import asker, holds, scorer
from tests.rules.conftest import roll

ask = asker(SYSTEM)
score = scorer(SYSTEM)


class TestPool:
    def test_grit_prices(self) -> None:
        holds(ask("pool", attribute=2, grit=6, own_dice=1), dice=3, grit_after=4, zero_dice=False)
        holds(ask("pool", attribute=2, grit=6, own_dice=3), dice=5, grit_after=0)
        holds(ask("pool", attribute=2, grit=2, own_dice=2, roll="resistance"), dice=4, grit_after=0)
        holds(ask("pool", attribute=1, grit=0, team_dice=2, payer_grit=3), dice=3, grit_after=0, payer_grit_after=1)
        holds(ask("pool", attribute=1, team_dice=1), dice=2, grit_after=6, payer_grit_after=None)

    @pytest.mark.parametrize(
        "context",
        [
            {"attribute": 2, "grit": 1, "own_dice": 1},
            {"attribute": 2, "grit": 5, "own_dice": 3},
            {"attribute": 2, "grit": 0, "own_dice": 1, "roll": "resistance"},
            {"attribute": 2, "grit": 6, "team_dice": 1, "payer_grit": 0},
        ],
    )
    def test_grit_never_falls_below_nothing(self, context: dict[str, JsonValue]) -> None:
        assert ask("pool", **context) == {"illegal": "not_enough_grit"}

    def test_a_team_mate_pays_one_for_a_die(self) -> None:
        assert ask("team", grit=3, dice=2) == {"grit_after": 1}
        assert ask("team", grit=1, dice=2) == {"illegal": "not_enough_grit"}
        assert SYSTEM.consequences(ask("team", grit=3), {})[0] == Consequence(Kind.GRIT, to=2)

    @pytest.mark.parametrize(
        ("context", "rulings", "dice", "bought"),
        [
            ({"attribute": 2, "own_dice": 1, "team_dice": 1}, {}, 4, 2),
            ({"attribute": 0, "own_dice": 2}, {}, 2, 2),
            ({"attribute": 0}, {}, 2, 0),
            ({"attribute": 0, "own_dice": 1}, {"zero_rule_stays": True}, 3, 1),
            ({"attribute": 0, "own_dice": 1, "load": "heavy"}, {"load_changes_dice": True}, 2, 0),
            ({"attribute": 1, "own_dice": 1, "load": "light"}, {"load_changes_dice": True}, 3, 1),
        ],
    )
    def test_bought_dice_are_reported_from_the_others(
        self, context: dict[str, JsonValue], rulings: dict[str, JsonValue], dice: int, bought: int
    ) -> None:
        holds(ask("pool", rulings, **context), dice=dice, grit_dice=bought)

    def test_an_attribute_of_nothing(self) -> None:
        holds(ask("pool", attribute=0), dice=2, zero_dice=True)
        holds(ask("pool", attribute=0, own_dice=1), dice=1, zero_dice=False, grit_after=4)
        holds(ask("pool", {"zero_rule_stays": True}, attribute=0, own_dice=1), dice=3, zero_dice=True)
        holds(ask("pool", attribute=0, roll="resistance"), dice=2, zero_dice=True)
        without = {"zero_rule_on_resistance": False}
        holds(ask("pool", without, attribute=0, roll="resistance"), dice=0, zero_dice=False)
        holds(ask("pool", without, attribute=0, roll="resistance", own_dice=1), dice=1, zero_dice=False)

    def test_one_team_die_where_the_table_says_so(self) -> None:
        context = {"attribute": 1, "team_dice": 2, "payer_grit": 6}
        assert ask("pool", {"team_payers": "one"}, **context) == {"illegal": "one_team_die_only"}
        holds(ask("pool", **context), dice=3)

    def test_load_changes_dice_where_the_table_says_so(self) -> None:
        rulings = {"load_changes_dice": True}
        for load, dice in (("light", 3), ("normal", 2), ("heavy", 1)):
            holds(ask("pool", rulings, attribute=2, load=load), dice=dice)
            holds(ask("pool", attribute=2, load=load), dice=2)
        holds(ask("pool", rulings, attribute=1, load="heavy"), dice=2, zero_dice=True)

    @pytest.mark.parametrize(("name", "dice"), [("DEX", 1), ("STR", 2), ("WIL", 2), (None, 1)])
    def test_load_counts_for_dex_alone(self, name: str | None, dice: int) -> None:
        context = {"attribute": 2, "load": "heavy", "attribute_name": name}
        holds(ask("pool", {"load_changes_dice": True}, **context), dice=dice)
        holds(ask("pool", **context), dice=2)

    @pytest.mark.parametrize("context", [{}, {"attribute": -1}, {"attribute": 2, "own_dice": -1}, {"attribute": "2"}])
    def test_nonsense_is_refused(self, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            ask("pool", **context)


class TestAction:
    def test_every_roll_of_up_to_four_dice(self) -> None:
        for size in range(1, 5):
            for faces in itertools.product(range(1, 7), repeat=size):
                dice = tuple(Die(f"d{n}", Role.PLAIN, face) for n, face in enumerate(faces))
                best = sorted(faces, reverse=True)
                wanted = (
                    "critical"
                    if best[:2] == [6, 6]
                    else "full"
                    if best[0] == 6
                    else "mixed"
                    if best[0] >= 4
                    else "failure"
                )
                facts = score(dice, risk="high").facts
                assert facts["outcome"] == wanted
                assert facts["effect"] == {"critical": 3, "full": 2, "mixed": 1, "failure": 0}[wanted]
                assert facts["consequence"] == (3 if wanted in {"mixed", "failure"} else 0)

    @pytest.mark.parametrize(("risk", "consequence"), [("low", 1), ("mixed", 2), ("high", 3), (None, None)])
    def test_the_risk_named_first_is_the_consequence(self, risk: str | None, consequence: int | None) -> None:
        holds(score(roll("p3 p2"), risk=risk).facts, consequence=consequence)
        holds(score(roll("p6 p2"), risk=risk).facts, consequence=0)

    @pytest.mark.parametrize(
        ("dice", "outcome"), [("p6 p4", "mixed"), ("p6 p3", "failure"), ("p6 p6", "full"), ("p5 p5", "mixed")]
    )
    def test_zero_dice_read_the_lowest(self, dice: str, outcome: str) -> None:
        holds(score(roll(dice), zero_dice=True, risk="low").facts, outcome=outcome)

    def test_a_desperate_critical_where_the_table_says_so(self) -> None:
        holds(score(roll("p6 p6"), {"zero_dice_critical": True}, zero_dice=True).facts, outcome="critical", effect=3)

    @pytest.mark.parametrize(("dice", "effect"), [("p3", 0), ("p5", 2), ("p6", 3), ("p6 p6", 3)])
    def test_assistive_equipment(self, dice: str, effect: int) -> None:
        holds(score(roll(dice), assistive=True, risk="low").facts, effect=effect)

    def test_assistive_equipment_on_a_failure_where_the_table_says_so(self) -> None:
        holds(score(roll("p3"), {"assistive_on_failure": True}, assistive=True).facts, effect=1, outcome="failure")
        holds(score(roll("p3"), {"assistive_on_failure": True}).facts, effect=0)

    def test_effect_beyond_high_where_the_table_says_so(self) -> None:
        holds(score(roll("p6 p6"), {"effect_cap": 4}, assistive=True).facts, effect=4)

    def test_more_than_two_sixes_are_the_same_critical(self) -> None:
        holds(score(roll("p6 p6 p6 p1")).facts, outcome="critical", effect=3)

    def test_nonsense_is_refused(self) -> None:
        with pytest.raises(BadRequest, match="risk"):
            score(roll("p3"), risk="huge")
        with pytest.raises(BadRequest, match="zero_dice"):
            score(roll("p3"), zero_dice=True)
        with pytest.raises(BadRequest, match="8 sides"):
            score(roll("C:3"))
        with pytest.raises(BadRequest, match="no dice"):
            score(())


class TestResistance:
    @pytest.mark.parametrize(
        ("dice", "consequence", "reduction", "after"),
        [
            ("p3 p1", 2, 0, 2),
            ("p4 p1", 2, 1, 1),
            ("p6 p2", 3, 2, 1),
            ("p6 p6", 3, 3, 0),
            ("p6 p6", 1, 3, 0),
        ],
    )
    def test_reduction(self, dice: str, consequence: int, reduction: int, after: int) -> None:
        holds(score(roll(dice), consequence=consequence).facts, reduction=reduction, consequence_after=after)

    def test_zero_dice(self) -> None:
        holds(score(roll("p6 p3"), consequence=2, zero_dice=True).facts, reduction=0, consequence_after=2)

    def test_the_ops_by_name(self) -> None:
        dice: list[JsonValue] = [{"id": "d1", "role": "plain", "value": 5}]
        request: dict[str, JsonValue] = {"dice": dice, "context": {"consequence": 3}}
        assert SYSTEM.answer("resist", request)["consequence_after"] == 2
        assert SYSTEM.answer("score", request)["consequence_after"] == 2
        assert SYSTEM.answer("action", {"dice": dice, "context": {"risk": "low"}})["outcome"] == "mixed"


class TestHarm:
    @pytest.mark.parametrize(
        ("context", "hp", "strength", "down"),
        [
            ({"hp": 3, "str": 2, "consequence": 2}, 1, 2, False),
            ({"hp": 2, "str": 2, "consequence": 2}, 0, 2, False),
            ({"hp": 1, "str": 2, "consequence": 3}, 0, 1, False),
            ({"hp": 0, "str": 0, "consequence": 1}, 0, -1, True),
            ({"hp": 5, "str": 2, "consequence": 1, "exposed": True}, 5, 1, False),
            ({"hp": 5, "str": 2, "consequence": 0, "exposed": True}, 5, 2, False),
            ({"hp": 5, "str": 0, "consequence": 3, "exposed": True}, 5, -1, True),
            ({"hp": 3, "str": 2, "consequence": 3, "defensive_uses": 1}, 1, 2, False),
        ],
    )
    def test_damage(self, context: dict[str, JsonValue], hp: int, strength: int, down: bool) -> None:
        holds(ask("damage", **context), hp_after=hp, str_after=strength, taken_down=down)

    def test_exactly_nothing_left_where_the_table_is_harsh(self) -> None:
        harsh = {"exact_zero_costs_str": True}
        holds(ask("damage", harsh, hp=2, str=2, consequence=2), hp_after=0, str_after=1)
        holds(ask("damage", harsh, hp=3, str=2, consequence=2), hp_after=1, str_after=2)
        holds(ask("damage", harsh, hp=0, str=2, consequence=0), hp_after=0, str_after=2)

    def test_armour(self) -> None:
        holds(ask("defend", kind="regular", consequence=3), consequence_after=2, uses_left=0)
        holds(ask("defend", kind="bulky", consequence=3, spend=2), consequence_after=1, uses_left=0)
        holds(ask("defend", {"defence": "two"}, kind="bulky", consequence=3), consequence_after=1, uses_left=1)
        holds(ask("defend", {"defence": "all"}, kind="regular", consequence=3), consequence_after=0)
        assert ask("defend", kind="regular", used=1, consequence=3) == {"illegal": "no_use_left"}

    def test_no_more_armour_is_used_than_there_is(self) -> None:
        harm = {"hp": 3, "str": 1, "consequence": 2, "defensive_uses": 2}
        assert ask("damage", **harm, armour=1) == {"illegal": "no_use_left"}
        holds(ask("damage", **harm, armour=2), hp_after=3, consequence=0)
        holds(ask("damage", **harm), hp_after=3, consequence=0)

    def test_armour_that_was_used_comes_off_the_sheet(self) -> None:
        questions: tuple[tuple[str, Facts], ...] = (
            ("damage", {"hp": 3, "str": 1, "consequence": 2, "defensive_uses": 2}),
            ("defend", {"kind": "bulky", "spend": 2, "consequence": 2}),
        )
        for op, context in questions:
            done = [item for item in SYSTEM.consequences(ask(op, **context), context) if item.kind is Kind.EQUIPMENT]
            assert done == [Consequence(Kind.EQUIPMENT, by=-2)]

    @pytest.mark.parametrize(("name", "state"), [("STR", "dying"), ("DEX", "paralysed"), ("WIL", "delirious")])
    def test_attributes_lost(self, name: str, state: str) -> None:
        holds(ask("loss", attribute_name=name, attribute=1, consequence=3), attribute_after=-1, state=state)
        holds(ask("loss", attribute_name=name, attribute=1, consequence=1), attribute_after=0, state=None)

    @pytest.mark.parametrize(
        ("op", "context"),
        [
            ("damage", {"hp": 1, "str": 1}),
            ("damage", {"hp": -1, "str": 1, "consequence": 1}),
            ("defend", {"kind": "regular", "spend": 2, "consequence": 1}),
            ("defend", {"kind": "magic", "consequence": 1}),
            ("loss", {"attribute_name": "AGL", "attribute": 1, "consequence": 1}),
        ],
    )
    def test_nonsense_is_refused(self, op: str, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            ask(op, **context)


class TestClocks:
    @pytest.mark.parametrize(
        ("clock", "now", "full", "overflow"),
        [
            ((4, 3, 2), 4, True, 1),
            ((4, 2, 2), 4, True, 0),
            ((6, 0, 3), 3, False, 0),
            ((8, 8, 0), 8, True, 0),
            ((8, 2, -3), 0, False, 0),
            ((6, 5, -2), 3, False, 0),
        ],
    )
    def test_ticking(self, clock: tuple[int, int, int], now: int, full: bool, overflow: int) -> None:
        segments, filled, ticks = clock
        holds(ask("clock", segments=segments, filled=filled, ticks=ticks), filled=now, full=full, overflow=overflow)

    def test_emptied_in_a_tug_of_war(self) -> None:
        holds(ask("clock", segments=4, filled=2, ticks=-2), filled=0, emptied=True, full=False)

    def test_a_full_clock_unlocks_the_linked_one(self) -> None:
        context = {"segments": 4, "filled": 3, "ticks": 3, "linked_segments": 6}
        holds(ask("clock", **context), unlocked=True, linked_filled=0, overflow=2)
        holds(ask("clock", {"clock_overflow": "carry"}, **context), unlocked=True, linked_filled=2, overflow=0)
        context["ticks"] = 20
        holds(ask("clock", {"clock_overflow": "carry"}, **context), linked_filled=6, overflow=13)

    @pytest.mark.parametrize(
        "context",
        [{"segments": 5, "ticks": 1}, {"segments": 4, "filled": 5, "ticks": 1}, {"segments": 4}, {"ticks": 1}],
    )
    def test_nonsense_is_refused(self, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            ask("clock", **context)


class TestOtherRolls:
    def test_creation(self) -> None:
        holds(ask("creation", dice=[5, 3]), points=1)
        holds(ask("creation", dice=[4, 6]), points=2)
        holds(ask("creation", dice=[1, 3]), points=0)

    def test_hit_protection(self) -> None:
        holds(ask("creation", dice=[2, 5, 1], str=3), hp=5)
        holds(ask("creation", dice=[2, 5], str=0), hp=2)
        holds(ask("creation", str=1), hp=3)

    def test_advancement(self) -> None:
        holds(ask("advance", hp_dice=[4, 1], attribute_dice=[6, 6, 2, 1]), hp_plus=1, attribute_plus=2)
        holds(ask("advance", hp_dice=[4, 6]), hp_plus=2, attribute_plus=0)

    @pytest.mark.parametrize(
        ("regular", "bulky", "load", "fits"),
        [
            (0, 0, "light", True),
            (3, 0, "light", True),
            (2, 1, "normal", True),
            (1, 2, "heavy", True),
            (2, 2, "heavy", False),
        ],
    )
    def test_load(self, regular: int, bulky: int, load: str, fits: bool) -> None:
        holds(ask("load", regular=regular, bulky=bulky), load=load, fits=fits)

    @pytest.mark.parametrize(
        ("op", "context"),
        [
            ("creation", {"dice": [1, 2, 3]}),
            ("creation", {}),
            ("creation", {"dice": [1, 7]}),
            ("creation", {"dice": [1, 2], "str": 3}),
            ("advance", {"hp_dice": [4]}),
            ("advance", {"hp_dice": [4, 4], "attribute_dice": [1]}),
        ],
    )
    def test_nonsense_is_refused(self, op: str, context: dict[str, JsonValue]) -> None:
        with pytest.raises(BadRequest):
            ask(op, **context)
