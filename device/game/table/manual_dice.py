"""What entering a face changes in each state: it counts at once, like a die read by the camera."""

from dataclasses import replace

from device.game.state.effects import Commit, Refuse
from device.game.state.layout import Layout
from device.game.state.manual_dice import MAX_TYPED, Typed, TypedDie, not_seen, with_die, with_value
from device.game.state.states import (
    AwaitingPush,
    Empty,
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
from device.game.state.tray import Tray
from device.message import Message, message, word
from rules.system import find_system

NOTHING = Layout((), 0, 0)
"""No die in the tray: all dice of a roll may be manual."""


def on_typed(tray: Tray, event: ManualDieEntered | TypedDieChanged | TypedDieRemoved) -> Transition:
    typed = tray.table.typed
    pushed = isinstance(tray.dice, AwaitingPush | Resolved | UnreadPush)
    match event:
        case ManualDieEntered():
            refusal = _refuse_face(tray.table, event)
            if pushed and not any(d.value is None and (d.role, d.level) == (event.role, event.level) for d in typed):
                refusal = Refuse("reset_first", message("tray.refused.reset_join"))
            if len(typed) >= MAX_TYPED:
                refusal = Refuse("bad_value", message("tray.refused.typed_enough", most=MAX_TYPED))
            if refusal is not None:
                return Reached(tray, (refusal,))
            return _with_typed(tray, with_die(typed, event.role, event.level, event.value))
        case TypedDieChanged():
            die = _find(typed, event.die_id)
            if die is None:
                return Reached(tray, (_unknown(event.die_id),))
            if event.value is not None and not 1 <= event.value <= die.sides:
                return Reached(tray, (Refuse("bad_value", _face_text(die, event.value)),))
            if isinstance(tray.dice, AwaitingPush) and str(die.id) in tray.dice.first.outcome.locked:
                return Reached(tray, (Refuse("locked_die", message("tray.refused.typed_locked", die=die.name)),))
            if event.value == die.value:
                return Reached(tray)
            return _with_typed(tray, with_value(typed, die.id, event.value))
        case TypedDieRemoved():
            if _find(typed, event.die_id) is None:
                return Reached(tray, (_unknown(event.die_id),))
            if pushed:
                return Reached(tray, (Refuse("reset_first", message("tray.refused.reset_keep")),))
            return _with_typed(tray, tuple(die for die in typed if die.id != event.die_id))


def _refuse_face(table: Table, event: ManualDieEntered) -> Refuse | None:
    system = find_system(table.system)
    if event.level not in system.typed_levels:
        known = ", ".join(system.typed_levels) or message("tray.refused.no_levels")
        return Refuse("bad_value", message("tray.refused.level", level=event.level[:20], known=known))
    if event.role not in system.pool_roles:
        roles = [word(role.value) for role in system.pool_roles]
        return Refuse("unknown_role", message("tray.refused.role", role=word(event.role.value), known=roles))
    die = TypedDie(0, event.role, event.level)
    if not 1 <= event.value <= die.sides:
        return Refuse("bad_value", _face_text(die, event.value))
    return None


def _with_typed(tray: Tray, typed: Typed) -> Transition:
    table = replace(tray.table, typed=typed)
    after = replace(tray, table=table)
    match tray.dice:
        case Empty():
            joined = sum(1 for die in typed if not die.declared)
            waits = table.pool is not None and table.pool.total > joined
            if typed and all(die.value is not None for die in typed) and not waits:
                return ScoreFirst(after, NOTHING)
            return Reached(after, (Commit(),))
        case Unscored(layout=layout) | Scored(layout=layout) if not layout.dice and not typed:
            return Reached(replace(after, dice=Empty()), (Commit(),))
        case UnreadPush() as dice:
            return ScorePush(after, dice.push, dice.layout)
        case Unscored() as dice:
            return ScoreFirst(after, dice.layout, dice.number, dice.exploding)
        case Scored() as dice:
            return Rescore(tray, dice, after)
        case AwaitingPush() as push:
            return _typed_in_push(after, push)
        case Resolved() as dice:
            return RescorePush(after, dice)
        case Rolling() | ThrownWithoutPush():
            return Reached(after, (Commit(),))


def _typed_in_push(tray: Tray, push: AwaitingPush) -> Transition:
    """Enter a face during a push; if the tray's dice are thrown or none must be, it may complete the push."""
    if push.after is not None:
        return ScorePush(tray, push, push.after)
    going = set(push.first.outcome.must_reroll)
    waits = any(str(die.id) in going for die in push.first.layout.dice)
    if waits or any(die.value is None for die in not_seen(tray.table.typed, push.first.layout)):
        return Reached(tray, (Commit(),))
    return ScorePush(tray, push, push.first.layout)


def _face_text(die: TypedDie, value: int) -> Message:
    return message("tray.refused.face", die=die.name, value=value, sides=die.sides)


def _find(typed: Typed, die_id: int) -> TypedDie | None:
    return next((die for die in typed if die.id == die_id), None)


def _unknown(die_id: int) -> Refuse:
    return Refuse("unknown_die", message("tray.refused.no_typed_die", die=die_id))
