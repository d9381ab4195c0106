"""The tray's state table: `step(tray, event) -> (tray, commands)`. Pure: no clock, no chance, no I/O.

One way through, without calls back:

1. Event and tray make a `Transition`: here, in dice/rest_transitions.py (dice at rest), in dice/overrides.py
   (corrections) or in table/transitions.py (everything but dice).
2. dice/results.py completes it: it scores the dice, and makes the next tray and the rows of the log.
3. table/bookkeeping.py updates the campaign.

A result stays until a rest shows something else: a hand passing over the dice changes nothing.
"""

from dataclasses import replace
from typing import TypeAlias, assert_never

from device.game.dice.overrides import correct_die, doubt_faces, settle_doubt
from device.game.dice.rest_transitions import on_rest
from device.game.dice.results import complete, undone_rows
from device.game.dice.role_mapping import camera_troubles, end_roll, has_twins
from device.game.state.effects import Command, Commit, ForgetDice, RecallDice, Refuse
from device.game.state.events import (
    CameraConnected,
    CameraFailed,
    ContextSet,
    DiceConfirmed,
    DiceCorrected,
    DicePickedUp,
    DiceSettled,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    FacesForgotten,
    MotionSeen,
    PoolDeclared,
    PressUndone,
    PushPressed,
    ResetPressed,
    SingleEvent,
    SystemChosen,
    ThrowOrdered,
    UndoPressed,
)
from device.game.state.known_dice import known_dice
from device.game.state.layout import Layout
from device.game.state.manual_dice import ending, for_push
from device.game.state.states import (
    AwaitingPush,
    DiceState,
    Empty,
    PlayedRoll,
    Resolved,
    Rolling,
    Scored,
    ThrownWithoutPush,
    Unclear,
    UnreadPush,
    Unscored,
    lying_dice,
    standing_still,
)
from device.game.state.table_events import TableEvent
from device.game.state.table_state import Pool, Table
from device.game.state.transition import Reached, Rescore, ScoreFirst, ScorePush, Transition
from device.game.state.tray import Fault, Tray
from device.game.table.bookkeeping import update_campaign
from device.game.table.transitions import step_table
from device.game.undo import NOTHING_TO_UNDO, is_out, tray_undone
from device.message import Message, message, message_or
from rules.errors import BadRequest
from rules.system import find_system
from vision.types.reading import Problem

Step: TypeAlias = tuple[Tray, tuple[Command, ...]]

TOO_LATE = Refuse(NOTHING_TO_UNDO, message("tray.undo.too_late"))
PUSH_AWAITED = Refuse("push_awaited", message("tray.refused.push_awaited"))


def step(tray: Tray, event: Event) -> Step:
    """Return the next tray, and the effects to carry out before it is announced.

    Every state takes every event; one without meaning leaves the tray as it is, with a `Refuse` if a person sent it.
    """
    if isinstance(event, DiceCorrected):
        return _step_all(tray, event.dice)
    transition = _transition(tray, event)
    reached = update_campaign(tray, transition if isinstance(transition, Reached) else complete(transition))
    return reached.tray, reached.commands


def _step_all(tray: Tray, events: tuple[DieCorrected, ...]) -> Step:
    """Take several steps and write their rows in one commit, or take none if one is refused."""
    after, commits = tray, list[Commit]()
    for event in events:
        after, commands = step(after, event)
        for command in commands:
            match command:
                case Refuse():
                    return tray, (command,)
                case Commit():
                    commits.append(command)
                case ForgetDice() | RecallDice():
                    raise AssertionError("a word for a die leaves all dice known")
    rows = tuple(row for commit in commits for row in commit.rows)
    shown = tuple(roll for commit in commits for roll in commit.shown)
    return after, (Commit(rows, shown),) if commits else ()


def _transition(tray: Tray, event: SingleEvent) -> Transition:
    match event:
        case CameraFailed():
            fault = Fault(event.text, event.retry_in_s, event.part)
            return Reached(replace(tray, dice=standing_still(tray.dice), fault=fault))
        case CameraConnected():
            return Reached(replace(tray, fault=None))
        case MotionSeen():
            return Reached(replace(tray, dice=_on_motion(tray.dice), fault=None))
        case DicePickedUp():
            return Reached(replace(tray, dice=_on_picked_up(tray.dice, event.ids), fault=None))
        case DiceSettled():
            return on_rest(replace(tray, dice=standing_still(tray.dice), fault=None), event.rest, shown=event.shown)
        case ThrowOrdered():
            return _on_throw(tray)
        case PushPressed():
            return _on_push(tray)
        case ResetPressed():
            return _on_reset(tray)
        case UndoPressed():
            return Reached(tray, (TOO_LATE,))
        case PressUndone():
            return _on_undone(tray, event)
        case DieCorrected() | DieRestored():
            return correct_die(tray, event)
        case FacesForgotten():
            return doubt_faces(tray, event)
        case DieDismissed() | DieAdded() | DiceConfirmed():
            return settle_doubt(tray, event)
        case SystemChosen():
            return _on_system(tray, event.system)
        case PoolDeclared():
            return _on_pool(tray, event.pool)
        case ContextSet():
            return _on_context(tray, event)
        case TableEvent():
            return step_table(tray, event)
        case _:
            assert_never(event)


