"""What a person's word for a die changes in each state; the history keeps it beside what the camera read."""

from dataclasses import replace

from device.game.dice.rest_transitions import PlayStep, first_result, judge_thrown, result_row
from device.game.dice.scoring import judge_first, judge_push, push_context
from device.game.state.effects import Commit, CorrectedDie, LogRow, Refuse, RowKind, Word
from device.game.state.events import DieCorrected, DieRestored
from device.game.state.layout import Correction, Layout
from device.game.state.states import AwaitingPush, Empty, Playing, Resolved, Rolling, Scored, Unclear
from device.game.state.table_state import Table


def correct_die(state: Playing, event: DieCorrected | DieRestored) -> PlayStep:
    """Take a person's word for a die, or take it back; the outcome follows at once."""
    lying = lying_dice(state)
    die = lying.die(event.die_id) if lying is not None else None
    if lying is None or die is None:
        return state, (Refuse("unknown_die", f"No die {event.die_id} lies in the tray: reload the page."),)
    if isinstance(event, DieRestored):
        if die.is_unseen:
            return take_word(state, lying.without(die.id), CorrectedDie(die.id, None, Word.REMOVED))
        word = None
    else:
        refused = refused_word(state.table, event.value, event.colour)
        if refused is not None:
            return state, (refused,)
        word = _merged(die.correction, event)
    if word == die.correction:
        return state, ()
    return take_word(state, lying.with_correction(die.id, word), CorrectedDie(die.id, word))


def refused_word(table: Table, value: int | None, colour: str | None) -> Refuse | None:
    """Why no die can show this, or be of this colour class; None where one can."""
    if colour is not None and colour not in table.colour_classes:
        classes = ", ".join(table.colour_classes)
        return Refuse("unknown_colour", f"No dice are {colour!r} here: say one of {classes}.")
    if value is not None and not 1 <= value <= 6:
        return Refuse("bad_value", f"A die does not show {value}: say 1 to 6.")
    return None


def take_word(state: Playing, layout: Layout, corrected: CorrectedDie) -> PlayStep:
    """Judge the dice anew after a person said something of them.

    Args:
        state: What the tray was.
        layout: The dice with the person's word.
        corrected: The word, for the history.
    """
    if not layout.dice and not state.table.typed and not _is_of_push(state):
        return _nothing_left(state, layout, corrected)
    match state:
        case Scored() | Resolved():
            return _corrected_result(state, layout, corrected)
        case AwaitingPush(after=None):
            return _corrected_before_throw(state, layout, corrected)
        case AwaitingPush():
            return judge_thrown(state, layout, (row_in_push(state, layout, corrected),))
        case Unclear(pushed=AwaitingPush() as push):
            return judge_thrown(push, layout, (row_in_push(push, layout, corrected),))
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
        trail = state.trail.of(layout)
        after = replace(state, layout=layout, roll=judged.roll, outcome=judged.outcome, trail=trail)
        return after, (Commit((replace(result_row(RowKind.CORRECTED, after), corrected=corrected),)),)
    row = replace(result_row(RowKind.CORRECTED, state), layout=layout, roll=(), outcome=None, corrected=corrected)
    if isinstance(state, Resolved):
        return judge_thrown(state.push, layout, (row,))
    return Unclear(state.table, layout, judged.troubles, number=state.number, chain=state.chain), (Commit((row,)),)


def _corrected_before_throw(state: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> PlayStep:
    """Correct the result that is being pushed; where it may not be pushed any more, the push is off."""
    first, commands = _corrected_result(state.first, layout, corrected)
    if isinstance(first, Scored | Resolved) and first.outcome.push.eligible:
        return replace(state, first=first, trail=state.trail.of(layout)), commands
    return first, commands


def _is_of_push(state: Playing) -> bool:
    return (
        isinstance(state, Resolved)
        or (isinstance(state, AwaitingPush) and state.after is not None)
        or (isinstance(state, Unclear) and (state.pushed is not None or state.unasked is not None))
    )


def _nothing_left(state: Playing, layout: Layout, corrected: CorrectedDie) -> PlayStep:
    """All that was taken for dice is none: the tray is empty, and what lies there is no new roll."""
    match state:
        case Scored():
            row = replace(result_row(RowKind.CORRECTED, state), layout=layout, roll=(), outcome=None)
        case AwaitingPush():
            row = replace(result_row(RowKind.CORRECTED, state.first), layout=layout, roll=(), outcome=None)
        case Unclear():
            row = _row_of(state, state.table.next_roll if state.number is None else state.number, layout, corrected)
        case _:
            return state, ()
    return Empty(state.table.for_next_roll, layout), (Commit((replace(row, corrected=corrected),)),)


def row_in_push(push: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> LogRow:
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


def lying_dice(state: Playing) -> Layout | None:
    """The dice that a person may say something of; None while there are none."""
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
