"""What entering a face changes in each state: it counts at once, like a die read by the camera."""

from dataclasses import replace

from device.game.state.effects import Commit, Refuse
from device.game.state.layout import Layout
from device.game.state.manual_dice import MAX_TYPED, Typed, TypedDie, not_seen, with_die, with_value
from device.game.state.states import (
    AwaitingPush,
    Empty,
    Playing,
    Resolved,
    Rolling,
    Scored,
    ThrownWithoutPush,
    UnreadPush,
    Unscored,
)
from device.game.state.table_events import ManualDieEntered, TypedDieChanged, TypedDieRemoved
from device.game.state.table_state import Table
from device.game.state.transition import Reached, Rescore, RescorePush, ScoreFirst, ScorePush, Transition
from device.texts.catalogue import translate, word
from rules.system import find_system

NOTHING = Layout((), 0, 0)
"""No die in the tray: all dice of a roll may be manual."""


def on_typed(state: Playing, event: ManualDieEntered | TypedDieChanged | TypedDieRemoved) -> Transition:
    typed = state.table.typed
    pushed = isinstance(state, AwaitingPush | Resolved | UnreadPush)
    match event:
        case ManualDieEntered():
            refusal = _refuse_face(state.table, event)
            if pushed and not any(d.value is None and (d.role, d.level) == (event.role, event.level) for d in typed):
                refusal = Refuse("reset_first", translate("tray.refused.reset_join"))
            if len(typed) >= MAX_TYPED:
                refusal = Refuse("bad_value", translate("tray.refused.typed_enough", most=MAX_TYPED))
            if refusal is not None:
                return Reached(state, (refusal,))
            return _with_typed(state, with_die(typed, event.role, event.level, event.value))
        case TypedDieChanged():
            die = _find(typed, event.die_id)
            if die is None:
                return Reached(state, (_unknown(event.die_id),))
            if event.value is not None and not 1 <= event.value <= die.sides:
                return Reached(state, (Refuse("bad_value", _face_text(die, event.value)),))
            if isinstance(state, AwaitingPush) and str(die.id) in state.first.outcome.locked:
                return Reached(state, (Refuse("locked_die", translate("tray.refused.typed_locked", die=die.name)),))
            if event.value == die.value:
                return Reached(state)
            return _with_typed(state, with_value(typed, die.id, event.value))
        case TypedDieRemoved():
            if _find(typed, event.die_id) is None:
                return Reached(state, (_unknown(event.die_id),))
            if pushed:
                return Reached(state, (Refuse("reset_first", translate("tray.refused.reset_keep")),))
            return _with_typed(state, tuple(die for die in typed if die.id != event.die_id))


def _refuse_face(table: Table, event: ManualDieEntered) -> Refuse | None:
    system = find_system(table.system)
    if event.level not in system.typed_levels:
        known = ", ".join(system.typed_levels) or translate("tray.refused.no_levels")
        return Refuse("bad_value", translate("tray.refused.level", level=event.level[:20], known=known))
    if event.role not in system.pool_roles:
        roles = [word(role.value) for role in system.pool_roles]
        return Refuse("unknown_role", translate("tray.refused.role", role=word(event.role.value), known=roles))
    die = TypedDie(0, event.role, event.level)
    if not 1 <= event.value <= die.sides:
        return Refuse("bad_value", _face_text(die, event.value))
    return None


def _with_typed(state: Playing, typed: Typed) -> Transition:
    table = replace(state.table, typed=typed)
    match state:
        case Empty():
            joined = sum(1 for die in typed if not die.declared)
            waits = table.pool is not None and table.pool.total > joined
            if typed and all(die.value is not None for die in typed) and not waits:
                return ScoreFirst(table, NOTHING)
            return Reached(replace(state, table=table), (Commit(),))
        case Rolling():
            return Reached(replace(state, table=table), (Commit(),))
        case UnreadPush(pushed=push):
            return ScorePush(replace(push, table=table), state.layout)
        case Unscored():
            if not state.layout.dice and not typed:
                return Reached(Empty(table), (Commit(),))
            return ScoreFirst(table, state.layout, state.number, state.exploding)
        case ThrownWithoutPush():
            return Reached(replace(state, table=table), (Commit(),))
        case Scored():
            if not state.layout.dice and not typed:
                return Reached(Empty(table), (Commit(),))
            return Rescore(state, table)
        case AwaitingPush():
            return _typed_in_push(replace(state, table=table))
        case Resolved():
            return RescorePush(state, table)


def _typed_in_push(push: AwaitingPush) -> Transition:
    """Enter a face during a push; if the tray's dice are thrown or none must be, it may complete the push."""
    if push.after is not None:
        return ScorePush(push, push.after)
    going = set(push.first.outcome.must_reroll)
    waits = any(str(die.id) in going for die in push.first.layout.dice)
    if waits or any(die.value is None for die in not_seen(push.table.typed, push.first.layout)):
        return Reached(push, (Commit(),))
    return ScorePush(push, push.first.layout)


def _face_text(die: TypedDie, value: int) -> str:
    return translate("tray.refused.face", die=die.name, value=value, sides=die.sides)


def _find(typed: Typed, die_id: int) -> TypedDie | None:
    return next((die for die in typed if die.id == die_id), None)


def _unknown(die_id: int) -> Refuse:
    return Refuse("unknown_die", translate("tray.refused.no_typed_die", die=die_id))
