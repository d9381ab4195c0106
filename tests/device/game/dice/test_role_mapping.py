"""Colour classes to roles, and layouts to rolls, for every system."""

from dataclasses import replace

import pytest

from device.errors import BadInput
from device.game.dice.role_mapping import colour_of, distinct_roles, interpret, interpret_throw, merge_roles, role_of
from device.game.state.die_history import DieHistory, Whereabouts
from device.game.state.layout import is_same_spread, layout_of
from device.game.state.table_state import Pool, Table
from device.message import message
from rules.dice import Role
from rules.system import find_system
from tests.device.conftest import Dice
from tests.narrowing import english
from vision.types.reading import Unread
from vision.types.sighting import TrackedDie


def pool(**counts: int) -> Pool:
    return Pool(tuple((Role(name), count) for name, count in counts.items()))


@pytest.mark.parametrize(
    ("system", "roles"),
    [
        ("push-pool", {"base": "base", "skill": "skill", "gear": "gear", "spare": None, None: None}),
        ("step-dice", {"base": "base", "gear": "ammo"}),
        ("hits-pool", {"base": "plain", "skill": "plain", "gear": "plain", "spare": "plain", None: "plain"}),
        ("highest-die", {"base": "plain", None: "plain"}),
        ("die-code", {"base": "plain", "skill": "plain", "gear": "wild"}),
    ],
)
def test_each_system_has_a_role_for_each_colour(system: str, roles: dict[str | None, str | None]) -> None:
    reported = {colour: role_of(colour, find_system(system), Table(system)) for colour in roles}
    assert {colour: None if role is None else role.value for colour, role in reported.items()} == roles


GRIT = Table("highest-die", colour_roles={"highest-die": {"gear": "grit"}})


def test_grit_dice_are_known_by_colour_only_where_the_table_gave_them_one() -> None:
    system, declared = find_system("highest-die"), pool(plain=2, grit=1)
    assert distinct_roles(system, Table("highest-die")) == (Role.PLAIN,)
    assert merge_roles(declared, system, Table("highest-die")) == pool(plain=3)
    assert distinct_roles(system, GRIT) == (Role.PLAIN, Role.GRIT)
    assert merge_roles(declared, system, GRIT) == declared
    assert [role_of(colour, system, GRIT) for colour in ("base", "skill", "gear")] == [
        Role.PLAIN,
        Role.PLAIN,
        Role.GRIT,
    ]
    assert role_of(None, system, GRIT) is None, "the colour is needed now"
    assert (colour_of(Role.PLAIN, system, GRIT), colour_of(Role.GRIT, system, GRIT)) == ("base", "gear")


def test_a_missing_grit_die_is_named() -> None:
    lying = layout_of(Dice.rest(Dice.die(1, "base", 3), Dice.die(2, "skill", 4)), None)
    (trouble,) = interpret_throw(lying, find_system("highest-die"), replace(GRIT, pool=pool(plain=1, grit=1))).troubles
    assert english(trouble.text).startswith("One die too many. One grit die is missing.")
    lying = layout_of(Dice.rest(Dice.die(1, "base", 3), Dice.die(2, "gear", 4)), None)
    (trouble,) = interpret_throw(lying, find_system("highest-die"), replace(GRIT, pool=pool(plain=2))).troubles
    assert "One grit die too many." in english(trouble.text)
    assert interpret_throw(lying, find_system("highest-die"), replace(GRIT, pool=pool(plain=1, grit=1))).troubles == ()


def test_a_table_may_choose_otherwise() -> None:
    table = Table("die-code", colour_roles={"die-code": {"skill": "wild", "gear": "plain"}})
    system = find_system("die-code")
    assert [role_of(colour, system, table) for colour in ("base", "skill", "gear")] == [
        Role.PLAIN,
        Role.WILD,
        Role.PLAIN,
    ]


@pytest.mark.parametrize(
    ("declared", "role"),
    [
        (pool(base=2, negative=1), Role.NEGATIVE),
        (pool(base=2, skill=1, negative=1), Role.SKILL),
        (pool(base=2, skill=0, negative=0), Role.SKILL),
        (None, Role.SKILL),
        (pool(plain=3), Role.PLAIN),
    ],
)
def test_the_declared_pool_says_what_the_skill_colour_means(declared: Pool | None, role: Role) -> None:
    assert role_of("skill", find_system("push-pool"), Table("push-pool", declared)) is role


def test_a_role_is_played_by_a_colour_class_or_by_none() -> None:
    push_pool, table = find_system("push-pool"), Table("push-pool")
    reported = [colour_of(role, push_pool, table) for role in (Role.BASE, Role.SKILL, Role.NEGATIVE, Role.GEAR)]
    assert reported == ["base", "skill", "skill", "gear"]
    with pytest.raises(BadInput) as refused:
        colour_of(Role.WILD, push_pool, table)
    assert english(refused.value.args[0]) == english(message("tray.refused.no_dice_of", role="wild"))


def test_readable_dice_become_a_roll() -> None:
    layout = layout_of(Dice.rest(*Dice.FIRST), None)
    read = interpret(layout, find_system("push-pool"), Table("push-pool"))
    assert [(die.id, die.role.value, die.value) for die in read.roll] == [
        ("1", "base", 5),
        ("2", "base", 6),
        ("3", "skill", 1),
        ("4", "gear", 3),
    ]
    assert read.troubles == ()


