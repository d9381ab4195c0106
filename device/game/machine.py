"""The tray's state table: `step(state, event) -> (state, commands)`. Pure: no clock, no chance, no I/O.

A result stands until a rest shows something else: a hand that passes over the dice changes nothing. What a rest means
stands in rests.py, what a person's correction means in corrections.py.
"""

from dataclasses import replace
from typing import TypeAlias, assert_never

from device.game.dice.overrides import correct_die, settle_doubt
from device.game.dice.rest_transitions import first_result, judge_thrown, on_rest, rescored, standing_still
from device.game.dice.role_mapping import merge_roles
from device.game.dice.scoring import judge_first
from device.game.state.effects import Command, Commit, ForgetDice, Refuse
from device.game.state.events import (
    CameraCame,
    CameraFailed,
    ContextSet,
    DiceConfirmed,
    DieAdded,
    DieCorrected,
    DieDismissed,
    DieRestored,
    Event,
    MotionSeen,
    PoolDeclared,
    PushPressed,
    ResetPressed,
    SystemChosen,
    ThrowOrdered,
    TrayRead,
)
from device.game.state.hidden import has_hidden_result
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
    Unclear,
    roll_lying,
)
from device.game.state.table_events import TableEvent
from device.game.state.table_state import Pool, Table
from device.game.table.asked_rolls import with_turns
from device.game.table.transitions import follow_result, keep_campaign, step_table
from device.texts.catalogue import say, say_or
from rules.errors import BadRequest
from rules.system import find_system

Step: TypeAlias = tuple[State, tuple[Command, ...]]


def step(state: State, event: Event) -> Step:
    """Return the next state, and the effects to carry out before it is announced.

    Every state takes every event; what has no meaning leaves the state as it is, with a `Refuse` where a person asked.
    """
    if isinstance(state, Faulted):
        return _step_faulted(state, event)
    after, commands = _step_playing(state, event)
    if isinstance(after, Faulted):
        return after, commands
    if not isinstance(event, TableEvent | SystemChosen | PoolDeclared | ResetPressed):
        after = keep_campaign(state.table, after)
    return with_turns(state, follow_result(after), commands)


def _step_playing(state: Playing, event: Event) -> Step:
    match event:
        case CameraFailed():
            return Faulted(state.table, event.text, event.retry_in_s, standing_still(state), event.part), ()
        case CameraCame():
            return state, ()
        case MotionSeen():
            return _on_motion(state), ()
        case TrayRead():
            return on_rest(standing_still(state), event.rest)
        case ThrowOrdered():
            return _on_throw(state)
        case PushPressed():
            return _on_push(state)
        case ResetPressed():
            return _on_reset(state)
        case DieCorrected() | DieRestored():
            return correct_die(state, event)
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
        case CameraCame():
            return state.resume, ()
        case MotionSeen() | TrayRead():
            return step(state.resume, event)
        case PushPressed() | ThrowOrdered():
            what = "profile" if state.part == "profile" else "camera"
            return state, (Refuse("fault", say(f"tray.fault.{what}", text=state.text)),)
        case _:
            after, commands = step(state.resume, event)
            resume = after.resume if isinstance(after, Faulted) else after
            return replace(state, table=resume.table, resume=resume), commands


def _on_motion(state: Playing) -> Playing:
    match state:
        case Empty():
            return Rolling(state.table, state.over)
        case Rolling():
            return state
        case _:
            return replace(state, moving=True)


def _on_throw(state: Playing) -> Step:
    match state:
        case AwaitingPush() | Unclear(pushed=AwaitingPush()):
            return state, (Refuse("push_awaited", say("tray.refused.push_awaited")),)
        case Empty() | Rolling():
            return Rolling(state.table, state.over), ()
        case _:
            return Rolling(state.table.for_next_roll, state.layout), (Commit(),)


def _on_push(state: Playing) -> Step:
    is_offered = find_system(state.table.system).has_push and isinstance(state, Scored | Resolved | Unclear)
    if is_offered and has_hidden_result(state):
        # Which dice go and which stay would say what they show.
        return state, (Refuse("hidden", push_reason_text("hidden")),)
    match state:
        case Scored() | Resolved():
            verdict = state.outcome.push
            if not verdict.eligible:
                return state, (Refuse(verdict.reason.value, push_reason_text(verdict.reason.value)),)
            table = _typing_again(state)
            return AwaitingPush(table, standing_still(state), state.trail, moving=state.moving), (Commit(),)
        case Unclear(unasked=Scored() | Resolved() as first) if first.outcome.push.eligible:
            first = replace(first, table=state.table)
            push = AwaitingPush(_typing_again(first), first, first.trail)
            return judge_thrown(push, state.layout)
        case Unclear(unasked=Scored() | Resolved() as first):
            reason = first.outcome.push.reason.value
        case _ if not find_system(state.table.system).has_push:
            reason = "system_has_no_push"
        case AwaitingPush() | Unclear(pushed=AwaitingPush()):
            reason = "already_pushed"
        case Empty():
            reason = "nothing_to_reroll"
        case Rolling():
            reason = "rolling"
        case Unclear():
            reason = "unclear"
    return state, (Refuse(reason, push_reason_text(reason)),)


