"""What the display and the command line expect of every system."""

import json
from collections.abc import Iterator
from fractions import Fraction

import pytest

from rules.dice import Die, Role, Roll
from rules.errors import BadRequest
from rules.facts import JsonValue
from rules.report import shown_chances
from rules.rulings import describe, resolve_rulings
from rules.system import DEFAULT_SYSTEM_ID, IllegalPlay, Outcome, RuleSystem, as_facts, find_system, systems

EVERY = pytest.mark.parametrize("system", systems(), ids=lambda system: system.id)


def a_roll(system: RuleSystem) -> Roll:
    """Return one die of the first role that a pool of this system counts."""
    return (Die("x", system.pool_roles[0], 4),)


def ruling_choices(system: RuleSystem) -> Iterator[tuple[str, JsonValue]]:
    for ruling in system.rulings:
        for choice in ruling.choices or (ruling.low, ruling.high):
            yield ruling.name, choice


def test_the_five_systems_of_the_contract_are_there_the_default_first() -> None:
    ids = [system.id for system in systems()]
    assert ids[0] == DEFAULT_SYSTEM_ID
    assert {"push-pool", "step-dice", "hits-pool", "highest-die", "die-code"} <= set(ids)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("system_id", ["chess", "", "PUSH-POOL", "x" * 500])
def test_a_system_that_there_is_not(system_id: str) -> None:
    with pytest.raises(BadRequest, match="is unknown: give one of push-pool") as caught:
        find_system(system_id)
    assert len(str(caught.value)) < 200


@EVERY
def test_a_roll_is_scored_without_any_context(system: RuleSystem) -> None:
    outcome = system.score(a_roll(system), {}, {})
    assert isinstance(outcome, Outcome)
    number, word = outcome.headline
    assert isinstance(number, int)
    assert word
    assert json.loads(json.dumps(outcome.facts)) == outcome.facts
    assert outcome.facts["push"] == {"eligible": outcome.push.eligible, "reason": outcome.push.reason.value}
    assert as_facts(outcome) is outcome.facts


@EVERY
def test_an_op_that_there_is_not(system: RuleSystem) -> None:
    with pytest.raises(BadRequest, match=f"{system.id} answers"):
        system.answer("whistle", {})


@pytest.mark.parametrize("system_id", ["die-code", "highest-die", "hits-pool"])
def test_a_system_that_has_no_push(system_id: str) -> None:
    system = find_system(system_id)
    assert system.answer("push", {}) == {"illegal": "system_has_no_push"}
    assert system.push(a_roll(system), a_roll(system), {}, {}) == IllegalPlay("system_has_no_push")


@EVERY
def test_a_push_is_answered(system: RuleSystem) -> None:
    before = a_roll(system)
    answer = system.push(before, (Die("x", before[0].role, 2),), {}, {})
    if isinstance(answer, IllegalPlay):
        assert as_facts(answer) == {"illegal": "system_has_no_push", "dice": []}
    else:
        assert not answer.push.eligible


@EVERY
def test_no_roll_is_scored_without_dice(system: RuleSystem) -> None:
    with pytest.raises(BadRequest, match=r"dice|die"):
        system.score((), {}, {})


@EVERY
def test_every_choice_of_every_ruling_can_be_played(system: RuleSystem) -> None:
    tried = list(ruling_choices(system))
    assert tried
    for name, choice in tried:
        assert isinstance(system.score(a_roll(system), {}, {name: choice}), Outcome)


@EVERY
def test_rulings_are_distinguished_and_described(system: RuleSystem) -> None:
    names = [ruling.name for ruling in system.rulings]
    assert len(set(names)) == len(names)
    for ruling in system.rulings:
        assert ruling.default in (ruling.choices or range(ruling.low or 0, (ruling.high or 0) + 1))
        reported = describe(system.id, ruling)
        assert json.loads(json.dumps(reported)) == reported


@EVERY
def test_a_ruling_of_another_name_or_kind_is_refused(system: RuleSystem) -> None:
    with pytest.raises(BadRequest, match="is unknown: this system has"):
        resolve_rulings(system.rulings, {"moon_phase": True})
    wrong_choices: tuple[JsonValue, ...] = ("purple", 3.5, 99, [], None)
    for ruling in system.rulings:
        for wrong in wrong_choices:
            if wrong is None:
                resolve_rulings(system.rulings, {ruling.name: wrong})
            else:
                with pytest.raises(BadRequest, match=f"ruling {ruling.name} is "):
                    resolve_rulings(system.rulings, {ruling.name: wrong})


@EVERY
def test_roles_and_sheet(system: RuleSystem) -> None:
    assert system.pool_roles
    assert all(isinstance(role, Role) for role in system.pool_roles)
    assert system.sheet
    kinds = {counter.kind for counter in system.sheet}
    for restored in system.rests.values():
        assert set(restored) <= kinds
    assert all(consequence.changes_nothing for consequence in system.consequences({}, {}))


@EVERY
def test_odds_are_shown_by_rows_that_the_odds_have(system: RuleSystem) -> None:
    pool = {role.value: 2 for role in system.pool_roles[:2]}
    odds = system.odds({"system": system.id, **system.pool_odds_request(pool, (), {})})
    assert [
        line.name for line in system.odds_lines if line.name not in odds and line.name not in ("p_success", "p_draw")
    ] == []
    rows = list(shown_chances(system.odds_lines, odds))
    assert rows
    assert all(Fraction(row.fraction) > 0 for row in rows if row.count is not None)


@EVERY
def test_an_example_pool_is_of_roles_that_a_pool_counts(system: RuleSystem) -> None:
    assert set(system.example_pool) <= set(system.pool_roles)
