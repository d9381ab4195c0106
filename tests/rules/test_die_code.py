"""die-code: the rule text's own examples, every rule id, every ruling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.code import Code, parse_code
from rules.die_code import SYSTEM
from rules.errors import BadRequest
from rules.facts import JsonValue
from rules.system import Facts, IllegalPlay
from tests.rules.asking import asker, holds, scorer
from tests.rules.conftest import roll

ask = asker(SYSTEM)
total = scorer(SYSTEM)


class TestTotal:
    def test_three_dice_and_two_pips_against_moderate(self) -> None:
        facts = total(roll("w4 p2 p5"), code="3d+2", difficulty=11).facts
        holds(facts, total=13, success=True, band="Moderate", pending=None)

    def test_jericho_rolls_a_six_and_goes_on(self) -> None:
        outcome = total(roll("w6 p2"), code="2d", difficulty=13)
        holds(outcome.facts, pending="reroll_wild", total_so_far=8, total=None, success=None, band=None)
        assert outcome.must_reroll == ("w1",)
        outcome = total(roll("w6 p2"), code="2d", difficulty=13, wild_rerolls=[6])
        holds(outcome.facts, pending="reroll_wild", total_so_far=14)
        outcome = total(roll("w6 p2"), code="2d", difficulty=13, wild_rerolls=[6, 1])
        holds(outcome.facts, pending=None, total=15, success=True)
        assert outcome.must_reroll == ()

    def test_the_first_die_is_wild_where_none_is_marked(self) -> None:
        holds(total(roll("p6 p2"), code="2d").facts, pending="reroll_wild", wild="p1")
        holds(total(roll("p2 p6"), code="2d").facts, pending=None, total=8)
        holds(total(roll("p6 w2"), code="2d").facts, pending=None, wild="w1")

    def test_a_single_die_is_the_wild_one(self) -> None:
        holds(total(roll("p6"), code="1d").facts, pending="reroll_wild")

    def test_ordinary_sixes_do_not_go_on(self) -> None:
        holds(total(roll("w2 p6 p6"), code="3d").facts, total=14, pending=None)

    def test_one_short_fails_and_equal_succeeds(self) -> None:
        holds(total(roll("w4 p3 p3"), code="3d", difficulty=11).facts, total=10, success=False, band="Easy")
        holds(total(roll("w4 p3 p4"), code="3d", difficulty=11).facts, success=True)

    def test_without_a_difficulty_nothing_succeeds_or_fails(self) -> None:
        assert total(roll("w4 p3"), code="2d").success is None

    def test_without_a_code_the_dice_are_it(self) -> None:
        holds(total(roll("w4 p3")).facts, total=7)

    @pytest.mark.parametrize(("dice", "rerolls"), [("w4 p2", [3]), ("w6 p2", [3, 2]), ("w6 p2", [6, 5, 6])])
    def test_a_throw_that_was_not_earned(self, dice: str, rerolls: list[JsonValue]) -> None:
        answer = SYSTEM.score(roll(dice), {"code": "2d", "wild_rerolls": rerolls}, {})
        assert answer == IllegalPlay("wild_reroll_not_earned", ("w1",))

    def test_extra_throws_of_the_chat_form(self) -> None:
        chat = {"wild_form": "chat"}
        holds(total(roll("w6 p3"), chat, code="2d", wild_rerolls=[6, 4, 1]).facts, total=19, pending=None)
        holds(
            total(roll("w6 p3"), chat, code="2d", wild_rerolls=[6, 6, 6]).facts, total_so_far=27, pending="reroll_wild"
        )
        assert SYSTEM.score(roll("w4 p3"), {"code": "2d", "wild_rerolls": [6, 4, 1]}, chat) == IllegalPlay(
            "wild_reroll_not_earned", ("w1",)
        )

    def test_more_or_fewer_dice_than_the_code(self) -> None:
        assert SYSTEM.score(roll("w4 p2"), {"code": "3d"}, {}) == IllegalPlay("wrong_dice_count")
        assert SYSTEM.score(roll("w4 p2"), {"code": "1d"}, {}) == IllegalPlay("wrong_dice_count")

    def test_later_throws_stand_next_to_the_dice(self) -> None:
        request: Facts = {
            "dice": [{"id": "d1", "role": "wild", "value": 6}, {"id": "d2", "role": "plain", "value": 2}],
            "wild_rerolls": [6, 3],
            "context": {"code": "2d+1"},
        }
        holds(SYSTEM.answer("total", request), total=18)
        holds(SYSTEM.answer("score", request), total=18)

    def test_a_wild_one(self) -> None:
        dice = roll("w1 p5 p3")
        holds(total(dice, code="3d").facts, total=9, complication=False, dropped=[])
        holds(total(dice, {"wild_one": "drop_highest"}, code="3d").facts, total=3, dropped=["w1", "p1"])
        holds(total(roll("w1"), {"wild_one": "drop_highest"}, code="1d+2").facts, total=2, dropped=["w1"])
        holds(total(dice, {"wild_one": "complication"}, code="3d").facts, total=9, complication=True)
        holds(total(roll("w2 p1"), {"wild_one": "complication"}, code="2d").facts, complication=False)

    @pytest.mark.parametrize(
        "context", [{"code": "3x"}, {"code": 3}, {"code": "2d", "difficulty": -1}, {"code": "2d", "wild_rerolls": [7]}]
    )
    def test_nonsense_is_refused(self, context: dict[str, object]) -> None:
        with pytest.raises(BadRequest, match=r"context\."):
            total(roll("w4 p2"), **context)

    def test_dice_that_there_are_not(self) -> None:
        with pytest.raises(BadRequest, match="2 dice are wild"):
            total(roll("w4 w2"))
        with pytest.raises(BadRequest, match="8 sides"):
            total(roll("C:4"))
        with pytest.raises(BadRequest, match="no dice"):
            total(())


class TestChain:
    @pytest.mark.parametrize(
        ("extra", "used", "sum_", "need_more"),
        [
            ([6, 4, 1], [6, 4], 19, False),
            ([3, 6, 6], [3], 12, False),
            ([6, 6, 6], [6, 6, 6], 27, True),
            ([6, 6, 6, 2, 5, 1], [6, 6, 6, 2], 29, False),
            ([], [], 9, True),
        ],
    )
    def test_chat_form(self, extra: list[int], used: list[int], sum_: int, need_more: bool) -> None:
        holds(ask("wild_chain", first_total=9, extra=extra), used=used, total=sum_, need_more=need_more)


class TestCode:
    @pytest.mark.parametrize(
        ("context", "code"),
        [
            ({"code": "4d+2", "uses": 3}, "2d+2"),
            ({"code": "4d", "uses": 4}, "1d"),
            ({"code": "4d+2", "uses": 4}, "1d+2"),
            ({"code": "4d+2", "uses": 3, "reactions": 1}, "1d+2"),
            ({"code": "3d+1", "prepared": True}, "4d+1"),
            ({"code": "3d+1", "running": True}, "2d+1"),
            ({"code": "3d+1", "running": True, "wounded": True}, "1d+1"),
            ({"code": "3d+1", "luck": True}, "6d+2"),
            ({"code": "3d+2", "luck": True}, "7d+1"),
            ({"code": "3d+1", "luck": True, "uses": 2}, "5d+2"),
            ({"code": "2d+2", "steps": 1}, "3d"),
            ({"code": "3d", "steps": -1}, "2d+2"),
            ({"code": "3d", "steps": 4}, "4d+1"),
            ({"code": "2d", "uses": 3}, None),
            ({"code": "1d+2", "wounded": True}, None),
            ({"code": "3d"}, "3d"),
            ({"code": "3d6+1"}, "3d+1"),
        ],
    )
    def test_a_round(self, context: dict[str, object], code: str | None) -> None:
        holds(ask("code", **context), code=code)

    def test_preparing_is_for_one_use(self) -> None:
        holds(ask("code", code="3d", prepared=True, uses=2), warnings=["prepared_one_use_only"])
        holds(ask("code", code="3d", prepared=True), warnings=[])

    @pytest.mark.parametrize(
        ("rulings", "context", "code"),
        [
            ({"below_1d": "wild_only"}, {"code": "2d+2", "uses": 3}, "1d"),
            ({"double_literally": True}, {"code": "3d+2", "luck": True}, "6d+4"),
            ({"luck_order": "penalties_first"}, {"code": "3d+1", "luck": True, "uses": 2}, "4d+2"),
            ({"luck_doubles_actions": True}, {"code": "3d", "luck": True, "uses": 2}, "6d"),
            ({"luck_doubles_actions": True}, {"code": "3d", "uses": 2}, "2d"),
            ({"lone_reaction_free": True}, {"code": "3d", "reactions": 1}, "3d"),
            ({"lone_reaction_free": True}, {"code": "3d", "uses": 2, "reactions": 1}, "1d"),
            ({}, {"code": "3d", "reactions": 1}, "2d"),
        ],
    )
    def test_rulings(self, rulings: Facts, context: dict[str, object], code: str) -> None:
        holds(ask("code", rulings, **context), code=code)

    @pytest.mark.parametrize(
        "text",
        [
            "3x",
            "",
            "d",
            "0d",
            "-1d",
            "400d",
            "101d",
            "3d+3",
            "3d+",
            "3d-1",
            "3d+22",
            "٣d",
            "3 d",
            3,
            None,
            "9" * 99,
        ],
    )
    def test_codes_that_are_none(self, text: object) -> None:
        with pytest.raises(BadRequest, match=r"^context\.code is "):
            ask("code", code=text)

    def test_spaces_around_and_capitals_are_no_harm(self) -> None:
        holds(ask("code", code=" 3D+2 "), code="3d+2")

    @given(st.integers(1, 50), st.integers(0, 2), st.integers(-200, 200))
    def test_steps_can_be_taken_back(self, dice: int, pips: int, steps: int) -> None:
        code = Code(dice, pips)
        assert parse_code(str(code), "code") == code
        assert code.stepped(steps).stepped(-steps) == code
        assert 0 <= code.stepped(steps).pips <= 2


class TestOpposedBandsLuck:
    def test_opposed(self) -> None:
        holds(ask("opposed", mine=8, theirs=10), result="lose")
        holds(ask("opposed", mine=10, theirs=8), result="win")
        holds(ask("opposed", mine=9, theirs=9), result="tie", reroll=False)
        holds(ask("opposed", {"opposed_tie": "defender"}, mine=9, theirs=9), result="lose")
        holds(ask("opposed", {"opposed_tie": "defender"}, mine=9, theirs=9, defending=True), result="win")
        holds(ask("opposed", {"opposed_tie": "reroll"}, mine=9, theirs=9), result="tie", reroll=True)

    @pytest.mark.parametrize(
        ("value", "band", "range_"),
        [
            (2, None, None),
            (3, "Very Easy", "Point Blank"),
            (5, "Very Easy", "Point Blank"),
            (6, "Easy", "Short Range"),
            (10, "Easy", "Short Range"),
            (11, "Moderate", "Medium Range"),
            (15, "Moderate", "Medium Range"),
            (16, "Difficult", "Long Range"),
            (20, "Difficult", "Long Range"),
            (21, "Very Difficult", None),
            (30, "Very Difficult", None),
            (31, "Impossible", None),
            (300, "Impossible", None),
        ],
    )
    def test_bands(self, value: int, band: str | None, range_: str | None) -> None:
        assert ask("band", value=value) == {"band": band, "range": range_}

    def test_a_number_for_a_band(self) -> None:
        holds(ask("band", band="Moderate"), number=11, low=11, high=15)
        holds(ask("band", {"band_number": "middle"}, band="Moderate"), number=13)
        holds(ask("band", {"band_number": "upper"}, band="Moderate"), number=15)
        holds(ask("band", {"band_number": "upper"}, band="Impossible"), number=31, high=None)

    @pytest.mark.parametrize(
        ("luck", "how", "now", "end", "bonus"),
        [(1, "unheroic", 0, 0, 0), (1, "heroic", 0, 1, 0), (1, "dramatic", 0, 1, 1), (3, "heroic", 2, 3, 0)],
    )
    def test_luck(self, luck: int, how: str, now: int, end: int, bonus: int) -> None:
        assert ask("luck", luck=luck, how=how) == {"now": now, "at_adventure_end": end, "maybe_bonus": bonus}

    def test_no_luck_left(self) -> None:
        assert ask("luck", luck=0, how="heroic") == {"illegal": "no_luck_left"}

    @pytest.mark.parametrize(("op", "context"), [("band", {}), ("opposed", {"mine": 3}), ("luck", {"how": "sly"})])
    def test_nonsense_is_refused(self, op: str, context: dict[str, object]) -> None:
        with pytest.raises(BadRequest):
            ask(op, **context)
