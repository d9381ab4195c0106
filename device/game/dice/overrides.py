"""What a person says of the dice, over what the camera read: what a die shows, that it is none, that one was missed.

The history keeps the word beside the reading. A word on the whole picture (all dice are right) stands here too.
"""

from dataclasses import replace
from math import dist

from device.game.dice.rest_transitions import PlayStep, first_result, judge_thrown, result_row
from device.game.dice.role_mapping import picture_troubles
from device.game.dice.scoring import judge_first, judge_push, push_context
from device.game.state.die_history import Whereabouts
from device.game.state.effects import Commit, CorrectedDie, CorrectionKind, LogRow, Refuse, RowKind
from device.game.state.events import DiceConfirmed, DieAdded, DieCorrected, DieDismissed, DieRestored
from device.game.state.layout import SAME_PLACE_EDGES, Correction, Layout, LyingDie, added_die
from device.game.state.states import AwaitingPush, Empty, Playing, Resolved, Rolling, Scored, Unclear
from device.game.state.table_state import Table
from device.standard_tray import MOST_DICE_IN_TRAY
from device.texts.catalogue import say


def correct_die(state: Playing, event: DieCorrected | DieRestored) -> PlayStep:
    """Take a person's word for a die, or take it back; the outcome follows at once."""
    lying = _lying_dice(state)
    die = lying.die(event.die_id) if lying is not None else None
    if lying is None or die is None:
        return state, (Refuse("unknown_die", say("tray.refused.no_die", die=event.die_id)),)
    if isinstance(event, DieRestored):
        if die.is_unseen:
            return _take_word(state, lying.without(die.id), CorrectedDie(die.id, None, CorrectionKind.REMOVED))
        word = None
    else:
        refused = _refused_word(state.table, event.value, event.colour)
        if refused is not None:
            return state, (refused,)
        word = _merged(die.correction, event)
    if word == die.correction:
        return state, ()
    return _take_word(state, lying.with_correction(die.id, word), CorrectedDie(die.id, word))


def _refused_word(table: Table, value: int | None, colour: str | None) -> Refuse | None:
    """Why no die can show this, or be of this colour class; None where one can."""
    if colour is not None and colour not in table.colour_classes:
        classes = ", ".join(table.colour_classes)
        return Refuse("unknown_colour", say("tray.refused.colour", colour=repr(colour), classes=classes))
    if value is not None and not 1 <= value <= 6:
        return Refuse("bad_value", say("tray.refused.value", value=value))
    return None


def _take_word(state: Playing, layout: Layout, corrected: CorrectedDie) -> PlayStep:
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
            return judge_thrown(state, layout, (_row_in_push(state, layout, corrected),))
        case Unclear(pushed=AwaitingPush() as push):
            return judge_thrown(push, layout, (_row_in_push(push, layout, corrected),))
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


def _row_in_push(push: AwaitingPush, layout: Layout, corrected: CorrectedDie) -> LogRow:
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


def _lying_dice(state: Playing) -> Layout | None:
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


def settle_doubt(state: Playing, event: DieDismissed | DieAdded | DiceConfirmed) -> PlayStep:
    """Take a person's word; the outcome follows at once."""
    match event:
        case DieDismissed(ignored=True):
            return _dismissed(state, event.die_id)
        case DieDismissed():
            return _taken_back(state, event.die_id)
        case DieAdded():
            return _added(state, event)
        case DiceConfirmed():
            return _confirmed(state)


def may_confirm(state: Playing) -> bool:
    """Whether one word settles all that is in doubt: every die has value and colour, and only the picture is bad."""
    return isinstance(state, Unclear) and _is_all_read(state.layout) and bool(picture_troubles(state.layout))


def _dismissed(state: Playing, die_id: int) -> PlayStep:
    layout = _lying_dice(state)
    die = None if layout is None else layout.die(die_id)
    if layout is None or die is None:
        if layout is not None and layout.ignored_die(die_id) is not None:
            return state, ()
        return state, (_unknown(die_id),)
    if die.is_unseen:
        return _take_word(state, layout.without(die_id), CorrectedDie(die_id, None, CorrectionKind.REMOVED))
    return _take_word(state, layout.without(die_id), CorrectedDie(die_id, None, CorrectionKind.NO_DIE, die.reading))


