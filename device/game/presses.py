"""Which buttons are enabled now: one decision for what a page shows and what the tray refuses. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from device.errors import BadInput
from device.game.buttons import BUTTONS
from device.game.dice.role_mapping import colour_of
from device.game.machine import push_reason_text, refuse_push, refuse_throw
from device.game.state.die_history import Whereabouts
from device.game.state.effects import Refuse
from device.game.state.exploding_die import pending_die
from device.game.state.states import AwaitingPush, Rolling, Scored, State
from device.game.throw_orders import BUSY_TEXT, PointPx, SimulatedThrow
from device.texts.catalogue import translate
from rules.dice import Role
from rules.system import JsonValue, find_system

OK = "ok"
NO_POOL = "no_pool"


@dataclass(frozen=True, slots=True)
class Action:
    reason: str = OK
    text: str = ""
    offered: bool = True

    @property
    def allowed(self) -> bool:
        return self.reason == OK

    def as_json(self) -> dict[str, JsonValue]:
        return {"allowed": self.allowed, "reason": self.reason, "text": self.text, "offered": self.offered}


def push_action(state: State) -> Action:
    offered = find_system(state.table.system).has_push
    refusal = refuse_push(state)
    if refusal is None:
        return Action(text=push_reason_text(OK), offered=offered)
    return Action(
        refusal.reason, translate("tray.push.awaited") if isinstance(state, AwaitingPush) else refusal.text, offered
    )


def throw_action(state: State, *, is_simulated: bool) -> Action:
    """Return the state of a page's Throw button; without a declared pool the page names the dice."""
    if not is_simulated:
        return Action("not_simulated", translate("tray.refused.real_dice"), offered=False)
    if isinstance(state, Rolling):
        # A program's order waits for hand and dice; a person who presses twice does not want a second throw.
        return Action("rolling", push_reason_text("rolling"))
    plan = plan_throw(state, None, None)
    if not isinstance(plan, Refuse) or plan.reason == NO_POOL:
        return Action()
    return Action(plan.reason, plan.text)


def actions_of(state: State, *, is_simulated: bool) -> dict[str, Action]:
    """Return every button of a display; without a rule of its own it is always enabled."""
    ruled = {"push": push_action(state), "throw": throw_action(state, is_simulated=is_simulated)}
    return dict.fromkeys(BUTTONS, Action()) | ruled


def throws_again(state: State) -> bool:
    return isinstance(state, AwaitingPush) or (isinstance(state, Scored) and pending_die(state.outcome) is not None)


def plan_throw(
    state: State, dice: Mapping[str, int] | None, seed: int | None
) -> tuple[PointPx, ...] | SimulatedThrow | Refuse:
    """Return what the simulated hand would do now.

    Args:
        dice: Counts by colour class or role; None: the dice that must be thrown again, else the declared pool.
    """
    if dice is None and throws_again(state):
        if _is_in_the_hand(state):
            return Refuse("tray_busy", BUSY_TEXT)
        places = _places_to_rethrow(state)
        if places:
            return places
        cure = (
            state.troubles[0].text
            if isinstance(state, AwaitingPush) and state.troubles
            else translate("tray.refused.press_reset")
        )
        return Refuse("nothing_to_reroll", translate("tray.refused.none_to_rethrow", cure=cure))
    refusal = refuse_throw(state)
    if refusal is not None:
        return refusal
    try:
        order = _throw_order(state, dice, seed)
    except BadInput as error:
        return Refuse("bad_value", str(error))
    return Refuse(NO_POOL, translate("tray.refused.no_pool")) if order is None else order


def _is_in_the_hand(state: State) -> bool:
    match state:
        case AwaitingPush():
            return state.moving or (state.after is None and bool(state.die_history.only(Whereabouts.GONE)))
        case Scored():
            return state.moving or bool(state.die_history.only(Whereabouts.GONE))
        case _:
            return False


def _places_to_rethrow(state: State) -> tuple[PointPx, ...]:
    """Return where the camera sees the dice to throw again, without the simulation's truth."""
    if isinstance(state, AwaitingPush):
        going = state.to_throw
        return tuple(die.reading.center_px for die in state.lying.dice if die.id in going)
    if isinstance(state, Scored):
        die_id = pending_die(state.outcome)
        return tuple(die.reading.center_px for die in state.layout.dice if die.id == die_id)
    return ()


def _throw_order(state: State, dice: Mapping[str, int] | None, seed: int | None) -> SimulatedThrow | None:
    """Return an order in colour classes; None if no dice are named or declared."""
    table = state.table
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