def _on_motion(dice: DiceState) -> DiceState:
    match dice:
        case Empty():
            return Rolling(dice.over, left=dice.left)
        case Rolling():
            return replace(dice, has_moved=True) if dice.is_thrown else dice
        case _:
            return replace(dice, moving=True)


def _on_picked_up(dice: DiceState, ids: frozenset[int]) -> DiceState:
    """Show at once what a hand has picked up; only the next rest decides what became of it."""
    if not isinstance(dice, AwaitingPush):
        return dice
    if dice.to_throw <= {*dice.picked_up}:
        # All dice to reroll are in the hand: one that moves now may have been knocked by the throw.
        ids &= {*dice.lifted, *dice.to_throw}
    return replace(dice, lifted=tuple(die.id for die in dice.lying.dice if die.id in ids))


def _on_throw(tray: Tray) -> Transition:
    refusal = refuse_throw(tray)
    if refusal is not None:
        return Reached(tray, (refusal,))
    match tray.dice:
        case Empty() | Rolling():
            return Reached(replace(tray, dice=Rolling(tray.dice.over, is_thrown=True)))
        case dice:
            rolling = Rolling(lying_dice(dice), is_thrown=True)
            return Reached(replace(tray, dice=rolling, table=tray.table.for_next_roll), (Commit(),))


def refuse_throw(tray: Tray) -> Refuse | None:
    """Return why no new dice may be thrown now; None if they may."""
    if tray.fault is not None:
        return _refuse_in_fault(tray.fault)
    return PUSH_AWAITED if isinstance(tray.dice, AwaitingPush | UnreadPush) else None


def _on_push(tray: Tray) -> Transition:
    refusal = refuse_push(tray)
    if refusal is not None:
        return Reached(tray, (refusal,))
    match tray.dice:
        case Scored() | Resolved() as first:
            push = AwaitingPush(standing_still(first), tray.table.terms, first.die_history, moving=first.moving)
            return Reached(replace(tray, dice=push, table=_typing_again(tray.table, first)), (Commit(),))
        case ThrownWithoutPush(result=first, layout=layout):
            push = AwaitingPush(first, tray.table.terms, first.die_history)
            return ScorePush(replace(tray, table=_typing_again(tray.table, first)), push, layout)
        case _:
            return Reached(tray)


def refuse_push(tray: Tray) -> Refuse | None:
    """Return why the roll may not be pushed now; None if it may."""
    has_push = find_system(tray.table.system).has_push
    if tray.fault is not None:
        return _refuse_in_fault(tray.fault)
    match tray.dice:
        case Scored() | Resolved() | Unclear() if has_push and tray.has_hidden_result:
            # Which dice go and which stay would reveal what they show.
            reason = "hidden"
        case ((Scored() | Resolved()) as first) | ThrownWithoutPush(result=first):
            if not first.outcome.push.eligible:
                reason = first.outcome.push.reason.value
            elif camera_troubles(first.layout):
                reason = Problem.CAMERA_MOVED.value
            else:
                return None
        case _ if not has_push:
            reason = "system_has_no_push"
        case AwaitingPush() | UnreadPush():
            reason = "already_pushed"
        case Empty():
            reason = "nothing_to_reroll"
        case Rolling():
            reason = "rolling"
        case Unscored():
            reason = "unclear"
    return Refuse(reason, push_reason_text(reason))


def _refuse_in_fault(fault: Fault) -> Refuse:
    what = "profile" if fault.part == "profile" else "camera"
    return Refuse("fault", message(f"tray.fault.{what}", text=fault.text))


def _typing_again(table: Table, first: Scored | Resolved) -> Table:
    """Return the table during a push: rerolled manual dice have to be entered again."""
    return replace(table, typed=for_push(table.typed, first.outcome.must_reroll)) if table.typed else table


def push_reason_text(reason: str) -> Message:
    return message_or(message("tray.push.not_now", reason=reason.replace("_", " ")), f"tray.push.{reason}")