@pytest.mark.parametrize("unread", [reason for reason in Unread if reason is not Unread.COLOUR_UNCLEAR])
def test_a_die_that_is_unread_says_why_and_what_to_do(unread: Unread) -> None:
    layout = layout_of(Dice.rest(*Dice.FIRST[:3], Dice.die(4, "gear", 3, unread=unread)), None)
    (trouble,) = interpret(layout, find_system("push-pool"), Table("push-pool")).troubles
    assert (trouble.code, trouble.dice) == (unread.value, (4,))
    assert "tap it" in english(trouble.text) or "tap the die" in english(trouble.text)


def test_an_unclear_colour_matters_only_where_colours_do() -> None:
    layout = layout_of(Dice.rest(Dice.die(1, None, 4, unread=Unread.COLOUR_UNCLEAR)), None)
    (trouble,) = interpret(layout, find_system("push-pool"), Table("push-pool")).troubles
    assert trouble.code == "colour_unclear"
    plain = interpret(layout, find_system("hits-pool"), Table("hits-pool"))
    assert (len(plain.roll), plain.troubles) == (1, ())


def test_dice_that_the_rules_do_not_roll_are_named() -> None:
    layout = layout_of(Dice.rest(*Dice.FIRST), None)
    (trouble,) = interpret(layout, find_system("step-dice"), Table("step-dice")).troubles
    assert (trouble.code, trouble.dice) == ("wrong_role_count", (3,))
    assert "don't use skill dice" in english(trouble.text)


def test_a_pool_of_the_right_dice_is_no_trouble() -> None:
    layout = layout_of(Dice.rest(*Dice.FIRST), None)
    table = Table("push-pool", pool(base=2, skill=1, gear=1))
    assert interpret_throw(layout, find_system("push-pool"), table).troubles == ()


def test_a_missing_die_is_named_by_its_role() -> None:
    layout = layout_of(Dice.rest(*Dice.FIRST[:3]), None)
    (trouble,) = interpret_throw(
        layout, find_system("push-pool"), Table("push-pool", pool(base=2, skill=1, gear=1))
    ).troubles
    assert trouble.code == "wrong_dice_count"
    assert english(trouble.text).startswith("One gear die is missing.")


def test_dice_that_cannot_be_read_are_not_counted_yet() -> None:
    unknown = Dice.die(4, None, 3, unread=Unread.COLOUR_UNCLEAR)
    layout = layout_of(Dice.rest(*Dice.FIRST[:3], unknown), None)
    found = interpret_throw(layout, find_system("push-pool"), Table("push-pool", pool(base=5))).troubles
    assert [(trouble.code, trouble.dice) for trouble in found] == [("colour_unclear", (4,))]


def test_a_trail_follows_each_die() -> None:
    first = layout_of(Dice.rest(*Dice.FIRST), None)
    die_history = DieHistory.start(first).follow(
        first, layout_of(Dice.rest(*Dice.LEFT, Dice.die(3, "skill", 1, (330, 300), True)), first)
    )
    assert [where for _, where in die_history.steps] == [
        Whereabouts.GONE,
        Whereabouts.LYING,
        Whereabouts.SHIFTED,
        Whereabouts.GONE,
    ]
    assert die_history.moved == {1: True, 2: False, 3: False, 4: True}
    assert die_history.left == (2, 3)
    assert not die_history.has_throw
    back = die_history.follow(first, layout_of(Dice.rest(*Dice.FIRST), first))
    assert back.only(Whereabouts.THROWN) == (1, 4)


def test_a_spread_is_the_same_only_where_nothing_came_moved_or_turned() -> None:
    first = layout_of(Dice.rest(*Dice.FIRST), None)

    def same(*lying: TrackedDie) -> bool:
        return is_same_spread(first, layout_of(Dice.rest(*lying), None))

    assert same(*Dice.FIRST)
    assert same(*Dice.FIRST[1:3])
    assert same(Dice.die(9, "base", 5, (110, 300)))
    assert not same(Dice.die(1, "base", 4, (100, 300)))
    assert not same(Dice.die(1, "base", 5, (160, 300)))
    assert not same(Dice.FIRST[0], Dice.die(5, "base", 5, (100, 300)))


@pytest.mark.parametrize(
    ("counts", "key"),
    [
        ({"base": -1}, "tray.refused.pool_number"),
        ({"base": 21}, "tray.refused.pool_number"),
        ({"base": True}, "tray.refused.pool_number"),
        ({"wild": 1}, "tray.refused.pool_role"),
    ],
)
def test_a_pool_that_cannot_be_is_refused(counts: dict[str, int], key: str) -> None:
    with pytest.raises(BadInput) as refused:
        Pool.from_counts(counts, (Role.BASE, Role.GEAR))
    assert refused.value.args[0].key == key


def test_a_pool_of_no_dice_is_no_declaration() -> None:
    assert Pool.from_counts({"base": 0}, (Role.BASE,)) is None
    assert Pool.from_counts({}, (Role.BASE,)) is None
