"""Complete a transition: score its dice, and make the next state and the rows of the log."""

from dataclasses import replace

from device.game.dice.scoring import context_of, facts_of_push, judge_again, judge_first, judge_push
from device.game.state.die_history import DieHistory
from device.game.state.effects import Commit, CorrectedDie, LogRow, Refuse, RowKind
from device.game.state.layout import Layout
from device.game.state.manual_dice import with_values_of
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Resolved,
    Result,
    Rolling,
    Scored,
    ThrownWithoutPush,
    UnreadPush,
    Unscored,
    WithDice,
    lying_dice,
)
from device.game.state.table_state import Table
from device.game.state.transition import (
    Reached,
    Rescore,
    RescorePush,
    ScoreFirst,
    ScoreOverride,
    ScorePush,
    ScoringOrder,
)
from device.game.state.tray import Tray


def complete(order: ScoringOrder) -> Reached:
    """Score a transition's dice and return the next state."""
    match order:
        case ScoreFirst():
            return _first(order)
        case Rescore():
            return _rescored(order)
        case ScorePush():
            return _thrown(order)
        case RescorePush():
            return _rescored_push(order)
        case ScoreOverride():
            return _overridden(order)


def undone_rows(tray: Tray, was: Tray) -> tuple[LogRow, ...]:
    """Return the log row of a roll restored by an undo, if the undone press wrote rows."""
    (result, table), (undone, table_then) = _result_of(tray), _result_of(was)
    if result is not None and (undone is None or undone.pushes == result.pushes):
        return (_result_row(RowKind.UNDONE, result, table),)
    # The press had led to a result, or to that of a push.
    if undone is None:
        return ()
    layout = replace(undone.layout, dice=()) if isinstance(tray.dice, Empty | Rolling) else lying_dice(tray.dice)
    return (replace(_result_row(RowKind.UNDONE, undone, table_then), layout=layout, roll=(), outcome=None),)


def _result_of(tray: Tray) -> tuple[Scored | Resolved | None, Table]:
    """Return the result that lies there or is being pushed, and the table that it was scored by."""
    match tray.dice:
        case Scored() | Resolved() as result:
            return result, tray.table
        case (AwaitingPush() as push) | UnreadPush(push=push):
            return push.first, replace(tray.table, context=push.terms.context)
        case ThrownWithoutPush(result=result):
            return result, tray.table
        case _:
            return None, tray.table


def _first(order: ScoreFirst) -> Reached:
    tray, layout, number, exploding = order.tray, order.layout, order.number, order.exploding
    table = tray.table
    rows: tuple[LogRow, ...] = ()
    if order.corrected is not None:
        roll = table.next_roll if number is None else number
        rows = (_override_row(table, roll, layout, order.corrected),)
    judged = judge_first(table, layout, exploding)
    if judged.outcome is None:
        unscored = Unscored(layout, judged.troubles, number=number, exploding=exploding)
        if order.before is not None and (order.only_result or unscored == order.before):
            return Reached(replace(tray, dice=order.before))
        return Reached(replace(tray, dice=unscored), (Commit(rows),))
    scored = Scored(
        number=table.next_roll if number is None else number,
        pool=table.pool,
        layout=layout,
        roll=judged.roll,
        outcome=judged.outcome,
        die_history=DieHistory.start(layout),
        exploding=exploding,
    )
    kind = RowKind.CONTINUED if exploding is not None else RowKind.SCORED if number is None else RowKind.REVISED
    commit = Commit((*rows, _result_row(kind, scored, table)))
    after = order.table_after or (table if number is not None else replace(table, next_roll=table.next_roll + 1))
    return Reached(replace(tray, dice=scored, table=after), (commit,))


def _rescored(order: Rescore) -> Reached:
    result, before, table = order.result, order.before.table, order.tray.table
    if order.fits is not None:
        fit = judge_first(order.fits, result.layout)
        if fit.outcome is None:
            return order.otherwise or Reached(order.before, (Refuse("bad_context", fit.troubles[0].text),))
    pool = table.pool if table.system != before.system or table.pool != before.pool else result.pool
    exploding = result.exploding if table.system == before.system else None
    judged = judge_first(replace(table, pool=pool), result.layout, exploding)
    if judged.outcome is None:
        unscored = Unscored(result.layout, judged.troubles, number=result.number, exploding=exploding)
        return Reached(replace(order.tray, dice=unscored), (Commit(),))
    scored = replace(result, pool=pool, roll=judged.roll, outcome=judged.outcome, exploding=exploding)
    changed = (scored.roll, scored.outcome, table.system) != (result.roll, result.outcome, before.system)
    row = _result_row(RowKind.REVISED, scored, table)
    return Reached(replace(order.tray, dice=scored), (Commit((row,) if changed else ()),))


def _thrown(order: ScorePush, rows: tuple[LogRow, ...] = ()) -> Reached:
    """Complete a push; `rows` are written before the result's own row."""
    tray, first = order.tray, order.push.first
    if order.corrected is not None:
        rows = (_push_row(order.push, tray.table, order.layout, order.corrected),)
    # An added die that must go is assumed to be in the hand: the camera cannot see it stay.
    layout = order.layout.without_unseen([int(die_id) for die_id in first.outcome.must_reroll])
    push = replace(order.push, after=layout, troubles=())
    judged = judge_push(push, tray.table, layout)
    if judged.outcome is None:
        if judged.is_unreadable:
            return Reached(replace(tray, dice=UnreadPush(layout, judged.troubles, push=push)), (Commit(rows),))
        return Reached(replace(tray, dice=replace(push, troubles=judged.troubles)), (Commit(rows),))
    resolved = Resolved(
        number=first.number,
        pool=first.pool,
        layout=layout,
        roll=judged.roll,
        outcome=judged.outcome,
        die_history=DieHistory.start(layout),
        pushes=first.pushes + 1,
        push=push,
        terms=tray.table.terms,
    )
    row = _result_row(RowKind.PUSHED, resolved, tray.table)
    return Reached(replace(tray, dice=resolved), (Commit((*rows, row)),))


