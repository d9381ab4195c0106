"""Complete a transition: score its dice, and make the next state and the rows of the log."""

from dataclasses import replace

from device.game.dice.scoring import judge_first, judge_push, push_context
from device.game.state.die_history import DieHistory
from device.game.state.effects import Commit, CorrectedDie, LogRow, Refuse, RowKind
from device.game.state.layout import Layout
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Playing,
    Resolved,
    Result,
    Rolling,
    Scored,
    ThrownWithoutPush,
    Unclear,
    UnreadPush,
    Unscored,
    WithDice,
    roll_lying,
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


def undone_rows(state: Playing, was: Playing) -> tuple[LogRow, ...]:
    """Return the log row of a roll restored by an undo, if the undone press wrote rows."""
    result, undone = _result_of(state), _result_of(was)
    if result is not None and (undone is None or undone.pushes == result.pushes):
        return (_result_row(RowKind.UNDONE, result),)
    # The press had led to a result, or to that of a push.
    if undone is None:
        return ()
    layout = _layout_of(state) or replace(undone.layout, dice=())
    return (replace(_result_row(RowKind.UNDONE, undone), layout=layout, roll=(), outcome=None),)


def _layout_of(state: Playing) -> Layout | None:
    match state:
        case Empty() | Rolling():
            return None
        case AwaitingPush():
            return state.lying
        case _:
            return state.layout


def _result_of(state: Playing) -> Scored | Resolved | None:
    match state:
        case Scored() | Resolved():
            return state
        case AwaitingPush() as push:
            return push.first
        case UnreadPush(pushed=push):
            return push.first
        case ThrownWithoutPush(unasked=result):
            return result
        case _:
            return None


def _first(order: ScoreFirst) -> Reached:
    table, layout, number, exploding = order.table, order.layout, order.number, order.exploding
    rows: tuple[LogRow, ...] = ()
    if order.corrected is not None:
        rows = (_override_row(table, table.next_roll if number is None else number, layout, order.corrected),)
    judged = judge_first(table, layout, exploding)
    if judged.outcome is None:
        unclear = Unscored(table, layout, judged.troubles, number=number, exploding=exploding)
        if order.before is not None and (order.only_result or unclear == order.before):
            return Reached(order.before)
        return Reached(unclear, (Commit(rows),))
    scored = Scored(
        table=table if number is not None else replace(table, next_roll=table.next_roll + 1),
        number=table.next_roll if number is None else number,
        pool=table.pool,
        layout=layout,
        roll=judged.roll,
        outcome=judged.outcome,
        die_history=DieHistory.start(layout),
        exploding=exploding,
    )
    kind = RowKind.CONTINUED if exploding is not None else RowKind.SCORED if number is None else RowKind.REVISED
    commit = Commit((*rows, _result_row(kind, scored)))
    return Reached(scored if order.table_after is None else replace(scored, table=order.table_after), (commit,))


def _rescored(order: Rescore) -> Reached:
    state, table = order.result, order.table
    if order.fits is not None:
        fit = judge_first(order.fits, state.layout)
        if fit.outcome is None:
            return order.otherwise or Reached(state, (Refuse("bad_context", fit.troubles[0].text),))
    pool = table.pool if table.system != state.table.system or table.pool != state.table.pool else state.pool
    exploding = state.exploding if table.system == state.table.system else None
    judged = judge_first(replace(table, pool=pool), state.layout, exploding)
    if judged.outcome is None:
        unclear = Unscored(table, state.layout, judged.troubles, number=state.number, exploding=exploding)
        return Reached(unclear, (Commit(),))
    scored = replace(state, table=table, pool=pool, roll=judged.roll, outcome=judged.outcome, exploding=exploding)
    changed = (scored.roll, scored.outcome, table.system) != (state.roll, state.outcome, state.table.system)
    return Reached(scored, (Commit((_result_row(RowKind.REVISED, scored),) if changed else ()),))


def _thrown(order: ScorePush, rows: tuple[LogRow, ...] = ()) -> Reached:
    """Complete a push; `rows` are written before the result's own row."""
    if order.corrected is not None:
        rows = (_override_row(order.push, order.push.first.number, order.layout, order.corrected),)
    first = order.push.first
    # An added die that must go is assumed to be in the hand: the camera cannot see it stay.
    layout = order.layout.without_unseen([int(die_id) for die_id in first.outcome.must_reroll])
    push = replace(order.push, after=layout, troubles=())
    judged = judge_push(push, layout)
    if judged.outcome is None:
        if judged.is_unreadable:
            return Reached(UnreadPush(push.table, layout, judged.troubles, pushed=push), (Commit(rows),))
        return Reached(replace(push, troubles=judged.troubles), (Commit(rows),))
    resolved = Resolved(
        table=push.table,
        number=first.number,
        pool=first.pool,
        layout=layout,
        roll=judged.roll,
        outcome=judged.outcome,
        die_history=DieHistory.start(layout),
        pushes=first.pushes + 1,
        push=push,
    )
    return Reached(resolved, (Commit((*rows, _result_row(RowKind.PUSHED, resolved))),))