def _typing_again(first: Scored | Resolved) -> Table:
    """The table of a push: typed dice that must go are to be typed in again."""
    return replace(first.table, typed=for_push(first.table.typed, first.outcome.must_reroll))


def push_reason_text(reason: str) -> str:
    """Why this may or may not be pushed, in plain words."""
    return say_or(say("tray.push.not_now", reason=reason.replace("_", " ")), f"tray.push.{reason}")


def _on_reset(state: Playing) -> Step:
    table = state.table.after_reset(_roll_that_ends(state))
    if table.pool is not None:
        table = replace(table, pool=merge_roles(table.pool, find_system(table.system), table))
    match state:
        case Empty():
            return replace(state, table=table), (*(() if table == state.table else (Commit(),)), ForgetDice())
        case Rolling():
            over: Layout | None = state.over
        case AwaitingPush():
            over = state.after or state.first.layout
        case Unclear() | Scored() | Resolved():
            over = state.layout
        case _:
            assert_never(state)
    return Empty(table, over), (Commit(), ForgetDice())


def _roll_that_ends(state: Playing) -> int:
    """Number of the roll that Reset ends: the one that lies there; in an empty tray the one that is declared."""
    match state:
        case Empty(over=Layout()):
            # Those dice are a roll that is over already; what is declared is meant for the next.
            return state.table.next_roll - 1
        case _:
            return roll_lying(state)


def _on_system(state: Playing, system_id: str) -> Step:
    try:
        find_system(system_id)
    except BadRequest as error:
        return state, (Refuse("unknown_system", str(error)),)
    if system_id == state.table.system:
        return state, ()
    campaign = replace(state.table.campaign, prepared=None, asked=state.table.campaign.asked.without_dice())
    table = replace(
        state.table, system=system_id, pool=None, context={}, typed=(), campaign=campaign, pool_for=0, facts_for={}
    )
    match state:
        case Empty() | Rolling():
            return replace(state, table=table), (Commit(),)
        case Unclear(pushed=None, unasked=None):
            return first_result(table, state.layout, state.number)
        case Scored():
            return rescored(state, table)
        case _:
            return state, (Refuse("reset_first", say("tray.refused.reset_rules")),)


def _on_pool(state: Playing, pool: Pool | None) -> Step:
    typed = tuple(die for die in state.table.typed if not die.declared)
    campaign = replace(state.table.campaign, prepared=None)
    table = replace(state.table, pool=pool, typed=typed, campaign=campaign, pool_for=state.table.next_roll)
    match state:
        case Unclear(pushed=None, unasked=None):
            return first_result(replace(table, pool_for=roll_lying(state)), state.layout, state.number)
        case Scored() if judge_first(table, state.layout).outcome is not None:
            return rescored(state, replace(table, pool_for=state.number))
        case Empty() | Rolling():
            return replace(state, table=table), (Commit(),)
        case Unclear(pushed=AwaitingPush() as push):
            table = replace(table, typed=ending(state.table.typed))
            return replace(state, table=table, pushed=replace(push, table=table)), (Commit(),)
        case _:
            # The roll that lies there keeps its dice; what is declared now is meant for the next one.
            return replace(state, table=replace(table, typed=ending(state.table.typed))), (Commit(),)


def _on_context(state: Playing, event: ContextSet) -> Step:
    # A result after a push stands as it was paid: what is set then is meant for the next roll.
    roll = state.table.next_roll if isinstance(state, Resolved) else roll_lying(state)
    table = state.table.with_facts(event.facts, roll)
    match state:
        case Unclear(pushed=None, unasked=None):
            return first_result(table, state.layout, state.number)
        case Unclear(pushed=AwaitingPush() as push):
            return judge_thrown(replace(push, table=table), state.layout)
        case AwaitingPush(after=Layout() as after):
            return judge_thrown(replace(state, table=table), after)
        case Scored():
            judged = judge_first(replace(table, pool=state.pool), state.layout)
            if judged.outcome is None:
                return state, (Refuse("bad_context", judged.troubles[0].text),)
            return rescored(state, table)
        case _:
            return replace(state, table=table), (Commit(),)
