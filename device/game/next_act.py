"""The next step for the players, in one sentence, the same for every screen. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from device.game import snapshot_model as seen
from device.game.dice.overrides import may_confirm
from device.game.dice.role_mapping import camera_troubles, class_playing, roles_of
from device.game.state.die_history import Whereabouts
from device.game.state.exploding_die import pending_die
from device.game.state.layout import Layout
from device.game.state.manual_dice import TypedDie, not_seen
from device.game.state.problems import (
    CANNOT_SCORE,
    DOUBTFUL,
    LOCKED_CHANGED,
    MAYBE_MORE,
    MAYBE_NOT_ROLLED,
    NOT_ROLLED,
    TYPED_DIE_MISSING,
    WRONG_COUNT,
    WRONG_ROLES,
    Issue,
)
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
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.message import Message, Text, message, word
from rules.dice import Role
from vision.types.reading import Problem, Unread

_OF_DICE = frozenset(
    {TYPED_DIE_MISSING, WRONG_COUNT, WRONG_ROLES, CANNOT_SCORE, DOUBTFUL, LOCKED_CHANGED, NOT_ROLLED, MAYBE_NOT_ROLLED}
)
"""Problem codes about dice; any other code is about the picture."""
_LEANS = frozenset({Unread.COCKED.value, Unread.STACKED.value})
_UNREAD = frozenset(reason.value for reason in Unread)


@dataclass(frozen=True, slots=True)
class NextStep:
    code: str
    text: Text
    # whether the step fixes something wrong; otherwise the tray waits for something that the rules require
    is_wrong: bool = False

    def as_json(self) -> seen.NextStep:
        return {"code": self.code, "text": self.text, "wrong": self.is_wrong}


def next_act(
    tray: Tray, colours: Mapping[str, str], *, is_simulated: bool, read: frozenset[int] = frozenset()
) -> NextStep:
    """Return the next step.

    Args:
        tray: The tray.
        colours: The colour of each class.
        is_simulated: Whether a button throws the dice.
        read: The numbers of sides, beyond six, of dice that the camera reads.
    """
    if tray.fault is not None:
        return _act(f"fault_{tray.fault.part}", is_wrong=True)
    match tray.dice:
        case Rolling() as state:
            # Only a simulated throw tells a clearing hand from flying dice before all lies still.
            return _act("wait" if state.is_thrown and not (state.over and state.over.dice) else "clearing")
        case Empty() as state:
            return _before_a_throw(tray, state, colours, read, is_simulated=is_simulated)
        case Unscored() | UnreadPush() | ThrownWithoutPush() as state:
            return _unclear(tray, state, read)
        case AwaitingPush() as state:
            return _in_a_push(tray.table, state)
        case Scored() | Resolved() as state:
            return _after_a_result(tray, state)


def _act(code: str, *, is_wrong: bool = False, **values: object) -> NextStep:
    return NextStep(code, message(f"tray.next.{code}", **values), is_wrong)


def _before_a_throw(
    tray: Tray, state: Empty, colours: Mapping[str, str], read: frozenset[int], *, is_simulated: bool
) -> NextStep:
    table = tray.table
    if state.troubles:
        was_moved = Problem.CAMERA_MOVED in {trouble.code for trouble in state.troubles}
        return _act("calibrate" if was_moved else "view", is_wrong=True)
    if not is_simulated and isinstance(state.over, Layout) and state.over.dice:
        return _act("clear")
    untyped = [die for die in table.typed if die.value is None]
    dice = [*_hand(table, colours), *_step_dice(untyped, read)]
    if untyped and not dice:
        return _tap_in(untyped)
    if is_simulated:
        return _act("press_throw", dice=dice) if dice else _act("choose")
    request = tray.campaign.requests.of_roll(tray.roll_number)
    owner = None if request is None else request.thrower or request.owner
    if owner is not None:
        return _act("owner_throws", owner=owner, dice=dice) if dice else _act("owner_throws_any", owner=owner)
    return _act("throw", dice=dice) if dice else _act("throw_any")


def _hand(table: Table, colours: Mapping[str, str]) -> list[Message]:
    """Return the declared dice by colour, as in "3 yellow", or by role if any colour will do."""
    named = [(role, count) for role, count in (() if table.pool is None else table.pool.counts) if count]
    if [role for role, _ in named] == [Role.PLAIN]:
        return [message("tray.take.plain", count=count) for _, count in named]
    played = roles_of(table)
    looks = [(colours.get(class_playing(role, played) or "", role.value), count) for role, count in named]
    return [message("tray.take.of", count=count, role=word(look)) for look, count in looks]


def _step_dice(dice: list[TypedDie], read: frozenset[int]) -> list[Message]:
    """Return the dice with more than six sides to throw, as in "2 d8"."""
    counts = Counter(die.name for die in dice if die.sides in read)
    return [message("tray.take.step", count=count, die=name) for name, count in counts.items()]


def _unclear(tray: Tray, state: Unscored | UnreadPush | ThrownWithoutPush, read: frozenset[int]) -> NextStep:
    if MAYBE_MORE in {trouble.code for trouble in state.troubles}:
        return _act("was_all")
    if isinstance(state, ThrownWithoutPush):
        # Only a person knows what thrown dice mean without a press of Push.
        is_push = state.result.outcome.push.eligible and not tray.has_hidden_result
        return _act("was_push" if is_push else "reset", is_wrong=True)
    if may_confirm(state):
        return _act("confirm", is_wrong=True)
    return _mend(state.troubles, tray.table, lambda trouble: _by_count(trouble, tray.table, state), read)


def _mend(
    troubles: tuple[Issue, ...],
    table: Table,
    by_count: Callable[[Issue], NextStep],
    read: frozenset[int] = frozenset(),
) -> NextStep:
    """Return the cure of the first problem: of the picture, then of the dice, then of manual dice."""
    codes = {trouble.code for trouble in troubles}
    unread = [trouble for trouble in troubles if trouble.code in _UNREAD]
    if codes - _UNREAD - _OF_DICE:
        return _act("view", is_wrong=True)
    if unread:
        leans = all(trouble.code in _LEANS for trouble in unread)
        return _act("lay_flat" if leans else "settle", is_wrong=not leans, count=len(unread))
    if DOUBTFUL in codes:
        return _act("confirm", is_wrong=True)
    for trouble in troubles:
        match trouble.code:
            case code if code == WRONG_COUNT:
                return by_count(trouble)
            case code if code == WRONG_ROLES:
                return _act("exchange", is_wrong=True)
            case code if code == LOCKED_CHANGED:
                return _act("turn_back", is_wrong=True, count=max(1, len(trouble.dice)))
            case code if code == MAYBE_NOT_ROLLED:
                return _act("was_thrown", is_wrong=True, count=len(trouble.dice))
            case code if code == NOT_ROLLED:
                return _act("pick_up", is_wrong=True, count=max(1, len(trouble.dice)))
            case _:
                continue
    named = {die_id for trouble in troubles if trouble.code == TYPED_DIE_MISSING for die_id in trouble.dice}
    missing = [die for die in table.typed if die.id in named]
    to_enter = [die for die in missing if die.sides not in read]
    if missing:
        return _tap_in(to_enter) if to_enter else _tap_in(missing, "throw_or_enter")
    return _act("facts", is_wrong=True)


def _by_count(trouble: Issue, table: Table, state: Unscored | UnreadPush) -> NextStep:
    """Return dice to add or take out until there are as many as were declared or first thrown."""
    lying, typed = len(state.layout.dice), table.typed
    if isinstance(state, UnreadPush):
        wanted = len(state.push.first.layout.dice)
    elif table.pool is None:
        wanted = lying
    else:
        joined = sum(1 for die in typed if not die.declared)
        wanted = table.pool.total - joined + len(typed) - len(not_seen(typed, state.layout))
    return _missing(wanted - lying, trouble)


def _missing(count: int, trouble: Issue) -> NextStep:
    if count > 0:
        return _act("throw_in", is_wrong=True, count=count)
    return _act("take_out", is_wrong=True, count=-count or max(1, len(trouble.dice)))


def _in_a_push(table: Table, state: AwaitingPush) -> NextStep:
    if state.troubles:
        count = len(state.first.layout.dice) - len(state.lying.dice)
        return _mend(state.troubles, table, lambda trouble: _missing(count, trouble))
    going = {die.id for die in state.lying.dice} & state.to_throw
    lying = going - {*state.die_history.only(Whereabouts.GONE), *state.lifted}
    untyped = [die for die in not_seen(table.typed, state.first.layout) if die.value is None]
    if lying:
        return _act("pick_up", count=len(lying))
    if going:
        return _act("throw_hand", count=len(going))
    return _tap_in(untyped, "roll_typed") if untyped else _act("reset")


def _after_a_result(tray: Tray, state: Scored | Resolved) -> NextStep:
    if pending_die(state.outcome) is not None:
        return _act("again")
    if tray.has_hidden_result:
        return _act("show")
    if not state.layout.dice:
        return _act("push_or_reset" if state.outcome.push.eligible else "reset")
    if state.outcome.push.eligible and camera_troubles(state.layout):
        return _act("confirm", is_wrong=True)
    if state.outcome.push.eligible:
        return _act("push_or_clear")
    waiting = tray.campaign.requests.waiting
    if waiting and waiting[0].owner is not None:
        return _act("clear_for", owner=waiting[0].owner)
    return _act("clear")


def _tap_in(dice: list[TypedDie], code: str = "tap_in") -> NextStep:
    return _act(code, dice=[die.name for die in dice], count=len(dice))
