"""Counters, consequences, rests, undo, and the stored form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.dice import Die, Role
from rules.errors import BadRequest
from rules.facts import Facts, JsonValue
from rules.sheet import (
    MAX_HISTORY,
    BadSheet,
    Consequence,
    Counter,
    Kind,
    Sheet,
    add_counter,
    apply_consequences,
    choices,
    decide,
    mark,
    remove_counter,
    restore,
    undo,
    withdraw,
)
from rules.sheet_edit import edit_sheet
from rules.sheet_file import FORMAT, new_sheet, sheet_from_json, sheet_to_json
from rules.system import Outcome, RuleSystem, find_system, systems
from tests.narrowing import there

STR = Counter("STR", Kind.ATTRIBUTE, now=3, most=4)
ROPE = Counter("rope", Kind.GEAR, now=2, most=2)
KAY = Sheet("Kay", "push-pool", (STR, Counter("AGL", Kind.ATTRIBUTE, now=5, most=5), ROPE))


def now(sheet: Sheet, kind: Kind, name: str | None = None) -> int:
    counter = sheet.find(kind, name)
    assert counter is not None
    return counter.now


def play(sheet: Sheet, op: str, **context: JsonValue) -> Sheet:
    """Call the sheet's system and apply its answer."""
    system = find_system(sheet.system)
    answer = system.answer(op, {"context": context})
    applied = apply_consequences(sheet, system.consequences(answer, context), op)
    assert applied.missed == ()
    return applied.sheet


class TestCounters:
    def test_a_counter_stops_at_its_ends(self) -> None:
        assert STR.moved(-9).now == 0
        assert STR.moved(+9).now == 4
        assert Counter("XP", Kind.XP, now=3).moved(100).now == 103
        assert Counter("WIL", Kind.ATTRIBUTE, now=0, most=1, least=-1).moved(-3).now == -1

    @pytest.mark.parametrize(
        "values",
        [
            {"name": "STR", "now": 5, "most": 4},
            {"name": "STR", "now": -1},
            {"name": "", "now": 0},
            {"name": "x" * 81, "now": 0},
            {"name": "STR", "now": 10**9},
        ],
    )
    def test_nonsense_is_refused(self, values: dict[str, JsonValue]) -> None:
        with pytest.raises(BadSheet, match="counter"):
            Counter(kind=Kind.ATTRIBUTE, **values)  # type: ignore[arg-type]

    def test_a_name_is_there_once_for_each_kind(self) -> None:
        with pytest.raises(BadSheet, match="twice"):
            Sheet("Kay", "push-pool", (STR, STR))
        with pytest.raises(BadSheet, match="twice"):
            add_counter(KAY, STR)


