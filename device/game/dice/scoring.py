"""Score dice at rest by the rules: an outcome, or every reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from device.game.dice.role_mapping import interpret, interpret_throw, typed_troubles
from device.game.state.exploding_die import ExplodingDie, unrolled
from device.game.state.layout import Layout
from device.game.state.manual_dice import FIRST_TYPED_ID, not_seen, typed_roll
from device.game.state.problems import CANNOT_SCORE, MAYBE_NOT_ROLLED, WRONG_COUNT, Issue
from device.game.state.states import AwaitingPush, Resolved, Result, Scored
from device.game.state.table_state import Table
from device.message import Message, Text, message, message_or, word
from device.rule_messages import refusal_text, system_title
from rules.dice import Die, Roll
from rules.errors import BadRequest
from rules.system import Facts, IllegalPlay, JsonValue, Outcome, RuleSystem, find_system


@dataclass(frozen=True, slots=True)
class ScoringResult:
    roll: Roll
    outcome: Outcome | None
    troubles: tuple[Issue, ...] = ()
    is_unreadable: bool = False


def judge_first(table: Table, layout: Layout, exploding: ExplodingDie | None = None) -> ScoringResult:
    """Score dice before any push; they must match a declared pool exactly."""
    system = find_system(table.system)
    read = interpret_throw(layout, system, table)
    if read.troubles:
        return ScoringResult((), None, read.troubles, is_unreadable=True)
    lying = _with_typed(read.roll, table)
    roll, context = (lying, table.context) if exploding is None else unrolled(lying, table.context, exploding, system)
    return _result(system, lying, (), lambda: system.score(roll, context, _rulings(table)))


def judge_push(push: AwaitingPush, table: Table, layout: Layout) -> ScoringResult:
    """Score the tray after a push, or return how it was played wrong, once every die can be read."""
    first = push.first
    table = replace(table, pool=first.pool)
    system = find_system(table.system)
    read = interpret(layout, system, table)
    if read.troubles:
        return ScoringResult((), None, read.troubles, is_unreadable=True)
    missing = len(first.layout.dice) - len(layout.dice)
    if missing:
        return ScoringResult((), None, (_wrong_count(push, layout, missing),))
    untyped = typed_troubles(not_seen(table.typed, first.layout)) if table.typed else ()
    if untyped:
        return ScoringResult((), None, untyped, is_unreadable=True)
    moved = push.die_history.moved
    thrown = tuple(replace(die, moved=moved.get(int(die.id), True)) for die in read.roll)
    after = _with_typed(thrown, table)
    stayed = tuple(die for die in first.roll if die.id in first.outcome.locked)
    facts = facts_of_push(push, system.id, table.context)
    judged = _result(system, after, stayed, lambda: system.push(first.roll, after, facts, _rulings(table)))
    going = {(die.id, die.value) for die in first.roll if die.id in first.outcome.must_reroll}
    unsure = tuple(die for die in thrown if die.moved is None and (die.id, die.value) in going)
    if judged.outcome is None or not unsure:
        return judged
    text = message("tray.problem.maybe_not_rolled", count=len(unsure), named=_named(unsure))
    return ScoringResult(judged.roll, None, (Issue(MAYBE_NOT_ROLLED, text, tuple(int(die.id) for die in unsure)),))


def _with_typed(roll: Roll, table: Table) -> Roll:
    return (*roll, *typed_roll(table.typed)) if table.typed else roll


def judge_again(result: Scored | Resolved, table: Table, layout: Layout) -> ScoringResult:
    """Score corrected dice of a result by what it counted by."""
    if isinstance(result, Resolved):
        return judge_push(result.push, table.by(result.terms, result.pool), layout)
    return judge_first(replace(table, pool=result.pool), layout, result.exploding)


def context_of(result: Result, system: str, context: Facts) -> Facts:
    """Return the facts that a result was scored by; `context` are those of a first throw."""
    return facts_of_push(result.push, system, result.terms.context) if isinstance(result, Resolved) else context


def facts_of_push(push: AwaitingPush, system: str, context: Facts) -> Facts:
    """Return the facts of a push: the table's facts after the previous push, and the number of earlier pushes."""
    facts: dict[str, JsonValue] = {**context, "pushes": push.first.pushes}
    if isinstance(push.first, Resolved):
        reached = push.first.outcome.facts
        for name, fact in find_system(system).follow_on.items():
            if name in facts and reached.get(fact) is not None:
                facts[name] = reached[fact]
    return facts


def _result(system: RuleSystem, roll: Roll, stayed: Roll, ask: Callable[[], Outcome | IllegalPlay]) -> ScoringResult:
    try:
        answer = ask()
    except BadRequest as error:
        why = refusal_text(error, system)
        text = message("tray.problem.cannot_score", system=system_title(system.id), error=why)
        return ScoringResult(roll, None, (Issue(CANNOT_SCORE, text),))
    if isinstance(answer, Outcome):
        return ScoringResult(roll, answer)
    dice = tuple(int(die_id) for die_id in answer.dice)
    return ScoringResult(roll, None, (Issue(answer.reason, wrong_play_text(answer, roll, stayed), dice),))


def wrong_play_text(play: IllegalPlay, roll: Roll, stayed: Roll) -> Message:
    """Return what was played wrong and its cure in one sentence; `stayed` are the locked dice as they lay before."""
    named = _named(tuple(die for die in roll if die.id in play.dice), stayed)
    reason = word(play.reason)
    return message_or(
        message("tray.problem.forbidden", reason=reason, named=named), f"tray.problem.{play.reason}", named=named
    )


def _named(dice: tuple[Die, ...], stayed: Roll = ()) -> Text:
    before = {die.id: die.value for die in stayed}

    def words(die: Die) -> Message:
        was, role = before.get(die.id, die.value), word(die.role.value)
        if was == die.value:
            return message("tray.problem.die", role=role, value=die.value)
        return message("tray.problem.die_was", role=role, value=die.value, was=was)

    if not dice:
        return ""
    named = words(dice[0])
    for die in dice[1:]:
        named = message("list.comma", first=named, second=words(die))
    return message("tray.problem.named", dice=named)


def _wrong_count(push: AwaitingPush, layout: Layout, missing: int) -> Issue:
    lying, expected = len(layout.dice), len(push.first.layout.dice)
    if missing > 0:
        seen = {die.id for die in layout.dice}
        gone = tuple(die for die in push.first.roll if int(die.id) not in seen and int(die.id) < FIRST_TYPED_ID)
        text = message("tray.problem.missing", lying=lying, expected=expected, count=missing, named=_named(gone))
        return Issue(WRONG_COUNT, text, tuple(int(die.id) for die in gone))
    return Issue(WRONG_COUNT, message("tray.problem.surplus", lying=lying, expected=expected), push.die_history.added)


def _rulings(table: Table) -> Facts:
    return table.rulings.get(table.system, {})