def _rescored_push(order: RescorePush) -> Reached:
    tray, result = order.tray, order.result
    terms = replace(result.terms, typed=tray.table.typed)
    judged = judge_again(replace(result, terms=terms), tray.table, result.layout)
    if judged.outcome is None:
        return _thrown(ScorePush(tray, result.push, result.layout))
    after = replace(result, terms=terms, roll=judged.roll, outcome=judged.outcome)
    return Reached(replace(tray, dice=after), (Commit((_result_row(RowKind.REVISED, after, tray.table),)),))


def _overridden(order: ScoreOverride) -> Reached:
    tray, dice, layout, corrected = order.tray, order.dice, order.layout, order.corrected
    if not layout.dice and not tray.table.typed and not _is_of_push(dice):
        return _nothing_left(order)
    match dice:
        case Scored() | Resolved():
            return _overridden_result(tray, dice, layout, corrected)
        case AwaitingPush(after=None):
            return _overridden_before_throw(tray, dice, layout, corrected)
        case AwaitingPush():
            return _thrown(ScorePush(tray, dice, layout, corrected))
        case UnreadPush(push=push):
            return _thrown(ScorePush(tray, push, layout, corrected))
        case Unscored():
            return _first(ScoreFirst(tray, layout, dice.number, dice.exploding, corrected))
        case ThrownWithoutPush():
            row = _override_row(tray.table, tray.table.next_roll, layout, corrected)
            return Reached(replace(tray, dice=replace(dice, layout=layout)), (Commit((row,)),))


def _overridden_result(tray: Tray, result: Scored | Resolved, layout: Layout, corrected: CorrectedDie) -> Reached:
    judged = judge_again(result, tray.table, layout)
    if judged.outcome is not None:
        die_history = result.die_history.of(layout)
        after = replace(result, layout=layout, roll=judged.roll, outcome=judged.outcome, die_history=die_history)
        row = replace(_result_row(RowKind.CORRECTED, after, tray.table), corrected=corrected)
        return Reached(replace(tray, dice=after), (Commit((row,)),))
    row = _withdrawn_row(result, tray.table, layout, corrected)
    if isinstance(result, Resolved):
        table = replace(tray.table, context=result.terms.context, typed=result.terms.typed)
        return _thrown(ScorePush(replace(tray, table=table), result.push, layout), (row,))
    unscored = Unscored(layout, judged.troubles, number=result.number, exploding=result.exploding)
    return Reached(replace(tray, dice=unscored), (Commit((row,)),))


def _overridden_before_throw(tray: Tray, push: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> Reached:
    """Correct the result being pushed; cancel the push if it is no longer allowed."""
    typed = with_values_of(tray.table.typed, push.terms.typed)
    before = replace(tray, table=replace(tray.table, context=push.terms.context, typed=typed))
    reached = _overridden_result(before, push.first, layout, corrected)
    first = reached.tray.dice
    if isinstance(first, Scored | Resolved) and first.outcome.push.eligible:
        dice = replace(push, first=first, die_history=push.die_history.of(layout))
        return Reached(replace(tray, dice=dice), reached.commands)
    return reached


def _is_of_push(dice: WithDice) -> bool:
    match dice:
        case AwaitingPush():
            return dice.after is not None
        case _:
            return isinstance(dice, UnreadPush | ThrownWithoutPush | Resolved)


def _nothing_left(order: ScoreOverride) -> Reached:
    """Return the empty tray after every detected die was dismissed; no roll starts."""
    tray, layout, corrected = order.tray, order.layout, order.corrected
    result, table = _result_of(tray)
    if result is None:
        row = _override_row(table, tray.roll_number, layout, corrected)
    else:
        row = _withdrawn_row(result, table, layout, corrected)
    after = replace(tray, dice=Empty(layout), table=tray.table.for_next_roll)
    return Reached(after, (Commit((row,)),))


def _result_row(kind: RowKind, result: Result, table: Table) -> LogRow:
    return LogRow(
        kind=kind,
        roll_number=result.number,
        system=table.system,
        pool=result.pool,
        context=context_of(result, table.system, table.context),
        layout=result.layout,
        roll=result.roll,
        outcome=result.outcome,
    )


def _withdrawn_row(result: Result, table: Table, layout: Layout, corrected: CorrectedDie) -> LogRow:
    row = _result_row(RowKind.CORRECTED, result, table)
    return replace(row, layout=layout, roll=(), outcome=None, corrected=corrected)


def _override_row(table: Table, number: int, layout: Layout, corrected: CorrectedDie) -> LogRow:
    """Log a correction of dice without a result; a result that follows has its own row."""
    return LogRow(
        kind=RowKind.CORRECTED,
        roll_number=number,
        system=table.system,
        pool=table.pool,
        context=table.context,
        layout=layout,
        roll=(),
        outcome=None,
        corrected=corrected,
    )


def _push_row(push: AwaitingPush, table: Table, layout: Layout, corrected: CorrectedDie) -> LogRow:
    """Log a correction during a push; a result that follows has its own row."""
    pushed = replace(table, pool=push.first.pool, context=facts_of_push(push, table.system, table.context))
    return _override_row(pushed, push.first.number, layout, corrected)
