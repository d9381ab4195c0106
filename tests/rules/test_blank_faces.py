"""A blank face adds nothing: no success, no bane, no 1, no 6."""

import json
from typing import Any

import pytest

from rules.answering import Question, answer_line
from rules.dice import BLANK, Die, Role
from rules.errors import BadRequest


def answer_of(question: Question = Question.SCORE, **fields: object) -> Any:
    return json.loads(answer_line(json.dumps(fields), question).text)


def dice(role: str, *values: int) -> list[dict[str, object]]:
    """Return dice of a role; the value 0 is a blank face."""
    return [
        {"id": f"{role}{place}", "role": role, "value": value, **({"face": "blank"} if value == BLANK else {})}
        for place, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("system", "role", "values", "context", "facts"),
    [
        ("push-pool", "base", (6, 1, 0), {}, {"successes": 1, "base_ones": 1, "must_reroll": ["base2"]}),
        ("push-pool", "negative", (0, 0), {}, {"successes": 0, "negative_sixes": 0}),
        ("push-pool", "plain", (6, 0, 0), {}, {"successes": 1, "botch": False}),
        ("step-dice", "base", (6, 0), {}, {"successes": 1, "base_ones": 0}),
        ("hits-pool", "plain", (5, 0, 0, 0), {"threshold": 1}, {"hits": 1, "ones": 0, "critical_miss": False}),
        ("hits-pool", "plain", (0,), {"chance_die": True}, {"hits": 0, "sixes": 0}),
        ("highest-die", "plain", (0, 0), {}, {"outcome": "failure", "counted": 0}),
        ("highest-die", "plain", (0, 5), {}, {"outcome": "mixed", "counted": 5}),
        ("highest-die", "plain", (0, 6), {"zero_dice": True}, {"outcome": "failure", "counted": 0}),
        ("highest-die", "plain", (0, 6), {"consequence": 2}, {"reduction": 2}),
        ("die-code", "plain", (0, 5, 6), {"code": "3d+2"}, {"total": 13, "pending": None}),
        ("die-code", "plain", (6, 5, 0), {"code": "3d+2", "wild_rerolls": [0]}, {"total": 13, "pending": None}),
    ],
)
def test_a_blank_face_adds_nothing(
    system: str, role: str, values: tuple[int, ...], context: dict[str, object], facts: dict[str, object]
) -> None:
    result = answer_of(system=system, op="score", dice=dice(role, *values), context=context)["result"]
    assert {name: result[name] for name in facts} == facts


def test_a_blank_die_is_thrown_again_in_a_push_and_counted_in_its_odds() -> None:
    table = dice("base", 6, 0)
    pushed = answer_of(system="push-pool", op="push", dice=table, after_push=dice("base", 6, 0))["result"]
    assert (pushed["successes"], pushed["trauma"]) == (1, 0)
    assert answer_of(Question.ODDS, system="push-pool", table=table)["result"]["expected_successes"] == "7/6"


def test_a_blank_may_lack_its_value_and_only_a_six_sided_die_has_one() -> None:
    blank = {"id": "a", "role": "base", "value": None, "face": "blank"}
    assert answer_of(system="push-pool", op="score", dice=[blank])["result"]["successes"] == 0
    assert "value is 2" in answer_of(system="push-pool", op="score", dice=[{**blank, "value": 2}])["error"]
    assert "value is 0" in answer_of(system="step-dice", op="score", dice=[{**blank, "value": 0, "sides": 8}])["error"]
    with pytest.raises(BadRequest, match="d8 shows 1 to 8"):
        Die("a", Role.BASE, BLANK, 8)
