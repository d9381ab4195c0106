"""Rolls prepared from tiles, system by system: which dice to take, at what price, or why there is no roll."""

import json
from typing import Any

import pytest

from rules.dice import Role
from rules.errors import BadRequest
from rules.facts import Facts
from rules.sheet import Consequence, Counter, Kind, Sheet, add_counter, mark
from rules.sheet_edit import edit_sheet
from rules.sheet_file import new_sheet
from rules.system import RuleSystem, find_system, systems
from rules.tiles import Inputs, Prepared, TileKind, describe_tile, number_tile

EVERY = pytest.mark.parametrize("system", systems(), ids=lambda system: system.id)


def prepare(system_id: str, sheet: Sheet | None = None, rulings: Facts | None = None, **tiles: Any) -> Prepared:
    return find_system(system_id).prepare(tiles, sheet, rulings or {})


def pool(prepared: Prepared) -> dict[str, int]:
    return {role.value: count for role, count in prepared.pool if count}


@pytest.fixture
def hero() -> Sheet:
    sheet = new_sheet("Ann", "push-pool")
    sheet = add_counter(sheet, Counter("rope", Kind.GEAR, 1, 1))
    return edit_sheet(sheet, counters=((Kind.ATTRIBUTE, "STR", None, 5), (Kind.SKILL, "Fight", 2, None)))


def test_the_brief_example_of_push_pool(hero: Sheet) -> None:
    hero = edit_sheet(hero, counters=((Kind.ATTRIBUTE, "STR", 5, None),))
    prepared = prepare("push-pool", hero, attribute="STR", skill="Fight", gear="rope")
    assert pool(prepared) == {"base": 5, "skill": 2, "gear": 1}
    assert prepared.context == {"attribute": 5, "attribute_name": "STR", "gear_bonus": 1, "gear_name": "rope"}


def test_push_pool_without_a_sheet_and_below_zero() -> None:
    prepared = prepare("push-pool", attribute=3, skill=1, difficulty=-3, helpers=1, modifier=-1)
    assert pool(prepared) == {"base": 3, "negative": 2}
    assert "attribute_name" not in prepared.context


def test_a_shift_task_brings_its_modifier_and_what_else_it_is() -> None:
    tiles: dict[str, Any] = {"attribute": "C", "skill": "D", "task": "foraging", "season": "winter"}
    assert prepare("step-dice", **tiles, terrain="woods").facts["dice"] == ["D", "D"]
    assert prepare("step-dice", **tiles, terrain="woods", modifier=1).facts["dice"] == ["C", "D"]
    assert prepare("step-dice", **tiles, terrain="lake").reason == "task_impossible"
    assert prepare("step-dice", attribute="C", task="keeping_watch").context == {"passive": True}
    with pytest.raises(BadRequest, match="terrain"):
        prepare("step-dice", attribute="C", task="scrounging", terrain="lake")


def test_a_check_of_a_group_counts_when_all_have_rolled() -> None:
    kind = next(kind for kind in find_system("hits-pool").extended_tests if kind.op == "extended")
    settings = {"target": 6, "limit": 2, "people": 2}

    def stands(*values: Any) -> tuple[Any, Any, bool]:
        answer = find_system("hits-pool").answer("extended", {"context": dict(kind.request(settings, values))})
        return answer["total"], answer["checks"], kind.has_ended(settings, values, answer)

    assert [stands(*(3, 1, 2, 0)[:rolled]) for rolled in range(5)] == [
        (0, 0, False),
        (0, 0, False),
        (4, 1, False),
        (4, 1, False),
        (6, 2, True),
    ]
    assert [kind.rolls_left(settings, (1,) * rolled) for rolled in (0, 3, 4)] == [4, 1, 0]
    assert kind.rolls_left({"target": 6}, (1,)) is None


def test_dice_of_one_colour_are_one_hand() -> None:
    tiles: dict[str, Any] = {"attribute": 3, "skill": 2, "gear": 1, "plain": True}
    assert pool(prepare("push-pool", **tiles)) == {"plain": 6}
    assert pool(prepare("push-pool", **tiles, modifier=-4)) == {"plain": 2}
    assert prepare("push-pool", attribute=1, skill=0, modifier=-2, plain=True).reason == "no_dice"


def test_who_helps_in_a_conflict_is_shown_the_price() -> None:
    def codes(**tiles: Any) -> list[str]:
        return list(prepare("push-pool", attribute=2, skill=1, conflict=True, **tiles).warnings)

    assert codes(helpers=1) == ["helpers_lose_their_action"]
    assert codes() == []
    assert codes(helpers=1, specialist=True) == ["help_on_specialist"]


