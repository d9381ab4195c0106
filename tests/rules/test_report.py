"""What an outcome means for a display: its lines by name; unknown is never shown as nothing."""

import pytest

from rules.facts import Facts
from rules.report import Line, OddsLine, Tone, shown_chances
from rules.system import find_system

UNDIVIDED: Facts = {"damage": None, "stress": None, "reliability_loss": 0, "stress_or_reliability": 0}


def named(lines: tuple[Line, ...] | None) -> dict[str, tuple[int | None, int | None]] | None:
    return None if lines is None else {line.name: (line.count, line.after) for line in lines}


@pytest.mark.parametrize(
    ("system", "facts", "gains", "costs"),
    [
        ("push-pool", {"trauma": 0, "gear_damage": 0}, {}, {}),
        (
            "push-pool",
            {"trauma": 1, "attribute_after": 0, "broken": True, "gear_damage": 0},
            {},
            {"trauma": (1, 0), "broken": (None, None)},
        ),
        (
            "push-pool",
            {"trauma": 0, "gear_damage": 2, "gear_bonus_after": 0, "gear_broken": True},
            {},
            {"gear_damage": (2, 0), "gear_broken": (None, None)},
        ),
        (
            "push-pool",
            {"stunts": 2, "botch": True, "botch_severity": 3},
            {"stunts": (2, None), "botch": (None, None)},
            None,
        ),
        (
            "step-dice",
            {"damage": 2, "hp_after": 1, "stress": 0, "reliability_loss": 1, "reliability_after": 3},
            {},
            {"damage": (2, 1), "reliability_loss": (1, 3)},
        ),
        ("step-dice", {**UNDIVIDED, "damage_or_stress": 1}, {}, {"damage_or_stress": (1, None)}),
        ("step-dice", {**UNDIVIDED, "base_ones": 1}, {}, {"damage_or_stress": (1, None)}),
        ("step-dice", {"extra": 1}, {"extra": (1, None)}, None),
        (
            "hits-pool",
            {"net_misses": 1, "critical_miss": True},
            {"net_misses": (1, None), "critical_miss": (None, None)},
            None,
        ),
        ("die-code", {"pending": "reroll_wild"}, {"reroll_wild": (None, None)}, None),
        ("highest-die", {"outcome": "full"}, {}, None),
    ],
)
def test_an_outcome_has_its_lines(system: str, facts: Facts, gains: object, costs: object) -> None:
    report = find_system(system).report(facts, {})
    assert (named(report.gains), named(report.costs)) == (gains, costs)


def test_what_a_push_costs_at_least_is_known_before_it_or_unknown() -> None:
    cases: tuple[tuple[str, Facts, object], ...] = (
        ("push-pool", {"push_costs": {"trauma": 2, "gear_damage": 0}}, {"trauma": (2, None)}),
        ("push-pool", {"push_costs": {"trauma": 0, "gear_damage": 0}}, {}),
        ("push-pool", {}, None),
        ("step-dice", {"push_costs": {**UNDIVIDED, "damage_or_stress": 1}}, {"damage_or_stress": (1, None)}),
        ("hits-pool", {}, None),
    )
    for system, facts, due in cases:
        assert named(find_system(system).report(facts, {}).next_costs) == due


def test_only_harm_is_added_up() -> None:
    facts: Facts = {"trauma": 3, "attribute_after": 0, "broken": True, "gear_damage": 0}
    assert [line.name for line in find_system("push-pool").report(facts, {}).harm] == ["trauma"]


def test_odds_that_are_unknown_or_cannot_happen_have_no_row() -> None:
    lines = (
        OddsLine("p_success"),
        OddsLine("p_draw"),
        OddsLine("p_harm", Tone.BAD, (1,)),
        OddsLine("p_hits", counts=(1, 2)),
    )
    odds: Facts = {"p_success": "1/2", "p_draw": None, "p_harm": {"1": "0"}, "p_hits": {"0": "1", "1": "1/2"}}
    assert [(row.line.name, row.count, row.fraction) for row in shown_chances(lines, odds)] == [
        ("p_success", None, "1/2"),
        ("p_hits", 1, "1/2"),
    ]
