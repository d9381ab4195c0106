"""Shared by the tests of every rule system: call it, score and push dice with it, compare some keys of an answer."""

from collections.abc import Callable
from typing import Any

from rules.dice import Roll
from rules.facts import JsonValue
from rules.system import Facts, Outcome, RuleSystem


def holds(facts: Facts, **expected: object) -> None:
    """Compare the named keys, and no others."""
    assert {key: facts[key] for key in expected} == expected


def asker(system: RuleSystem) -> Callable[..., Facts]:
    def ask(op: str, rulings: dict[str, JsonValue] | None = None, **context: Any) -> Facts:
        return system.answer(op, {"context": context, "rulings": rulings or {}})

    return ask


def scorer(system: RuleSystem) -> Callable[..., Outcome]:
    def score(dice: Roll, rulings: dict[str, JsonValue] | None = None, **context: Any) -> Outcome:
        outcome = system.score(dice, context, rulings or {})
        assert isinstance(outcome, Outcome)
        return outcome

    return score


def pusher(system: RuleSystem) -> Callable[..., Outcome]:
    def push(
        before: Roll,
        after: Roll,
        context: dict[str, JsonValue] | None = None,
        rulings: dict[str, JsonValue] | None = None,
    ) -> Outcome:
        outcome = system.push(before, after, context or {}, rulings or {})
        assert isinstance(outcome, Outcome), outcome
        return outcome

    return push
