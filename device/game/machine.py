"""The tray's state table: `step(state, event) -> (state, commands)`. Pure: no clock, no chance, no I/O.

One way through, without calls back:

1. Event and state make a `Transition`: here, in dice/rest_transitions.py (dice at rest), in dice/overrides.py
   (corrections) or in table/transitions.py (everything but dice).
2. dice/results.py completes it: it scores the dice, and makes the next state and the rows of the log.
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
    Empty,
    Faulted,
    Playing,
    Resolved,
    Rolling,
    Scored,
    State,
    ThrownWithoutPush,
    Unclear,
    UnreadPush,
    Unscored,
    has_hidden_result,
    roll_lying,
    standing_still,
    without_fault,
)
from device.game.state.table_events import TableEvent
from device.game.state.table_state import Pool, Table
from device.game.state.transition import Reached, Rescore, ScoreFirst, ScorePush, Transition
from device.game.table.bookkeeping import update_campaign
from device.game.table.transitions import step_table
from device.game.undo import NOTHING_TO_UNDO, is_out, state_undone
from device.texts.catalogue import translate, translate_or
from rules.errors import BadRequest
from rules.system import find_system
from vision.types.reading import Problem

Step: TypeAlias = tuple[State, tuple[Command, ...]]

TOO_LATE = Refuse(NOTHING_TO_UNDO, translate("tray.undo.too_late"))
PUSH_AWAITED = Refuse("push_awaited", translate("tray.refused.push_awaited"))


def step(state: State, event: Event) -> Step:
    """Return the next state, and the effects to carry out before it is announced.

    Every state takes every event; one without meaning leaves the state as it is, with a `Refuse` if a person sent it.
    """
    if isinstance(event, DiceCorrected):
        return _step_all(state, event.dice)
    if isinstance(state, Faulted):
        return _step_faulted(state, event)
    if isinstance(event, CameraFailed):
        return Faulted(state.table, event.text, event.retry_in_s, standing_still(state), event.part), ()
    transition = _transition(state, event)
    reached = transition if isinstance(transition, Reached) else complete(transition)
    is_of_table = isinstance(event, TableEvent | SystemChosen | PoolDeclared | ResetPressed | PressUndone)
    reached = update_campaign(state, reached, is_of_table=is_of_table)
    return reached.state, reached.commands


def _step_all(state: State, events: tuple[DieCorrected, ...]) -> Step:
    """Take several steps and write their rows in one commit, or take none if one is refused."""
    after, commits = state, list[Commit]()
    for event in events:
        after, commands = step(after, event)
        for command in commands:
            match command:
                case Refuse():
                    return state, (command,)
                case Commit():
                    commits.append(command)
                case ForgetDice() | RecallDice():
                    raise AssertionError("a word for a die leaves all dice known")
    rows = tuple(row for commit in commits for row in commit.rows)
    shown = tuple(roll for commit in commits for roll in commit.shown)
    return after, (Commit(rows, shown),) if commits else ()


def _transition(state: Playing, event: SingleEvent) -> Transition:
    match event:
        case CameraFailed() | CameraConnected():
            return Reached(state)
        case MotionSeen():
            return Reached(_on_motion(state))
        case DicePickedUp():
            return Reached(_on_picked_up(state, event.ids))
        case DiceSettled():
            return on_rest(state, event.rest)
        case ThrowOrdered():
            return _on_throw(state)
        case PushPressed():
            return _on_push(state)
        case ResetPressed():
            return _on_reset(state)
        case UndoPressed():
            return Reached(state, (TOO_LATE,))
        case PressUndone():
            return _on_undone(state, event)
        case DieCorrected() | DieRestored():
            return correct_die(state, event)
        case FacesForgotten():
            return doubt_faces(state, event)
        case DieDismissed() | DieAdded() | DiceConfirmed():
            return settle_doubt(state, event)
        case SystemChosen():
            return _on_system(state, event.system)
        case PoolDeclared():
            return _on_pool(state, event.pool)
        case ContextSet():
            return _on_context(state, event)
        case TableEvent():
            return step_table(state, event)
        case _:
            assert_never(event)


def _step_faulted(state: Faulted, event: Event) -> Step:
    match event:
        case CameraFailed():
            return replace(state, text=event.text, retry_in_s=event.retry_in_s, part=event.part), ()
        case CameraConnected():
            return state.resume, ()
        case MotionSeen() | DicePickedUp() | DiceSettled():
            return step(state.resume, event)
        case PushPressed() | ThrowOrdered():
            return state, (_refuse_in_fault(state),)
        case _:
            after, commands = step(state.resume, event)
            resume = without_fault(after)
            return replace(state, table=resume.table, resume=resume), commands


def _on_motion(state: Playing) -> Playing:
    match state:
        case Empty():
            return Rolling(state.table, state.over, left=state.left)
        case Rolling():
            return replace(state, has_moved=True) if state.is_thrown else state
        case _:
            return replace(state, moving=True)


def _on_picked_up(state: Playing, ids: frozenset[int]) -> Playing:
    """Show at once what a hand has picked up; only the next rest decides what became of it."""
    if not isinstance(state, AwaitingPush):
        return state
    if state.to_throw <= {*state.picked_up}:
        # All dice to reroll are in the hand: one that moves now may have been knocked by the throw.
        ids &= {*state.lifted, *state.to_throw}
    return replace(state, lifted=tuple(die.id for die in state.lying.dice if die.id in ids))


def _on_throw(state: Playing) -> Transition:
    match state:
        case Empty() | Rolling():
            return Reached(Rolling(state.table, state.over, is_thrown=True))
        case Unscored() | ThrownWithoutPush() | Scored() | Resolved():
            return Reached(Rolling(state.table.for_next_roll, state.layout, is_thrown=True), (Commit(),))
        case _:
            return Reached(state, (PUSH_AWAITED,))


def refuse_throw(state: State) -> Refuse | None:
    """Return why no new dice may be thrown now; None if they may."""
    match state:
        case Faulted():
            return _refuse_in_fault(state)
        case AwaitingPush() | UnreadPush():
            return PUSH_AWAITED
        case _:
            return None


def _on_push(state: Playing) -> Transition:
    refusal = refuse_push(state)
    match state:
        case Scored() | Resolved() if refusal is None:
            push = AwaitingPush(_typing_again(state), standing_still(state), state.die_history, moving=state.moving)
            return Reached(push, (Commit(),))
        case ThrownWithoutPush(unasked=first) if refusal is None:
            first = replace(first, table=state.table)
            return ScorePush(AwaitingPush(_typing_again(first), first, first.die_history), state.layout)
        case _:
            return Reached(state, () if refusal is None else (refusal,))


def refuse_push(state: State) -> Refuse | None:
    """Return why the roll may not be pushed now; None if it may."""
    has_push = find_system(state.table.system).has_push
    match state:
        case Faulted():
            return _refuse_in_fault(state)
        case Scored() | Resolved() | Unclear() if has_push and has_hidden_result(state):
            # Which dice go and which stay would reveal what they show.
            reason = "hidden"
        case ((Scored() | Resolved()) as first) | ThrownWithoutPush(unasked=first):
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


def _refuse_in_fault(state: Faulted) -> Refuse:
    what = "profile" if state.part == "profile" else "camera"
    return Refuse("fault", translate(f"tray.fault.{what}", text=state.text))


def _typing_again(first: Scored | Resolved) -> Table:
    """Return the table during a push: rerolled manual dice have to be entered again."""
    table = first.table
    return replace(table, typed=for_push(table.typed, first.outcome.must_reroll)) if table.typed else table


def push_reason_text(reason: str) -> str:
    return translate_or(translate("tray.push.not_now", reason=reason.replace("_", " ")), f"tray.push.{reason}")


def _on_reset(state: Playing) -> Transition:
    table = end_roll(state.table, _roll_that_ends(state))
    match state:
        case Empty():
            after = replace(state, table=table, left=_dice_of(state.left))
            return Reached(after, (*(() if after == state else (Commit(),)), ForgetDice()))
        case Rolling():
            return Reached(Empty(table, state.over, left=_dice_of(state.left)), (Commit(), ForgetDice()))
        case AwaitingPush():
            over = state.after or state.first.layout
        case Unclear() | Scored() | Resolved():
            over = state.layout
        case _:
            assert_never(state)
    return Reached(Empty(table, over), (Commit(), ForgetDice()))


def _on_undone(state: Playing, press: PressUndone) -> Transition:
    after = state_undone(state, press)
    if after is None:
        return Reached(state, (TOO_LATE,))
    commit = Commit(undone_rows(after, press.after) if press.wrote else (), given=press.given)
    if not press.forgot:
        return Reached(after, (commit,))
    lying, gone = known_dice(after)
    return Reached(after, (commit, RecallDice({}, {**gone, **lying}) if is_out(state) else RecallDice(lying, gone)))


def _dice_of(left: Scored | Resolved | Layout | None) -> Layout | None:
    return left.layout if isinstance(left, Scored | Resolved) else left


def _roll_that_ends(state: Playing) -> int:
    """Return the number of the roll that Reset ends: the one in the tray, or in an empty tray the declared one."""
    match state:
        case Empty(over=Layout()):
            # Those dice belong to a finished roll; what is declared is meant for the next.
            return state.table.next_roll - 1
        case _:
            return roll_lying(state)


def _on_system(state: Playing, system_id: str) -> Transition:
    try:
        find_system(system_id)
    except BadRequest as error:
        return Reached(state, (Refuse("unknown_system", str(error)),))
    if system_id == state.table.system:
        return Reached(state)
    campaign = replace(state.table.campaign, prepared=None, asked=state.table.campaign.asked.without_dice())
    table = replace(
        state.table, system=system_id, pool=None, context={}, typed=(), campaign=campaign, pool_for=0, facts_for={}
    )
    match state:
        case Empty() | Rolling():
            return Reached(replace(state, table=table), (Commit(),))
        case Unscored():
            return ScoreFirst(table, state.layout, state.number)
        case Scored():
            return Rescore(state, table)
        case _:
            return Reached(state, (Refuse("reset_first", translate("tray.refused.reset_rules")),))


def _on_pool(state: Playing, pool: Pool | None) -> Transition:
    if pool is not None and has_twins(pool, state.table):
        return Reached(state, (Refuse("bad_value", translate("tray.refused.twins")),))
    typed = tuple(die for die in state.table.typed if not die.declared)
    campaign = replace(state.table.campaign, prepared=None)
    table = replace(state.table, pool=pool, typed=typed, campaign=campaign, pool_for=state.table.next_roll)
    match state:
        case Unscored():
            return ScoreFirst(replace(table, pool_for=roll_lying(state)), state.layout, state.number)
        case Scored():
            return Rescore(state, replace(table, pool_for=state.number), table, _declared_for_next(state, table))
        case Empty() | Rolling():
            return Reached(replace(state, table=table), (Commit(),))
        case UnreadPush(pushed=push):
            table = replace(table, typed=ending(state.table.typed))
            return Reached(replace(state, table=table, pushed=replace(push, table=table)), (Commit(),))
        case _:
            return _declared_for_next(state, table)


def _declared_for_next(state: Playing, table: Table) -> Reached:
    """Apply the declared pool to the next roll only."""
    return Reached(replace(state, table=replace(table, typed=ending(state.table.typed))), (Commit(),))


def _on_context(state: Playing, event: ContextSet) -> Transition:
    # A result after a push has been paid for: facts set now are meant for the next roll.
    roll = state.table.next_roll if isinstance(state, Resolved) else roll_lying(state)
    table = state.table.with_facts(event.facts, roll)
    match state:
        case Unscored():
            return ScoreFirst(table, state.layout, state.number)
        case UnreadPush(pushed=push):
            return ScorePush(replace(push, table=table), state.layout)
        case AwaitingPush(after=Layout() as after):
            return ScorePush(replace(state, table=table), after)
        case Scored():
            return Rescore(state, table, fits=replace(table, pool=state.pool))
        case _:
            return Reached(replace(state, table=table), (Commit(),))
