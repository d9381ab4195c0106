"""Which buttons are enabled now: one decision for what a page shows and what the tray refuses. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from device.errors import BadInput
from device.game import snapshot_model as seen
from device.game.buttons import BUTTONS
from device.game.dice.role_mapping import colour_of
from device.game.machine import push_reason_text, refuse_push, refuse_throw
from device.game.state.die_history import Whereabouts
from device.game.state.effects import Refuse
from device.game.state.exploding_die import pending_die
from device.game.state.states import AwaitingPush, DiceState, Rolling, Scored
from device.game.state.table_state import Table
from device.game.state.tray import Tray
from device.game.throw_orders import BUSY_TEXT, PointPx, SimulatedThrow
from device.message import Text, message, message_of
from rules.dice import Role
from rules.system import find_system

OK = "ok"
NO_POOL = "no_pool"


@dataclass(frozen=True, slots=True)
class Action:
    reason: str = OK
    text: Text = ""
    offered: bool = True

    @property
    def allowed(self) -> bool:
        return self.reason == OK

    def as_json(self) -> seen.Press:
        return {"allowed": self.allowed, "reason": self.reason, "text": self.text, "offered": self.offered}


def push_action(tray: Tray) -> Action:
    offered = find_system(tray.table.system).has_push
    refusal = refuse_push(tray)
    if refusal is None:
        return Action(text=push_reason_text(OK), offered=offered)
    is_awaited = tray.fault is None and isinstance(tray.dice, AwaitingPush)
    return Action(refusal.reason, message("tray.push.awaited") if is_awaited else refusal.text, offered)


def throw_action(tray: Tray, *, is_simulated: bool) -> Action:
    """Return the state of a page's Throw button; without a declared pool the page names the dice."""
    if not is_simulated:
        return Action("not_simulated", message("tray.refused.real_dice"), offered=False)
    if isinstance(tray.dice, Rolling) and tray.fault is None:
        # A program's order waits for hand and dice; a person who presses twice does not want a second throw.
        return Action("rolling", push_reason_text("rolling"))
    plan = plan_throw(tray, None, None)
    if not isinstance(plan, Refuse) or plan.reason == NO_POOL:
        return Action()
    return Action(plan.reason, plan.text)


def actions_of(tray: Tray, *, is_simulated: bool) -> dict[str, Action]:
    """Return every button of a display; without a rule of its own it is always enabled."""
    ruled = {"push": push_action(tray), "throw": throw_action(tray, is_simulated=is_simulated)}
    return dict.fromkeys(BUTTONS, Action()) | ruled


def throws_again(tray: Tray) -> bool:
    dice = tray.dice
    if tray.fault is not None:
        return False
    return isinstance(dice, AwaitingPush) or (isinstance(dice, Scored) and pending_die(dice.outcome) is not None)


def plan_throw(
    tray: Tray, dice: Mapping[str, int] | None, seed: int | None
) -> tuple[PointPx, ...] | SimulatedThrow | Refuse:
    """Return what the simulated hand would do now.

    Args:
        dice: Counts by colour class or role; None: the dice that must be thrown again, else the declared pool.
    """
    if dice is None and throws_again(tray):
        if _is_in_the_hand(tray.dice):
            return Refuse("tray_busy", BUSY_TEXT)
        places = _places_to_rethrow(tray.dice)
        if places:
            return places
        cure = (
            tray.dice.troubles[0].text
            if isinstance(tray.dice, AwaitingPush) and tray.dice.troubles
            else message("tray.refused.press_reset")
        )
        return Refuse("nothing_to_reroll", message("tray.refused.none_to_rethrow", cure=cure))
    refusal = refuse_throw(tray)
    if refusal is not None:
        return refusal
    try:
        order = _throw_order(tray.table, dice, seed)
    except BadInput as error:
        return Refuse("bad_value", message_of(error))
    return Refuse(NO_POOL, message("tray.refused.no_pool")) if order is None else order


def _is_in_the_hand(state: DiceState) -> bool:
    match state:
        case AwaitingPush():
            return state.moving or (state.after is None and bool(state.die_history.only(Whereabouts.GONE)))
        case Scored():
            return state.moving or bool(state.die_history.only(Whereabouts.GONE))
        case _:
            return False


def _places_to_rethrow(state: DiceState) -> tuple[PointPx, ...]:
    """Return where the camera sees the dice to throw again, without the simulation's truth."""
    if isinstance(state, AwaitingPush):
        going = state.to_throw
        return tuple(die.reading.center_px for die in state.lying.dice if die.id in going)
    if isinstance(state, Scored):
        die_id = pending_die(state.outcome)
        return tuple(die.reading.center_px for die in state.layout.dice if die.id == die_id)
    return ()


def _throw_order(table: Table, dice: Mapping[str, int] | None, seed: int | None) -> SimulatedThrow | None:
    """Return an order in colour classes; None if no dice are named or declared."""
    system = find_system(table.system)
    if dice is None:
        if table.pool is None:
            return None
        dice = {role.value: count for role, count in table.pool.counts}
    counts: dict[str, int] = {}
    for name, count in dice.items():
        if count:
            label = name if name in table.colour_classes else colour_of(Role(name), system, table)
            counts[label] = counts.get(label, 0) + count
    base, skill, gear = (counts.pop(label, 0) for label in ("base", "skill", "gear"))
    return SimulatedThrow(base, skill, gear, seed, others=tuple(counts.items()))