class TestConsequences:
    def test_a_push_is_carried_over_and_undone_as_one(self) -> None:
        before = (Die("b1", Role.BASE, 2), Die("b2", Role.BASE, 3), Die("g1", Role.GEAR, 4))
        after = (Die("b1", Role.BASE, 1), Die("b2", Role.BASE, 6), Die("g1", Role.GEAR, 1))
        context: dict[str, JsonValue] = {"attribute": 3, "attribute_name": "STR", "gear_bonus": 2, "gear_name": "rope"}
        system = find_system("push-pool")
        outcome = system.push(before, after, context, {})
        assert isinstance(outcome, Outcome)
        applied = apply_consequences(KAY, system.consequences(outcome.facts, context), "roll 7")
        assert applied.missed == ()
        assert (now(applied.sheet, Kind.ATTRIBUTE, "STR"), now(applied.sheet, Kind.GEAR)) == (2, 1)
        assert applied.sheet.history[-1].why == "roll 7"
        assert undo(applied.sheet) == KAY

    def test_a_first_throw_changes_nothing(self) -> None:
        system = find_system("push-pool")
        outcome = system.score((Die("b1", Role.BASE, 1),), {}, {})
        assert isinstance(outcome, Outcome)
        assert apply_consequences(KAY, system.consequences(outcome.facts, {}), "roll").sheet is KAY

    def test_what_the_sheet_does_not_count_is_reported(self) -> None:
        stress = Consequence(Kind.STRESS, by=1)
        applied = apply_consequences(KAY, [stress, Consequence(Kind.GEAR, by=-1)], "roll")
        assert applied.missed == (stress,)
        assert now(applied.sheet, Kind.GEAR) == 1

    def test_without_a_name_two_of_a_kind_are_not_guessed_at(self) -> None:
        which = Consequence(Kind.ATTRIBUTE, by=-1)
        applied = apply_consequences(KAY, [which], "roll")
        assert applied.missed == (which,)
        assert applied.sheet is KAY

    def test_repairs(self) -> None:
        hurt = apply_consequences(KAY, [Consequence(Kind.GEAR, by=-1)], "push").sheet
        botched = play(hurt, "repair", bonus=1, max=2, crafts_success=False)
        rope = botched.find(Kind.GEAR)
        assert rope is not None
        assert (rope.now, rope.most) == (1, 1)
        assert now(play(hurt, "repair", bonus=1, max=2, crafts_success=True), Kind.GEAR) == 2
        assert undo(botched) == hurt

    def test_recovery_uses_its_resource_up(self) -> None:
        hero = new_sheet("Angus", "push-pool")
        hero = apply_consequences(
            hero, [Consequence(Kind.ATTRIBUTE, by=-2, name="STR"), Consequence(Kind.RESOURCE, by=3, name="grub")], "x"
        ).sheet
        hero = play(hero, "recover", attribute_name="STR", attribute=1, base=3, amount=1)
        assert (now(hero, Kind.ATTRIBUTE, "STR"), now(hero, Kind.RESOURCE, "grub")) == (2, 2)
        hero = play(hero, "recover", attribute_name="EMP", attribute=2, base=3, amount=1)
        assert now(hero, Kind.RESOURCE, "grub") == 2

    def test_step_dice(self) -> None:
        system = find_system("step-dice")
        context: dict[str, JsonValue] = {"attribute_name": "INT", "hp": 5}
        before = (Die("b1", Role.BASE, 2), Die("a1", Role.AMMO, 2))
        outcome = system.push(before, (Die("b1", Role.BASE, 1), Die("a1", Role.AMMO, 1)), context, {})
        assert isinstance(outcome, Outcome)
        sheet = apply_consequences(
            new_sheet("Ola", "step-dice"), system.consequences(outcome.facts, context), "x"
        ).sheet
        assert (now(sheet, Kind.HP), now(sheet, Kind.STRESS), now(sheet, Kind.RELIABILITY)) == (5, 1, 4)

    def test_hits_pool(self) -> None:
        sheet = new_sheet("Ola", "hits-pool")
        for _ in range(2):
            sheet = play(sheet, "check", check="scrapes", threshold=2, hits=1)
        sheet = play(sheet, "check", check="scrapes", threshold=2, hits=2)
        assert (now(sheet, Kind.FATIGUE, "short"), now(sheet, Kind.FATIGUE, "temporary")) == (2, 1)
        sheet = apply_consequences(sheet, [Consequence(Kind.HP, by=-5), Consequence(Kind.POWER, by=-5)], "x").sheet
        sheet = play(sheet, "recovery", rest="breather", rate=1, pool=3, hp_dice=2, hp_hits=1)
        assert (now(sheet, Kind.HP), now(sheet, Kind.POWER), now(sheet, Kind.FATIGUE, "temporary")) == (6, 6, 0)
        assert now(sheet, Kind.RESOURCE, "recovery pool") == 1
        sheet = play(sheet, "recovery", rest="sleep", rate=2)
        assert (now(sheet, Kind.HP), now(sheet, Kind.POWER), now(sheet, Kind.FATIGUE, "short")) == (8, 10, 1)
        assert now(sheet, Kind.RESOURCE, "recovery pool") == 3

    def test_highest_die(self) -> None:
        sheet = new_sheet("Ola", "highest-die")
        sheet = play(sheet, "pool", attribute=1, grit=6, own_dice=1)
        sheet = play(sheet, "damage", hp=3, str=1, consequence=5)
        assert (now(sheet, Kind.GRIT), now(sheet, Kind.HP), now(sheet, Kind.ATTRIBUTE, "STR")) == (4, 0, 0)
        sheet = play(sheet, "loss", attribute_name="WIL", attribute=1, consequence=2)
        assert now(sheet, Kind.ATTRIBUTE, "WIL") == -1
        rests = find_system("highest-die").rests
        short = restore(sheet, rests["short"], "short rest")
        assert (now(short, Kind.GRIT), now(short, Kind.HP), now(short, Kind.ATTRIBUTE, "STR")) == (6, 3, 0)
        assert now(restore(sheet, rests["extended"], "a week"), Kind.ATTRIBUTE, "WIL") == 1

    def test_a_clock_of_the_table_is_ticked_and_undone(self) -> None:
        clocks = Sheet("table", "highest-die", (Counter("alarm", Kind.CLOCK, now=3, most=4),))
        full = play(clocks, "clock", segments=4, filled=3, ticks=2)
        assert now(full, Kind.CLOCK) == 4
        assert undo(full) == clocks

    def test_die_code(self) -> None:
        assert now(play(new_sheet("Jericho", "die-code"), "luck", luck=1, how="heroic"), Kind.LUCK) == 0