def test_push_pool_warns_and_refuses_in_words(hero: Sheet) -> None:
    assert prepare("push-pool", attribute=2, skill=1, helpers=4).warnings == ("too_many_helpers",)
    assert prepare("push-pool", attribute=0, skill=1).reason == "broken"
    assert prepare("push-pool", attribute=0, skill=1, rulings={"broken_may_roll": True}).reason is None
    assert prepare("push-pool", attribute=0, rulings={"broken_may_roll": True}).reason == "no_dice"
    assert prepare("push-pool", attribute=2, skill=0, specialist=True).reason == "specialist_untrained"
    tried = mark(hero, "pick the lock", "tried")
    warned = prepare("push-pool", tried, attribute="STR", skill="Fight", deed="pick the lock")
    assert warned.warnings == ("one_shot_used",)
    assert prepare("push-pool", tried, attribute="STR", deed="pick the lock", conflict=True).warnings == ()


def test_step_dice_say_which_are_typed_in() -> None:
    prepared = prepare("step-dice", attribute="A", skill="D", ammo=3)
    assert (pool(prepared), prepared.typed) == ({"base": 1, "ammo": 3}, ((Role.BASE, "A"),))
    assert prepare("step-dice", attribute="C", modifier=1).typed == ((Role.BASE, "C"),)
    assert pool(prepare("step-dice", attribute="C", modifier=1)) == {"base": 1}
    sheet = new_sheet("Kim", "step-dice")
    sheet = edit_sheet(sheet, counters=((Kind.ATTRIBUTE, "AGL", 4, None),))
    prepared = prepare("step-dice", sheet, attribute="AGL", weapon="weapon", passive=True)
    assert prepared.typed == ((Role.BASE, "A"),)
    assert prepared.context == {
        "attribute_name": "AGL",
        "gear": True,
        "gear_name": "weapon",
        "reliability": 5,
        "hp": 5,
        "passive": True,
    }


def test_hits_pool_caps_splits_and_falls_to_a_chance_die() -> None:
    assert pool(prepare("hits-pool", ability=40, penalty=8)) == {"plain": 20}
    assert pool(prepare("hits-pool", ability=24, roll="soak")) == {"plain": 24}
    assert pool(prepare("hits-pool", ability=8, roll="dodge")) == {"plain": 3}
    assert [pool(prepare("hits-pool", ability=11, parts=2, part=part)) for part in (1, 2)] == [
        {"plain": 5},
        {"plain": 6},
    ]
    chance = prepare("hits-pool", ability=2, penalty=5, threshold=1)
    assert (pool(chance), chance.context) == ({"plain": 1}, {"threshold": 1, "chance_die": True})
    assert prepare("hits-pool", ability=0, rulings={"chance_die": "below_zero"}).reason == "no_dice"


def test_highest_die_buys_dice_with_grit() -> None:
    sheet = new_sheet("Zo", "highest-die")
    prepared = prepare("highest-die", sheet, attribute="DEX", own_dice=2, risk="high", assistive=True)
    assert (pool(prepared), prepared.price) == ({"plain": 1, "grit": 2}, (Consequence(Kind.GRIT, by=-4),))
    assert prepared.context == {"attribute_name": "DEX", "risk": "high", "assistive": True}
    assert prepare("highest-die", sheet, attribute="DEX", own_dice=4).reason == "not_enough_grit"
    resist = prepare("highest-die", sheet, attribute="DEX", own_dice=4, roll="resistance", consequence=2)
    assert (resist.price, resist.context["consequence"]) == ((Consequence(Kind.GRIT, by=-4),), 2)
    zero = prepare("highest-die", attribute=0)
    assert (pool(zero), zero.context) == ({"plain": 2}, {"zero_dice": True})
    assert pool(prepare("highest-die", attribute=0, own_dice=1, team_dice=1)) == {"grit": 2}
    stays = prepare("highest-die", attribute=0, own_dice=1, rulings={"zero_rule_stays": True})
    assert (pool(stays), stays.context) == ({"plain": 2, "grit": 1}, {"zero_dice": True})
    lost = edit_sheet(sheet, counters=((Kind.ATTRIBUTE, "DEX", -1, None),))
    assert prepare("highest-die", lost, attribute="DEX").reason == "attribute_lost"


def test_load_changes_the_dice_of_dex_alone() -> None:
    sheet, rulings = new_sheet("Zo", "highest-die"), {"load_changes_dice": True}
    rolled = [prepare("highest-die", sheet, rulings, attribute=name, load="light") for name in ("STR", "DEX", "WIL")]
    assert [pool(prepared) for prepared in rolled] == [{"plain": 1}, {"plain": 2}, {"plain": 1}]
    assert pool(prepare("highest-die", None, rulings, attribute=1, load="light")) == {"plain": 2}