def _rescored_push(order: RescorePush) -> Reached:
    state, table = order.result, order.table
    push = replace(state.push, table=replace(state.push.table, typed=table.typed))
    judged = judge_push(push, state.layout)
    if judged.outcome is None:
        return _thrown(ScorePush(replace(push, table=table), state.layout))
    after = replace(state, table=table, push=push, roll=judged.roll, outcome=judged.outcome)
    return Reached(after, (Commit((_result_row(RowKind.REVISED, after),)),))


def _overridden(order: ScoreOverride) -> Reached:
    state, layout, corrected = order.state, order.layout, order.corrected
    if not layout.dice and not state.table.typed and not _is_of_push(state):
        return _nothing_left(state, layout, corrected)
    match state:
        case Scored() | Resolved():
            return _overridden_result(state, layout, corrected)
        case AwaitingPush(after=None):
            return _overridden_before_throw(state, layout, corrected)
        case AwaitingPush():
            return _thrown(ScorePush(state, layout, corrected))
        case UnreadPush(pushed=push):
            return _thrown(ScorePush(push, layout, corrected))
        case Unscored():
            return _first(ScoreFirst(state.table, layout, state.number, state.exploding, corrected))
        case ThrownWithoutPush():
            row = _override_row(state.table, state.table.next_roll, layout, corrected)
            return Reached(replace(state, layout=layout), (Commit((row,)),))


def _overridden_result(state: Scored | Resolved, layout: Layout, corrected: CorrectedDie) -> Reached:
    judged = (
        judge_push(state.push, layout)
        if isinstance(state, Resolved)
        else judge_first(state.table_at_roll, layout, state.exploding)
    )
    if judged.outcome is not None:
        die_history = state.die_history.of(layout)
        after = replace(state, layout=layout, roll=judged.roll, outcome=judged.outcome, die_history=die_history)
        return Reached(after, (Commit((replace(_result_row(RowKind.CORRECTED, after), corrected=corrected),)),))
    row = _withdrawn_row(state, layout, corrected)
    if isinstance(state, Resolved):
        return _thrown(ScorePush(state.push, layout), (row,))
    unclear = Unscored(state.table, layout, judged.troubles, number=state.number, exploding=state.exploding)
    return Reached(unclear, (Commit((row,)),))


def _overridden_before_throw(state: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> Reached:
    """Correct the result being pushed; cancel the push if it is no longer allowed."""
    reached = _overridden_result(state.first, layout, corrected)
    first = reached.state
    if isinstance(first, Scored | Resolved) and first.outcome.push.eligible:
        return Reached(replace(state, first=first, die_history=state.die_history.of(layout)), reached.commands)
    return reached


def _is_of_push(state: WithDice) -> bool:
    match state:
        case AwaitingPush():
            return state.after is not None
        case _:
            return isinstance(state, UnreadPush | ThrownWithoutPush | Resolved)


def _nothing_left(
    state: WithDice,
    layout: Layout,
    corrected: CorrectedDie,
) -> Reached:
    """Return the empty tray after every detected die was dismissed; no roll starts."""
    if isinstance(state, Unclear):
        row = _override_row(state.table, roll_lying(state), layout, corrected)
    else:
        row = _withdrawn_row(state.first if isinstance(state, AwaitingPush) else state, layout, corrected)
    return Reached(Empty(state.table.for_next_roll, layout), (Commit((row,)),))


def _result_row(kind: RowKind, result: Result) -> LogRow:
    context = push_context(result.push) if isinstance(result, Resolved) else result.table.context
    return LogRow(
        kind=kind,
        roll_number=result.number,
        system=result.table.system,
        pool=result.pool,
        context=context,
        layout=result.layout,
        roll=result.roll,
        outcome=result.outcome,
    )


def _withdrawn_row(result: Result, layout: Layout, corrected: CorrectedDie) -> LogRow:
    row = _result_row(RowKind.CORRECTED, result)
    return replace(row, layout=layout, roll=(), outcome=None, corrected=corrected)


def _override_row(of: AwaitingPush | Table, number: int, layout: Layout, corrected: CorrectedDie) -> LogRow:
    """Log a correction of dice without a result, or during a push; a result that follows has its own row."""
    if isinstance(of, AwaitingPush):
        system, pool, context = of.table.system, of.first.pool, push_context(of)
    else:
        system, pool, context = of.system, of.pool, of.context
    return LogRow(
        kind=RowKind.CORRECTED,
        roll_number=number,
        system=system,
        pool=pool,
        context=context,
        layout=layout,
        roll=(),
        outcome=None,
        corrected=corrected,
    )