def _taken_back(state: Playing, die_id: int) -> PlayStep:
    layout = state.over if isinstance(state, Empty) else _lying_dice(state)
    if layout is None or layout.ignored_die(die_id) is None:
        lies = layout is not None and not isinstance(state, Empty) and layout.die(die_id) is not None
        return state, (() if lies else (_unknown(die_id),))
    word = CorrectedDie(die_id, None, CorrectionKind.A_DIE)
    if isinstance(state, Empty):
        return _take_word(Unclear(state.table, layout, ()), layout.with_ignored(die_id), word)
    return _take_word(state, layout.with_ignored(die_id), word)


def _added(state: Playing, event: DieAdded) -> PlayStep:
    refused = _refused_word(state.table, event.value, event.colour)
    if refused is not None:
        return state, (refused,)
    layout = _pointed_at(state, event)
    if layout is None:
        text = say("tray.refused.still_move")
        return state, (Refuse("rolling", text),)
    x, y = event.center_px
    if not (0 <= x < layout.width_px and 0 <= y < layout.height_px):
        size = f"{layout.width_px} x {layout.height_px}"
        return state, (Refuse("outside_picture", say("tray.refused.outside", x=f"{x:g}", y=f"{y:g}", size=size)),)
    if len(layout.dice) >= MOST_DICE_IN_TRAY:
        return state, (Refuse("too_many_dice", say("tray.refused.too_many", most=MOST_DICE_IN_TRAY)),)
    there = next((die for die in layout.dice if _covers(die, event)), None)
    if there is not None:
        return state, (Refuse("die_there", say("tray.refused.die_there", die=there.id)),)
    word = Correction(event.value, event.colour)
    push = state.pushed if isinstance(state, Unclear) else state
    known = [die.id for die in push.first.layout.dice] if isinstance(push, AwaitingPush) else []
    die = added_die(layout, event.center_px, word, known)
    return _judged(state, layout.with_added(die), CorrectedDie(die.id, word, CorrectionKind.ADDED))


def _judged(state: Playing, layout: Layout, word: CorrectedDie) -> PlayStep:
    match state:
        case Empty():
            return _take_word(Unclear(state.table, layout, ()), layout, word)
        case AwaitingPush(after=None) if state.trail.only(Whereabouts.GONE):
            # Dice are in the hand, or back already and not seen: this is one of those that came back.
            return judge_thrown(state, layout, (_row_in_push(state, layout, word),))
        case _:
            return _take_word(state, layout, word)


def _pointed_at(state: Playing, event: DieAdded) -> Layout | None:
    match state:
        case Rolling():
            return None
        case Empty():
            ignored = () if state.over is None or state.over.dice else state.over.ignored
            return Layout((), event.width_px, event.height_px, ignored=ignored)
        case AwaitingPush(after=None):
            layout, gone = state.first.layout, state.trail.only(Whereabouts.GONE)
            return replace(layout, dice=tuple(die for die in layout.dice if die.id not in gone))
        case _:
            lying = _lying_dice(state)
            if lying is None or lying.width_px:
                return lying
            # The roll was typed in, without a picture: the point lies in the one that the page shows.
            return replace(lying, width_px=event.width_px, height_px=event.height_px)


def _covers(die: LyingDie, event: DieAdded) -> bool:
    return dist(die.reading.center_px, event.center_px) <= SAME_PLACE_EDGES * max(die.edge_px, 1.0)


def _confirmed(state: Playing) -> PlayStep:
    layout = _lying_dice(state)
    if layout is None or not layout.dice:
        return state, (Refuse("nothing_to_confirm", say("tray.refused.none_to_confirm")),)
    if not _is_all_read(layout):
        unread = next(die for die in layout.dice if die.value is None or die.colour is None)
        text = say("tray.refused.die_unread", die=unread.id)
        return state, (Refuse("die_unread", text),)
    if layout.confirmed or not picture_troubles(layout):
        return state, ()
    return _take_word(state, replace(layout, confirmed=True), CorrectedDie(None, None, CorrectionKind.CONFIRMED))


def _is_all_read(layout: Layout) -> bool:
    return bool(layout.dice) and all(die.value is not None and die.colour is not None for die in layout.dice)


def _unknown(die_id: int) -> Refuse:
    return Refuse("unknown_die", say("tray.refused.no_die", die=die_id))