class TestMarksAndHistory:
    def test_one_shot(self) -> None:
        tried = mark(KAY, "climb the ruin", "roll 3")
        assert tried.is_marked("climb the ruin")
        assert mark(tried, "climb the ruin", "roll 4") is tried
        assert undo(tried) == KAY
        with pytest.raises(BadSheet, match="mark"):
            mark(KAY, "", "x")

    @pytest.mark.parametrize("most", [0, 1])
    def test_a_counter_comes_down_with_its_most(self, most: int) -> None:
        sheet = edit_sheet(KAY, counters=((Kind.GEAR, "rope", None, most),))
        rope = sheet.find(Kind.GEAR, "rope")
        assert rope is not None
        assert (rope.now, rope.most) == (most, most)
        with pytest.raises(BadSheet, match="stands at 2"):
            edit_sheet(KAY, counters=((Kind.GEAR, "rope", 2, most),))

    def test_undo_without_a_history(self) -> None:
        assert undo(KAY) is KAY

    def test_a_removed_counter_does_not_come_back(self) -> None:
        hurt = apply_consequences(KAY, [Consequence(Kind.GEAR, by=-1)], "push").sheet
        without = remove_counter(hurt, Kind.GEAR, "rope")
        assert undo(without).find(Kind.GEAR) is None
        with pytest.raises(BadSheet, match="not on the sheet"):
            remove_counter(without, Kind.GEAR, "rope")

    def test_history_is_bounded(self) -> None:
        sheet = add_counter(KAY, Counter("XP", Kind.XP, now=0))
        for number in range(MAX_HISTORY + 20):
            sheet = apply_consequences(sheet, [Consequence(Kind.XP, by=1)], f"tick {number}").sheet
        assert len(sheet.history) == MAX_HISTORY
        for _ in range(MAX_HISTORY + 20):
            sheet = undo(sheet)
        assert now(sheet, Kind.XP) == 20

    @given(
        st.lists(
            st.builds(
                Consequence,
                kind=st.sampled_from([Kind.ATTRIBUTE, Kind.GEAR]),
                by=st.integers(-9, 9),
                name=st.sampled_from(["STR", "AGL", "rope", None]),
                to=st.none() | st.integers(-3, 9),
                most_to=st.none() | st.integers(-1, 6),
            ),
            max_size=12,
        )
    )
    def test_everything_can_be_taken_back(self, consequences: list[Consequence]) -> None:
        sheet = KAY
        for consequence in consequences:
            sheet = apply_consequences(sheet, [consequence], "x").sheet
            assert sheet_from_json(json.loads(json.dumps(sheet_to_json(sheet)))) == sheet
        while sheet.history:
            sheet = undo(sheet)
        assert sheet == KAY