def test_die_code_takes_a_code_or_a_counter_of_pips() -> None:
    prepared = prepare("die-code", code="3d+2", uses=2, band="Moderate")
    assert (pool(prepared), prepared.context) == ({"wild": 1, "plain": 1}, {"code": "2d+2", "difficulty": 11})
    sheet = edit_sheet(new_sheet("Jo", "die-code"), counters=((Kind.SKILL, "dodge", 11, None),))
    assert prepare("die-code", sheet, code="dodge").context["code"] == "3d+2"
    hurt = edit_sheet(sheet, counters=((Kind.RESOURCE, "wounds", 1, None),))
    assert prepare("die-code", hurt, code="dodge").context["code"] == "2d+2"
    assert prepare("die-code", hurt, code="dodge", wounded=False).context["code"] == "3d+2"
    assert prepare("die-code", code="1d", running=True).reason == "cannot_roll"
    lucky = prepare("die-code", sheet, code="3d+2", luck=True)
    assert (lucky.context["code"], lucky.entry, lucky.price) == ("7d+1", (Consequence(Kind.LUCK, by=-1),), ())
    spent = edit_sheet(sheet, counters=((Kind.LUCK, "luck", 0, None),))
    assert prepare("die-code", spent, code="3d+2", luck=True).reason == "no_luck_left"


def test_a_code_doubled_as_it_stands_is_rolled_and_scored() -> None:
    rulings = {"double_literally": True}
    prepared = prepare("die-code", code="1d+2", luck=True, rulings=rulings)
    assert (prepared.context["code"], pool(prepared)) == ("2d+4", {"wild": 1, "plain": 1})
    dice = [{"id": "w", "role": "wild", "value": 2}, {"id": "p", "role": "plain", "value": 3}]
    request: dict[str, Any] = {"dice": dice, "context": dict(prepared.context), "rulings": rulings}
    assert find_system("die-code").answer("total", request)["total"] == 9
    with pytest.raises(BadRequest, match="three pips are a die"):
        find_system("die-code").answer("total", {**request, "rulings": {}})


@pytest.mark.parametrize(
    ("system_id", "tiles", "says"),
    [
        ("die-code", {"code": "3x"}, "3x"),
        ("die-code", {"code": "0d"}, "0d"),
        ("die-code", {"code": "400d"}, "400d"),
        ("die-code", {}, "code is missing"),
        ("step-dice", {"attribute": "E"}, "'E'"),
        ("step-dice", {"attribute": "A", "skill": "E"}, "'E'"),
        ("hits-pool", {"ability": 3, "threshold": -1}, "threshold is -1"),
        ("hits-pool", {"ability": 400}, "ability is 400"),
        ("hits-pool", {"ability": 3, "parts": 2, "part": 3}, "part is 3"),
        ("push-pool", {"attribute": 2, "gun": 1}, "'gun'"),
        ("push-pool", {"attribute": True}, "attribute is True"),
        ("push-pool", {"attribute": 2, "specialist": 1}, "specialist is 1"),
        ("push-pool", {"attribute": "STR"}, "no sheet"),
        ("highest-die", {"attribute": 2, "risk": "grave"}, "'grave'"),
    ],
)
def test_tiles_that_make_no_sense_are_refused_in_one_line(system_id: str, tiles: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRequest) as caught:
        prepare(system_id, **tiles)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@EVERY
def test_every_tile_describes_itself(system: RuleSystem) -> None:
    names = [tile.name for tile in system.tiles]
    assert len(set(names)) == len(names)
    for tile in (*system.tiles, *(field for ask in system.asks for field in ask.fields)):
        described = describe_tile(tile)
        assert json.loads(json.dumps(described)) == described
        assert (tile.kind is TileKind.CHOICE) <= bool(tile.choices)
        assert (tile.kind is TileKind.COUNTER) == bool(tile.counter_kinds)


@EVERY
def test_a_prepared_pool_is_one_that_has_odds(system: RuleSystem) -> None:
    wanted = next(tile for tile in system.tiles if not tile.optional)
    value = {"code": "3d"}.get(wanted.name, "C" if wanted.choices else 3)
    prepared = system.prepare({wanted.name: value}, None, {})
    assert prepared.reason is None
    assert {role for role, _ in prepared.pool} <= set(system.pool_roles)
    levels = tuple(level for _, level in prepared.typed)
    assert set(levels) <= set(system.typed_levels)
    counts = {role.value: count for role, count in prepared.pool}
    odds = system.odds(system.pool_odds_request(counts, levels, prepared.context))
    assert any(name.startswith("p_") for name in odds)


@EVERY
def test_every_test_over_several_rolls_answers_from_its_first_moment(system: RuleSystem) -> None:
    for kind in system.extended_tests:
        settings = {tile.name: tile.default for tile in kind.settings if tile.default is not None}
        for values in ((), (2,), (2, 1)):
            answer = system.answer(kind.op, {"context": dict(kind.request(settings, values))})
            assert "illegal" not in answer
            assert kind.standing_of(settings, answer).word
        assert not kind.has_ended(settings, (), system.answer(kind.op, {"context": dict(kind.request(settings, ()))}))


def test_a_null_tile_is_one_that_was_not_tapped() -> None:
    tapped = Inputs({"a": None}, (number_tile("a", 0, 5, 3),), None)
    assert (tapped.number("a"), tapped.was_tapped("a")) == (3, False)