def _on_reset(tray: Tray) -> Transition:
    ended = end_roll(tray, _roll_that_ends(tray))
    match tray.dice:
        case Empty() as dice:
            after = replace(ended, dice=replace(dice, left=_dice_of(dice.left)))
            return Reached(after, (*(() if after == tray else (Commit(),)), ForgetDice()))
        case Rolling() as dice:
            return Reached(replace(ended, dice=Empty(dice.over, left=_dice_of(dice.left))), (Commit(), ForgetDice()))
        case dice:
            return Reached(replace(ended, dice=Empty(lying_dice(dice))), (Commit(), ForgetDice()))


def _on_undone(tray: Tray, press: PressUndone) -> Transition:
    after = tray_undone(tray, press)
    if after is None:
        return Reached(tray, (TOO_LATE,))
    commit = Commit(undone_rows(after, press.after) if press.wrote else (), given=press.given)
    if not press.forgot:
        return Reached(after, (commit,))
    lying, gone = known_dice(after.dice)
    recall = RecallDice({}, {**gone, **lying}) if is_out(tray.dice) else RecallDice(lying, gone)
    return Reached(after, (commit, recall))


def _dice_of(left: PlayedRoll | Layout | None) -> Layout | None:
    return left.result.layout if isinstance(left, PlayedRoll) else left


def _roll_that_ends(tray: Tray) -> int:
    """Return the number of the roll that Reset ends: the one in the tray, or in an empty tray the declared one."""
    match tray.dice:
        case Empty(over=Layout()):
            # Those dice belong to a finished roll; what is declared is meant for the next.
            return tray.table.next_roll - 1
        case _:
            return tray.roll_number


def _on_system(tray: Tray, system_id: str) -> Transition:
    try:
        find_system(system_id)
    except BadRequest as error:
        return Reached(tray, (Refuse("unknown_system", str(error)),))
    if system_id == tray.table.system:
        return Reached(tray)
    campaign = replace(tray.campaign, prepared=None, requests=tray.campaign.requests.without_dice())
    table = replace(tray.table, system=system_id, pool=None, context={}, typed=(), pool_for=0, facts_for={})
    after = replace(tray, table=table, campaign=campaign)
    match tray.dice:
        case Empty() | Rolling():
            return Reached(after, (Commit(),))
        case Unscored() as dice:
            return ScoreFirst(after, dice.layout, dice.number)
        case Scored() as dice:
            return Rescore(tray, dice, after)
        case _:
            return Reached(tray, (Refuse("reset_first", message("tray.refused.reset_rules")),))


def _on_pool(tray: Tray, pool: Pool | None) -> Transition:
    if pool is not None and has_twins(pool, tray.table):
        return Reached(tray, (Refuse("bad_value", message("tray.refused.twins")),))
    typed = tuple(die for die in tray.table.typed if not die.declared)
    campaign = replace(tray.campaign, prepared=None)
    table = replace(tray.table, pool=pool, typed=typed, pool_for=tray.table.next_roll)
    # A result keeps its manual dice; the pool is for the next roll.
    for_next = replace(tray, table=replace(table, typed=ending(tray.table.typed)), campaign=campaign)
    match tray.dice:
        case Unscored() as dice:
            after = replace(tray, table=replace(table, pool_for=tray.roll_number), campaign=campaign)
            return ScoreFirst(after, dice.layout, dice.number)
        case Scored() as dice:
            after = replace(tray, table=replace(table, pool_for=dice.number), campaign=campaign)
            return Rescore(tray, dice, after, table, Reached(for_next, (Commit(),)))
        case Empty() | Rolling():
            return Reached(replace(tray, table=table, campaign=campaign), (Commit(),))
        case _:
            return Reached(for_next, (Commit(),))


def _on_context(tray: Tray, event: ContextSet) -> Transition:
    # A result after a push has been paid for: facts set now are meant for the next roll.
    roll = tray.table.next_roll if isinstance(tray.dice, Resolved) else tray.roll_number
    table = tray.table.with_facts(event.facts, roll)
    after = replace(tray, table=table)
    match tray.dice:
        case Unscored() as dice:
            return ScoreFirst(after, dice.layout, dice.number)
        case UnreadPush() as dice:
            return ScorePush(after, dice.push, dice.layout)
        case AwaitingPush(after=Layout() as layout) as push:
            return ScorePush(after, push, layout)
        case Scored() as dice:
            return Rescore(tray, dice, after, fits=replace(table, pool=dice.pool))
        case _:
            return Reached(after, (Commit(),))