class TestWithdrawing:
    HIT = Consequence(Kind.ATTRIBUTE, by=-1, name="STR")

    def test_the_latest_change_is_undone(self) -> None:
        hit = apply_consequences(KAY, (self.HIT,), "roll 1").sheet
        assert withdraw(hit, "roll 1", "given") == KAY

    def test_an_earlier_change_is_taken_back_whatever_happened_since(self) -> None:
        sheet = apply_consequences(KAY, (self.HIT,), "roll 1").sheet
        sheet = apply_consequences(sheet, (Consequence(Kind.ATTRIBUTE, by=-1, name="STR"),), "roll 2").sheet
        back = withdraw(sheet, "roll 1", "given")
        assert there(back.find(Kind.ATTRIBUTE, "STR")).now == 2
        assert (back.history[-1].why, undo(back)) == ("given", sheet)

    def test_counters_move_back_by_as_much_as_they_had_moved_and_stay_within_their_limits(self) -> None:
        fallen = apply_consequences(KAY, (Consequence(Kind.ATTRIBUTE, by=-9, name="STR"),), "roll 1").sheet
        raised = edit_sheet(fallen, counters=((Kind.ATTRIBUTE, "STR", 2, None),))
        assert there(withdraw(raised, "roll 1", "given").find(Kind.ATTRIBUTE, "STR")).now == 4
        worn = apply_consequences(KAY, (Consequence(Kind.ATTRIBUTE, name="STR", most_to=2),), "roll 1").sheet
        worn = apply_consequences(worn, (self.HIT,), "roll 2").sheet
        mended = there(withdraw(worn, "roll 1", "given").find(Kind.ATTRIBUTE, "STR"))
        assert (mended.now, mended.most) == (2, 4)

    def test_a_change_that_is_not_known_takes_nothing_back(self) -> None:
        assert withdraw(KAY, "roll 1", "given") is KAY


class TestStoredForm:
    @pytest.mark.parametrize("system_id", [system.id for system in systems()])
    def test_every_systems_new_sheet_goes_there_and_back(self, system_id: str) -> None:
        sheet = mark(new_sheet("Ola", system_id), "once", "roll 1")
        assert sheet.counters
        stored = json.loads(json.dumps(sheet_to_json(sheet)))
        assert sheet_from_json(stored) == sheet
        assert stored["format"] == FORMAT

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"format": "pushtray-sheet/2"}, "this program reads pushtray-sheet/1"),
            ({"format": None}, "this program reads"),
            ({"system": "chess"}, "system 'chess' is unknown"),
            ({"title": ""}, "title has 0 characters"),
            ({"title": 4}, "title is 4"),
            ({"counters": [{"kind": "mana", "name": "x", "now": 1}]}, "counters[0].kind"),
            ({"counters": [{"kind": "hp", "name": "x", "now": 9, "most": 3}]}, "stands at 9"),
            ({"counters": [{"kind": "hp", "name": "x"}]}, "now is missing"),
            ({"counters": [7]}, "counters[0] is 7"),
            ({"counters": [{"kind": "hp", "name": "x", "now": 1}] * 2}, "twice"),
            ({"marks": [""]}, "marks[0]"),
            ({"history": [{}]}, "history[0].why is missing"),
            ({"history": 3}, "history is 3"),
        ],
    )
    def test_another_version_or_nonsense_is_refused(self, changes: dict[str, JsonValue], words: str) -> None:
        stored = {**sheet_to_json(KAY), **changes}
        with pytest.raises(BadRequest) as caught:
            sheet_from_json(stored)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_new_sheet_needs_a_name_and_a_system(self) -> None:
        with pytest.raises(BadRequest, match="title"):
            new_sheet("", "push-pool")
        with pytest.raises(BadRequest, match="unknown"):
            new_sheet("Kay", "chess")


