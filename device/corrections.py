"""What a person's word for a die changes in each state; the history keeps it beside what the camera read."""

from dataclasses import replace

from device.commands import Commit, CorrectedDie, LogRow, Refuse, RowKind
from device.events import DieCorrected, DieRestored
from device.judging import judge_first, judge_push, push_context
from device.layout import Correction, Layout
from device.rests import PlayStep, first_result, judge_thrown, result_row
from device.states import AwaitingPush, Empty, Playing, Resolved, Rolling, Scored, Unclear


def correct_die(state: Playing, event: DieCorrected | DieRestored) -> PlayStep:
    """Take a person's word for a die, or take it back; the outcome follows at once."""
    lying = _lying(state)
    die = lying.die(event.die_id) if lying is not None else None
    if lying is None or die is None:
        return state, (Refuse("unknown_die", f"No die {event.die_id} lies in the tray: reload the page."),)
    if isinstance(event, DieRestored):
        word = None
    else:
        if event.colour is not None and event.colour not in state.table.colour_classes:
            classes = ", ".join(state.table.colour_classes)
            return state, (Refuse("unknown_colour", f"No dice are {event.colour!r} here: say one of {classes}."),)
        if event.value is not None and not 1 <= event.value <= 6:
            return state, (Refuse("bad_value", f"A die does not show {event.value}: say 1 to 6."),)
        word = _merged(die.correction, event)
    if word == die.correction:
        return state, ()
    return _corrected(state, lying.with_correction(die.id, word), CorrectedDie(die.id, word))


def _corrected(state: Playing, layout: Layout, corrected: CorrectedDie) -> PlayStep:
    match state:
        case Scored() | Resolved():
            return _corrected_result(state, layout, corrected)
        case AwaitingPush(after=None):
            return _corrected_before_throw(state, layout, corrected)
        case AwaitingPush():
            return judge_thrown(state, layout, (_row(state, layout, corrected),))
        case Unclear(pushed=AwaitingPush() as push):
            return judge_thrown(push, layout, (_row(push, layout, corrected),))
        case Unclear(unasked=None):
            number = state.table.next_roll if state.number is None else state.number
            row = _row_of(state, number, layout, corrected)
            return first_result(state.table, layout, state.number, (row,), state.chain)
        case Unclear():
            return replace(state, layout=layout), (Commit((_row_of(state, state.table.next_roll, layout, corrected),)),)
        case Empty() | Rolling():
            return state, ()


def _corrected_result(state: Scored | Resolved, layout: Layout, corrected: CorrectedDie) -> PlayStep:
    judged = (
        judge_push(state.push, layout)
        if isinstance(state, Resolved)
        else judge_first(state.rolled_at, layout, state.chain)
    )
    if judged.outcome is not None:
        after = replace(state, layout=layout, roll=judged.roll, outcome=judged.outcome)
        return after, (Commit((replace(result_row(RowKind.CORRECTED, after), corrected=corrected),)),)
    row = replace(result_row(RowKind.CORRECTED, state), layout=layout, roll=(), outcome=None, corrected=corrected)
    if isinstance(state, Resolved):
        return judge_thrown(state.push, layout, (row,))
    return Unclear(state.table, layout, judged.troubles, number=state.number, chain=state.chain), (Commit((row,)),)


def _corrected_before_throw(state: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> PlayStep:
    """Correct the result that is being pushed; where it may not be pushed any more, the push is off."""
    first, commands = _corrected_result(state.first, layout, corrected)
    if isinstance(first, Scored | Resolved) and first.outcome.push.eligible:
        return replace(state, first=first), commands
    return first, commands


def _row(push: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> LogRow:
    """A correction of a die that was thrown in a push; the result that may follow has its own row."""
    return LogRow(
        kind=RowKind.CORRECTED,
        roll_number=push.first.number,
        system=push.table.system,
        pool=push.first.pool,
        context=push_context(push),
        layout=layout,
        roll=(),
        outcome=None,
        corrected=corrected,
    )


def _row_of(state: Unclear, number: int, layout: Layout, corrected: CorrectedDie) -> LogRow:
    """A correction of dice without a result; the result that may follow has its own row."""
    return LogRow(
        kind=RowKind.CORRECTED,
        roll_number=number,
        system=state.table.system,
        pool=state.table.pool,
        context=state.table.context,
        layout=layout,
        roll=(),
        outcome=None,
        corrected=corrected,
    )


def _lying(state: Playing) -> Layout | None:
    match state:
        case Empty() | Rolling():
            return None
        case AwaitingPush():
            return state.after or state.first.layout
        case _:
            return state.layout


def _merged(before: Correction | None, event: DieCorrected) -> Correction | None:
    value = event.value if event.value is not None or before is None else before.value
    colour = event.colour if event.colour is not None or before is None else before.colour
    return None if value is None and colour is None else Correction(value, colour)
