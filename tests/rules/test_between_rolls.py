"""What tables track between the rolls: recovery, load, experience, a new hero's points, levels."""

from typing import Any

import pytest

from rules.errors import BadRequest
from rules.facts import JsonValue
from rules.sheet import Consequence, Kind
from rules.system import Facts, find_system
from tests.rules.asking import holds


def ask(system: str, op: str, **context: Any) -> Facts:
    return find_system(system).answer(op, {"context": context})


@pytest.mark.parametrize(
    ("name", "resource"), [("STR", "grub"), ("AGL", "water"), ("WIT", "sleep"), ("EMP", "sympathy")]
)
def test_each_attribute_is_recovered_by_its_own_resource(name: str, resource: str) -> None:
    facts = ask("push-pool", "recover", attribute_name=name, attribute=1, base=3, amount=5)
    holds(facts, attribute_after=3, recovered=2, resource=resource)


@pytest.mark.parametrize(
    ("there", "amount", "recovered"), [({"grub": 1}, 2, 1), ({"grub": 5}, 2, 2), ({"water": 0}, 2, 2), ({}, 1, 1)]
)
def test_what_is_carried_is_used_up_and_no_more_than_there_is(
    there: dict[str, int], amount: int, recovered: int
) -> None:
    facts = ask("push-pool", "recover", attribute_name="STR", attribute=0, base=3, amount=amount, resources=there)
    holds(facts, recovered=recovered, attribute_after=recovered)
    request = {"attribute_name": "STR"}
    eaten = [item for item in find_system("push-pool").consequences(facts, request) if item.kind is Kind.RESOURCE]
    assert eaten == [Consequence(Kind.RESOURCE, by=-recovered, name="grub")]


def test_nothing_is_recovered_without_its_resource_and_sleep_is_found_anywhere() -> None:
    hurt = {"attribute": 1, "base": 3, "resources": {"grub": 0, "sleep": 0}}
    assert ask("push-pool", "recover", attribute_name="STR", **hurt)["illegal"] == "no_resource_left"
    holds(ask("push-pool", "recover", attribute_name="WIT", **hurt), recovered=1)


@pytest.mark.parametrize(
    ("items", "rows", "endure"),
    [
        ({"regular": 6}, 6, False),
        ({"regular": 7}, 7, True),
        ({"heavy": 3}, 6, False),
        ({"light": 5, "regular": 3}, 6, False),
        ({"regular": 4, "rations": 9}, 7, True),
        ({"regular": 5, "light": 1, "rations": 2}, 6, False),
        ({"regular": 5, "light": 1, "rations": 3}, 7, True),
    ],
)
def test_load(items: dict[str, int], rows: int, endure: bool) -> None:
    holds(ask("push-pool", "load", base=3, **items), rows=rows, most=6, endure_roll=endure)


def test_five_points_raise_a_skill() -> None:
    holds(ask("push-pool", "experience", xp=2, yes=3, level=1), may_rise=True, xp_after=0, level_after=2)
    holds(ask("push-pool", "experience", xp=4, level=1), may_rise=False, xp_after=4, level_after=1)
    holds(ask("push-pool", "experience", xp=9, level=5), may_rise=False, level_after=5)
    holds(ask("push-pool", "experience", xp=5), may_rise=True, level_after=None)


def test_a_new_hero() -> None:
    attributes = {"STR": 2, "AGL": 5, "WIT": 3, "EMP": 4}
    skills = {"Stealth": 3, "Shoot": 3, "Notice": 3, "Inspire": 1}
    made = ask("push-pool", "creation", key_attribute="AGL", attributes=attributes, skills=skills)
    holds(made, complete=True, attribute_points_left=0, skill_points_left=0, out_of_range=[])
    made = ask("push-pool", "creation", key_attribute="STR", attributes=attributes, skills={"Stealth": 4})
    holds(made, complete=False, out_of_range=["AGL", "Stealth"], skill_points_left=6)


def test_one_shot_is_warned_of_and_never_forbidden() -> None:
    holds(ask("push-pool", "one_shot", tried_before=True), can_roll=True, warnings=["one_shot_used"])
    for excuse in ("conflict", "circumstances_changed"):
        holds(ask("push-pool", "one_shot", tried_before=True, **{excuse: True}), warnings=[])
    holds(ask("push-pool", "one_shot"), warnings=[])


@pytest.mark.parametrize(
    ("context", "level", "left", "rank"),
    [
        ({"level": 1, "xp": 2}, 1, 2, 1),
        ({"level": 1, "xp": 7}, 3, 1, 1),
        ({"level": 9, "xp": 3}, 10, 0, 2),
        ({"level": 49}, 49, 0, 5),
        ({"level": 72}, 72, 0, 6),
    ],
)
def test_levels_and_ranks(context: dict[str, JsonValue], level: int, left: int, rank: int) -> None:
    holds(ask("hits-pool", "level", **context), level=level, xp_left=left, rank=rank)


def test_one_perk_point_may_be_kept() -> None:
    holds(ask("hits-pool", "level", xp=3, banked=1), perk_points=2, must_spend=1)
    holds(ask("hits-pool", "level", xp=3), perk_points=1, must_spend=0)


@pytest.mark.parametrize(
    ("system", "op", "context"),
    [
        ("push-pool", "recover", {"attribute_name": "LUCK", "attribute": 1, "base": 3}),
        ("push-pool", "recover", {"attribute_name": "STR", "attribute": 4, "base": 3}),
        ("push-pool", "load", {"base": 3, "regular": -1}),
        ("push-pool", "experience", {"yes": 8}),
        ("push-pool", "creation", {"key_attribute": "STR", "attributes": {"STR": 3}}),
        ("push-pool", "creation", {"key_attribute": "STR", "attributes": 3}),
        ("push-pool", "one_shot", {"tried_before": "yes"}),
        ("hits-pool", "level", {"level": 0}),
    ],
)
def test_nonsense_is_refused(system: str, op: str, context: dict[str, JsonValue]) -> None:
    with pytest.raises(BadRequest, match=r"^context\."):
        ask(system, op, **context)