class TestNamesAndOrder:
    def test_a_renamed_counter_keeps_its_undo(self) -> None:
        spent = edit_sheet(KAY, counters=((Kind.GEAR, "rope", 1, None),))
        renamed = edit_sheet(spent, renamed=((Kind.GEAR, "rope", "line"),))
        assert now(undo(renamed), Kind.GEAR, "line") == 2
        with pytest.raises(BadSheet, match="is not on the sheet"):
            edit_sheet(renamed, renamed=((Kind.GEAR, "rope", "cord"),))

    def test_what_is_ordered_comes_first(self) -> None:
        ordered = edit_sheet(KAY, order=((Kind.GEAR, "rope"), (Kind.ATTRIBUTE, "AGL")))
        assert [one.name for one in ordered.counters] == ["rope", "AGL", "STR"]

    def test_a_ready_character_is_best_at_a_counter_that_the_rules_name(self) -> None:
        assert now(new_sheet("Ann", "push-pool", "AGL"), Kind.ATTRIBUTE, "AGL") == 5
        with pytest.raises(BadRequest, match="give one of STR, AGL, WIT, EMP"):
            new_sheet("Ann", "push-pool", "luck")

    @pytest.mark.parametrize("system", systems(), ids=lambda system: system.id)
    def test_ready_characters_are_within_the_rules(self, system: RuleSystem) -> None:
        for best in system.best:
            sheet = new_sheet("Ann", system.id, best)
            assert all(one.now <= system.tops.get(one.kind, one.now) for one in sheet.counters)
            highest = max(one.now for one in sheet.counters if one.kind is Kind.ATTRIBUTE)
            assert now(sheet, Kind.ATTRIBUTE, best) == highest
            assert set(system.best[best]) <= {one.name for one in system.sheet}

    @pytest.mark.parametrize("best", find_system("push-pool").best)
    def test_a_ready_character_of_push_pool_spends_its_points(self, best: str) -> None:
        values = {one.name: one.now for one in new_sheet("Ann", "push-pool", best).counters}
        attributes = {name: values[name] for name in find_system("push-pool").best}
        assert (sum(attributes.values()), attributes[best]) == (14, 5)


class TestWhatTheRulesLeaveOpen:
    def test_a_nameless_consequence_is_chosen_among_the_counters_of_its_kind(self) -> None:
        sheet, items = new_sheet("Ann", "push-pool"), (Consequence(Kind.ATTRIBUTE, by=-1),)
        assert choices(sheet, items) == tuple((f"attribute/{name}",) for name in ("STR", "AGL", "WIT", "EMP"))
        after = apply_consequences(sheet, decide(sheet, items, ("attribute/AGL",)), "x")
        assert (there(after.sheet.find(Kind.ATTRIBUTE, "AGL")).now, after.missed) == (2, ())
        assert apply_consequences(sheet, decide(sheet, items, ()), "x").missed == items
        assert decide(sheet, items, ("attribute/luck",)) == items

    def test_one_counter_and_a_name_leave_nothing_to_choose(self) -> None:
        sheet = new_sheet("Ola", "step-dice")
        assert choices(sheet, (Consequence(Kind.HP, by=-1), Consequence(Kind.ATTRIBUTE, by=-1, name="STR"))) == ((),)

    @pytest.mark.parametrize(
        ("context", "places"),
        [
            ({}, ("hp/HP", "stress/stress", "reliability/weapon")),
            ({"gear": True}, ("stress/stress", "reliability/weapon")),
            ({"attribute_name": "STR"}, ()),
        ],
    )
    def test_ones_of_an_unknown_attribute_harm_body_or_mind_or_the_weapon(
        self, context: Facts, places: tuple[str, ...]
    ) -> None:
        system, sheet = find_system("step-dice"), new_sheet("Ola", "step-dice")
        before, after = ((Die("a", Role.BASE, value, 8, "C"),) for value in (4, 1))
        outcome = system.push(before, after, context, {})
        assert isinstance(outcome, Outcome)
        items = system.consequences(outcome.facts, context)
        assert choices(sheet, items) == (tuple((place,) for place in places) or ((),))
        for place in places:
            kind, _, name = place.partition("/")
            after_it = apply_consequences(sheet, decide(sheet, items, (place,)), "x").sheet
            changed = [one.name for one in after_it.counters if one not in sheet.counters]
            assert (changed, kind) == ([name], there(after_it.find(Kind(kind), name)).kind.value)
